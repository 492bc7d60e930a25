//! A curve as the points of a stepped line, ready for a chart: each value holds until the next point.
//!
//! Where a window has fewer states than pixel columns twice over, every state is a point, in its exact
//! place. Else each column gives its first, least, greatest and last value, so that no peak is lost.

use super::axis::{Axis, Window};
use crate::model::EventTable;
use crate::replay::{CurveKind, Replay};
use core::ops::Range;

/// The states that show in a window, the one in force at its left edge included.
pub fn states_in(axis: &Axis, events: &EventTable, replay: &Replay, window: Window) -> Range<u32> {
    let last = replay.last_state();
    let begin = axis.state_at(events, window.from).min(last);
    begin..axis.state_at(events, window.to).min(last).max(begin) + 1
}

/// The points `x, y, x, y …` of each of `kinds` in `window`, drawn `width` pixels wide.
pub fn lines(
    replay: &Replay,
    events: &EventTable,
    axis: &Axis,
    kinds: &[CurveKind],
    window: Window,
    width: u32,
) -> Vec<Vec<f64>> {
    let states = states_in(axis, events, replay, window);
    if states.len() as u64 <= u64::from(width) * 2 {
        return exact(replay, events, axis, kinds, states);
    }
    let columns = axis.columns(events, window, width);
    let step = (window.to - window.from) / f64::from(width.max(1));
    kinds
        .iter()
        .map(|&kind| {
            let mut points = Vec::with_capacity(columns.len() * 8);
            for (i, states) in columns.iter().enumerate() {
                let Some(values) = replay.extremes(kind, states.clone()) else { continue };
                let left = window.from + step * i as f64;
                // Within a pixel the order of least and greatest does not show.
                let four = [values.first, values.min, values.max, values.last];
                for (place, value) in [0.0, 0.25, 0.5, 0.75].into_iter().zip(four) {
                    add(&mut points, left + step * place, value.0);
                }
            }
            end_line(&mut points, window.to);
            points
        })
        .collect()
}

fn exact(
    replay: &Replay,
    events: &EventTable,
    axis: &Axis,
    kinds: &[CurveKind],
    states: Range<u32>,
) -> Vec<Vec<f64>> {
    let mut lines = vec![Vec::with_capacity(states.len() * 2 + 2); kinds.len()];
    for state in states.clone() {
        let x = axis.position(events, state);
        let values = replay.values(state);
        for (line, &kind) in lines.iter_mut().zip(kinds) {
            if let Some(value) = values.get(kind as usize) {
                add(line, x, value.0);
            }
        }
    }
    let end =
        if states.end > replay.last_state() { axis.whole().to } else { axis.position(events, states.end) };
    for line in &mut lines {
        end_line(line, end);
    }
    lines
}

/// Adds a point, unless the value just goes on.
fn add(points: &mut Vec<f64>, x: f64, value: u64) {
    let value = value as f64;
    if points.last() != Some(&value) {
        points.extend([x, value]);
    }
}

/// Lets the last value hold to `x`.
fn end_line(points: &mut Vec<f64>, x: f64) {
    if let [.., last_x, last_y] = points[..]
        && last_x < x
    {
        points.extend([x, last_y]);
    }
}

/// The state that a pointer between two positions means: of those that show there, the one with the
/// greatest requested bytes.
pub fn state_under(replay: &Replay, events: &EventTable, axis: &Axis, window: Window) -> u32 {
    let states = states_in(axis, events, replay, window);
    replay.extremes(CurveKind::Requested, states.clone()).map_or(states.start, |values| values.max_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, Address, Bytes, Device, Event, Nanos, Snapshot, StackId, Trace};

    /// Allocations and frees of sizes that differ, one every microsecond.
    fn snapshot(events: u32) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let stream = snapshot.streams.intern(0);
        for n in 0..events {
            let (action, of) = if n % 2 == 0 { (Action::Alloc, n) } else { (Action::FreeCompleted, n - 1) };
            snapshot.events.push(Event {
                action,
                address: Address(0x1000 + u64::from(of) * 0x10_0000),
                size: Bytes(u64::from(of * 7919 % 1013 + 1)),
                stream,
                time: Some(Nanos(i64::from(n) * 1000)),
                stack: StackId::NONE,
            });
        }
        snapshot.traces.push(Trace { device: Device::Index(0), rows: 0..events as usize });
        snapshot
    }

    fn greatest(points: &[f64]) -> f64 {
        points.iter().skip(1).step_by(2).copied().fold(0.0, f64::max)
    }

    #[test]
    fn no_zoom_loses_the_greatest_value() {
        let snapshot = snapshot(5000);
        let replay = Replay::new(&snapshot, Device::Index(0));
        let rows = snapshot.rows_of(Device::Index(0));
        for axis in [Axis::events(rows.clone()), Axis::time(&snapshot.events, rows).unwrap()] {
            let whole = axis.whole();
            for (width, parts) in [(1, 1), (7, 1), (100, 1), (100, 3), (300, 40), (4000, 1)] {
                for part in 0..parts {
                    let share = (whole.to - whole.from) / f64::from(parts);
                    let from = whole.from + share * f64::from(part);
                    let window = Window { from, to: from + share };
                    let points =
                        lines(&replay, &snapshot.events, &axis, &[CurveKind::Requested], window, width);
                    let states = states_in(&axis, &snapshot.events, &replay, window);
                    let truth = states.map(|s| replay.value(CurveKind::Requested, s).0).max().unwrap();
                    assert!(greatest(&points[0]) >= truth as f64, "{width} columns, part {part} of {parts}");
                    assert!(points[0].chunks(2).zip(points[0].chunks(2).skip(1)).all(|(a, b)| a[0] <= b[0]));
                }
            }
        }
    }

    #[test]
    fn a_deep_zoom_shows_each_event_in_its_place() {
        let snapshot = snapshot(100);
        let replay = Replay::new(&snapshot, Device::Index(0));
        let axis = Axis::events(snapshot.rows_of(Device::Index(0)));
        let window = Window { from: 10.0, to: 12.5 };
        let points = lines(&replay, &snapshot.events, &axis, &[CurveKind::Requested], window, 800);
        let value = |state| replay.value(CurveKind::Requested, state).0 as f64;
        assert_eq!(points[0], [10.0, value(10), 11.0, value(11), 12.0, value(12), 13.0, value(12)]);
        let under = Window { from: 11.2, to: 11.4 };
        assert_eq!(state_under(&replay, &snapshot.events, &axis, under), 11);
    }
}
