//! Segments, blocks, events and annotations as the dicts that PyTorch writes.

use super::stream::{Stream, word};
use crate::model::{
    Action, Annotation, BlockId, Device, HistoryEntry, Segment, SegmentType, StackId, StringId,
};
use std::io::Result;

pub(super) fn segment(pickle: &mut Stream<'_>, segment: &Segment) -> Result<()> {
    let snapshot = pickle.snapshot;
    pickle.dict(|pickle| {
        pickle.word(word::DEVICE);
        pickle.int(match segment.device {
            Device::Index(index) => index.into(),
            Device::Host => 0,
        });
        number(pickle, word::ADDRESS, segment.address.0);
        number(pickle, word::TOTAL_SIZE, segment.total_size.0);
        number(pickle, word::ALLOCATED_SIZE, segment.allocated_size.0);
        number(pickle, word::ACTIVE_SIZE, segment.active_size.0);
        if let Some(size) = segment.requested_size {
            number(pickle, word::REQUESTED_SIZE, size.0);
        }
        if !segment.stream.is_none() {
            pickle.word(word::STREAM);
            pickle.int(snapshot.streams.get(segment.stream).into());
        }
        if segment.segment_type != SegmentType::Unknown {
            pickle.word(word::SEGMENT_TYPE);
            pickle.word(if segment.segment_type == SegmentType::Large { word::LARGE } else { word::SMALL });
        }
        if !segment.pool.is_none() {
            pickle.word(word::SEGMENT_POOL_ID);
            pickle.pair(snapshot.pools.get(segment.pool));
        }
        // The writers that know of one know of the other.
        if segment.is_expandable || !segment.pool.is_none() {
            pickle.word(word::IS_EXPANDABLE);
            pickle.bool(segment.is_expandable);
        }
        frames(pickle, segment.stack)?;
        forward_frames(pickle, segment.forward_frames)?;
        pickle.word(word::BLOCKS);
        pickle.list(segment.block_ids(), block)
    })
}

fn block(pickle: &mut Stream<'_>, id: BlockId) -> Result<()> {
    let blocks = &pickle.snapshot.blocks;
    let block = blocks.get(id);
    let (history, forward) = (blocks.history_of(block), blocks.forward_frames.get(id.index()));
    pickle.dict(|pickle| {
        number(pickle, word::ADDRESS, block.address.0);
        number(pickle, word::SIZE, block.size.0);
        if let Some(size) = block.requested_size {
            number(pickle, word::REQUESTED_SIZE, size.0);
        }
        pickle.word(word::STATE);
        pickle.fresh_text(block.state.name());
        frames(pickle, block.stack)?;
        forward_frames(pickle, forward)?;
        if !history.is_empty() {
            pickle.word(word::HISTORY);
            pickle.list(history.iter(), history_entry)?;
        }
        Ok(())
    })
}

fn history_entry(pickle: &mut Stream<'_>, entry: &HistoryEntry) -> Result<()> {
    pickle.dict(|pickle| {
        number(pickle, word::ADDR, entry.address.0);
        number(pickle, word::REAL_SIZE, entry.real_size.0);
        frames(pickle, entry.stack)?;
        text(pickle, word::CPP_FRAMES, entry.cpp_frames);
        Ok(())
    })
}

/// The event of a row.
pub(super) fn event(pickle: &mut Stream<'_>, row: usize) -> Result<()> {
    let snapshot = pickle.snapshot;
    let (events, event) = (&snapshot.events, snapshot.events.get(row));
    pickle.dict(|pickle| {
        pickle.word(word::ACTION);
        match events.other_action.get(row).some() {
            Some(name) => pickle.text(name),
            None => pickle.fresh_text(event.action.name()),
        }
        let is_oom = event.action == Action::Oom;
        number(pickle, if is_oom { word::DEVICE_FREE } else { word::ADDR }, event.address.0);
        number(pickle, word::SIZE, event.size.0);
        if !event.stream.is_none() {
            pickle.word(word::STREAM);
            pickle.int(snapshot.streams.get(event.stream).into());
        }
        if let Some(time) = event.time {
            pickle.word(word::TIME_US);
            pickle.int(time.micros().into());
        }
        if let Some(pool) = events.pool.get(row).some() {
            pickle.word(word::POOL_ID);
            pickle.pair(snapshot.pools.get(pool));
        }
        text(pickle, word::COMPILE_CONTEXT, events.compile_context.get(row));
        text(pickle, word::USER_METADATA, events.user_metadata.get(row));
        text(pickle, word::INTERNAL_METADATA, events.internal_metadata.get(row));
        forward_frames(pickle, events.forward_frames.get(row))?;
        frames(pickle, event.stack)
    })
}

fn forward_frames(pickle: &mut Stream<'_>, lines: StringId) -> Result<()> {
    let Some(lines) = lines.some() else { return Ok(()) };
    pickle.word(word::FORWARD_FRAMES);
    let lines = pickle.snapshot.strings.get(lines).split('\n');
    pickle.list(lines, |pickle, line| {
        pickle.fresh_text(line);
        Ok(())
    })
}

/// Annotations that no event of the trace stands for: those come back from their events.
pub(super) fn annotations(pickle: &mut Stream<'_>) -> Result<()> {
    let snapshot = pickle.snapshot;
    let from_events = |row: &usize| {
        snapshot.events.action[*row] == Action::UserDefined
            && !snapshot.stacks.get(snapshot.events.stack[*row]).is_empty()
    };
    let rows = snapshot.traces.iter().flat_map(|trace| trace.rows.clone());
    let own = snapshot.annotations.len().saturating_sub(rows.filter(from_events).count());
    pickle.list(snapshot.annotations.iter().take(own), |pickle, annotation: &Annotation| {
        pickle.dict(|pickle| {
            text(pickle, word::NAME, annotation.name);
            text(pickle, word::STAGE, annotation.stage);
            if let Some(Device::Index(index)) = annotation.device {
                pickle.word(word::DEVICE);
                pickle.int(index.into());
            }
            if let Some(time) = annotation.time {
                pickle.word(word::TIME_US);
                pickle.int(time.micros().into());
            }
            Ok(())
        })
    })
}

fn number(pickle: &mut Stream<'_>, key: usize, value: u64) {
    pickle.word(key);
    pickle.int(value.into());
}

/// A key with a text, where there is one.
fn text(pickle: &mut Stream<'_>, key: usize, value: StringId) {
    if !value.is_none() {
        pickle.word(key);
        pickle.text(value);
    }
}

/// The frames, where a stack was recorded.
fn frames(pickle: &mut Stream<'_>, stack: StackId) -> Result<()> {
    if stack.is_none() {
        return Ok(());
    }
    pickle.word(word::FRAMES);
    pickle.stack(stack)
}
