//! Several logs side by side, graph by graph: which ordering or policy needs least.

use super::report::GeReport;
use crate::model::Bytes;
use serde::Serialize;
use std::collections::BTreeMap;

/// The figures of a graph in one log.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CompareCell {
    pub total: Bytes,
    pub after_reuse: Bytes,
    pub theory_min: Bytes,
    pub atomic_and_continuous: Bytes,
    pub streams: u64,
    pub topo_mode: Option<String>,
    /// Memory policy: `mop`, else `alloc_mode`.
    pub policy: Option<String>,
    pub reuse_rate: f64,
    pub reach_theory_rate: f64,
    /// Against the first log that has the graph.
    pub after_reuse_diff: i64,
}

/// A graph across the logs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CompareRow {
    pub graph: String,
    pub memtype: i64,
    /// One a log; `null` where the log has no such graph.
    pub logs: Vec<Option<CompareCell>>,
    /// The log that takes least; the first of several.
    pub best: Option<usize>,
}

/// The table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub schema: &'static str,
    pub logs: Vec<String>,
    pub graphs: Vec<CompareRow>,
}

/// Compares reports. Graphs are the same if their names and kinds of memory are; of a graph that was
/// compiled several times the last counts, and process numbers do not matter.
pub fn compare(reports: &[(&str, &GeReport)]) -> Comparison {
    let mut rows: BTreeMap<(&str, i64), Vec<Option<CompareCell>>> = BTreeMap::new();
    for (n, (_, report)) in reports.iter().enumerate() {
        for graph in report.processes.iter().flat_map(|process| &process.graphs) {
            let figures = &graph.figures;
            let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
            let cell = CompareCell {
                total: figures.total,
                after_reuse: figures.memory_size,
                theory_min: figures.theory_min,
                atomic_and_continuous: figures.atomic + figures.continuous,
                streams: figures.streams,
                topo_mode: filled(&figures.topo_mode),
                policy: filled(&figures.mop).or_else(|| filled(&figures.alloc_mode)),
                reuse_rate: figures.reuse_rate,
                reach_theory_rate: figures.reach_theory_rate,
                after_reuse_diff: 0,
            };
            let row = rows.entry((&graph.key, graph.memtype)).or_insert_with(|| vec![None; reports.len()]);
            row[n] = Some(cell);
        }
    }
    let graphs = rows.into_iter().map(|((graph, memtype), mut logs)| {
        let first = logs.iter().flatten().next().map(|cell| cell.after_reuse);
        for cell in logs.iter_mut().flatten() {
            cell.after_reuse_diff = first.map_or(0, |first| cell.after_reuse.minus(first));
        }
        let sizes = logs.iter().enumerate().filter_map(|(n, cell)| Some((cell.as_ref()?.after_reuse, n)));
        let best = sizes.min().map(|(_, n)| n);
        CompareRow { graph: graph.to_owned(), memtype, logs, best }
    });
    Comparison {
        schema: "hbmlens.ge.compare/1",
        logs: reports.iter().map(|(name, _)| (*name).to_owned()).collect(),
        graphs: graphs.collect(),
    }
}
