//! Segments, their blocks, and what few blocks carry besides.

use super::ids::Ids;
use super::{Reading, address, bytes};
use crate::format::Result;
use crate::model::{
    Arrange, Block, BlockState, BlockTable, Device, HistoryEntry, Segment, SegmentId, SegmentType, StringId,
};

impl Reading<'_> {
    pub(super) fn segments(&mut self) -> Result<()> {
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
        self.segment_details(&ids)?;
        self.blocks(&ids)
    }

    fn segment_details(&mut self, segments: &Ids<SegmentId>) -> Result<()> {
        let db = self.db;
        let [segment, forward] = db.columns("segment_details", ["segment_id", "forward_frames"]);
        db.rows("segment_details", &mut |row| {
            let at = segments.get(row.int(segment)).map(SegmentId::index);
            let forward = self.intern(row.text(forward));
            if let Some(segment) = at.and_then(|at| self.snapshot.segments.get_mut(at)) {
                segment.forward_frames = forward;
            }
            Ok(())
        })
    }

    pub(super) fn blocks(&mut self, segments: &Ids<SegmentId>) -> Result<()> {
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
