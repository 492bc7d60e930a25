//! One device's timeline: draws a window and says what stands at a pixel of it.
//!
//! Allocations, segments and pools are drawn by the same stacker; they differ in what a band is and in
//! which curve the bands sum to. What stands at a pixel is told by stacking its column once more, so that no
//! picture of numbers is kept.

use super::columns::Columns;
use super::ink::Ink;
use super::kept::Kept;
use super::paint::{Picture, trace};
use super::pools::PoolStacks;
use super::raster::{ByteAxis, NO_BAND};
use super::stack::{Bands, Stacker, draw_stack};
use crate::model::{Bytes, PoolId, Snapshot};
use crate::replay::{CurveKind, OUTLINED, Replay};
use crate::view::axis::Grid;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// What the bands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Every live allocation, by requested bytes.
    #[default]
    Allocations,
    /// Every mapped stretch of device memory.
    Segments,
    /// Every live allocation, those of a private pool within the envelope of what the pool keeps.
    Pools,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct View<'a> {
    pub subject: Subject,
    /// The states of each pixel column.
    pub ranges: &'a [Range<u32>],
    /// Where the columns lie; the default where that is not known.
    pub grid: Grid,
    /// Bytes at the bottom and top edge; `None` fits the window's greatest column.
    pub bytes: Option<(u64, u64)>,
    pub rows: u32,
    /// Whether the curves are drawn over the bands, and fitted.
    pub curves: bool,
}

/// The drawing buffers of one device, kept from window to window.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    stacker: Stacker,
    subject: Subject,
    ranges: Vec<Range<u32>>,
    grid: Grid,
    columns: Columns,
    /// Whether the curves are drawn.
    curves: bool,
    axis: Option<ByteAxis>,
    /// What the pixels of the drawing before show of this one.
    kept: Option<Kept>,
    /// How many columns stayed from the drawing before.
    stayed: usize,
    /// Made when pools are first drawn.
    pools: Option<PoolStacks>,
}

impl Scene {
    /// Looks at `view`: which state each column shows and how far the vertical axis goes.
    pub fn look(&mut self, replay: &Replay, view: &View<'_>) -> ByteAxis {
        let of_bands = match view.subject {
            Subject::Allocations | Subject::Pools => CurveKind::Requested,
            Subject::Segments => CurveKind::Reserved,
        };
        let known = self.known(view);
        self.columns = match &known {
            Some(kept) => self.columns.keeping(kept, replay, of_bands, view.ranges),
            None => Columns::new(replay, of_bands, view.ranges),
        };
        let mut greatest = 0;
        for (kind, outline) in OUTLINED.into_iter().zip(&self.columns.outlines) {
            // What pools keep is part of what is reserved.
            if kind == of_bands || view.curves || view.subject == Subject::Pools {
                greatest = greatest.max(outline.greatest());
            }
        }
        // A twentieth of air above the highest column.
        let (bottom, top) = view.bytes.unwrap_or_else(|| (0, greatest.saturating_mul(21) / 20));
        let axis = ByteAxis { bottom, top: top.max(bottom.saturating_add(1)), rows: view.rows };
        self.kept = known.filter(|_| self.axis == Some(axis) && self.curves == view.curves);
        self.ranges.clear();
        self.ranges.extend_from_slice(view.ranges);
        (self.grid, self.subject, self.curves, self.axis) =
            (view.grid, view.subject, view.curves, Some(axis));
        axis
    }

    /// The columns of the last drawing that `view` has too.
    fn known(&self, view: &View<'_>) -> Option<Kept> {
        // Columns of pools say where they end only as they are stacked.
        let alike = self.subject == view.subject && view.subject != Subject::Pools;
        if !alike || self.columns.states.len() != self.ranges.len() {
            return None;
        }
        Kept::find(&self.ranges, view.ranges, view.grid.after(&self.grid)?)
    }

    /// Draws what was looked at last as RGBA, top row first; `inks` are the colours of [`OUTLINED`], which are
    /// drawn in this order. `pixels` hold the drawing before: what is as it was stays, unless `ink` or `inks` are
    /// `new`.
    pub fn paint(
        &mut self,
        snapshot: &Snapshot,
        replay: &Replay,
        ink: Ink<'_>,
        inks: &[u32],
        new: bool,
        pixels: &mut Vec<u32>,
    ) {
        let Some(axis) = self.axis else { return };
        let columns = core::mem::take(&mut self.columns);
        let mut bytes = columns.bytes;
        let (width, rows) = (columns.states.len(), axis.rows as usize);
        let kept = self.kept.take().filter(|_| !new && pixels.len() == width * rows);
        self.stayed = kept.as_ref().map_or(0, |kept| kept.now.len());
        let parts = match kept {
            Some(kept) => {
                kept.shift(pixels, width);
                [0..kept.now.start, kept.now.end..width]
            }
            None => [0..width, width..width],
        };
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let picture = Picture::part(part.clone(), width, rows, pixels);
            self.stack(snapshot, replay, &columns.states[part.clone()], axis, ink, picture, &mut bytes);
            for (outline, &ink) in columns.outlines.iter().zip(inks).filter(|_| self.curves) {
                trace(outline, part.clone(), axis, ink, pixels);
            }
        }
        self.columns = Columns { bytes, ..columns };
    }

    /// Stacks the bands of each state; `bytes` gets where columns of pools end, which no curve tells.
    #[expect(clippy::too_many_arguments, reason = "all of it changes from call to call")]
    fn stack(
        &mut self,
        snapshot: &Snapshot,
        replay: &Replay,
        states: &[u32],
        axis: ByteAxis,
        ink: Ink<'_>,
        mut picture: Picture<'_>,
        bytes: &mut Vec<u64>,
    ) {
        let first = states.first().copied().unwrap_or(0);
        let mut seed = Vec::new();
        match self.subject {
            Subject::Allocations => {
                let lives = &replay.lives;
                let (birth, death, size) = (lives.births(), lives.deaths(), lives.sizes());
                lives.alive_at(first, |id| seed.push(id.0));
                let bands = Bands { birth, death, size, names: None, index: Some(lives.interval_index()) };
                draw_stack(&mut self.stacker, bands, &seed, states, axis, ink, &mut picture);
            }
            Subject::Segments => {
                let pieces = &replay.pieces;
                let size: Vec<Bytes> = pieces.rows().iter().map(|piece| piece.size).collect();
                pieces.there_at(first, |id| seed.push(id));
                let (birth, death) = (pieces.births(), pieces.deaths());
                let bands = Bands { birth, death, size: &size, names: None, index: None };
                draw_stack(&mut self.stacker, bands, &seed, states, axis, ink, &mut picture);
            }
            Subject::Pools => {
                let pools = self.pools.get_or_insert_with(|| PoolStacks::new(snapshot, replay));
                pools.draw(replay, states, axis, ink, &mut picture, bytes);
            }
        }
    }

    /// The bands at the pixels of a column of the last drawing, from the top row down.
    pub fn bands_at(&mut self, snapshot: &Snapshot, replay: &Replay, x: u32) -> Vec<Option<u32>> {
        let mut numbers = Vec::new();
        if let (Some(axis), Some(state)) = (self.axis, self.state_of(x)) {
            let picture = Picture::new(1, axis.rows as usize, &mut numbers);
            self.stack(snapshot, replay, &[state], axis, Ink::NUMBERS, picture, &mut Vec::new());
        }
        numbers.into_iter().map(|band| Some(band).filter(|&band| band != NO_BAND)).collect()
    }

    /// The band at a pixel, counted from the top left corner of the last drawing.
    pub fn band_at(&mut self, snapshot: &Snapshot, replay: &Replay, x: u32, y: u32) -> Option<u32> {
        self.bands_at(snapshot, replay, x).get(y as usize).copied().flatten()
    }

    /// The state that column `x` of the last drawing shows.
    pub fn state_of(&self, x: u32) -> Option<u32> {
        self.columns.states.get(x as usize).copied()
    }

    /// How many columns of the last drawing were not drawn but taken from the one before.
    pub fn kept_columns(&self) -> usize {
        self.stayed
    }

    /// The columns of the last drawing.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The private pool whose idle part a band of [`Subject::Pools`] is.
    pub fn envelope(&self, band: u32) -> Option<PoolId> {
        self.pools.as_ref()?.envelope(band)
    }

    /// The private pools, from the bottom up; known once pools were drawn.
    pub fn pools(&self) -> Option<&PoolStacks> {
        self.pools.as_ref()
    }

    /// All allocations whose bytes touch a pixel of the last drawing, lowest first: where bands are thinner
    /// than a pixel only one of them has it.
    pub fn lives_in_pixel(&self, replay: &Replay, x: u32, y: u32, most: usize) -> Vec<u32> {
        let (Some(axis), Some(state)) = (self.axis, self.state_of(x)) else { return Vec::new() };
        let Some(row) = axis.rows.checked_sub(1).and_then(|last| last.checked_sub(y)) else {
            return Vec::new();
        };
        let bytes_a_row = (axis.top - axis.bottom) as f64 / f64::from(axis.rows);
        let low = axis.bottom as f64 + f64::from(row) * bytes_a_row;
        let high = low + bytes_a_row;
        let (mut offset, mut found) = (0_f64, Vec::new());
        replay.lives.alive_at(state, |id| {
            let end = offset + replay.lives.size(id).0 as f64;
            if end > low && offset < high && found.len() < most {
                found.push(id.0);
            }
            offset = end;
        });
        found
    }
}
