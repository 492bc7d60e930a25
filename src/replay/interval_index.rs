//! "What is live at state m" without replay and without checkpoints.
//!
//! Rows are numbered in birth order. Those alive at m are within the prefix born by m; over the death
//! column stands the greatest death per 64 and per 4,096 rows, so that whole groups already dead are
//! skipped. 0.07 bytes a row.

/// The death of what never dies.
pub const FOREVER: u32 = u32::MAX;

const SMALL: usize = 64;
const BIG: usize = 4096;

/// The index over a death column.
#[derive(Clone, Debug, Default)]
pub struct IntervalIndex {
    per_64: Vec<u32>,
    per_4096: Vec<u32>,
}

impl IntervalIndex {
    /// So many rows share an entry.
    pub const GROUP: usize = SMALL;

    /// Whether any row of the group that `row` is in dies after `at`.
    #[inline]
    pub fn outlasts(&self, row: usize, at: u32) -> bool {
        self.per_64.get(row / SMALL).is_none_or(|&death| death > at)
    }

    pub fn new(death: &[u32]) -> IntervalIndex {
        let greatest = |rows: &[u32]| rows.iter().copied().max().unwrap_or(0);
        let per_64: Vec<u32> = death.chunks(SMALL).map(greatest).collect();
        let per_4096 = per_64.chunks(BIG / SMALL).map(greatest).collect();
        IntervalIndex { per_64, per_4096 }
    }

    /// Calls `found` for each row born by `at` and not dead by then, in birth order.
    pub fn alive(&self, birth: &[u32], death: &[u32], at: u32, mut found: impl FnMut(u32)) {
        let born = birth.partition_point(|&b| b <= at);
        let mut row = 0;
        while row < born {
            if row.is_multiple_of(BIG) && self.per_4096.get(row / BIG).is_some_and(|&d| d <= at) {
                row += BIG;
                continue;
            }
            let end = (row + SMALL).min(born);
            if self.per_64.get(row / SMALL).is_some_and(|&d| d > at) {
                for (offset, &d) in death[row..end].iter().enumerate() {
                    if d > at {
                        found((row + offset) as u32);
                    }
                }
            }
            row = (row / SMALL + 1) * SMALL;
        }
    }

    pub fn heap_bytes(&self) -> usize {
        (self.per_64.capacity() + self.per_4096.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            mut birth in prop::collection::vec(0_u32..5000, 0..9000),
            spans in prop::collection::vec(prop_oneof![9 => 1_u32..40, 1 => Just(FOREVER)], 9000),
            at in 0_u32..5200,
        ) {
            birth.sort_unstable();
            let death: Vec<u32> = birth.iter().zip(&spans).map(|(&b, &s)| b.saturating_add(s)).collect();
            let mut found = Vec::new();
            IntervalIndex::new(&death).alive(&birth, &death, at, |row| found.push(row));
            let expected: Vec<u32> =
                (0..birth.len() as u32).filter(|&i| birth[i as usize] <= at && death[i as usize] > at).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
