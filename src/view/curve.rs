//! A curve for a window: first, minimum, maximum and last of each pixel column.
//!
//! Those four draw exactly what all the points would, so no peak is lost at any zoom and a window with
//! fewer states than pixels shows every event. Columns are given as edges in states, since only the
//! caller knows whether x is the event or its time; edges on an absolute grid keep a panned curve still.

use crate::model::Snapshot;
use crate::replay::{CurveKind, Replay};
use core::ops::Range;

/// A window of one curve. All columns have the same length; `state` is where the column begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CurveWindow {
    pub state: Vec<u32>,
    pub first: Vec<u64>,
    pub min: Vec<u64>,
    pub max: Vec<u64>,
    pub last: Vec<u64>,
    /// First state of the column's maximum, so that hover names the event that made it.
    pub max_at: Vec<u32>,
}

impl CurveWindow {
    fn with_capacity(columns: usize) -> CurveWindow {
        CurveWindow {
            state: Vec::with_capacity(columns),
            first: Vec::with_capacity(columns),
            min: Vec::with_capacity(columns),
            max: Vec::with_capacity(columns),
            last: Vec::with_capacity(columns),
            max_at: Vec::with_capacity(columns),
        }
    }

    pub fn len(&self) -> usize {
        self.state.len()
    }

    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
    }
}

/// The states `window` cut into at most `columns` columns, as edges: column i covers
/// `edges[i]..edges[i + 1]`. No column is empty.
pub fn state_edges(window: Range<u32>, columns: u32) -> Vec<u32> {
    if window.is_empty() || columns == 0 {
        return Vec::new();
    }
    let length = u64::from(window.end - window.start);
    let columns = u64::from(columns).min(length);
    (0..=columns).map(|i| window.start + (length * i / columns) as u32).collect()
}

/// As [`state_edges`] but for a time axis: column i covers the states whose event lies in the i-th part
/// of the time from `window.start` to `window.end` (nanoseconds); the state before the first event
/// belongs to the column of the first event. Columns in which nothing happened are left out. Times that
/// step backwards keep the trace's order: no state is lost, none comes twice.
pub fn time_edges(snapshot: &Snapshot, replay: &Replay, window: Range<i64>, columns: u32) -> Vec<u32> {
    if window.is_empty() || columns == 0 || replay.events() == 0 {
        return Vec::new();
    }
    let times = &snapshot.events.time[replay.rows.clone()];
    let length = i128::from(window.end) - i128::from(window.start);
    let mut edges: Vec<u32> = Vec::with_capacity(columns as usize + 1);
    for i in 0..=i128::from(columns) {
        let at = (i128::from(window.start) + length * i / i128::from(columns)) as i64;
        // State k follows event k − 1, so the first event at or after `at` begins the column after it.
        let event = times.partition_point(|t| t.0 < at) as u32;
        let state = if event == 0 { 0 } else { event + 1 };
        edges.push(state.max(edges.last().copied().unwrap_or(0)));
    }
    edges.dedup();
    edges
}

/// The curve over columns given by their edges; empty columns are left out.
pub fn curve_window(replay: &Replay, kind: CurveKind, edges: &[u32]) -> CurveWindow {
    let mut window = CurveWindow::with_capacity(edges.len());
    for pair in edges.windows(2) {
        let Some(extremes) = replay.extremes(kind, pair[0]..pair[1]) else { continue };
        window.state.push(pair[0]);
        window.first.push(extremes.first.0);
        window.min.push(extremes.min.0);
        window.max.push(extremes.max.0);
        window.last.push(extremes.last.0);
        window.max_at.push(extremes.max_at);
    }
    window
}
