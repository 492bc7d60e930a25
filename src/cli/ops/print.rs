//! What `hbmlens ops` prints for people.

use super::{Args, Comparison, static_graphs};
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::table::Table;
use hbmlens::analysis::checks::Status;
use hbmlens::analysis::ops::components::{ModuleBytes, ModuleSummary, Unexplained};
use hbmlens::analysis::ops::report::{Analysed, OpsReport, RankReport, top_positions};
use hbmlens::analysis::ops::rows::OpsRow;
use hbmlens::analysis::ops::static_graphs::static_graphs as graphs_of;
use hbmlens::model::Bytes;
use hbmlens::text::{Message, count_text, difference_text, exact_bytes, share_text, time_text};

pub fn print_ranks(report: &OpsReport, out: &mut Output) -> Result<(), Stop> {
    // Modules and static graphs have tables of their own, and no rows.
    if report.ranks.iter().all(|rank| rank.check.status == Status::Unknown) {
        return Ok(());
    }
    let columns = [
        ("ops.column.role", false),
        ("ops.column.rank", true),
        ("ops.column.run", true),
        ("ops.column.rows", true),
        ("column.peak", true),
        ("column.at", false),
        ("ops.column.unreleased", true),
        ("ops.column.unreleased_rows", true),
        ("ops.column.matches", false),
    ];
    let headings: Vec<(&str, bool)> = columns.iter().map(|&(key, right)| (out.label(key), right)).collect();
    let mut table = Table::new(out, &headings);
    for rank in &report.ranks {
        let m = rank.matches;
        let kinds = [
            ("exact", m.exact),
            ("flow", m.flow),
            ("approximate", m.approximate),
            ("inherited", m.inherited),
            ("none", m.none),
        ];
        let matches: Vec<String> = kinds
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(kind, n)| format!("{} {}", out.word("ops.match", kind), count_text(*n)))
            .collect();
        table.row(
            out,
            [
                rank.role.clone(),
                rank.rank_label.clone(),
                rank.run.to_string(),
                count_text(rank.rows_total),
                exact(rank.peak_bytes),
                rank.peak_ns.map_or_else(String::new, time_text),
                exact_bytes(rank.unreleased_bytes),
                count_text(rank.unreleased_count),
                matches.join(", "),
            ],
        );
    }
    table.print(out)?;
    for outlier in &report.outliers {
        let most = outlier.because.first();
        let line = Message::new("ops.outlier")
            .text("rank", format!("{} {}", outlier.role, outlier.rank).trim())
            .bytes("peak", Bytes(outlier.peak_bytes.max(0).unsigned_abs()))
            .bytes("median", Bytes(outlier.median_bytes.max(0).unsigned_abs()))
            .with("deviation", hbmlens::text::Param::Difference(outlier.peak_bytes - outlier.median_bytes))
            .text("name", most.map_or("", |d| d.name.as_str()))
            .with("more", hbmlens::text::Param::Difference(most.map_or(0, |d| d.diff_bytes)));
        out.say(&line)?;
    }
    Ok(())
}

pub fn exact(bytes: i64) -> String {
    u64::try_from(bytes).map_or_else(|_| difference_text(bytes), exact_bytes)
}

pub fn print_rank(args: &Args, rank: &Analysed, figures: &RankReport, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("ops.heading.rank")
        .text("role", figures.role.as_str())
        .text("rank", figures.rank_label.as_str())
        .text("folder", figures.folder.as_str());
    out.heading(&title.render(out.language))?;
    // A run without rows has none to check.
    let checked = figures.check.status != Status::Unknown;
    for field in figures.check.fields.iter().filter(|f| checked && f.missing > 0) {
        out.say(&Message::new("ops.check.missing").text("field", field.field).count("rows", field.missing))?;
    }
    if let Some(advice) = figures.api_cost.as_ref().and_then(|cost| cost.advice.as_ref()) {
        out.say(advice)?;
    }
    if let Some(u) = &figures.unexplained {
        let bytes = |n: i64| Bytes(n.max(0).unsigned_abs());
        let line = Message::new("ops.unexplained")
            .bytes("bytes", bytes(u.peak.bytes))
            .bytes("app", bytes(u.app_bytes))
            .bytes("framework", bytes(u.framework_bytes))
            .bytes("workspace", bytes(u.workspace_bytes))
            .text("modules", largest_modules(u, figures, out))
            .with("other", hbmlens::text::Param::Difference(u.other_bytes));
        out.say(&line)?;
    }
    if !figures.components.is_empty() {
        print_components(figures, out)?;
    }
    if !figures.modules.is_empty() {
        print_modules(figures, out)?;
    }
    if let Some(ops) = &rank.run.static_ops {
        static_graphs::print(&graphs_of(ops, args.top), out)?;
    }
    print_rows(args, rank, out)?;
    out.warnings(&figures.warnings)?;
    Ok(())
}

fn print_components(figures: &RankReport, out: &mut Output) -> Result<(), Stop> {
    let columns = [
        (out.label("ops.column.component"), false),
        (out.label("column.allocated"), true),
        (out.label("column.reserved"), true),
        (out.label("column.active"), true),
    ];
    let mut table = Table::new(out, &columns);
    for component in &figures.components {
        let peak =
            |p: &Option<hbmlens::analysis::ops::live::Peak>| p.map_or_else(String::new, |p| exact(p.bytes));
        table.row(
            out,
            [
                component.component.clone(),
                peak(&component.peak_allocated),
                peak(&component.peak_reserved),
                peak(&component.peak_active),
            ],
        );
    }
    table.print(out)
}

/// The modules that hold most of what no pool explains, as far as they were recorded.
fn largest_modules(u: &Unexplained, figures: &RankReport, out: &Output) -> String {
    if u.modules.is_empty() {
        let nothing = figures.modules.iter().any(|m| m.peak.is_some());
        return if nothing { exact(0) } else { out.label("ops.not_recorded").to_owned() };
    }
    let one = |m: &ModuleBytes| format!("{} {}", m.module, exact(m.bytes));
    u.modules.iter().take(3).map(one).collect::<Vec<_>>().join(", ")
}

/// Reserved memory by module, the most first. Of some forty modules few hold anything.
fn print_modules(figures: &RankReport, out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("ops.heading.modules"))?;
    let columns = [
        (out.label("ops.column.module"), false),
        (out.label("ops.column.device"), false),
        (out.label("ops.column.samples"), true),
        (out.label("ops.column.peak_reserved"), true),
        (out.label("column.at"), false),
        (out.label("ops.column.last"), true),
    ];
    let mut table = Table::new(out, &columns);
    let mut modules: Vec<&ModuleSummary> =
        figures.modules.iter().filter(|m| m.peak.is_none_or(|p| p.bytes != 0)).collect();
    modules.sort_by_key(|m| std::cmp::Reverse(m.peak.map_or(0, |p| p.bytes)));
    let idle = figures.modules.len() - modules.len();
    for module in modules {
        let unknown = || out.label("ops.only_releases").to_owned();
        table.row(
            out,
            [
                module.module.clone(),
                module.device.clone(),
                count_text(module.samples),
                module.peak.map_or_else(unknown, |p| exact(p.bytes)),
                // A report made once, beside an out-of-memory, has no times.
                module.peak.filter(|p| p.at.0 != 0).map_or_else(String::new, |p| time_text(p.at.0)),
                module.last_bytes.map_or_else(String::new, exact),
            ],
        );
    }
    table.print(out)?;
    if idle > 0 {
        out.say(&Message::new("ops.idle_modules").count("modules", idle as u64))?;
    }
    Ok(())
}

fn print_rows(args: &Args, rank: &Analysed, out: &mut Output) -> Result<(), Stop> {
    if rank.index.is_empty() {
        return Ok(());
    }
    out.heading(out.label("ops.heading.rows"))?;
    let columns = [
        (out.label("ops.column.start"), true),
        (out.label("ops.column.duration"), true),
        (out.label("column.bytes"), true),
        (out.label("ops.column.name"), false),
        (out.label("ops.column.match"), false),
        (out.label("ops.column.stack"), false),
    ];
    let mut table = Table::new(out, &columns);
    for position in top_positions(&rank.index, args.top) {
        let (Some(row), Some(size)) =
            (OpsRow::new(&rank.run, &rank.index, position), rank.index.size.get(position))
        else {
            continue;
        };
        let unnamed = out.label("ops.unnamed");
        table.row(
            out,
            [
                row.start_time_ms,
                if row.released { row.duration_ms } else { out.label("ops.never").to_owned() },
                exact(*size),
                if row.name.is_empty() { unnamed.to_owned() } else { row.name },
                out.word("ops.match", row.match_kind.name()),
                row.call_stack_top,
            ],
        );
    }
    table.print(out)
}

pub fn print_comparison(comparison: &Comparison, top: usize, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("ops.heading.comparison")
        .text("a", comparison.a.to_string())
        .text("b", comparison.b.to_string());
    out.heading(&title.render(out.language))?;
    let columns = [
        (out.label("ops.column.name"), false),
        (out.label("ops.column.a_rows"), true),
        (out.label("ops.column.b_rows"), true),
        (out.label("ops.column.a_bytes"), true),
        (out.label("ops.column.b_bytes"), true),
        (out.label("ops.column.difference"), true),
        (out.label("ops.column.ratio"), true),
    ];
    let mut table = Table::new(out, &columns);
    let most = if top == 0 { usize::MAX } else { top };
    for row in comparison.names.iter().take(most) {
        let unnamed = out.label("ops.unnamed");
        table.row(
            out,
            [
                if row.name.is_empty() { unnamed.to_owned() } else { row.name.clone() },
                count_text(row.a_count),
                count_text(row.b_count),
                exact(row.a_bytes),
                exact(row.b_bytes),
                difference_text(row.diff_bytes),
                row.ratio.map_or_else(String::new, share_text),
            ],
        );
    }
    table.print(out)
}
