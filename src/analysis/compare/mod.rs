//! Two moments side by side: `hbmlens.compare/1`.
//!
//! A moment becomes a [`Side`], which knows nothing of its file any more; [`compare`] then puts two sides
//! together. What is the same in both is told by content, so any two can be compared: other files, other
//! devices, other backends.

mod extract;
mod groups;
mod lines;
mod matching;
mod segments;
mod side;
mod words;

pub use extract::SideOptions;
pub use groups::{DiffRow, Paths, Presence, StackSums};
pub use lines::{CompareCurves, CurvePair};
pub use segments::{SegmentChanges, SegmentRow};
pub use side::{Content, CurveAxis, FIGURES, Figures, Row, Side, SideCurves, figure, fragmentation};

pub(crate) use groups::site_name;
pub(crate) use matching::{Renames, Shared, align};

use crate::analysis::attribution::Category;
use crate::analysis::grouping::GroupKey;
use crate::model::Device;
use crate::text::Message;
use groups::{Groups, Sums, cut, named_rows};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// How two sides are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompareOptions {
    /// Line numbers and the beginnings of paths count for nothing.
    pub ignore_lines: bool,
    /// Rows of each list, 0 for all.
    pub top: usize,
    /// The grouping that [`SideOptions::by`] took.
    pub by: Option<GroupKey>,
    /// Give every stack with its frames, for a flame graph.
    pub paths: bool,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions { ignore_lines: false, top: 20, by: None, paths: false }
    }
}

/// What a side is of.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SideName {
    pub file: String,
    pub device: Device,
    /// −1: the state before the first event.
    pub event: i64,
    pub time_us: Option<i64>,
}

/// A figure of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pair {
    pub a: u64,
    pub b: u64,
    pub diff: i64,
}

impl Pair {
    pub fn new(a: u64, b: u64) -> Pair {
        Pair { a, b, diff: minus(b, a) }
    }
}

/// `left − right` with its sign.
pub(crate) fn minus(left: u64, right: u64) -> i64 {
    crate::model::Bytes(left).minus(crate::model::Bytes(right))
}

/// The figures of both sides, by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Totals {
    pairs: Vec<Pair>,
    fragmentation: (f64, f64),
}

impl Totals {
    fn new(a: &[u64], b: &[u64]) -> Totals {
        let pairs = a.iter().zip(b).map(|(&a, &b)| Pair::new(a, b)).collect();
        Totals { pairs, fragmentation: (fragmentation(a), fragmentation(b)) }
    }

    /// A figure, by its place in [`FIGURES`].
    pub fn get(&self, at: usize) -> Pair {
        self.pairs.get(at).copied().unwrap_or_default()
    }

    /// The figures with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Pair)> + '_ {
        FIGURES.into_iter().zip(self.pairs.iter().copied())
    }

    /// `1 − allocated / reserved` of both.
    pub fn fragmentation(&self) -> (f64, f64) {
        self.fragmentation
    }
}

impl Serialize for Totals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shares {
            a: f64,
            b: f64,
            diff: f64,
        }
        let mut map = serializer.serialize_map(Some(self.pairs.len() + 1))?;
        for (name, pair) in self.iter() {
            map.serialize_entry(name, &pair)?;
        }
        let (a, b) = self.fragmentation;
        map.serialize_entry("fragmentation", &Shares { a, b, diff: b - a })?;
        map.end()
    }
}

/// The peaks of the two traces, whatever moments are compared.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Peaks {
    pub requested: Pair,
    pub a_event: i64,
    pub b_event: i64,
    pub a_time_us: Option<i64>,
    pub b_time_us: Option<i64>,
    pub by_category: Vec<DiffRow>,
}

/// A grouping of the reader's choice.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparedBy {
    pub key: GroupKey,
    pub rows: Vec<DiffRow>,
}

/// `hbmlens.compare/1`: B less A. The rows of every grouping add up to `totals.requested`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub schema: &'static str,
    pub a: SideName,
    pub b: SideName,
    pub totals: Totals,
    pub by_category: Vec<DiffRow>,
    pub by_call_site: Vec<DiffRow>,
    pub by_module: Vec<DiffRow>,
    pub by_file: Vec<DiffRow>,
    pub by_stack: Vec<DiffRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<ComparedBy>,
    pub stacks: StackSums,
    /// Stacks that became one because lines and beginnings of paths were ignored; null where they count.
    pub merged_stacks: Option<u64>,
    pub segments: SegmentChanges,
    pub peaks: Peaks,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<CompareCurves>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Paths>,
    /// What stands out, in words.
    pub summary: Vec<Message>,
}

/// Compares two sides.
pub fn compare(a: &Side, b: &Side, options: &CompareOptions) -> Comparison {
    let groups = Groups::new(&a.content, &b.content, options.ignore_lines);
    let by = options.by.and_then(|key| {
        let rows = match (&a.named, &b.named) {
            (Some(left), Some(right)) => named_rows(left, right, options.top),
            _ => return None,
        };
        Some(ComparedBy { key, rows })
    });
    let mut comparison = Comparison {
        schema: "hbmlens.compare/1",
        a: name(a),
        b: name(b),
        totals: Totals::new(&a.figures, &b.figures),
        by_category: groups.by_category(),
        by_call_site: groups.by_call_site(options.top),
        by_module: groups.by_module(options.top),
        by_file: groups.by_file(options.top),
        by_stack: groups.by_stack(options.top),
        by,
        stacks: groups.stack_sums(),
        merged_stacks: groups.merged,
        segments: segments::changes(&a.segments, &b.segments, options.top),
        peaks: peaks(a, b),
        curves: lines::overlay(a, b),
        paths: options.paths.then(|| groups.paths()),
        summary: Vec::new(),
    };
    comparison.summary = words::summary(&comparison);
    comparison
}

fn name(side: &Side) -> SideName {
    SideName { file: side.file.clone(), device: side.device, event: side.event, time_us: side.time_us }
}

fn peaks(a: &Side, b: &Side) -> Peaks {
    let sums = |side: &Side, category: usize| {
        let of = |at: usize| side.peak_categories.get(at).copied().unwrap_or(0);
        Sums { bytes: of(category * 2), count: of(category * 2 + 1), inferred: 0 }
    };
    let rows = Category::ALL.into_iter().enumerate();
    let rows = rows.map(|(i, category)| (Some(category.id().to_owned()), [sums(a, i), sums(b, i)])).collect();
    Peaks {
        requested: Pair::new(a.peak, b.peak),
        a_event: a.peak_event,
        b_event: b.peak_event,
        a_time_us: a.peak_time_us,
        b_time_us: b.peak_time_us,
        by_category: cut(rows, 0),
    }
}
