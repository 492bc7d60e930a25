//! The reporter: what was odd in a file, kept beside the result while reading goes on.
//!
//! One entry a kind, with how often it happened and where first, so that a file with a million odd
//! rows gives one line, not a million.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A place in a file. Bytes and records count from 0, lines from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Byte(u64),
    Line(u64),
    Record(u64),
    Event(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Byte(n) => write!(f, "byte {n}"),
            Position::Line(n) => write!(f, "line {n}"),
            Position::Record(n) => write!(f, "record {n}"),
            Position::Event(n) => write!(f, "event {n}"),
        }
    }
}

/// One kind of oddity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Warning {
    /// A stable key such as `opaque_value` or `truncated`.
    pub kind: String,
    pub count: u64,
    /// In words, from the first time it happened.
    pub detail: String,
    /// Where it happened first.
    pub position: Option<Position>,
}

/// Warnings in order of first appearance.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Counts one more of `kind`; `detail` is asked for only the first time.
    pub fn add(&mut self, kind: &str, position: Option<Position>, detail: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|w| w.kind == kind) {
            Some(warning) => warning.count += 1,
            None => self.0.push(Warning { kind: kind.to_owned(), count: 1, detail: detail(), position }),
        }
    }

    /// Counts `count` more of `kind` at once.
    pub fn add_many(
        &mut self,
        kind: &str,
        count: u64,
        position: Option<Position>,
        detail: impl FnOnce() -> String,
    ) {
        self.add(kind, position, detail);
        if let Some(warning) = self.0.iter_mut().find(|w| w.kind == kind) {
            warning.count += count.saturating_sub(1);
        }
    }

    /// Changes the words of each.
    pub fn each_detail(&mut self, change: impl FnMut(&mut String)) {
        self.0.iter_mut().map(|warning| &mut warning.detail).for_each(change);
    }

    /// The warning of that kind, if there was one.
    pub fn get(&self, kind: &str) -> Option<&Warning> {
        self.0.iter().find(|w| w.kind == kind)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Warning> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
