//! `hbmlens oom`: why allocations failed, with the evidence and what to do.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, Report, each_report};
use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::peak::{print_categories, print_events, print_sites};
use crate::cli::place::frame;
use crate::cli::table::{Table, number, section, text};
use hbmlens::analysis::growth::DeviceGrowth;
use hbmlens::analysis::oom::{DeviceOoms, OomOptions, OomReport, growing_sites, ooms};
use hbmlens::model::Device;
use hbmlens::text::{Message, count_text, exact_bytes};

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_report(args, out, |analysed| Ok(report(analysed, args, &analysed.growth(args.top))), print)
}

/// Every out-of-memory of each device; what grows is a reason of its own.
pub fn report<'a>(analysed: &Analysed<'a>, args: &Target, growth: &[DeviceGrowth]) -> Report<'a, DeviceOoms> {
    let devices = analysed
        .devices
        .iter()
        .zip(growth)
        .map(|(device, growth)| {
            let memory = analysed.memory(device);
            let growing = growing_sites(&memory, growth);
            let options = OomOptions { limit: device.limit, growing: &growing, top: args.top };
            ooms(&memory, &options)
        })
        .collect();
    Report::new("hbmlens.oom/1", analysed, devices)
}

pub fn print(devices: &[DeviceOoms], out: &mut Output) -> Result<(), Stop> {
    for device in devices {
        if device.ooms.is_empty() {
            out.line("")?;
            out.say(&Message::new("oom.none").text("device", device.device.to_string()))?;
        }
        for oom in &device.ooms {
            print_oom(device.device, oom, out)?;
        }
    }
    Ok(())
}

fn print_oom(device: Device, oom: &OomReport, out: &mut Output) -> Result<(), Stop> {
    out.line("")?;
    let head = Message::new("oom.head")
        .text("device", device.to_string())
        .event("event", i64::from(oom.event))
        .bytes("requested", oom.requested)
        .text("verdict", out.word("verdict", oom.verdict.name()));
    out.say(&head)?;
    for message in &oom.evidence {
        out.say(message)?;
    }
    for contribution in &oom.contributing {
        out.say(&Message::new("oom.also").list("evidence", vec![contribution.evidence.clone()]))?;
    }
    for advice in &oom.advice {
        out.say(&Message::new("oom.advice").list("advice", vec![advice.clone()]))?;
    }
    out.line("")?;
    print_figures(oom, out)?;
    out.heading(out.label("heading.by_category"))?;
    let live = oom.by_category.iter().map(|row| row.sums.bytes).sum();
    print_categories(&oom.by_category, live, out)?;
    out.heading(out.label("heading.by_call_site"))?;
    print_sites(&oom.by_call_site, live, out)?;
    section(
        out.label("heading.repeated"),
        &oom.repeated,
        &[
            number("column.count", &|row, _| count_text(row.count)),
            number("column.bytes", &|row, _| row.bytes.to_string()),
            text("column.call_site", &|row, _| row.call_site.as_ref().map_or_else(String::new, frame)),
        ],
        out,
    )?;
    print_before(oom, out)
}

fn print_figures(oom: &OomReport, out: &mut Output) -> Result<(), Stop> {
    let mut table = Table::new(out, &[("", false), (out.label("column.bytes"), true)]);
    let figures = [
        ("column.limit", oom.limit),
        ("column.device_free", Some(oom.device_free)),
        ("column.reserved", Some(oom.reserved)),
        ("column.active", Some(oom.active)),
        ("column.allocated", Some(oom.allocated)),
        ("column.pending", Some(oom.pending)),
        ("column.cached", Some(oom.cached_free)),
        ("column.largest_usable", Some(oom.largest_usable)),
        ("column.largest_any", Some(oom.largest_any)),
        ("column.workspace", Some(oom.workspace).filter(|w| w.0 > 0)),
        ("column.others", oom.others),
    ];
    for (key, bytes) in figures {
        if let Some(bytes) = bytes {
            table.row(out, [out.label(key), &exact_bytes(bytes.0)]);
        }
    }
    table.print(out)
}

/// Events shown before an out-of-memory as text; JSON holds fifty.
const EVENTS: usize = 15;

fn print_before(oom: &OomReport, out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("heading.before"))?;
    print_events(&oom.before.iter().take(EVENTS).collect::<Vec<_>>(), out)
}
