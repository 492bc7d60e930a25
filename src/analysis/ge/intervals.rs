//! A growing set of address ranges and how many bytes it covers.

use std::collections::BTreeMap;

/// Ranges that neither touch nor overlap, by their begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Intervals {
    ranges: BTreeMap<u64, u64>,
    covered: u64,
}

impl Intervals {
    /// Adds `from..from + bytes`.
    pub fn add(&mut self, from: u64, bytes: u64) {
        let (mut from, mut to) = (from, from.saturating_add(bytes));
        if from >= to {
            return;
        }
        while let Some((&begin, &end)) = self.ranges.range(..=to).next_back()
            && end >= from
        {
            self.ranges.remove(&begin);
            self.covered -= end - begin;
            from = from.min(begin);
            to = to.max(end);
        }
        self.ranges.insert(from, to);
        self.covered = self.covered.saturating_add(to - from);
    }

    /// Bytes in any of the ranges.
    pub fn covered(&self) -> u64 {
        self.covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_once() {
        let mut set = Intervals::default();
        for (from, bytes, covered) in
            [(10, 5, 5), (20, 5, 10), (12, 2, 10), (14, 7, 15), (0, 0, 15), (0, 100, 100), (u64::MAX, 9, 100)]
        {
            set.add(from, bytes);
            assert_eq!(set.covered(), covered, "after {from}+{bytes}");
        }
        assert_eq!(set.ranges.len(), 1);
    }
}
