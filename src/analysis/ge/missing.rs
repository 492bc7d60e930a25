//! Which lines a log lacks, which report needs them, and how to record them.
//!
//! A report of zeros looks like an answer. So for every report it is said which of its lines the log
//! does not hold, and for a graph of which the log holds only a part (older files rolled over), that
//! it does.

use super::blocks::{Block, GraphBlocks, mem_types};
use crate::model::ge::{GeLog, Graph, LineKind};
use crate::text::Message;
use serde::Serialize;

/// A kind of line that is not there, or not complete.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Missing {
    /// The text to look for in a log.
    pub marker: &'static str,
    /// The report that needs it.
    pub needed_for: &'static str,
    /// The graph that is incomplete; `null` where no such line was found at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    pub how: Message,
}

/// One marker: what shows that it is there, and which run prints it.
struct Marker {
    kinds: &'static [LineKind],
    marker: &'static str,
    needed_for: &'static str,
    how: &'static str,
}

const MARKERS: &[Marker] = &[
    Marker {
        kinds: &[LineKind::Set, LineKind::CommaRow],
        marker: "[IMAS]Set",
        needed_for: "imas_mem_graph.csv",
        how: "ge.missing.compile",
    },
    Marker {
        kinds: &[LineKind::AfterAssign, LineKind::CommaRow],
        marker: "[IMAS]AfterAssignMemory",
        needed_for: "imas_mem_graph.csv",
        how: "ge.missing.compile",
    },
    Marker {
        kinds: &[LineKind::Variable],
        marker: "[IMAS]AssignVarMem",
        needed_for: "imas_mem_variable.csv",
        how: "ge.missing.compile",
    },
    Marker {
        kinds: &[LineKind::Base],
        marker: "MallocMemory type[F]",
        needed_for: "imas_mem_addr.csv",
        how: "ge.missing.load",
    },
    Marker {
        kinds: &[LineKind::Address],
        marker: "[IMAS]graph_N type[F]",
        needed_for: "imas_mem_addr.csv",
        how: "ge.missing.load",
    },
    Marker {
        kinds: &[LineKind::DriverMalloc],
        marker: "MallocMemory, func=",
        needed_for: "total",
        how: "ge.missing.load",
    },
    Marker {
        kinds: &[LineKind::PoolBlock, LineKind::KernelMemory],
        marker: "Malloc block device_id",
        needed_for: "imas_mem_pool.csv",
        how: "ge.missing.dynamic",
    },
    Marker {
        kinds: &[LineKind::ExitStats],
        marker: "svm_mem_stats_show",
        needed_for: "total",
        how: "ge.missing.exit",
    },
];

/// The settings that record everything.
pub const SETTINGS: &str = "export ASCEND_GLOBAL_LOG_LEVEL=1 ASCEND_HOST_LOG_FILE_NUM=1000";

/// What the log lacks.
pub fn missing(log: &GeLog) -> Vec<Missing> {
    let how = |key| Message::new(key).text("settings", SETTINGS);
    let absent = MARKERS.iter().filter(|marker| marker.kinds.iter().all(|&kind| log.markers.get(kind) == 0));
    let mut all: Vec<Missing> = absent
        .map(|marker| Missing {
            marker: marker.marker,
            needed_for: marker.needed_for,
            graph: None,
            how: how(marker.how),
        })
        .collect();
    for process in &log.processes {
        for graph in &process.graphs {
            let key = log.text(graph.key);
            let mut add = |marker, needed_for| {
                let graph = Some(format!("Process_{},{key}", process.pid));
                all.push(Missing { marker, needed_for, graph, how: how("ge.missing.rolled_over") });
            };
            if graph.summaries.is_empty() && log.markers.get(LineKind::AfterAssign) > 0 {
                add("[IMAS]AfterAssignMemory", "imas_mem_graph.csv");
            }
            let has_lines = log.markers.get(LineKind::Set) + log.markers.get(LineKind::CommaRow) > 0;
            if has_lines && mem_types(graph).into_iter().any(|kind| lines_are_gone(log, graph, kind)) {
                add("[IMAS]Set", "imas_mem_graph.csv");
            }
        }
    }
    all
}

/// The operators' lines reach less far than the memory that GE says it gave out, or sum up to much
/// less. Versions differ in what they count, so a small difference says nothing.
fn lines_are_gone(log: &GeLog, graph: &Graph, mem_type: i64) -> bool {
    /// Guard space at the end of some regions.
    const SLACK: u64 = 4096;
    let Some(summary) = graph.summaries.iter().rfind(|row| row.mem_type == mem_type) else { return false };
    let blocks = GraphBlocks::new(log, graph, mem_type);
    let sum = blocks.owners().map(Block::aligned).fold(0, u64::saturating_add);
    if summary.total_size.is_some_and(|total| sum < total.0 / 4 * 3) {
        return true;
    }
    let low = blocks.blocks.iter().map(|block| block.offset).min().unwrap_or(0);
    let ends = blocks.blocks.iter().map(|block| {
        let row = blocks.row(block);
        block.offset.saturating_add(block.bytes).max(row.offset.saturating_add(row.size.0))
    });
    let high = ends.max().unwrap_or(0);
    // Some versions count offsets from the region's begin, some from the end of another region.
    high.saturating_sub(low).saturating_add(SLACK) < summary.memory_size.0
}
