//! What an out-of-memory was due to, by the rules in their order, from the allocator's own state.
//!
//! "Would it fit if the pending frees completed" is not estimated: it is tried on a copy.

use super::allocator::{Request, Simulator};
use super::pools::{PoolKey, Use};
use super::recorder::{Oom, Record};

/// Sums over the free blocks at an out-of-memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Free {
    pub cached: u64,
    pub largest_usable: u64,
    pub largest_any: u64,
}

impl Oom {
    /// Free blocks, seen from the request.
    pub fn free(&self) -> Free {
        let mut free = Free::default();
        for segment in &self.segments {
            let usable = segment.pool == self.pool && segment.stream == self.stream;
            for block in segment.blocks.iter().filter(|b| b.used == Use::Free) {
                free.cached += block.size;
                free.largest_any = free.largest_any.max(block.size);
                if usable {
                    free.largest_usable = free.largest_usable.max(block.size);
                }
            }
        }
        free
    }

    /// The verdict, growth aside: that one needs the story of the whole run.
    pub fn verdict(&self) -> &'static str {
        let free = self.free();
        let pending = self.totals.active - self.totals.allocated;
        match () {
            () if pending >= self.size && self.fits_when_freed => "pending",
            () if free.largest_any >= self.size && free.largest_usable < self.size => "stream",
            () if free.cached >= self.size
                && free.largest_any < self.size
                && free.cached * 100 >= self.totals.reserved * 3 =>
            {
                "fragmentation"
            }
            () if self.size * 2 > self.limit => "huge",
            () => "capacity",
        }
    }
}

impl Simulator {
    /// Whether the request would be served once every pending free is complete.
    pub(super) fn fits_when_freed(&self, key: PoolKey, request: &Request, size: u64) -> bool {
        let mut then = self.clone_without_record();
        then.record = Record { lives: self.record.lives.clone(), ..Record::default() };
        then.end_capture();
        then.synchronize_all();
        then.complete_frees(None);
        if then.best_fit(key, request.stream, size).is_some() || then.new_memory(key, request, size).is_some()
        {
            return true;
        }
        then.release_cached(None);
        then.new_memory(key, request, size).is_some()
    }
}
