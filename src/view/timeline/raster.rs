//! The vertical axis of the drawing: where bytes lie on it.

/// "Nothing covers this pixel."
pub const NO_BAND: u32 = u32::MAX;

/// The vertical window: bytes `bottom..top` spread over `rows` pixels, row 0 at the bottom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ByteAxis {
    pub bottom: u64,
    pub top: u64,
    pub rows: u32,
}

/// Where the centres of a byte axis' rows lie, as whole bytes: stacking compares and never divides.
#[derive(Clone, Debug, Default)]
pub struct RowScale {
    needed: Vec<u64>,
    bottom: f64,
    rows_a_byte: f64,
}

impl RowScale {
    pub fn new(axis: ByteAxis) -> RowScale {
        let span = axis.top.saturating_sub(axis.bottom).max(1) as f64;
        let bytes_a_row = span / f64::from(axis.rows.max(1));
        let bottom = axis.bottom as f64;
        // The least number of bytes beyond the centre.
        let beyond = |row: u32| ((bottom + (f64::from(row) + 0.5) * bytes_a_row) as u64).saturating_add(1);
        RowScale { needed: (0..axis.rows).map(beyond).collect(), bottom, rows_a_byte: 1.0 / bytes_a_row }
    }

    /// By row: how many bytes it takes to cover its centre.
    pub fn rows(&self) -> &[u64] {
        &self.needed
    }

    /// The first row whose centre `bytes` do not cover; the number of rows where they cover all.
    pub fn first_row(&self, bytes: u64) -> usize {
        let near = ((bytes as f64 - self.bottom) * self.rows_a_byte + 0.5) as usize;
        let mut row = near.min(self.needed.len());
        // Rounding leaves it a row off at most.
        while row > 0 && self.needed[row - 1] > bytes {
            row -= 1;
        }
        while self.needed.get(row).is_some_and(|&needed| needed <= bytes) {
            row += 1;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_row_not_covered_is_found(
            bottom in prop_oneof![Just(0), 0_u64..1 << 40, any::<u64>()],
            span in prop_oneof![0_u64..100, 0_u64..1 << 40, any::<u64>()],
            rows in 0_u32..700,
            bytes in prop_oneof![0_u64..1 << 41, any::<u64>()],
        ) {
            let scale = RowScale::new(ByteAxis { bottom, top: bottom.saturating_add(span), rows });
            prop_assert_eq!(scale.first_row(bytes), scale.rows().partition_point(|&needed| needed <= bytes));
        }
    }
}
