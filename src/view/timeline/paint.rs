//! Colours for a raster: from band numbers to RGBA pixels, top row first, as a canvas wants them.
//!
//! Recolouring, search marks and dimming change only the table of colours and repeat only this pass.
//! Going through 16 columns at a time keeps both the columns that are read and the rows that are written
//! in the cache.

use super::columns::Outline;
use super::raster::{ByteAxis, NO_BAND, Raster, RowScale};

const TILE: usize = 16;
/// A band at least this high gets an edge, so that neighbours of one colour stay apart.
const EDGE_FROM: usize = 3;

/// Writes `width × height` pixels (RGBA, red in the lowest byte) into `out`; pixels without a band stay
/// transparent. `states` are those of the columns: neighbours with the same one look alike. `colour_of`
/// gives a band's colour.
pub fn paint(raster: &Raster, states: &[u32], colour_of: impl Fn(u32) -> u32, out: &mut Vec<u32>) {
    let (width, height) = (raster.width, raster.height);
    out.resize(width * height, 0);
    if height == 0 || width == 0 {
        return;
    }
    // Sixteen columns at a time are coloured, each from the bottom up, and then turned into rows.
    let mut tones = vec![0_u32; TILE * height];
    for x0 in (0..width).step_by(TILE) {
        let columns = TILE.min(width - x0);
        for column in 0..columns {
            let x = x0 + column;
            let place = column * height;
            if column > 0 && states.get(x) == states.get(x - 1) {
                tones.copy_within(place - height..place, place);
            } else {
                let ids = &raster.ids[x * height..(x + 1) * height];
                colour_column(ids, &colour_of, &mut tones[place..place + height]);
            }
        }
        for (y, row) in out.chunks_exact_mut(width).rev().enumerate() {
            let row = &mut row[x0..x0 + columns];
            for (pixel, tone) in row.iter_mut().zip(tones.iter().skip(y).step_by(height)) {
                *pixel = *tone;
            }
        }
    }
}

/// Colours one column; the topmost pixel of a band that is high enough is its edge to the next.
fn colour_column(ids: &[u32], colour_of: &impl Fn(u32) -> u32, tones: &mut [u32]) {
    let mut begin = 0;
    while let Some(&id) = ids.get(begin) {
        let mut end = begin + 1;
        while ids.get(end) == Some(&id) {
            end += 1;
        }
        let colour = if id == NO_BAND { 0 } else { colour_of(id) };
        let run = &mut tones[begin..end];
        run.fill(colour);
        let is_high = id != NO_BAND && end - begin >= EDGE_FROM && end < ids.len();
        if let Some(edge) = run.last_mut().filter(|_| is_high) {
            *edge = darker(colour);
        }
        begin = end;
    }
}

/// Draws a curve into painted pixels, two of them thick: in each column from its least to its greatest
/// value, and on from where the column before ended.
pub fn trace(outline: &Outline, axis: ByteAxis, ink: u32, pixels: &mut [u32]) {
    let (width, rows, scale) = (outline.0.len(), axis.rows as usize, RowScale::new(axis));
    let mut before = None;
    for (x, values) in outline.0.iter().enumerate() {
        let last = before.unwrap_or(values.first);
        let (least, most) = (values.min.min(last), values.max.max(last));
        before = Some(values.last);
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

/// The colour at three quarters of its brightness, as opaque as before.
fn darker(rgba: u32) -> u32 {
    let part = |shift: u32| ((rgba >> shift & 0xff) * 3 / 4) << shift;
    part(0) | part(8) | part(16) | (rgba & 0xff00_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_joins_its_columns_and_stays_within_the_picture() {
        use crate::model::Bytes;
        use crate::replay::Extremes;
        let flat =
            |v: u64| Extremes { first: Bytes(v), min: Bytes(v), max: Bytes(v), last: Bytes(v), max_at: 0 };
        let axis = ByteAxis { bottom: 0, top: 6, rows: 6 };
        let mut pixels = vec![0; 4 * 6];
        trace(&Outline(vec![flat(2), flat(5), flat(9), flat(9)]), axis, 7, &mut pixels);
        let column = |x: usize| (0..6).rev().map(|y| pixels[y * 4 + x]).collect::<Vec<u32>>();
        assert_eq!(column(0), vec![0, 7, 7, 0, 0, 0]);
        assert_eq!(column(1), vec![0, 7, 7, 7, 7, 7]);
        assert_eq!((column(2), column(3)), (vec![0, 0, 0, 0, 7, 7], vec![0; 6]));
    }

    #[test]
    fn rows_come_top_first_and_high_bands_get_an_edge() {
        // Two columns, five rows from the bottom: a band of 3, one of 1, then nothing; and one of 2.
        let none = NO_BAND;
        let raster = Raster { width: 2, height: 5, ids: vec![1, 1, 1, 2, none, 3, 3, none, none, none] };
        let mut out = Vec::new();
        paint(&raster, &[0, 1], |id| 0xff00_0000 | (id * 40), &mut out);
        let (a, b, c) = (0xff00_0000 | 40, 0xff00_0000 | 80, 0xff00_0000 | 120);
        assert_eq!(out, vec![0, 0, b, 0, 0xff00_0000 | 30, 0, a, c, a, c]);
    }
}
