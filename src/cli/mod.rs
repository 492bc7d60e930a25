//! The commands of the terminal program.
//!
//! One file per command family; [`Command`] is the registry: a new family is a file with its arguments
//! and a `run`, and one line here. Exit codes: 0 fine, 1 bad input or usage, 2 a check failed.

mod analysed;
mod args;
mod aside;
mod beside;
mod database;
mod error;
mod exports;
mod input;
mod out_file;
mod output;
mod place;
mod size;
mod table;
mod tables;

mod all;
mod check;
mod compare;
mod convert;
mod folded;
mod fragment;
mod ge;
mod leak;
mod oom;
mod ops;
mod overview;
mod peak;
mod ranks;
mod report;
mod sql;
mod stats;

use args::Common;
use clap::{Parser, Subcommand};
use error::{Failure, Stop};
use output::Output;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "hbmlens", version, about, max_term_width = 100)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    overview: overview::Args,
}

#[derive(Subcommand)]
enum Command {
    /// What the file holds: totals, peak, health and checks in words and tables (the default)
    Overview(overview::Args),
    /// The totals as PyTorch's own `_memory_viz.py stats` counts them
    Stats(stats::Args),
    /// The six consistency checks; exit code 2 when one fails
    Check(args::Target),
    /// Who holds the memory at the peak, or at another moment
    Peak(args::Target),
    /// Where reserved memory lies idle, and what would give it back
    Fragment(args::Target),
    /// Whether memory grows from step to step, and from where
    Leak(args::Target),
    /// Why allocations failed, with evidence and advice
    Oom(args::Target),
    /// Everything above at once; exit code 2 when a check fails
    All(args::Target),
    /// Folded stacks of all blocks, line for line as `_memory_viz.py memory` writes them
    Folded(folded::Args),
    /// Two snapshots or two moments of one: what grew, from where; exit code 2 beyond a limit
    Compare(compare::Args),
    /// Many snapshots of one job: ranks side by side, odd ones explained, growth over time
    Ranks(ranks::Args),
    /// GE logs: reports of static and dynamic graphs, device totals, overlap and address checks
    Ge(ge::Args),
    /// Which operator allocated what: profiler folders, rank by rank
    Ops(ops::Args),
    /// One HTML file with everything, with charts: it opens from disk and needs nothing else
    Report(report::Args),
    /// A file in forms that other programs read: SQLite, Parquet, CSV, a trace for Perfetto, a pickle of a part
    Convert(convert::Args),
    /// Ask a snapshot, a profiler folder or a database in SQL; nothing is changed
    Sql(sql::Args),
}

/// How a command ended, when it could do its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Fine,
    /// Some input was bad; it has been told.
    BadInput,
    /// A check failed, or memory grew beyond the limit.
    CheckFailed,
}

impl Command {
    fn common(&self) -> &Common {
        match self {
            Command::Overview(args) => &args.common,
            Command::Stats(args) => &args.common,
            Command::Check(args)
            | Command::Peak(args)
            | Command::Fragment(args)
            | Command::Leak(args)
            | Command::Oom(args)
            | Command::All(args) => &args.common,
            Command::Folded(args) => &args.common,
            Command::Compare(args) => &args.common,
            Command::Ranks(args) => &args.common,
            Command::Ge(args) => args.common(),
            Command::Ops(args) => &args.common,
            Command::Report(args) => &args.common,
            Command::Convert(args) => &args.common,
            Command::Sql(args) => &args.common,
        }
    }

    fn run(&self, out: &mut Output) -> Result<Outcome, Stop> {
        match self {
            Command::Overview(args) => overview::run(args, out),
            Command::Stats(args) => stats::run(args, out),
            Command::Check(args) => check::run(args, out),
            Command::Peak(args) => peak::run(args, out),
            Command::Fragment(args) => fragment::run(args, out),
            Command::Leak(args) => leak::run(args, out),
            Command::Oom(args) => oom::run(args, out),
            Command::All(args) => all::run(args, out),
            Command::Folded(args) => folded::run(args, out),
            Command::Compare(args) => compare::run(args, out),
            Command::Ranks(args) => ranks::run(args, out),
            Command::Ge(args) => ge::run(args, out),
            Command::Ops(args) => ops::run(args, out),
            Command::Report(args) => report::run(args, out),
            Command::Convert(args) => convert::run(args, out),
            Command::Sql(args) => sql::run(args, out),
        }
    }
}

/// The outcome of reading: fine when every input was.
fn input_outcome(all_good: bool) -> Outcome {
    if all_good { Outcome::Fine } else { Outcome::BadInput }
}

/// Parses the arguments, runs the command and says how it ended.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage_error(&error),
    };
    let command = cli.command.unwrap_or(Command::Overview(cli.overview));
    let common = command.common();
    let mut out = Output::new(common.json, common.lang);
    out.strip_paths = common.strip_paths;
    let result = command.run(&mut out).and_then(|outcome| out.flush().map(|()| outcome));
    match result {
        Ok(Outcome::Fine) | Err(Stop::PipeClosed) => ExitCode::SUCCESS,
        Ok(Outcome::BadInput) => ExitCode::FAILURE,
        Ok(Outcome::CheckFailed) => ExitCode::from(2),
        Err(Stop::Failure(failure)) => {
            // When not even this can be written nobody is left to tell.
            let _ = error::tell(&failure, &mut out).and_then(|()| out.flush());
            ExitCode::FAILURE
        }
    }
}

/// clap ends with 2 where arguments are wrong; here 2 means that a check failed, so that is 1.
fn usage_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let mut out = Output::new(true, None);
        let failure = Failure::usage(message).hint("see hbmlens --help");
        let _ = error::tell(&failure, &mut out).and_then(|()| out.flush());
    } else {
        let _ = error.print();
    }
    ExitCode::FAILURE
}
