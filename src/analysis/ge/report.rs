//! Everything about one log: what `hbmlens ge … --json` prints.

use super::addresses::{self, AddressCheck};
use super::blocks::{GraphBlocks, mem_types};
use super::device::{Device, device};
use super::figures::{Figures, figures};
use super::gap::{Gap, gap};
use super::missing::{Missing, missing};
use super::overlap::{OverlapReport, overlaps};
use super::peak::{GraphPeak, graph_peak};
use super::pools::{Pool, PoolStep, Pools, pools};
use super::variables::{SessionRow, VariableRow, sessions, variables};
use crate::model::Warning;
use crate::model::ge::{GeLog, GeProcess};
use serde::Serialize;

/// A graph in one kind of memory.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GraphReport {
    /// The name without the id.
    pub graph: String,
    pub id: Option<u64>,
    /// As the log prints it.
    pub key: String,
    /// 0 for the first compilation of that graph in its process.
    pub round: u32,
    pub memtype: i64,
    #[serde(flatten)]
    pub figures: Figures,
    pub overlaps: Vec<super::overlap::Overlap>,
    pub overlap_count: u64,
    pub boundary_count: u64,
    pub peak: GraphPeak,
    pub gap: Gap,
}

/// A pool, and its curve at a width that fits a report.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PoolReport {
    #[serde(flatten)]
    pub pool: Pool,
    /// At most [`CURVE`] steps; of each stretch the one with most live, so the peak is among them.
    pub curve: Vec<PoolStep>,
}

/// One process.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProcessReport {
    pub pid: u64,
    pub name: Option<String>,
    pub graphs: Vec<GraphReport>,
    pub pools: Vec<PoolReport>,
    pub device: Device,
    pub sessions: Vec<SessionRow>,
    pub variables: Vec<VariableRow>,
    pub addresses: AddressCheck,
}

/// One log.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GeReport {
    pub schema: &'static str,
    pub processes: Vec<ProcessReport>,
    pub missing: Vec<Missing>,
    pub warnings: Vec<Warning>,
}

/// Steps of a curve in a report.
pub const CURVE: usize = 512;

/// Works everything out.
pub fn report(log: &GeLog) -> GeReport {
    GeReport {
        schema: "hbmlens.ge/1",
        processes: log.processes.iter().map(|process| process_report(log, process)).collect(),
        missing: missing(log),
        warnings: log.warnings.iter().cloned().collect(),
    }
}

impl GeReport {
    /// Real overlaps and wrong addresses: what `check` fails on.
    pub fn failures(&self) -> u64 {
        self.processes
            .iter()
            .map(|process| {
                let overlaps: u64 = process.graphs.iter().map(|graph| graph.overlap_count).sum();
                overlaps + process.addresses.failed
            })
            .sum()
    }
}

fn process_report(log: &GeLog, process: &GeProcess) -> ProcessReport {
    let mut graphs = Vec::new();
    for graph in &process.graphs {
        for mem_type in mem_types(graph) {
            graphs.push(graph_report(&GraphBlocks::new(log, graph, mem_type)));
        }
    }
    let Pools { pools, curves, .. } = pools(process);
    let pools =
        pools.into_iter().zip(&curves).map(|(pool, curve)| PoolReport { pool, curve: thin(curve, CURVE) });
    ProcessReport {
        pid: process.pid,
        name: process.name.some().map(|id| log.text(id).to_owned()),
        graphs,
        pools: pools.collect(),
        device: device(log, process),
        sessions: sessions(process),
        variables: variables(log, process),
        addresses: addresses::check(log, process),
    }
}

/// One graph in one kind of memory.
pub fn graph_report(blocks: &GraphBlocks<'_>) -> GraphReport {
    let (name, id) = blocks.log.graph_name(blocks.graph);
    let figures = figures(blocks);
    let OverlapReport { overlaps: overlap_count, boundaries: boundary_count, listed, .. } = overlaps(blocks);
    GraphReport {
        graph: name.to_owned(),
        id,
        key: blocks.log.text(blocks.graph.key).to_owned(),
        round: blocks.graph.round,
        memtype: blocks.mem_type,
        overlaps: listed,
        overlap_count,
        boundary_count,
        peak: graph_peak(blocks),
        gap: gap(blocks, &figures),
        figures,
    }
}

/// At most `width` steps; of each stretch the one with most live, and always the last one.
pub fn thin(curve: &[PoolStep], width: usize) -> Vec<PoolStep> {
    if curve.len() <= width {
        return curve.to_vec();
    }
    let stretch = curve.len().div_ceil(width.max(2) - 1);
    let tops = curve.chunks(stretch).filter_map(|steps| steps.iter().max_by_key(|step| step.live));
    let mut thinned: Vec<PoolStep> = tops.copied().collect();
    thinned.extend(curve.last().filter(|last| thinned.last() != Some(last)));
    thinned
}
