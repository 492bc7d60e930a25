//! The horizontal axis of everything drawn over a trace: event numbers or time, cut into pixel columns.
//!
//! Curves, bands and lanes share it, so that what stands above one another happened together. Column
//! edges lie on an absolute grid: panning by a pixel moves every column by one and shimmers none. Time is
//! nanoseconds after the first event, which an `f64` holds exactly for a hundred days.

use crate::model::{EventTable, Nanos};
use crate::replay::settle_edge;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// What x means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisKind {
    /// State numbers: 0 is before the first event.
    #[default]
    Event,
    /// Nanoseconds after the first event that has a time.
    Time,
}

/// A window of the axis, in its units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

/// Where pixel columns lie on an axis: column `x` of a window begins at `(first + x) × step`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Grid {
    pub first: f64,
    pub step: f64,
}

impl Grid {
    /// The grid of a window cut into so many columns.
    pub fn new(window: Window, width: u32) -> Grid {
        let step = ((window.to - window.from) / f64::from(width.max(1))).max(f64::MIN_POSITIVE);
        Grid { first: (window.from / step).round(), step }
    }

    /// How many columns this begins after another of the same zoom; `None` for another zoom.
    pub fn after(&self, other: &Grid) -> Option<i64> {
        let same = self.step > 0.0 && (self.step - other.step).abs() <= self.step * 1e-9;
        same.then_some((self.first - other.first) as i64)
    }
}

/// The axis of one device's trace.
#[derive(Clone, Debug)]
pub struct Axis {
    kind: AxisKind,
    rows: Range<usize>,
    start: Nanos,
    end: Nanos,
    /// The running maximum of the times, where the column itself falls somewhere: equal and backward
    /// times keep the order of the trace.
    rising: Option<Vec<Nanos>>,
}

impl Axis {
    /// The axis of event numbers.
    pub fn events(rows: Range<usize>) -> Axis {
        Axis { kind: AxisKind::Event, rows, start: Nanos(0), end: Nanos(0), rising: None }
    }

    /// The axis of time; `None` when no event of `rows` has a time.
    pub fn time(events: &EventTable, rows: Range<usize>) -> Option<Axis> {
        let times = events.time.get(rows.clone())?;
        let start = times.iter().copied().find(|&t| t != EventTable::NO_TIME)?;
        let mut end = start;
        let mut rises = true;
        for &time in times {
            rises &= time >= end;
            end = end.max(time);
        }
        let rising = (!rises).then(|| {
            times.iter().scan(start, |at, &time| {
                *at = (*at).max(time);
                Some(*at)
            })
        });
        let rising = rising.map(Iterator::collect);
        Some(Axis { kind: AxisKind::Time, rows, start, end, rising })
    }

    pub fn kind(&self) -> AxisKind {
        self.kind
    }

    /// The moment at x = 0 of a time axis.
    pub fn start(&self) -> Nanos {
        self.start
    }

    /// Everything there is to show.
    pub fn whole(&self) -> Window {
        match self.kind {
            AxisKind::Event => Window { from: 0.0, to: self.rows.len() as f64 + 1.0 },
            AxisKind::Time => {
                let span = self.end.0.saturating_sub(self.start.0).max(1);
                Window { from: 0.0, to: span as f64 * 1.001 + 1.0 }
            }
        }
    }

    /// The state in force at `x`.
    pub fn state_at(&self, events: &EventTable, x: f64) -> u32 {
        match self.kind {
            AxisKind::Event => x.clamp(0.0, self.rows.len() as f64) as u32,
            AxisKind::Time => {
                if x < 0.0 {
                    return 0;
                }
                let moment = Nanos(self.start.0.saturating_add(x.min(i64::MAX as f64) as i64));
                self.times(events).partition_point(|&t| t <= moment) as u32
            }
        }
    }

    /// Where a state begins; one beyond the last lies where that does.
    pub fn position(&self, events: &EventTable, state: u32) -> f64 {
        let state = state.min(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        match self.kind {
            AxisKind::Event => f64::from(state),
            AxisKind::Time => {
                let time =
                    (state as usize).checked_sub(1).and_then(|event| self.times(events).get(event).copied());
                time.map_or(0.0, |t| t.0.saturating_sub(self.start.0).max(0) as f64)
            }
        }
    }

    /// Where a moment of the clock lies; `None` when the events carry no times.
    pub fn position_of_time(&self, events: &EventTable, time: Nanos) -> Option<f64> {
        match self.kind {
            AxisKind::Time => Some(time.0.saturating_sub(self.start.0) as f64),
            AxisKind::Event => {
                let times = events.time.get(self.rows.clone())?;
                // Good enough where times fall back: annotations have no place of their own in the trace.
                let known = times.first().is_some_and(|&t| t != EventTable::NO_TIME);
                known.then(|| times.partition_point(|&t| t <= time) as f64)
            }
        }
    }

    /// The states that fall into each of `width` pixel columns of `window`; never an empty range: where
    /// nothing happens in a column, it is the state in force.
    ///
    /// Between two columns of very many states the edge lies where curves are cheapest to ask, at most a
    /// sixteenth of a pixel from its place.
    pub fn columns(&self, events: &EventTable, window: Window, width: u32) -> Vec<Range<u32>> {
        let Grid { first, step } = Grid::new(window, width);
        let edge = |column: u32| (first + f64::from(column)) * step;
        let states = self.rows.len() as u32 + 1;
        let last = states - 1;
        // Past the end a column of events has no state of its own, and shows the last one.
        let border = |x: f64| match self.kind {
            AxisKind::Event => x.clamp(0.0, f64::from(states)) as u32,
            AxisKind::Time => self.state_at(events, x),
        };
        let mut edges: Vec<u32> = (0..=width).map(|column| border(edge(column))).collect();
        // The grid may begin and end up to half a column inside the window: nothing of it may be left out.
        if let [first, .., last] = &mut edges[..] {
            *first = border(window.from).min(*first);
            *last = border(window.to.ceil()).max(*last);
        }
        let settled = |place: usize| match edges.get(place.saturating_sub(1)..place + 2) {
            Some(&[before, at, after]) => {
                settle_edge(at, at.saturating_sub(before).min(after.saturating_sub(at)))
            }
            // What the window begins and ends with is all of it that there is.
            _ => edges.get(place).copied().unwrap_or(states),
        };
        let mut from = settled(0);
        (1..edges.len())
            .map(|column| {
                // A column ends just before the state in force at its right edge begins.
                let next = settled(column);
                let end = match self.kind {
                    AxisKind::Event => next.max(from + 1),
                    AxisKind::Time => next + 1,
                };
                let begin = from.min(last);
                from = next;
                begin..end.min(states).max(begin + 1)
            })
            .collect()
    }

    fn times<'a>(&'a self, events: &'a EventTable) -> &'a [Nanos] {
        match &self.rising {
            Some(rising) => rising,
            None => events.time.get(self.rows.clone()).unwrap_or(&[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, Address, Bytes, Event, StackId, StreamId};

    fn events(times: &[Option<i64>]) -> EventTable {
        let mut table = EventTable::default();
        for time in times {
            table.push(Event {
                action: Action::Alloc,
                address: Address(0),
                size: Bytes(1),
                stream: StreamId(0),
                time: time.map(Nanos),
                stack: StackId::NONE,
            });
        }
        table
    }

    #[test]
    fn columns_of_events_cover_every_state_once() {
        let table = events(&[None; 99]);
        let axis = Axis::events(0..99);
        let columns = axis.columns(&table, axis.whole(), 10);
        assert_eq!((columns[0].clone(), columns[9].clone()), (0..10, 90..100));
        let zoomed = axis.columns(&table, Window { from: 5.0, to: 7.0 }, 8);
        assert_eq!(zoomed.iter().map(|r| r.start).collect::<Vec<_>>(), vec![5, 5, 5, 5, 6, 6, 6, 6]);
        assert!(zoomed.iter().all(|r| r.len() == 1));
    }

    #[test]
    fn a_state_beyond_the_last_lies_where_that_does() {
        let table = events(&[Some(1000), Some(1100), Some(1200)]);
        for axis in [Axis::time(&table, 0..3).unwrap(), Axis::events(0..3)] {
            assert_eq!(axis.position(&table, 40), axis.position(&table, 3));
        }
        assert_eq!(Axis::time(&table, 0..3).unwrap().position(&table, 4), 200.0);
    }

    #[test]
    fn a_column_of_time_begins_with_the_state_in_force() {
        // State 1 from 0, state 2 from 100, states 3 and 4 both from 200 (one goes backwards).
        let table = events(&[Some(1000), Some(1100), Some(1200), Some(1150)]);
        let axis = Axis::time(&table, 0..4).unwrap();
        assert_eq!(axis.state_at(&table, -1.0), 0);
        assert_eq!(
            (axis.state_at(&table, 0.0), axis.state_at(&table, 199.0), axis.state_at(&table, 200.0)),
            (1, 2, 4)
        );
        let columns = axis.columns(&table, Window { from: 0.0, to: 250.0 }, 5);
        assert_eq!(columns, vec![1..2, 1..3, 2..3, 2..5, 4..5]);
        assert_eq!((axis.position(&table, 4), axis.position(&table, 0)), (200.0, 0.0));
    }

    #[test]
    fn edges_of_long_columns_settle_within_a_sixteenth_of_a_pixel_and_lose_no_state() {
        let table = events(&vec![Some(0); 100_003]);
        let axis = Axis::events(0..100_003);
        for (from, to, width) in [(0.0, 100_004.0, 100), (777.0, 90_001.0, 321), (5.0, 1003.0, 100)] {
            let columns = axis.columns(&table, Window { from, to }, width);
            let step = (to - from) / f64::from(width);
            let first = (from / step).round();
            let raw = |column: usize| (first + column as f64) * step;
            assert_eq!(columns.first().map(|c| c.start), Some(raw(0).min(from) as u32));
            assert_eq!(
                columns.last().map(|c| c.end),
                Some(raw(columns.len()).max(to.ceil()).min(100_004.0) as u32)
            );
            for (place, pair) in columns.windows(2).enumerate() {
                assert_eq!(pair[0].end, pair[1].start);
                let off = (f64::from(pair[1].start) - raw(place + 1)).abs();
                assert!(off <= step / 16.0 + 1.0, "{off} of {step}");
                assert!(step < 257.0 || pair[1].start.is_multiple_of(32));
            }
        }
    }

    #[test]
    fn no_times_no_time_axis() {
        assert!(Axis::time(&events(&[None, None]), 0..2).is_none());
        assert!(Axis::time(&events(&[]), 0..0).is_none());
        let late = events(&[None, Some(7)]);
        assert_eq!(Axis::time(&late, 0..2).unwrap().start(), Nanos(7));
    }
}
