//! One file or folder per input format; each turns `impl Read` into the tables of [`crate::model`].
//!
//! [`open`] is the one entrance: it looks at the content, unwraps archives and pages, and hands the
//! bytes to the reader of the format found.

pub mod counters;
pub mod decimal;
mod error;
pub mod ge_log;
mod html;
mod options;
mod pickle;
pub mod profiler;
mod snapshot;
mod sniff;
mod source;
#[cfg(any(not(target_arch = "wasm32"), feature = "database"))]
pub mod sqlite;
mod zip;

pub use error::{Error, ErrorKind, Result};
pub use options::{Keep, ReadOptions, estimate};
pub use pickle::to_json as pickle_to_json;
pub use snapshot::kept;

use crate::model::Snapshot;
use crate::model::ge::GeLog;
use crate::model::profile::{
    MemoryRecords, ModuleMemory, OperatorTable, ProfilerRun, StaticOps, StepTrace, TraceTable,
};
use profiler::CsvKind;
use sniff::Kind;
use source::Source;
use std::io::Read;

/// What a file turned out to be.
#[derive(Debug)]
#[non_exhaustive]
pub enum Document {
    Snapshot(Box<Snapshot>),
    /// `trace_view.json` or a Kineto trace.
    Trace(Box<TraceTable>),
    /// `operator_memory.csv`.
    OperatorMemory(Box<OperatorTable>),
    /// `memory_record.csv`.
    MemoryRecords(Box<MemoryRecords>),
    /// `npu_module_mem.csv`, or the component report beside an out-of-memory snapshot.
    ModuleMemory(Box<ModuleMemory>),
    /// `static_op_mem.csv`.
    StaticOps(Box<StaticOps>),
    /// `step_trace_time.csv`.
    StepTrace(Box<StepTrace>),
    /// A database of a profiler, which holds what a folder holds.
    Run(Box<ProfilerRun>),
    /// A plog of CANN's graph engine, or an imas_mem_graph.csv.
    GeLog(Box<GeLog>),
}

/// Whether the first bytes are those of a table such as a profiler writes.
pub fn is_table(head: &[u8]) -> bool {
    sniff::sniff(head) == Kind::Csv
}

impl Document {
    /// The counters of the process, where the file brings them along.
    pub fn counters(&self) -> Option<counters::Counters> {
        let Document::Snapshot(snapshot) = self else { return None };
        snapshot.counters.as_ref().and_then(|text| counters::Counters::read(text.as_bytes()).ok())
    }

    /// Shows no directories and user names in what is exported from now on. Tables of figures have none,
    /// and the names in GE logs are those of operators.
    pub fn strip_paths(&mut self) {
        match self {
            Document::Snapshot(snapshot) => snapshot.strip_paths(),
            Document::Trace(trace) => trace.strip_paths(),
            Document::OperatorMemory(table) => table.strip_paths(),
            Document::Run(run) => run.strip_paths(),
            _ => {}
        }
    }
}

/// The formats [`open`] reads, for messages.
const ACCEPTED: &str = "accepted are: memory snapshots of PyTorch and torch_npu (.pickle, .json, trace_plot pages), traces \
                        and memory tables of profilers (trace_view.json, operator_memory.csv, ...), databases \
                        (ascend_pytorch_profiler_0.db, and those that this program makes), GE logs (plog-*.log, \
                        imas_mem_graph.csv), also inside gzip or zip";

/// Wrappings within wrappings beyond this are a trap.
const MOST_WRAPPINGS: usize = 4;

/// Reads a file of any accepted format. `progress` is told the bytes of the file read so far.
///
/// A damaged or cut file gives what could be read before the damage, with a warning; an error means
/// that nothing could be used.
pub fn open(source: impl Read, options: &ReadOptions, progress: &mut dyn FnMut(u64)) -> Result<Document> {
    let (kind, source) = unwrapped(Source::new(source, options.len, progress)?)?;
    read(kind, source, options)
}

/// Adds a file to a GE log of several files. Any plog file will do, also one in which other components
/// write first.
pub fn open_ge_log(
    source: impl Read,
    options: &ReadOptions,
    progress: &mut dyn FnMut(u64),
    reader: &mut ge_log::Reader,
) -> Result<()> {
    let (kind, source) = unwrapped(Source::new(source, options.len, progress)?)?;
    if kind != Kind::GeLog && !ge_log::is_ge_log(source.head()) {
        return match kind {
            Kind::Empty => Ok(()),
            _ => Err(Error::new(ErrorKind::Unexpected, "this is not a GE log")
                .hint("GE logs are plog-*.log files, and imas_mem_graph.csv")),
        };
    }
    reader.read(source, &mut |_| {})
}

/// Takes a file out of the archives and pages around it.
fn unwrapped(mut source: Source<'_>) -> Result<(Kind, Source<'_>)> {
    for _ in 0..MOST_WRAPPINGS {
        let kind = sniff::sniff(source.head());
        source = match kind {
            Kind::Gzip => source
                .unwrapped(|inner| Box::new(flate2::read::MultiGzDecoder::new(inner)))
                .map_err(broken_archive)?,
            Kind::Zip => {
                let position = source.handle();
                Source::over(Box::new(zip::first_member(source)?), None, position)?
            }
            Kind::Html => {
                let position = source.handle();
                let Some(inner) = html::embedded(source).map_err(broken_archive)? else {
                    return Err(unknown("a web page without a snapshot inside"));
                };
                Source::over(inner, None, position).map_err(broken_archive)?
            }
            _ => return Ok((kind, source)),
        };
    }
    Err(unknown("an archive within an archive within an archive"))
}

/// Hands an unwrapped source to the reader of its format.
fn read(kind: Kind, source: Source<'_>, options: &ReadOptions) -> Result<Document> {
    match kind {
        Kind::Pickle => pickle::read(source, options).map(|s| Document::Snapshot(Box::new(s))),
        Kind::Json => snapshot::json::read(source, options).map(|s| Document::Snapshot(Box::new(s))),
        Kind::Empty => Err(Error::new(ErrorKind::Truncated, "the file is empty")
            .hint("the program that wrote it was probably stopped before it wrote anything; record again")),
        Kind::GitLfsPointer => Err(Error::new(
            ErrorKind::Unexpected,
            "this is a Git LFS pointer, not the file itself: a clone without Git LFS leaves such a stand-in",
        )
        .hint("run `git lfs pull` in the clone, or download the file itself")),
        #[cfg(any(not(target_arch = "wasm32"), feature = "database"))]
        Kind::Sqlite => sqlite::read(source, options),
        #[cfg(not(any(not(target_arch = "wasm32"), feature = "database")))]
        Kind::Sqlite => Err(Error::new(
            ErrorKind::Database,
            "this is an SQLite database, which only the module with databases reads",
        )),
        Kind::Trace => profiler::read_trace(source).map(|t| Document::Trace(Box::new(t))),
        Kind::Csv => read_table(source),
        Kind::GeLog => ge_log::read(source, &mut |_| {}).map(|log| Document::GeLog(Box::new(log))),
        Kind::Other(name) => Err(unknown(name)),
        Kind::Unknown => {
            let message = "the content is of no known format";
            Err(Error::new(ErrorKind::UnknownFormat, message).hint(ACCEPTED))
        }
        // Unwrapped before.
        Kind::Gzip | Kind::Zip | Kind::Html => Err(unknown("an archive")),
    }
}

/// A profiler table, told by its header.
fn read_table(source: Source<'_>) -> Result<Document> {
    match profiler::csv_kind(source.head()) {
        Some(CsvKind::OperatorMemory) => {
            profiler::read_operator_memory(source).map(|t| Document::OperatorMemory(Box::new(t)))
        }
        Some(CsvKind::MemoryRecord) => {
            profiler::read_memory_record(source).map(|t| Document::MemoryRecords(Box::new(t)))
        }
        Some(CsvKind::ModuleMemory) => {
            profiler::read_module_memory(source).map(|t| Document::ModuleMemory(Box::new(t)))
        }
        Some(CsvKind::StaticOps) => {
            profiler::read_static_ops(source).map(|t| Document::StaticOps(Box::new(t)))
        }
        Some(CsvKind::StepTrace) => {
            profiler::read_step_trace(source).map(|t| Document::StepTrace(Box::new(t)))
        }
        None => Err(unknown("a table (CSV) of other columns than a profiler writes")),
    }
}

fn unknown(what: &str) -> Error {
    Error::new(ErrorKind::UnknownFormat, format!("this looks like {what}, which is not read here"))
        .hint(ACCEPTED)
}

fn broken_archive(error: std::io::Error) -> Error {
    let mut error = Error {
        kind: ErrorKind::Truncated,
        message: format!("the archive around the file is cut or damaged: {error}"),
        ..Error::from(error)
    };
    error.hint = Some("copy or download the file again".to_owned());
    error
}
