//! One file or folder per input format; each turns `impl Read` into the tables of [`crate::model`].

pub mod counters;
mod error;
pub mod ge_log;

pub use error::{Error, ErrorKind, Result};
