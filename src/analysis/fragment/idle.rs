//! Idle memory at one moment: segment by segment, by size of hole, and what holds it.

use crate::analysis::attribution::{Attributed, Category, FrameText};
use crate::analysis::grouping::size_class;
use crate::model::{Address, Arrange, Bytes, LifeId, SegmentType};
use crate::replay::{BlockNow, SegmentNow, State, Use};
use core::cmp::Reverse;
use serde::Serialize;
use std::collections::BTreeMap;

const MIB: u64 = 1 << 20;
/// A block pins a segment when what it holds back is at least so many times its size …
const PIN_RATIO: u64 = 8;
/// … and at least this much.
const PIN_LEAST: u64 = 2 * MIB;

/// One segment.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SegmentFragment {
    pub address: Address,
    pub size: Bytes,
    pub allocated: Bytes,
    pub pending: Bytes,
    pub free: Bytes,
    pub largest_free: Bytes,
    /// `(size − allocated) / size`.
    pub fragmentation: f64,
    pub live_blocks: u64,
    pub free_blocks: u64,
    pub stream: i64,
    pub pool: (i64, i64),
    pub segment_type: SegmentType,
    pub is_expandable: bool,
}

/// Free blocks of one size class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FreeClass {
    /// Sizes above this …
    pub above: Bytes,
    /// … up to this.
    pub up_to: Bytes,
    pub count: u64,
    pub bytes: Bytes,
}

/// Memory that would be given back if one small block went.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PinnedSegment {
    pub segment: Address,
    pub segment_size: Bytes,
    /// Bytes that `empty_cache()` would return once the block is gone.
    pub gain: Bytes,
    pub block: Address,
    pub block_size: Bytes,
    pub pending: bool,
    /// −1: from before the first event.
    pub begin_event: i64,
    pub end_event: Option<u32>,
    pub category: Option<Category>,
    pub call_site: Option<FrameText>,
    /// Innermost first.
    pub stack: Vec<FrameText>,
    /// The stack is that of the free: of the allocation nothing is known.
    pub stack_of_free: bool,
}

/// All idle memory of a moment.
#[derive(Debug, Default)]
pub(super) struct Idle {
    pub workspace: Bytes,
    pub free_blocks: u64,
    pub largest: Bytes,
    pub releasable: Bytes,
    pub releasable_with_pending: Bytes,
    pub segments: Vec<SegmentFragment>,
    pub free_by_size: Vec<FreeClass>,
    pub pinned: Vec<PinnedSegment>,
}

impl Idle {
    pub fn of(memory: &Attributed<'_>, state: &State, top: usize) -> Idle {
        let mut idle = Idle::default();
        let mut classes: BTreeMap<u32, (u64, Bytes)> = BTreeMap::new();
        let mut pins: Vec<(Bytes, usize, BlockNow)> = Vec::new();
        for (number, segment) in state.segments.iter().enumerate() {
            if segment.is_workspace {
                idle.workspace += segment.size;
                continue;
            }
            let blocks = state.blocks_of(segment);
            let row = segment_row(memory, segment, blocks);
            idle.free_blocks += row.free_blocks;
            idle.largest = idle.largest.max(row.largest_free);
            for block in blocks.iter().filter(|b| b.usage == Use::Free) {
                let class = classes.entry(size_class(block.size)).or_default();
                class.0 += 1;
                class.1 += block.size;
            }
            // A private pool keeps its memory until its owner goes.
            if row.pool == (0, 0) {
                idle.releasable += releasable(segment, blocks, |b| b.usage == Use::Free);
                let soon = |b: &BlockNow| matches!(b.usage, Use::Free | Use::Pending);
                idle.releasable_with_pending += releasable(segment, blocks, soon);
                pins.extend(pins_of(segment, blocks).map(|(gain, block)| (gain, number, block)));
            }
            idle.segments.push(row);
        }
        let worse = |a: &SegmentFragment, b: &SegmentFragment| {
            b.fragmentation
                .total_cmp(&a.fragmentation)
                .then(b.size.cmp(&a.size))
                .then(a.address.cmp(&b.address))
        };
        idle.segments.arrange_by(worse);
        pins.arrange_by_key(|&(gain, _, block)| (Reverse(gain), block.size, block.address));
        if top > 0 {
            idle.segments.truncate(top);
            pins.truncate(top);
        }
        idle.free_by_size = classes.into_iter().map(free_class).collect();
        let pinned = |(gain, number, block): (Bytes, usize, BlockNow)| {
            let segment = state.segments.get(number)?;
            Some(pinned_segment(memory, gain, segment, block))
        };
        idle.pinned = pins.into_iter().filter_map(pinned).collect();
        idle
    }
}

fn free_class((class, (count, bytes)): (u32, (u64, Bytes))) -> FreeClass {
    let up_to = 1_u64.checked_shl(class).map_or(Bytes(u64::MAX), Bytes);
    // The smallest class holds everything up to its bound.
    let above = if class <= 9 { Bytes::ZERO } else { Bytes(1 << (class - 1)) };
    FreeClass { above, up_to, count, bytes }
}

fn segment_row(memory: &Attributed<'_>, segment: &SegmentNow, blocks: &[BlockNow]) -> SegmentFragment {
    let free = blocks.iter().filter(|b| b.usage == Use::Free);
    let (free_blocks, largest_free) =
        free.fold((0, Bytes::ZERO), |(count, largest), b| (count + 1, largest.max(b.size)));
    SegmentFragment {
        address: segment.address,
        size: segment.size,
        allocated: segment.allocated,
        pending: segment.active - segment.allocated,
        free: segment.free(),
        largest_free,
        fragmentation: (segment.size - segment.allocated).share_of(segment.size),
        live_blocks: blocks.len() as u64 - free_blocks,
        free_blocks,
        stream: memory.snapshot.streams.get(segment.stream),
        pool: memory.snapshot.pools.get(segment.pool),
        segment_type: segment.segment_type,
        is_expandable: segment.is_expandable,
    }
}

/// Bytes of a run of idle memory that can be given back: all of a segment, or whole pages.
fn returned(segment: &SegmentNow, start: u64, end: u64) -> Bytes {
    if !segment.is_expandable {
        let all = start == segment.address.0 && end - start == segment.size.0;
        return if all { segment.size } else { Bytes::ZERO };
    }
    // A mapped range begins on a page, and pages are those of its size class.
    let page = if segment.segment_type == SegmentType::Small { 2 * MIB } else { 20 * MIB };
    let from = (start - segment.address.0).div_ceil(page) * page;
    let to = (end - segment.address.0) / page * page;
    Bytes(to.saturating_sub(from))
}

fn releasable(segment: &SegmentNow, blocks: &[BlockNow], is_idle: impl Fn(&BlockNow) -> bool) -> Bytes {
    let mut sum = Bytes::ZERO;
    let mut run: Option<(u64, u64)> = None;
    for block in blocks {
        let end = block.address.0.saturating_add(block.size.0);
        if is_idle(block) {
            run = Some((run.map_or(block.address.0, |r| r.0), end));
        } else if let Some((start, end)) = run.take() {
            sum += returned(segment, start, end);
        }
    }
    sum + run.map_or(Bytes::ZERO, |(start, end)| returned(segment, start, end))
}

/// The live blocks of a segment that alone hold back much more than they are.
fn pins_of<'a>(
    segment: &'a SegmentNow,
    blocks: &'a [BlockNow],
) -> impl Iterator<Item = (Bytes, BlockNow)> + 'a {
    let is_free = |at: Option<&BlockNow>| at.filter(|b| b.usage == Use::Free).copied();
    let end = |b: &BlockNow| b.address.0.saturating_add(b.size.0);
    blocks.iter().enumerate().filter(|(_, b)| b.usage != Use::Free).filter_map(move |(i, block)| {
        let before = is_free(i.checked_sub(1).and_then(|i| blocks.get(i)));
        let after = is_free(blocks.get(i + 1));
        let whole = returned(
            segment,
            before.map_or(block.address.0, |b| b.address.0),
            after.map_or(end(block), |b| end(&b)),
        );
        let already = [before, after].into_iter().flatten().map(|b| returned(segment, b.address.0, end(&b)));
        let gain = whole - already.sum();
        (gain.0 >= PIN_LEAST && gain.0 / PIN_RATIO >= block.size.0).then_some((gain, *block))
    })
}

fn pinned_segment(
    memory: &Attributed<'_>,
    gain: Bytes,
    segment: &SegmentNow,
    block: BlockNow,
) -> PinnedSegment {
    let life: Option<LifeId> = block.life.some();
    let lives = memory.lives();
    PinnedSegment {
        segment: segment.address,
        segment_size: segment.size,
        gain,
        block: block.address,
        block_size: block.size,
        pending: block.usage == Use::Pending,
        begin_event: life.map_or(-1, |life| memory.begin_event(life)),
        end_event: life.and_then(|life| lives.end_event(life)),
        category: life.map(|life| memory.category(life)),
        call_site: life.and_then(|life| memory.frame_text(memory.site(life).0)),
        stack: life.map_or_else(Vec::new, |life| memory.stack_text(lives.stack(memory.snapshot, life))),
        stack_of_free: life.is_some_and(|life| lives.stack_is_of_free(life)),
    }
}
