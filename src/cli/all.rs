//! `hbmlens all`: everything there is to say of a snapshot, read and analysed once.

use crate::cli::analysed::each_analysed;
use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::{Outcome, fragment, leak, oom, overview, peak};
use hbmlens::analysis::checks::any_failed;
use hbmlens::analysis::overview::Overview;
use serde::Serialize;

/// `hbmlens.all/1`: the objects of the single commands.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    overview: Overview,
    peak: peak::Report<'a>,
    fragment: fragment::Report<'a>,
    leak: leak::Report<'a>,
    oom: oom::Report<'a>,
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    let mut failed = false;
    let outcome = each_analysed(args, out, |analysed, out| {
        let growth = analysed.growth(args.top);
        let report = Report {
            schema: "hbmlens.all/1",
            overview: analysed.overview(&growth),
            peak: peak::report(analysed, args)?,
            fragment: fragment::report(analysed, args)?,
            leak: leak::report(analysed, &growth),
            oom: oom::report(analysed, args, &growth),
        };
        failed |= any_failed(&report.overview.checks);
        if out.json {
            return out.json_line(&report);
        }
        overview::print(&report.overview, out)?;
        peak::print(&report.peak, out)?;
        fragment::print(&report.fragment, out)?;
        leak::print(&report.leak, out)?;
        oom::print(&report.oom, out)
    })?;
    Ok(if outcome == Outcome::Fine && failed { Outcome::CheckFailed } else { outcome })
}
