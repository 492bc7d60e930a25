//! Chart 2: one lane per operator name.
//!
//! A window is answered as runs of pixel columns in which the same rows are live, so that its size is bounded
//! by lanes and pixels whatever the number of rows; which rows lie under the pointer is asked apart.

use super::index::{OPEN, OpsIndex};
use crate::model::profile::ProfilerRun;
use crate::model::{Arrange, FastMap, Nanos, StringId, fast_map};
use core::ops::Range;
use serde::Serialize;

/// The lanes of a run, largest first.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    /// Lane by name.
    of_name: FastMap<StringId, u32>,
}

/// The rows of one name.
#[derive(Clone, Debug)]
pub struct Lane {
    pub name: StringId,
    /// Bytes allocated in all.
    pub bytes: i64,
    /// Positions in the index, in order of start.
    pub rows: Vec<u32>,
}

/// Pixel columns `from..=to` of one lane in which the same number of rows and bytes is live.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LaneRun {
    pub lane: u32,
    pub from: u32,
    pub to: u32,
    /// Most rows live at one moment in the columns, and their bytes.
    pub rows: u32,
    pub bytes: i64,
    /// A row that is live there.
    pub position: u32,
}

impl Lanes {
    pub fn new(run: &ProfilerRun, index: &OpsIndex) -> Lanes {
        let mut of_name: FastMap<StringId, u32> = fast_map();
        let mut lanes: Vec<Lane> = Vec::new();
        for (position, _, _, size) in index.counted() {
            let Some(row) = index.raw(run, position) else { continue };
            let lane = *of_name.entry(row.name).or_insert_with(|| {
                lanes.push(Lane { name: row.name, bytes: 0, rows: Vec::new() });
                lanes.len() as u32 - 1
            });
            if let Some(lane) = lanes.get_mut(lane as usize) {
                lane.bytes = lane.bytes.saturating_add(size);
                lane.rows.push(position as u32);
            }
        }
        lanes.arrange_by_key(|lane| core::cmp::Reverse(lane.bytes));
        let of_name = lanes.iter().zip(0..).map(|(lane, i)| (lane.name, i)).collect();
        Lanes { lanes, of_name }
    }

    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub fn get(&self, lane: usize) -> Option<&Lane> {
        self.lanes.get(lane)
    }

    pub fn find(&self, name: StringId) -> Option<u32> {
        self.of_name.get(&name).copied()
    }

    /// Rows of the same name that are live at some moment together with the row at `position`.
    pub fn overlapping(&self, run: &ProfilerRun, index: &OpsIndex, position: usize) -> Vec<u32> {
        let lane =
            index.raw(run, position).and_then(|row| self.find(row.name)).and_then(|i| self.get(i as usize));
        let (Some(lane), Some((start, end))) = (lane, span(index, position)) else { return Vec::new() };
        let until = lane.rows.partition_point(|&r| index.start.get(r as usize).is_some_and(|&s| s < end));
        let overlaps =
            |r: &u32| *r as usize != position && span(index, *r as usize).is_some_and(|(_, e)| e > start);
        lane.rows.get(..until).unwrap_or(&[]).iter().copied().filter(overlaps).collect()
    }

    /// Rows of a lane that are live at a moment.
    pub fn live_at(&self, index: &OpsIndex, lane: usize, moment: Nanos) -> Vec<u32> {
        let Some(lane) = self.get(lane) else { return Vec::new() };
        let live = |r: &u32| span(index, *r as usize).is_some_and(|(s, e)| s <= moment.0 && moment.0 < e);
        lane.rows.iter().copied().filter(live).collect()
    }

    /// Some lanes in a window of time, cut into pixel columns.
    pub fn window(
        &self,
        index: &OpsIndex,
        lanes: Range<usize>,
        from: Nanos,
        to: Nanos,
        columns: u32,
    ) -> Vec<LaneRun> {
        let mut out = Vec::new();
        let length = i128::from(to.0) - i128::from(from.0);
        if length <= 0 || columns == 0 {
            return out;
        }
        let column = |t: i64| {
            let c = (i128::from(t) - i128::from(from.0)) * i128::from(columns) / length;
            c.clamp(0, i128::from(columns - 1)) as u32
        };
        for lane in lanes.start..lanes.end.min(self.lanes.len()) {
            let Some(rows) = self.get(lane).map(|l| l.rows.as_slice()) else { continue };
            // (time, starts, size, position): ends before starts at the same time, as everywhere.
            let mut events: Vec<(i64, bool, i64, u32)> = Vec::new();
            for &r in rows {
                let Some((start, end)) = span(index, r as usize) else { continue };
                if start >= to.0 || end <= from.0 {
                    continue;
                }
                let size = index.size.get(r as usize).copied().unwrap_or(0);
                events.push((start.max(from.0), true, size, r));
                if end < to.0 {
                    events.push((end, false, size, r));
                }
            }
            events.sort_unstable();
            let mut strip = Strip {
                lane: lane as u32,
                columns,
                out: &mut out,
                current: None,
                rows: 0,
                bytes: 0,
                position: 0,
            };
            for (time, starts, size, position) in events {
                strip.event(column(time), starts, size, position);
            }
            strip.finish();
        }
        out
    }
}

fn span(index: &OpsIndex, position: usize) -> Option<(i64, i64)> {
    let (start, end) = (*index.start.get(position)?, *index.end.get(position)?);
    (end > start).then_some((start, if end == OPEN { i64::MAX } else { end }))
}

/// Turns a lane's events into runs.
struct Strip<'a> {
    lane: u32,
    columns: u32,
    out: &'a mut Vec<LaneRun>,
    /// The column being filled, with the most seen in it.
    current: Option<LaneRun>,
    rows: u32,
    bytes: i64,
    position: u32,
}

impl Strip<'_> {
    fn event(&mut self, column: u32, starts: bool, size: i64, position: u32) {
        self.advance(column);
        if starts {
            self.rows += 1;
            self.bytes = self.bytes.saturating_add(size);
            self.position = position;
        } else {
            self.rows = self.rows.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(size);
        }
        self.note(column);
    }

    /// Takes the present state into the current column, if it is its highest.
    fn note(&mut self, column: u32) {
        if self.rows == 0 {
            return;
        }
        let now = LaneRun {
            lane: self.lane,
            from: column,
            to: column,
            rows: self.rows,
            bytes: self.bytes,
            position: self.position,
        };
        match &mut self.current {
            Some(current) if (current.bytes, current.rows) < (now.bytes, now.rows) => *current = now,
            Some(_) => {}
            None => self.current = Some(now),
        }
    }

    /// Closes columns before `column`; between, the present state goes on.
    fn advance(&mut self, column: u32) {
        let Some(last) = self.current.map(|c| c.to) else { return self.note(column) };
        if column > last {
            self.push();
            if self.rows > 0 && column > last + 1 {
                self.note(last + 1);
                if let Some(current) = &mut self.current {
                    current.to = column - 1;
                }
                self.push();
            }
            self.note(column);
        }
    }

    fn push(&mut self) {
        let Some(run) = self.current.take() else { return };
        match self.out.last_mut() {
            Some(last)
                if last.lane == run.lane
                    && last.to + 1 == run.from
                    && (last.rows, last.bytes) == (run.rows, run.bytes) =>
            {
                last.to = run.to;
            }
            _ => self.out.push(run),
        }
    }

    fn finish(mut self) {
        let end = self.columns;
        self.advance(end);
        // What is noted at the edge lies outside.
        if self.current.is_some_and(|run| run.from < end) {
            self.push();
        }
    }
}
