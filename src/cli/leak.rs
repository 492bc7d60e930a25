//! `hbmlens leak`: does memory grow, and from where.

use crate::cli::Outcome;
use crate::cli::analysed::{Analysed, each_analysed};
use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::peak::{frame, print_sites};
use crate::cli::table::Table;
use hbmlens::analysis::growth::{DeviceGrowth, Grower};
use hbmlens::text::{Message, count_text, share_text};
use serde::Serialize;

/// `hbmlens.leak/1`.
#[derive(Serialize)]
pub struct Report<'a> {
    schema: &'static str,
    file: &'a str,
    devices: &'a [DeviceGrowth],
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    each_analysed(args, out, |analysed, out| {
        let growth = analysed.growth(args.top);
        let report = report(analysed, &growth);
        if out.json { out.json_line(&report) } else { print(&report, out) }
    })
}

pub fn report<'a>(analysed: &Analysed<'a>, growth: &'a [DeviceGrowth]) -> Report<'a> {
    Report { schema: "hbmlens.leak/1", file: analysed.name(), devices: growth }
}

pub fn print(report: &Report<'_>, out: &mut Output) -> Result<(), Stop> {
    for device in report.devices {
        out.line("")?;
        let risk = Message::new("leak.risk")
            .text("device", device.device.to_string())
            .text("risk", out.label(device.risk.label_key()));
        out.say(&risk)?;
        for reason in &device.reasons {
            out.say(reason)?;
        }
        if !device.growth.is_empty() {
            print_growers(&device.growth, out)?;
        }
        if device.rising_reserve.rising {
            out.heading(out.label("heading.rising_reserve"))?;
            let mut table = Table::new(
                out,
                &[
                    (out.label("column.bytes"), true),
                    (out.label("column.segments"), true),
                    (out.label("column.call_site"), false),
                ],
            );
            for row in device.rising_reserve.by_call_site.iter().take(SHOWN) {
                let site = row.call_site.as_ref().map_or_else(|| out.label("row.no_stack").to_owned(), frame);
                table.row(out, [row.bytes.to_string(), count_text(row.count), site]);
            }
            table.print(out)?;
        }
        if device.long_lived.count > 0 {
            out.heading(out.label("heading.long_lived"))?;
            let shown = device.long_lived.by_call_site.len().min(SHOWN);
            print_sites(
                device.long_lived.by_call_site.get(..shown).unwrap_or_default(),
                device.long_lived.bytes,
                out,
            )?;
        }
    }
    Ok(())
}

/// The first rows tell the story; JSON holds all.
const SHOWN: usize = 3;

fn print_growers(growers: &[Grower], out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("heading.growers"))?;
    let mut table = Table::new(
        out,
        &[
            (out.label("column.per_step"), true),
            (out.label("column.first"), true),
            (out.label("column.last"), true),
            (out.label("column.rising"), true),
            (out.label("column.full_at_step"), true),
            (out.label("column.category"), false),
            (out.label("column.call_site"), false),
        ],
    );
    for grower in growers {
        table.row(
            out,
            [
                grower.bytes_per_step.to_string(),
                grower.first.to_string(),
                grower.last.to_string(),
                share_text(grower.rising_share),
                grower.projected_oom_step.map_or_else(String::new, count_text),
                out.word("category", grower.category.id()),
                frame(&grower.call_site),
            ],
        );
    }
    table.print(out)?;
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
