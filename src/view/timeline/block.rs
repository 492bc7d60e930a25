//! Blocks of bands, the pieces that a stack is kept in: what is asked of all of a block at once (its bytes, its
//! earliest death, where it was painted) stands apart from its bands, close together, so that most blocks are
//! never entered.
//!
//! Nothing here branches on whether a single band lives: about every second one that is looked at does, and a
//! processor would guess as many of them wrong.

/// So many bands at most.
const BLOCK: usize = 32;
/// So many blocks share an entry of the earliest deaths.
const SHELF: usize = 32;

/// One band in its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub size: u64,
    pub death: u32,
    pub tone: u32,
}

/// What is known of all the bands of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// `u32::MAX` where the block is empty, or none of its bands dies.
    earliest_death: u32,
    len: u32,
    pub sum: u64,
    /// Where it ended when it was painted last: in bytes, and the row that the next band begins with.
    pub end: u64,
    pub row: u32,
}

impl Head {
    const EMPTY: Head = Head { earliest_death: u32::MAX, len: 0, sum: 0, end: 0, row: 0 };

    fn room(&self) -> usize {
        BLOCK.saturating_sub(self.len as usize)
    }

    /// Counts in what was added on top.
    #[inline(always)]
    fn add(&mut self, added: &[Slot]) {
        let (mut sum, mut all, mut earliest) = (0_u64, 0, self.earliest_death);
        for slot in added {
            sum = sum.wrapping_add(slot.size);
            all |= slot.size;
            earliest = earliest.min(slot.death);
        }
        if all > u64::MAX / BLOCK as u64 {
            sum = added.iter().fold(0, |sum, slot| slot.size.saturating_add(sum));
        }
        self.sum = self.sum.saturating_add(sum);
        self.len += added.len() as u32;
        self.earliest_death = earliest;
    }
}

/// Blocks from the lowest up; keeps its buffers when it is emptied.
#[derive(Clone, Debug, Default)]
pub(super) struct Pile {
    heads: Vec<Head>,
    slots: Vec<[Slot; BLOCK]>,
    /// No block of a shelf has a death before this.
    deaths: Vec<u32>,
    /// The first so many are in use, some of them empty.
    used: usize,
    empty: usize,
    /// Blocks below have not changed since somebody set this.
    pub unchanged: usize,
}

impl Pile {
    pub fn clear(&mut self) {
        (self.used, self.empty, self.unchanged) = (0, 0, 0);
        self.deaths.fill(u32::MAX);
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.used
    }

    pub fn head(&self, number: usize) -> Option<&Head> {
        self.heads.get(number)
    }

    /// The blocks from a number on, each with its bands.
    pub fn from(&mut self, number: usize) -> impl Iterator<Item = (&mut Head, &[Slot])> {
        let heads = self.heads.iter_mut().zip(&self.slots).take(self.used).skip(number);
        heads.map(|(head, slots)| {
            let bands = slots.get(..head.len as usize).unwrap_or(slots);
            (head, bands)
        })
    }

    /// Puts bands on top, each of which `band` tells by its place.
    #[inline(always)]
    pub fn extend(&mut self, mut places: &[u32], band: impl Fn(u32) -> Slot) {
        while !places.is_empty() {
            let top = self.open();
            let (Some(head), Some(slots)) = (self.heads.get_mut(top), self.slots.get_mut(top)) else {
                return;
            };
            let (now, later) = places.split_at(places.len().min(head.room()));
            let from = head.len as usize;
            let free = slots.get_mut(from..from + now.len()).unwrap_or(&mut []);
            for (free, &place) in free.iter_mut().zip(now) {
                *free = band(place);
            }
            head.add(free);
            let earliest = head.earliest_death;
            self.note(top, earliest);
            places = later;
        }
    }

    /// The topmost block that is in use, which has room.
    fn open(&mut self) -> usize {
        let top = self.used.checked_sub(1).filter(|&top| self.heads[top].room() > 0);
        let top = top.unwrap_or_else(|| {
            if self.used == self.heads.len() {
                self.heads.push(Head::EMPTY);
                self.slots.push([Slot::default(); BLOCK]);
            }
            self.heads[self.used] = Head::EMPTY;
            self.empty += 1;
            self.used += 1;
            self.used - 1
        });
        // Whoever opens a block fills it.
        self.empty -= usize::from(self.heads[top].len == 0);
        self.unchanged = self.unchanged.min(top);
        top
    }

    /// Removes what has died by `state`. What is left of a block goes into the one below if it fits there; the
    /// places of blocks stay, empty, until most are.
    pub fn bury(&mut self, state: u32) {
        for shelf in 0..self.used.div_ceil(SHELF) {
            if self.deaths.get(shelf).is_some_and(|&death| death <= state) {
                self.bury_on(shelf, state);
            }
        }
        if self.used > 8 && self.empty * 2 > self.used {
            self.close_ranks();
        }
    }

    fn bury_on(&mut self, shelf: usize, state: u32) {
        let blocks = shelf * SHELF..self.used.min((shelf + 1) * SHELF);
        self.deaths[shelf] = u32::MAX;
        for number in blocks.clone() {
            if self.heads[number].earliest_death <= state {
                self.compact(number, state);
                self.settle(number);
            }
        }
        // Bands that settled from above may have come after the block that took them.
        for number in blocks {
            self.note(number, self.heads[number].earliest_death);
        }
    }

    /// Lets the shelf of a block know of a death.
    #[inline(always)]
    fn note(&mut self, block: usize, death: u32) {
        let shelf = block / SHELF;
        if shelf >= self.deaths.len() {
            self.deaths.push(u32::MAX);
        }
        if let Some(earliest) = self.deaths.get_mut(shelf) {
            *earliest = death.min(*earliest);
        }
    }

    #[inline(never)]
    fn compact(&mut self, number: usize, state: u32) {
        let (head, slots) = (&mut self.heads[number], &mut self.slots[number]);
        let len = (head.len as usize).min(BLOCK);
        let mut kept = 0;
        for at in 0..len {
            let slot = slots[at];
            slots[kept % BLOCK] = slot;
            kept += usize::from(slot.death > state);
        }
        *head = Head::EMPTY;
        head.add(slots.get(..kept).unwrap_or(&[]));
        self.unchanged = self.unchanged.min(number);
    }

    /// Moves a block into the next one below that is not empty, if it fits there.
    fn settle(&mut self, number: usize) {
        let bands = self.heads[number].len as usize;
        let below = (0..number).rev().find(|&below| self.heads[below].len > 0);
        if let Some(below) = below.filter(|&below| bands > 0 && self.heads[below].room() >= bands) {
            let (lower, upper) = self.slots.split_at_mut(number);
            let (from, head) = (self.heads[below].len as usize, &mut self.heads[below]);
            let place = &mut lower[below][from..from + bands];
            place.copy_from_slice(&upper[0][..bands]);
            head.add(place);
            let earliest = head.earliest_death;
            self.heads[number] = Head::EMPTY;
            self.note(below, earliest);
            self.unchanged = self.unchanged.min(below);
        }
        self.empty += usize::from(self.heads[number].len == 0);
    }

    /// Gives up the places that are empty.
    #[inline(never)]
    fn close_ranks(&mut self) {
        let mut filled = 0;
        for number in 0..self.used {
            if self.heads[number].len > 0 {
                self.heads.swap(filled, number);
                self.slots.swap(filled, number);
                filled += 1;
            }
        }
        (self.used, self.empty, self.unchanged) = (filled, 0, 0);
        self.deaths.fill(u32::MAX);
        for number in 0..filled {
            self.note(number, self.heads[number].earliest_death);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All bands, from the bottom up, after checking what is known of each block.
    fn bands(pile: &mut Pile) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        for (head, slots) in pile.from(0) {
            let sum = slots.iter().fold(0_u64, |sum, slot| sum.saturating_add(slot.size));
            let earliest = slots.iter().map(|slot| slot.death).min().unwrap_or(u32::MAX);
            assert_eq!((head.sum, head.earliest_death), (sum, earliest));
            all.extend(slots.iter().map(|slot| (slot.size, slot.death)));
        }
        all
    }

    proptest! {
        #[test]
        fn a_pile_holds_what_was_put_on_it_and_has_not_died(
            steps in prop::collection::vec((prop::collection::vec((1_u32..60, 0_u64..90), 0..300), 1_u32..9), 1..30),
            huge in any::<bool>(),
        ) {
            let (mut pile, mut expected, mut state) = (Pile::default(), Vec::new(), 0);
            for (added, pause) in steps {
                let new: Vec<(u64, u32)> = added
                    .into_iter()
                    .map(|(life, size)| (if huge { u64::MAX / (size + 1) } else { size }, state + life * life))
                    .filter(|&(_, death)| death > state)
                    .collect();
                let places: Vec<u32> = (0..new.len() as u32).collect();
                pile.extend(&places, |place| {
                    let (size, death) = new[place as usize];
                    Slot { size, death, tone: place }
                });
                expected.extend(new);
                let before = bands(&mut pile);
                prop_assert_eq!(&before, &expected);
                pile.unchanged = pile.len();
                let below: Vec<u64> = pile.from(0).map(|(head, _)| head.sum).collect();

                state += pause * pause;
                pile.bury(state);
                expected.retain(|&(_, death)| death > state);
                prop_assert_eq!(bands(&mut pile), expected.clone());
                // What is told to be as it was, is; and few places are empty.
                let same = pile.unchanged;
                let still: Vec<u64> = pile.from(0).take(same).map(|(head, _)| head.sum).collect();
                prop_assert_eq!(still, below[..same].to_vec());
                prop_assert!(pile.len() <= 8 || pile.empty * 2 <= pile.len());
            }
        }
    }
}
