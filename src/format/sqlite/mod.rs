//! SQLite databases: snapshots and profiler runs that this program exported, snapshots that other tools
//! laid out in the same tables, and the databases of the Ascend profiler.

mod ascend;
mod columns;
mod database;
mod run;
mod snapshot;

use super::source::Source;
use super::{Document, Error, ErrorKind, ReadOptions, Result};
use database::Database;
use std::io::Read;

/// What the header of a database says that this program wrote.
const APPLICATION: &[u8] = b"HBML";
/// Its second field: whether it holds a profiler's runs.
const OF_RUNS: u8 = 2;

/// True if the first hundred bytes are those of a database that holds a profiler's runs, as this program
/// writes it.
pub fn is_exported_run(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
        && head.get(68..72) == Some(APPLICATION)
        && head.get(63) == Some(&OF_RUNS)
}

pub(super) fn read(mut source: Source<'_>, options: &ReadOptions) -> Result<Document> {
    let mut bytes = Vec::new();
    if let Some(len) = source.len.and_then(|len| usize::try_from(len).ok()) {
        bytes
            .try_reserve_exact(len)
            .map_err(|_| Error::new(ErrorKind::TooLarge, "there is not enough memory for the database"))?;
    }
    source.read_to_end(&mut bytes)?;
    let database = Database::new(bytes)?;
    if database.table("OP_MEMORY").is_some() || database.table("PYTORCH_API").is_some() {
        return ascend::read(&database).map(|run| Document::Run(Box::new(run)));
    }
    let rows = |table: &str| {
        let mut any = false;
        database.rows(table, &mut |_| {
            any = true;
            Ok(())
        })?;
        Ok::<bool, Error>(any)
    };
    if database.table("operator_memory").is_some() && rows("runs")? {
        return run::read(&database).map(|run| Document::Run(Box::new(run)));
    }
    if database.table("segments").is_some() && database.table("blocks").is_some() {
        return snapshot::read(&database, options).map(|snapshot| Document::Snapshot(Box::new(snapshot)));
    }
    Err(Error::new(ErrorKind::UnknownFormat, "this is an SQLite database of other tables than are read here").hint(
        "read are databases made by hbmlens convert, and ascend_pytorch_profiler_<rank>.db of a profiler run with memory recorded",
    ))
}
