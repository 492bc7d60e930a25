//! Curves of two traces of different length on one axis.
//!
//! Each side is sampled on its own axis in columns that keep their least and greatest value, so no peak is
//! lost; the longer of the two then sets the common axis.

use super::side::{CurveAxis, Side, SideCurves};
use crate::analysis::attribution::Attributed;
use crate::analysis::steps::Steps;
use crate::replay::{CurveKind, Replay};
use serde::Serialize;

/// The curves, in the order of [`SideCurves::values`].
const KINDS: [(CurveKind, &str); 3] =
    [(CurveKind::Requested, "requested"), (CurveKind::Active, "active"), (CurveKind::Reserved, "reserved")];

/// Columns of a side, and of a comparison.
const COLUMNS: usize = 600;

/// The curves of a side along an axis; `None` where the trace has no such axis.
pub(super) fn of_side(
    memory: &Attributed<'_>,
    steps: &Steps,
    axis: CurveAxis,
    state: u32,
) -> Option<SideCurves> {
    let replay = memory.replay;
    let along = Along::new(memory, steps, axis)?;
    let end = along.end;
    let mut starts = Vec::with_capacity(COLUMNS + 1);
    // States are in order of their position, so the first of each column is found in one walk.
    let mut at = along.first;
    for column in 0..=COLUMNS {
        let edge = end * column as f64 / COLUMNS as f64;
        while at < replay.last_state() && along.position(at) < edge {
            at += 1;
        }
        starts.push(at);
    }
    // What lies on the right edge belongs to the last column.
    if let Some(last) = starts.last_mut() {
        *last = replay.last_state() + 1;
    }
    let mut values = Vec::with_capacity(COLUMNS * 2 * KINDS.len());
    for (kind, _) in KINDS {
        for pair in starts.windows(2) {
            // A column without a state of its own shows the value that still holds.
            let range = match *pair {
                [from, to] if from < to => from..to,
                [from, _] => from.saturating_sub(1).max(along.first)..from.max(along.first + 1),
                _ => 0..0,
            };
            let seen = replay.extremes(kind, range);
            values.extend(seen.map_or([0, 0], |seen| [seen.min.0, seen.max.0]));
        }
    }
    Some(SideCurves { axis, end, at: along.position(state).max(0.0), values })
}

/// Where the states of a trace stand on an axis: ascending with the state.
struct Along<'a> {
    axis: CurveAxis,
    replay: &'a Replay,
    steps: &'a [u32],
    /// Of each event, for the axis of time.
    micros: Vec<i64>,
    first: u32,
    end: f64,
}

impl<'a> Along<'a> {
    fn new(memory: &Attributed<'a>, steps: &'a Steps, axis: CurveAxis) -> Option<Along<'a>> {
        let replay = memory.replay;
        let mut along = Along { axis, replay, steps: steps.states(), micros: Vec::new(), first: 0, end: 1.0 };
        match axis {
            CurveAxis::Event => (replay.events() > 0).then_some(along),
            CurveAxis::Time => {
                let events = &memory.snapshot.events;
                let first = replay.rows.clone().find_map(|row| events.time_of(row))?.micros();
                let mut now = 0;
                for row in replay.rows.clone() {
                    // Times that step back keep the order of the trace.
                    now =
                        events.time_of(row).map_or(now, |time| time.micros().saturating_sub(first)).max(now);
                    along.micros.push(now);
                }
                along.end = now.max(1) as f64;
                Some(along)
            }
            CurveAxis::Step => {
                along.first = *along.steps.first()?;
                along.end = along.steps.len() as f64;
                Some(along)
            }
        }
    }

    fn position(&self, state: u32) -> f64 {
        match self.axis {
            CurveAxis::Event => f64::from(state) / f64::from(self.replay.last_state().max(1)),
            CurveAxis::Time => {
                let event = (state as usize).saturating_sub(1);
                self.micros.get(event).or(self.micros.last()).map_or(0.0, |&at| at as f64)
            }
            CurveAxis::Step => {
                let step = self.steps.partition_point(|&first| first <= state);
                let Some(before) = step.checked_sub(1) else { return -1.0 };
                let from = self.steps.get(before).copied().unwrap_or(0);
                let to = self.steps.get(step).copied().unwrap_or(self.replay.last_state()).max(from + 1);
                before as f64 + f64::from(state - from) / f64::from(to - from)
            }
        }
    }
}

/// Both sides' curves on one axis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CompareCurves {
    pub axis: CurveAxis,
    /// The axis goes from 0 to here, in columns of equal width.
    pub end: f64,
    /// Where the two moments stand.
    pub a_at: f64,
    pub b_at: f64,
    pub curves: Vec<CurvePair>,
}

/// One curve of both sides; null where the shorter trace has ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CurvePair {
    pub curve: &'static str,
    pub a_min: Vec<Option<u64>>,
    pub a_max: Vec<Option<u64>>,
    pub b_min: Vec<Option<u64>>,
    pub b_max: Vec<Option<u64>>,
}

/// The curves of two sides that were sampled along the same axis.
pub(super) fn overlay(a: &Side, b: &Side) -> Option<CompareCurves> {
    let (left, right) = (a.curves.as_ref()?, b.curves.as_ref()?);
    if left.axis != right.axis {
        return None;
    }
    let end = left.end.max(right.end);
    let curves = KINDS.iter().enumerate().map(|(number, &(_, curve))| {
        let (a_min, a_max) = on_axis(left, number, end);
        let (b_min, b_max) = on_axis(right, number, end);
        CurvePair { curve, a_min, a_max, b_min, b_max }
    });
    Some(CompareCurves { axis: left.axis, end, a_at: left.at, b_at: right.at, curves: curves.collect() })
}

type Column = Vec<Option<u64>>;

/// The columns of one curve, stretched to an axis that is at least as long.
fn on_axis(side: &SideCurves, number: usize, end: f64) -> (Column, Column) {
    let own = side.values.as_chunks::<2>().0;
    let own = own.get(number * COLUMNS..(number + 1) * COLUMNS).unwrap_or(&[]);
    let scale = if side.end > 0.0 { end / side.end } else { 1.0 };
    let (mut least, mut most) = (Vec::with_capacity(COLUMNS), Vec::with_capacity(COLUMNS));
    for column in 0..COLUMNS {
        let from = (column as f64 * scale).floor() as usize;
        let to = (((column + 1) as f64 * scale - 1e-9).ceil() as usize).max(from + 1).min(own.len());
        let range = own.get(from.min(to)..to).unwrap_or(&[]);
        least.push(range.iter().map(|pair| pair[0]).min());
        most.push(range.iter().map(|pair| pair[1]).max());
    }
    (least, most)
}
