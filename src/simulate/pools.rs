//! Blocks of one device by address, and the sets the allocator searches.
//!
//! The allocators modelled here link blocks to their neighbours; a map by address gives the same
//! neighbours, because a chain (one device allocation, or one reserved range of an expandable
//! segment) covers its addresses without a hole.

use super::stacks::StackRef;
use std::collections::{BTreeMap, BTreeSet};

/// Which set of free blocks a block belongs to: a private pool's number (0: the default pool) and
/// whether it serves requests of at most 1 MiB.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PoolKey {
    pub pool: u32,
    pub small: bool,
}

/// What a block is in use for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    Free,
    Allocated,
    /// Freed by the program, but another stream may still use it.
    Pending,
}

/// One block of a chain; unmapped ones are address space without memory.
#[derive(Clone, Debug)]
pub struct Block {
    pub size: u64,
    pub chain: u32,
    pub key: PoolKey,
    pub stream: i64,
    pub used: Use,
    pub mapped: bool,
    pub expandable: bool,
    /// Of the last allocation in it: never reset, so stale once the block is free.
    pub requested: u64,
    pub life: Option<usize>,
    /// Other streams that use it, from `record_stream`.
    pub users: BTreeSet<i64>,
    /// Uses not yet known to be over, after the free.
    pub waiting: usize,
    /// What the device allocation was made for.
    pub segment_stack: Option<StackRef>,
}

/// All blocks of a device.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    pub by_address: BTreeMap<u64, Block>,
    /// Free mapped blocks: pool, stream, size, address.
    pub free: BTreeSet<(PoolKey, i64, u64, u64)>,
    /// Unmapped blocks: pool, stream, address.
    pub unmapped: BTreeSet<(PoolKey, i64, u64)>,
    /// Address ranges of chains: first address and length.
    chains: BTreeMap<u64, u64>,
    next_chain: u32,
}

impl Blocks {
    pub fn get(&self, address: u64) -> &Block {
        &self.by_address[&address]
    }

    pub fn get_mut(&mut self, address: u64) -> &mut Block {
        self.by_address.get_mut(&address).expect("a block the allocator made")
    }

    /// Address of the block before this one in its chain.
    pub fn before(&self, address: u64) -> Option<u64> {
        let chain = self.get(address).chain;
        self.by_address.range(..address).next_back().filter(|(_, b)| b.chain == chain).map(|(&a, _)| a)
    }

    /// Address of the block after this one in its chain.
    pub fn after(&self, address: u64) -> Option<u64> {
        let chain = self.get(address).chain;
        self.by_address.range(address + 1..).next().filter(|(_, b)| b.chain == chain).map(|(&a, _)| a)
    }

    /// Finds the lowest hole of `size` bytes at or above `base` and makes it a chain of one block.
    pub fn new_chain(&mut self, base: u64, size: u64, mut block: Block) -> u64 {
        let mut address = base;
        for (&start, &length) in &self.chains {
            if start >= address + size {
                break;
            }
            address = address.max(start + length);
        }
        self.chains.insert(address, size);
        block.chain = self.next_chain;
        block.size = size;
        self.next_chain += 1;
        self.by_address.insert(address, block);
        address
    }

    /// Takes a chain of one block away.
    pub fn drop_chain(&mut self, address: u64) {
        self.leave_sets(address);
        self.by_address.remove(&address);
        self.chains.remove(&address);
    }

    /// Enters a block that is free or unmapped into the set it is searched in.
    pub fn enter_sets(&mut self, address: u64) {
        let block = &self.by_address[&address];
        if !block.mapped {
            self.unmapped.insert((block.key, block.stream, address));
        } else if block.used == Use::Free {
            self.free.insert((block.key, block.stream, block.size, address));
        }
    }

    pub fn leave_sets(&mut self, address: u64) {
        let block = &self.by_address[&address];
        self.unmapped.remove(&(block.key, block.stream, address));
        self.free.remove(&(block.key, block.stream, block.size, address));
    }

    /// Cuts a block that is in no set in two; the second part is free, mapped like the first, and in
    /// no set either.
    pub fn split(&mut self, address: u64, size: u64) -> u64 {
        let block = self.get_mut(address);
        let mut rest = block.clone();
        rest.size = block.size - size;
        rest.used = Use::Free;
        rest.life = None;
        block.size = size;
        self.by_address.insert(address + size, rest);
        address + size
    }

    /// Joins a block that is in no set with free neighbours of the same mapping; returns where it
    /// begins then.
    pub fn merge(&mut self, mut address: u64) -> u64 {
        if let Some(before) = self.before(address).filter(|&b| self.joins(b, address)) {
            self.leave_sets(before);
            let gone = self.by_address.remove(&address).expect("the block merged away");
            self.get_mut(before).size += gone.size;
            // The allocator keeps the block that is being freed, so its stale size survives.
            self.get_mut(before).requested = gone.requested;
            address = before;
        }
        if let Some(after) = self.after(address).filter(|&b| self.joins(b, address)) {
            self.leave_sets(after);
            let gone = self.by_address.remove(&after).expect("the block merged away");
            self.get_mut(address).size += gone.size;
        }
        address
    }

    fn joins(&self, neighbour: u64, address: u64) -> bool {
        let other = self.get(neighbour);
        other.used == Use::Free && other.mapped == self.get(address).mapped
    }
}
