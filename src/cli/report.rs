//! `hbmlens report`: one HTML file with everything that was found, for people without this program.
//!
//! The page of a report is built from the page's own code before the program is compiled; a program that was
//! compiled without it says so.

use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice};
use crate::cli::compare::{Wanted, pairs, sides_of};
use crate::cli::error::{Failure, Stop};
use crate::cli::input::{self, FileArg, Moment, Opened};
use crate::cli::out_file::write_file;
use crate::cli::output::Output;
use crate::cli::{Outcome, ge, input_outcome, ops};
use hbmlens::analysis::compare::{CompareOptions, CurveAxis, compare};
use hbmlens::analysis::ops::report::report as ops_report;
use hbmlens::export::report::data::{DeviceReport, GeLogReport, ProfilerReport, Report, SnapshotReport, TOP};
use hbmlens::export::report::profiler::rank_drawing;
use hbmlens::export::report::{TEMPLATE, write_report};
use hbmlens::format::Document;
use hbmlens::text::Message;
use hbmlens::view::ops::OpsTable;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// A snapshot, a profiler folder, or a GE log (all files of it, or their folder)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Where to write it (-: standard output)
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Put this snapshot beside FILE: what it holds more; moments are named as in compare
    #[arg(long, value_name = "B")]
    compare: Option<String>,
    #[command(flatten)]
    of_device: OfDevice,
    /// A file of rules of your own: CATEGORY file|function REGEX, one a line
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

/// `hbmlens.report/1`: what is printed of a report that was written.
#[derive(Serialize)]
struct Written {
    schema: &'static str,
    report: String,
    bytes: u64,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let Some(template) = TEMPLATE else {
        return Err(Failure::new("unsupported", "this program was compiled without the page of reports")
            .hint(
                "`make program` builds that page (node www/build.mjs --report) and then the program with it",
            )
            .into());
    };
    let (report, all_good) = report(args, out)?;
    let mut page = Vec::new();
    write_report(template, &report, args.common.lang, &mut page)?;
    if args.output.as_os_str() == "-" {
        std::io::Write::write_all(out.raw(), &page)?;
        return Ok(input_outcome(all_good));
    }
    write_file(&args.output, |sink| sink.write_all(&page))?;
    let (bytes, report) = (page.len() as u64, args.common.shown_name(&args.output));
    if out.json {
        out.json_line(&Written { schema: "hbmlens.report/1", report, bytes })?;
    } else {
        out.say(&Message::new("ops.written").text("path", report))?;
    }
    Ok(input_outcome(all_good))
}

/// The data, and whether every input was good.
fn report(args: &Args, out: &mut Output) -> Result<(Report, bool), Stop> {
    let first = args.files.first().map(String::as_str).unwrap_or_default();
    if ops::is_profiler(first) {
        return of_profiler(args, out);
    }
    let file = FileArg::parse(first);
    if file.path.is_dir() || args.files.len() > 1 {
        return of_logs(args, out);
    }
    let opened = input::open(&file.path, &args.common, out)?;
    match &opened.document {
        Document::Snapshot(_) => {}
        Document::GeLog(_) => return of_logs(args, out),
        _ => return of_profiler(args, out),
    }
    let other = args.compare.as_deref().map(FileArg::parse);
    Ok((of_snapshot(args, &opened, &file, other.as_ref(), out)?, true))
}

fn of_snapshot(
    args: &Args,
    opened: &Opened,
    file: &FileArg,
    other: Option<&FileArg>,
    out: &Output,
) -> Result<Report, Stop> {
    let snapshot = opened.snapshot()?;
    let analysed = Analysed::new(opened, snapshot, &args.of_device, args.rules.as_deref())?;
    let growth = analysed.growth(TOP);
    let overview = analysed.overview(&growth);
    let devices = analysed.devices.iter().zip(growth).map(|(device, growth)| {
        DeviceReport::new(&analysed.memory(device), &analysed.modules, &device.steps, growth, device.limit)
    });
    let devices: Vec<DeviceReport> = devices.collect();
    let mut comparisons = Vec::new();
    if let Some(other) = other {
        let wanted = Wanted {
            device: args.of_device.device,
            rules: args.rules.as_deref(),
            curves: Some(CurveAxis::Event),
            by: None,
        };
        let left = sides_of(&wanted, &analysed, file.moment.unwrap_or(Moment::End))?;
        let moment = other.moment.unwrap_or(Moment::End);
        let right = if other.path == file.path {
            sides_of(&wanted, &analysed, moment)?
        } else {
            let opened = input::open(&other.path, &args.common, out)?;
            let of_b = OfDevice { device: args.of_device.device, limit: None };
            let analysed = Analysed::new(&opened, opened.snapshot()?, &of_b, args.rules.as_deref())?;
            sides_of(&wanted, &analysed, moment)?
        };
        let options = CompareOptions { top: TOP, ..CompareOptions::default() };
        let both = pairs(&left, &right, args.of_device.device.is_some());
        comparisons = both.into_iter().map(|(a, b)| compare(a, b, &options)).collect();
    }
    let settings = snapshot.allocator_settings.clone();
    Ok(Report::Snapshot(Box::new(SnapshotReport { overview, settings, devices, comparisons })))
}

fn of_profiler(args: &Args, out: &mut Output) -> Result<(Report, bool), Stop> {
    no_comparison(args)?;
    let wanted = ops::Args::overview(args.files.clone(), args.common.clone());
    let (ranks, all_good) = ops::read(&wanted, out)?;
    let ops = ops_report(&ranks, 100);
    let drawings = ranks.into_iter().map(|rank| rank_drawing(&OpsTable::new(rank))).collect();
    Ok((Report::Profiler(Box::new(ProfilerReport { ops, drawings })), all_good))
}

fn of_logs(args: &Args, out: &mut Output) -> Result<(Report, bool), Stop> {
    no_comparison(args)?;
    let read = ge::read(&args.files, &args.common, out);
    let (log, outcome) = read.map_err(|stop| match stop {
        Stop::Failure(failure) if failure.kind == "unexpected" => Stop::Failure(
            Failure::new("unexpected", "there is no profiler folder and no GE log here")
                .hint("a report is of one snapshot, of profiler folders, or of GE logs"),
        ),
        stop => stop,
    })?;
    let ge = hbmlens::analysis::ge::report(&log);
    let names = args.files.iter().map(|name| args.common.shown_name(Path::new(name))).collect();
    let report = Report::GeLog(Box::new(GeLogReport { names, ge }));
    Ok((report, outcome == Outcome::Fine))
}

fn no_comparison(args: &Args) -> Result<(), Failure> {
    match &args.compare {
        None => Ok(()),
        Some(_) => Err(Failure::usage("--compare is for two snapshots")),
    }
}
