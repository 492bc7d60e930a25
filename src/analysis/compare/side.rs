//! What one moment of one device holds, free of the tables of its file.
//!
//! Two files are never needed in memory together: each leaves a [`Side`] and may go. A side is a few flat
//! columns, so that it crosses from one worker of the page to another as a short text, and reading it back
//! needs little code.

use crate::analysis::attribution::FrameText;
use crate::model::Device;
use serde::{Deserialize, Serialize};

/// The figures of a moment, in the order of [`FIGURES`].
pub type Figures = Vec<u64>;

/// Names of the figures; bytes but for `lives` and `segments`.
pub const FIGURES: [&str; 10] = [
    "requested",
    "lives",
    "allocated",
    "active",
    "pending",
    "reserved",
    "cached_free",
    "workspace",
    "segments",
    "largest_free_block",
];

/// Places in [`FIGURES`].
pub mod figure {
    pub const REQUESTED: usize = 0;
    pub const LIVES: usize = 1;
    pub const ALLOCATED: usize = 2;
    pub const RESERVED: usize = 5;
    pub const CACHED_FREE: usize = 6;
}

/// `1 − allocated / reserved`.
pub fn fragmentation(figures: &[u64]) -> f64 {
    let of = |at: usize| figures.get(at).copied().unwrap_or(0);
    let reserved = of(figure::RESERVED);
    if reserved == 0 {
        return 0.0;
    }
    reserved.saturating_sub(of(figure::ALLOCATED)) as f64 / reserved as f64
}

/// One moment of one device.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Side {
    pub file: String,
    pub device: Device,
    /// −1: the state before the first event.
    pub event: i64,
    pub time_us: Option<i64>,
    /// At the moment.
    pub figures: Figures,
    /// At the end of the trace, which is the snapshot.
    pub end: Figures,
    pub peak: u64,
    pub peak_event: i64,
    pub peak_time_us: Option<i64>,
    /// Time of the last event that has one.
    pub end_time_us: Option<i64>,
    /// Bytes and count of each category at the peak, by the category's number.
    pub peak_categories: Vec<u64>,
    pub content: Content,
    /// `[address, size, stream, type]` of each segment, by address; the type as its number.
    pub segments: Vec<u64>,
    pub curves: Option<SideCurves>,
    /// A grouping of the reader's choice: its names, then bytes, count and inferred bytes of each.
    pub named: Option<(Vec<Option<String>>, Vec<u64>)>,
}

/// The live bytes of a moment by stack, and the stacks themselves.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Content {
    pub texts: Vec<String>,
    /// `[file, line, function]` of each frame.
    pub frames: Vec<u64>,
    /// Frames of all stacks, innermost first, and the end of each stack in them.
    pub stacks: Vec<u64>,
    pub ends: Vec<u64>,
    /// `[call site, module]` of each stack: a frame and a text, or [`NONE`].
    pub said: Vec<u64>,
    /// `[stack, freed, category, bytes, count, inferred bytes]`; `freed` is 1 where the stack is that of
    /// the free.
    pub rows: Vec<u64>,
}

/// Stands for "there is none" in the columns of a [`Content`].
pub const NONE: u64 = u64::MAX;

/// Columns per item of the flat tables.
pub(super) const FRAME: usize = 3;
pub(super) const SAID: usize = 2;
pub(super) const ROW: usize = 6;
pub(super) const SEGMENT: usize = 4;

/// One group of lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// [`NONE`] where no stack was recorded.
    pub stack: u64,
    pub freed: bool,
    pub category: u8,
    pub bytes: u64,
    pub count: u64,
    pub inferred: u64,
}

impl Content {
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.as_chunks::<ROW>().0.iter().map(|&[stack, freed, category, bytes, count, inferred]| Row {
            stack,
            freed: freed != 0,
            category: category as u8,
            bytes,
            count,
            inferred,
        })
    }

    pub fn stack_count(&self) -> usize {
        self.ends.len()
    }

    /// The frames of a stack, innermost first.
    pub fn stack(&self, stack: usize) -> &[u64] {
        let end = self.ends.get(stack).map_or(0, |&end| end as usize);
        let start =
            stack.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        self.stacks.get(start..end).unwrap_or(&[])
    }

    /// File, line and function of a frame; texts by number.
    pub fn frame(&self, frame: u64) -> Option<[u64; FRAME]> {
        self.frames.as_chunks::<FRAME>().0.get(usize::try_from(frame).ok()?).copied()
    }

    pub fn text(&self, text: u64) -> &str {
        usize::try_from(text).ok().and_then(|at| self.texts.get(at)).map_or("", String::as_str)
    }

    pub fn frame_text(&self, frame: u64) -> Option<FrameText> {
        let [file, line, function] = self.frame(frame)?;
        Some(FrameText { file: self.text(file).to_owned(), line, function: self.text(function).to_owned() })
    }

    /// The call site (a frame) and the module (a text) of a stack.
    pub fn said(&self, stack: usize) -> [u64; SAID] {
        self.said.as_chunks::<SAID>().0.get(stack).copied().unwrap_or([NONE; SAID])
    }
}

/// What the curves of a comparison run along.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveAxis {
    /// The share of the events, from 0 to 1.
    Event,
    /// Microseconds since the first event.
    Time,
    /// Steps since the first one that the trace shows.
    Step,
}

/// Requested, active and reserved bytes over the trace, in columns of equal width.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SideCurves {
    pub axis: CurveAxis,
    /// The axis goes from 0 to here.
    pub end: f64,
    /// Where the moment stands on it.
    pub at: f64,
    /// `[least, greatest]` of each curve and column: all columns of the first curve, then the second.
    pub values: Vec<u64>,
}
