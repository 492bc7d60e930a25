//! The stacked bands: every life that is live at a column's state, in order of birth, one pixel column
//! at a time.
//!
//! The cost follows the pixels, not the lives. Only lives alive at a chosen state can be seen, so most
//! short ones fall to a linear scan of the death column. The visible ones lie in blocks of 32, each with
//! its sum of bytes and its earliest death: a block is compacted only when somebody in it has died, and
//! entered only when the centre of a pixel falls into it. What lies below the lowest block that has changed
//! looks as it did in the column before, and is copied. Several stacks may share a column, each on top of
//! the one before.

use super::block::{Pile, Slot};
use super::ink::Ink;
use super::paint::Picture;
use super::raster::{ByteAxis, RowScale};
use crate::model::Bytes;
use crate::replay::IntervalIndex;
use core::ops::Range;

/// A band of so many pixels gets an edge.
const EDGE_FROM: usize = 3;
const GROUP: usize = IntervalIndex::GROUP;

/// What to stack: birth, death (`u32::MAX`: never) and size, in birth order.
#[derive(Clone, Copy, Debug)]
pub struct Bands<'a> {
    pub birth: &'a [u32],
    pub death: &'a [u32],
    pub size: &'a [Bytes],
    /// The number that pixels get; `None`: the place in the columns.
    pub names: Option<&'a [u32]>,
    /// The index over the deaths, where there is one.
    pub index: Option<&'a IntervalIndex>,
}

impl Bands<'_> {
    #[inline(always)]
    fn slot(&self, ink: Ink<'_>, place: u32) -> Slot {
        let at = place as usize;
        let name = self.names.map_or(place, |names| names[at]);
        Slot { size: self.size[at].0, death: self.death[at], tone: ink.tone(name) }
    }
}

/// How many of the next births are no later than a state: seldom many, so they are looked for close by first.
fn born_by(state: u32, births: &[u32]) -> usize {
    let mut reach = GROUP;
    while births.get(reach).is_some_and(|&birth| birth <= state) {
        reach *= 4;
    }
    let births = births.get(..reach).unwrap_or(births);
    births.partition_point(|&birth| birth <= state)
}

/// One stack; keeps its buffers from one window to the next.
#[derive(Clone, Debug, Default)]
pub struct Stacker {
    pile: Pile,
    /// The first band that is not born yet.
    next: usize,
    /// Where the lowest band of the column painted last begins, in bytes.
    base: u64,
}

impl Stacker {
    /// Begins at a state. `seed` are the bands live there, in birth order; those born later are found in
    /// the birth column.
    pub fn begin(&mut self, bands: Bands<'_>, ink: Ink<'_>, seed: &[u32], state: u32) {
        self.pile.clear();
        self.next = bands.birth.partition_point(|&birth| birth <= state);
        self.pile.extend(seed, |place| bands.slot(ink, place));
    }

    /// Moves on to a state, which must not be before the last one.
    pub fn advance(&mut self, bands: Bands<'_>, ink: Ink<'_>, state: u32) {
        let born = self.next + born_by(state, bands.birth.get(self.next..).unwrap_or(&[]));
        let mut at = self.next;
        while at < born {
            // A group of 64 of which nobody lives any more is passed over at once.
            let end = ((at / GROUP + 1) * GROUP).min(born);
            if bands.index.is_none_or(|index| index.outlasts(at, state)) {
                self.take_in(bands, ink, at..end, state);
            }
            at = end;
        }
        self.next = born;
        self.pile.bury(state);
    }

    /// Adds the bands of a range, of a group at most, that outlast a state.
    #[inline(never)]
    fn take_in(&mut self, bands: Bands<'_>, ink: Ink<'_>, range: Range<usize>, state: u32) {
        let mut found = [0_u32; GROUP];
        let mut count = 0;
        for (place, &death) in range.clone().zip(bands.death.get(range).unwrap_or(&[])) {
            // Found or not, without a branch that a processor would have to guess.
            found[count % GROUP] = place as u32;
            count += usize::from(death > state);
        }
        let found = found.get(..count).unwrap_or(&found);
        self.pile.extend(found, |place| bands.slot(ink, place));
    }

    /// Writes the bands into a column, the lowest beginning at `base` bytes; `before` is the column that was
    /// painted last, empty where there is none. Returns where the highest band ends.
    pub fn paint(
        &mut self,
        ink: Ink<'_>,
        scale: &RowScale,
        base: u64,
        before: &[u32],
        column: &mut [u32],
    ) -> u64 {
        let needed = scale.rows();
        let (mut offset, mut row) = (base, scale.first_row(base));
        let same = if before.is_empty() || self.base != base { 0 } else { self.pile.unchanged };
        if let Some(block) = same.checked_sub(1).and_then(|last| self.pile.head(last)) {
            let rows = row..block.row as usize;
            if let (Some(to), Some(from)) = (column.get_mut(rows.clone()), before.get(rows)) {
                to.copy_from_slice(from);
            }
            (offset, row) = (block.end, block.row as usize);
        }
        // No band that ends before this many bytes has the centre of a pixel.
        let mut next = needed.get(row).copied().unwrap_or(u64::MAX);
        for (block, slots) in self.pile.from(same) {
            let end = offset.saturating_add(block.sum);
            if end >= next && row < needed.len() {
                // Sums that do not fit stand still at the top; those that fit cannot overflow within.
                let overflows = end == u64::MAX;
                for &Slot { size, tone, .. } in slots {
                    offset = if overflows { offset.saturating_add(size) } else { offset.wrapping_add(size) };
                    if offset < next {
                        continue;
                    }
                    let lowest = row;
                    while offset >= next {
                        if let Some(pixel) = column.get_mut(row) {
                            *pixel = tone;
                        }
                        row += 1;
                        let Some(&more) = needed.get(row) else { break };
                        next = more;
                    }
                    if row >= needed.len() {
                        break;
                    }
                    // Set off from the next, which may be of the same colour.
                    if row - lowest >= EDGE_FROM {
                        column[row - 1] = ink.edge(tone);
                    }
                    if next > end {
                        break;
                    }
                }
            }
            offset = end;
            (block.end, block.row) = (end, row as u32);
        }
        (self.pile.unchanged, self.base) = (self.pile.len(), base);
        offset
    }
}

/// Clears the pixels of a column above `end` bytes; returns from which row on.
pub fn leave_empty(ink: Ink<'_>, scale: &RowScale, end: u64, column: &mut [u32]) -> usize {
    let row = scale.first_row(end);
    column[row..].fill(ink.nothing());
    row
}

/// Draws one stack alone, one column for each of `states`, which must not fall.
pub fn draw_stack(
    stacker: &mut Stacker,
    bands: Bands<'_>,
    seed: &[u32],
    states: &[u32],
    axis: ByteAxis,
    ink: Ink<'_>,
    picture: &mut Picture<'_>,
) {
    let Some(&first) = states.first() else { return };
    let scale = RowScale::new(axis);
    stacker.begin(bands, ink, seed, first);
    let mut drawn: Option<u32> = None;
    for &state in states {
        if drawn == Some(state) {
            picture.repeat();
            continue;
        }
        stacker.advance(bands, ink, state);
        picture.column(|before, column| {
            let end = stacker.paint(ink, &scale, 0, before, column);
            leave_empty(ink, &scale, end, column)
        });
        drawn = Some(state);
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::NO_BAND;
    use super::*;
    use proptest::prelude::*;

    /// A life as `(birth, death, size)`, sorted by birth.
    fn lives() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
        proptest::collection::vec((0_u32..300, 1_u32..200, 1_u64..5000), 1..400).prop_map(|mut v| {
            v.sort();
            v.into_iter().map(|(birth, life, size)| (birth, birth + life, size)).collect()
        })
    }

    /// Band numbers, row by row from the top.
    struct Raster {
        width: usize,
        height: usize,
        ids: Vec<u32>,
    }

    impl Raster {
        fn at(&self, x: usize, y: usize) -> Option<u32> {
            Some(self.ids[(self.height - 1 - y) * self.width + x]).filter(|&id| id != NO_BAND)
        }
    }

    fn draw(lives: &[(u32, u32, u64)], states: &[u32], axis: ByteAxis) -> Raster {
        let birth: Vec<u32> = lives.iter().map(|l| l.0).collect();
        let death: Vec<u32> = lives.iter().map(|l| l.1).collect();
        let size: Vec<Bytes> = lives.iter().map(|l| Bytes(l.2)).collect();
        let first = states[0];
        let seed: Vec<u32> = (0..lives.len() as u32)
            .filter(|&i| birth[i as usize] <= first && death[i as usize] > first)
            .collect();
        let (width, height, mut ids) = (states.len(), axis.rows as usize, Vec::new());
        let mut picture = Picture::new(width, height, &mut ids);
        let bands = Bands { birth: &birth, death: &death, size: &size, names: None, index: None };
        draw_stack(&mut Stacker::default(), bands, &seed, states, axis, Ink::NUMBERS, &mut picture);
        Raster { width, height, ids }
    }

    proptest! {
        #[test]
        fn each_pixel_shows_the_life_at_its_centre(
            lives in lives(),
            mut states in proptest::collection::vec(0_u32..520, 1..40),
            rows in 1_u32..60,
            bottom in 0_u64..20_000,
            height in 1_u64..400_000,
        ) {
            states.sort();
            let axis = ByteAxis { bottom, top: bottom + height, rows };
            let raster = draw(&lives, &states, axis);
            for (x, &state) in states.iter().enumerate() {
                for y in 0..rows as usize {
                    let centre = bottom as f64 + (y as f64 + 0.5) * height as f64 / f64::from(rows);
                    let (mut offset, mut expected, mut near_edge) = (0_u64, None, false);
                    for (id, &(birth, death, size)) in lives.iter().enumerate() {
                        if birth > state || death <= state {
                            continue;
                        }
                        let (low, high) = (offset as f64, (offset + size) as f64);
                        near_edge |= (low - centre).abs() < 1e-3 || (high - centre).abs() < 1e-3;
                        if low <= centre && centre < high {
                            expected = Some(id as u32);
                        }
                        offset += size;
                    }
                    prop_assert!(near_edge || raster.at(x, y) == expected, "column {x} row {y}");
                }
            }
        }

        #[test]
        fn heights_of_a_column_sum_to_its_bytes(lives in lives(), state in 0_u32..520) {
            let live = |l: &&(u32, u32, u64)| l.0 <= state && l.1 > state;
            let total: u64 = lives.iter().filter(live).map(|l| l.2).sum();
            let axis = ByteAxis { bottom: 0, top: total.max(1) * 2, rows: 500 };
            let raster = draw(&lives, &[state], axis);
            let covered = (0..500).filter(|&y| raster.at(0, y).is_some()).count();
            let expected = total as f64 / axis.top as f64 * 500.0;
            prop_assert!((covered as f64 - expected).abs() <= 1.0);
        }
    }

    #[test]
    fn sums_that_do_not_fit_stand_still_at_the_top() {
        let axis = ByteAxis { bottom: 0, top: u64::MAX, rows: 8 };
        let raster = draw(&[(0, 9, u64::MAX - 5), (0, 9, u64::MAX), (1, 9, 7)], &[0, 1], axis);
        assert!((0..8).all(|y| raster.at(0, y) == Some(0) && raster.at(1, y) == Some(0)));
    }

    #[test]
    fn an_empty_window_draws_nothing() {
        let raster = draw(&[(0, 5, 10)], &[7, 8, 9], ByteAxis { bottom: 0, top: 100, rows: 4 });
        assert!(raster.ids.iter().all(|&id| id == NO_BAND));
    }

    #[test]
    fn high_bands_get_an_edge_and_what_is_above_stays_empty() {
        // A band of three rows, one of one, nothing above; and a band that goes on beyond the window.
        let lives = [(0, 1, 3), (0, 1, 1), (1, 2, 9)];
        let (birth, death): (Vec<u32>, Vec<u32>) = lives.iter().map(|l| (l.0, l.1)).unzip();
        let size: Vec<Bytes> = lives.iter().map(|l| Bytes(l.2)).collect();
        let bands = Bands { birth: &birth, death: &death, size: &size, names: None, index: None };
        let mut pixels = Vec::new();
        let mut picture = Picture::new(2, 5, &mut pixels);
        let axis = ByteAxis { bottom: 0, top: 5, rows: 5 };
        let colours = [1, 2, 3].map(|id| 0xff00_0000 | (id * 40));
        draw_stack(
            &mut Stacker::default(),
            bands,
            &[0, 1],
            &[0, 1],
            axis,
            Ink::in_turn(&colours),
            &mut picture,
        );
        let (a, b, c) = (0xff00_0000 | 40, 0xff00_0000 | 80, 0xff00_0000 | 120);
        assert_eq!(pixels, vec![0, c, b, c, 0xff00_0000 | 30, c, a, c, a, c]);
    }
}
