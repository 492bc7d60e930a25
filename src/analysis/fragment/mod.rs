//! Where reserved memory lies idle, and what would give it back: `hbmlens.fragment/1`.
//!
//! Idle is what is reserved and not allocated. It may wait for delayed frees, lie in segments that
//! nothing uses (which `empty_cache` returns), be pinned by a small block, or be holes between live
//! blocks; each has another cure, so each is counted apart.

mod advice;
mod history;
mod idle;

pub use history::{Burst, Expansion, FragmentPoint, Requests};
pub use idle::{FreeClass, PinnedSegment, SegmentFragment};

use super::attribution::Attributed;
use super::health::Grade;
use crate::model::{Bytes, Device};
use crate::replay::{AnomalyKind, CurveKind, Peak};
use crate::text::Message;
use serde::Serialize;

/// How much to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FragmentOptions {
    /// The state to look at; `None` for the last.
    pub state: Option<u32>,
    /// Rows of each list, 0 for all.
    pub top: usize,
    /// Points of fragmentation over time.
    pub points: u32,
}

impl Default for FragmentOptions {
    fn default() -> FragmentOptions {
        FragmentOptions { state: None, top: 20, points: 400 }
    }
}

/// Fragmentation of one device at a moment, and over its trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DeviceFragment {
    pub device: Device,
    /// −1: the state before the first event.
    pub event: i64,
    pub time_us: Option<i64>,
    pub reserved: Bytes,
    pub allocated: Bytes,
    pub active: Bytes,
    pub workspace: Bytes,
    /// Reserved and not allocated.
    pub idle: Bytes,
    /// `idle / reserved`.
    pub fragmentation: f64,
    pub grade: Grade,
    pub pending: Bytes,
    /// `pending / idle`.
    pub pending_share: f64,
    /// Free in the cache: without pending and workspace.
    pub cached_free: Bytes,
    /// Free blocks, and the largest.
    pub free_blocks: u64,
    pub largest_free_block: Bytes,
    /// Bytes of segments (or whole pages of expandable ones) that nothing uses: `empty_cache()` returns
    /// them. Private pools keep theirs.
    pub releasable: Bytes,
    /// The same once pending frees complete, for which `empty_cache()` waits.
    pub releasable_with_pending: Bytes,
    /// How many segments there are; `segments` may list fewer.
    pub segment_count: u64,
    /// Worst first: by idle bytes among those with the greatest share.
    pub segments: Vec<SegmentFragment>,
    pub free_by_size: Vec<FreeClass>,
    pub requests: Option<Requests>,
    /// Segments held by one small block, largest gain first.
    pub pinned: Vec<PinnedSegment>,
    /// Σ sizes of all allocations of the trace.
    pub allocated_in_all: Bytes,
    /// `1 − peak reserved / Σ sizes allocated`; null without allocations or when it says nothing.
    pub reuse_rate: Option<f64>,
    pub peak_reserved: Bytes,
    pub peak_reserved_event: i64,
    /// The peak of active block bytes: less could never be reserved.
    pub lower_bound: Bytes,
    /// The moment with most idle bytes of each stretch of the trace.
    pub over_time: Vec<FragmentPoint>,
    /// How many segment events there are; `expansions` may list fewer.
    pub expansion_count: u64,
    pub expansions: Vec<Expansion>,
    pub bursts: Vec<Burst>,
    /// Allocations that the events leave open and the snapshot does not hold, with their requested bytes; none
    /// before the last event, where they count as allocated.
    pub missing_in_snapshot: u64,
    pub missing_bytes: Bytes,
    pub summary: Vec<Message>,
    pub advice: Vec<Message>,
}

/// Fragmentation of a device.
pub fn fragment(memory: &Attributed<'_>, options: &FragmentOptions) -> DeviceFragment {
    let replay = memory.replay;
    let at = options.state.unwrap_or(replay.last_state()).min(replay.last_state());
    let state = replay.state(memory.snapshot, at);
    let idle = idle::Idle::of(memory, &state, options.top);
    let (reserved, allocated, active) = (state.reserved(), state.allocated(), state.active());
    let (idle_bytes, pending) = (reserved - allocated, active - allocated);
    let past = history::History::of(memory, options);
    let Peak { bytes: peak_reserved, event: peak_reserved_event } = replay.peak_reserved();
    let missing = missing(memory, at);
    let reuse = 1.0 - peak_reserved.share_of(past.allocated_in_all);
    let mut fragment = DeviceFragment {
        device: replay.device,
        event: i64::from(at) - 1,
        time_us: memory.time_us(i64::from(at) - 1),
        reserved,
        allocated,
        active,
        workspace: idle.workspace,
        idle: idle_bytes,
        fragmentation: idle_bytes.share_of(reserved),
        // Workspace is in use whatever its blocks say, so it must not make a device look bad.
        grade: Grade::of_fragmentation((idle_bytes - idle.workspace).share_of(reserved)),
        pending,
        pending_share: pending.share_of(idle_bytes),
        cached_free: state.cached_free(),
        free_blocks: idle.free_blocks,
        largest_free_block: idle.largest,
        releasable: idle.releasable,
        releasable_with_pending: idle.releasable_with_pending,
        segment_count: state.segments.len() as u64,
        segments: idle.segments,
        free_by_size: idle.free_by_size,
        requests: past.requests,
        pinned: idle.pinned,
        allocated_in_all: past.allocated_in_all,
        reuse_rate: (past.allocated_in_all >= peak_reserved && past.allocated_in_all > Bytes::ZERO)
            .then_some(reuse),
        peak_reserved,
        peak_reserved_event,
        lower_bound: replay.curves.peak(CurveKind::Active).bytes,
        over_time: past.over_time,
        expansion_count: past.expansion_count,
        expansions: past.expansions,
        bursts: past.bursts,
        missing_in_snapshot: missing.0,
        missing_bytes: missing.1,
        summary: Vec::new(),
        advice: Vec::new(),
    };
    fragment.summary = advice::summary(&fragment, replay.rounding);
    fragment.advice = advice::advice(memory.snapshot, &fragment);
    fragment
}

/// How many lives the last state lacks though no event ended them, and their bytes.
fn missing(memory: &Attributed<'_>, at: u32) -> (u64, Bytes) {
    let lives = &memory.replay.lives;
    if at < memory.replay.last_state() || memory.replay.anomalies.count(AnomalyKind::MissingInSnapshot) == 0 {
        return (0, Bytes::ZERO);
    }
    let gone = lives.ids().filter(|&id| lives.is_missing_at_end(id));
    gone.fold((0, Bytes::ZERO), |(count, bytes), id| (count + 1, bytes + lives.size(id)))
}
