//! A whole log: processes, their graphs and events, and how often each kind of line was seen.

use super::{BaseAddress, DriverEvent, ExitStat, OpAddress, Placement, PoolEvent, Summary, Variable};
use crate::model::{StringId, StringTable, Warnings};
use serde::Serialize;

/// The kinds of lines that matter; a log is judged by which of them it lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum LineKind {
    Set,
    AfterAssign,
    Continuous,
    Atomic,
    Variable,
    Base,
    Address,
    KernelMemory,
    PoolBlock,
    PoolDetails,
    DriverMalloc,
    DriverFree,
    ExitStats,
    CommaRow,
}

/// How many lines of each kind were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MarkerCounts([u64; 14]);

impl MarkerCounts {
    pub fn add(&mut self, kind: LineKind) {
        self.0[kind as usize] += 1;
    }

    pub fn get(&self, kind: LineKind) -> u64 {
        self.0[kind as usize]
    }

    /// Lines of any kind.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// A static graph as it was compiled once. A graph that is compiled again is a second entry.
#[derive(Clone, Debug)]
pub struct Graph {
    /// As printed: the name and, since 2022, `_` and the id.
    pub key: StringId,
    /// 0 for the first compilation of that key in its process.
    pub round: u32,
    /// The key ends in the graph's id. Logs of 2021 and before print the name alone.
    pub has_id: bool,
    pub placements: Vec<Placement>,
    /// One a memory type.
    pub summaries: Vec<Summary>,
}

/// What one process wrote, in time order.
#[derive(Clone, Debug)]
pub struct GeProcess {
    pub pid: u64,
    pub name: StringId,
    pub graphs: Vec<Graph>,
    pub variables: Vec<Variable>,
    pub bases: Vec<BaseAddress>,
    pub addresses: Vec<OpAddress>,
    pub pool: Vec<PoolEvent>,
    pub driver: Vec<DriverEvent>,
    pub exit_stats: Vec<ExitStat>,
}

/// Everything read from one or several log files.
#[derive(Clone, Debug, Default)]
pub struct GeLog {
    pub strings: StringTable,
    /// By process number.
    pub processes: Vec<GeProcess>,
    pub markers: MarkerCounts,
    /// Bytes and files read.
    pub bytes: u64,
    pub files: u32,
    pub warnings: Warnings,
}

impl GeLog {
    /// The text of an id; empty for none.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// Name and id of a graph, told apart where the log prints both.
    pub fn graph_name<'a>(&'a self, graph: &Graph) -> (&'a str, Option<u64>) {
        let key = self.text(graph.key);
        if graph.has_id
            && let Some((name, id)) = key.rsplit_once('_')
            && !name.is_empty()
            && let Ok(id) = id.parse()
        {
            return (name, Some(id));
        }
        (key, None)
    }
}
