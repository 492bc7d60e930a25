//! `hbmlens peak`: who holds the memory at the peak, or at any other moment.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, AnalysedDevice, Report, each_report};
use crate::cli::args::Target;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use crate::cli::place::{event, frame, place};
use crate::cli::table::{Column, Table, number, section, text};
use hbmlens::analysis::grouping::{GroupKey, GroupRow, GroupSums};
use hbmlens::analysis::inferred::{InferredRow, inferred};
use hbmlens::analysis::modules::ModuleRow;
use hbmlens::analysis::own_peaks::{OwnPeak, own_peaks};
use hbmlens::analysis::peak::{CallSiteRow, CategoryRow, DevicePeak, EventRow, LifeRow, PeakOptions, peak};
use hbmlens::model::Bytes;
use hbmlens::text::{Message, count_text, share_text};
use serde::Serialize;

/// The composition, and what the inferred part of it rests on.
#[derive(Serialize)]
pub struct OfDevice {
    #[serde(flatten)]
    peak: DevicePeak,
    inferences: Vec<InferredRow>,
    own_peaks: Vec<OwnPeak>,
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    let print = |devices: &[OfDevice], out: &mut Output| print(devices, args.top, out);
    each_report(args, out, |analysed| report(analysed, args), print)
}

/// The composition of each device.
pub fn report<'a>(analysed: &Analysed<'a>, args: &Target) -> Result<Report<'a, OfDevice>, Failure> {
    let device = |device: &AnalysedDevice| {
        let state = analysed.state_of(device)?;
        let options = PeakOptions { state, top: args.top, by: args.by, ..PeakOptions::default() };
        let memory = analysed.memory(device);
        let peak = peak(&memory, &analysed.modules, &device.steps, &options);
        // The state after event e is e + 1.
        let live = memory.lives().live(u32::try_from(peak.event + 1).unwrap_or_default());
        Ok(OfDevice { peak, inferences: inferred(&memory, live), own_peaks: own_peaks(&memory) })
    };
    let devices = analysed.devices.iter().map(device).collect::<Result<_, Failure>>()?;
    Ok(Report::new("hbmlens.peak/1", analysed, devices))
}

/// `top`: rows of each list; 0 for all.
pub fn print(devices: &[OfDevice], top: usize, out: &mut Output) -> Result<(), Stop> {
    let top = if top == 0 { usize::MAX } else { top };
    for device in devices {
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
        let name = |row: &GroupRow, out: &Output| {
            row.key.clone().unwrap_or_else(|| out.label("row.none").to_owned())
        };
        print_sums(&by.rows, |row| &row.sums, device.requested, [text("", &name)], out)?;
    }
    print_lives(&device.top_lives, out)
}

/// Sums of rows as parts of `whole`, and more columns; text comes last, where it may be long.
fn print_sums<'a, R, const N: usize>(
    rows: &[R],
    sums: impl Fn(&R) -> &GroupSums,
    whole: Bytes,
    more: [Column<'a, R>; N],
    out: &mut Output,
) -> Result<(), Stop> {
    let bytes = |row: &R, _: &Output| sums(row).bytes.to_string();
    let share = |row: &R, _: &Output| share_text(sums(row).bytes.share_of(whole));
    let count = |row: &R, _: &Output| count_text(sums(row).count);
    let inferred = |row: &R, _: &Output| match sums(row).inferred_bytes {
        Bytes::ZERO => String::new(),
        bytes => bytes.to_string(),
    };
    let mut columns = vec![
        number("column.bytes", &bytes),
        number("column.share", &share),
        number("column.count", &count),
        number("column.inferred", &inferred),
    ];
    columns.extend(more);
    Table::of(rows, &columns, out).print(out)
}

/// Rows by category, as parts of `whole`.
pub fn print_categories(rows: &[CategoryRow], whole: Bytes, out: &mut Output) -> Result<(), Stop> {
    let category = |row: &CategoryRow, out: &Output| out.category(Some(row.category));
    print_sums(rows, |row| &row.sums, whole, [text("column.category", &category)], out)
}

/// Rows by call site, as parts of `whole`.
pub fn print_sites(rows: &[CallSiteRow], whole: Bytes, out: &mut Output) -> Result<(), Stop> {
    let category = |row: &CallSiteRow, out: &Output| out.category(row.category);
    let columns = [text("column.category", &category), text("column.call_site", &site)];
    print_sums(rows, |row| &row.sums, whole, columns, out)
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

fn print_modules(device: &DevicePeak, top: usize, out: &mut Output) -> Result<(), Stop> {
    // The tree's upper levels tell the story; all rows, and JSON, hold it whole.
    let is_shown = |row: &&ModuleRow| row.depth <= 3 || top == usize::MAX;
    let rows: Vec<&ModuleRow> = device.by_module.iter().filter(is_shown).take(top).collect();
    section(
        out.label("heading.by_module"),
        &rows,
        &[
            number("column.bytes", &|row, _| row.bytes.to_string()),
            number("column.count", &|row, _| count_text(row.count)),
            number("column.recompute", &|row, _| row.recompute_bytes.to_string()),
            text("column.module", &|row, _| {
                let last = row.module.rsplit(" > ").next().unwrap_or_default();
                let indent = "  ".repeat(row.depth.saturating_sub(1) as usize);
                format!("{indent}{last}")
            }),
        ],
        out,
    )
}

fn print_lives(lives: &[LifeRow], out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("heading.top_lives"))?;
    let columns = [
        number("column.bytes", &|row: &LifeRow, _: &_| row.bytes.to_string()),
        number("column.address", &|row, _| row.address.to_string()),
        number("column.begin", &|row, _| event(row.begin_event)),
        number("column.end", &|row, _| row.end_event.map_or_else(|| "-".to_owned(), |end| end.to_string())),
        text("column.category", &|row, out| out.category(Some(row.category))),
        text("column.why", &why),
    ];
    Table::of(lives, &columns, out).print(out)
}

/// What is inferred, and from what.
fn print_inferences(rows: &[InferredRow], top: usize, out: &mut Output) -> Result<(), Stop> {
    if rows.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.inferences"))?;
    let columns = [
        number("column.bytes", &|row: &InferredRow, _: &_| row.bytes.to_string()),
        number("column.count", &|row, _| count_text(row.count)),
        text("column.category", &|row, out| out.category(Some(row.category))),
        text("column.evidence", &|row, out| row.evidence.render(out.language)),
    ];
    let mut table = Table::of(rows.get(..top).unwrap_or(rows), &columns, out);
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
    section(
        out.label("heading.own_peaks"),
        &told,
        &[
            number("column.peak", &|row, _| row.peak.to_string()),
            number("column.event", &|row, _| row.peak_event.to_string()),
            number("column.at_common_peak", &|row, _| row.at_common_peak.to_string()),
            number("column.at_end", &|row, _| row.at_end.to_string()),
            text("", &|row, out| out.word("group", row.key.name())),
            text("", &|row, out| match row.key {
                GroupKey::Category => out.word("category", &row.name),
                _ => row.name.clone(),
            }),
        ],
        out,
    )
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
    print_events(&rows, out)
}

/// Events with what they belong to.
pub fn print_events(rows: &[&EventRow], out: &mut Output) -> Result<(), Stop> {
    let columns = [
        number("column.event", &|row: &&EventRow, _: &_| count_text(row.event.into())),
        text("column.action", &|row, _| row.action.to_owned()),
        number("column.bytes", &|row, _| row.bytes.to_string()),
        text("column.category", &|row, out| out.category(row.category)),
        text("column.call_site", &|row, _| row.call_site.as_ref().map_or_else(String::new, frame)),
    ];
    Table::of(rows, &columns, out).print(out)
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
