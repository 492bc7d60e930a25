//! One rank's rows as flat columns and its curves as points.
//!
//! A screen shows these rows in many ways at once (a window of a curve, lanes, a filtered table, who is live
//! under the pointer), so the columns are handed over once and shaped where they are drawn: the page and the
//! pages that the terminal writes share that code. The figures are the core's own report, never counted anew.
//!
//! Times are nanoseconds after a base, which a float holds exactly for a hundred days; the base itself goes as text.

use crate::analysis::ops::LifeEnd;
use crate::analysis::ops::components::{component_curves, module_curves, unexplained_curve};
use crate::analysis::ops::index::OPEN;
use crate::analysis::ops::join::MatchKind;
use crate::analysis::ops::report::{Analysed, RankReport};
use crate::analysis::ops::rows::{FRAME_SEPARATOR, event_totals};
use crate::analysis::ops::series::TimeSeries;
use crate::model::{FastMap, StringId, fast_map};
use serde::Serialize;

/// The columns of numbers, in the order in which they are asked for.
pub const FLOATS: [&str; 7] = ["start", "end", "size", "allocated", "reserved", "active", "stream"];
/// The columns of small whole numbers.
pub const IDS: [&str; 5] = ["name", "stack", "device", "match", "counts"];

/// What a curve shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SeriesName {
    /// `rows`, `component`, `unexplained` or `module`.
    pub group: &'static str,
    pub name: String,
    pub device: String,
    /// `live`, `count`, `allocated`, `reserved` or `active`.
    pub what: &'static str,
}

/// A curve with its points: time, value, time, value …
#[derive(Clone, PartialEq, Debug)]
pub struct NamedSeries {
    pub name: SeriesName,
    pub points: Vec<f64>,
}

/// A rank as a screen takes it.
pub struct OpsTable {
    pub rank: Analysed,
    base: i64,
    names: Dense,
    stacks: Dense,
    devices: Dense,
    pub series: Vec<NamedSeries>,
}

/// Everything about a rank but its columns.
#[derive(Serialize)]
pub struct OpsHead<'a> {
    base_ns: String,
    /// From the first to the last moment of anything in the run.
    range: (f64, f64),
    life_end: LifeEnd,
    peak_at: Option<f64>,
    unexplained_at: Option<f64>,
    /// The greatest "Total Allocated" of any row.
    peak_allocated: Option<i64>,
    /// Number, begin and end.
    steps: Vec<(u64, f64, f64)>,
    names: Vec<&'a str>,
    devices: Vec<&'a str>,
    /// The first frame of each call stack; number 0 is "no stack".
    stack_tops: Vec<&'a str>,
    series: Vec<&'a SeriesName>,
    /// How each step spent its time: the table as it is, its heads first.
    step_times: Vec<&'a Vec<String>>,
    report: RankReport,
}

/// Rows of tables that a page shows whole.
const MOST_LISTED: usize = 500;

/// An operator of the trace around a moment.
#[derive(Serialize)]
pub struct OperatorAt<'a> {
    name: &'a str,
    start: f64,
    end: f64,
    stack_top: &'a str,
}

/// Texts numbered from 0 in order of first appearance.
#[derive(Default)]
struct Dense {
    of: FastMap<StringId, u32>,
    /// By number a row that has the text.
    row: Vec<usize>,
    /// By row the number.
    column: Vec<u32>,
}

impl Dense {
    fn new(ids: impl Iterator<Item = StringId>, none_first: bool) -> Dense {
        let mut dense = Dense { of: fast_map(), row: Vec::new(), column: Vec::new() };
        if none_first {
            dense.of.insert(StringId::NONE, 0);
            dense.row.push(usize::MAX);
        }
        for (row, id) in ids.enumerate() {
            let next = dense.row.len() as u32;
            let number = *dense.of.entry(id).or_insert(next);
            if number == next {
                dense.row.push(row);
            }
            dense.column.push(number);
        }
        dense
    }
}

fn points(series: &TimeSeries, base: i64) -> Vec<f64> {
    let pairs = series.times().iter().zip(series.values());
    pairs.flat_map(|(&time, &value)| [time.saturating_sub(base) as f64, value as f64]).collect()
}

impl OpsTable {
    pub fn new(rank: Analysed) -> OpsTable {
        let run = &rank.run;
        let rows = rank.index.range.map(|(from, _)| from.0);
        let trace = run.trace.as_ref().and_then(|t| t.range).map(|(from, _)| from.0);
        let records = run.records.iter().flat_map(|r| &r.rows).map(|r| r.at.0).min();
        let modules = run.modules.iter().flat_map(|m| &m.rows).filter_map(|m| Some(m.at?.0)).min();
        let base = [rows, trace, records, modules].into_iter().flatten().min().unwrap_or(0);
        let count = rank.index.len();
        let raw = |i: usize| rank.index.raw(run, i);
        let id = |of: fn(&crate::model::profile::OperatorRow) -> StringId| {
            (0..count).map(move |i| raw(i).map_or(StringId::NONE, |row| of(&row)))
        };
        let names = Dense::new(id(|row| row.name), false);
        let devices = Dense::new(id(|row| row.device), false);
        let stacks = Dense::new(rank.index.matches.iter().map(|m| m.stack), true);
        let series = all_series(&rank, base);
        OpsTable { base, names, stacks, devices, series, rank }
    }

    /// The first moment of anything in the run, in nanoseconds: curves and columns count from it.
    pub fn base(&self) -> i64 {
        self.base
    }

    fn relative(&self, time: i64) -> f64 {
        time.saturating_sub(self.base) as f64
    }

    fn texts<'a>(&'a self, dense: &Dense, text: impl Fn(usize) -> &'a str) -> Vec<&'a str> {
        dense.row.iter().map(|&row| text(row)).collect()
    }

    /// The call stack of a number; empty where there is none.
    pub fn stack(&self, number: u32) -> &str {
        self.stacks.row.get(number as usize).map_or("", |&row| self.rank.index.stack(&self.rank.run, row))
    }

    /// Numbers of the call stacks that contain a text, whatever the case of its letters.
    pub fn stacks_with(&self, text: &str) -> Vec<u32> {
        let wanted = text.to_ascii_lowercase();
        (0..self.stacks.row.len() as u32)
            .filter(|&number| self.stack(number).to_ascii_lowercase().contains(&wanted))
            .collect()
    }

    /// How many call stacks there are, "no stack" counted.
    pub fn stack_count(&self) -> u32 {
        self.stacks.row.len() as u32
    }

    /// The rows in order of start; NaN for what the file does not tell, infinity for the end of an open row.
    pub fn floats(&self, which: usize) -> Vec<f64> {
        (0..self.rank.index.len()).map(|i| self.float(i, which).unwrap_or(f64::NAN)).collect()
    }

    fn float(&self, i: usize, which: usize) -> Option<f64> {
        const MB: f64 = 1_048_576.0;
        let index = &self.rank.index;
        match which {
            0 => index.start.get(i).filter(|&&start| start != i64::MIN).map(|&start| self.relative(start)),
            1 => index.end.get(i).map(|&end| if end == OPEN { f64::INFINITY } else { self.relative(end) }),
            2 => index.size.get(i).map(|&size| size as f64),
            _ => {
                let row = index.raw(&self.rank.run, i)?;
                let totals = event_totals(&row);
                match which {
                    3 => Some(totals.allocated_mb * MB),
                    4 => Some(totals.reserved_mb * MB),
                    5 => Some(totals.active_mb * MB),
                    _ => row.stream.map(|stream| stream as f64),
                }
            }
        }
    }

    /// The same rows; `match` counts in the order of [`MatchKind::ALL`].
    pub fn ids(&self, which: usize) -> Vec<u32> {
        let index = &self.rank.index;
        let kind = |kind: MatchKind| MatchKind::ALL.iter().position(|&k| k == kind).unwrap_or(0) as u32;
        match which {
            0 => self.names.column.clone(),
            1 => self.stacks.column.clone(),
            2 => self.devices.column.clone(),
            3 => index.matches.iter().map(|m| kind(m.kind)).collect(),
            _ => index.counts.iter().map(|&counts| u32::from(counts)).collect(),
        }
    }

    pub fn head(&self, number: u64) -> OpsHead<'_> {
        let Analysed { run, index, curve } = &self.rank;
        let table = run.operators.as_ref();
        let report = self.rank.figures(number);
        let ends = [
            index.range.map(|(_, to)| to.0),
            run.trace.as_ref().and_then(|t| t.range).map(|(_, to)| to.0),
            run.records.iter().flat_map(|r| &r.rows).map(|r| r.at.0).max(),
            run.modules.iter().flat_map(|m| &m.rows).filter_map(|m| Some(m.at?.0)).max(),
        ];
        OpsHead {
            base_ns: self.base.to_string(),
            range: (0.0, ends.into_iter().flatten().max().map_or(0.0, |end| self.relative(end))),
            life_end: index.life_end,
            peak_at: curve.peak().map(|peak| self.relative(peak.at.0)),
            peak_allocated: curve.total_allocated.peak().map(|(_, bytes)| bytes),
            unexplained_at: report.unexplained.as_ref().map(|u| self.relative(u.peak.at.0)),
            steps: (report.steps.iter())
                .map(|s| (s.number, self.relative(s.start_ns), self.relative(s.end_ns)))
                .collect(),
            names: self.texts(&self.names, |row| index.name(run, row)),
            devices: self.texts(&self.devices, |row| {
                let device = index.raw(run, row).map(|raw| raw.device);
                device.and_then(|id| Some(table?.strings.get(id))).unwrap_or("")
            }),
            stack_tops: self
                .texts(&self.stacks, |row| index.stack(run, row).split(FRAME_SEPARATOR).next().unwrap_or("")),
            series: self.series.iter().map(|series| &series.name).collect(),
            step_times: run
                .steps
                .iter()
                .flat_map(|steps| core::iter::once(&steps.columns).chain(steps.rows.iter().take(MOST_LISTED)))
                .collect(),
            report,
        }
    }

    /// The innermost operator of any thread around a moment.
    pub fn operator_at(&self, at: f64) -> Option<OperatorAt<'_>> {
        let trace = self.rank.run.trace.as_ref()?;
        let at = self.base.saturating_add(at as i64);
        let around = trace.operators.iter().filter(|o| o.start.0 <= at && at <= o.end.0);
        let found = around.max_by_key(|o| (o.start.0, core::cmp::Reverse(o.end.0)))?;
        Some(OperatorAt {
            name: trace.strings.get(found.name),
            start: self.relative(found.start.0),
            end: self.relative(found.end.0),
            stack_top: trace.strings.get(found.stack).split(FRAME_SEPARATOR).next().unwrap_or(""),
        })
    }
}

/// Every curve of a rank. Those without a point are left out.
fn all_series(rank: &Analysed, base: i64) -> Vec<NamedSeries> {
    let mut out: Vec<NamedSeries> = Vec::new();
    let mut put = |group, name: &str, device: &str, what, points: Vec<f64>| {
        if !points.is_empty() {
            let name = SeriesName { group, name: name.to_owned(), device: device.to_owned(), what };
            out.push(NamedSeries { name, points });
        }
    };
    let curve = &rank.curve;
    put("rows", "", "", "live", points(&curve.live, base));
    let counts = curve.live.times().iter().zip(&curve.count);
    let counts = counts.flat_map(|(&time, &count)| [time.saturating_sub(base) as f64, f64::from(count)]);
    put("rows", "", "", "count", counts.collect());
    put("rows", "", "", "allocated", points(&curve.total_allocated, base));
    let components = rank.run.records.as_ref().map(component_curves).unwrap_or_default();
    for component in &components {
        let mut of = |what, series| {
            put("component", &component.component, &component.device, what, points(series, base))
        };
        of("allocated", &component.allocated);
        of("reserved", &component.reserved);
        of("active", &component.active);
    }
    if let Some(series) = unexplained_curve(&components) {
        put("unexplained", "", "", "reserved", points(&series, base));
    }
    // A report made once, beside an out-of-memory, has no times and so no curve.
    if let Some(modules) = rank.run.modules.as_ref().filter(|m| m.rows.iter().any(|row| row.at.is_some())) {
        for (module, device, _, series) in module_curves(modules) {
            put("module", &module, &device, "reserved", points(&series, base));
        }
    }
    out
}
