//! What `hbmlens ops` prints for people.

use super::{Args, Comparison, static_graphs};
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::table::{Table, number, text};
use hbmlens::analysis::checks::Status;
use hbmlens::analysis::ops::compare::NameDifference;
use hbmlens::analysis::ops::components::{ComponentSummary, ModuleBytes, ModuleSummary, Unexplained};
use hbmlens::analysis::ops::live::Peak;
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
        text("ops.column.role", &|rank: &RankReport, _: &_| rank.role.clone()),
        number("ops.column.rank", &|rank, _| rank.rank_label.clone()),
        number("ops.column.run", &|rank, _| rank.run.to_string()),
        number("ops.column.rows", &|rank, _| count_text(rank.rows_total)),
        number("column.peak", &|rank, _| exact(rank.peak_bytes)),
        text("column.at", &|rank, _| rank.peak_ns.map_or_else(String::new, time_text)),
        number("ops.column.unreleased", &|rank, _| exact_bytes(rank.unreleased_bytes)),
        number("ops.column.unreleased_rows", &|rank, _| count_text(rank.unreleased_count)),
        text("ops.column.matches", &matches),
    ];
    Table::of(&report.ranks, &columns, out).print(out)?;
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

/// How many rows were matched in which way.
fn matches(rank: &RankReport, out: &Output) -> String {
    let m = rank.matches;
    let kinds = [
        ("exact", m.exact),
        ("flow", m.flow),
        ("approximate", m.approximate),
        ("inherited", m.inherited),
        ("none", m.none),
    ];
    let some = kinds.iter().filter(|(_, n)| *n > 0);
    let words: Vec<String> =
        some.map(|(kind, n)| format!("{} {}", out.word("ops.match", kind), count_text(*n))).collect();
    words.join(", ")
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
    fn peak(peak: Option<Peak>) -> String {
        peak.map_or_else(String::new, |peak| exact(peak.bytes))
    }
    let columns = [
        text("ops.column.component", &|row: &ComponentSummary, _: &_| row.component.clone()),
        number("column.allocated", &|row, _| peak(row.peak_allocated)),
        number("column.reserved", &|row, _| peak(row.peak_reserved)),
        number("column.active", &|row, _| peak(row.peak_active)),
    ];
    Table::of(&figures.components, &columns, out).print(out)
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
    let mut modules: Vec<&ModuleSummary> =
        figures.modules.iter().filter(|m| m.peak.is_none_or(|p| p.bytes != 0)).collect();
    modules.sort_by_key(|m| std::cmp::Reverse(m.peak.map_or(0, |p| p.bytes)));
    let idle = figures.modules.len() - modules.len();
    out.heading(out.label("ops.heading.modules"))?;
    let columns = [
        text("ops.column.module", &|module: &&ModuleSummary, _: &_| module.module.clone()),
        text("ops.column.device", &|module, _| module.device.clone()),
        number("ops.column.samples", &|module, _| count_text(module.samples)),
        number("ops.column.peak_reserved", &|module, out| {
            module.peak.map_or_else(|| out.label("ops.only_releases").to_owned(), |p| exact(p.bytes))
        }),
        // A report made once, beside an out-of-memory, has no times.
        text("column.at", &|module, _| {
            module.peak.filter(|p| p.at.0 != 0).map_or_else(String::new, |p| time_text(p.at.0))
        }),
        number("ops.column.last", &|module, _| module.last_bytes.map_or_else(String::new, exact)),
    ];
    Table::of(&modules, &columns, out).print(out)?;
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
    let row = |position: usize| {
        OpsRow::new(&rank.run, &rank.index, position).zip(rank.index.size.get(position).copied())
    };
    let rows: Vec<(OpsRow, i64)> = top_positions(&rank.index, args.top).into_iter().filter_map(row).collect();
    let columns = [
        number("ops.column.start", &|(row, _): &(OpsRow, i64), _: &_| row.start_time_ms.clone()),
        number("ops.column.duration", &|(row, _), out| match row.released {
            true => row.duration_ms.clone(),
            false => out.label("ops.never").to_owned(),
        }),
        number("column.bytes", &|(_, size), _| exact(*size)),
        text("ops.column.name", &|(row, _), out| name(&row.name, out)),
        text("ops.column.match", &|(row, _), out| out.word("ops.match", row.match_kind.name())),
        text("ops.column.stack", &|(row, _), _| row.call_stack_top.clone()),
    ];
    Table::of(&rows, &columns, out).print(out)
}

fn name(name: &str, out: &Output) -> String {
    if name.is_empty() { out.label("ops.unnamed").to_owned() } else { name.to_owned() }
}

pub fn print_comparison(comparison: &Comparison, top: usize, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("ops.heading.comparison")
        .text("a", comparison.a.to_string())
        .text("b", comparison.b.to_string());
    out.heading(&title.render(out.language))?;
    let most = if top == 0 { usize::MAX } else { top };
    let rows = comparison.names.get(..most).unwrap_or(&comparison.names);
    let columns = [
        text("ops.column.name", &|row: &NameDifference, out: &_| name(&row.name, out)),
        number("ops.column.a_rows", &|row, _| count_text(row.a_count)),
        number("ops.column.b_rows", &|row, _| count_text(row.b_count)),
        number("ops.column.a_bytes", &|row, _| exact(row.a_bytes)),
        number("ops.column.b_bytes", &|row, _| exact(row.b_bytes)),
        number("ops.column.difference", &|row, _| difference_text(row.diff_bytes)),
        number("ops.column.ratio", &|row, _| row.ratio.map_or_else(String::new, share_text)),
    ];
    Table::of(rows, &columns, out).print(out)
}
