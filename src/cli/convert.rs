//! `hbmlens convert`: a snapshot in forms that other programs read.

use crate::cli::Outcome;
use crate::cli::args::Common;
use crate::cli::error::{Failure, Stop};
use crate::cli::exports::{Formats, Written};
use crate::cli::input;
use crate::cli::output::Output;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// A snapshot
    #[arg(required = true, value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    formats: Formats,
    #[command(flatten)]
    pub common: Common,
}

/// `hbmlens.convert/1`.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    file: String,
    written: Vec<Written>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Outcome, Stop> {
    if args.formats.is_empty() {
        return Err(Failure::usage("nothing to convert to was named")
            .hint("name one or more: --trace OUT.json, --pickle OUT.pickle")
            .into());
    }
    let opened = input::open(&args.file, &args.common, out)?;
    let written = args.formats.write(&opened, &args.common, out)?;
    if out.json && !written.is_empty() {
        out.json_line(&Report { schema: "hbmlens.convert/1", file: opened.name, written })?;
    }
    Ok(Outcome::Fine)
}
