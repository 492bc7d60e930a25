//! Blocks of bands, the pieces that a stack is kept in: what is asked of all of a block at once (its bytes, its
//! earliest death, where it was painted) stands beside its bands, so that most blocks are never entered.

/// So many bands at most.
pub(super) const BLOCK: usize = 32;

/// One band in its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub size: u64,
    pub death: u32,
    pub tone: u32,
}

/// The first `len` slots are in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub len: u32,
    pub earliest_death: u32,
    pub sum: u64,
    /// Where it ended when it was painted last: in bytes, and the row that the next band begins with.
    pub end: u64,
    pub row: u32,
    slots: [Slot; BLOCK],
}

impl Block {
    pub const EMPTY: Block = Block {
        len: 0,
        earliest_death: u32::MAX,
        sum: 0,
        end: 0,
        row: 0,
        slots: [Slot { size: 0, death: 0, tone: 0 }; BLOCK],
    };

    pub fn clear(&mut self) {
        (self.len, self.earliest_death, self.sum) = (0, u32::MAX, 0);
    }

    pub fn slots(&self) -> &[Slot] {
        self.slots.get(..self.len as usize).unwrap_or(&self.slots)
    }

    #[inline(always)]
    pub fn add(&mut self, slot: Slot) {
        if let Some(free) = self.slots.get_mut(self.len as usize) {
            *free = slot;
            self.len += 1;
            self.earliest_death = self.earliest_death.min(slot.death);
            self.sum = self.sum.saturating_add(slot.size);
        }
    }

    /// Removes what has died by `state`.
    pub fn compact(&mut self, state: u32) {
        let len = self.len as usize;
        self.clear();
        for at in 0..len.min(BLOCK) {
            let slot = self.slots[at];
            if slot.death > state {
                self.add(slot);
            }
        }
    }
}
