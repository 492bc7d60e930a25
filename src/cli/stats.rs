//! `hbmlens stats`: the totals by PyTorch's own definitions, for people who compare.

use crate::cli::args::Common;
use crate::cli::error::Stop;
use crate::cli::input::for_each_snapshot;
use crate::cli::output::Output;
use crate::cli::table::Table;
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::stats::stats;
use hbmlens::text::{count_text, exact_bytes};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots, or directories of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let several = args.files.len() > 1;
    let all_good = for_each_snapshot(&args.files, &args.common, out, |opened, _, snapshot, out| {
        let stats = stats(snapshot);
        if out.json {
            return out.json_line(&stats);
        }
        if several {
            out.heading(&opened.name)?;
        }
        out.line(out.label("stats.heading"))?;
        let mut table = Table::new(out, &[("", false), (out.label("column.bytes"), true)]);
        table.row(out, [out.label("stats.total_reserved"), &exact_bytes(stats.total_reserved.0)]);
        table.row(out, [out.label("stats.total_allocated"), &exact_bytes(stats.total_allocated.0)]);
        table.row(out, [out.label("stats.total_free"), &signed(stats.total_free)]);
        table.row(out, [out.label("stats.internal"), &signed(stats.internal)]);
        table.row(out, [out.label("stats.external"), &exact_bytes(stats.external.0)]);
        if let Some(percent) = stats.internal_percent() {
            table.row(out, [out.label("stats.internal_percent"), &format!("{percent:.1} %")]);
        }
        table.print(out)
    })?;
    Ok(input_outcome(all_good))
}

fn signed(value: i64) -> String {
    match u64::try_from(value) {
        Ok(value) => exact_bytes(value),
        Err(_) => format!("-{}", count_text(value.unsigned_abs())),
    }
}
