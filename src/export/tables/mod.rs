//! The tables that leave the program, and their rows out of what is loaded.
//!
//! Rows come one at a time, lent to whoever writes them: a million events need no second copy, and a
//! writer of columns gathers what it wants.

mod frames_json;
mod life_rows;
mod profile_rows;
mod schema;
mod snapshot_rows;

pub use schema::{Column, Index, SCHEMA, TABLES, Table, TableId, Type, VIEWS, table};

use crate::analysis::attribution::Attributed;
use crate::analysis::ops::report::Analysed;
use crate::model::{Snapshot, Warnings};
use profile_rows::RunStacks;
use std::io;

/// A cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Value<'a> {
        text.map_or(Value::Null, Value::Text)
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Value::Null, Value::Int)
    }
}

/// A number of bytes or an address as SQL has integers: signed, two's complement.
fn signed(value: u64) -> i64 {
    value.cast_signed()
}

/// Takes rows, without their `id`s, which count from 1.
pub type Sink<'s> = dyn FnMut(&[Value<'_>]) -> io::Result<()> + 's;

/// Where rows come from: a snapshot with what is known of its devices, or runs of a profiler.
pub struct Source<'a> {
    /// What `file_info` says of the file beyond the snapshot's own words.
    pub facts: Vec<(&'static str, String)>,
    pub snapshot: Option<&'a Snapshot>,
    /// Of each device that has segments or events.
    pub memory: &'a [Attributed<'a>],
    runs: &'a [Analysed],
    run_stacks: RunStacks,
}

impl<'a> Source<'a> {
    /// The rows of a snapshot. Without `memory` the tables `lives` and `figures` are empty.
    pub fn of_snapshot(snapshot: &'a Snapshot, memory: &'a [Attributed<'a>]) -> Source<'a> {
        Source {
            facts: Vec::new(),
            snapshot: Some(snapshot),
            memory,
            runs: &[],
            run_stacks: RunStacks::default(),
        }
    }

    /// The rows of profiler runs.
    pub fn of_runs(runs: &'a [Analysed]) -> Source<'a> {
        Source { facts: Vec::new(), snapshot: None, memory: &[], runs, run_stacks: RunStacks::new(runs) }
    }

    /// Hands every row of a table to `sink`, in order.
    pub fn rows(&self, table: TableId, sink: &mut Sink<'_>) -> io::Result<()> {
        match table {
            TableId::FileInfo => self.file_info(sink),
            TableId::Warnings => self.warnings(sink),
            TableId::Categories => life_rows::categories(sink),
            TableId::Lives => life_rows::lives(self.memory, sink),
            TableId::Figures => life_rows::figures(self.memory, sink),
            TableId::Runs => profile_rows::runs(self.runs, sink),
            TableId::OperatorMemory => profile_rows::operators(self.runs, &self.run_stacks, sink),
            TableId::MemoryRecord => profile_rows::records(self.runs, sink),
            TableId::ModuleMemory => profile_rows::modules(self.runs, sink),
            TableId::CallStacks if self.snapshot.is_none() => self.run_stacks.rows(sink),
            table => match self.snapshot {
                Some(snapshot) => snapshot_rows::rows(snapshot, table, sink),
                None => Ok(()),
            },
        }
    }

    fn file_info(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        sink(&[Value::Text("schema"), Value::Text(SCHEMA)])?;
        for (name, value) in &self.facts {
            sink(&[Value::Text(name), Value::Text(value)])?;
        }
        self.snapshot.map_or(Ok(()), |snapshot| snapshot_rows::file_info(snapshot, sink))
    }

    fn warnings(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        let mut all: Vec<&Warnings> = self.snapshot.iter().map(|s| &s.warnings).collect();
        for run in self.runs.iter().map(|analysed| &analysed.run) {
            all.push(&run.warnings);
            all.extend(run.operators.as_ref().map(|t| &t.warnings));
            all.extend(run.records.as_ref().map(|t| &t.warnings));
            all.extend(run.modules.as_ref().map(|t| &t.warnings));
            all.extend(run.trace.as_ref().map(|t| &t.warnings));
        }
        for warning in all.into_iter().flat_map(Warnings::iter) {
            let (kind, at) = match warning.position {
                None => (None, None),
                Some(position) => {
                    let (kind, at) = snapshot_rows::place(position);
                    (Some(kind), Some(signed(at)))
                }
            };
            sink(&[
                Value::Text(&warning.kind),
                Value::Int(signed(warning.count)),
                Value::Text(&warning.detail),
                kind.into(),
                at.into(),
            ])?;
        }
        Ok(())
    }
}

/// The `id` of a row, or null for a handle that is none.
fn row_id(index: Option<usize>) -> Value<'static> {
    index.map_or(Value::Null, |index| Value::Int(index as i64 + 1))
}

/// True for tables that need replayed devices.
pub fn needs_replay(table: TableId) -> bool {
    matches!(table, TableId::Lives | TableId::Figures)
}
