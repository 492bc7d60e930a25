//! One run of one rank, and all of them side by side: the JSON of the terminal program.

use super::compare::{NameDifference, OUTLIER_SHARE, compare_moments, deviations};
use super::components::{
    ComponentSummary, ModuleSummary, Unexplained, component_curves, module_summaries, unexplained,
};
use super::cost::{ApiCost, api_cost};
use super::index::{LifeEnd, OpsIndex};
use super::join::MatchKind;
use super::kineto::rows_of_memory_events;
use super::live::LiveCurve;
use super::rows::{OpsRow, event_totals};
use super::static_graphs::{StaticGraph, static_graphs};
use crate::analysis::checks::Status;
use crate::model::profile::ProfilerRun;
use crate::model::{Arrange, Nanos, Warning};
use serde::Serialize;

pub const SCHEMA: &str = "hbmlens.ops/1";
/// Operators of a static graph that a page shows.
const MOST_LISTED: usize = 500;

/// How many rows were matched in each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct MatchCounts {
    pub exact: u64,
    pub flow: u64,
    pub approximate: u64,
    pub inherited: u64,
    pub none: u64,
}

impl MatchCounts {
    pub fn of(index: &OpsIndex) -> MatchCounts {
        let counts = index.match_counts();
        let of = |kind| counts.get(&kind).copied().unwrap_or(0);
        MatchCounts {
            exact: of(MatchKind::Exact),
            flow: of(MatchKind::Flow),
            approximate: of(MatchKind::Approximate),
            inherited: of(MatchKind::Inherited),
            none: of(MatchKind::None),
        }
    }
}

/// One thing that rows must have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FieldCheck {
    pub field: &'static str,
    pub status: Status,
    /// Rows that lack it.
    pub missing: u64,
}

/// Are the rows what programs that read them expect? A blank name is legal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OutputCheck {
    pub status: Status,
    pub fields: Vec<FieldCheck>,
    pub unnamed_rows: u64,
}

/// A step of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StepSpan {
    pub number: u64,
    pub start_ns: i64,
    pub end_ns: i64,
}

/// What one run of one rank amounts to.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RankReport {
    pub role: String,
    pub rank: i64,
    /// The rank, or "single" for a card without one.
    pub rank_label: String,
    pub folder: String,
    /// Counts the runs of one role and rank in order of time, from 0.
    pub run: u64,
    pub device: String,
    pub rows_total: u64,
    pub peak_mb: f64,
    pub peak_bytes: i64,
    pub peak_ns: Option<i64>,
    pub unreleased_bytes: u64,
    pub unreleased_count: u64,
    pub matches: MatchCounts,
    pub check: OutputCheck,
    pub components: Vec<ComponentSummary>,
    pub unexplained: Option<Unexplained>,
    pub modules: Vec<ModuleSummary>,
    pub static_graphs: Vec<StaticGraph>,
    pub api_cost: Option<ApiCost>,
    pub steps: Vec<StepSpan>,
    pub warnings: Vec<Warning>,
    pub rows: Vec<OpsRow>,
}

/// A rank whose peak is off from the others of its role.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RankOutlier {
    pub role: String,
    pub rank: i64,
    pub peak_bytes: i64,
    pub median_bytes: i64,
    /// (peak − median) / median.
    pub deviation: f64,
    /// What it holds at its peak against the median rank at its own, largest differences first.
    pub because: Vec<NameDifference>,
}

/// All ranks.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OpsReport {
    pub schema: &'static str,
    pub ranks: Vec<RankReport>,
    pub outliers: Vec<RankOutlier>,
}

/// A run with everything that is derived of it.
pub struct Analysed {
    pub run: ProfilerRun,
    pub index: OpsIndex,
    pub curve: LiveCurve,
}

impl Analysed {
    /// Rows come from the table of operator memory, else from the trace's own memory events.
    pub fn new(mut run: ProfilerRun, life_end: LifeEnd) -> Analysed {
        if run.operators.is_none() {
            run.operators = run.trace.as_ref().and_then(rows_of_memory_events);
        }
        let index = OpsIndex::new(&run, life_end);
        let curve = LiveCurve::new(&run, &index);
        Analysed { run, index, curve }
    }

    /// The report with the `top` largest rows (0: all), in order of start.
    pub fn report(&self, top: usize, number: u64) -> RankReport {
        let (run, index) = (&self.run, &self.index);
        let rows = top_positions(index, top).into_iter().filter_map(|i| OpsRow::new(run, index, i)).collect();
        RankReport { rows, static_graphs: self.graphs(top), ..self.figures(number) }
    }

    fn graphs(&self, top: usize) -> Vec<StaticGraph> {
        self.run.static_ops.as_ref().map(|ops| static_graphs(ops, top)).unwrap_or_default()
    }

    /// The report without its rows. `number` counts the runs of this role and rank.
    pub fn figures(&self, number: u64) -> RankReport {
        let Analysed { run, index, curve } = self;
        let peak = curve.peak();
        let (unreleased_bytes, unreleased_count) = index.unreleased(run);
        let curves = run.records.as_ref().map(component_curves).unwrap_or_default();
        let table = run.operators.as_ref();
        let steps = run.trace.iter().flat_map(|t| &t.steps);
        RankReport {
            role: run.key.role.clone(),
            rank: run.key.rank.unwrap_or(0),
            rank_label: run.key.label(),
            folder: run.key.folder.clone(),
            run: number,
            device: table.map_or("", |t| t.strings.get(index.device)).to_owned(),
            rows_total: index.len() as u64,
            peak_mb: peak.map_or(0.0, |p| p.bytes as f64 / f64::from(1 << 20)),
            peak_bytes: peak.map_or(0, |p| p.bytes),
            peak_ns: peak.map(|p| p.at.0),
            unreleased_bytes: unreleased_bytes.0,
            unreleased_count,
            matches: MatchCounts::of(index),
            check: output_check(run, index),
            components: curves.iter().map(|c| c.summary()).collect(),
            unexplained: unexplained(run, &curves),
            modules: run.modules.as_ref().map(module_summaries).unwrap_or_default(),
            static_graphs: self.graphs(MOST_LISTED),
            api_cost: run.trace.as_ref().map(api_cost),
            steps: steps
                .map(|s| StepSpan { number: s.number, start_ns: s.start.0, end_ns: s.end.0 })
                .collect(),
            warnings: warnings(run),
            rows: Vec::new(),
        }
    }
}

/// Positions of the `top` rows of the largest size (0: all), in order of start.
pub fn top_positions(index: &OpsIndex, top: usize) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..index.len()).collect();
    if top > 0 && positions.len() > top {
        positions.arrange_by_key(|&i| core::cmp::Reverse(index.size.get(i).map_or(0, |s| s.unsigned_abs())));
        positions.truncate(top);
        positions.sort_unstable();
    }
    positions
}

fn output_check(run: &ProfilerRun, index: &OpsIndex) -> OutputCheck {
    let (mut no_start, mut no_total, mut unnamed, mut positive) = (0, 0, 0, 0_u64);
    for i in 0..index.len() {
        let Some(row) = index.raw(run, i) else { continue };
        no_start += u64::from(index.start.get(i) == Some(&i64::MIN));
        no_total += u64::from(!event_totals(&row).allocated_mb.is_finite());
        unnamed += u64::from(index.name(run, i).is_empty());
        positive += u64::from(row.size > 0);
    }
    // Rows without a number for their size were left out by the reader, which counted them.
    let table = run.operators.as_ref();
    let no_size = table.and_then(|t| t.warnings.get("row_without_size")).map_or(0, |w| w.count);
    let field = |field, missing| FieldCheck {
        field,
        status: if missing == 0 { Status::Pass } else { Status::Fail },
        missing,
    };
    let fields = vec![
        field("name", 0),
        field("size_kb", no_size),
        field("start_time_ms", no_start),
        // A blank duration is the figure 0: never released.
        field("duration_ms", 0),
        field("total_allocated_mb", no_total),
        field("positive_size", u64::from(positive == 0)),
    ];
    let status = match table {
        None => Status::Unknown,
        Some(_) if fields.iter().all(|f| f.status == Status::Pass) => Status::Pass,
        Some(_) => Status::Fail,
    };
    OutputCheck { status, fields, unnamed_rows: unnamed }
}

fn warnings(run: &ProfilerRun) -> Vec<Warning> {
    let tables = [
        run.operators.as_ref().map(|t| &t.warnings),
        run.trace.as_ref().map(|t| &t.warnings),
        run.records.as_ref().map(|t| &t.warnings),
        run.modules.as_ref().map(|t| &t.warnings),
        run.static_ops.as_ref().map(|t| &t.warnings),
        run.steps.as_ref().map(|t| &t.warnings),
        Some(&run.warnings),
    ];
    tables.into_iter().flatten().flat_map(|w| w.iter().cloned()).collect()
}

/// Ranks of one role whose peak is off by more than a tenth, the farthest first. Of a rank with several
/// runs the one with the highest peak stands for it.
pub fn outliers(ranks: &[Analysed]) -> Vec<RankOutlier> {
    let mut highest: Vec<&Analysed> = Vec::new();
    for rank in ranks {
        let bytes = |a: &Analysed| a.curve.peak().map_or(0, |p| p.bytes);
        let same =
            |a: &&mut &Analysed| (&a.run.key.role, a.run.key.rank) == (&rank.run.key.role, rank.run.key.rank);
        match highest.iter_mut().find(same) {
            Some(slot) if bytes(slot) >= bytes(rank) => {}
            Some(slot) => *slot = rank,
            None => highest.push(rank),
        }
    }
    highest.arrange_by(|a, b| a.run.key.cmp(&b.run.key));
    let mut out = Vec::new();
    for role in highest.chunk_by(|a, b| a.run.key.role == b.run.key.role) {
        let peaks: Vec<i64> = role.iter().map(|a| a.curve.peak().map_or(0, |p| p.bytes)).collect();
        let Some((median, shares)) = deviations(&peaks) else { continue };
        let Some(typical) = peaks.iter().position(|&p| p == median).and_then(|i| role.get(i)) else {
            continue;
        };
        let moment = |a: &Analysed| a.curve.peak().map_or(Nanos(0), |p| p.at).0;
        for ((rank, &peak_bytes), &deviation) in role.iter().zip(&peaks).zip(&shares) {
            if deviation.abs() <= OUTLIER_SHARE {
                continue;
            }
            let mut because = compare_moments(
                (&typical.run, &typical.index, moment(typical)),
                (&rank.run, &rank.index, moment(rank)),
            );
            because.retain(|d| d.diff_bytes != 0);
            because.truncate(10);
            out.push(RankOutlier {
                role: rank.run.key.role.clone(),
                rank: rank.run.key.rank.unwrap_or(0),
                peak_bytes,
                median_bytes: median,
                deviation,
                because,
            });
        }
    }
    out.arrange_by(|a, b| b.deviation.abs().total_cmp(&a.deviation.abs()));
    out
}

/// Numbers the runs of each role and rank in the order given (that of their time stamps).
pub fn run_numbers(ranks: &[Analysed]) -> Vec<u64> {
    let key = |a: &Analysed| (a.run.key.role.clone(), a.run.key.rank);
    (0..ranks.len())
        .map(|i| {
            ranks.iter().take(i).filter(|other| ranks.get(i).map(key) == Some(key(other))).count() as u64
        })
        .collect()
}

/// Everything, with the `top` largest rows of each.
pub fn report(ranks: &[Analysed], top: usize) -> OpsReport {
    let numbers = run_numbers(ranks);
    OpsReport {
        schema: SCHEMA,
        ranks: ranks.iter().zip(numbers).map(|(rank, number)| rank.report(top, number)).collect(),
        outliers: outliers(ranks),
    }
}
