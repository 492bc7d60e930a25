//! `hbmlens convert`: a file in forms that other programs read. Without another one named that is a
//! SQLite database of its tables.
//!
//! Several files, or a directory of them, become Parquet folders rank by rank: each is read, written and let go
//! before the next, and a bad one is told and passed over.

use crate::cli::args::Common;
use crate::cli::beside::Beside;
use crate::cli::database::{self, Input};
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::exports::{Formats, Written};
use crate::cli::input::is_other_content;
use crate::cli::out_file::write_seekable;
use crate::cli::output::Output;
use crate::cli::tables::{Place, Tables};
use crate::cli::{Outcome, input_outcome, ops, ranks};
use hbmlens::analysis::ranks::{Kind, find_series, read_names};
use hbmlens::export::sqlite::FIRST;
use hbmlens::model::Bytes;
use hbmlens::text::Message;
use serde::Serialize;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots, or profiler folders (*_ascend_pt); with --parquet directories of snapshots, too
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The database to write (default: FILE with .db for its ending, where no other form is named)
    #[arg(long, short, value_name = "FILE.db")]
    output: Option<PathBuf>,
    /// Leave the indexes out of the database: a smaller file, and slower joins
    #[arg(long)]
    no_indexes: bool,
    #[command(flatten)]
    formats: Formats,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    pub common: Common,
}

/// `hbmlens.convert/1`.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    file: String,
    written: Vec<Written>,
}

/// One thing to convert.
struct Job {
    file: String,
    /// Found in a directory: what is no snapshot there is passed over.
    found: bool,
    place: Place,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let jobs = jobs(args)?;
    let one_target = args.output.is_some() || args.tables.csv.is_some() || args.tables.rank.is_some();
    if jobs.len() > 1 && (one_target || !args.formats.is_empty()) {
        return Err(Failure::usage("several files cannot become one")
            .hint("name one file, or none to write: each gets a database beside it; --parquet DIR takes many")
            .into());
    }
    let (mut any, mut all_good) = (false, true);
    for job in &jobs {
        match convert(job, args, out) {
            Ok(good) => {
                any = true;
                all_good &= good;
            }
            Err(Stop::Failure(failure)) if job.found && is_other_content(&failure) => {}
            Err(Stop::Failure(failure)) => {
                all_good = false;
                tell(&failure, out)?;
            }
            Err(stop) => return Err(stop),
        }
    }
    if !any && all_good {
        return Err(Failure::new("unexpected", "no snapshot was found in the directory").into());
    }
    Ok(input_outcome(all_good))
}

/// The arguments; for Parquet with the snapshots of directories, and which ranks their names tell.
fn jobs(args: &Args) -> Result<Vec<Job>, Failure> {
    let job = |file: String, found| Job { file, found, place: Place::default() };
    if args.tables.parquet.is_none() {
        return Ok(args.files.iter().map(|file| job(file.clone(), false)).collect());
    }
    let mut jobs = Vec::new();
    for file in &args.files {
        if Path::new(file).is_dir() && !ops::is_profiler(file) {
            let below = ranks::snapshots(std::slice::from_ref(file))?;
            jobs.extend(below.iter().map(|file| job(file.path.to_string_lossy().into_owned(), true)));
        } else {
            jobs.push(job(file.clone(), false));
        }
    }
    let paths: Vec<String> = jobs.iter().map(|job| job.file.clone()).collect();
    let mut names = read_names(&paths, Kind::Auto);
    let has_step = find_series(&mut names, &paths, Kind::Auto).contains(&true);
    let has_role = names.iter().any(|named| !named.role.is_empty());
    for (job, named) in jobs.iter_mut().zip(names) {
        job.place = Place { named, has_role, has_step };
    }
    Ok(jobs)
}

fn convert(job: &Job, args: &Args, out: &mut Output) -> Result<bool, Stop> {
    let file = job.file.as_str();
    let to_database = args.output.is_some() || (args.formats.is_empty() && args.tables.is_empty());
    let target = args.output.clone().unwrap_or_else(|| beside(Path::new(file)));
    if to_database && same_file(Path::new(file), &target) {
        return Err(Failure::usage(format!("{} would be written over itself", target.display()))
            .hint("name another file with -o")
            .into());
    }
    let (input, all_good) = database::read(file, &args.common, out)?;
    let (mut written, name) = (Vec::new(), args.common.shown_name(Path::new(file)));
    if !args.formats.is_empty() {
        let Input::Snapshot(opened) = &input else {
            return Err(Failure::usage(format!(
                "{name}: a profiler's files become tables, and nothing else"
            ))
            .hint("leave --trace and --pickle out")
            .into());
        };
        written = args.formats.write(opened, &args.common, out)?;
    }
    written.extend(args.tables.write(&input, &name, &job.place, &args.common, out)?);
    if to_database {
        written.push(write_database(&input, &target, args, out)?);
    }
    if out.json && !written.is_empty() {
        out.json_line(&Report { schema: "hbmlens.convert/1", file: name, written })?;
    }
    Ok(all_good)
}

fn write_database(input: &Input, target: &Path, args: &Args, out: &mut Output) -> Result<Written, Stop> {
    let bytes = write_seekable(target, |mut part| {
        // Room for the first page, which comes last.
        part.seek(SeekFrom::Start(FIRST as u64))?;
        let (beside, first) = database::write(input, Beside::new(part), !args.no_indexes)?;
        let mut part = beside.into_inner()?;
        part.seek(SeekFrom::Start(0))?;
        part.write_all(&first[..])?;
        Ok(part)
    })?;
    let path = args.common.shown_name(target);
    if !out.json {
        let line = Message::new("convert.written").text("path", path.as_str()).bytes("bytes", Bytes(bytes));
        out.say(&line)?;
    }
    Ok(Written { format: "sqlite", path, bytes })
}

/// `run.pickle` → `run.db`; a folder's lies beside it.
fn beside(file: &Path) -> PathBuf {
    let whole = fs::canonicalize(file).ok().filter(|_| file.file_name().is_none());
    let file = whole.as_deref().unwrap_or(file);
    if file.is_dir() {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".db");
        file.with_file_name(name)
    } else {
        file.with_extension("db")
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
