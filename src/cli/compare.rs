//! `hbmlens compare`: two snapshots, or two moments of one.
//!
//! Each file leaves its sides and is let go before the next is read, so two large snapshots are never in
//! memory together.

use crate::cli::Outcome;
use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice, parse_device, parse_key};
use crate::cli::error::{Failure, Stop};
use crate::cli::input::{self, FileArg, Moment, Opened};
use crate::cli::output::Output;
use crate::cli::size::parse_size;
use crate::cli::table::{Table, number, text};
use hbmlens::analysis::compare::{
    CompareOptions, Comparison, CurveAxis, DiffRow, Pair, Presence, SegmentChanges, Side, SideOptions,
    compare, figure,
};
use hbmlens::analysis::grouping::{GroupKey, REST};
use hbmlens::model::{Bytes, Device};
use hbmlens::text::{Message, count_text, difference_text, share_text};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// The snapshot before; A@EVENT, A@peak, A@end, A@stepN or A@MICROSECONDSus name a moment (default: end)
    #[arg(value_name = "A")]
    a: String,
    /// The snapshot after, likewise; it may be the same file
    #[arg(value_name = "B")]
    b: String,
    /// Only this device, in both: a number, or host
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    device: Option<Device>,
    /// The device of A
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    device_a: Option<Device>,
    /// The device of B
    #[arg(long, value_name = "N", value_parser = parse_device, allow_hyphen_values = true)]
    device_b: Option<Device>,
    /// Show this grouping; without, categories, call sites and stacks
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    by: Option<GroupKey>,
    /// Rows of each list; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Line numbers and the beginnings of paths count for nothing: two checkouts, two machines
    #[arg(long)]
    ignore_lines: bool,
    /// With --json: both traces' curves along this axis (event, time or step)
    #[arg(long, value_name = "AXIS", value_parser = parse_axis)]
    curves: Option<CurveAxis>,
    /// Exit code 2 when B holds more than this beyond A, such as 64MiB
    #[arg(long, value_name = "BYTES", value_parser = parse_size)]
    fail_if_growth: Option<Bytes>,
    /// A file of rules of your own: CATEGORY file|function REGEX, one a line
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

fn parse_axis(text: &str) -> Result<CurveAxis, String> {
    match text {
        "event" => Ok(CurveAxis::Event),
        "time" => Ok(CurveAxis::Time),
        "step" => Ok(CurveAxis::Step),
        _ => Err("the axes are event, time and step".to_owned()),
    }
}

/// What `--fail-if-growth` found.
#[derive(Clone, Copy, Serialize)]
struct Growth {
    bytes: i64,
    limit: Bytes,
    exceeded: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<Growth>,
}

/// A side, and how many events its device has.
pub type Found = (Side, u32);

/// What of a file becomes sides.
pub struct Wanted<'a> {
    pub device: Option<Device>,
    pub rules: Option<&'a Path>,
    pub curves: Option<CurveAxis>,
    pub by: Option<GroupKey>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let [a, b] = [&args.a, &args.b].map(|text| FileArg::parse(text));
    let devices = [args.device_a.or(args.device), args.device_b.or(args.device)];
    let opened = input::open(&a.path, &args.common, out)?;
    let wanted = |device: Option<Device>| Wanted {
        device,
        rules: args.rules.as_deref(),
        curves: args.curves,
        by: args.by.filter(|key| !is_of_stacks(*key)),
    };
    let left = sides(&wanted(devices[0]), &opened, &a)?;
    let right = if a.path == b.path {
        sides(&wanted(devices[1]), &opened, &b)?
    } else {
        drop(opened);
        sides(&wanted(devices[1]), &input::open(&b.path, &args.common, out)?, &b)?
    };
    let options = CompareOptions {
        ignore_lines: args.ignore_lines,
        top: args.top,
        by: args.by,
        ..CompareOptions::default()
    };
    let mut exceeded = false;
    for (n, (a, b)) in pairs(&left, &right, devices.iter().any(Option::is_some)).into_iter().enumerate() {
        let comparison = compare(a, b, &options);
        let growth = args.fail_if_growth.map(|limit| {
            let bytes = comparison.totals.get(figure::REQUESTED).diff;
            Growth { bytes, limit, exceeded: bytes > 0 && bytes.unsigned_abs() > limit.0 }
        });
        exceeded |= growth.is_some_and(|growth| growth.exceeded);
        if out.json {
            out.json_line(&Report { comparison: &comparison, growth })?;
        } else {
            if n > 0 {
                out.line("")?;
            }
            print(args, &comparison, growth, out)?;
        }
    }
    Ok(if exceeded { Outcome::CheckFailed } else { Outcome::Fine })
}

/// The sides of a file: of the device asked for, else of every device.
fn sides(wanted: &Wanted<'_>, opened: &Opened, file: &FileArg) -> Result<Vec<Found>, Failure> {
    let of_device = OfDevice { device: wanted.device, limit: None };
    let analysed = Analysed::new(opened, opened.snapshot()?, &of_device, wanted.rules)?;
    sides_of(wanted, &analysed, file.moment.unwrap_or(Moment::End))
}

/// The sides of a file that is analysed already.
pub fn sides_of(wanted: &Wanted<'_>, analysed: &Analysed<'_>, moment: Moment) -> Result<Vec<Found>, Failure> {
    // An event, a step or a time is one device's own.
    let busiest = analysed.devices.iter().map(|device| analysed.events(device)).max();
    let mut one = matches!(moment, Moment::Event(_) | Moment::Step(_) | Moment::Time(_));
    let mut found = Vec::new();
    for device in &analysed.devices {
        let events = analysed.events(device);
        if one && Some(events) != busiest {
            continue;
        }
        let options = SideOptions {
            state: analysed.state_at(device, moment)?,
            stacks: true,
            curves: wanted.curves,
            by: wanted.by,
        };
        let memory = analysed.memory(device);
        found.push((Side::new(analysed.name(), &memory, &analysed.modules, &device.steps, &options), events));
        if core::mem::take(&mut one) {
            break;
        }
    }
    if found.is_empty() {
        return Err(Failure::new("unexpected", format!("{}: the snapshot holds no device", analysed.name())));
    }
    Ok(found)
}

/// Groupings that every comparison has, because stacks tell them.
fn is_of_stacks(key: GroupKey) -> bool {
    matches!(
        key,
        GroupKey::Category | GroupKey::CallSite | GroupKey::Module | GroupKey::File | GroupKey::Stack
    )
}

/// Each device with itself where both have it, else the busiest of each.
pub fn pairs<'a>(left: &'a [Found], right: &'a [Found], chosen: bool) -> Vec<(&'a Side, &'a Side)> {
    let same = left
        .iter()
        .filter_map(|(a, _)| right.iter().find(|(b, _)| b.device == a.device).map(|(b, _)| (a, b)));
    let same: Vec<_> = same.collect();
    if !chosen && !same.is_empty() {
        return same;
    }
    let busiest =
        |found: &'a [Found]| found.iter().rev().max_by_key(|(_, events)| *events).map(|(side, _)| side);
    busiest(left).zip(busiest(right)).into_iter().collect()
}

fn print(args: &Args, of: &Comparison, growth: Option<Growth>, out: &mut Output) -> Result<(), Stop> {
    let (a, b) = (&of.a, &of.b);
    out.say(
        &Message::new("compare.head")
            .text("a", a.file.clone())
            .text("a_device", a.device.to_string())
            .event("a_event", a.event),
    )?;
    out.say(
        &Message::new("compare.head_b")
            .text("b", b.file.clone())
            .text("b_device", b.device.to_string())
            .event("b_event", b.event),
    )?;
    out.line("")?;
    for message in &of.summary {
        out.say(message)?;
    }
    if let Some(growth) = growth {
        let message = if growth.exceeded {
            Message::new("compare.growth_over").bytes("bytes", Bytes(growth.bytes.unsigned_abs()))
        } else {
            Message::new("compare.growth_within").difference("bytes", growth.bytes)
        };
        out.say(&message.bytes("limit", growth.limit))?;
    }
    print_totals(of, out)?;
    let rows = |key: GroupKey| match key {
        GroupKey::Category => Some(&of.by_category),
        GroupKey::CallSite => Some(&of.by_call_site),
        GroupKey::Module => Some(&of.by_module),
        GroupKey::File => Some(&of.by_file),
        GroupKey::Stack => Some(&of.by_stack),
        _ => of.by.as_ref().map(|by| &by.rows),
    };
    let shown = match args.by {
        Some(key) => vec![key],
        None => vec![GroupKey::Category, GroupKey::CallSite, GroupKey::Stack],
    };
    for key in shown {
        if let Some(rows) = rows(key) {
            out.heading(&out.word("group", key.name()))?;
            print_rows(key, rows, out)?;
        }
    }
    print_stacks(of, out)?;
    print_segments(&of.segments, out)?;
    let peaks = &of.peaks;
    let heading = Message::new("compare.heading.peaks")
        .difference("diff", peaks.requested.diff)
        .bytes("a", Bytes(peaks.requested.a))
        .bytes("b", Bytes(peaks.requested.b))
        .event("a_event", peaks.a_event)
        .event("b_event", peaks.b_event);
    out.heading(&heading.render(out.language))?;
    print_rows(GroupKey::Category, &peaks.by_category, out)
}

fn print_totals(of: &Comparison, out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("compare.heading.totals"))?;
    let columns = [
        (out.label("column.figure"), false),
        (out.label("compare.column.a"), true),
        (out.label("compare.column.b"), true),
        (out.label("compare.column.diff"), true),
    ];
    let mut table = Table::new(out, &columns);
    for (name, Pair { a, b, diff }) in of.totals.iter() {
        let cells = if matches!(name, "lives" | "segments") {
            [count_text(a), count_text(b), signed_count(diff)]
        } else {
            [Bytes(a).to_string(), Bytes(b).to_string(), difference_text(diff)]
        };
        let [a, b, diff] = cells;
        table.row(out, [out.word("compare.figure", name), a, b, diff]);
    }
    let (a, b) = of.totals.fragmentation();
    let points = format!("{:+.1} %", (b - a) * 100.0).replace('-', "−");
    table.row(out, [out.word("compare.figure", "fragmentation"), share_text(a), share_text(b), points]);
    table.print(out)
}

fn signed_count(count: i64) -> String {
    let sign = if count < 0 { "−" } else { "+" };
    format!("{sign}{}", count_text(count.unsigned_abs()))
}

/// Rows of one grouping. A stack shows its innermost frames; JSON holds it whole.
fn print_rows(key: GroupKey, rows: &[DiffRow], out: &mut Output) -> Result<(), Stop> {
    let name = |row: &DiffRow, out: &Output| row_name(key, row, out);
    let columns = [
        number("compare.column.diff", &|row: &DiffRow, _: &_| difference_text(row.diff_bytes)),
        number("compare.column.a", &|row, _| Bytes(row.a_bytes).to_string()),
        number("compare.column.b", &|row, _| Bytes(row.b_bytes).to_string()),
        number("compare.column.a_count", &|row, _| count_text(row.a_count)),
        number("compare.column.b_count", &|row, _| count_text(row.b_count)),
        text("compare.column.where", &|row, out| {
            let presence = match row.presence {
                Presence::Both => "both",
                Presence::OnlyA => "only_a",
                Presence::OnlyB => "only_b",
            };
            out.word("compare.presence", presence)
        }),
        text("compare.column.name", &name),
    ];
    Table::of(rows, &columns, out).print(out)
}

fn row_name(key: GroupKey, row: &DiffRow, out: &Output) -> String {
    let name = match (&row.key, key) {
        (None, GroupKey::CallSite | GroupKey::Stack | GroupKey::File) => out.label("row.no_stack").to_owned(),
        (None, _) => out.label("row.none").to_owned(),
        (Some(name), _) if name == REST => out.label("row.rest").to_owned(),
        (Some(name), GroupKey::Category) => out.word("category", name),
        (Some(name), GroupKey::Stack) => short_stack(name),
        (Some(name), _) => name.clone(),
    };
    if row.freed_at { Message::new("row.freed_at").text("place", name).render(out.language) } else { name }
}

/// The innermost Python frames of a stack, else its innermost frames, on one line.
fn short_stack(stack: &str) -> String {
    const SHOWN: usize = 4;
    let python: Vec<&str> = stack.lines().filter(|frame| frame.contains(".py")).take(SHOWN).collect();
    let frames = if python.is_empty() { stack.lines().take(SHOWN).collect() } else { python };
    frames.join(" < ")
}

fn print_stacks(of: &Comparison, out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("compare.heading.stacks"))?;
    let s = &of.stacks;
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let rows = [
        ("common", s.common, s.common_diff_bytes),
        ("grown", s.grown, signed(s.grown_bytes)),
        ("shrunk", s.shrunk, -signed(s.shrunk_bytes)),
        ("only_a", s.only_a, -signed(s.only_a_bytes)),
        ("only_b", s.only_b, signed(s.only_b_bytes)),
    ];
    print_changes("compare.stacks", &rows, out)
}

fn print_segments(of: &SegmentChanges, out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("compare.heading.segments"))?;
    let rows = [
        ("new", of.new.count, of.new.diff_bytes),
        ("gone", of.gone.count, of.gone.diff_bytes),
        ("grown", of.grown.count, of.grown.diff_bytes),
        ("shrunk", of.shrunk.count, of.shrunk.diff_bytes),
        ("moved", of.moved.count, of.moved.diff_bytes),
        ("same", of.same, 0),
    ];
    print_changes("compare.segments", &rows, out)
}

/// What became of so many, and by how many bytes; the words are a family of the catalogue.
fn print_changes(
    family: &'static str,
    rows: &[(&'static str, u64, i64)],
    out: &mut Output,
) -> Result<(), Stop> {
    let word = |row: &(&str, u64, i64), out: &Output| out.word(family, row.0);
    let columns = [
        text("", &word),
        number("column.count", &|row, _| count_text(row.1)),
        number("compare.column.diff", &|row, _| difference_text(row.2)),
    ];
    Table::of(rows, &columns, out).print(out)
}
