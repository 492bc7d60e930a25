//! What a report draws of one rank of a profiler run: its curves, reduced.

use super::lttb::reduce_floats;
use crate::view::ops::{NamedSeries, OpsTable, SeriesName};
use serde::Serialize;

/// The curves of a rank.
#[derive(Serialize)]
pub struct RankDrawing {
    /// The first moment of anything in the run, in nanoseconds; as text, since a float does not hold it.
    pub base_ns: String,
    pub series: Vec<RankLine>,
}

/// A reduced curve: each value holds until the next time.
#[derive(Serialize)]
pub struct RankLine {
    #[serde(flatten)]
    pub name: SeriesName,
    /// Points before it was reduced.
    pub of: u64,
    /// Nanoseconds after the base.
    pub at: Vec<i64>,
    pub value: Vec<i64>,
}

/// Draws a rank.
pub fn rank_drawing(table: &OpsTable) -> RankDrawing {
    let line = |series: &NamedSeries| {
        let reduced = reduce_floats(&series.points);
        let (at, value) =
            reduced.as_chunks::<2>().0.iter().map(|&[at, value]| (at as i64, value as i64)).unzip();
        RankLine { name: series.name.clone(), of: series.points.len() as u64 / 2, at, value }
    };
    RankDrawing { base_ns: table.base().to_string(), series: table.series.iter().map(line).collect() }
}
