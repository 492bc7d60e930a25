//! `hbmlens folded`: folded stacks for flame graph tools, as PyTorch's tool writes them.

use crate::cli::args::Common;
use crate::cli::error::Stop;
use crate::cli::input::for_each_snapshot;
use crate::cli::output::Output;
use crate::cli::{Outcome, input_outcome};
use hbmlens::export::folded::{Prefix, write_folded};

#[derive(clap::Args)]
pub struct Args {
    /// Snapshots, or directories of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Name the segment in each line, as `_memory_viz.py segments` does
    #[arg(long)]
    segments: bool,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    let prefix = if args.segments { Prefix::Segment } else { Prefix::Stream };
    let all_good = for_each_snapshot(&args.files, &args.common, out, |_, _, snapshot, out| {
        Ok(write_folded(snapshot, prefix, out.raw())?)
    })?;
    Ok(input_outcome(all_good))
}
