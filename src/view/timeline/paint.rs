//! A picture made column by column: tones are written from the bottom of a column up, as bands are stacked, and
//! come out as RGBA rows, top row first, as a canvas wants them.
//!
//! Going through 256 columns at a time keeps the columns in the cache and writes long stretches of each row: with
//! 64, drawing after a rest, when nothing is in the cache, took a millisecond longer.

use super::columns::Outline;
use super::raster::{ByteAxis, RowScale};
use super::turn::{Lanes, turn};
use core::ops::Range;

const TILE: usize = 256;

/// A picture in the making.
#[derive(Debug)]
pub struct Picture<'a> {
    /// Of all the rows.
    width: usize,
    height: usize,
    /// The columns that are drawn.
    columns: Range<usize>,
    /// The columns not turned into rows yet, each from the bottom up.
    tile: Vec<u32>,
    /// The first row that is empty in all of them.
    empty_from: usize,
    /// The same of the columns turned last.
    last_empty_from: usize,
    /// How many columns are done.
    done: usize,
    pixels: &'a mut Vec<u32>,
}

impl<'a> Picture<'a> {
    /// Begins a picture of a size in `pixels`; all of its columns must follow.
    pub fn new(width: usize, height: usize, pixels: &'a mut Vec<u32>) -> Picture<'a> {
        Picture::part(0..width, width, height, pixels)
    }

    /// Begins some columns of a picture, the others of which stay as they are.
    pub fn part(columns: Range<usize>, width: usize, height: usize, pixels: &'a mut Vec<u32>) -> Picture<'a> {
        pixels.resize(width * height, 0);
        let tile = vec![0; TILE.min(columns.len()) * height];
        Picture { width, height, columns, tile, empty_from: 0, last_empty_from: 0, done: 0, pixels }
    }

    /// Adds a column: `draw` gets the one before, which the first has not, writes every pixel, from the bottom up,
    /// and says from which row on they are empty.
    pub fn column(&mut self, draw: impl FnOnce(&[u32], &mut [u32]) -> usize) {
        let (height, place) = (self.height, self.done % TILE * self.height);
        let empty_from = match place.checked_sub(height) {
            Some(before) => {
                let (done, column) = self.tile.split_at_mut(place);
                draw(&done[before..], &mut column[..height])
            }
            None if self.done == 0 => draw(&[], &mut self.tile[..height]),
            None => {
                let (column, done) = self.tile.split_at_mut(height);
                let before = done.len() - height;
                draw(&done[before..], column)
            }
        };
        self.empty_from = self.empty_from.max(empty_from.min(height));
        self.added();
    }

    /// Adds a column like the one before.
    pub fn repeat(&mut self) {
        let (from, to) = ((self.done + TILE - 1) % TILE * self.height, self.done % TILE * self.height);
        self.tile.copy_within(from..from + self.height, to);
        if to == 0 {
            self.empty_from = self.last_empty_from;
        }
        self.added();
    }

    fn added(&mut self) {
        self.done += 1;
        let columns = (self.done - 1) % TILE + 1;
        if self.height > 0 && (columns == TILE || self.done == self.columns.len()) {
            let x0 = self.columns.start + self.done - columns;
            let lanes = Lanes { tones: &self.tile, height: self.height, empty_from: self.empty_from };
            turn(lanes, self.width, &(x0..x0 + columns), self.pixels);
            self.last_empty_from = core::mem::take(&mut self.empty_from);
        }
    }
}

/// Draws a curve into some columns of painted pixels, two pixels thick: in each column from its least to its
/// greatest value, and on to those of the column before.
pub fn trace(outline: &Outline, columns: Range<usize>, axis: ByteAxis, ink: u32, pixels: &mut [u32]) {
    let (width, rows, scale) = (outline.0.len(), axis.rows as usize, RowScale::new(axis));
    let mut before = columns.start.checked_sub(1).and_then(|x| outline.0.get(x)).copied();
    for (x, values) in outline.0.iter().enumerate().take(columns.end).skip(columns.start) {
        let last = before.unwrap_or(*values);
        let (least, most) = (values.min.min(last.max), values.max.max(last.min));
        before = Some(*values);
        if least.0 > axis.top || most.0 < axis.bottom {
            continue;
        }
        let (low, high) = (scale.first_row(least.0), scale.first_row(most.0));
        for row in low.saturating_sub(1)..(high + 1).min(rows) {
            if let Some(pixel) = pixels.get_mut((rows - 1 - row) * width + x) {
                *pixel = ink;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_joins_its_columns_and_stays_within_the_picture() {
        use crate::model::Bytes;
        use crate::replay::Span;
        let flat = |v: u64| Span { min: Bytes(v), max: Bytes(v) };
        let axis = ByteAxis { bottom: 0, top: 6, rows: 6 };
        let mut pixels = vec![0; 4 * 6];
        trace(&Outline(vec![flat(2), flat(5), flat(9), flat(9)]), 0..4, axis, 7, &mut pixels);
        let column = |x: usize| (0..6).rev().map(|y| pixels[y * 4 + x]).collect::<Vec<u32>>();
        assert_eq!(column(0), vec![0, 7, 7, 0, 0, 0]);
        assert_eq!(column(1), vec![0, 7, 7, 7, 7, 7]);
        assert_eq!((column(2), column(3)), (vec![0, 0, 0, 0, 7, 7], vec![0; 6]));
    }

    #[test]
    fn columns_come_out_as_rows_top_first() {
        // More columns than a tile has, and rows that are no multiple of what is turned at once.
        let (width, height) = (TILE * 2 + 3, 11);
        let filled = |x: usize| x / TILE * 4 + x % 3;
        let pixel_of = |x: usize, y: usize| if y < filled(x) { (x * 100 + y) as u32 } else { 7 };
        let mut pixels = vec![9; 5];
        let mut picture = Picture::new(width, height, &mut pixels);
        for x in 0..width {
            if x % 5 == 4 {
                picture.repeat();
            } else {
                picture.column(|_, column| {
                    column.iter_mut().enumerate().for_each(|(y, pixel)| *pixel = pixel_of(x, y));
                    filled(x)
                });
            }
        }
        for (place, &pixel) in pixels.iter().enumerate() {
            let (x, y) = (place % width, height - 1 - place / width);
            let drawn = if x % 5 == 4 { x - 1 } else { x };
            assert_eq!(pixel, pixel_of(drawn, y), "column {x}, row {y}");
        }
        assert_eq!(pixels.len(), width * height);
    }
}
