//! Collects rows while files are read and puts them in order at the end.
//!
//! Files may come in any order and their processes mixed, so nothing is concluded while reading:
//! rows are kept by process with their time, and [`Builder::finish`] sorts them (lines of equal time
//! stay as read) and only then groups placements into graphs.

use crate::model::ge::{
    BaseAddress, DriverEvent, ExitStat, GeLog, GeProcess, Graph, LineKind, OpAddress, Placement, PoolEvent,
    Slot, Summary, Variable,
};
use crate::model::{Arrange, FastMap, FastSet, Nanos, Position, StringId, fast_map, fast_set};
use std::collections::BTreeMap;

/// A line about a static graph.
#[derive(Clone, Copy, Debug)]
pub(super) enum GraphRow {
    Placement(Placement),
    Summary(Summary),
}

/// The rows of one process.
#[derive(Default)]
pub(super) struct ProcessRows {
    name: Option<StringId>,
    /// With the graph's key, and whether the line is of a version that prints the graph's id.
    graphs: Vec<(StringId, bool, GraphRow)>,
    variables: Vec<Variable>,
    bases: Vec<BaseAddress>,
    addresses: Vec<OpAddress>,
    pub pool: Vec<PoolEvent>,
    pub driver: Vec<DriverEvent>,
    exit_stats: Vec<ExitStat>,
}

/// Where and when a line stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub pid: u64,
    pub at: Nanos,
    pub thread: u64,
    pub position: u64,
}

#[derive(Default)]
pub(super) struct Builder {
    pub log: GeLog,
    processes: BTreeMap<u64, ProcessRows>,
}

impl Builder {
    pub fn count(&mut self, kind: LineKind) {
        self.log.markers.add(kind);
    }

    /// The rows of a process, which is new if it was not seen before.
    pub fn process(&mut self, pid: u64) -> &mut ProcessRows {
        self.processes.entry(pid).or_default()
    }

    pub fn name_process(&mut self, pid: u64, name: &[u8]) {
        let rows = self.processes.entry(pid).or_default();
        if rows.name.is_none() && !name.is_empty() {
            rows.name = Some(self.log.strings.intern(&String::from_utf8_lossy(name)));
        }
    }

    pub fn placement(&mut self, place: Place, graph: StringId, prints_id: bool, row: Placement) {
        self.process(place.pid).graphs.push((graph, prints_id, GraphRow::Placement(row)));
    }

    pub fn summary(&mut self, place: Place, graph: StringId, prints_id: bool, row: Summary) {
        self.process(place.pid).graphs.push((graph, prints_id, GraphRow::Summary(row)));
    }

    pub fn variable(&mut self, place: Place, row: Variable) {
        self.process(place.pid).variables.push(row);
    }

    pub fn base(&mut self, place: Place, row: BaseAddress) {
        self.process(place.pid).bases.push(row);
    }

    pub fn address(&mut self, place: Place, row: OpAddress) {
        self.process(place.pid).addresses.push(row);
    }

    pub fn exit_stat(&mut self, place: Place, row: ExitStat) {
        self.process(place.pid).exit_stats.push(row);
    }

    pub fn warn(&mut self, kind: &str, position: u64, line: &[u8]) {
        self.log.warnings.add(kind, Some(Position::Byte(position)), || {
            let shown = &line[..line.len().min(200)];
            String::from_utf8_lossy(shown).into_owned()
        });
    }

    /// Sorts everything by time and groups placements into graphs.
    pub fn finish(mut self) -> GeLog {
        for (pid, mut rows) in core::mem::take(&mut self.processes) {
            rows.graphs.arrange_by_key(|(_, _, row)| match row {
                GraphRow::Placement(row) => row.at,
                GraphRow::Summary(row) => row.at,
            });
            rows.variables.arrange_by_key(|row| row.at);
            rows.bases.arrange_by_key(|row| row.at);
            rows.addresses.arrange_by_key(|row| row.at);
            rows.pool.arrange_by_key(|row| row.at);
            rows.driver.arrange_by_key(|row| row.at);
            rows.exit_stats.arrange_by_key(|row| row.at);
            rows.exit_stats.dedup();
            self.log.processes.push(GeProcess {
                pid,
                name: rows.name.unwrap_or(StringId::NONE),
                graphs: group(rows.graphs),
                variables: rows.variables,
                bases: rows.bases,
                addresses: rows.addresses,
                pool: rows.pool,
                driver: rows.driver,
                exit_stats: rows.exit_stats,
            });
        }
        self.log
    }
}

/// Splits the rows of a process by graph. A placement that a summary has closed and that comes again
/// belongs to another compilation of the same graph.
fn group(rows: Vec<(StringId, bool, GraphRow)>) -> Vec<Graph> {
    struct Open {
        graph: usize,
        closed: bool,
        seen: FastSet<(StringId, Slot, u32)>,
    }
    let mut graphs: Vec<Graph> = Vec::new();
    let mut open: FastMap<StringId, Open> = fast_map();
    for (key, prints_id, row) in rows {
        let fresh = |graphs: &mut Vec<Graph>, round| {
            let (placements, summaries) = (Vec::new(), Vec::new());
            graphs.push(Graph { key, round, has_id: prints_id, placements, summaries });
            Open { graph: graphs.len() - 1, closed: false, seen: fast_set() }
        };
        let now = open.entry(key).or_insert_with(|| fresh(&mut graphs, 0));
        match row {
            GraphRow::Placement(row) => {
                let is_set = row.kind == crate::model::ge::PlacementKind::Set;
                if is_set && !now.seen.insert((row.name, row.slot, row.index)) && now.closed {
                    let round = graphs[now.graph].round + 1;
                    *now = fresh(&mut graphs, round);
                    now.seen.insert((row.name, row.slot, row.index));
                }
                graphs[now.graph].placements.push(row);
            }
            GraphRow::Summary(row) => {
                now.closed = true;
                // The line is written to two log folders: the same moment twice is one summary.
                if !graphs[now.graph].summaries.contains(&row) {
                    graphs[now.graph].summaries.push(row);
                }
            }
        }
        graphs[now.graph].has_id |= prints_id;
    }
    graphs
}
