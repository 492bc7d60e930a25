//! `hbmlens ge report|total|check`: GE logs of static and dynamic graphs.
//!
//! All arguments together are one log, as a process writes many files; `--compare` takes each as a log
//! of its own. Directories stand for the logs in them.

mod print;

use crate::cli::Outcome;
use crate::cli::args::Common;
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::input::{feed_ge_log, files};
use crate::cli::output::Output;
use hbmlens::analysis::ge::compare::compare;
use hbmlens::analysis::ge::{GeReport, report};
use hbmlens::export::ge::{FILES, write_total};
use hbmlens::format::ge_log::Reader;
use hbmlens::model::ge::GeLog;
use hbmlens::text::Message;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write the report files (graphs, addresses, variables, pools, trace) and print the figures
    Report(ReportArgs),
    /// Figures of graphs and pools, and what was taken from the device, as a tree
    Total(LogArgs),
    /// Outputs that overwrite each other and addresses that do not fit; exit code 2 when there are any
    Check(LogArgs),
}

#[derive(clap::Args)]
struct LogArgs {
    /// Log files (plog-*.log, imas_mem_graph.csv), or directories of them
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct ReportArgs {
    #[command(flatten)]
    of: LogArgs,
    /// Directory for the report files (default: mem_report; with --json none are written)
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Take each LOG as a log of its own and compare them graph by graph
    #[arg(long, conflicts_with = "output")]
    compare: bool,
}

impl Args {
    pub fn common(&self) -> &Common {
        match &self.action {
            Action::Report(args) => &args.of.common,
            Action::Total(args) | Action::Check(args) => &args.common,
        }
    }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    match &args.action {
        Action::Report(args) if args.compare => run_compare(args, out),
        Action::Report(args) => run_report(args, out),
        Action::Total(args) => run_total(args, out),
        Action::Check(args) => run_check(args, out),
    }
}

/// The logs of the arguments as one. A file that cannot be read is told and the others count.
pub fn read(logs: &[String], common: &Common, out: &mut Output) -> Result<(GeLog, Outcome), Stop> {
    let mut reader = Reader::default();
    let (mut good, mut bad) = (0u64, 0u64);
    for file in files(logs)? {
        match feed_ge_log(&file.path, common, out, &mut reader) {
            Ok(()) => good += 1,
            // What else lies in a directory is passed over.
            Err(failure) if file.found && failure.kind != "io" => {}
            Err(failure) => {
                bad += 1;
                tell(&failure, out)?;
            }
        }
    }
    if good == 0 {
        let failure = Failure::new("unexpected", "no GE log was read");
        return Err(failure
            .hint("GE logs are the plog-*.log files below log/debug/plog and log/run/plog")
            .into());
    }
    Ok((reader.finish(), if bad == 0 { Outcome::Fine } else { Outcome::BadInput }))
}

fn run_report(args: &ReportArgs, out: &mut Output) -> Result<Outcome, Stop> {
    let (log, outcome) = read(&args.of.logs, &args.of.common, out)?;
    let report = report(&log);
    let folder = match &args.output {
        Some(folder) => Some(folder.clone()),
        None if out.json => None,
        None => Some(PathBuf::from("mem_report")),
    };
    if let Some(folder) = &folder {
        write_files(folder, &log)?;
    }
    if out.json {
        out.json_line(&report)?;
        return Ok(outcome);
    }
    print::figures(&report, out)?;
    print::missing(&report, out)?;
    if let Some(folder) = folder {
        let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        let message = Message::new("ge.files")
            .text("folder", folder.display().to_string())
            .text("files", names.join(", "));
        out.line("")?;
        out.say(&message)?;
    }
    Ok(outcome)
}

fn write_files(folder: &Path, log: &GeLog) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        Failure::new("io", format!("{}: it could not be written: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, write) in FILES {
        let path = folder.join(name);
        let written = File::create(&path).and_then(|file| {
            let mut file = BufWriter::new(file);
            write(log, &mut file)?;
            file.flush()
        });
        written.map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

fn run_total(args: &LogArgs, out: &mut Output) -> Result<Outcome, Stop> {
    let (log, outcome) = read(&args.logs, &args.common, out)?;
    let report = report(&log);
    if out.json {
        out.json_line(&report)?;
        return Ok(outcome);
    }
    let mut text = Vec::new();
    write_total(&report, &mut text)?;
    for line in String::from_utf8_lossy(&text).lines() {
        out.line(line)?;
    }
    if text.is_empty() {
        print::missing(&report, out)?;
    }
    Ok(outcome)
}

fn run_check(args: &LogArgs, out: &mut Output) -> Result<Outcome, Stop> {
    let (log, outcome) = read(&args.logs, &args.common, out)?;
    let report = report(&log);
    if out.json {
        out.json_line(&report)?;
    } else {
        print::check(&report, out)?;
    }
    Ok(if report.failures() > 0 { Outcome::CheckFailed } else { outcome })
}

fn run_compare(args: &ReportArgs, out: &mut Output) -> Result<Outcome, Stop> {
    let mut outcome = Outcome::Fine;
    let mut reports: Vec<(String, GeReport)> = Vec::new();
    for name in &args.of.logs {
        let (log, of_log) = read(std::slice::from_ref(name), &args.of.common, out)?;
        if of_log != Outcome::Fine {
            outcome = of_log;
        }
        reports.push((args.of.common.shown_name(Path::new(name)), report(&log)));
    }
    let borrowed: Vec<(&str, &GeReport)> =
        reports.iter().map(|(name, report)| (name.as_str(), report)).collect();
    let comparison = compare(&borrowed);
    if out.json {
        out.json_line(&comparison)?;
    } else {
        print::comparison(&comparison, out)?;
    }
    Ok(outcome)
}
