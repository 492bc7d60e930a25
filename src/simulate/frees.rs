//! Frees: at once, or later, while another stream still uses the block or a capture goes on.

use super::allocator::Simulator;
use super::pools::Use;
use super::recorder::Life;
use super::stacks::StackRef;
use std::collections::{BTreeSet, VecDeque};

impl Simulator {
    /// Frees; while another stream uses the block, only asks for it.
    pub fn free(&mut self, life: usize, stack: Option<StackRef>) {
        let Life { address, requested, block_size, stream, pool, free_requested, .. } =
            self.record.lives[life];
        assert!(free_requested.is_none(), "freed twice");
        self.record.lives[life].free_requested = Some(self.record.events.len());
        self.blocks.get_mut(address).used = Use::Pending;
        self.now.pending += requested;
        self.now.allocated -= block_size;
        self.emit("free_requested", address, requested, stream, pool.pool, stack, None);
        let users = std::mem::take(&mut self.blocks.get_mut(address).users);
        if users.is_empty() {
            self.complete_free(address, stack);
        } else if self.capturing {
            self.blocks.get_mut(address).users = users;
            self.deferred.push(address);
        } else {
            self.wait_for(address, users);
        }
    }

    fn wait_for(&mut self, address: u64, users: BTreeSet<i64>) {
        self.blocks.get_mut(address).waiting = users.len();
        for stream in users {
            self.events.entry(stream).or_default().push_back((address, false));
        }
    }

    pub(super) fn complete_free(&mut self, address: u64, stack: Option<StackRef>) {
        let block = self.blocks.get_mut(address);
        let life = block.life.take().expect("a block that is freed has a life");
        block.used = Use::Free;
        let Life { requested, block_size, stream, pool, .. } = self.record.lives[life];
        self.record.lives[life].end = Some(self.record.events.len());
        self.now.requested -= requested;
        self.now.pending -= requested;
        self.now.active -= block_size;
        let merged = self.blocks.merge(address);
        self.blocks.enter_sets(merged);
        self.emit("free_completed", address, requested, stream, pool.pool, stack, None);
    }

    /// Another stream uses the block: its memory must not be given away while that lasts.
    pub fn record_stream(&mut self, life: usize, stream: i64) {
        let Life { address, stream: own, free_requested, .. } = self.record.lives[life];
        if stream != own && free_requested.is_none() {
            self.blocks.get_mut(address).users.insert(stream);
        }
    }

    /// The work on the stream so far is done; frees that waited for it complete at the next malloc.
    pub fn synchronize(&mut self, stream: i64) {
        for entry in self.events.entry(stream).or_default() {
            entry.1 = true;
        }
    }

    pub(super) fn synchronize_all(&mut self) {
        let streams: Vec<i64> = self.events.keys().copied().collect();
        streams.into_iter().for_each(|s| self.synchronize(s));
    }

    pub(super) fn complete_frees(&mut self, stack: Option<StackRef>) {
        let streams: Vec<i64> = self.events.keys().copied().collect();
        for stream in streams {
            while let Some(&(address, true)) = self.events.get(&stream).and_then(VecDeque::front) {
                self.events.entry(stream).or_default().pop_front();
                let block = self.blocks.get_mut(address);
                block.waiting -= 1;
                if block.waiting == 0 {
                    self.complete_free(address, stack);
                }
            }
        }
    }

    /// From here on every free of a shared block waits for the end of the capture.
    pub fn begin_capture(&mut self) {
        self.capturing = true;
    }

    pub fn end_capture(&mut self) {
        self.capturing = false;
        for address in std::mem::take(&mut self.deferred) {
            let users = std::mem::take(&mut self.blocks.get_mut(address).users);
            self.wait_for(address, users);
        }
    }
}
