//! Colours for a raster: from band numbers to RGBA pixels, top row first, as a canvas wants them.
//!
//! Recolouring, search marks and dimming change only the table of colours and repeat only this pass.
//! Going through 16 × 16 tiles keeps both the columns that are read and the rows that are written in
//! the cache.

use super::stack::{NO_BAND, Raster};

const TILE: usize = 16;
/// A band at least this high gets an edge, so that neighbours of one colour stay apart.
const EDGE_FROM: usize = 3;

/// Writes `width × height` pixels (RGBA, red in the lowest byte) into `out`; pixels without a band stay
/// transparent. `colour_of` gives a band's colour.
pub fn paint(raster: &Raster, colour_of: impl Fn(u32) -> u32, out: &mut Vec<u32>) {
    let (width, height) = (raster.width, raster.height);
    out.clear();
    out.resize(width * height, 0);
    for x0 in (0..width).step_by(TILE) {
        let x1 = (x0 + TILE).min(width);
        for y0 in (0..height).step_by(TILE) {
            let y1 = (y0 + TILE).min(height);
            for x in x0..x1 {
                let column = &raster.ids[x * height..(x + 1) * height];
                let (mut known, mut colour) = (NO_BAND, 0);
                for y in y0..y1 {
                    let id = column[y];
                    if id != known {
                        known = id;
                        colour = if id == NO_BAND { 0 } else { colour_of(id) };
                    }
                    let pixel = if is_edge(column, y) { darker(colour) } else { colour };
                    out[(height - 1 - y) * width + x] = pixel;
                }
            }
        }
    }
}

/// True for the topmost pixel of a band that is at least [`EDGE_FROM`] pixels high.
fn is_edge(column: &[u32], y: usize) -> bool {
    let id = column[y];
    id != NO_BAND
        && y + 1 >= EDGE_FROM
        && column.get(y + 1).is_some_and(|&above| above != id)
        && column[y + 1 - EDGE_FROM..y].iter().all(|&below| below == id)
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
    fn rows_come_top_first_and_high_bands_get_an_edge() {
        // Two columns, five rows from the bottom: a band of 3, one of 1, then nothing; and one of 2.
        let none = NO_BAND;
        let raster = Raster { width: 2, height: 5, ids: vec![1, 1, 1, 2, none, 3, 3, none, none, none] };
        let mut out = Vec::new();
        paint(&raster, |id| 0xff00_0000 | (id * 40), &mut out);
        let (a, b, c) = (0xff00_0000 | 40, 0xff00_0000 | 80, 0xff00_0000 | 120);
        assert_eq!(out, vec![0, 0, b, 0, 0xff00_0000 | 30, 0, a, c, a, c]);
    }
}
