//! Fragmentation over the trace: idle bytes, requests, and how the reserved memory grew.

use super::FragmentOptions;
use crate::analysis::attribution::{Attributed, FrameText};
use crate::model::{Action, Arrange, Bytes, FastMap, FrameId, SegmentType, fast_map};
use crate::replay::CurveKind;
use core::cmp::Reverse;
use serde::Serialize;

/// A moment of the trace: the one with most idle bytes of its stretch.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FragmentPoint {
    pub event: i64,
    pub time_us: Option<i64>,
    pub reserved: Bytes,
    pub allocated: Bytes,
    pub fragmentation: f64,
}

/// What the trace asks for, beside what is free.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Requests {
    pub count: u64,
    /// Half of the requests are no larger.
    pub median: Bytes,
    /// 95 of 100 are no larger.
    pub p95: Bytes,
    pub largest: Bytes,
}

/// A segment event.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Expansion {
    pub event: u32,
    pub time_us: Option<i64>,
    pub action: &'static str,
    pub bytes: Bytes,
    pub segment_type: SegmentType,
    /// Segments (or mapped ranges) after it.
    pub segments: u64,
    /// Reserved bytes after it.
    pub reserved: Bytes,
    pub call_site: Option<FrameText>,
}

/// Growth in quick succession.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Burst {
    pub first_event: u32,
    pub last_event: u32,
    pub time_us: Option<i64>,
    pub count: u64,
    pub bytes: Bytes,
    /// The call site that got most of it.
    pub call_site: Option<FrameText>,
}

/// Growths are one burst when no more events than this lie between them …
const BURST_GAP: u32 = 64;
/// … and there are at least so many.
const BURST_LEAST: usize = 5;
/// Segment events are listed in full up to here; a cut list keeps the largest growths.
const MOST_EXPANSIONS: usize = 1000;

pub(super) struct History {
    pub over_time: Vec<FragmentPoint>,
    pub requests: Option<Requests>,
    pub allocated_in_all: Bytes,
    pub expansion_count: u64,
    pub expansions: Vec<Expansion>,
    pub bursts: Vec<Burst>,
}

impl History {
    pub fn of(memory: &Attributed<'_>, options: &FragmentOptions) -> History {
        let (requests, allocated_in_all) = requests(memory);
        let all = expansions(memory);
        let mut bursts = bursts(memory, &all);
        bursts.arrange_by_key(|burst| (Reverse(burst.bytes), burst.first_event));
        if options.top > 0 {
            bursts.truncate(options.top);
        }
        let expansion_count = all.len() as u64;
        History {
            over_time: over_time(memory, options.points),
            requests,
            allocated_in_all,
            expansion_count,
            expansions: largest(all, if options.top == 0 { usize::MAX } else { MOST_EXPANSIONS }),
            bursts,
        }
    }
}

fn over_time(memory: &Attributed<'_>, points: u32) -> Vec<FragmentPoint> {
    let replay = memory.replay;
    let states = u64::from(replay.events()) + 1;
    let points = u64::from(points).clamp(1, states);
    let mut found = Vec::with_capacity(points as usize);
    let mut worst: Option<(Bytes, FragmentPoint)> = None;
    let mut column = 0;
    replay.each_state(|state, values| {
        let of = |kind: CurveKind| values[kind as usize];
        let (reserved, allocated) = (of(CurveKind::Reserved), of(CurveKind::Allocated));
        let now = u64::from(state) * points / states;
        if now != column {
            found.extend(worst.take().map(|w| w.1));
            column = now;
        }
        let idle = reserved - allocated;
        if worst.as_ref().is_none_or(|w| idle > w.0) {
            let event = i64::from(state) - 1;
            let fragmentation = idle.share_of(reserved);
            worst = Some((idle, FragmentPoint { event, time_us: None, reserved, allocated, fragmentation }));
        }
    });
    found.extend(worst.map(|w| w.1));
    for point in &mut found {
        point.time_us = memory.time_us(point.event);
    }
    found
}

fn requests(memory: &Attributed<'_>) -> (Option<Requests>, Bytes) {
    let events = &memory.snapshot.events;
    let allocs = memory.replay.rows.clone().filter(|&row| events.action[row] == Action::Alloc);
    let mut sizes: Vec<u64> = allocs.map(|row| events.size[row].0).collect();
    let sum = sizes.iter().map(|&size| Bytes(size)).sum();
    let at = |sizes: &mut Vec<u64>, percent: usize| {
        let place = (sizes.len() * percent / 100).min(sizes.len() - 1);
        Bytes(*sizes.select_nth_unstable(place).1)
    };
    if sizes.is_empty() {
        return (None, sum);
    }
    let (median, p95) = (at(&mut sizes, 50), at(&mut sizes, 95));
    let largest = Bytes(sizes.iter().copied().max().unwrap_or(0));
    (Some(Requests { count: sizes.len() as u64, median, p95, largest }), sum)
}

/// A change with what its list shows, before names are looked up.
struct Change {
    row: Expansion,
    site: FrameId,
    grows: bool,
}

fn expansions(memory: &Attributed<'_>) -> Vec<Change> {
    let (snapshot, replay) = (memory.snapshot, memory.replay);
    let pieces = &replay.pieces;
    let mut there = 0_i64;
    pieces.there_at(0, |_| there += 1);
    let mut reserved = replay.value(CurveKind::Reserved, 0).0 as i64;
    let mut found = Vec::with_capacity(pieces.changes().len());
    for change in pieces.changes() {
        let read = snapshot.events.get(replay.row(change.event));
        let closed = pieces.closed_by(change);
        there += i64::from(change.opened.end - change.opened.start) - closed.len() as i64;
        reserved = reserved.wrapping_add(change.delta);
        let piece = closed.first().copied().or(Some(change.opened.start));
        let piece = piece.and_then(|id| pieces.rows().get(id as usize));
        let row = Expansion {
            event: change.event,
            time_us: read.time.map(crate::model::Nanos::micros),
            action: read.action.name(),
            bytes: Bytes(change.delta.unsigned_abs()),
            segment_type: piece.map_or(SegmentType::Unknown, |p| p.segment_type),
            segments: there.max(0) as u64,
            reserved: Bytes(reserved.max(0) as u64),
            call_site: None,
        };
        found.push(Change { row, site: memory.classes.get(read.stack).call_site, grows: change.delta > 0 });
    }
    for change in &mut found {
        change.row.call_site = memory.frame_text(change.site);
    }
    found
}

/// The list in the order of the trace; where it must be cut, the largest events stay.
fn largest(all: Vec<Change>, most: usize) -> Vec<Expansion> {
    let mut rows: Vec<Expansion> = all.into_iter().map(|change| change.row).collect();
    if rows.len() > most {
        rows.arrange_by_key(|row| (Reverse(row.bytes), row.event));
        rows.truncate(most);
        rows.arrange_by_key(|row| row.event);
    }
    rows
}

fn bursts(memory: &Attributed<'_>, all: &[Change]) -> Vec<Burst> {
    let growths: Vec<&Change> = all.iter().filter(|change| change.grows).collect();
    let near = |a: &&Change, b: &&Change| b.row.event - a.row.event <= BURST_GAP;
    let runs = growths.chunk_by(near).filter(|run| run.len() >= BURST_LEAST);
    let burst = |run: &[&Change]| {
        let (first, last) = (run.first()?, run.last()?);
        let mut sites: FastMap<FrameId, Bytes> = fast_map();
        for change in run {
            *sites.entry(change.site).or_default() += change.row.bytes;
        }
        let site = sites.into_iter().max_by_key(|&(site, bytes)| (bytes, Reverse(site)))?.0;
        Some(Burst {
            first_event: first.row.event,
            last_event: last.row.event,
            time_us: first.row.time_us,
            count: run.len() as u64,
            bytes: run.iter().map(|change| change.row.bytes).sum(),
            call_site: memory.frame_text(site),
        })
    };
    runs.filter_map(burst).collect()
}
