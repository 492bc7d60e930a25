//! A snapshot out of its tables. Ids are in the order of the file that was exported, so that handles, and
//! with them every order that depends on one, come out the same.

use super::database::{Database, Row};
use crate::format::{Keep, ReadOptions, Result};
use crate::model::{
    Action, Address, Annotation, Arrange, Block, BlockState, BlockTable, Bytes, Device, Event, EventTable,
    Frame, FrameId, HistoryEntry, LeftOut, Nanos, PoolId, Position, Segment, SegmentId, SegmentType,
    Snapshot, StackId, StreamId, StringId, Trace, Warning, Writer,
};
use serde_json::Value;

/// Ids of a table's rows and what became of them. Ids ascend, and mostly run on from 1.
struct Ids<T> {
    rows: Vec<(i64, T)>,
}

impl<T: Copy> Ids<T> {
    fn new() -> Ids<T> {
        Ids { rows: Vec::new() }
    }

    fn push(&mut self, id: i64, value: T) {
        self.rows.push((id, value));
    }

    #[inline]
    fn get(&self, id: Option<i64>) -> Option<T> {
        let id = id?;
        let near = usize::try_from(id.checked_sub(1)?).ok().and_then(|at| self.rows.get(at));
        match near {
            Some(&(own, value)) if own == id => Some(value),
            _ => {
                let at = self.rows.binary_search_by_key(&id, |&(own, _)| own).ok()?;
                self.rows.get(at).map(|&(_, value)| value)
            }
        }
    }
}

struct Reading<'a> {
    db: &'a Database,
    snapshot: Snapshot,
    native_frames: bool,
    /// The pool of events without details.
    usual_pool: Option<(i64, i64)>,
    /// Devices in the order of their rows, and where each row's is.
    devices_list: Vec<Device>,
    devices: Ids<usize>,
    stacks: Ids<StackId>,
}

pub(super) fn read(db: &Database, options: &ReadOptions) -> Result<Snapshot> {
    let snapshot = Snapshot { complete: true, ..Snapshot::default() };
    let mut reading = Reading {
        db,
        snapshot,
        native_frames: options.native_frames,
        usual_pool: None,
        devices_list: Vec::new(),
        devices: Ids::new(),
        stacks: Ids::new(),
    };
    reading.devices()?;
    reading.file_info()?;
    reading.frames()?;
    reading.stacks()?;
    reading.segments()?;
    reading.traces()?;
    reading.annotations()?;
    reading.warnings()?;
    let mut snapshot = reading.snapshot;
    if options.keep != Keep::All {
        snapshot.warnings.add("keep_ignored", None, || {
            "a database is read whole; leave events out when it is made of the snapshot".to_owned()
        });
    }
    Ok(snapshot)
}

fn bytes(row: &Row<'_>, column: Option<usize>) -> Option<Bytes> {
    row.int(column).map(|value| Bytes(value.cast_unsigned()))
}

/// A pool as `file_info` writes it.
fn pool_of(text: &str) -> Option<(i64, i64)> {
    let (a, b) = text.split_once(',')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

/// What a reader's option left out, as `file_info` writes it.
fn left_out(text: &str) -> Option<LeftOut> {
    let json: Value = serde_json::from_slice(text.as_bytes()).ok()?;
    let number = |key: &str| json.get(key).and_then(Value::as_u64);
    Some(LeftOut {
        events: number("events")?,
        after: number("after")?,
        native_frames: json.get("native_frames").and_then(Value::as_bool)?,
    })
}

fn address(row: &Row<'_>, column: Option<usize>) -> Address {
    Address(row.int(column).unwrap_or(0).cast_unsigned())
}

/// Other programs may have left the blocks in any order.
fn group_by_segment(blocks: &mut BlockTable) {
    if blocks.rows.is_sorted_by_key(|block| block.segment) {
        return;
    }
    let mut order: Vec<u32> = (0..blocks.rows.len() as u32).collect();
    let segment_of = |&at: &u32| blocks.rows.get(at as usize).map(|block| block.segment);
    order.arrange_by_key(segment_of);
    let mut grouped = BlockTable { history: core::mem::take(&mut blocks.history), ..BlockTable::default() };
    for at in order {
        let at = at as usize;
        if let Some(&block) = blocks.rows.get(at) {
            grouped.forward_frames.set(grouped.rows.len(), blocks.forward_frames.get(at));
            grouped.rows.push(block);
        }
    }
    *blocks = grouped;
}

impl Reading<'_> {
    fn intern(&mut self, text: Option<&str>) -> StringId {
        text.map_or(StringId::NONE, |text| self.snapshot.strings.intern(text))
    }

    fn stream(&mut self, value: Option<i64>) -> StreamId {
        value.map_or(StreamId::NONE, |value| self.snapshot.streams.intern(value))
    }

    fn pool(&mut self, a: Option<i64>, b: Option<i64>) -> PoolId {
        a.zip(b).map_or(PoolId::NONE, |pool| self.snapshot.pools.intern(pool))
    }

    fn devices(&mut self) -> Result<()> {
        let db = self.db;
        let [index, device_type] = db.columns("devices", ["device_index", "device_type"]);
        db.rows("devices", &mut |row| {
            let device_type = row.text(device_type).unwrap_or("");
            let index = row.int(index).and_then(|index| i32::try_from(index).ok()).unwrap_or(0);
            let host = index < 0 && device_type.eq_ignore_ascii_case("host");
            self.devices.push(row.id, self.devices_list.len());
            self.devices_list.push(if host { Device::Host } else { Device::Index(index) });
            // Where the file does not say who wrote it, the devices do.
            if !host {
                let npu = device_type.to_ascii_lowercase().contains("npu");
                self.snapshot.writer = if npu { Writer::TorchNpu } else { Writer::Torch };
            }
            Ok(())
        })
    }

    fn file_info(&mut self) -> Result<()> {
        let db = self.db;
        let [name, value] = db.columns("file_info", ["name", "value"]);
        db.rows("file_info", &mut |row| {
            let value = row.text(value).unwrap_or("");
            match row.text(name) {
                Some("writer") => {
                    self.snapshot.writer = match value {
                        "torch" => Writer::Torch,
                        "torch_npu" => Writer::TorchNpu,
                        _ => Writer::Unknown,
                    }
                }
                Some("complete") => self.snapshot.complete = value != "0",
                Some("trace_pool") => self.usual_pool = pool_of(value),
                Some("counters") => self.snapshot.counters = Some(value.to_owned()),
                Some("left_out") => self.snapshot.left_out = left_out(value),
                _ => {}
            }
            Ok(())
        })?;
        let [name, value] = db.columns("allocator_settings", ["name", "value"]);
        db.rows("allocator_settings", &mut |row| {
            let text = |column| row.text(column).unwrap_or("").to_owned();
            self.snapshot.allocator_settings.push((text(name), text(value)));
            Ok(())
        })
    }

    /// All frames in their order; those of the stacks are found among them.
    fn frames(&mut self) -> Result<()> {
        let db = self.db;
        let [file, line, name, fx] = db.columns("frames", ["filename", "line", "name", "fx"]);
        db.rows("frames", &mut |row| {
            let line = row.int(line).unwrap_or(0).cast_unsigned();
            self.frame(row.text(file), line, row.text(name), row.text(fx));
            Ok(())
        })
    }

    fn frame(
        &mut self,
        file: Option<&str>,
        line: u64,
        name: Option<&str>,
        fx: Option<&str>,
    ) -> Option<FrameId> {
        if !self.native_frames && !file.is_some_and(|file| file.ends_with(".py")) {
            return None;
        }
        let frame = Frame { file: self.intern(file), function: self.intern(name), line };
        let id = self.snapshot.frames.intern(frame);
        if fx.is_some()
            && let Err(place) = self.snapshot.frames.fx_notes.binary_search_by_key(&id, |&(id, _)| id)
        {
            let note = self.intern(fx);
            self.snapshot.frames.fx_notes.insert(place, (id, note));
        }
        Some(id)
    }

    fn stacks(&mut self) -> Result<()> {
        let db = self.db;
        let [json] = db.columns("call_stacks", ["frames_json"]);
        let mut stack = Vec::new();
        db.rows("call_stacks", &mut |row| {
            stack.clear();
            for frame in frames_of(row.text(json)) {
                let text = |key: &str| frame.get(key).and_then(Value::as_str);
                let line = frame.get("line").and_then(Value::as_u64).unwrap_or(0);
                stack.extend(self.frame(text("filename"), line, text("name"), text("fx")));
            }
            let id = self.snapshot.stacks.intern(&stack);
            self.stacks.push(row.id, id);
            Ok(())
        })
    }

    fn device(&self, id: Option<i64>) -> Option<Device> {
        self.devices_list.get(self.devices.get(id)?).copied()
    }

    fn stack(&self, id: Option<i64>) -> StackId {
        self.stacks.get(id).unwrap_or(StackId::NONE)
    }

    fn segments(&mut self) -> Result<()> {
        let db = self.db;
        let [device, place, total, allocated, active, requested] = db.columns(
            "segments",
            ["device_id", "address", "total_size", "allocated_size", "active_size", "requested_size"],
        );
        let [stream, segment_type, pool_0, pool_1, expandable, stack] = db.columns(
            "segments",
            ["stream", "segment_type", "pool_id_0", "pool_id_1", "is_expandable", "stack_id"],
        );
        let mut ids = Ids::new();
        db.rows("segments", &mut |row| {
            let segment = Segment {
                device: self.device(row.int(device)).unwrap_or(Device::Index(0)),
                address: address(row, place),
                total_size: bytes(row, total).unwrap_or_default(),
                allocated_size: bytes(row, allocated).unwrap_or_default(),
                active_size: bytes(row, active).unwrap_or_default(),
                requested_size: bytes(row, requested),
                stream: self.stream(row.int(stream)),
                segment_type: match row.text(segment_type) {
                    Some("large") => SegmentType::Large,
                    Some("small") => SegmentType::Small,
                    _ => SegmentType::Unknown,
                },
                pool: self.pool(row.int(pool_0), row.int(pool_1)),
                is_expandable: row.int(expandable).is_some_and(|value| value != 0),
                stack: self.stack(row.int(stack)),
                forward_frames: StringId::NONE,
                blocks: 0..0,
            };
            ids.push(row.id, SegmentId::new(self.snapshot.segments.len()));
            self.snapshot.segments.push(segment);
            Ok(())
        })?;
        self.blocks(&ids)
    }

    fn blocks(&mut self, segments: &Ids<SegmentId>) -> Result<()> {
        let db = self.db;
        let [segment, place, size, requested, state, stack] =
            db.columns("blocks", ["segment_id", "address", "size", "requested_size", "state", "stack_id"]);
        let mut ids = Ids::new();
        let mut lost = 0_u64;
        db.rows("blocks", &mut |row| {
            let Some(segment) = segments.get(row.int(segment)) else {
                lost += 1;
                return Ok(());
            };
            let block = Block {
                address: address(row, place),
                size: bytes(row, size).unwrap_or_default(),
                requested_size: bytes(row, requested),
                state: match row.text(state) {
                    Some("active_allocated") => BlockState::ActiveAllocated,
                    Some("active_pending_free" | "active_awaiting_free") => BlockState::ActivePendingFree,
                    Some("inactive") => BlockState::Inactive,
                    _ => BlockState::Unknown,
                },
                stack: self.stack(row.int(stack)),
                segment,
                history: (0, 0),
            };
            ids.push(row.id, self.snapshot.blocks.rows.len());
            self.snapshot.blocks.rows.push(block);
            Ok(())
        })?;
        if lost > 0 {
            self.snapshot.warnings.add_many("lost_block", lost, None, || {
                "blocks of a segment that is not there were left out".to_owned()
            });
        }
        self.history(&ids)?;
        self.block_details(&ids)?;
        let snapshot = &mut self.snapshot;
        group_by_segment(&mut snapshot.blocks);
        let mut start = 0;
        for group in snapshot.blocks.rows.chunk_by(|a, b| a.segment == b.segment) {
            let end = start + group.len() as u32;
            if let Some(segment) = group.first().and_then(|b| snapshot.segments.get_mut(b.segment.index())) {
                segment.blocks = start..end;
            }
            start = end;
        }
        Ok(())
    }

    fn block_details(&mut self, blocks: &Ids<usize>) -> Result<()> {
        let db = self.db;
        let [block, forward] = db.columns("block_details", ["block_id", "forward_frames"]);
        db.rows("block_details", &mut |row| {
            if let Some(at) = blocks.get(row.int(block)) {
                let forward = self.intern(row.text(forward));
                self.snapshot.blocks.forward_frames.set(at, forward);
            }
            Ok(())
        })
    }

    fn history(&mut self, blocks: &Ids<usize>) -> Result<()> {
        let db = self.db;
        let [block, place, size, stack, cpp] =
            db.columns("block_history", ["block_id", "address", "real_size", "stack_id", "cpp_frames"]);
        db.rows("block_history", &mut |row| {
            let entry = HistoryEntry {
                address: address(row, place),
                real_size: bytes(row, size).unwrap_or_default(),
                stack: self.stack(row.int(stack)),
                cpp_frames: self.intern(row.text(cpp)),
            };
            let at = self.snapshot.blocks.history.len() as u32;
            self.snapshot.blocks.history.push(entry);
            let owner = blocks.get(row.int(block)).and_then(|at| self.snapshot.blocks.rows.get_mut(at));
            if let Some(owner) = owner {
                let first = if owner.history.1 == at && owner.history.0 < at { owner.history.0 } else { at };
                owner.history = (first, at + 1);
            }
            Ok(())
        })
    }

    /// Events by device: each device's in the order of their ids.
    fn traces(&mut self) -> Result<()> {
        let db = self.db;
        let [device, action, place, device_free, size, stream, stack, time] = db.columns(
            "traces",
            ["device_id", "action", "addr", "device_free", "size", "stream", "stack_id", "time_us"],
        );
        // Runs of rows of one device: one each in what this program writes, any number elsewhere.
        let mut runs: Vec<(usize, core::ops::Range<usize>)> = Vec::new();
        let mut ids = Ids::new();
        db.rows("traces", &mut |row| {
            let text = row.text(action).unwrap_or("");
            let action = Action::from_name(text);
            let place = if action == Action::Oom { device_free } else { place };
            let event = Event {
                action,
                address: address(row, place),
                size: bytes(row, size).unwrap_or_default(),
                stream: self.stream(row.int(stream)),
                time: row.int(time).map(Nanos::from_micros),
                stack: self.stack(row.int(stack)),
            };
            let owner = self.devices.get(row.int(device)).unwrap_or(0);
            let at = self.snapshot.events.push(event);
            match runs.last_mut() {
                Some((last, rows)) if *last == owner => rows.end = at + 1,
                _ => runs.push((owner, at..at + 1)),
            }
            if action == Action::Other {
                let name = self.snapshot.strings.intern(text);
                self.snapshot.events.other_action.set(at, name);
            }
            ids.push(row.id, at);
            Ok(())
        })?;
        self.details(&ids)?;
        drop(ids);
        let snapshot = &mut self.snapshot;
        if self.devices_list.is_empty() && !snapshot.events.is_empty() {
            self.devices_list.push(Device::Index(0));
        }
        snapshot.traces = self.devices_list.iter().map(|&device| Trace { device, rows: 0..0 }).collect();
        let mut by_trace: Vec<Vec<core::ops::Range<usize>>> = vec![Vec::new(); snapshot.traces.len()];
        for (owner, rows) in runs {
            if let Some(own) = by_trace.get_mut(owner) {
                own.push(rows);
            }
        }
        if by_trace.iter().all(|runs| runs.len() <= 1) {
            for (trace, runs) in snapshot.traces.iter_mut().zip(by_trace) {
                trace.rows = runs.into_iter().next().unwrap_or(0..0);
            }
            return Ok(());
        }
        let mut events = EventTable::default();
        for (trace, runs) in snapshot.traces.iter_mut().zip(by_trace) {
            let start = events.len();
            runs.into_iter().flatten().for_each(|row| {
                events.push_from(&snapshot.events, row);
            });
            trace.rows = start..events.len();
        }
        snapshot.events = events;
        Ok(())
    }

    fn details(&mut self, events: &Ids<usize>) -> Result<()> {
        let db = self.db;
        let [event, pool_0, pool_1, time] =
            db.columns("trace_details", ["trace_id", "pool_id_0", "pool_id_1", "time_ns"]);
        let texts = db.columns(
            "trace_details",
            ["compile_context", "user_metadata", "internal_metadata", "forward_frames"],
        );
        if let Some((a, b)) = self.usual_pool {
            let pool = self.pool(Some(a), Some(b));
            (0..self.snapshot.events.len()).for_each(|at| self.snapshot.events.pool.set(at, pool));
        }
        db.rows("trace_details", &mut |row| {
            let Some(at) = events.get(row.int(event)) else { return Ok(()) };
            let pool = self.pool(row.int(pool_0), row.int(pool_1));
            let [context, user, internal, forward] = texts.map(|column| self.intern(row.text(column)));
            let events = &mut self.snapshot.events;
            events.pool.set(at, pool);
            events.compile_context.set(at, context);
            events.user_metadata.set(at, user);
            events.internal_metadata.set(at, internal);
            events.forward_frames.set(at, forward);
            if let Some((time, slot)) = row.int(time).zip(events.time.get_mut(at)) {
                *slot = Nanos(time);
            }
            Ok(())
        })
    }

    fn annotations(&mut self) -> Result<()> {
        let db = self.db;
        let [device, name, stage, time] =
            db.columns("annotations", ["device_id", "name", "stage", "time_us"]);
        db.rows("annotations", &mut |row| {
            let annotation = Annotation {
                name: self.intern(row.text(name)),
                stage: self.intern(row.text(stage)),
                device: self.device(row.int(device)),
                time: row.int(time).map(Nanos::from_micros),
            };
            self.snapshot.annotations.push(annotation);
            Ok(())
        })
    }

    fn warnings(&mut self) -> Result<()> {
        read_warnings(self.db, &mut |warning| {
            let Warning { kind, count, detail, position } = warning;
            self.snapshot.warnings.add_many(&kind, count, position, || detail);
        })
    }
}

/// The frames of a call stack: objects, or texts in a profiler's.
pub(super) fn frames_of(json: Option<&str>) -> Vec<Value> {
    match json.and_then(|json| serde_json::from_slice(json.as_bytes()).ok()) {
        Some(Value::Array(frames)) => frames,
        _ => Vec::new(),
    }
}

/// The warnings that came with the file that was exported.
pub(super) fn read_warnings(db: &Database, each: &mut dyn FnMut(Warning)) -> Result<()> {
    let [kind, count, detail, position_kind, position] =
        db.columns("warnings", ["kind", "count", "detail", "position_kind", "position"]);
    db.rows("warnings", &mut |row| {
        let at = row.int(position).unwrap_or(0).cast_unsigned();
        let position = match row.text(position_kind) {
            Some("byte") => Some(Position::Byte(at)),
            Some("line") => Some(Position::Line(at)),
            Some("record") => Some(Position::Record(at)),
            Some("event") => Some(Position::Event(at)),
            _ => None,
        };
        let text = |column| row.text(column).unwrap_or("").to_owned();
        let count = row.int(count).map_or(1, i64::cast_unsigned);
        each(Warning { kind: text(kind), count, detail: text(detail), position });
        Ok(())
    })
}
