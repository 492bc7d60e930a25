//! Expandable segments: one reserved address range for each pool and stream, mapped page by page.
//!
//! The range is a chain in which unmapped blocks stand for address space. Growing maps pages right
//! after the last free block where it can; releasing unmaps whole pages only.

use super::allocator::{MIB, Request, Simulator};
use super::pools::{PoolKey, Use};
use super::stacks::StackRef;

impl Simulator {
    fn page(key: PoolKey) -> u64 {
        if key.small { 2 * MIB } else { 20 * MIB }
    }

    pub(super) fn size_when_grown(&self, address: u64) -> u64 {
        let room = self.blocks.after(address).map(|a| self.blocks.get(a)).filter(|b| !b.mapped);
        self.blocks.get(address).size + room.map_or(0, |b| b.size)
    }

    /// A free block of at least `size`, made by mapping; not yet split.
    pub(super) fn grow(&mut self, key: PoolKey, request: &Request, size: u64) -> Option<u64> {
        let mut address = self.room_to_grow(key, request.stream, size).unwrap_or_else(|| {
            let page = Self::page(key);
            let range = (self.config.limit / 8 * 9).next_multiple_of(page);
            let block = self.empty_block(key, request, false);
            let address = self.blocks.new_chain(self.config.base, range, block);
            self.blocks.enter_sets(address);
            address
        });
        if !self.blocks.get(address).mapped {
            address = self.map(address, self.blocks.get(address).size.min(size), request.stack)?;
        }
        while self.blocks.get(address).size < size {
            let missing = size - self.blocks.get(address).size;
            let next = self.blocks.after(address)?;
            address = self.map(next, missing.min(self.blocks.get(next).size), request.stack)?;
        }
        Some(address)
    }

    /// Where free and unmapped blocks in a row have room for `size`.
    fn room_to_grow(&self, key: PoolKey, stream: i64, size: u64) -> Option<u64> {
        let unmapped = self.blocks.unmapped.range((key, stream, 0)..=(key, stream, u64::MAX));
        for &(_, _, address) in unmapped {
            let free = |&a: &u64| self.blocks.get(a).used == Use::Free;
            let start = self.blocks.before(address).filter(free).unwrap_or(address);
            let mut room = 0;
            let mut at = Some(start);
            while let Some(a) = at.filter(free).filter(|_| room < size) {
                room += self.blocks.get(a).size;
                at = self.blocks.after(a);
            }
            if room >= size {
                return Some(start);
            }
        }
        None
    }

    /// Maps whole pages from the start of an unmapped block; the joined free block's address.
    fn map(&mut self, address: u64, size: u64, stack: Option<StackRef>) -> Option<u64> {
        let key = self.blocks.get(address).key;
        let size = size.next_multiple_of(Self::page(key));
        if size > self.device_free() {
            return None;
        }
        self.blocks.leave_sets(address);
        if size < self.blocks.get(address).size {
            let rest = self.blocks.split(address, size);
            self.blocks.enter_sets(rest);
        }
        let block = self.blocks.get_mut(address);
        block.mapped = true;
        let (stream, size) = (block.stream, block.size);
        let merged = self.blocks.merge(address);
        self.blocks.enter_sets(merged);
        self.now.reserved += size;
        self.emit("segment_map", address, size, stream, key.pool, stack, None);
        Some(merged)
    }

    /// Unmaps the whole pages of a free block.
    pub(super) fn unmap(&mut self, address: u64, stack: Option<StackRef>) {
        let block = self.blocks.get(address).clone();
        let page = Self::page(block.key);
        let chain = self.chain_start(address);
        let from = chain + (address - chain).next_multiple_of(page);
        let to = chain + (address + block.size - chain) / page * page;
        if from >= to {
            return;
        }
        self.blocks.leave_sets(address);
        if to < address + block.size {
            let rest = self.blocks.split(address, to - address);
            self.blocks.enter_sets(rest);
        }
        if from > address {
            self.blocks.split(address, from - address);
            self.blocks.enter_sets(address);
        }
        self.blocks.get_mut(from).mapped = false;
        self.now.reserved -= to - from;
        let merged = self.blocks.merge(from);
        self.blocks.enter_sets(merged);
        if self.blocks.before(merged).is_none() && self.blocks.after(merged).is_none() {
            self.blocks.drop_chain(merged);
        }
        self.emit("segment_unmap", from, to - from, block.stream, block.key.pool, stack, None);
    }

    fn chain_start(&self, mut address: u64) -> u64 {
        while let Some(before) = self.blocks.before(address) {
            address = before;
        }
        address
    }
}
