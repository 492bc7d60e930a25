//! `hbmlens check`: the six consistency checks, and exit code 2 when one fails.
//!
//! It takes what the other analyses take, so that one set of arguments serves them all; a moment, a grouping and
//! rules change nothing in a check of the whole file.

use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::input::for_each_snapshot;
use crate::cli::output::Output;
use crate::cli::overview::{print_checks, without_growth};
use crate::cli::{Outcome, input_outcome};
use hbmlens::analysis::checks::{Check, any_failed};
use hbmlens::analysis::overview::FileFacts;
use serde::Serialize;

#[derive(Serialize)]
struct Checks<'a> {
    schema: &'static str,
    file: &'a FileFacts,
    checks: &'a [Check],
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
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
