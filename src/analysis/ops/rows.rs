//! Rows as the terminal and exports give them: the columns of the reference parser, and ours.
//!
//! Times are decimal text with all their digits, because the milliseconds of an epoch do not fit a float.
//! A row of which only the release was seen stands at its release, with the totals of that moment.

use super::index::{OPEN, OpsIndex};
use super::join::MatchKind;
use crate::model::profile::{OperatorRow, ProfilerRun, Totals};
use serde::Serialize;

/// What separates the frames of a call stack.
pub const FRAME_SEPARATOR: &str = ";\r\n";

/// One row.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OpsRow {
    pub name: String,
    pub role: String,
    pub rank_id: i64,
    /// Frames joined by `;\r\n`, innermost first.
    pub call_stack: String,
    /// The text before the first separator.
    pub call_stack_top: String,
    /// Positive: allocated; negative: only the release was seen.
    pub size_kb: f64,
    pub start_time_ms: String,
    /// 0 where the row was never released.
    pub duration_ms: String,
    pub total_allocated_mb: Option<f64>,
    pub total_reserved_mb: Option<f64>,
    pub total_active_mb: Option<f64>,
    pub device_type: String,
    pub start_ns: Option<i64>,
    /// `null` where the row lasts to the end of the data.
    pub end_ns: Option<i64>,
    #[serde(rename = "match")]
    pub match_kind: MatchKind,
    pub stream: Option<u64>,
    pub released: bool,
}

/// The columns of the reference parser, in its order.
pub const REFERENCE_COLUMNS: [&str; 12] = [
    "name",
    "role",
    "rank_id",
    "call_stack",
    "call_stack_top",
    "size_kb",
    "start_time_ms",
    "duration_ms",
    "total_allocated_mb",
    "total_reserved_mb",
    "total_active_mb",
    "device_type",
];

impl OpsRow {
    /// The row at a position of the index.
    pub fn new(run: &ProfilerRun, index: &OpsIndex, position: usize) -> Option<OpsRow> {
        let row = index.raw(run, position)?;
        let table = run.operators.as_ref()?;
        let totals = event_totals(&row);
        let stack = index.stack(run, position);
        let (start, end) = (*index.start.get(position)?, *index.end.get(position)?);
        let duration = if end == OPEN { 0 } else { end.saturating_sub(start) };
        Some(OpsRow {
            name: table.strings.get(row.name).to_owned(),
            role: run.key.role.clone(),
            rank_id: run.key.rank.unwrap_or(0),
            call_stack: stack.to_owned(),
            call_stack_top: stack.split(FRAME_SEPARATOR).next().unwrap_or("").to_owned(),
            size_kb: row.size as f64 / 1024.0,
            start_time_ms: if start == i64::MIN { String::new() } else { millis(start) },
            duration_ms: millis(duration),
            total_allocated_mb: number(totals.allocated_mb),
            total_reserved_mb: number(totals.reserved_mb),
            total_active_mb: number(totals.active_mb),
            device_type: table.strings.get(row.device).to_owned(),
            start_ns: (start != i64::MIN).then_some(start),
            end_ns: (end != OPEN).then_some(end),
            match_kind: index.matches.get(position)?.kind,
            stream: row.stream,
            released: end != OPEN || row.size <= 0,
        })
    }

    /// The cells of the reference parser's table.
    pub fn reference_cells(&self) -> [String; 12] {
        let total = |v: Option<f64>| v.unwrap_or(0.0).to_string();
        [
            self.name.clone(),
            self.role.clone(),
            self.rank_id.to_string(),
            self.call_stack.clone(),
            self.call_stack_top.clone(),
            self.size_kb.to_string(),
            self.start_time_ms.clone(),
            self.duration_ms.clone(),
            total(self.total_allocated_mb),
            total(self.total_reserved_mb),
            total(self.total_active_mb),
            self.device_type.clone(),
        ]
    }
}

/// The totals at the event that the row starts with.
pub fn event_totals(row: &OperatorRow) -> Totals {
    if row.alloc.is_some() { row.at_alloc } else { row.at_release }
}

fn number(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Nanoseconds as milliseconds with all digits: `1736408883694.62481`, `0`.
pub fn millis(nanos: i64) -> String {
    let (sign, value) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    let text = format!("{sign}{}.{:06}", value / 1_000_000, value % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_keep_every_digit() {
        assert_eq!(millis(1_736_408_883_694_624_810), "1736408883694.62481");
        assert_eq!(
            (millis(0), millis(1), millis(-1_500_000)),
            ("0".to_owned(), "0.000001".to_owned(), "-1.5".to_owned())
        );
        assert_eq!(millis(100_000_000), "100");
    }
}
