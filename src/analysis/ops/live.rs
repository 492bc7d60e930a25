//! Curve 1: the cumulated size of the rows that are live, and who they are at any moment.
//!
//! The curve is a step function over the moments where it changes; a row is live from its start until just
//! before its end, so at a moment where one row ends and another starts both never count together.

use super::index::{OPEN, OpsIndex};
use super::series::TimeSeries;
use crate::model::Nanos;
use crate::model::profile::ProfilerRun;
use serde::Serialize;

/// The highest point of a curve and the first time it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Peak {
    pub bytes: i64,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub at: Nanos,
}

/// The curves of one run's rows.
#[derive(Clone, Debug, Default)]
pub struct LiveCurve {
    pub live: TimeSeries,
    /// How many rows are live, at the same times as `live`.
    pub count: Vec<u32>,
    /// "Allocation Total Allocated" as the rows tell it, in bytes.
    pub total_allocated: TimeSeries,
}

impl LiveCurve {
    pub fn new(run: &ProfilerRun, index: &OpsIndex) -> LiveCurve {
        let mut events: Vec<(i64, bool, i64)> = Vec::with_capacity(index.len() * 2);
        for (_, start, end, size) in index.counted() {
            // A row of no length is never live.
            if end <= start {
                continue;
            }
            events.push((start, true, size));
            if end != OPEN {
                events.push((end, false, size));
            }
        }
        events.sort_unstable();
        let (mut points, mut count) = (Vec::new(), Vec::new());
        let (mut bytes, mut rows) = (0_i64, 0_u32);
        for moment in events.chunk_by(|a, b| a.0 == b.0) {
            for &(_, starts, size) in moment {
                bytes = if starts { bytes.saturating_add(size) } else { bytes.saturating_sub(size) };
                rows = if starts { rows + 1 } else { rows.saturating_sub(1) };
            }
            points.push((moment[0].0, bytes));
            count.push(rows);
        }
        LiveCurve { live: TimeSeries::new(points), count, total_allocated: total_allocated(run, index) }
    }

    /// The highest point, first time; `None` without rows.
    pub fn peak(&self) -> Option<Peak> {
        let (at, bytes) = self.live.peak()?;
        Some(Peak { bytes, at: Nanos(at) })
    }

    /// Live bytes and rows at a moment.
    pub fn at(&self, moment: Nanos) -> (i64, u32) {
        match self.live.index_at(moment.0) {
            Some(i) => {
                (self.live.values().get(i).copied().unwrap_or(0), self.count.get(i).copied().unwrap_or(0))
            }
            None => (0, 0),
        }
    }
}

/// Rows of GE have names that begin so; their totals are those of GE's own pool.
const OF_GE: &str = "cann::";

/// One pool's totals make a curve: GE's among PyTorch's would make it jump. Where there are no others they do.
fn total_allocated(run: &ProfilerRun, index: &OpsIndex) -> TimeSeries {
    let is_ge = |i: usize| index.name(run, i).starts_with(OF_GE);
    let only_ge = (0..index.len()).all(is_ge);
    let mut points = Vec::new();
    for i in (0..index.len()).filter(|&i| only_ge || !is_ge(i)) {
        let Some(row) = index.raw(run, i).filter(|r| r.device == index.device) else { continue };
        let bytes = row.at_alloc.allocated_mb * f64::from(1 << 20);
        if let (Some(at), true) = (row.alloc, bytes.is_finite()) {
            points.push((at.0, bytes.round() as i64));
        }
    }
    TimeSeries::new(points)
}

/// The `most` largest rows live at a moment, largest first (equal ones in order of start), as
/// positions of the index.
pub fn top_at(index: &OpsIndex, moment: Nanos, most: usize) -> Vec<usize> {
    let started = index.start.partition_point(|&start| start <= moment.0);
    let live = (0..started).filter(|&i| {
        index.counts.get(i).copied().unwrap_or(false) && index.end.get(i).is_some_and(|&end| moment.0 < end)
    });
    let mut top: Vec<(i64, usize)> = Vec::with_capacity(most + 1);
    for i in live {
        let size = index.size.get(i).copied().unwrap_or(0);
        if top.len() == most && top.last().is_none_or(|&(smallest, _)| size <= smallest) {
            continue;
        }
        let place = top.partition_point(|&(other, _)| other >= size);
        top.insert(place, (size, i));
        top.truncate(most);
    }
    top.into_iter().map(|(_, i)| i).collect()
}
