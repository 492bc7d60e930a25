//! From an argument to tables: a snapshot, a profiler's runs, or a database as it is.

use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice};
use crate::cli::error::{Failure, Stop};
use crate::cli::input::{self, Opened};
use crate::cli::ops;
use crate::cli::output::Output;
use hbmlens::analysis::attribution::Attributed;
use hbmlens::analysis::ops::report::Analysed as Run;
use hbmlens::export::sqlite::{FIRST, Writer, before_replay};
use hbmlens::export::tables::{Source, Table, needs_replay};
use hbmlens::model::Snapshot;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// What an argument holds.
pub enum Input {
    Snapshot(Box<Opened>),
    Runs(Vec<Run>, String),
}

/// Reads an argument. False beside it: some of its files were bad (it has been told).
pub fn read(arg: &str, common: &Common, out: &mut Output) -> Result<(Input, bool), Stop> {
    if ops::is_profiler(arg) {
        let args = ops::Args::overview(vec![arg.to_owned()], common.clone());
        let (runs, all_good) = ops::read(&args, out)?;
        return Ok((Input::Runs(runs, common.shown_name(Path::new(arg))), all_good));
    }
    let path = Path::new(arg);
    if path.is_dir() {
        return Err(Failure::usage(format!("{arg} is a directory without a profiler's files"))
            .hint("name a snapshot, a profiler's folder, or each of several files")
            .into());
    }
    let opened = input::open(path, common, out)?;
    opened.snapshot()?;
    Ok((Input::Snapshot(Box::new(opened)), true))
}

/// True for a file that is a database already.
pub fn is_database(path: &Path) -> bool {
    let mut head = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"SQLite format 3\0"
}

/// The rows of some runs.
pub fn of_runs<'a>(runs: &'a [Run], name: &str) -> Source<'a> {
    let mut source = Source::of_runs(runs);
    source.facts = vec![("source", name.to_owned())];
    source
}

/// Runs `each` with the rows of an input, for the tables that it is told. Those which need no replay are
/// written by a second thread while the devices are replayed. Adds up what both return.
pub fn in_parts(
    input: &Input,
    each: &(impl Fn(&Source<'_>, &dyn Fn(&Table) -> bool) -> Result<u64, Failure> + Sync),
) -> Result<u64, Stop> {
    let opened = match input {
        Input::Runs(runs, name) => return Ok(each(&of_runs(runs, name), &|_| true)?),
        Input::Snapshot(opened) => opened,
    };
    let snapshot = opened.snapshot()?;
    let first = || {
        let mut source = Source::of_snapshot(snapshot, &[]);
        source.facts = facts(opened);
        each(&source, &before_replay)
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let analysed = Analysed::new(opened, snapshot, &OfDevice::all(), None)?;
        let memory: Vec<Attributed<'_>> = analysed.devices.iter().map(|d| analysed.memory(d)).collect();
        let rest = each(&Source::of_snapshot(snapshot, &memory), &|table| needs_replay(table.id))?;
        let first = first.join().map_err(|_| Failure::new("trap", "writing the tables failed"))?;
        Ok(first? + rest)
    })
}

fn facts(opened: &Opened) -> Vec<(&'static str, String)> {
    let mut facts = vec![("source", opened.name.clone()), ("source_bytes", opened.bytes.to_string())];
    facts.extend(opened.counters.as_ref().map(|counters| ("counters", counters.to_json())));
    facts
}

/// Writes a database; gives back what took it, and its first bytes. What needs no replay is written by
/// a second thread while the devices are replayed.
pub fn write<W: Write + Send>(input: &Input, out: W, indexes: bool) -> Result<(W, Box<[u8; FIRST]>), Stop> {
    let writer = Writer::new(out, indexes);
    let opened = match input {
        Input::Runs(runs, name) => return Ok(writer.everything(&of_runs(runs, name))?),
        Input::Snapshot(opened) => opened,
    };
    let snapshot: &Snapshot = opened.snapshot()?;
    let facts = facts(opened);
    let first = |mut writer: Writer<W>| -> io::Result<Writer<W>> {
        let mut source = Source::of_snapshot(snapshot, &[]);
        source.facts = facts;
        writer.tables(&source, before_replay)?;
        Ok(writer)
    };
    std::thread::scope(|scope| {
        let written = scope.spawn(move || first(writer));
        let analysed = Analysed::new(opened, snapshot, &OfDevice::all(), None)?;
        let memory: Vec<Attributed<'_>> = analysed.devices.iter().map(|d| analysed.memory(d)).collect();
        let written = written.join().map_err(|_| Failure::new("trap", "writing the tables failed"))?;
        let mut writer = written?;
        writer.tables(&Source::of_snapshot(snapshot, &memory), |table| needs_replay(table.id))?;
        Ok(writer.finish()?)
    })
}
