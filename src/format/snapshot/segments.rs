//! Segments, blocks and the history of older blocks become rows.

use super::handle::{Handle, tag};
use super::heap::{Heap, runs};
use super::keys;
use super::tables::{Tables, key_of};
use crate::model::{
    Address, Block, BlockState, Bytes, Device, HistoryEntry, PoolId, Position, Segment, SegmentId,
    SegmentType, StackId, StreamId, StringId,
};
use core::ops::Range;

impl Tables {
    pub(super) fn segment(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let mut segment = Segment {
            device: Device::Index(0),
            address: Address(0),
            total_size: Bytes(0),
            allocated_size: Bytes(0),
            active_size: Bytes(0),
            requested_size: None,
            stream: StreamId::NONE,
            segment_type: SegmentType::Unknown,
            pool: PoolId::NONE,
            is_expandable: false,
            stack: StackId::NONE,
            forward_frames: StringId::NONE,
            blocks: 0..0,
        };
        self.fill_segment(heap, pairs, &mut segment);
        self.snapshot.segments.push(segment);
        Handle::of(tag::SEGMENT, self.snapshot.segments.len() as u64 - 1)
    }

    pub(super) fn amend_segment(&mut self, heap: &Heap, row: Handle, pairs: &[Handle]) {
        let Some(mut segment) = self.snapshot.segments.get(row.index()).cloned() else { return };
        self.fill_segment(heap, pairs, &mut segment);
        if let Some(place) = self.snapshot.segments.get_mut(row.index()) {
            *place = segment;
        }
    }

    fn fill_segment(&mut self, heap: &Heap, pairs: &[Handle], segment: &mut Segment) {
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::DEVICE => match Tables::device(heap, value) {
                    Some(device) => segment.device = device,
                    None => self.odd_value(pair[0]),
                },
                keys::ADDRESS => segment.address = Address(self.number(heap, pair)),
                keys::TOTAL_SIZE => segment.total_size = Bytes(self.number(heap, pair)),
                keys::ALLOCATED_SIZE => segment.allocated_size = Bytes(self.number(heap, pair)),
                keys::ACTIVE_SIZE => segment.active_size = Bytes(self.number(heap, pair)),
                keys::REQUESTED_SIZE => segment.requested_size = heap.as_u64(value).map(Bytes),
                keys::STREAM => segment.stream = self.stream(heap, value),
                keys::SEGMENT_TYPE => {
                    segment.segment_type = match self.word(value) {
                        "large" => SegmentType::Large,
                        "small" => SegmentType::Small,
                        _ => SegmentType::Unknown,
                    }
                }
                keys::SEGMENT_POOL_ID => {
                    if value.tag() == tag::PAIR {
                        segment.pool = PoolId(value.id());
                    }
                }
                keys::IS_EXPANDABLE => segment.is_expandable = heap.as_int(value).is_some_and(|v| v != 0),
                keys::FRAMES => segment.stack = self.stack_value(heap, value),
                keys::BLOCKS => segment.blocks = self.blocks_of(heap, value),
                keys::FORWARD_FRAMES => {
                    let lines = self.lines(heap, value);
                    if keys::says_something(lines) {
                        segment.forward_frames = lines;
                    }
                }
                _ => self.unknown_key(pair[0]),
            }
        }
    }

    pub(super) fn block(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let mut block = Block {
            address: Address(0),
            size: Bytes(0),
            requested_size: None,
            state: BlockState::Unknown,
            stack: StackId::NONE,
            segment: SegmentId::NONE,
            history: (0, 0),
        };
        let row = self.snapshot.blocks.rows.len();
        if !self.fill_block(heap, pairs, &mut block, row) {
            self.without_address.push(row as u32);
        }
        self.snapshot.blocks.rows.push(block);
        Handle::of(tag::BLOCK, row as u64)
    }

    pub(super) fn amend_block(&mut self, heap: &Heap, row: Handle, pairs: &[Handle]) {
        let Some(mut block) = self.snapshot.blocks.rows.get(row.index()).copied() else { return };
        if self.fill_block(heap, pairs, &mut block, row.index())
            && let Ok(place) = self.without_address.binary_search(&row.id())
        {
            self.without_address.remove(place);
        }
        if let Some(place) = self.snapshot.blocks.rows.get_mut(row.index()) {
            *place = block;
        }
    }

    /// True if the block has an address.
    fn fill_block(&mut self, heap: &Heap, pairs: &[Handle], block: &mut Block, row: usize) -> bool {
        let mut has_address = false;
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::ADDRESS | keys::ADDR => {
                    block.address = Address(self.number(heap, pair));
                    has_address = true;
                }
                keys::SIZE => block.size = Bytes(self.number(heap, pair)),
                keys::REQUESTED_SIZE => block.requested_size = heap.as_u64(value).map(Bytes),
                keys::STATE => {
                    block.state = match self.word(value) {
                        "active_allocated" => BlockState::ActiveAllocated,
                        "active_pending_free" | "active_awaiting_free" => BlockState::ActivePendingFree,
                        "inactive" => BlockState::Inactive,
                        _ => BlockState::Unknown,
                    }
                }
                keys::FRAMES => block.stack = self.stack_value(heap, value),
                keys::HISTORY => block.history = self.history_of(heap, value),
                keys::FORWARD_FRAMES => {
                    let lines = self.lines(heap, value);
                    if keys::says_something(lines) {
                        self.snapshot.blocks.forward_frames.set(row, lines);
                    }
                }
                _ => self.unknown_key(pair[0]),
            }
        }
        has_address
    }

    pub(super) fn history_entry(&mut self, heap: &Heap, pairs: &[Handle]) -> Handle {
        let mut entry = HistoryEntry {
            address: Address(0),
            real_size: Bytes(0),
            stack: StackId::NONE,
            cpp_frames: StringId::NONE,
        };
        for pair in pairs.chunks_exact(2) {
            let value = pair[1];
            match key_of(pair[0]) {
                keys::ADDR | keys::ADDRESS => entry.address = Address(self.number(heap, pair)),
                keys::REAL_SIZE => entry.real_size = Bytes(self.number(heap, pair)),
                keys::FRAMES => entry.stack = self.stack_value(heap, value),
                keys::CPP_FRAMES => entry.cpp_frames = self.lines(heap, value),
                _ => self.unknown_key(pair[0]),
            }
        }
        self.snapshot.blocks.history.push(entry);
        Handle::of(tag::HISTORY, self.snapshot.blocks.history.len() as u64 - 1)
    }

    fn number(&mut self, heap: &Heap, pair: &[Handle]) -> u64 {
        match heap.as_u64(pair[1]) {
            Some(value) => value,
            None => {
                self.odd_value(pair[0]);
                0
            }
        }
    }

    fn word(&self, value: Handle) -> &str {
        if value.tag() == tag::TEXT { self.snapshot.strings.get(StringId(value.id())) } else { "" }
    }

    fn blocks_of(&mut self, heap: &Heap, value: Handle) -> Range<u32> {
        let rows = self.claim(heap, value, tag::BLOCK, self.blocks_claimed);
        self.blocks_claimed = self.blocks_claimed.max(rows.end);
        rows.start as u32..rows.end as u32
    }

    fn history_of(&mut self, heap: &Heap, value: Handle) -> (u32, u32) {
        let rows = self.claim(heap, value, tag::HISTORY, self.history_claimed);
        self.history_claimed = self.history_claimed.max(rows.end);
        (rows.start as u32, rows.end as u32)
    }

    /// The rows in a list, which a writer makes one after another just before their owner. Rows that
    /// belong to an earlier owner are shared in the file; they are counted and not given twice.
    fn claim(&mut self, heap: &Heap, list: Handle, kind: u8, claimed: usize) -> Range<usize> {
        let Some(slot) = heap.slot(list) else { return 0..0 };
        let mut rows = runs(&slot.body).filter(|(item, _)| item.tag() == kind);
        let Some((first, count)) = rows.next() else { return 0..0 };
        let more = rows.next().is_some();
        let start = first.index();
        if start < claimed || more {
            let position = Some(Position::Byte(self.position));
            self.snapshot.warnings.add("shared_rows", position, || {
                "the same blocks stand in several places of the file; they are counted once".to_owned()
            });
        }
        if start < claimed { 0..0 } else { start..start + count as usize }
    }
}
