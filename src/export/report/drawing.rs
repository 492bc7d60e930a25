//! What a report draws of one device beyond the lists of the analyses: curves of two thousand points, the largest
//! segments, the largest call sites with a stack each.
//!
//! The terminal and the page both take it as one text of JSON, so its types are plain and few.

use super::lttb::{Lttb, MOST, Point, reduce};
use crate::analysis::attribution::{Attributed, Category, FrameText};
use crate::analysis::grouping::GroupSums;
use crate::analysis::peak::{SiteKey, by_category, call_sites};
use crate::model::{Address, Arrange, Bytes, Device, FastMap, StackId, fast_map};
use crate::replay::{CurveKind, SegmentNow, State, Use};
use core::cmp::Reverse;
use serde::Serialize;

/// Segments shown one by one; the others are summed.
pub const SEGMENTS: usize = 20;
/// Call sites shown, each with its largest stack.
pub const SITES: usize = 10;

/// The drawings of a device.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drawing {
    pub device: Device,
    /// Reserved, active and requested bytes after each event.
    pub curves: Vec<Line>,
    /// Segments (or mapped ranges) after each segment event.
    pub segment_counts: Line,
    /// The largest at the end of the trace.
    pub segments: Vec<SegmentBar>,
    pub rest: SegmentBar,
    /// The call sites that hold most at the peak.
    pub sites: Vec<SiteStack>,
    /// `(category, bytes, count)` at the end of the trace, largest first.
    pub end: Vec<(Category, Bytes, u64)>,
}

/// A reduced series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    pub name: &'static str,
    /// Points before it was reduced.
    pub of: u64,
    /// Event numbers; −1 is the state before the first.
    pub event: Vec<i64>,
    /// Microseconds since the epoch; empty where the events carry no times.
    pub time_us: Vec<i64>,
    pub value: Vec<i64>,
}

/// One segment, or the sum of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SegmentBar {
    pub address: Address,
    /// How many it stands for.
    pub segments: u64,
    pub size: Bytes,
    pub allocated: Bytes,
    pub pending: Bytes,
    pub workspace: Bytes,
    pub free: Bytes,
    pub largest_free: Bytes,
    pub live_blocks: u64,
    pub is_expandable: bool,
}

/// A call site with the stack that holds most of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SiteStack {
    /// Null where no stack was recorded.
    pub site: Option<FrameText>,
    /// The place is that of the free: of the allocation nothing is known.
    pub freed_at: bool,
    pub category: Category,
    pub bytes: Bytes,
    pub count: u64,
    pub inferred_bytes: Bytes,
    /// How many stacks lead to it.
    pub stacks: u64,
    /// What the one below holds.
    pub stack_bytes: Bytes,
    /// Innermost first.
    pub stack: Vec<FrameText>,
}

/// Draws a device.
pub fn drawing(memory: &Attributed<'_>) -> Drawing {
    let replay = memory.replay;
    let (segments, rest) = segments(&replay.state(memory.snapshot, replay.last_state()));
    let end = by_category(memory, memory.lives().live(replay.last_state()));
    Drawing {
        device: replay.device,
        curves: curves(memory),
        segment_counts: segment_counts(memory),
        segments,
        rest,
        sites: sites(memory),
        end: end.into_iter().map(|row| (row.category, row.sums.bytes, row.sums.count)).collect(),
    }
}

/// Three curves in one walk over the states.
fn curves(memory: &Attributed<'_>) -> Vec<Line> {
    const KINDS: [(CurveKind, &str); 3] = [
        (CurveKind::Reserved, "reserved"),
        (CurveKind::Active, "active"),
        (CurveKind::Requested, "requested"),
    ];
    let replay = memory.replay;
    let states = replay.events() as usize + 1;
    let mut reduced = KINDS.map(|(kind, _)| Lttb::new(states, MOST, replay.curves.peak(kind).state().into()));
    replay.each_state(|state, values| {
        for (line, (kind, _)) in reduced.iter_mut().zip(KINDS) {
            line.push((state.into(), whole(values[kind as usize].0)));
        }
    });
    let named = reduced.into_iter().zip(KINDS);
    named.map(|(line, (_, name))| line_of(memory, name, states, line.finish())).collect()
}

/// Sizes come from files; no drawing tells those beyond 2^63 apart.
fn whole(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The points of a line, `x` being states.
fn line_of(memory: &Attributed<'_>, name: &'static str, of: usize, points: Vec<Point>) -> Line {
    let mut line = Line { name, of: of as u64, event: Vec::new(), time_us: Vec::new(), value: Vec::new() };
    let mut times = true;
    for (state, value) in points {
        let event = state - 1;
        line.event.push(event);
        line.value.push(value);
        // Before the first event it is as early as can be said.
        match memory.time_us(event.max(0)) {
            Some(time) => line.time_us.push(time),
            None => times = false,
        }
    }
    if !times {
        line.time_us.clear();
    }
    line
}

fn segment_counts(memory: &Attributed<'_>) -> Line {
    let pieces = &memory.replay.pieces;
    let mut there = 0_i64;
    pieces.there_at(0, |_| there += 1);
    let mut points: Vec<Point> = Vec::with_capacity(pieces.changes().len());
    for change in pieces.changes() {
        there += i64::from(change.opened.end - change.opened.start) - pieces.closed_by(change).len() as i64;
        points.push((i64::from(change.event) + 1, there.max(0)));
    }
    line_of(memory, "segments", points.len(), reduce(&points, MOST))
}

/// The largest segments one by one, and the rest.
fn segments(state: &State) -> (Vec<SegmentBar>, SegmentBar) {
    let mut bars: Vec<SegmentBar> = state.segments.iter().map(|segment| bar(state, segment)).collect();
    bars.arrange_by_key(|bar| (Reverse(bar.size), bar.address));
    let mut rest = SegmentBar::default();
    for bar in bars.iter().skip(SEGMENTS) {
        rest.segments += 1;
        rest.size += bar.size;
        rest.allocated += bar.allocated;
        rest.pending += bar.pending;
        rest.workspace += bar.workspace;
        rest.free += bar.free;
        rest.largest_free = rest.largest_free.max(bar.largest_free);
        rest.live_blocks += bar.live_blocks;
    }
    bars.truncate(SEGMENTS);
    (bars, rest)
}

fn bar(state: &State, segment: &SegmentNow) -> SegmentBar {
    let blocks = state.blocks_of(segment);
    let free = || blocks.iter().filter(|block| block.usage == Use::Free);
    let workspace = if segment.is_workspace { segment.size } else { Bytes::ZERO };
    SegmentBar {
        address: segment.address,
        segments: 1,
        size: segment.size,
        allocated: segment.allocated,
        pending: segment.active - segment.allocated,
        workspace,
        free: segment.free(),
        largest_free: free().map(|block| block.size).max().unwrap_or_default(),
        live_blocks: (blocks.len() - free().count()) as u64,
        is_expandable: segment.is_expandable,
    }
}

fn sites(memory: &Attributed<'_>) -> Vec<SiteStack> {
    let live = memory.lives().live(memory.replay.peak().state());
    let mut groups = call_sites(memory, live.iter().copied());
    groups.truncate(SITES);
    let mut stacks: Vec<FastMap<StackId, Bytes>> = groups.iter().map(|_| fast_map()).collect();
    for &life in &live {
        let (site, freed_at) = memory.site(life);
        let key: SiteKey = (site, freed_at, memory.category(life));
        if let Some(at) = groups.iter().position(|(group, _)| *group == key)
            && let Some(of_site) = stacks.get_mut(at)
        {
            *of_site.entry(memory.lives().stack(memory.snapshot, life)).or_default() += memory.size(life);
        }
    }
    let row =
        |(((site, freed_at, category), sums), stacks): ((SiteKey, GroupSums), FastMap<StackId, Bytes>)| {
            let largest = stacks.iter().max_by_key(|&(&stack, &bytes)| (bytes, Reverse(stack)));
            let (stack, stack_bytes) =
                largest.map_or((StackId::NONE, Bytes::ZERO), |(&stack, &bytes)| (stack, bytes));
            SiteStack {
                site: memory.frame_text(site),
                freed_at,
                category,
                bytes: sums.bytes,
                count: sums.count,
                inferred_bytes: sums.inferred_bytes,
                stacks: stacks.len() as u64,
                stack_bytes,
                stack: memory.stack_text(stack),
            }
        };
    groups.into_iter().zip(stacks).map(row).collect()
}
