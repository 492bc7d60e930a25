//! One device's timeline: draws a window and says what stands at a pixel of it.
//!
//! Allocations, segments and pools are drawn by the same stacker; they differ in what a band is and in
//! which curve the bands sum to.

use super::columns::Columns;
use super::paint::paint;
use super::stack::{Bands, ByteAxis, NO_BAND, Raster, Stacker};
use crate::model::{Bytes, FastMap, PoolId, fast_map};
use crate::replay::{CurveKind, PieceTable, Replay};
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
    /// One envelope a memory pool: all that its segments hold.
    Pools,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct View<'a> {
    pub subject: Subject,
    /// The states of each pixel column.
    pub ranges: &'a [Range<u32>],
    /// Bytes at the bottom and top edge; `None` fits the window's greatest column.
    pub bytes: Option<(u64, u64)>,
    pub rows: u32,
}

/// The drawing buffers of one device, kept from window to window.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    stacker: Stacker,
    raster: Raster,
    columns: Columns,
    axis: Option<ByteAxis>,
    /// Number of the pool of each piece, made when pools are first drawn.
    pool_of_piece: Vec<u32>,
    pools: Vec<PoolId>,
}

impl Scene {
    /// Draws `view`: afterwards pixels can be painted and hits asked for.
    pub fn draw(&mut self, replay: &Replay, view: &View<'_>) -> ByteAxis {
        let curve = match view.subject {
            Subject::Allocations => CurveKind::Requested,
            Subject::Segments | Subject::Pools => CurveKind::Reserved,
        };
        self.columns = Columns::choose(replay, curve, view.ranges);
        // A twentieth of air above the highest column.
        let (bottom, top) =
            view.bytes.unwrap_or_else(|| (0, self.columns.greatest().saturating_mul(21) / 20));
        let axis = ByteAxis { bottom, top: top.max(bottom.saturating_add(1)), rows: view.rows };
        let Scene { stacker, raster, columns, .. } = self;
        match view.subject {
            Subject::Allocations => {
                let lives = &replay.lives;
                let bands = Bands { birth: lives.births(), death: lives.deaths(), size: lives.sizes() };
                let mut seed = Vec::new();
                if let Some(&first) = columns.states.first() {
                    lives.alive_at(first, |id| seed.push(id.0));
                }
                stacker.draw(bands, seed.into_iter(), &columns.states, axis, raster);
            }
            Subject::Segments => {
                let pieces = &replay.pieces;
                let size: Vec<Bytes> = pieces.rows().iter().map(|piece| piece.size).collect();
                let bands = Bands { birth: pieces.births(), death: pieces.deaths(), size: &size };
                let mut seed = Vec::new();
                if let Some(&first) = columns.states.first() {
                    pieces.there_at(first, |id| seed.push(id));
                }
                stacker.draw(bands, seed.into_iter(), &columns.states, axis, raster);
            }
            Subject::Pools => self.draw_pools(&replay.pieces, axis),
        }
        self.axis = Some(axis);
        axis
    }

    fn draw_pools(&mut self, pieces: &PieceTable, axis: ByteAxis) {
        if self.pool_of_piece.len() != pieces.rows().len() {
            let mut known: FastMap<PoolId, u32> = fast_map();
            self.pools.clear();
            self.pool_of_piece = pieces
                .rows()
                .iter()
                .map(|piece| {
                    *known.entry(piece.pool).or_insert_with(|| {
                        self.pools.push(piece.pool);
                        self.pools.len() as u32 - 1
                    })
                })
                .collect();
        }
        let mut sums = vec![Bytes::ZERO; self.pools.len()];
        let height = axis.rows as usize;
        self.raster.width = self.columns.states.len();
        self.raster.height = height;
        self.raster.ids.clear();
        self.raster.ids.resize(self.raster.width * height, NO_BAND);
        let mut before = None;
        for (column, &state) in self.raster.ids.chunks_mut(height.max(1)).zip(&self.columns.states) {
            if before != Some(state) {
                sums.fill(Bytes::ZERO);
                pieces.there_at(state, |id| {
                    sums[self.pool_of_piece[id as usize] as usize] += pieces.rows()[id as usize].size;
                });
                before = Some(state);
            }
            let (mut offset, mut row) = (0_u64, axis.first_row(0));
            for (pool, sum) in sums.iter().enumerate() {
                offset = offset.saturating_add(sum.0);
                let upto = axis.first_row(offset);
                if upto > row {
                    column[row..upto].fill(pool as u32);
                    row = upto;
                }
            }
        }
    }

    /// Writes the drawing as RGBA, top row first; `colour_of` gives the colour of a band by number.
    pub fn paint(&self, colour_of: impl Fn(u32) -> u32, pixels: &mut Vec<u32>) {
        paint(&self.raster, colour_of, pixels);
    }

    /// The band at a pixel, counted from the top left corner of the last drawing.
    pub fn band_at(&self, x: u32, y: u32) -> Option<u32> {
        let from_bottom = (self.raster.height as u32).checked_sub(1)?.checked_sub(y)?;
        self.raster.at(x as usize, from_bottom as usize)
    }

    /// The state that column `x` of the last drawing shows.
    pub fn state_of(&self, x: u32) -> Option<u32> {
        self.columns.states.get(x as usize).copied()
    }

    /// The columns of the last drawing.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The pools of the last drawing of [`Subject::Pools`], by number.
    pub fn pools(&self) -> &[PoolId] {
        &self.pools
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
