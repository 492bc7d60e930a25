//! What stops the program, in the shape that people and `--json` readers get it.
//!
//! Exit codes: 1 for bad input or usage, 2 for a failed check; a reader that closed the pipe is no
//! error at all.

use crate::cli::output::Output;
use hbmlens::format;
use hbmlens::model::{Position, strip_text};
use serde::Serialize;
use std::io;

#[derive(Debug)]
pub enum Stop {
    /// Something to tell.
    Failure(Failure),
    /// The other end of the pipe is gone: nobody is left to tell.
    PipeClosed,
}

/// An error in words, and its parts for programs.
#[derive(Debug, Serialize)]
pub struct Failure {
    pub kind: String,
    pub message: String,
    pub position: Option<Position>,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(kind: &str, message: impl Into<String>) -> Failure {
        Failure { kind: kind.to_owned(), message: message.into(), position: None, hint: None }
    }

    /// Wrong arguments.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new("usage", message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Puts the file's name before the message.
    #[must_use]
    pub fn of_file(mut self, name: &str) -> Failure {
        self.message = format!("{name}: {}", self.message);
        self
    }
}

impl From<format::Error> for Failure {
    fn from(error: format::Error) -> Failure {
        let kind = serde_json::to_value(error.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_else(|| "error".to_owned());
        Failure { kind, message: error.message, position: error.position, hint: error.hint }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

impl From<format::Error> for Stop {
    fn from(error: format::Error) -> Stop {
        Stop::Failure(error.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::PipeClosed,
            _ => Stop::Failure(Failure::new("io", format!("the output could not be written: {error}"))),
        }
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Stop {
        Stop::from(io::Error::from(error))
    }
}

/// Tells of a failure: as JSON on standard output when JSON was asked for, else in words on standard
/// error.
pub fn tell(failure: &Failure, out: &mut Output) -> Result<(), Stop> {
    let stripped = out.strip_paths.then(|| Failure {
        kind: failure.kind.clone(),
        message: strip_text(&failure.message),
        position: failure.position,
        hint: failure.hint.as_deref().map(strip_text),
    });
    let failure = stripped.as_ref().unwrap_or(failure);
    if out.json {
        #[derive(Serialize)]
        struct Wrapped<'a> {
            error: &'a Failure,
        }
        return out.json_line(&Wrapped { error: failure });
    }
    out.flush()?;
    let position = failure.position.map(|p| format!(" (at {p})")).unwrap_or_default();
    eprintln!("hbmlens: {}{position}", crate::cli::output::clean(&failure.message));
    if let Some(hint) = &failure.hint {
        for line in hint.lines() {
            eprintln!("  {}", crate::cli::output::clean(line));
        }
    }
    Ok(())
}
