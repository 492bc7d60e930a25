//! `hbmlens ops`: which operator allocated what, on every rank of a profiler run.

use crate::cli::args::Common;
use crate::cli::error::{Failure, Stop, tell};
use crate::cli::input::{self, FileArg};
use crate::cli::output::Output;
use crate::cli::table::Table;
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::ops::LifeEnd;
use hbmlens::analysis::ops::compare::{NameDifference, compare_ranks};
use hbmlens::analysis::ops::report::{Analysed, OpsReport, RankReport, report, top_positions};
use hbmlens::analysis::ops::rows::{OpsRow, REFERENCE_COLUMNS};
use hbmlens::format::profiler::folder::{Piece, RunFiles, add_document, group_runs, piece};
use hbmlens::model::Bytes;
use hbmlens::text::{Message, count_text, difference_text, exact_bytes, share_text, time_text};
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Profiler folders (*_ascend_pt), directories of them, or single files of one
    #[arg(required = true, value_name = "DIR|FILE")]
    files: Vec<String>,
    /// Only this rank (a card without a rank counts as 0)
    #[arg(long, value_name = "N")]
    rank: Option<i64>,
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Compare with this rank by operator name (needs --rank)
    #[arg(long, value_name = "N", requires = "rank")]
    against: Option<i64>,
    /// Rows of each list, the largest, in order of time; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    top: usize,
    /// A row lives until its block is free for others (record_stream), not until its tensor is freed
    #[arg(long)]
    block_release: bool,
    /// Write all rows as CSV with the reference parser's columns (- for standard output)
    #[arg(long, value_name = "OUT")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

impl Args {
    /// What a folder without a command gets.
    pub fn overview(files: Vec<String>, common: Common) -> Args {
        Args {
            files,
            rank: None,
            role: None,
            against: None,
            top: 20,
            block_release: false,
            csv: None,
            common,
        }
    }
}

/// True where an argument is a profiler's: a folder with its files and no snapshots, or such a file.
pub fn is_profiler(arg: &str) -> bool {
    let Ok(files) = input::files(std::slice::from_ref(&arg.to_owned())) else { return false };
    let snapshot = |path: &Path| path.extension().is_some_and(|e| e == "pickle" || e == "pkl");
    let rows = |path: &Path| {
        matches!(
            piece(&path.to_string_lossy()),
            Some(Piece::Trace | Piece::OperatorMemory | Piece::MemoryRecord)
        )
    };
    files.iter().any(|f| rows(&f.path)) && !files.iter().any(|f| snapshot(&f.path))
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let (ranks, all_good) = read(args, out)?;
    if let Some(path) = &args.csv {
        write_csv(path, &ranks, out)?;
        if path.as_os_str() == "-" {
            return Ok(input_outcome(all_good));
        }
    }
    let comparison = compare(args, &ranks)?;
    let report = report(&ranks, if out.json { args.top } else { 1 });
    if out.json {
        #[derive(Serialize)]
        struct WithComparison<'a> {
            #[serde(flatten)]
            report: &'a OpsReport,
            #[serde(skip_serializing_if = "Option::is_none")]
            comparison: &'a Option<Comparison>,
        }
        out.json_line(&WithComparison { report: &report, comparison: &comparison })?;
        return Ok(input_outcome(all_good));
    }
    print_ranks(&report, out)?;
    for (rank, figures) in ranks.iter().zip(&report.ranks) {
        print_rank(args, rank, figures, out)?;
    }
    if let Some(comparison) = &comparison {
        print_comparison(comparison, args.top, out)?;
    }
    Ok(input_outcome(all_good))
}

/// Reads and analyses every run; false when some file was bad (it has been told).
fn read(args: &Args, out: &mut Output) -> Result<(Vec<Analysed>, bool), Stop> {
    let files = input::files(&args.files)?;
    let paths: Vec<PathBuf> =
        files.iter().map(|f| fs::canonicalize(&f.path).unwrap_or_else(|_| f.path.clone())).collect();
    let names: Vec<String> = paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let mut groups = group_runs(&names, |i| paths.get(i).map_or_else(|| Ok(Vec::new()), fs::read));
    let life_end = if args.block_release { LifeEnd::BlockRelease } else { LifeEnd::Release };
    let (mut ranks, mut all_good) = (Vec::new(), true);
    let wanted = |group: &RunFiles| {
        let rank = group.key.rank.unwrap_or(0);
        args.rank.is_none_or(|r| r == rank || args.against == Some(rank))
            && args.role.as_ref().is_none_or(|role| *role == group.key.role)
    };
    let found = !groups.is_empty();
    groups.retain(wanted);
    for group in &groups {
        let mut run = group.start();
        for file in group.to_open().filter_map(|i| files.get(i)) {
            all_good &= add(&mut run, file, args, out)?;
        }
        ranks.push(Analysed::new(run, life_end));
    }
    // Files named by the user under names of their own: told by their content, taken as one run.
    let named: Vec<&FileArg> =
        files.iter().filter(|f| !f.found && piece(&f.path.to_string_lossy()).is_none()).collect();
    if !named.is_empty() {
        let mut run = hbmlens::model::profile::ProfilerRun::default();
        for file in named {
            all_good &= add(&mut run, file, args, out)?;
        }
        ranks.push(Analysed::new(run, life_end));
    }
    if ranks.is_empty() {
        let failure = if found {
            Failure::usage("no run is of that rank and role")
        } else {
            Failure::new("unexpected", "no files of a profiler were found").hint(
                "look for folders that end in _ascend_pt, or name operator_memory.csv and trace_view.json",
            )
        };
        return Err(failure.into());
    }
    Ok((ranks, all_good))
}

/// Opens a file into its run; false (and told) where it is no good.
fn add(
    run: &mut hbmlens::model::profile::ProfilerRun,
    file: &FileArg,
    args: &Args,
    out: &mut Output,
) -> Result<bool, Stop> {
    let failure = match input::open(&file.path, &args.common, out) {
        Ok(opened) => match add_document(run, opened.document) {
            None => return Ok(true),
            Some(_) => Failure::new("unexpected", format!("{}: not a file of a profiler", opened.name)),
        },
        Err(failure) => failure,
    };
    tell(&failure, out)?;
    Ok(false)
}

fn write_csv(path: &Path, ranks: &[Analysed], out: &mut Output) -> Result<(), Stop> {
    if path.as_os_str() == "-" {
        return write_rows(out.raw(), ranks);
    }
    let unwritable =
        |e: std::io::Error| Failure::new("io", format!("{} could not be written: {e}", path.display()));
    let file = fs::File::create(path).map_err(unwritable)?;
    write_rows(std::io::BufWriter::new(file), ranks)
}

fn write_rows(sink: impl Write, ranks: &[Analysed]) -> Result<(), Stop> {
    let failed = |e: csv::Error| match e.into_kind() {
        csv::ErrorKind::Io(io) => Stop::from(io),
        other => Failure::new("io", format!("the table could not be written: {other:?}")).into(),
    };
    let mut writer = csv::Writer::from_writer(sink);
    writer.write_record(REFERENCE_COLUMNS).map_err(failed)?;
    for rank in ranks {
        for position in 0..rank.index.len() {
            if let Some(row) = OpsRow::new(&rank.run, &rank.index, position) {
                writer.write_record(row.reference_cells()).map_err(failed)?;
            }
        }
    }
    Ok(writer.flush()?)
}

/// Two ranks by operator name.
#[derive(Serialize)]
struct Comparison {
    a: i64,
    b: i64,
    names: Vec<NameDifference>,
}

fn compare(args: &Args, ranks: &[Analysed]) -> Result<Option<Comparison>, Stop> {
    let (Some(a), Some(b)) = (args.rank, args.against) else { return Ok(None) };
    let find = |rank: i64| {
        ranks
            .iter()
            .find(|r| r.run.key.rank.unwrap_or(0) == rank)
            .ok_or_else(|| Failure::usage(format!("there is no rank {rank} to compare")))
    };
    let (first, second) = (find(a)?, find(b)?);
    let names = compare_ranks((&first.run, &first.index), (&second.run, &second.index));
    Ok(Some(Comparison { a, b, names }))
}

fn print_ranks(report: &OpsReport, out: &mut Output) -> Result<(), Stop> {
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

fn exact(bytes: i64) -> String {
    u64::try_from(bytes).map_or_else(|_| difference_text(bytes), exact_bytes)
}

fn print_rank(args: &Args, rank: &Analysed, figures: &RankReport, out: &mut Output) -> Result<(), Stop> {
    let title = Message::new("ops.heading.rank")
        .text("role", figures.role.as_str())
        .text("rank", figures.rank_label.as_str())
        .text("folder", figures.folder.as_str());
    out.heading(&title.render(out.language))?;
    for field in figures.check.fields.iter().filter(|f| f.missing > 0) {
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
            .text(
                "modules",
                u.modules
                    .iter()
                    .take(3)
                    .map(|m| format!("{} {}", m.module, exact(m.bytes)))
                    .collect::<Vec<_>>()
                    .join(", "),
            )
            .with("other", hbmlens::text::Param::Difference(u.other_bytes));
        out.say(&line)?;
    }
    if !figures.components.is_empty() {
        print_components(figures, out)?;
    }
    print_rows(args, rank, out)?;
    for warning in &figures.warnings {
        let position = warning.position.map(|p| format!(" ({p})")).unwrap_or_default();
        let line = Message::new("warning.line")
            .text("kind", warning.kind.as_str())
            .count("count", warning.count)
            .text("detail", format!("{}{position}", warning.detail));
        out.say(&line)?;
    }
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

fn print_comparison(comparison: &Comparison, top: usize, out: &mut Output) -> Result<(), Stop> {
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
