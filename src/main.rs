//! The terminal program: the same core as the page, for servers and CI. What a command is and does
//! lives in `cli/`; this file only starts it.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
