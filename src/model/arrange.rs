//! Sorting where the code's size counts for more than the time it takes.
//!
//! The standard sort is compiled anew for every type and every comparison, some kilobytes each; with a
//! hundred lists to put in order it had grown to a sixth of the wasm module. Here there is one sort, of
//! positions; what is compiled per type is moving the items to their places. Lists as long as the trace
//! are sorted by the standard sort, at their places.

use core::cmp::Ordering;

/// Stable sorting of lists that are short, or seldom sorted.
pub trait Arrange<T> {
    /// Sorts by the items' own order.
    fn arrange(&mut self)
    where
        T: Ord;

    /// Sorts by a comparison.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is asked for at every comparison.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Arrange<T> for [T] {
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(T::cmp);
    }

    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = sorted(self.len(), &mut |a, b| match (self.get(a as usize), self.get(b as usize)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        settle(self, order);
    }

    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// The positions in order; none where they are already. Longer lists than 2^32 do not come up: rows are
/// numbered in 32 bits everywhere.
#[inline(never)]
fn sorted(len: usize, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Vec<u32> {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    if (1..len).all(|at| compare(at - 1, at).is_le()) {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Moves the items: to place i goes what was at `order[i]`.
fn settle<T>(items: &mut [T], mut order: Vec<u32>) {
    for first in 0..order.len() {
        let mut at = first;
        // Along the cycle; a place that is right stands for itself.
        while let Some(place) = order.get_mut(at) {
            let from = *place as usize;
            *place = at as u32;
            if from == first || from == at || from >= items.len() {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_stable_sort(keys in prop::collection::vec(0..20_u8, 0..80)) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut sorted = items.clone();
            sorted.sort_by_key(|item| item.0);
            items.arrange_by_key(|item| item.0);
            prop_assert_eq!(&items, &sorted);
            sorted.sort_by_key(|item| core::cmp::Reverse(item.0));
            items.arrange_by(|a, b| b.0.cmp(&a.0));
            prop_assert_eq!(&items, &sorted);
            sorted.sort();
            items.arrange();
            prop_assert_eq!(&items, &sorted);
        }
    }
}
