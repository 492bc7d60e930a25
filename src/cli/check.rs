//! `hbmlens check`: the six consistency checks, and exit code 2 when one fails.

use crate::cli::args::{Common, OfDevice};
use crate::cli::error::Stop;
use crate::cli::input::for_each_snapshot;
use crate::cli::output::Output;
use crate::cli::overview::{print_checks, without_growth};
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::checks::{Check, any_failed};
use hbmlens::analysis::overview::FileFacts;
use serde::Serialize;

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

#[derive(Serialize)]
struct Checks<'a> {
    schema: &'static str,
    file: &'a FileFacts,
    checks: &'a [Check],
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let several = args.files.len() > 1;
    let mut failed = false;
    let all_good = for_each_snapshot(&args.files, &args.common, out, |opened, _, snapshot, out| {
        let overview = without_growth(opened, snapshot, &args.of_device)?;
        failed |= any_failed(&overview.checks);
        if out.json {
            return out.json_line(&Checks {
                schema: "hbmlens.check/1",
                file: &overview.file,
                checks: &overview.checks,
            });
        }
        if several {
            out.heading(&opened.name)?;
        }
        print_checks(&overview.checks, out)
    })?;
    Ok(match input_outcome(all_good) {
        Outcome::Fine if failed => Outcome::CheckFailed,
        outcome => outcome,
    })
}
