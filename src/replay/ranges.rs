//! Disjoint address ranges with a value each: which memory of a device is mapped.
//!
//! Neighbouring ranges are never merged: two segments from the device may touch and are still two.

use std::collections::BTreeMap;

/// Ranges `[start, end)` by start; none is empty, none overlaps another.
#[derive(Clone, Debug, Default)]
pub struct Ranges<T: Copy> {
    map: BTreeMap<u64, (u64, T)>,
}

/// One range.
pub type Range<T> = (u64, u64, T);

impl<T: Copy> Ranges<T> {
    pub fn new() -> Ranges<T> {
        Ranges { map: BTreeMap::new() }
    }

    /// The range that holds `address`.
    #[inline]
    pub fn at(&self, address: u64) -> Option<Range<T>> {
        let (&start, &(end, value)) = self.map.range(..=address).next_back()?;
        (address < end).then_some((start, end, value))
    }

    /// What lies within `[start, end)`, cut to it, in order.
    pub fn within(&self, start: u64, end: u64) -> Vec<Range<T>> {
        let mut found = Vec::new();
        if start >= end {
            return found;
        }
        let from = self.at(start).map_or(start, |(s, _, _)| s);
        for (&s, &(e, value)) in self.map.range(from..end) {
            let (s, e) = (s.max(start), e.min(end));
            if s < e {
                found.push((s, e, value));
            }
        }
        found
    }

    /// The parts of `[start, end)` that no range covers, in order.
    pub fn uncovered(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut at = start;
        for (s, e, _) in self.within(start, end) {
            if at < s {
                found.push((at, s));
            }
            at = e;
        }
        if at < end {
            found.push((at, end));
        }
        found
    }

    /// Adds a range; the caller has made sure that it is free.
    pub fn insert(&mut self, start: u64, end: u64, value: T) {
        if start < end {
            self.map.insert(start, (end, value));
        }
    }

    /// Takes `[start, end)` out. Returns the ranges that were touched, whole, as they were; what
    /// remains of them at either end stays.
    pub fn remove(&mut self, start: u64, end: u64) -> Vec<Range<T>> {
        let mut touched = Vec::new();
        if start >= end {
            return touched;
        }
        let from = self.at(start).map_or(start, |(s, _, _)| s);
        touched.extend(self.map.range(from..end).map(|(&s, &(e, value))| (s, e, value)));
        for &(s, e, value) in &touched {
            self.map.remove(&s);
            self.insert(s, start.max(s).min(e), value);
            self.insert(end.min(e).max(s), e, value);
        }
        touched
    }

    pub fn iter(&self) -> impl Iterator<Item = Range<T>> + '_ {
        self.map.iter().map(|(&start, &(end, value))| (start, end, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_a_hole_leaves_both_ends() {
        let mut ranges = Ranges::new();
        ranges.insert(10, 20, 'a');
        ranges.insert(20, 30, 'b');
        assert_eq!(ranges.within(15, 25), [(15, 20, 'a'), (20, 25, 'b')]);
        assert_eq!(ranges.uncovered(5, 35), [(5, 10), (30, 35)]);
        assert_eq!(ranges.remove(15, 25), [(10, 20, 'a'), (20, 30, 'b')]);
        assert_eq!(ranges.iter().collect::<Vec<_>>(), [(10, 15, 'a'), (25, 30, 'b')]);
        assert_eq!(ranges.at(15), None);
        assert_eq!(ranges.at(14), Some((10, 15, 'a')));
        assert_eq!(ranges.remove(0, 100).len(), 2);
        assert_eq!(ranges.iter().count(), 0);
    }
}
