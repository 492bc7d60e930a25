//! What can go wrong while reading a file, said so that the reader of the message can act on it.

use crate::model::Position;
use serde::Serialize;
use std::io;

/// The class of an error: a stable key for programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be read at all.
    Io,
    /// The content is of no format this program reads.
    UnknownFormat,
    /// It ends before anything usable.
    Truncated,
    /// It breaks the rules of its format.
    Malformed,
    /// Well-formed, but not what was expected of such a file.
    Unexpected,
    /// A database, in a build that reads none: another one does.
    Database,
    /// Reading on would need more memory than allowed.
    TooLarge,
    /// The user stopped it.
    Cancelled,
}

/// An error of the reading layer. The message says what was expected and what was found; `position`
/// says where; `hint` says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", position.map(|p| format!(" (at {p})")).unwrap_or_default())]
#[non_exhaustive]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub position: Option<Position>,
    pub hint: Option<String>,
    #[source]
    pub source: Option<io::Error>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), position: None, hint: None, source: None }
    }

    #[must_use]
    pub fn at(mut self, position: Position) -> Error {
        self.position = Some(position);
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Error {
        let mut error = Error::new(ErrorKind::Io, format!("the file could not be read: {source}"));
        error.source = Some(source);
        error
    }
}

/// Result of the reading layer.
pub type Result<T, E = Error> = core::result::Result<T, E>;
