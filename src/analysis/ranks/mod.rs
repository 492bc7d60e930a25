//! Many snapshots of one job: which rank is the odd one out and why, and what grows from one snapshot of
//! a process to the next: `hbmlens.ranks/1`.
//!
//! Each snapshot leaves two small [`Side`]s (at its peak by call site, at its end by stack where a series
//! needs them) and is let go, so a thousand ranks take little memory.

mod names;
mod outliers;
mod series;

pub use names::{Kind, Named, find_series, read_names};
pub use outliers::{Because, Figure, Outlier};
pub use series::{GrowthRow, Series, SeriesSnapshot, Unit};

use crate::analysis::attribution::Category;
use crate::analysis::compare::{Side, figure, fragmentation};
use crate::model::{Arrange, Bytes, Device};
use crate::text::Message;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One device of one snapshot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RankSide {
    pub role: String,
    pub rank: Option<i64>,
    pub order: Option<i64>,
    /// At the peak, stacks cut to their call sites.
    pub peak: Side,
    /// At the end, with stacks; only of snapshots that make a series.
    pub end: Option<Side>,
}

/// How ranks are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RanksOptions {
    /// Line numbers and the beginnings of paths count for nothing.
    pub ignore_lines: bool,
    /// Rows of each list, 0 for all.
    pub top: usize,
}

/// Bytes of a category at the peak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CategoryBytes {
    pub category: Category,
    pub bytes: u64,
    pub count: u64,
}

/// One rank's figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankRow {
    pub role: String,
    pub rank: Option<i64>,
    pub file: String,
    pub device: Device,
    pub peak: u64,
    pub peak_event: i64,
    pub peak_time_us: Option<i64>,
    /// In the snapshot.
    pub reserved: u64,
    pub fragmentation: f64,
    /// At the peak, the largest first.
    pub by_category: Vec<CategoryBytes>,
    /// The rank at the median of its role's peaks.
    pub is_median: bool,
}

/// `hbmlens.ranks/1`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RanksReport {
    pub schema: &'static str,
    /// By role and rank; of a series its last snapshot.
    pub ranks: Vec<RankRow>,
    /// The rank at the median of all peaks.
    pub median_rank: Option<i64>,
    pub outliers: Vec<Outlier>,
    pub series: Vec<Series>,
    pub summary: Vec<Message>,
}

/// What a rank is called in sentences.
pub fn label(rank: Option<i64>, file: &str) -> String {
    rank.map_or_else(|| file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned(), |rank| rank.to_string())
}

/// Compares the ranks of a job.
pub fn ranks(sides: &[RankSide], options: &RanksOptions) -> RanksReport {
    // Snapshots of one device of one process, in order of time.
    let mut processes: BTreeMap<(&str, Option<i64>, Device), Vec<&RankSide>> = BTreeMap::new();
    for side in sides {
        processes.entry((&side.role, side.rank, side.peak.device)).or_default().push(side);
    }
    for snapshots in processes.values_mut() {
        snapshots.arrange_by_key(|side| (side.order, side.peak.end_time_us));
    }
    // Without a rank, several files are a series only where something orders them.
    let is_series =
        |snapshots: &Vec<&RankSide>| snapshots.len() > 1 && snapshots.iter().all(|side| side.end.is_some());
    let mut rows: Vec<&RankSide> = Vec::new();
    let mut series = Vec::new();
    for snapshots in processes.values() {
        if is_series(snapshots) {
            rows.extend(snapshots.last().copied());
            series.push(series::series(snapshots, options));
        } else {
            rows.extend(snapshots.iter().copied());
        }
    }
    let median = outliers::median_rank(&rows);
    let found = outliers::outliers(&rows, options);
    let mut summary = Vec::new();
    let of_a_role = |role: &str| rows.iter().filter(|side| side.role == role).count();
    if let Some(median) = median.filter(|_| rows.len() > 1) {
        summary.push(
            Message::new("ranks.median")
                .text("rank", label(median.rank, &median.peak.file))
                .bytes("bytes", Bytes(median.peak.peak)),
        );
        summary.extend(found.iter().map(|outlier| outlier.message()));
        if rows.iter().all(|side| of_a_role(&side.role) < outliers::LEAST) {
            summary.push(Message::new("ranks.few"));
        } else if found.is_empty() {
            summary.push(Message::new("ranks.no_outlier"));
        }
    }
    summary.extend(series.iter().flat_map(Series::messages));
    RanksReport {
        schema: "hbmlens.ranks/1",
        ranks: rows.iter().map(|side| row(side, &rows)).collect(),
        median_rank: median.and_then(|side| side.rank),
        outliers: found,
        series,
        summary,
    }
}

fn row(side: &RankSide, all: &[&RankSide]) -> RankRow {
    let Side { peak, end, .. } = &side.peak;
    let peers: Vec<&RankSide> = all.iter().copied().filter(|other| other.role == side.role).collect();
    let is_median = outliers::median_rank(&peers).is_some_and(|median| core::ptr::eq(median, side));
    let mut by_category: Vec<CategoryBytes> = Category::ALL
        .into_iter()
        .zip(side.peak.peak_categories.as_chunks::<2>().0)
        .filter(|(_, pair)| pair[1] > 0)
        .map(|(category, &[bytes, count])| CategoryBytes { category, bytes, count })
        .collect();
    by_category.arrange_by_key(|row| core::cmp::Reverse(row.bytes));
    RankRow {
        role: side.role.clone(),
        rank: side.rank,
        file: side.peak.file.clone(),
        device: side.peak.device,
        peak: *peak,
        peak_event: side.peak.peak_event,
        peak_time_us: side.peak.peak_time_us,
        reserved: end.get(figure::RESERVED).copied().unwrap_or(0),
        fragmentation: fragmentation(end),
        by_category,
        is_median,
    }
}
