//! What the allocator gets from the device and gives back: segments, released caches, private pools whose owner is gone,
//! and memory beside its pools.

use super::allocator::{GIB, MIB, Request, SMALL_SIZE, Simulator};
use super::pools::{Block, PoolKey, Use};
use super::stacks::StackRef;
use std::collections::BTreeSet;

impl Simulator {
    /// The pool's owner is gone: its cached memory may be released.
    pub fn drop_pool(&mut self, pool: u32) {
        if pool != 0 {
            self.dropped_pools.insert(pool);
        }
    }

    /// `torch.cuda.empty_cache()`. Not allowed, and so nothing, during a capture.
    pub fn empty_cache(&mut self, stack: Option<StackRef>) {
        if !self.capturing {
            self.release_cached(stack);
        }
    }

    pub(super) fn release_cached(&mut self, stack: Option<StackRef>) {
        self.synchronize_all();
        self.complete_frees(stack);
        for pool in std::iter::once(0).chain(self.dropped_pools.clone()) {
            for small in [false, true] {
                self.release_free_blocks(PoolKey { pool, small }, stack);
            }
        }
    }

    fn release_free_blocks(&mut self, key: PoolKey, stack: Option<StackRef>) {
        let free: Vec<(i64, u64, u64)> = self
            .blocks
            .free
            .range((key, i64::MIN, 0, 0)..=(key, i64::MAX, u64::MAX, u64::MAX))
            .map(|&(_, stream, size, address)| (stream, size, address))
            .collect();
        let (growing, fixed): (Vec<_>, Vec<_>) =
            free.into_iter().partition(|&(_, _, address)| self.blocks.get(address).expandable);
        for (stream, size, address) in fixed {
            if self.blocks.before(address).is_none() && self.blocks.after(address).is_none() {
                self.blocks.drop_chain(address);
                self.now.reserved -= size;
                self.emit("segment_free", address, size, stream, key.pool, stack, None);
            }
        }
        growing.into_iter().for_each(|(_, _, address)| self.unmap(address, stack));
    }

    pub(super) fn new_memory(&mut self, key: PoolKey, request: &Request, size: u64) -> Option<u64> {
        if self.config.expandable {
            return self.grow(key, request, size);
        }
        let total = match size {
            ..=SMALL_SIZE => 2 * MIB,
            _ if size < 10 * MIB => 20 * MIB,
            _ => size.next_multiple_of(2 * MIB),
        };
        if total > self.device_free() {
            return None;
        }
        let block = self.empty_block(key, request, true);
        let address = self.blocks.new_chain(self.config.base, total, block);
        self.now.reserved += total;
        self.blocks.enter_sets(address);
        self.emit("segment_alloc", address, total, request.stream, key.pool, request.stack, None);
        Some(address)
    }

    pub(super) fn empty_block(&self, key: PoolKey, request: &Request, mapped: bool) -> Block {
        Block {
            size: 0,
            chain: 0,
            key,
            stream: request.stream,
            used: Use::Free,
            mapped,
            expandable: self.config.expandable,
            requested: 0,
            life: None,
            users: BTreeSet::new(),
            waiting: 0,
            segment_stack: request.stack,
        }
    }

    pub fn device_free(&self) -> u64 {
        let workspace: u64 = self.workspaces.iter().map(|&(size, ..)| size).sum();
        self.config.limit.saturating_sub(self.config.taken + self.now.reserved + workspace)
    }

    /// A block outside the caching pools, as torch_npu keeps for operators.
    pub fn add_workspace(&mut self, size: u64, stream: i64) {
        let size = size.next_multiple_of(2 * MIB);
        let address = self.config.base - 64 * GIB + self.workspaces.len() as u64 * GIB;
        self.workspaces.push((size, stream, address));
    }
}
