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
pub struct RowScale(Vec<u64>);

impl RowScale {
    pub fn new(axis: ByteAxis) -> RowScale {
        let span = axis.top.saturating_sub(axis.bottom).max(1) as f64;
        let bytes_a_row = span / f64::from(axis.rows.max(1));
        let bottom = axis.bottom as f64;
        // The least number of bytes beyond the centre.
        let beyond = |row: u32| ((bottom + (f64::from(row) + 0.5) * bytes_a_row) as u64).saturating_add(1);
        RowScale((0..axis.rows).map(beyond).collect())
    }

    /// By row: how many bytes it takes to cover its centre.
    pub fn rows(&self) -> &[u64] {
        &self.0
    }

    /// The first row whose centre `bytes` do not cover; the number of rows where they cover all.
    pub fn first_row(&self, bytes: u64) -> usize {
        self.0.partition_point(|&needed| needed <= bytes)
    }
}
