//! Which of several copies of a model was made in one go.
//!
//! A model is built, loaded or moved tensor after tensor and layer after layer, with little else allocated in
//! between. So the sizes of its lives, in order of addresses, repeat with a period. What was made one by one
//! amid other allocations (a state, an average) lies where there was room, and repeats hardly. Small and
//! large tensors come from different pools, and each of these has an order of its own.

use crate::model::{Arrange, Bytes};

/// Sizes up to this come from the pool of small blocks.
const SMALL: u64 = 1 << 20;
/// A layer has no more tensors than this.
const LONGEST_PERIOD: usize = 512;
/// With fewer periods a likeness says little.
const LEAST_PERIODS: usize = 3;

/// For lives in order of addresses (their sizes): how far each lies from those made in one go, in lives. `None`
/// where no order repeats.
pub(super) fn distances(sizes: &[Bytes]) -> Vec<Option<usize>> {
    let mut out = vec![None; sizes.len()];
    for small in [true, false] {
        let places: Vec<usize> =
            (0..sizes.len()).filter(|&i| sizes.get(i).is_some_and(|s| (s.0 <= SMALL) == small)).collect();
        let of_pool: Vec<Bytes> = places.iter().filter_map(|&i| sizes.get(i).copied()).collect();
        let Some((start, len)) = run(&of_pool) else { continue };
        for (i, &place) in places.iter().enumerate() {
            let before = start.saturating_sub(i);
            let after = (i + 1).saturating_sub(start + len);
            if let Some(slot) = out.get_mut(place) {
                *slot = Some(before.max(after));
            }
        }
    }
    out
}

/// Begin and length of the first run of sizes with a period that is at least half as long as the longest.
fn run(sizes: &[Bytes]) -> Option<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for period in 1..=LONGEST_PERIOD.min(sizes.len() / LEAST_PERIODS) {
        let (Some(whole), Some(shifted)) = (sizes.get(..sizes.len() - period), sizes.get(period..)) else {
            break;
        };
        let mut from = 0;
        for (i, same) in whole.iter().zip(shifted).map(|(a, b)| a == b).chain([false]).enumerate() {
            if same {
                continue;
            }
            let len = i - from + period;
            let differs =
                || sizes.get(from..from + period).is_some_and(|p| p.iter().any(|s| Some(s) != p.first()));
            if i > from && len >= LEAST_PERIODS * period && differs() {
                runs.push((from, len));
            }
            from = i + 1;
        }
    }
    let longest = runs.iter().map(|&(_, len)| len).max()?;
    runs.retain(|&(_, len)| 2 * len >= longest);
    runs.arrange_by_key(|&(start, len)| (start, core::cmp::Reverse(len)));
    runs.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter a size beyond that of small blocks.
    fn sizes(letters: &str) -> Vec<Bytes> {
        letters.bytes().map(|b| Bytes(u64::from(b) << 20)).collect()
    }

    #[test]
    fn what_repeats_in_order_was_made_in_one_go() {
        // Scattered, then layers of four, then scattered again.
        let found = distances(&sizes("abbcaEaabcaabcaabcaabcaabcbacb"));
        let inside: Vec<usize> = (0..30).filter(|&i| found[i] == Some(0)).collect();
        assert_eq!(inside, (6..26).collect::<Vec<_>>());
        assert_eq!((found[5], found[0], found[29]), (Some(1), Some(6), Some(4)));
    }

    #[test]
    fn one_size_over_and_over_says_nothing() {
        assert_eq!(distances(&sizes("aaaaaaaaaaaa")), [None; 12]);
        assert_eq!(distances(&sizes("abcdefgh")), [None; 8]);
        assert!(distances(&[]).is_empty());
    }

    #[test]
    fn of_two_alike_the_first_counts() {
        let found = distances(&sizes("abcabcabcabczzabcabcabcabc"));
        assert_eq!((found[0], found[11], found[12]), (Some(0), Some(0), Some(1)));
    }

    #[test]
    fn pools_have_orders_of_their_own() {
        let mut mixed = sizes("abababababab");
        mixed.insert(3, Bytes(512));
        let found = distances(&mixed);
        assert_eq!((found[3], found[4]), (None, Some(0)));
    }
}
