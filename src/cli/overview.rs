//! `hbmlens FILE…` and `hbmlens overview`: what the file holds, in words and tables.

use crate::cli::analysed::Analysed;
use crate::cli::args::{Common, OfDevice};
use crate::cli::error::{Failure, Stop};
use crate::cli::input::{Opened, for_each_snapshot};
use crate::cli::output::Output;
use crate::cli::table::{Table, number, section, text};
use crate::cli::{Outcome, input_outcome, ops};
use hbmlens::analysis::checks::{Check, anomaly_key};
use hbmlens::analysis::overview::{DeviceOverview, Input, Overview, overview};
use hbmlens::model::{Bytes, Snapshot, Writer};
use hbmlens::replay::Replay;
use hbmlens::text::{Message, count_text, exact_bytes, share_text};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots, or directories of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    of_device: OfDevice,
    #[command(flatten)]
    pub common: Common,
}

/// The overview without a look at growth, which its checks do not need.
pub fn without_growth(
    opened: &Opened,
    snapshot: &Snapshot,
    of_device: &OfDevice,
) -> Result<Overview, Failure> {
    let devices = of_device.choose(snapshot.devices())?;
    let replays: Vec<Replay> = devices.into_iter().map(|device| Replay::new(snapshot, device)).collect();
    Ok(overview(&Input {
        name: &opened.name,
        bytes: opened.bytes,
        snapshot,
        replays: &replays,
        counters: opened.counters.as_ref(),
        growth: &[],
    }))
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    // Profiler folders have rows and ranks instead of blocks.
    let (profiler, files): (Vec<String>, Vec<String>) =
        args.files.iter().cloned().partition(|arg| ops::is_profiler(arg));
    let mut outcome = Outcome::Fine;
    if !profiler.is_empty() {
        outcome = ops::run(&ops::Args::overview(profiler, args.common.clone()), out)?;
        if files.is_empty() {
            return Ok(outcome);
        }
    }
    let mut first = true;
    let all_good = for_each_snapshot(&files, &args.common, out, |opened, _, snapshot, out| {
        let analysed = Analysed::new(opened, snapshot, &args.of_device, None)?;
        let overview = analysed.overview(&analysed.growth(1));
        if out.json {
            return out.json_line(&overview);
        }
        if !core::mem::take(&mut first) {
            out.line("")?;
        }
        print(&overview, out)
    })?;
    Ok(input_outcome(all_good && outcome == Outcome::Fine))
}

/// The whole overview as text.
pub fn print(overview: &Overview, out: &mut Output) -> Result<(), Stop> {
    let writer = match overview.file.writer {
        Writer::Torch => "PyTorch",
        Writer::TorchNpu => "torch_npu",
        Writer::Unknown => "?",
    };
    let file = Message::new("file.line")
        .text("name", overview.file.name.as_str())
        .bytes("bytes", Bytes(overview.file.bytes))
        .text("writer", writer);
    out.say(&file)?;
    out.say(&overview.health.sentence())?;
    for note in &overview.notes {
        out.say(note)?;
    }
    for device in &overview.devices {
        out.line("")?;
        for sentence in &device.summary {
            out.say(sentence)?;
        }
    }
    if !overview.devices.is_empty() {
        out.line("")?;
        print_devices(overview, out)?;
    }
    for device in &overview.devices {
        print_pools(device, out)?;
        print_anomalies(device, out)?;
    }
    out.heading(out.label("heading.checks"))?;
    print_checks(&overview.checks, out)?;
    if !overview.warnings.is_empty() {
        out.heading(out.label("heading.warnings"))?;
        out.warnings(&overview.warnings)?;
    }
    Ok(())
}

/// One row a figure, one column a device: figures are compared across devices, and lines stay short.
fn print_devices(overview: &Overview, out: &mut Output) -> Result<(), Stop> {
    let names: Vec<String> = overview
        .devices
        .iter()
        .map(|d| Message::new("heading.device").text("device", d.device.to_string()).render(out.language))
        .collect();
    let mut columns = vec![("", false)];
    columns.extend(names.iter().map(|name| (name.as_str(), true)));
    let mut table = Table::new(out, &columns);
    let exact = |bytes: Bytes| exact_bytes(bytes.0);
    let mut figure = |key: &'static str, of: &dyn Fn(&DeviceOverview) -> String| {
        let mut cells = vec![out.label(key).to_owned()];
        cells.extend(overview.devices.iter().map(of));
        table.row(out, cells);
    };
    figure("column.reserved", &|d| exact(d.reserved));
    figure("column.allocated", &|d| exact(d.allocated));
    figure("column.active", &|d| exact(d.active));
    figure("column.requested", &|d| exact(d.requested));
    figure("column.rounding", &|d| {
        d.rounding.try_into().map_or_else(|_| d.rounding.to_string(), exact_bytes)
    });
    figure("column.pending", &|d| exact(d.pending_free));
    figure("column.cached", &|d| exact(d.cached_free));
    if overview.devices.iter().any(|d| d.workspace > Bytes::ZERO) {
        figure("column.workspace", &|d| exact(d.workspace));
    }
    figure("column.fragmentation", &|d| share_text(d.fragmentation));
    figure("column.largest_free", &|d| exact(d.largest_free_block));
    figure("column.initial", &|d| exact(d.initial_requested));
    figure("column.peak", &|d| exact(d.peak_requested));
    figure("column.peak_event", &|d| d.peak_event.to_string());
    figure("column.final", &|d| exact(d.final_requested));
    figure("column.peak_reserved", &|d| exact(d.peak_reserved));
    figure("column.segments", &|d| count_text(d.segments));
    figure("column.blocks", &|d| count_text(d.blocks));
    figure("column.events", &|d| count_text(d.events));
    figure("column.lives", &|d| count_text(d.lives));
    table.print(out)
}

fn print_pools(device: &DeviceOverview, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("heading.pools").text("device", device.device.to_string());
    section(
        &title.render(out.language),
        &device.by_pool,
        &[
            text("column.pool", &|row, _| format!("({}, {})", row.pool.0, row.pool.1)),
            number("column.stream", &|row, _| row.stream.to_string()),
            text("column.size_class", &|row, out| out.label(segment_type_key(row.segment_type)).to_owned()),
            number("column.segments", &|row, _| count_text(row.sums.segments)),
            number("column.reserved", &|row, _| row.sums.reserved.to_string()),
            number("column.allocated", &|row, _| row.sums.allocated.to_string()),
            number("column.pending", &|row, _| row.sums.pending_free.to_string()),
            number("column.cached", &|row, _| row.sums.cached_free.to_string()),
            number("column.largest_free", &|row, _| row.sums.largest_free_block.to_string()),
            number("column.stranded", &|row, _| share_text(row.sums.stranded_share)),
        ],
        out,
    )
}

/// The catalogue key of a size class.
pub fn segment_type_key(segment_type: hbmlens::model::SegmentType) -> &'static str {
    use hbmlens::model::SegmentType;
    match segment_type {
        SegmentType::Large => "segment_type.large",
        SegmentType::Small => "segment_type.small",
        SegmentType::Unknown => "segment_type.unknown",
    }
}

fn print_anomalies(device: &DeviceOverview, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("heading.anomalies").text("device", device.device.to_string());
    section(
        &title.render(out.language),
        &device.anomalies.iter().collect::<Vec<_>>(),
        &[
            text("column.kind", &|&(&kind, _), out| out.label(anomaly_key(kind)).to_owned()),
            number("column.count", &|&(_, &count), _| count_text(count)),
        ],
        out,
    )
}

/// One line a check: details are sentences, too long for a column.
pub fn print_checks(checks: &[Check], out: &mut Output) -> Result<(), Stop> {
    for check in checks {
        let line = Message::new("check.line")
            .text("status", out.label(check.status.label_key()))
            .text("check", out.label(check.name.label_key()))
            .list("detail", vec![check.detail.clone()]);
        out.say(&line)?;
    }
    Ok(())
}
