//! `hbmlens ranks`: many snapshots of one job.

use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice, parse_device};
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::input::{self, FileArg, Moment, is_sidecar};
use crate::cli::output::Output;
use crate::cli::table::{Table, number, text};
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::compare::{Side, SideOptions};
use hbmlens::analysis::ranks::{
    GrowthRow, Kind, Named, RankRow, RankSide, RanksOptions, RanksReport, Series, find_series, label, ranks,
    read_names,
};
use hbmlens::model::{Bytes, Device};
use hbmlens::text::{Message, difference_text, share_text};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots of one job, or directories of them; ranks, steps and times are told by the names
    #[arg(required = true, value_name = "DIR|FILE")]
    files: Vec<String>,
    /// What the files are: auto, ranks (one each) or series (one process over time)
    #[arg(long = "as", value_name = "KIND", default_value = "auto", value_parser = parse_kind)]
    kind: Kind,
    /// Only this device: a number, or host
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    device: Option<Device>,
    /// Rows of each list; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Line numbers and the beginnings of paths count for nothing: two checkouts, two machines
    #[arg(long)]
    ignore_lines: bool,
    /// A file of rules of your own: CATEGORY file|function REGEX, one a line
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    match text {
        "auto" => Ok(Kind::Auto),
        "ranks" => Ok(Kind::Ranks),
        "series" => Ok(Kind::Series),
        _ => Err("the kinds are auto, ranks and series".to_owned()),
    }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let files = snapshots(&args.files)?;
    let paths: Vec<String> = files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect();
    let mut names = read_names(&paths, args.kind);
    let in_series = find_series(&mut names, &paths, args.kind);
    let (mut sides, mut all_good) = (Vec::new(), true);
    for ((file, named), in_series) in files.iter().zip(&names).zip(in_series) {
        match read(args, file, named, in_series, out) {
            Ok(found) => sides.extend(found),
            Err(failure) if file.found && failure.kind == "unexpected" => {}
            Err(failure) => {
                all_good = false;
                tell(&failure, out)?;
            }
        }
    }
    if sides.is_empty() {
        return match all_good {
            true if files.iter().any(|file| !file.found) => {
                Err(Failure::new("unexpected", "the snapshots hold no device").into())
            }
            true => Err(Failure::new("unexpected", "no snapshot was found").into()),
            false => Ok(Outcome::BadInput),
        };
    }
    let report = ranks(&sides, &RanksOptions { ignore_lines: args.ignore_lines, top: args.top });
    if out.json {
        out.json_line(&report)?;
    } else {
        print(&report, out)?;
    }
    Ok(input_outcome(all_good))
}

/// The files to read: of a directory with `.pickle` or `.pkl` files only those.
pub fn snapshots(args: &[String]) -> Result<Vec<FileArg>, Failure> {
    let is_pickle = |path: &Path| {
        let name = path.to_string_lossy().to_lowercase();
        let bare = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zip")).unwrap_or(&name);
        bare.ends_with(".pickle") || bare.ends_with(".pkl")
    };
    let mut files = input::files(args)?;
    files.retain(|file| !(file.found && is_sidecar(&file.path)));
    if files.iter().any(|file| file.found && is_pickle(&file.path)) {
        files.retain(|file| !file.found || is_pickle(&file.path));
    }
    Ok(files)
}

/// What a snapshot leaves: each of its devices at its peak, and at its end where it is one of a series.
fn read(
    args: &Args,
    file: &FileArg,
    named: &Named,
    in_series: bool,
    out: &Output,
) -> Result<Vec<RankSide>, Failure> {
    let opened = input::open(&file.path, &args.common, out)?;
    let snapshot = opened.snapshot()?;
    let of_device = OfDevice { device: args.device, limit: None };
    let analysed = Analysed::new(&opened, snapshot, &of_device, args.rules.as_deref())?;
    // Every process sees all devices of its machine; those it does not use are no ranks.
    let used = |device| analysed.events(device) > 0;
    let any_used = analysed.devices.iter().any(used);
    let mut sides = Vec::new();
    for device in analysed.devices.iter().filter(|device| !any_used || used(device)) {
        let memory = analysed.memory(device);
        let side = |state, stacks| {
            let options = SideOptions { state, stacks, curves: None, by: None };
            Side::new(&opened.name, &memory, &analysed.modules, &device.steps, &options)
        };
        let end = analysed.state_at(device, Moment::End)?;
        sides.push(RankSide {
            role: named.role.clone(),
            rank: named.rank,
            order: named.order,
            peak: side(analysed.state_at(device, Moment::Peak)?, false),
            end: in_series.then(|| side(end, true)),
        });
    }
    Ok(sides)
}

fn print(report: &RanksReport, out: &mut Output) -> Result<(), Stop> {
    for message in &report.summary {
        out.say(message)?;
    }
    out.line("")?;
    let largest = |row: &RankRow, out: &Output| {
        let first = row.by_category.iter().take(3);
        let words: Vec<String> = first
            .map(|sums| format!("{} {}", out.category(Some(sums.category)), Bytes(sums.bytes)))
            .collect();
        words.join(", ")
    };
    let columns = [
        text("ranks.column.role", &|row: &RankRow, _: &_| row.role.clone()),
        number("ranks.column.rank", &|row, _| {
            row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string())
        }),
        number("column.device", &|row, _| row.device.to_string()),
        number("column.peak", &|row, _| Bytes(row.peak).to_string()),
        number("column.at", &|row, _| row.peak_event.to_string()),
        number("column.reserved", &|row, _| Bytes(row.reserved).to_string()),
        number("column.fragmentation", &|row, _| share_text(row.fragmentation)),
        text("ranks.column.top", &largest),
        text("ranks.column.file", &|row, _| row.file.clone()),
    ];
    Table::of(&report.ranks, &columns, out).print(out)?;
    report.series.iter().try_for_each(|series| print_series(series, out))
}

fn print_series(series: &Series, out: &mut Output) -> Result<(), Stop> {
    let first = series.snapshots.first().map_or("", |snapshot| snapshot.file.as_str());
    let heading = Message::new("ranks.heading.series")
        .text("role", if series.role.is_empty() { "-" } else { &series.role })
        .text("rank", label(series.rank, first))
        .count("count", series.snapshots.len() as u64);
    out.heading(&heading.render(out.language))?;
    let bytes = |row: &&GrowthRow, _: &Output| {
        let all: Vec<String> = row.bytes.iter().map(|&bytes| Bytes(bytes).to_string()).collect();
        shown(&all)
    };
    let columns = [
        number("compare.column.diff", &|row: &&GrowthRow, _: &_| difference_text(row.diff_bytes)),
        number("ranks.column.per_snapshot", &|row, _| difference_text(row.bytes_per_snapshot as i64)),
        number("ranks.column.fit", &|row, _| {
            format!("{}{}", share_text(row.fit), if row.straight { " *" } else { "" })
        }),
        text("ranks.column.snapshots", &bytes),
        text("column.category", &|row, out| out.category(row.category)),
        text("column.call_site", &|row, out| {
            row.call_site.clone().unwrap_or_else(|| out.label("row.all").to_owned())
        }),
    ];
    let rows: Vec<&GrowthRow> = core::iter::once(&series.total).chain(&series.growth).collect();
    Table::of(&rows, &columns, out).print(out)
}

/// Many snapshots show their first and last ones.
fn shown(bytes: &[String]) -> String {
    match bytes {
        [first, second, .., before, last] if bytes.len() > 6 => {
            format!("{first}, {second}, \u{2026}, {before}, {last}")
        }
        _ => bytes.join(", "),
    }
}
