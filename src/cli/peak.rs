//! `hbmlens peak`: who holds the memory at the peak, or at any other moment.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, AnalysedDevice, each_analysed};
use crate::cli::args::Target;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use crate::cli::table::Table;
use hbmlens::analysis::attribution::FrameText;
use hbmlens::analysis::grouping::GroupKey;
use hbmlens::analysis::grouping::GroupSums;
use hbmlens::analysis::inferred::{InferredRow, inferred};
use hbmlens::analysis::modules::ModuleRow;
use hbmlens::analysis::own_peaks::{OwnPeak, own_peaks};
use hbmlens::analysis::peak::{CallSiteRow, CategoryRow, DevicePeak, EventRow, LifeRow, PeakOptions, peak};
use hbmlens::model::Bytes;
use hbmlens::text::{Message, count_text, share_text};
use serde::Serialize;

/// `hbmlens.peak/1`.
#[derive(Serialize)]
pub struct Report<'a> {
    schema: &'static str,
    file: &'a str,
    devices: Vec<OfDevice>,
    /// Rows of each list; 0 for all.
    #[serde(skip)]
    top: usize,
}

/// The composition, and what the inferred part of it rests on.
#[derive(Serialize)]
struct OfDevice {
    #[serde(flatten)]
    peak: DevicePeak,
    inferences: Vec<InferredRow>,
    own_peaks: Vec<OwnPeak>,
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_analysed(args, out, |analysed, out| {
        let report = report(analysed, args)?;
        if out.json { out.json_line(&report) } else { print(&report, out) }
    })
}

/// The composition of each device.
pub fn report<'a>(analysed: &Analysed<'a>, args: &Target) -> Result<Report<'a>, Failure> {
    let device = |device: &AnalysedDevice| {
        let state = analysed.state_of(device)?;
        let options = PeakOptions { state, top: args.top, by: args.by, ..PeakOptions::default() };
        let memory = analysed.memory(device);
        let peak = peak(&memory, &analysed.modules, &device.steps, &options);
        // The state after event e is e + 1.
        let live = memory.lives().live(u32::try_from(peak.event + 1).unwrap_or_default());
        Ok(OfDevice { peak, inferences: inferred(&memory, live), own_peaks: own_peaks(&memory) })
    };
    Ok(Report {
        schema: "hbmlens.peak/1",
        file: analysed.name(),
        devices: analysed.devices.iter().map(device).collect::<Result<_, Failure>>()?,
        top: args.top,
    })
}

pub fn print(report: &Report<'_>, out: &mut Output) -> Result<(), Stop> {
    let top = if report.top == 0 { usize::MAX } else { report.top };
    for device in &report.devices {
        print_device(&device.peak, top, out)?;
        print_inferences(&device.inferences, top, out)?;
        print_own_peaks(&device.own_peaks, out)?;
        print_around(&device.peak, out)?;
    }
    Ok(())
}

fn print_device(device: &DevicePeak, top: usize, out: &mut Output) -> Result<(), Stop> {
    out.line("")?;
    let what =
        Message::new(if device.event == device.peak_event { "peak.at_peak" } else { "peak.at_moment" })
            .text("device", device.device.to_string())
            .bytes("bytes", device.requested)
            .count("lives", device.lives)
            .event("event", device.event);
    out.say(&what)?;
    let explained = Message::new("peak.explained")
        .share("plain", device.explained.plain)
        .share("inferred", device.explained.inferred);
    out.say(&explained)?;
    if device.requested == Bytes::ZERO {
        return Ok(());
    }
    out.heading(out.label("heading.by_category"))?;
    print_categories(&device.by_category, device.requested, out)?;
    out.heading(out.label("heading.by_call_site"))?;
    print_sites(&device.by_call_site, device.requested, out)?;
    print_modules(device, top, out)?;
    if let Some(by) = &device.by {
        out.heading(&out.word("group", by.key.name()))?;
        let mut table = Table::new(out, &sums_columns(out, &[("", false)]));
        for row in &by.rows {
            let mut cells = sums_cells(&row.sums, device.requested);
            cells.push(row.key.clone().unwrap_or_else(|| out.label("row.none").to_owned()));
            table.row(out, cells);
        }
        table.print(out)?;
    }
    print_lives(&device.top_lives, out)
}

/// Columns of sums, then others; text comes last, where it may be long.
fn sums_columns<'a>(out: &Output, more: &[(&'a str, bool)]) -> Vec<(&'a str, bool)> {
    let mut columns = vec![
        (out.label("column.bytes"), true),
        (out.label("column.share"), true),
        (out.label("column.count"), true),
        (out.label("column.inferred"), true),
    ];
    columns.extend_from_slice(more);
    columns
}

fn sums_cells(sums: &GroupSums, whole: Bytes) -> Vec<String> {
    vec![
        sums.bytes.to_string(),
        share_text(sums.bytes.share_of(whole)),
        count_text(sums.count),
        if sums.inferred_bytes == Bytes::ZERO { String::new() } else { sums.inferred_bytes.to_string() },
    ]
}

/// Rows by category, as parts of `whole`.
pub fn print_categories(rows: &[CategoryRow], whole: Bytes, out: &mut Output) -> Result<(), Stop> {
    let mut table = Table::new(out, &sums_columns(out, &[(out.label("column.category"), false)]));
    for row in rows {
        let mut cells = sums_cells(&row.sums, whole);
        cells.push(out.word("category", row.category.id()));
        table.row(out, cells);
    }
    table.print(out)
}

/// Rows by call site, as parts of `whole`.
pub fn print_sites(rows: &[CallSiteRow], whole: Bytes, out: &mut Output) -> Result<(), Stop> {
    let columns = [(out.label("column.category"), false), (out.label("column.call_site"), false)];
    let mut table = Table::new(out, &sums_columns(out, &columns));
    for row in rows {
        let mut cells = sums_cells(&row.sums, whole);
        cells.push(row.category.map_or_else(String::new, |c| out.word("category", c.id())));
        cells.push(site(row, out));
        table.row(out, cells);
    }
    table.print(out)
}

fn site(row: &CallSiteRow, out: &Output) -> String {
    let place = match (&row.file, row.line, &row.function) {
        (None, _, _) => out.label("row.no_stack").to_owned(),
        (Some(file), None, _) if file == "(rest)" => out.label("row.rest").to_owned(),
        (Some(file), line, function) => {
            place(file, line.unwrap_or(0), function.as_deref().unwrap_or_default())
        }
    };
    if row.freed_at { Message::new("row.freed_at").text("place", place).render(out.language) } else { place }
}

/// `file:line function`; natives without a file are their function.
pub fn place(file: &str, line: u64, function: &str) -> String {
    let function = shorten(function, 100);
    match (file, line) {
        ("" | "??", _) => function,
        (_, 0) => format!("{file} {function}"),
        _ => format!("{file}:{line} {function}"),
    }
}

/// Long text without its middle.
fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most * 2 / 3).collect();
    let tail: String = text.chars().skip(length - (most - most * 2 / 3 - 1)).collect();
    format!("{head}\u{2026}{tail}")
}

pub fn frame(frame: &FrameText) -> String {
    place(&frame.file, frame.line, &frame.function)
}

fn print_modules(device: &DevicePeak, top: usize, out: &mut Output) -> Result<(), Stop> {
    if device.by_module.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.by_module"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.bytes"), true),
            (out.label("column.count"), true),
            (out.label("column.recompute"), true),
            (out.label("column.module"), false),
        ],
    );
    // The tree's upper levels tell the story; all rows, and JSON, hold it whole.
    let is_shown = |row: &&ModuleRow| row.depth <= 3 || top == usize::MAX;
    for row in device.by_module.iter().filter(is_shown).take(top) {
        let last = row.module.rsplit(" > ").next().unwrap_or_default();
        let indent = "  ".repeat(row.depth.saturating_sub(1) as usize);
        table.row(
            out,
            [
                row.bytes.to_string(),
                count_text(row.count),
                row.recompute_bytes.to_string(),
                format!("{indent}{last}"),
            ],
        );
    }
    table.print(out)
}

fn print_lives(lives: &[LifeRow], out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("heading.top_lives"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.bytes"), true),
            (out.label("column.address"), true),
            (out.label("column.begin"), true),
            (out.label("column.end"), true),
            (out.label("column.category"), false),
            (out.label("column.why"), false),
        ],
    );
    for life in lives {
        let begin = if life.begin_event < 0 { "-".to_owned() } else { life.begin_event.to_string() };
        table.row(
            out,
            [
                life.bytes.to_string(),
                life.address.to_string(),
                begin,
                life.end_event.map_or_else(|| "-".to_owned(), |event| event.to_string()),
                out.word("category", life.category.id()),
                why(life, out),
            ],
        );
    }
    table.print(out)
}

/// What is inferred, and from what.
fn print_inferences(rows: &[InferredRow], top: usize, out: &mut Output) -> Result<(), Stop> {
    if rows.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.inferences"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.bytes"), true),
            (out.label("column.count"), true),
            (out.label("column.category"), false),
            (out.label("column.evidence"), false),
        ],
    );
    for row in rows.iter().take(top) {
        table.row(
            out,
            [
                row.bytes.to_string(),
                count_text(row.count),
                out.word("category", row.category.id()),
                row.evidence.render(out.language),
            ],
        );
    }
    if let Some(rest) = rows.get(top..).filter(|rest| !rest.is_empty()) {
        let bytes: Bytes = rest.iter().map(|row| row.bytes).sum();
        let count = rest.iter().map(|row| row.count).sum();
        table.row(
            out,
            [bytes.to_string(), count_text(count), String::new(), out.label("row.rest").to_owned()],
        );
    }
    table.print(out)
}

/// Each group at its own peak; a key with one group would say the same again.
fn print_own_peaks(rows: &[OwnPeak], out: &mut Output) -> Result<(), Stop> {
    let of_key = |key: GroupKey| rows.iter().filter(move |row| row.key == key);
    let told: Vec<&OwnPeak> = rows.iter().filter(|row| of_key(row.key).count() > 1).collect();
    if told.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.own_peaks"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.peak"), true),
            (out.label("column.event"), true),
            (out.label("column.at_common_peak"), true),
            (out.label("column.at_end"), true),
            ("", false),
            ("", false),
        ],
    );
    for row in told {
        let name = match row.key {
            GroupKey::Category => out.word("category", &row.name),
            _ => row.name.clone(),
        };
        table.row(
            out,
            [
                row.peak.to_string(),
                row.peak_event.to_string(),
                row.at_common_peak.to_string(),
                row.at_end.to_string(),
                out.word("group", row.key.name()),
                name,
            ],
        );
    }
    table.print(out)
}

/// Events shown before and after the moment as text; JSON holds ten of each.
const AROUND: u32 = 4;

fn print_around(device: &DevicePeak, out: &mut Output) -> Result<(), Stop> {
    let near = |row: &&EventRow| (i64::from(row.event) - device.event).unsigned_abs() <= u64::from(AROUND);
    let rows: Vec<&EventRow> = device.events_around.iter().filter(near).collect();
    if rows.is_empty() {
        return Ok(());
    }
    out.heading(&Message::new("heading.around").event("event", device.event).render(out.language))?;
    print_events(rows, out)
}

/// Events with what they belong to.
pub fn print_events<'a>(rows: impl IntoIterator<Item = &'a EventRow>, out: &mut Output) -> Result<(), Stop> {
    let mut table = Table::new(
        out,
        &[
            (out.label("column.event"), true),
            (out.label("column.action"), false),
            (out.label("column.bytes"), true),
            (out.label("column.category"), false),
            (out.label("column.call_site"), false),
        ],
    );
    for row in rows {
        table.row(
            out,
            [
                count_text(row.event.into()),
                row.action.to_owned(),
                row.bytes.to_string(),
                row.category.map_or_else(String::new, |c| out.word("category", c.id())),
                row.call_site.as_ref().map_or_else(String::new, frame),
            ],
        );
    }
    table.print(out)
}

/// The rule in words, with the frame that fitted.
fn why(life: &LifeRow, out: &Output) -> String {
    let id = life.rule.split(' ').next().unwrap_or_default();
    let words = out.word("rule", id);
    let rule = if words.starts_with("rule.") { life.rule.clone() } else { words };
    match &life.frame {
        Some(matched) => format!("{rule}: {}", frame(matched)),
        None => rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("abc", 3), "abc");
        let short = shorten(&"x".repeat(500), 30);
        assert_eq!((short.chars().count(), short.contains('\u{2026}')), (30, true));
        assert_eq!(place("??", 0, "at::empty"), "at::empty");
        assert_eq!(place("a.py", 7, "f"), "a.py:7 f");
    }
}
