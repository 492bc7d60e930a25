//! `hbmlens all`: everything there is to say of a snapshot, read and analysed once.

use crate::cli::analysed::{Report, each_analysed};
use crate::cli::args::Target;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::{Outcome, fragment, leak, oom, overview, peak};
use hbmlens::analysis::checks::any_failed;
use hbmlens::analysis::fragment::DeviceFragment;
use hbmlens::analysis::growth::DeviceGrowth;
use hbmlens::analysis::oom::DeviceOoms;
use hbmlens::analysis::overview::Overview;
use serde::Serialize;

/// `hbmlens.all/1`: the objects of the single commands.
#[derive(Serialize)]
struct All<'a> {
    schema: &'static str,
    overview: Overview,
    peak: Report<'a, peak::OfDevice>,
    fragment: Report<'a, DeviceFragment>,
    leak: Report<'a, DeviceGrowth>,
    oom: Report<'a, DeviceOoms>,
}

pub fn run(args: &Target, out: &mut Output) -> Result<Outcome, Stop> {
    let mut failed = false;
    let outcome = each_analysed(args, out, |analysed, out| {
        let growth = analysed.growth(args.top);
        let report = All {
            schema: "hbmlens.all/1",
            overview: analysed.overview(&growth),
            peak: peak::report(analysed, args)?,
            fragment: fragment::report(analysed, args)?,
            oom: oom::report(analysed, args, &growth),
            leak: leak::report(analysed, growth),
        };
        failed |= any_failed(&report.overview.checks);
        if out.json {
            return out.json_line(&report);
        }
        overview::print(&report.overview, out)?;
        peak::print(&report.peak.devices, args.top, out)?;
        fragment::print(&report.fragment.devices, out)?;
        leak::print(&report.leak.devices, out)?;
        oom::print(&report.oom.devices, out)
    })?;
    Ok(if outcome == Outcome::Fine && failed { Outcome::CheckFailed } else { outcome })
}
