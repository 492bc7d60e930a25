//! What lies at which address, in order of address.
//!
//! An alloc asks for the neighbours on both sides of its address and then takes its place between them: one
//! search answers all three, where a tree map would search three times. Entries lie in runs of at most 64,
//! which a search and a shift go through faster than through nodes.

const RUN: usize = 64;

/// Numbers by address.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressMap {
    /// The first address of each run; the runs are never empty.
    firsts: Vec<u64>,
    runs: Vec<Run>,
}

#[derive(Clone, Debug, Default)]
struct Run {
    addresses: Vec<u64>,
    ids: Vec<u32>,
}

/// Where an address is, or would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    run: usize,
    slot: usize,
    taken: bool,
}

impl AddressMap {
    #[inline(never)]
    pub fn find(&self, address: u64) -> Place {
        let run = self.firsts.partition_point(|&first| first <= address).saturating_sub(1);
        let found = self.runs.get(run).map_or(Err(0), |run| run.addresses.binary_search(&address));
        Place { run, slot: found.unwrap_or_else(|slot| slot), taken: found.is_ok() }
    }

    fn entry(&self, run: usize, slot: usize) -> Option<(u64, u32)> {
        let run = self.runs.get(run)?;
        Some((*run.addresses.get(slot)?, *run.ids.get(slot)?))
    }

    /// What is at the place itself.
    pub fn at(&self, place: Place) -> Option<u32> {
        self.entry(place.run, place.slot).filter(|_| place.taken).map(|(_, id)| id)
    }

    /// The nearest entry below the place.
    pub fn before(&self, place: Place) -> Option<(u64, u32)> {
        match place.slot.checked_sub(1) {
            Some(slot) => self.entry(place.run, slot),
            None => {
                let run = place.run.checked_sub(1)?;
                self.entry(run, self.runs.get(run)?.ids.len().checked_sub(1)?)
            }
        }
    }

    /// The nearest address above the place.
    pub fn after(&self, place: Place) -> Option<u64> {
        let slot = place.slot + usize::from(place.taken);
        let next = self.entry(place.run, slot).or_else(|| self.entry(place.run + 1, 0));
        next.map(|(address, _)| address)
    }

    /// Puts `id` at `address`, whose place is known, and returns what was there.
    pub fn insert(&mut self, place: Place, address: u64, id: u32) -> Option<u32> {
        let Some(run) = self.runs.get_mut(place.run) else {
            self.firsts.push(address);
            self.runs.push(Run { addresses: vec![address], ids: vec![id] });
            return None;
        };
        if place.taken {
            return run.ids.get_mut(place.slot).map(|old| core::mem::replace(old, id));
        }
        run.addresses.insert(place.slot, address);
        run.ids.insert(place.slot, id);
        if place.slot == 0 {
            self.firsts[place.run] = address;
        }
        if run.ids.len() > RUN {
            let upper = Run { addresses: run.addresses.split_off(RUN / 2), ids: run.ids.split_off(RUN / 2) };
            self.firsts.insert(place.run + 1, upper.addresses[0]);
            self.runs.insert(place.run + 1, upper);
        }
        None
    }

    /// Removes what is at the place.
    pub fn remove(&mut self, place: Place) {
        let Some(run) = self.runs.get_mut(place.run).filter(|_| place.taken) else { return };
        run.addresses.remove(place.slot);
        run.ids.remove(place.slot);
        match run.addresses.first() {
            Some(&first) => self.firsts[place.run] = first,
            None => {
                self.firsts.remove(place.run);
                self.runs.remove(place.run);
            }
        }
    }

    /// All entries, in order of address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.runs.iter().flat_map(|run| run.addresses.iter().copied().zip(run.ids.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_keeps_what_a_tree_map_keeps(
            program in proptest::collection::vec((0_u64..400, any::<bool>()), 0..900),
        ) {
            let (mut map, mut tree) = (AddressMap::default(), BTreeMap::new());
            for (id, &(address, is_insert)) in (0_u32..).zip(&program) {
                let place = map.find(address);
                prop_assert_eq!(map.at(place), tree.get(&address).copied());
                prop_assert_eq!(map.before(place), tree.range(..address).next_back().map(|(&a, &id)| (a, id)));
                prop_assert_eq!(map.after(place), tree.range(address + 1..).next().map(|(&a, _)| a));
                if is_insert {
                    prop_assert_eq!(map.insert(place, address, id), tree.insert(address, id));
                } else {
                    map.remove(place);
                    tree.remove(&address);
                }
            }
            prop_assert_eq!(map.iter().collect::<Vec<_>>(), tree.into_iter().collect::<Vec<_>>());
        }
    }
}
