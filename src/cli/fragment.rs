//! `hbmlens fragment`: where reserved memory lies idle, and what would give it back.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, AnalysedDevice, Report, each_report};
use crate::cli::args::Target;
use crate::cli::error::{Failure, Stop};
use crate::cli::output::Output;
use crate::cli::overview::segment_type_key;
use crate::cli::place::{event, frame, site};
use crate::cli::table::{number, section, text};
use hbmlens::analysis::fragment::{DeviceFragment, FragmentOptions, fragment};
use hbmlens::text::{Message, count_text, share_text};

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_report(args, out, |analysed| report(analysed, args), print)
}

/// Fragmentation at the moment asked for, else at the end.
pub fn report<'a>(analysed: &Analysed<'a>, args: &Target) -> Result<Report<'a, DeviceFragment>, Failure> {
    let device = |device: &AnalysedDevice| {
        let options = FragmentOptions {
            state: analysed.state_of(device)?,
            top: args.top,
            ..FragmentOptions::default()
        };
        Ok(fragment(&analysed.memory(device), &options))
    };
    let devices = analysed.devices.iter().map(device).collect::<Result<_, Failure>>()?;
    Ok(Report::new("hbmlens.fragment/1", analysed, devices))
}

pub fn print(devices: &[DeviceFragment], out: &mut Output) -> Result<(), Stop> {
    for device in devices {
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
        print_idle(device, out)?;
        print_growth(device, out)?;
    }
    Ok(())
}

/// Where the reserved memory lies idle, and what pins it.
fn print_idle(device: &DeviceFragment, out: &mut Output) -> Result<(), Stop> {
    section(
        out.label("heading.segments"),
        &device.segments,
        &[
            number("column.address", &|row, _| row.address.to_string()),
            number("column.size", &|row, _| row.size.to_string()),
            number("column.fragmentation", &|row, _| share_text(row.fragmentation)),
            number("column.allocated", &|row, _| row.allocated.to_string()),
            number("column.pending", &|row, _| row.pending.to_string()),
            number("column.cached", &|row, _| row.free.to_string()),
            number("column.largest_free", &|row, _| row.largest_free.to_string()),
            number("column.blocks", &|row, _| count_text(row.live_blocks)),
            text("column.pool", &|row, _| format!("({}, {})", row.pool.0, row.pool.1)),
            number("column.stream", &|row, _| row.stream.to_string()),
            text("column.size_class", &|row, out| out.label(segment_type_key(row.segment_type)).to_owned()),
        ],
        out,
    )?;
    section(
        out.label("heading.free_by_size"),
        &device.free_by_size,
        &[
            number("column.up_to", &|row, _| row.up_to.to_string()),
            number("column.count", &|row, _| count_text(row.count)),
            number("column.bytes", &|row, _| row.bytes.to_string()),
        ],
        out,
    )?;
    section(
        out.label("heading.pinned"),
        &device.pinned,
        &[
            number("column.gain", &|row, _| row.gain.to_string()),
            number("column.block", &|row, _| row.block_size.to_string()),
            number("column.address", &|row, _| row.block.to_string()),
            number("column.begin", &|row, _| event(row.begin_event)),
            text("column.category", &|row, out| out.category(row.category)),
            text("column.call_site", &|row, out| site(row.call_site.as_ref(), out)),
        ],
        out,
    )
}

/// How the reserve came to be, where it grew in bursts.
fn print_growth(device: &DeviceFragment, out: &mut Output) -> Result<(), Stop> {
    section(
        out.label("heading.bursts"),
        &device.bursts,
        &[
            number("column.begin", &|row, _| row.first_event.to_string()),
            number("column.end", &|row, _| row.last_event.to_string()),
            number("column.segments", &|row, _| count_text(row.count)),
            number("column.bytes", &|row, _| row.bytes.to_string()),
            text("column.call_site", &|row, _| row.call_site.as_ref().map_or_else(String::new, frame)),
        ],
        out,
    )
}
