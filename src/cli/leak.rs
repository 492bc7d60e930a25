//! `hbmlens leak`: does memory grow, and from where.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, Report, each_report};
use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::peak::print_sites;
use crate::cli::place::{frame, site};
use crate::cli::table::{number, section, text};
use hbmlens::analysis::growth::{DeviceGrowth, Grower};
use hbmlens::text::{Message, count_text, share_text};

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_report(args, out, |analysed| Ok(report(analysed, analysed.growth(args.top))), print)
}

pub fn report<'a>(analysed: &Analysed<'a>, growth: Vec<DeviceGrowth>) -> Report<'a, DeviceGrowth> {
    Report::new("hbmlens.leak/1", analysed, growth)
}

pub fn print(devices: &[DeviceGrowth], out: &mut Output) -> Result<(), Stop> {
    for device in devices {
        out.line("")?;
        let risk = Message::new("leak.risk")
            .text("device", device.device.to_string())
            .text("risk", out.label(device.risk.label_key()));
        out.say(&risk)?;
        for reason in &device.reasons {
            out.say(reason)?;
        }
        print_growers(&device.growth, out)?;
        if device.rising_reserve.rising {
            let sites = &device.rising_reserve.by_call_site;
            section(
                out.label("heading.rising_reserve"),
                sites.get(..SHOWN).unwrap_or(sites),
                &[
                    number("column.bytes", &|row, _| row.bytes.to_string()),
                    number("column.segments", &|row, _| count_text(row.count)),
                    text("column.call_site", &|row, out| site(row.call_site.as_ref(), out)),
                ],
                out,
            )?;
        }
        if device.long_lived.count > 0 {
            out.heading(out.label("heading.long_lived"))?;
            let sites = &device.long_lived.by_call_site;
            print_sites(sites.get(..SHOWN).unwrap_or(sites), device.long_lived.bytes, out)?;
        }
    }
    Ok(())
}

/// The first rows tell the story; JSON holds all.
const SHOWN: usize = 3;

fn print_growers(growers: &[Grower], out: &mut Output) -> Result<(), Stop> {
    section(
        out.label("heading.growers"),
        growers,
        &[
            number("column.per_step", &|row, _| row.bytes_per_step.to_string()),
            number("column.first", &|row, _| row.first.to_string()),
            number("column.last", &|row, _| row.last.to_string()),
            number("column.rising", &|row, _| share_text(row.rising_share)),
            number("column.full_at_step", &|row, _| {
                row.projected_oom_step.map_or_else(String::new, count_text)
            }),
            text("column.category", &|row, out| out.category(Some(row.category))),
            text("column.call_site", &|row, _| frame(&row.call_site)),
        ],
        out,
    )?;
    if let Some(stack) = growers.iter().find_map(|grower| grower.stack.as_ref()) {
        out.heading(out.label("heading.stack"))?;
        // Native frames are plumbing to most readers; JSON holds them all.
        let python = stack.iter().any(|entry| entry.file.ends_with(".py"));
        for entry in stack.iter().filter(|entry| !python || entry.file.ends_with(".py")) {
            out.line(format!("  {}", frame(entry)))?;
        }
    }
    Ok(())
}
