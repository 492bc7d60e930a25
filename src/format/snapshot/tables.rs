//! The tables a snapshot is read into, while it is being read.
//!
//! Pickle and JSON readers both end here: a finished dict is offered to [`Tables::row_of`], which looks
//! at its keys and, when they are those of an event, a frame, a block …, makes a row of it at once.

use super::handle::{Handle, tag};
use super::heap::{Heap, Kind, runs};
use super::keep::Window;
use super::keys::{self, bit};
use super::render;
use crate::format::ReadOptions;
use crate::model::{
    Arrange, Device, FastSet, Frame, FrameId, Position, Snapshot, StackId, StreamId, StringId, fast_set,
};

/// Dicts with more keys than this are never rows; it bounds what looking at one again can cost.
const MOST_KEYS: usize = 64;
/// Texts made of nested values are cut at this many bytes.
const TEXT_LIMIT: usize = 1 << 16;

#[derive(Debug)]
pub(in crate::format) struct Tables {
    pub snapshot: Snapshot,
    pub(super) window: Window,
    native_frames: bool,
    /// False: dicts stay dicts, for reading a pickle that is no snapshot.
    shapes: bool,
    /// Blocks and history entries before these rows belong to somebody.
    pub(super) blocks_claimed: usize,
    pub(super) history_claimed: usize,
    /// Block rows whose layout has no address, ascending.
    pub(super) without_address: Vec<u32>,
    fx_notes: Vec<(FrameId, StringId)>,
    unknown_keys: FastSet<StringId>,
    scratch: Vec<FrameId>,
    last_stream: (i64, StreamId),
    /// Where in the file the reader is, for warnings.
    pub position: u64,
}

impl Tables {
    pub fn new(options: &ReadOptions, shapes: bool) -> Tables {
        let mut snapshot = Snapshot { complete: true, ..Snapshot::default() };
        keys::intern(&mut snapshot.strings);
        Tables {
            snapshot,
            window: Window::new(&options.keep),
            native_frames: options.native_frames,
            shapes,
            blocks_claimed: 0,
            history_claimed: 0,
            without_address: Vec::new(),
            fx_notes: Vec::new(),
            unknown_keys: fast_set(),
            scratch: Vec::new(),
            last_stream: (0, StreamId::NONE),
            position: 0,
        }
    }

    /// True if the options leave events out, so that the table does not grow with the file.
    pub fn is_cut(&self) -> bool {
        self.window.cuts()
    }

    /// The row for a dict with these keys and values (already consumed); `None` if it is no row.
    #[inline]
    pub fn row_of(&mut self, heap: &Heap, pairs: &[Handle]) -> Option<Handle> {
        if pairs.len() > MOST_KEYS * 2 || !self.shapes {
            return None;
        }
        let mut set = 0;
        for pair in pairs.chunks_exact(2) {
            if pair[0].tag() == tag::TEXT {
                set |= bit(pair[0].id());
            }
        }
        let has = |wanted: u64| set & wanted == wanted;
        if has(bit(keys::ACTION)) {
            Some(self.event(heap, pairs))
        } else if has(bit(keys::BLOCKS) | bit(keys::TOTAL_SIZE)) {
            Some(self.segment(heap, pairs))
        } else if has(bit(keys::SIZE) | bit(keys::STATE)) {
            Some(self.block(heap, pairs))
        } else if has(bit(keys::FILENAME)) && set & (bit(keys::NAME) | bit(keys::LINE)) != 0 {
            Some(self.frame(heap, pairs))
        } else if has(bit(keys::REAL_SIZE)) {
            Some(self.history_entry(heap, pairs))
        } else if has(bit(keys::STAGE) | bit(keys::NAME)) {
            Some(self.annotation(heap, pairs))
        } else {
            None
        }
    }

    /// More keys for a dict that is a row already.
    pub fn amend(&mut self, heap: &Heap, row: Handle, pairs: &[Handle]) {
        match row.tag() {
            tag::EVENT => self.amend_event(heap, row, pairs),
            tag::SEGMENT => self.amend_segment(heap, row, pairs),
            tag::BLOCK => self.amend_block(heap, row, pairs),
            _ => {
                let position = Some(Position::Byte(self.position));
                self.snapshot.warnings.add("late_key", position, || {
                    "keys that were added to a finished entry were skipped".to_owned()
                });
            }
        }
    }

    /// What a value becomes when it is put into a container.
    #[inline]
    pub fn consume(&mut self, heap: &mut Heap, handle: Handle) -> Handle {
        if handle.is_open() { self.consume_open(heap, handle) } else { handle }
    }

    fn consume_open(&mut self, heap: &mut Heap, handle: Handle) -> Handle {
        let Some(slot) = heap.slot(handle) else { return handle };
        match slot.kind {
            Kind::Sealed => return heap.resolve(handle),
            _ if slot.plain || !self.shapes => return handle,
            // Somebody may still fill it.
            _ if slot.body.is_empty() && slot.escaped => return handle,
            _ => {}
        }
        let kind = slot.kind;
        let body = heap.take_body(handle);
        let sealed = match kind {
            Kind::Dict => self.row_of(heap, &body),
            _ if body.is_empty() => Some(Handle::EMPTY),
            _ => self.stack_of(&body),
        };
        heap.put_back(handle, body);
        match sealed {
            Some(row) => {
                heap.seal(handle, row);
                row
            }
            None => {
                if let Some(slot) = heap.slot_mut(handle) {
                    slot.plain = kind == Kind::List;
                }
                handle
            }
        }
    }

    /// The stack of a list of frames; `None` if one of the items is something else.
    #[inline]
    pub fn stack_of(&mut self, items: &[Handle]) -> Option<Handle> {
        if items.first().is_none_or(|first| first.tag() != tag::FRAME) {
            return None;
        }
        self.scratch.clear();
        for &item in items {
            // A run of new frames is one frame and a count.
            match item.tag() {
                tag::FRAME if item != Handle::LEFT_OUT_FRAME => self.scratch.push(FrameId(item.id())),
                tag::FRAME => {}
                _ => return None,
            }
        }
        Some(Handle::of(tag::STACK, u64::from(self.snapshot.stacks.intern(&self.scratch).0)))
    }

    /// The stack in a `frames` value.
    #[inline]
    pub(super) fn stack_value(&mut self, heap: &Heap, value: Handle) -> StackId {
        match value.tag() {
            tag::STACK => StackId(value.id()),
            tag::EMPTY => self.snapshot.stacks.intern(&[]),
            // One empty list that many entries share.
            tag::LIST if heap.slot(value).is_some_and(|slot| slot.body.is_empty()) => {
                self.snapshot.stacks.intern(&[])
            }
            _ => StackId::NONE,
        }
    }

    fn frame(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let (mut file, mut function, mut line) = (StringId::NONE, StringId::NONE, 0);
        let mut fx = [StringId::NONE; 3];
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::FILENAME => file = self.text(heap, value),
                keys::NAME => function = self.text(heap, value),
                keys::LINE => line = heap.as_u64(value).unwrap_or(0),
                keys::FX_NODE_OP => fx[0] = self.text(heap, value),
                keys::FX_NODE_NAME => fx[1] = self.text(heap, value),
                keys::FX_NODE_TARGET => fx[2] = self.text(heap, value),
                keys::FX_ORIGINAL_TRACE => {}
                _ => self.unknown_key(pair[0]),
            }
        }
        if !self.native_frames && !self.snapshot.strings.get(file).ends_with(".py") {
            return Handle::LEFT_OUT_FRAME;
        }
        let id = self.snapshot.frames.intern(Frame { file, function, line });
        if fx.iter().any(|text| !text.is_none()) && !self.fx_notes.iter().any(|&(frame, _)| frame == id) {
            let words: Vec<&str> =
                fx.iter().filter(|t| !t.is_none()).map(|&t| self.snapshot.strings.get(t)).collect();
            let note = words.join(" ");
            let note = self.snapshot.strings.intern(&note);
            self.fx_notes.push((id, note));
        }
        Handle::of(tag::FRAME, u64::from(id.0))
    }

    /// A value as text: itself, or written out.
    pub(super) fn text(&mut self, heap: &Heap, value: Handle) -> StringId {
        match value.tag() {
            tag::TEXT | tag::BYTES => StringId(value.id()),
            tag::NONE => StringId::NONE,
            _ => {
                let text = render::text(heap, &self.snapshot, value, TEXT_LIMIT);
                self.snapshot.strings.intern(&text)
            }
        }
    }

    /// A list of texts, joined by newlines.
    pub(super) fn lines(&mut self, heap: &Heap, value: Handle) -> StringId {
        let Some(slot) = heap.slot(value) else { return self.text(heap, value) };
        let mut joined = String::new();
        for (item, _) in runs(&slot.body) {
            if joined.len() > TEXT_LIMIT {
                break;
            }
            if !joined.is_empty() {
                joined.push('\n');
            }
            joined.push_str(&render::text(heap, &self.snapshot, item, TEXT_LIMIT));
        }
        self.snapshot.strings.intern(&joined)
    }

    #[inline]
    pub(super) fn stream(&mut self, heap: &Heap, value: Handle) -> StreamId {
        let Some(raw) = heap.as_u64(value).map(|v| v as i64) else { return StreamId::NONE };
        if self.last_stream.0 != raw || self.last_stream.1.is_none() {
            self.last_stream = (raw, self.snapshot.streams.intern(raw));
        }
        self.last_stream.1
    }

    pub(super) fn device(heap: &Heap, value: Handle) -> Option<Device> {
        heap.as_int(value).and_then(|v| i32::try_from(v).ok()).map(Device::Index)
    }

    /// A key that this program does not know: noted once.
    #[cold]
    pub(super) fn unknown_key(&mut self, key: Handle) {
        if key.tag() == tag::TEXT && self.unknown_keys.len() < MOST_KEYS {
            self.unknown_keys.insert(StringId(key.id()));
        }
    }

    /// The keys of entries that were skipped because nothing is known of them, sorted.
    pub(super) fn unknown_key_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.unknown_keys.iter().map(|&id| self.snapshot.strings.get(id).to_owned()).collect();
        names.arrange();
        names
    }

    /// Puts what was collected on the side where it belongs.
    pub(super) fn settle_frames(&mut self) {
        self.fx_notes.arrange();
        self.snapshot.frames.fx_notes = std::mem::take(&mut self.fx_notes);
    }
}

/// The id of a key; a number no key has for anything that is not text.
#[inline]
pub(super) fn key_of(key: Handle) -> u32 {
    if key.tag() == tag::TEXT { key.id() } else { u32::MAX }
}
