//! `hbmlens fragment`: where reserved memory lies idle, and what would give it back.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, AnalysedDevice, each_analysed};
use crate::cli::args::Target;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use crate::cli::overview::segment_type_key;
use crate::cli::peak::frame;
use crate::cli::table::Table;
use hbmlens::analysis::fragment::{DeviceFragment, FragmentOptions, PinnedSegment, fragment};
use hbmlens::text::{Message, count_text, share_text};
use serde::Serialize;

/// `hbmlens.fragment/1`.
#[derive(Serialize)]
pub struct Report<'a> {
    schema: &'static str,
    file: &'a str,
    devices: Vec<DeviceFragment>,
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_analysed(args, out, |analysed, out| {
        let report = report(analysed, args)?;
        if out.json { out.json_line(&report) } else { print(&report, out) }
    })
}

/// Fragmentation at the moment asked for, else at the end.
pub fn report<'a>(analysed: &Analysed<'a>, args: &Target) -> Result<Report<'a>, Failure> {
    let device = |device: &AnalysedDevice| {
        let options = FragmentOptions {
            state: analysed.state_of(device)?,
            top: args.top,
            ..FragmentOptions::default()
        };
        Ok(fragment(&analysed.memory(device), &options))
    };
    Ok(Report {
        schema: "hbmlens.fragment/1",
        file: analysed.name(),
        devices: analysed.devices.iter().map(device).collect::<Result<_, Failure>>()?,
    })
}

pub fn print(report: &Report<'_>, out: &mut Output) -> Result<(), Stop> {
    for device in &report.devices {
        out.line("")?;
        let head = Message::new("fragment.head")
            .text("device", device.device.to_string())
            .share("share", device.fragmentation)
            .text("grade", out.label(device.grade.label_key()))
            .bytes("idle", device.idle)
            .bytes("reserved", device.reserved);
        out.say(&head)?;
        for sentence in &device.summary {
            out.say(sentence)?;
        }
        for advice in &device.advice {
            out.say(&Message::new("oom.advice").list("advice", vec![advice.clone()]))?;
        }
        print_segments(device, out)?;
        print_free(device, out)?;
        print_pinned(&device.pinned, out)?;
        print_growth(device, out)?;
    }
    Ok(())
}

fn print_segments(device: &DeviceFragment, out: &mut Output) -> Result<(), Stop> {
    if device.segments.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.segments"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.address"), true),
            (out.label("column.size"), true),
            (out.label("column.fragmentation"), true),
            (out.label("column.allocated"), true),
            (out.label("column.pending"), true),
            (out.label("column.cached"), true),
            (out.label("column.largest_free"), true),
            (out.label("column.blocks"), true),
            (out.label("column.pool"), false),
            (out.label("column.stream"), true),
            (out.label("column.size_class"), false),
        ],
    );
    for row in &device.segments {
        table.row(
            out,
            [
                row.address.to_string(),
                row.size.to_string(),
                share_text(row.fragmentation),
                row.allocated.to_string(),
                row.pending.to_string(),
                row.free.to_string(),
                row.largest_free.to_string(),
                count_text(row.live_blocks),
                format!("({}, {})", row.pool.0, row.pool.1),
                row.stream.to_string(),
                out.label(segment_type_key(row.segment_type)).to_owned(),
            ],
        );
    }
    table.print(out)
}

fn print_free(device: &DeviceFragment, out: &mut Output) -> Result<(), Stop> {
    if device.free_by_size.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.free_by_size"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.up_to"), true),
            (out.label("column.count"), true),
            (out.label("column.bytes"), true),
        ],
    );
    for row in &device.free_by_size {
        table.row(out, [row.up_to.to_string(), count_text(row.count), row.bytes.to_string()]);
    }
    table.print(out)
}

fn print_pinned(pinned: &[PinnedSegment], out: &mut Output) -> Result<(), Stop> {
    if pinned.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.pinned"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.gain"), true),
            (out.label("column.block"), true),
            (out.label("column.address"), true),
            (out.label("column.begin"), true),
            (out.label("column.category"), false),
            (out.label("column.call_site"), false),
        ],
    );
    for row in pinned {
        let site = row.call_site.as_ref().map_or_else(|| out.label("row.no_stack").to_owned(), frame);
        table.row(
            out,
            [
                row.gain.to_string(),
                row.block_size.to_string(),
                row.block.to_string(),
                if row.begin_event < 0 { "-".to_owned() } else { row.begin_event.to_string() },
                row.category.map_or_else(String::new, |c| out.word("category", c.id())),
                site,
            ],
        );
    }
    table.print(out)
}

/// How the reserve came to be, where it grew in bursts.
fn print_growth(device: &DeviceFragment, out: &mut Output) -> Result<(), Stop> {
    if device.bursts.is_empty() {
        return Ok(());
    }
    out.heading(out.label("heading.bursts"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.begin"), true),
            (out.label("column.end"), true),
            (out.label("column.segments"), true),
            (out.label("column.bytes"), true),
            (out.label("column.call_site"), false),
        ],
    );
    for row in &device.bursts {
        table.row(
            out,
            [
                row.first_event.to_string(),
                row.last_event.to_string(),
                count_text(row.count),
                row.bytes.to_string(),
                row.call_site.as_ref().map_or_else(String::new, frame),
            ],
        );
    }
    table.print(out)
}
