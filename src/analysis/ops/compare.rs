//! Two ranks by operator name, and ranks among their peers.

use super::index::OpsIndex;
use crate::model::profile::ProfilerRun;
use crate::model::{Arrange, FastMap, fast_map};
use serde::Serialize;

/// What one name allocated on either side. Ratios are B over A; `null` where A has nothing.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NameDifference {
    pub name: String,
    pub a_count: u64,
    pub b_count: u64,
    pub a_bytes: i64,
    pub b_bytes: i64,
    pub diff_bytes: i64,
    pub ratio: Option<f64>,
}

/// Rows and bytes by name, of the rows that `keep` names by position.
pub fn by_name(
    run: &ProfilerRun,
    index: &OpsIndex,
    keep: impl Fn(usize) -> bool,
) -> FastMap<String, (u64, i64)> {
    let mut names: FastMap<String, (u64, i64)> = fast_map();
    for (position, _, _, size) in index.counted().filter(|&(position, ..)| keep(position)) {
        let slot = names.entry_ref(index.name(run, position)).or_insert((0, 0));
        slot.0 += 1;
        slot.1 = slot.1.saturating_add(size);
    }
    names
}

/// Differences of two such tables, largest first (by amount, whatever the sign).
pub fn differences(a: &FastMap<String, (u64, i64)>, b: &FastMap<String, (u64, i64)>) -> Vec<NameDifference> {
    let row = |name: &String| {
        let (a_count, a_bytes) = a.get(name).copied().unwrap_or((0, 0));
        let (b_count, b_bytes) = b.get(name).copied().unwrap_or((0, 0));
        NameDifference {
            name: name.clone(),
            a_count,
            b_count,
            a_bytes,
            b_bytes,
            diff_bytes: b_bytes.saturating_sub(a_bytes),
            ratio: (a_bytes != 0).then(|| b_bytes as f64 / a_bytes as f64),
        }
    };
    let mut out: Vec<NameDifference> =
        a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))).map(row).collect();
    out.arrange_by(|x, y| y.diff_bytes.abs().cmp(&x.diff_bytes.abs()).then_with(|| x.name.cmp(&y.name)));
    out
}

/// Two ranks by operator name over the whole run.
pub fn compare_ranks(a: (&ProfilerRun, &OpsIndex), b: (&ProfilerRun, &OpsIndex)) -> Vec<NameDifference> {
    differences(&by_name(a.0, a.1, |_| true), &by_name(b.0, b.1, |_| true))
}

/// Two ranks by what each holds at a moment of its own (their peaks, say).
pub fn compare_moments(
    a: (&ProfilerRun, &OpsIndex, i64),
    b: (&ProfilerRun, &OpsIndex, i64),
) -> Vec<NameDifference> {
    let live = |(run, index, at): (&ProfilerRun, &OpsIndex, i64)| {
        by_name(run, index, |i| {
            index.start.get(i).is_some_and(|&s| s <= at) && index.end.get(i).is_some_and(|&e| at < e)
        })
    };
    differences(&live(a), &live(b))
}

/// A peak that is off from the others of its role by more than this share is an outlier.
pub const OUTLIER_SHARE: f64 = 0.10;

/// The median of some peaks, and for each how far it is off, as a share. With fewer than three there is
/// no telling which is odd.
pub fn deviations(peaks: &[i64]) -> Option<(i64, Vec<f64>)> {
    if peaks.len() < 3 {
        return None;
    }
    let mut sorted = peaks.to_vec();
    sorted.sort_unstable();
    let median = *sorted.get((sorted.len() - 1) / 2)?;
    (median > 0)
        .then(|| (median, peaks.iter().map(|&p| (p as f64 - median as f64) / median as f64).collect()))
}
