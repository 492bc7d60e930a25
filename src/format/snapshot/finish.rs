//! The end of reading: the outermost value says which rows are whose.

use super::backend;
use super::builder::Builder;
use super::handle::{Handle, tag};
use super::keys;
use super::render;
use crate::format::{Error, ErrorKind, Result};
use crate::model::{
    Action, Address, Annotation, Arrange, Device, EventTable, FastSet, Frame, LazyColumn, LeftOut, Segment,
    SegmentId, Snapshot, StringId, Trace, fast_set,
};
use core::ops::Range;

/// More device lists than any machine has are not believed.
const MOST_DEVICES: usize = 65_536;

/// What the outermost value holds.
#[derive(Default)]
struct Parts {
    traces: Vec<(Device, Vec<Range<usize>>)>,
    segments: Vec<(usize, bool)>,
    annotations: Vec<Range<usize>>,
    seen: FastSet<usize>,
    /// It had a key that says which writer made it.
    torch_keys: bool,
    bare_list: bool,
}

impl Builder {
    /// The snapshot that the outermost value is.
    pub fn finish(mut self, top: Handle, native_frames: bool) -> Result<Snapshot> {
        self.tables.window.end_list(&mut self.tables.snapshot.events);
        let top = self.heap.resolve(top);
        let mut parts = Parts { seen: fast_set(), ..Parts::default() };
        if !self.gather(top, &mut parts) {
            let found = render::describe(&self.heap, &self.tables.snapshot, top);
            return Err(Error::new(
                ErrorKind::Unexpected,
                format!("the file is readable, but holds {found}, not a memory snapshot"),
            )
            .hint(super::EXPECTED));
        }
        let settings = self.value_of(top, keys::ALLOCATOR_SETTINGS);
        if let Some(settings) = settings {
            self.flatten_settings(settings);
        }
        self.tables.settle_frames();
        self.settle_segments(&parts.segments);
        let mut annotations = Vec::new();
        for rows in &parts.annotations {
            annotations
                .extend(self.tables.snapshot.annotations.get(rows.clone()).unwrap_or(&[]).iter().cloned());
        }
        self.tables.snapshot.annotations = annotations;
        self.settle_traces(parts.traces);
        let names = self.tables.unknown_key_names();
        let (left_out, after) = (self.tables.window.left_out, self.tables.window.after);
        let has_filter = self.tables.window.cuts() || !native_frames;
        let mut snapshot = self.tables.snapshot;
        drop(self.heap);
        user_defined(&mut snapshot);
        if !names.is_empty() {
            snapshot.warnings.add("unknown_key", None, || {
                format!("keys that are not known were skipped: {}", names.join(", "))
            });
        }
        snapshot.writer = backend::writer_of(&snapshot, parts.torch_keys, parts.bare_list);
        if has_filter {
            snapshot.left_out = Some(LeftOut { events: left_out, after, native_frames: !native_frames });
        }
        Ok(snapshot)
    }

    /// False if the value is no snapshot.
    fn gather(&mut self, top: Handle, parts: &mut Parts) -> bool {
        if top.tag() == tag::DICT {
            let mut any = false;
            if let Some(value) = self.value_of(top, keys::SEGMENTS) {
                any = true;
                self.gather_segments(value, false, parts);
            }
            if let Some(value) = self.value_of(top, keys::DEVICE_TRACES) {
                any = true;
                self.gather_traces(value, false, parts);
            }
            for key in [keys::HOST_SEGMENTS, keys::HOST_TRACES] {
                if let Some(value) = self.value_of(top, key) {
                    any = true;
                    parts.torch_keys = true;
                    if key == keys::HOST_SEGMENTS {
                        self.gather_segments(value, true, parts);
                    } else {
                        self.gather_traces(value, true, parts);
                    }
                }
            }
            if let Some(value) = self.value_of(top, keys::EXTERNAL_ANNOTATIONS) {
                parts.torch_keys = true;
                self.gather_annotations(value, parts);
            }
            parts.torch_keys |= self.value_of(top, keys::ALLOCATOR_SETTINGS).is_some();
            return any;
        }
        match self.first_item(top).map(Handle::tag) {
            Some(tag::SEGMENT) => {
                parts.bare_list = true;
                self.gather_segments(top, false, parts);
                true
            }
            Some(tag::EVENT) => {
                self.gather_trace(top, Device::Index(0), parts);
                true
            }
            Some(tag::LIST | tag::EMPTY)
                if self
                    .items_of(top)
                    .iter()
                    .any(|&(list, _)| self.first_item(list).is_some_and(|item| item.tag() == tag::EVENT)) =>
            {
                self.gather_traces(top, false, parts);
                true
            }
            _ => false,
        }
    }

    fn gather_segments(&mut self, list: Handle, host: bool, parts: &mut Parts) {
        for (item, count) in self.items_of(list) {
            if item.tag() == tag::SEGMENT {
                parts.segments.extend((item.index()..item.index() + count as usize).map(|row| (row, host)));
            } else {
                self.odd_item("a segment", item);
            }
        }
    }

    fn gather_traces(&mut self, list: Handle, host: bool, parts: &mut Parts) {
        let lists = self.items_of(list);
        let flat = lists.first().is_some_and(|(first, _)| first.tag() == tag::EVENT);
        if flat {
            return self.gather_trace(list, if host { Device::Host } else { Device::Index(0) }, parts);
        }
        for (index, &(list, _)) in lists.iter().enumerate().take(MOST_DEVICES) {
            let device = if host { Device::Host } else { Device::Index(index as i32) };
            self.gather_trace(list, device, parts);
        }
    }

    fn gather_trace(&mut self, list: Handle, device: Device, parts: &mut Parts) {
        let mut rows = Vec::new();
        if list.tag() == tag::LIST && !parts.seen.insert(list.index()) {
            self.shared();
        } else {
            for (item, count) in self.items_of(list) {
                if item.tag() == tag::EVENT {
                    self.tables.window.rows_of(item.payload(), count, &mut rows);
                } else {
                    self.odd_item("a trace entry", item);
                }
            }
        }
        match parts.traces.last_mut() {
            // The host's lists (one a thread pool) are one device.
            Some((Device::Host, before)) if device == Device::Host => before.append(&mut rows),
            _ => parts.traces.push((device, rows)),
        }
    }

    fn gather_annotations(&mut self, list: Handle, parts: &mut Parts) {
        for (item, count) in self.items_of(list) {
            if item.tag() == tag::ANNOTATION {
                parts.annotations.push(item.index()..item.index() + count as usize);
            }
        }
    }

    #[cold]
    fn shared(&mut self) {
        self.tables.snapshot.warnings.add("shared_rows", None, || {
            "the same entries stand in several places of the file; they are counted once".to_owned()
        });
    }

    #[cold]
    fn odd_item(&mut self, expected: &str, found: Handle) {
        let found = render::describe(&self.heap, &self.tables.snapshot, found);
        self.tables
            .snapshot
            .warnings
            .add("odd_item", None, || format!("a list holds {found} where {expected} was expected; skipped"));
    }

    /// Segments in the order of the file's list, each once, their blocks grouped in that order.
    fn settle_segments(&mut self, wanted: &[(usize, bool)]) {
        let snapshot = &mut self.tables.snapshot;
        let mut taken = vec![false; snapshot.segments.len()];
        let mut segments: Vec<Segment> = Vec::with_capacity(wanted.len().min(taken.len()));
        let mut rows = Vec::new();
        let mut forward_frames = LazyColumn::new(StringId::NONE);
        let mut shared = false;
        for &(row, host) in wanted {
            let (Some(taken), Some(segment)) = (taken.get_mut(row), snapshot.segments.get(row)) else {
                continue;
            };
            if std::mem::replace(taken, true) {
                shared = true;
                continue;
            }
            let mut segment = segment.clone();
            if host {
                segment.device = Device::Host;
            }
            let id = SegmentId::new(segments.len());
            let start = rows.len() as u32;
            let mut next = segment.address.0;
            for row in segment.blocks.clone() {
                let Some(block) = snapshot.blocks.rows.get(row as usize) else { continue };
                let mut block = *block;
                block.segment = id;
                if self.tables.without_address.binary_search(&row).is_ok() {
                    block.address = Address(next);
                }
                next = block.address.0.wrapping_add(block.size.0);
                forward_frames.set(rows.len(), snapshot.blocks.forward_frames.get(row as usize));
                rows.push(block);
            }
            segment.blocks = start..rows.len() as u32;
            segments.push(segment);
        }
        snapshot.segments = segments;
        snapshot.blocks.rows = rows;
        snapshot.blocks.forward_frames = forward_frames;
        if shared {
            self.shared();
        }
    }

    /// One run of rows a trace. Where the file's rows lie otherwise, the columns are gathered anew.
    fn settle_traces(&mut self, traces: Vec<(Device, Vec<Range<usize>>)>) {
        let len = self.tables.snapshot.events.len();
        let mut shared = false;
        let mut pieces: Vec<(usize, Range<usize>)> = Vec::new();
        for (index, (_, rows)) in traces.iter().enumerate() {
            pieces.extend(rows.iter().map(|r| (index, r.start.min(len)..r.end.min(len))));
        }
        // A row that two lists claim belongs to the first that has it in the file.
        let mut by_start: Vec<usize> = (0..pieces.len()).collect();
        by_start.arrange_by_key(|&i| pieces[i].1.start);
        let mut free_from = 0;
        for i in by_start {
            let rows = &mut pieces[i].1;
            if rows.start < free_from {
                shared = true;
                rows.start = free_from.min(rows.end);
            }
            free_from = free_from.max(rows.end);
        }
        pieces.retain(|(_, rows)| !rows.is_empty());
        let snapshot = &mut self.tables.snapshot;
        let one_each = pieces.windows(2).all(|w| w[0].0 != w[1].0);
        let all = pieces.iter().map(|(_, rows)| rows.len()).sum::<usize>() == len;
        snapshot.traces = traces.into_iter().map(|(device, _)| Trace { device, rows: 0..0 }).collect();
        if one_each && all {
            for (index, rows) in pieces {
                snapshot.traces[index].rows = rows;
            }
        } else {
            let mut events = EventTable::default();
            events.reserve_exact(pieces.iter().map(|(_, rows)| rows.len()).sum());
            for (index, rows) in pieces {
                let start = events.len();
                for row in rows {
                    events.push_from(&snapshot.events, row);
                }
                let trace = &mut snapshot.traces[index].rows;
                *trace =
                    if trace.start == trace.end { start..events.len() } else { trace.start..events.len() };
            }
            snapshot.events = events;
        }
        if shared {
            self.shared();
        }
    }

    /// Settings as texts; those that are dicts themselves become one line an entry.
    fn flatten_settings(&mut self, settings: Handle) {
        const LIMIT: usize = 4096;
        let (heap, snapshot) = (&self.heap, &self.tables.snapshot);
        let mut flat = Vec::new();
        let Some(slot) = heap.slot(settings) else { return };
        for pair in slot.body.chunks_exact(2).take(LIMIT) {
            let key = render::text(heap, snapshot, pair[0], LIMIT);
            let value = heap.resolve(pair[1]);
            match heap.slot(value).filter(|_| value.tag() == tag::DICT) {
                Some(inner) => {
                    for pair in inner.body.chunks_exact(2).take(LIMIT) {
                        let inner_key = render::text(heap, snapshot, pair[0], LIMIT);
                        flat.push((
                            format!("{key}.{inner_key}"),
                            render::text(heap, snapshot, pair[1], LIMIT),
                        ));
                    }
                }
                None => flat.push((key, render::text(heap, snapshot, value, LIMIT))),
            }
        }
        self.tables.snapshot.allocator_settings = flat;
    }
}

/// The nightlies of torch 2.4 wrote annotations as events whose one frame is label and stage.
fn user_defined(snapshot: &mut Snapshot) {
    for trace in &snapshot.traces {
        for row in trace.rows.clone() {
            if snapshot.events.action[row] != Action::UserDefined {
                continue;
            }
            let Some(&frame) = snapshot.stacks.get(snapshot.events.stack[row]).first() else { continue };
            let Frame { file, function, .. } = snapshot.frames.get(frame);
            snapshot.annotations.push(Annotation {
                name: file,
                stage: function,
                device: Some(trace.device),
                time: snapshot.events.time_of(row),
            });
        }
    }
}
