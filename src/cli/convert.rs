//! `hbmlens convert`: a file in forms that other programs read. Without another one named that is a
//! SQLite database of its tables.

use crate::cli::args::Common;
use crate::cli::database::{self, Input};
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::exports::{Formats, Written};
use crate::cli::out_file::write_seekable;
use crate::cli::output::Output;
use crate::cli::{Outcome, input_outcome};
use hbmlens::export::sqlite::FIRST;
use hbmlens::model::Bytes;
use hbmlens::text::Message;
use serde::Serialize;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots, or profiler folders (*_ascend_pt)
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
    pub common: Common,
}

/// `hbmlens.convert/1`.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    file: String,
    written: Vec<Written>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    if args.files.len() > 1 && (args.output.is_some() || !args.formats.is_empty()) {
        return Err(Failure::usage("several files cannot become one")
            .hint("name one file, or none to write: each gets a database beside it")
            .into());
    }
    let mut all_good = true;
    for file in &args.files {
        match convert(file, args, out) {
            Ok(good) => all_good &= good,
            Err(Stop::Failure(failure)) => {
                all_good = false;
                tell(&failure, out)?;
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(input_outcome(all_good))
}

fn convert(file: &str, args: &Args, out: &mut Output) -> Result<bool, Stop> {
    let to_database = args.output.is_some() || args.formats.is_empty();
    let target = args.output.clone().unwrap_or_else(|| beside(Path::new(file)));
    if to_database && same_file(Path::new(file), &target) {
        return Err(Failure::usage(format!("{} would be written over itself", target.display()))
            .hint("name another file with -o")
            .into());
    }
    let (input, all_good) = database::read(file, &args.common, out)?;
    let (mut written, mut name) = (Vec::new(), args.common.shown_name(Path::new(file)));
    if !args.formats.is_empty() {
        let Input::Snapshot(opened) = &input else {
            return Err(Failure::usage(format!(
                "{name}: a profiler's files become a database, and nothing else"
            ))
            .hint("leave --trace and --pickle out")
            .into());
        };
        written = args.formats.write(opened, &args.common, out)?;
        name.clone_from(&opened.name);
    }
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
        let (mut part, first) = database::write(input, part, !args.no_indexes)?;
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
