//! Which of several copies of a model was made in one go.
//!
//! A model is built, loaded or moved tensor after tensor and layer after layer, with little else allocated in
//! between. So the sizes of its lives, in order of addresses, repeat with a period. What was made one by one
//! amid other allocations (a state, an average) lies where there was room, and repeats hardly. Small and
//! large tensors come from different pools, and each of these has an order of its own.
//!
//! Where nothing else repeats like that, the copy made in one go is the only module among them, and the rest is
//! no model that was built or moved.

use crate::model::{Arrange, Bytes};

/// Sizes up to this come from the pool of small blocks.
const SMALL: u64 = 1 << 20;
/// A layer has no more tensors than this.
const LONGEST_PERIOD: usize = 512;
/// With fewer periods a likeness says little.
const LEAST_PERIODS: usize = 3;

/// What the order of addresses says of the lives of one pool.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Order {
    /// Of each life, its place in the list and how far it lies from those made in one go, in lives. Empty
    /// where no order repeats.
    pub distances: Vec<(usize, usize)>,
    /// How many lives the pool has, and how many of them were made in one go.
    lives: usize,
    in_one_go: usize,
    /// No other lives repeat for nearly as long.
    alone: bool,
}

impl Order {
    /// Of so many copies, one and only one was made in one go.
    pub fn tells_one_of(&self, copies: usize) -> bool {
        let as_if_all = self.in_one_go.saturating_mul(copies);
        self.alone && 2 * as_if_all >= self.lives && as_if_all <= self.lives + self.lives / 4
    }
}

/// The pool that a size comes from: 0 for small blocks, 1 for large ones.
pub(super) fn pool(size: Bytes) -> usize {
    usize::from(size.0 > SMALL)
}

/// For lives in order of addresses (their sizes): what each pool's order says.
pub(super) fn orders(sizes: &[Bytes]) -> [Order; 2] {
    [0, 1].map(|wanted| {
        let of_pool = |&(_, size): &(usize, &Bytes)| pool(*size) == wanted;
        let (places, sizes): (Vec<usize>, Vec<Bytes>) = sizes.iter().enumerate().filter(of_pool).unzip();
        let Some(Run { start, len, alone }) = run(&sizes) else { return Order::default() };
        let distance = |i: usize| start.saturating_sub(i).max((i + 1).saturating_sub(start + len));
        let distances = places.into_iter().enumerate().map(|(i, place)| (place, distance(i))).collect();
        Order { distances, lives: sizes.len(), in_one_go: len, alone }
    })
}

struct Run {
    start: usize,
    len: usize,
    alone: bool,
}

/// The first run of sizes with a period that is at least half as long as the longest.
fn run(sizes: &[Bytes]) -> Option<Run> {
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
    let &(start, len) = runs.first()?;
    let alone = runs.iter().all(|&(other, other_len)| other < start + len && start < other + other_len);
    Some(Run { start, len, alone })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter a size beyond that of small blocks.
    fn sizes(letters: &str) -> Vec<Bytes> {
        letters.bytes().map(|b| Bytes(u64::from(b) << 20)).collect()
    }

    fn distances(sizes: &[Bytes]) -> Vec<Option<usize>> {
        let mut out = vec![None; sizes.len()];
        for (place, distance) in orders(sizes).into_iter().flat_map(|order| order.distances) {
            out[place] = Some(distance);
        }
        out
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

    #[test]
    fn one_copy_is_told_from_what_is_kept_beside_it() {
        let tells = |letters: &str, copies| orders(&sizes(letters))[1].tells_one_of(copies);
        assert!(tells("abcabcabcabcbbcacabbcaac", 2));
        // Two models, one after the other.
        assert!(!tells("abcabcabcabczzabcabcabcabc", 2));
        // Two tensors made at a time.
        assert!(!tells("aabbccaabbccaabbccaabbcc", 2));
        // Three copies, and what repeats is less than half of one.
        assert!(!tells("abababacbdcabdbcadcbadbcabdcabdcbaaccbddacbbdacadbcadbccabdbaddc", 3));
        assert!(!tells("aaaabbbbcccc", 2));
    }
}
