//! The figures of GE logs as tables and sentences.

use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::table::{Table, number, section, text};
use hbmlens::analysis::ge::addresses::Fault;
use hbmlens::analysis::ge::compare::Comparison;
use hbmlens::analysis::ge::gap::Cause;
use hbmlens::analysis::ge::overlap::{Overlap, OverlapKind};
use hbmlens::analysis::ge::{GeReport, GraphReport, ProcessReport};
use hbmlens::model::Bytes;
use hbmlens::text::{Message, count_text, share_text};

/// Nodes and overlaps shown; the JSON and the report files hold all.
const SHOWN: usize = 10;

/// Graphs, what keeps them from their least memory, pools and device memory, process by process.
pub fn figures(report: &GeReport, out: &mut Output) -> Result<(), Stop> {
    for (n, process) in report.processes.iter().enumerate() {
        if n > 0 {
            out.line("")?;
        }
        let heading = Message::new("ge.process")
            .text("pid", process.pid.to_string())
            .text("name", process.name.clone().unwrap_or_else(|| "?".to_owned()));
        out.say(&heading)?;
        graphs(process, out)?;
        pools(process, out)?;
        device(process, out)?;
    }
    Ok(())
}

fn graphs(process: &ProcessReport, out: &mut Output) -> Result<(), Stop> {
    if process.graphs.is_empty() {
        return Ok(());
    }
    let columns = [
        text("ge.column.graph", &|graph: &GraphReport, _: &_| name(graph)),
        number("ge.column.memory_size", &|graph, _| graph.figures.memory_size.to_string()),
        number("ge.column.total", &|graph, _| graph.figures.total.to_string()),
        number("ge.column.reuse_rate", &|graph, _| share_text(graph.figures.reuse_rate)),
        number("ge.column.theory_min", &|graph, _| graph.figures.theory_min.to_string()),
        number("ge.column.reach", &|graph, _| share_text(graph.figures.reach_theory_rate)),
        number("ge.column.streams", &|graph, _| graph.figures.streams.to_string()),
        number("ge.column.operators", &|graph, _| count_text(graph.figures.operators)),
        number("ge.column.overlaps", &|graph, _| count_text(graph.overlap_count)),
    ];
    Table::of(&process.graphs, &columns, out).print(out)?;
    for graph in &process.graphs {
        gap(graph, out)?;
    }
    Ok(())
}

/// The key, with round and kind of memory where they are not the usual ones.
fn name(graph: &GraphReport) -> String {
    let mut name = graph.key.clone();
    if graph.round > 0 {
        name.push_str(&format!(" #{}", graph.round + 1));
    }
    if graph.memtype != hbmlens::analysis::ge::HBM {
        name.push_str(&format!(" (memtype {})", graph.memtype));
    }
    name
}

fn gap(graph: &GraphReport, out: &mut Output) -> Result<(), Stop> {
    if graph.gap.costs.is_empty() && graph.gap.bytes == Bytes::ZERO {
        return Ok(());
    }
    let heading = Message::new("ge.gap").text("graph", name(graph)).bytes("bytes", graph.gap.bytes);
    out.heading(&heading.render(out.language))?;
    for cost in &graph.gap.costs {
        let nodes: Vec<&str> = cost.nodes.iter().take(3).map(|node| node.name.as_str()).collect();
        let line = Message::new("ge.cost")
            .text("cause", out.label(cause_key(cost.cause)))
            .bytes("bytes", cost.bytes)
            .text("nodes", nodes.join(", "));
        out.say(&line)?;
    }
    let groups: Vec<String> = graph
        .peak
        .by_op_type
        .iter()
        .take(4)
        .map(|group| format!("{} {}", if group.key.is_empty() { "?" } else { &group.key }, group.bytes))
        .collect();
    let line = Message::new("ge.peak")
        .count("moment", graph.peak.moment)
        .bytes("bytes", graph.peak.bytes)
        .count("count", graph.peak.count)
        .text("groups", groups.join(", "));
    out.say(&line)
}

fn cause_key(cause: Cause) -> &'static str {
    match cause {
        Cause::Continuous => "ge.cause.continuous",
        Cause::LargerBlock => "ge.cause.larger_block",
        Cause::Placement => "ge.cause.placement",
        Cause::Alignment => "ge.cause.alignment",
        Cause::Streams => "ge.cause.streams",
        Cause::NoReuse => "ge.cause.no_reuse",
        Cause::Atomic => "ge.cause.atomic",
    }
}

fn pools(process: &ProcessReport, out: &mut Output) -> Result<(), Stop> {
    section(
        out.label("ge.heading.pools"),
        &process.pools,
        &[
            text("ge.column.allocator", &|row, _| row.pool.allocator.to_string()),
            number("ge.column.total", &|row, _| row.pool.total.to_string()),
            number("ge.column.after_reuse", &|row, _| row.pool.after_reuse.to_string()),
            number("ge.column.theory_min", &|row, _| row.pool.theory_min.to_string()),
            number("ge.column.reuse_rate", &|row, _| share_text(row.pool.reuse_rate)),
            number("ge.column.uses", &|row, _| count_text(row.pool.uses)),
            number("ge.column.live", &|row, _| count_text(row.pool.live_at_end)),
        ],
        out,
    )
}

fn device(process: &ProcessReport, out: &mut Output) -> Result<(), Stop> {
    let device = &process.device;
    if device.allocations == 0 {
        return Ok(());
    }
    out.heading(out.label("ge.heading.device"))?;
    let mut table = Table::new(
        out,
        &[("", false), (out.label("ge.column.sum"), true), (out.label("ge.column.peak"), true)],
    );
    table.row(out, ["total".to_owned(), device.total.to_string(), device.peak.to_string()]);
    for (name, node) in &device.children {
        table.row(out, [format!("  {name}"), node.sum.to_string(), node.peak.to_string()]);
        for (name, node) in &node.children {
            table.row(out, [format!("    {name}"), node.sum.to_string(), node.peak.to_string()]);
        }
    }
    table.print(out)?;
    if device.unsized_frees > 0 {
        out.say(&Message::new("ge.unsized_frees").count("count", device.unsized_frees))?;
    }
    Ok(())
}

/// Which lines the log lacks, and what was odd in it.
pub fn missing(report: &GeReport, out: &mut Output) -> Result<(), Stop> {
    if !report.missing.is_empty() {
        out.heading(out.label("ge.heading.missing"))?;
    }
    // Neighbours that are recorded in the same way share the sentence that says how.
    for alike in report.missing.chunk_by(|a, b| a.how == b.how) {
        for missing in alike {
            let line = match &missing.graph {
                None => Message::new("ge.missing.line"),
                Some(graph) => Message::new("ge.missing.graph").text("graph", graph.as_str()),
            };
            out.say(&line.text("marker", missing.marker).text("report", missing.needed_for))?;
        }
        if let Some(missing) = alike.first() {
            let how = missing.how.render(out.language);
            out.line(format!("  {how}"))?;
        }
    }
    if !report.warnings.is_empty() {
        out.heading(out.label("heading.warnings"))?;
    }
    out.warnings(&report.warnings)?;
    Ok(())
}

/// What the checks found; silence is no answer, so what was looked at is said as well.
pub fn check(report: &GeReport, out: &mut Output) -> Result<(), Stop> {
    for process in &report.processes {
        for graph in &process.graphs {
            let line = Message::new("ge.check.graph")
                .text("process", process.pid.to_string())
                .text("graph", name(graph))
                .count("operators", graph.figures.operators)
                .count("overlaps", graph.overlap_count)
                .count("boundaries", graph.boundary_count);
            out.say(&line)?;
            let real = graph.overlaps.iter().filter(|overlap| overlap.kind == OverlapKind::Overlap);
            for overlap in real.take(SHOWN) {
                out.say(&overlap_line(overlap))?;
            }
        }
        let addresses = &process.addresses;
        let line = Message::new("ge.check.addresses")
            .text("process", process.pid.to_string())
            .count("passed", addresses.passed)
            .count("failed", addresses.failed)
            .count("without", addresses.without_base);
        out.say(&line)?;
        for fault in addresses.faults.iter().take(SHOWN) {
            let key = match fault.fault {
                Fault::Offset => "ge.check.offset",
                Fault::Outside => "ge.check.outside",
            };
            let line = Message::new(key)
                .text("name", fault.name.as_str())
                .text("region", fault.region.as_str())
                .address("address", fault.address)
                .address("base", fault.base)
                .text("offset", fault.offset.to_string())
                .text("expected", fault.expected_offset.map_or("?".to_owned(), |offset| offset.to_string()));
            out.say(&line)?;
        }
    }
    if report.missing.is_empty() { Ok(()) } else { missing(report, out) }
}

fn overlap_line(overlap: &Overlap) -> Message {
    let until = overlap.until.map_or("\u{221e}".to_owned(), |until| until.to_string());
    Message::new("ge.check.overlap")
        .text("first", overlap.first.name.as_str())
        .text("second", overlap.second.name.as_str())
        .bytes("bytes", Bytes(overlap.to.saturating_sub(overlap.from)))
        .text("offset", overlap.from.to_string())
        .text("since", overlap.since.to_string())
        .text("until", until)
}

/// One row a graph and log, the least marked.
pub fn comparison(comparison: &Comparison, out: &mut Output) -> Result<(), Stop> {
    let mut table = Table::new(
        out,
        &[
            (out.label("ge.column.graph"), false),
            (out.label("ge.column.log"), false),
            (out.label("ge.column.total"), true),
            (out.label("ge.column.after_reuse"), true),
            (out.label("ge.column.difference"), true),
            (out.label("ge.column.theory_min"), true),
            (out.label("ge.column.fixed"), true),
            (out.label("ge.column.streams"), true),
            (out.label("ge.column.topo"), false),
            (out.label("ge.column.policy"), false),
        ],
    );
    for row in &comparison.graphs {
        for (n, (log, cell)) in comparison.logs.iter().zip(&row.logs).enumerate() {
            let graph = if n == 0 { row.graph.clone() } else { String::new() };
            let Some(cell) = cell else {
                table.row(out, [graph, log.clone(), "-".to_owned()]);
                continue;
            };
            let best = if row.best == Some(n) { "* " } else { "" };
            table.row(
                out,
                [
                    graph,
                    log.clone(),
                    cell.total.to_string(),
                    format!("{best}{}", cell.after_reuse),
                    count_signed(cell.after_reuse_diff),
                    cell.theory_min.to_string(),
                    cell.atomic_and_continuous.to_string(),
                    cell.streams.to_string(),
                    cell.topo_mode.clone().unwrap_or_default(),
                    cell.policy.clone().unwrap_or_default(),
                ],
            );
        }
    }
    table.print(out)
}

fn count_signed(n: i64) -> String {
    match n {
        0 => "0".to_owned(),
        n if n < 0 => format!("-{}", Bytes(n.unsigned_abs())),
        n => format!("+{}", Bytes(n.unsigned_abs())),
    }
}
