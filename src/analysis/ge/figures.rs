//! The figures of a static graph, each with where it comes from.
//!
//! GE prints most of them itself, but not every version prints all, and a rolled-over log may hold the
//! operators' lines without the closing one or the other way round. What GE says counts; what it does
//! not say is worked out from the operators' lines, and every figure that can come from either says
//! which it is.

use super::blocks::GraphBlocks;
use super::{reach_theory_rate, reuse_rate};
use crate::model::Bytes;
use crate::model::ge::{Placement, PlacementKind, ReuseInput, Summary};
use serde::Serialize;

/// Where a figure was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Summed up from the operators' lines.
    OperatorLines,
    /// GE's `AfterAssignMemory`.
    AfterAssignMemory,
    /// The closing row of a report that was read back.
    Report,
}

/// The figures of one graph in one kind of memory.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// After reuse.
    pub memory_size: Bytes,
    pub memory_size_source: Source,
    /// Without reuse; from operators' lines in their 32-aligned sizes, from GE in 512-aligned ones.
    pub total: Bytes,
    pub total_source: Source,
    /// GE's own 512-aligned total, whatever `total` is.
    pub total_size: Option<Bytes>,
    pub theory_min: Bytes,
    pub theory_min_source: Source,
    pub zero_copy: Bytes,
    pub no_reuse: Bytes,
    pub atomic: Bytes,
    pub continuous: Bytes,
    pub streams: u64,
    pub topo_mode: Option<String>,
    pub mop: Option<String>,
    pub io_reuse: Option<String>,
    pub alloc_mode: Option<String>,
    pub smp: Option<String>,
    pub reuse_rate: f64,
    pub reach_theory_rate: f64,
    /// Lines of operators in this graph and memory.
    pub operators: u64,
}

/// The figures.
pub fn figures(graph: &GraphBlocks<'_>) -> Figures {
    let log = graph.log;
    // Of several the last: GE prints again when it tried again.
    let summary = graph.graph.summaries.iter().rfind(|row| row.mem_type == graph.mem_type);
    let rows = || graph.graph.placements.iter().filter(|row| row.mem_type.unwrap_or(2) == graph.mem_type);
    let sum = |rows: &mut dyn Iterator<Item = &Placement>, size: fn(&Placement) -> Bytes| -> Bytes {
        rows.map(size).sum()
    };
    let own = || rows().filter(|row| row.owns_memory());
    let operators = rows().count() as u64;
    let operator_total = sum(&mut own(), |row| row.real_size);
    let total_size = summary.and_then(|row| row.total_size);
    let reported = summary.and_then(|row| row.operator_total);
    let (total, total_source) = match (operators, reported, total_size) {
        (_, Some(total), _) => (total, Source::Report),
        (0, None, Some(total)) => (total, Source::AfterAssignMemory),
        _ => (operator_total, Source::OperatorLines),
    };
    let said = if reported.is_some() { Source::Report } else { Source::AfterAssignMemory };
    let (memory_size, memory_size_source) = match summary {
        Some(row) => (row.memory_size, said),
        None => (extent(&mut own()), Source::OperatorLines),
    };
    let (theory_min, theory_min_source) = match summary.and_then(|row| row.theory_min) {
        Some(theory) => (theory, said),
        None => {
            let (reusable, _, fixed) = graph.least();
            (Bytes(reusable.saturating_add(fixed)), Source::OperatorLines)
        }
    };
    let text = |pick: fn(&Summary) -> crate::model::StringId| {
        summary.and_then(|row| pick(row).some()).map(|id| log.text(id).to_owned())
    };
    let is_set = |row: &&Placement| row.kind == PlacementKind::Set;
    Figures {
        memory_size,
        memory_size_source,
        total,
        total_source,
        total_size,
        theory_min,
        theory_min_source,
        zero_copy: summary
            .and_then(|row| row.zero_copy)
            .unwrap_or_else(|| sum(&mut own().filter(|row| row.child.zero_copy()), |row| row.size)),
        no_reuse: summary.and_then(|row| row.no_reuse).unwrap_or_else(|| {
            sum(&mut own().filter(is_set).filter(|row| !row.child.reusable()), |row| row.size)
        }),
        atomic: summary
            .and_then(|row| row.atomic)
            .unwrap_or_else(|| sum(&mut own().filter(|row| row.kind.is_atomic()), |row| row.size)),
        continuous: summary.and_then(|row| row.continuous).unwrap_or_else(|| continuous(graph, &mut own())),
        streams: summary.and_then(|row| row.streams).unwrap_or_else(|| {
            let mut streams: Vec<i64> = rows().map(|row| row.stream.stream).collect();
            streams.sort_unstable();
            streams.dedup();
            streams.len() as u64
        }),
        topo_mode: text(|row| row.topo_mode),
        mop: text(|row| row.mop),
        io_reuse: summary
            .and_then(|row| row.io_reuse)
            .map(|ReuseInput { inputs, outputs }| format!("{inputs}:{outputs}")),
        alloc_mode: text(|row| row.alloc_mode),
        smp: text(|row| row.smp),
        reuse_rate: reuse_rate(total.0, memory_size.0),
        reach_theory_rate: reach_theory_rate(theory_min.0, memory_size.0),
        operators,
    }
}

/// Continuous memory: blocks, each of which several lines print, and what continuous lines place.
fn continuous(graph: &GraphBlocks<'_>, rows: &mut dyn Iterator<Item = &Placement>) -> Bytes {
    let placed = rows.filter(|row| row.kind.is_continuous()).map(|row| row.size);
    let blocks = graph.continuous().into_iter().map(|block| Bytes(block.size));
    placed.chain(blocks).sum()
}

/// From the lowest offset to the highest end.
fn extent(rows: &mut dyn Iterator<Item = &Placement>) -> Bytes {
    let (mut low, mut high) = (u64::MAX, 0);
    for row in rows {
        low = low.min(row.offset);
        high = high.max(row.offset.saturating_add(row.size.0));
    }
    Bytes(high.saturating_sub(low))
}
