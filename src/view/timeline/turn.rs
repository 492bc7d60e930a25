//! Turning columns, as bands are stacked, into rows, as a canvas wants them.
//!
//! The picture is larger than what a processor keeps at hand, so most of the time goes into waiting for memory.
//! Four columns by four rows at a time, each of its sides is one load or store of sixteen bytes.

use core::ops::Range;

/// So many columns and rows are turned at once.
const SIDE: usize = 4;

/// Some columns next to each other, each from the bottom up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<'a> {
    pub tones: &'a [u32],
    pub height: usize,
    /// The first row that is empty in all of them.
    pub empty_from: usize,
}

/// Turns columns into the rows of a picture, the lowest last; `shown` is where they lie in the `width` of it.
///
/// Never inlined, for the sake of browsers: what they compile well is a function, and they take it into use at
/// its next call.
#[inline(never)]
pub(super) fn turn(lanes: Lanes<'_>, width: usize, shown: &Range<usize>, out: &mut [u32]) {
    let Lanes { height, .. } = lanes;
    let tones = lanes.tones.get(..shown.len() * height).unwrap_or(lanes.tones);
    // What is empty is so in all of them alike.
    let full = lanes.empty_from.next_multiple_of(SIDE).min(height);
    let nothing = tones[height - 1];
    for row in out[..(height - full) * width].chunks_exact_mut(width) {
        row[shown.clone()].fill(nothing);
    }
    let squares = full / SIDE * SIDE;
    for from in (0..squares).step_by(SIDE) {
        let above = height - from - SIDE;
        let (upper, lower) = out[above * width..(above + SIDE) * width].split_at_mut(2 * width);
        let ((d, c), (b, a)) = (upper.split_at_mut(width), lower.split_at_mut(width));
        let [a, b, c, d] = [a, b, c, d].map(|row| row[shown.clone()].as_chunks_mut::<SIDE>().0);
        let rows = a.iter_mut().zip(b).zip(c).zip(d);
        for ((((a, b), c), d), four) in rows.zip(tones.chunks_exact(SIDE * height)) {
            let lane = |number: usize| four.get(number * height + from..)?.first_chunk::<SIDE>();
            if let (Some(i), Some(j), Some(k), Some(l)) = (lane(0), lane(1), lane(2), lane(3)) {
                turn_square([i, j, k, l], [a, b, c, d]);
            }
        }
    }
    // What is left on the right, and at the top.
    let columns = shown.len() / SIDE * SIDE;
    for row in 0..full {
        let pixels = &mut out[(height - 1 - row) * width..][shown.clone()];
        let left = if row < squares { columns } else { 0 };
        for (pixel, lane) in pixels.iter_mut().zip(tones.chunks_exact(height)).skip(left) {
            *pixel = lane[row];
        }
    }
}

/// The compiler makes single numbers of arrays, so here it is told what to do.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn turn_square([i, j, k, l]: [&[u32; SIDE]; SIDE], [a, b, c, d]: [&mut [u32; SIDE]; SIDE]) {
    use bytemuck::cast;
    use core::arch::wasm32::{u32x4_shuffle, u64x2_shuffle, v128};
    let (i, j, k, l): (v128, v128, v128, v128) = (cast(*i), cast(*j), cast(*k), cast(*l));
    let (ij, kl) = (u32x4_shuffle::<0, 4, 1, 5>(i, j), u32x4_shuffle::<0, 4, 1, 5>(k, l));
    *a = cast(u64x2_shuffle::<0, 2>(ij, kl));
    *b = cast(u64x2_shuffle::<1, 3>(ij, kl));
    let (ij, kl) = (u32x4_shuffle::<2, 6, 3, 7>(i, j), u32x4_shuffle::<2, 6, 3, 7>(k, l));
    *c = cast(u64x2_shuffle::<0, 2>(ij, kl));
    *d = cast(u64x2_shuffle::<1, 3>(ij, kl));
}

#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn turn_square(lanes: [&[u32; SIDE]; SIDE], rows: [&mut [u32; SIDE]; SIDE]) {
    for (number, row) in rows.into_iter().enumerate() {
        *row = lanes.map(|lane| lane[number]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_come_out_as_rows_top_first(
            width in 1_usize..40,
            height in 1_usize..30,
            part in (0.0..1.0, 0.0..1.0),
            empty in 0.0..1.0,
        ) {
            let x0 = (width as f64 * part.0) as usize;
            let columns = 1 + ((width - x0 - 1) as f64 * part.1) as usize;
            let empty_from = (height as f64 * empty) as usize;
            let tone = |x: usize, row: usize| if row < empty_from { (x * 100 + row) as u32 } else { 7 };
            let tones: Vec<u32> = (0..columns).flat_map(|x| (0..height).map(move |row| tone(x, row))).collect();
            let mut out = vec![9; width * height];
            turn(Lanes { tones: &tones, height, empty_from }, width, &(x0..x0 + columns), &mut out);
            for (place, &pixel) in out.iter().enumerate() {
                let (x, row) = (place % width, height - 1 - place / width);
                let expected = if (x0..x0 + columns).contains(&x) { tone(x - x0, row) } else { 9 };
                prop_assert_eq!(pixel, expected, "column {}, row {}", x, row);
            }
        }
    }
}
