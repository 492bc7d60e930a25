//! The stacked bands: every life that is live at a column's state, in order of birth, one pixel column
//! at a time.
//!
//! The cost follows the pixels, not the lives. Only lives alive at a chosen state can be seen, so most
//! short ones fall to a linear scan of the death column. The visible ones lie in blocks of 32, each with
//! its sum of bytes and its earliest death: a block is compacted only when somebody in it has died, and
//! entered only when the centre of a pixel falls into it.

use crate::model::Bytes;

/// "No life covers this pixel."
pub const NO_BAND: u32 = u32::MAX;

const BLOCK: usize = 32;

/// What to stack: birth, death (`u32::MAX`: never) and size, by number in birth order.
#[derive(Clone, Copy, Debug)]
pub struct Bands<'a> {
    pub birth: &'a [u32],
    pub death: &'a [u32],
    pub size: &'a [Bytes],
}

/// The vertical window: bytes `bottom..top` spread over `rows` pixels, row 0 at the bottom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ByteAxis {
    pub bottom: u64,
    pub top: u64,
    pub rows: u32,
}

impl ByteAxis {
    /// The first row whose centre is at or above `bytes`, at most `rows`.
    pub fn first_row(self, bytes: u64) -> usize {
        RowScale::new(self).first_row(bytes)
    }
}

/// A byte axis with its division done once.
#[derive(Clone, Copy)]
struct RowScale {
    bottom: f64,
    rows_per_byte: f64,
    rows: f64,
}

impl RowScale {
    fn new(axis: ByteAxis) -> RowScale {
        let rows = f64::from(axis.rows);
        let span = axis.top.saturating_sub(axis.bottom).max(1) as f64;
        RowScale { bottom: axis.bottom as f64, rows_per_byte: rows / span, rows }
    }

    #[inline]
    fn first_row(self, bytes: u64) -> usize {
        ((bytes as f64 - self.bottom) * self.rows_per_byte - 0.5).ceil().clamp(0.0, self.rows) as usize
    }
}

/// A drawn window: the number of the band at each pixel, column by column, each from the bottom up.
#[derive(Clone, Debug, Default)]
pub struct Raster {
    pub width: usize,
    pub height: usize,
    pub ids: Vec<u32>,
}

impl Raster {
    /// The band at column `x`, `y` rows from the bottom.
    pub fn at(&self, x: usize, y: usize) -> Option<u32> {
        if x >= self.width || y >= self.height {
            return None;
        }
        self.ids.get(x * self.height + y).copied().filter(|&id| id != NO_BAND)
    }
}

/// Draws windows; keeps its buffers from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Stacker {
    /// Slots of the blocks, `BLOCK` each; the first `len` of a block are in use.
    ids: Vec<u32>,
    death: Vec<u32>,
    size: Vec<u64>,
    blocks: Vec<Block>,
    live: usize,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    len: u32,
    earliest_death: u32,
    sum: u64,
}

impl Stacker {
    /// Draws one column for each of `states`, which must not fall. `seed` are the bands live at the
    /// first state, in birth order; bands born later are found in the birth column.
    pub fn draw(
        &mut self,
        bands: Bands<'_>,
        seed: impl Iterator<Item = u32>,
        states: &[u32],
        axis: ByteAxis,
        raster: &mut Raster,
    ) {
        let height = axis.rows as usize;
        raster.width = states.len();
        raster.height = height;
        raster.ids.clear();
        raster.ids.resize(states.len() * height, NO_BAND);
        let Some(&first) = states.first() else { return };
        if height == 0 {
            return;
        }
        self.clear();
        for id in seed {
            self.push(bands, id);
        }
        let mut next = bands.birth.partition_point(|&birth| birth <= first);
        let mut drawn: Option<u32> = None;
        for (x, &state) in states.iter().enumerate() {
            let column = x * height..(x + 1) * height;
            if drawn == Some(state) {
                raster.ids.copy_within(column.start - height..column.start, column.start);
                continue;
            }
            let born = next + bands.birth.get(next..).map_or(0, |b| b.partition_point(|&b| b <= state));
            for id in next..born {
                if bands.death[id] > state {
                    self.push(bands, id as u32);
                }
            }
            next = born;
            self.bury(state);
            self.paint(axis, &mut raster.ids[column]);
            drawn = Some(state);
        }
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.death.clear();
        self.size.clear();
        self.blocks.clear();
        self.live = 0;
    }

    fn push(&mut self, bands: Bands<'_>, id: u32) {
        let (death, size) = (bands.death[id as usize], bands.size[id as usize].0);
        self.insert(id, death, size);
    }

    fn insert(&mut self, id: u32, death: u32, size: u64) {
        if self.blocks.last().is_none_or(|block| block.len as usize == BLOCK) {
            self.blocks.push(Block { len: 0, earliest_death: u32::MAX, sum: 0 });
            // Only ever grows: while packing anew, slots further on are still to be read.
            let slots = (self.blocks.len() * BLOCK).max(self.ids.len());
            self.ids.resize(slots, NO_BAND);
            self.death.resize(slots, 0);
            self.size.resize(slots, 0);
        }
        let base = (self.blocks.len() - 1) * BLOCK;
        if let Some(block) = self.blocks.last_mut() {
            let slot = base + block.len as usize;
            self.ids[slot] = id;
            self.death[slot] = death;
            self.size[slot] = size;
            block.len += 1;
            block.earliest_death = block.earliest_death.min(death);
            block.sum = block.sum.saturating_add(size);
            self.live += 1;
        }
    }

    /// Removes what has died by `state`; packs the blocks anew when they are half empty.
    fn bury(&mut self, state: u32) {
        for (number, block) in self.blocks.iter_mut().enumerate() {
            if block.len == 0 || block.earliest_death > state {
                continue;
            }
            let base = number * BLOCK;
            let mut kept = Block { len: 0, earliest_death: u32::MAX, sum: 0 };
            for slot in base..base + block.len as usize {
                let death = self.death[slot];
                if death <= state {
                    continue;
                }
                let to = base + kept.len as usize;
                self.ids[to] = self.ids[slot];
                self.death[to] = death;
                self.size[to] = self.size[slot];
                kept.len += 1;
                kept.earliest_death = kept.earliest_death.min(death);
                kept.sum = kept.sum.saturating_add(self.size[slot]);
            }
            self.live -= (block.len - kept.len) as usize;
            *block = kept;
        }
        if self.blocks.len() > 8 && self.live * 2 < self.blocks.len() * BLOCK {
            self.repack();
        }
    }

    fn repack(&mut self) {
        let blocks = std::mem::take(&mut self.blocks);
        self.live = 0;
        for (number, block) in blocks.iter().enumerate() {
            for slot in number * BLOCK..number * BLOCK + block.len as usize {
                // The write position never passes the read position, so packing in place is safe.
                self.insert(self.ids[slot], self.death[slot], self.size[slot]);
            }
        }
    }

    fn paint(&self, axis: ByteAxis, column: &mut [u32]) {
        let scale = RowScale::new(axis);
        let mut offset = 0_u64;
        let mut row = scale.first_row(0);
        for (number, block) in self.blocks.iter().enumerate() {
            if block.len == 0 {
                continue;
            }
            let end = offset.saturating_add(block.sum);
            let end_row = scale.first_row(end);
            if end_row > row {
                let base = number * BLOCK;
                for slot in base..base + block.len as usize {
                    offset = offset.saturating_add(self.size[slot]);
                    let upto = scale.first_row(offset);
                    if upto > row {
                        column[row..upto].fill(self.ids[slot]);
                        row = upto;
                    }
                }
            }
            offset = end;
            row = end_row;
            if row >= column.len() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A life as `(birth, death, size)`, sorted by birth.
    fn lives() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
        proptest::collection::vec((0_u32..300, 1_u32..200, 1_u64..5000), 1..400).prop_map(|mut v| {
            v.sort();
            v.into_iter().map(|(birth, life, size)| (birth, birth + life, size)).collect()
        })
    }

    fn draw(lives: &[(u32, u32, u64)], states: &[u32], axis: ByteAxis) -> Raster {
        let birth: Vec<u32> = lives.iter().map(|l| l.0).collect();
        let death: Vec<u32> = lives.iter().map(|l| l.1).collect();
        let size: Vec<Bytes> = lives.iter().map(|l| Bytes(l.2)).collect();
        let first = states[0];
        let seed =
            (0..lives.len() as u32).filter(|&i| birth[i as usize] <= first && death[i as usize] > first);
        let mut raster = Raster::default();
        let bands = Bands { birth: &birth, death: &death, size: &size };
        Stacker::default().draw(bands, seed, states, axis, &mut raster);
        raster
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
    fn an_empty_window_draws_nothing() {
        let raster = draw(&[(0, 5, 10)], &[7, 8, 9], ByteAxis { bottom: 0, top: 100, rows: 4 });
        assert!(raster.ids.iter().all(|&id| id == NO_BAND));
        assert_eq!((raster.at(3, 0), raster.at(0, 4)), (None, None));
    }
}
