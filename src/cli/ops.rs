//! `hbmlens ops`: which operator allocated what, on every rank of a profiler run.

mod print;
mod static_graphs;

use crate::cli::args::Common;
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::input::{self, FileArg};
use crate::cli::out_file::{unwritable, write_file};
use crate::cli::output::Output;
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::ops::LifeEnd;
use hbmlens::analysis::ops::compare::{NameDifference, compare_ranks};
use hbmlens::analysis::ops::report::{Analysed, OpsReport, report, run_numbers};
use hbmlens::analysis::ops::rows::{OpsRow, REFERENCE_COLUMNS};
use hbmlens::export::ops_page::write_page;
use hbmlens::format::profiler::folder::{Piece, RunFiles, add_document, group_runs, piece};
use hbmlens::text::Message;
use hbmlens::view::ops::OpsTable;
use print::{print_comparison, print_rank, print_ranks};
use serde::Serialize;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Profiler folders (*_ascend_pt), directories of them, or single files of one
    #[arg(required = true, value_name = "DIR|FILE")]
    files: Vec<String>,
    /// Only this rank (a card without a rank counts as 0)
    #[arg(long, value_name = "N")]
    rank: Option<i64>,
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Compare with this rank by operator name (needs --rank)
    #[arg(long, value_name = "N", requires = "rank")]
    against: Option<i64>,
    /// Rows of each list, the largest, in order of time; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    top: usize,
    /// A row lives until its block is free for others (record_stream), not until its tensor is freed
    #[arg(long)]
    block_release: bool,
    /// Write all rows as CSV with the reference parser's columns (- for standard output)
    #[arg(long, value_name = "OUT")]
    csv: Option<PathBuf>,
    /// Write one self-contained page for each rank into this directory
    #[arg(long, short, value_name = "OUTDIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

impl Args {
    /// What a folder without a command gets.
    pub fn overview(files: Vec<String>, common: Common) -> Args {
        Args {
            files,
            rank: None,
            role: None,
            against: None,
            top: 20,
            block_release: false,
            csv: None,
            output: None,
            common,
        }
    }
}

/// True where an argument is a profiler's: a folder with its files and no snapshots, or such a file.
pub fn is_profiler(arg: &str) -> bool {
    let Ok(files) = input::files(std::slice::from_ref(&arg.to_owned())) else { return false };
    let snapshot = |path: &Path| path.extension().is_some_and(|e| e == "pickle" || e == "pkl");
    let rows = |path: &Path| {
        matches!(
            piece(&path.to_string_lossy()),
            Some(
                Piece::Trace
                    | Piece::OperatorMemory
                    | Piece::MemoryRecord
                    | Piece::ModuleMemory
                    | Piece::StaticOps
                    | Piece::Database
            )
        ) || is_exported_run(path)
    };
    files.iter().any(|f| rows(&f.path) || !f.found && is_table(&f.path))
        && !files.iter().any(|f| snapshot(&f.path))
}

/// A table that the user names, whatever its name: of those only a profiler's are read.
fn is_table(path: &Path) -> bool {
    let mut head = Vec::new();
    fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut head)).is_ok()
        && hbmlens::format::is_table(&head)
}

/// A database of a profiler's runs may have any name.
fn is_exported_run(path: &Path) -> bool {
    let mut head = [0; 100];
    path.extension().is_some_and(|ending| ending == "db")
        && fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && hbmlens::format::sqlite::is_exported_run(&head)
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let (ranks, all_good) = read(args, out)?;
    if ranks.is_empty() {
        return Ok(input_outcome(all_good));
    }
    if let Some(path) = &args.csv {
        write_csv(path, &ranks, out)?;
        if path.as_os_str() == "-" {
            return Ok(input_outcome(all_good));
        }
    }
    let comparison = compare(args, &ranks)?;
    let report = report(&ranks, if out.json { args.top } else { 1 });
    if out.json {
        #[derive(Serialize)]
        struct WithComparison<'a> {
            #[serde(flatten)]
            report: &'a OpsReport,
            #[serde(skip_serializing_if = "Option::is_none")]
            comparison: &'a Option<Comparison>,
        }
        out.json_line(&WithComparison { report: &report, comparison: &comparison })?;
    } else {
        print_ranks(&report, out)?;
        if args.output.is_none() {
            for (rank, figures) in ranks.iter().zip(&report.ranks) {
                print_rank(args, rank, figures, out)?;
            }
        }
        if let Some(comparison) = &comparison {
            print_comparison(comparison, args.top, out)?;
        }
    }
    if let Some(folder) = &args.output {
        write_pages(folder, ranks, out)?;
    }
    Ok(input_outcome(all_good))
}

/// One page a rank, named as the reference's. A later run of a rank has its time stamp in the name.
fn write_pages(folder: &Path, ranks: Vec<Analysed>, out: &mut Output) -> Result<(), Stop> {
    fs::create_dir_all(folder).map_err(|e| unwritable(folder, &e))?;
    let numbers = run_numbers(&ranks);
    for (rank, number) in ranks.into_iter().zip(numbers) {
        let key = &rank.run.key;
        let safe = |text: &str| text.replace(|c: char| !c.is_alphanumeric() && !"-.".contains(c), "_");
        let role = if key.role.is_empty() { String::new() } else { format!("{}_", safe(&key.role)) };
        let later = match number {
            0 => String::new(),
            number if key.timestamp.is_empty() => format!("_{number}"),
            _ => format!("_{}", key.timestamp),
        };
        let name = format!("memory_timeline_{role}rank{}{later}.html", key.rank.unwrap_or(0));
        let path = folder.join(name);
        write_file(&path, |sink| write_page(&OpsTable::new(rank), number, out.language, sink))?;
        if !out.json {
            out.say(&Message::new("ops.written").text("path", path.display().to_string()))?;
        }
    }
    Ok(())
}

/// Reads and analyses every run; false when some file was bad (it has been told).
pub fn read(args: &Args, out: &mut Output) -> Result<(Vec<Analysed>, bool), Stop> {
    let files = input::files(&args.files)?;
    let paths: Vec<PathBuf> =
        files.iter().map(|f| fs::canonicalize(&f.path).unwrap_or_else(|_| f.path.clone())).collect();
    let names: Vec<String> = paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let mut groups = group_runs(&names, |i| paths.get(i).map_or_else(|| Ok(Vec::new()), fs::read));
    let life_end = if args.block_release { LifeEnd::BlockRelease } else { LifeEnd::Release };
    let (mut ranks, mut all_good) = (Vec::new(), true);
    let wanted = |group: &RunFiles| {
        let rank = group.key.rank.unwrap_or(0);
        args.rank.is_none_or(|r| r == rank || args.against == Some(rank))
            && args.role.as_ref().is_none_or(|role| *role == group.key.role)
    };
    let found = !groups.is_empty();
    groups.retain(wanted);
    for group in &groups {
        let mut run = group.start();
        let mut any = group.to_open().next().is_none();
        for file in group.to_open().filter_map(|i| files.get(i)) {
            let good = add(&mut run, file, args, out)?;
            any |= good;
            all_good &= good;
        }
        // Of files that could not be used there are no figures.
        if any {
            ranks.push(Analysed::new(run, life_end));
        }
    }
    // Files named by the user under names of their own: told by their content, taken as one run.
    let named: Vec<&FileArg> =
        files.iter().filter(|f| !f.found && piece(&f.path.to_string_lossy()).is_none()).collect();
    if !named.is_empty() {
        let mut run = hbmlens::model::profile::ProfilerRun::default();
        let mut any = false;
        for file in named {
            let good = add(&mut run, file, args, out)?;
            any |= good;
            all_good &= good;
        }
        if any {
            ranks.push(Analysed::new(run, life_end));
        }
    }
    // What was bad has been told.
    if ranks.is_empty() && all_good {
        let failure = if found {
            Failure::usage("no run is of that rank and role")
        } else {
            Failure::new("unexpected", "no files of a profiler were found").hint(
                "look for folders that end in _ascend_pt, or name operator_memory.csv and trace_view.json",
            )
        };
        return Err(failure.into());
    }
    Ok((ranks, all_good))
}

/// Opens a file into its run; false (and told) where it is no good.
fn add(
    run: &mut hbmlens::model::profile::ProfilerRun,
    file: &FileArg,
    args: &Args,
    out: &mut Output,
) -> Result<bool, Stop> {
    let failure = match input::open(&file.path, &args.common, out) {
        Ok(opened) => match add_document(run, opened.document) {
            None => return Ok(true),
            Some(_) => Failure::new("unexpected", format!("{}: not a file of a profiler", opened.name)),
        },
        Err(failure) => failure,
    };
    tell(&failure, out)?;
    Ok(false)
}

fn write_csv(path: &Path, ranks: &[Analysed], out: &mut Output) -> Result<(), Stop> {
    if path.as_os_str() == "-" {
        return Ok(write_rows(out.raw(), ranks)?);
    }
    Ok(write_file(path, |sink| write_rows(sink, ranks))?)
}

fn write_rows(sink: impl Write, ranks: &[Analysed]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(REFERENCE_COLUMNS)?;
    for rank in ranks {
        for position in 0..rank.index.len() {
            if let Some(row) = OpsRow::new(&rank.run, &rank.index, position) {
                writer.write_record(row.reference_cells())?;
            }
        }
    }
    writer.flush()
}

/// Two ranks by operator name.
#[derive(Serialize)]
struct Comparison {
    a: i64,
    b: i64,
    names: Vec<NameDifference>,
}

fn compare(args: &Args, ranks: &[Analysed]) -> Result<Option<Comparison>, Stop> {
    let (Some(a), Some(b)) = (args.rank, args.against) else { return Ok(None) };
    let find = |rank: i64| {
        ranks
            .iter()
            .find(|r| r.run.key.rank.unwrap_or(0) == rank)
            .ok_or_else(|| Failure::usage(format!("there is no rank {rank} to compare")))
    };
    let (first, second) = (find(a)?, find(b)?);
    let names = compare_ranks((&first.run, &first.index), (&second.run, &second.index));
    Ok(Some(Comparison { a, b, names }))
}
