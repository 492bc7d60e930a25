//! A column that costs nothing until a row differs from the default.
//!
//! Newer writers add keys to every entry (compile context, pool, metadata) that most files lack or
//! leave at one value; such a column stays empty until the first value that says something.

/// Values by row; rows never set read as the default.
#[derive(Clone, Debug)]
pub struct LazyColumn<T: Copy + PartialEq> {
    default: T,
    values: Vec<T>,
}

impl<T: Copy + PartialEq> LazyColumn<T> {
    pub fn new(default: T) -> Self {
        LazyColumn { default, values: Vec::new() }
    }

    /// The value of `row`.
    #[inline]
    pub fn get(&self, row: usize) -> T {
        self.values.get(row).copied().unwrap_or(self.default)
    }

    /// Sets the value of `row`; setting the default on a row beyond the stored ones stores nothing.
    #[inline]
    pub fn set(&mut self, row: usize, value: T) {
        if let Some(slot) = self.values.get_mut(row) {
            *slot = value;
        } else if value != self.default {
            self.values.resize(row, self.default);
            self.values.push(value);
        }
    }

    /// Takes rows out; later ones move up.
    pub fn remove(&mut self, rows: core::ops::Range<usize>) {
        let len = self.values.len();
        self.values.drain(rows.start.min(len)..rows.end.min(len));
    }

    /// True when every row holds the default.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Bytes of memory the column takes.
    pub fn heap_bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_empty_until_a_value_says_something() {
        let mut column = LazyColumn::new(0_u32);
        column.set(5, 0);
        assert!(column.is_empty());
        column.set(3, 7);
        assert_eq!((column.get(2), column.get(3), column.get(4)), (0, 7, 0));
        column.set(3, 0);
        assert_eq!(column.get(3), 0);
    }
}
