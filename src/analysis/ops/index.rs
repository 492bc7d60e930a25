//! Rows in order of time: when each starts, until when it lives, and which enter the figures.
//!
//! Only rows of positive size with a time of allocation, on the rank's own device, count: a negative size
//! is a release whose allocation was not seen, and memory of the host is another memory. All rows are
//! listed.

use super::join::{MatchKind, RowMatch, join};
use crate::model::profile::{OperatorRow, ProfilerRun};
use crate::model::{Arrange, Bytes, FastMap, Nanos, StringId, fast_map};
use serde::{Deserialize, Serialize};

/// When a row's memory counts as given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum LifeEnd {
    /// When the tensor was freed.
    #[default]
    Release,
    /// When the block became free for others, which is later under `record_stream`.
    BlockRelease,
}

/// The end of a row that is never released.
pub const OPEN: i64 = i64::MAX;

/// All rows of a run in order of their start, with what is derived of each. Positions are places in
/// this order.
#[derive(Clone, Debug)]
pub struct OpsIndex {
    /// The row in the operator table.
    pub row: Vec<u32>,
    pub start: Vec<i64>,
    /// Exclusive; [`OPEN`] where the row has no duration.
    pub end: Vec<i64>,
    pub size: Vec<i64>,
    /// Whether the row enters curves, peak and unreleased bytes.
    pub counts: Vec<bool>,
    pub matches: Vec<RowMatch>,
    /// The device whose rows count.
    pub device: StringId,
    /// From the first start to the last known moment of any row.
    pub range: Option<(Nanos, Nanos)>,
    pub life_end: LifeEnd,
}

impl OpsIndex {
    fn empty(device: StringId, life_end: LifeEnd) -> OpsIndex {
        OpsIndex {
            row: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
            size: Vec::new(),
            counts: Vec::new(),
            matches: Vec::new(),
            device,
            range: None,
            life_end,
        }
    }

    pub fn new(run: &ProfilerRun, life_end: LifeEnd) -> OpsIndex {
        let Some(table) = &run.operators else { return OpsIndex::empty(StringId::NONE, life_end) };
        let matches = join(table, run.trace.as_ref());
        let rows: Vec<OperatorRow> = table.rows().collect();
        let device = main_device(&rows, |id| table.strings.get(id));
        let mut order: Vec<u32> = (0..).take(rows.len()).collect();
        let first_time =
            |r: &OperatorRow| r.alloc.or(r.release).or(r.block_release).map_or(i64::MIN, |t| t.0);
        order.arrange_by_key(|&i| rows.get(i as usize).map_or(i64::MIN, first_time));
        let mut index = OpsIndex::empty(device, life_end);
        let mut range: Option<(i64, i64)> = None;
        for i in order {
            let Some(row) = rows.get(i as usize) else { continue };
            let start = first_time(row);
            let duration = match life_end {
                LifeEnd::Release => row.duration,
                LifeEnd::BlockRelease => row.block_duration.or(row.duration),
            };
            let end = match (row.alloc, duration) {
                (Some(alloc), Some(duration)) => alloc.0.saturating_add(duration.0.max(0)),
                _ => OPEN,
            };
            for time in [row.alloc, row.release, row.block_release]
                .into_iter()
                .flatten()
                .map(|t| t.0)
                .chain((end != OPEN).then_some(end))
            {
                range = Some(range.map_or((time, time), |(a, b)| (a.min(time), b.max(time))));
            }
            index.row.push(i);
            index.start.push(start);
            index.end.push(end);
            index.size.push(row.size);
            index.counts.push(row.size > 0 && row.alloc.is_some() && row.device == device);
            index.matches.push(matches.get(i as usize).copied().unwrap_or(RowMatch::NONE));
        }
        index.range = range.map(|(a, b)| (Nanos(a), Nanos(b)));
        index
    }

    pub fn len(&self) -> usize {
        self.row.len()
    }

    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Rows that count: `(position, start, end, size)` in order of start.
    pub fn counted(&self) -> impl Iterator<Item = (usize, i64, i64, i64)> + '_ {
        (0..self.len()).filter_map(|i| {
            self.counts.get(i).copied().filter(|&c| c)?;
            Some((i, *self.start.get(i)?, *self.end.get(i)?, *self.size.get(i)?))
        })
    }

    /// Bytes and number of rows that were never released. A row of positive size without a duration
    /// is one, whether or not its allocation has a time.
    pub fn unreleased(&self, run: &ProfilerRun) -> (Bytes, u64) {
        let mut total = (Bytes::ZERO, 0);
        for i in 0..self.len() {
            let (Some(&size), Some(&end)) = (self.size.get(i), self.end.get(i)) else { continue };
            let own = self.raw(run, i).is_some_and(|row| row.device == self.device);
            if size > 0 && end == OPEN && own {
                total = (total.0 + Bytes(size.unsigned_abs()), total.1 + 1);
            }
        }
        total
    }

    /// How many rows were matched in each way.
    pub fn match_counts(&self) -> FastMap<MatchKind, u64> {
        let mut counts = fast_map();
        for found in &self.matches {
            *counts.entry(found.kind).or_insert(0) += 1;
        }
        counts
    }

    /// The row at a position as the file has it.
    pub fn raw(&self, run: &ProfilerRun, position: usize) -> Option<OperatorRow> {
        run.operators.as_ref()?.get(*self.row.get(position)? as usize)
    }

    pub fn name<'a>(&self, run: &'a ProfilerRun, position: usize) -> &'a str {
        match (&run.operators, self.row.get(position)) {
            (Some(table), Some(&row)) => table.name(row as usize),
            _ => "",
        }
    }

    /// The call stack's text, empty where there is none.
    pub fn stack<'a>(&self, run: &'a ProfilerRun, position: usize) -> &'a str {
        let Some(found) = self.matches.get(position) else { return "" };
        match (&run.operators, &run.trace) {
            (Some(table), _) if table.from_trace => table.strings.get(found.stack),
            (_, Some(trace)) => trace.strings.get(found.stack),
            _ => "",
        }
    }
}

/// The device with the most allocated bytes; the host only where there is nothing else.
fn main_device<'a>(rows: &[OperatorRow], name: impl Fn(StringId) -> &'a str) -> StringId {
    let mut bytes: FastMap<StringId, u128> = fast_map();
    for row in rows {
        *bytes.entry(row.device).or_insert(0) += u128::from(row.size.max(0).unsigned_abs());
    }
    let ranked =
        |(id, bytes): (StringId, u128)| (!name(id).starts_with("CPU"), bytes, core::cmp::Reverse(id));
    bytes.into_iter().map(ranked).max().map_or(StringId::NONE, |(.., id)| id.0)
}
