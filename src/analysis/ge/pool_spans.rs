//! Which lines belong to one span of a pool, and whose it is.
//!
//! `Malloc block` prints no allocator; `Free block` does. So a span is known by, in this order: the
//! line that freed it; a later span inside it (then it is the lower pool's, from which the upper one
//! cut); the allocator's name printed by the same thread just before; what else that thread turned out
//! to work for; the only allocator there is. What stays unknown is a pool of its own, named so.

use super::pools::PoolUse;
use crate::model::ge::{AllocatorKind, AllocatorName, GeProcess, PoolOp};
use crate::model::{Address, Arrange, Bytes, FastMap, Nanos, StringId, fast_map};
use std::collections::BTreeMap;

/// A use of a span, and what is known of it beside the row.
pub(super) struct Found {
    pub row: PoolUse,
    owner: Option<AllocatorName>,
    thread: u64,
    hint: Option<AllocatorName>,
    is_parent: bool,
    /// Only a kernel's line tells of it.
    kernel_only: bool,
    /// The use of the same span before this one, and when the next one began.
    previous: Option<usize>,
    next_begin: Option<u64>,
}

impl Found {
    fn new(row: PoolUse, thread: u64, hint: Option<AllocatorName>) -> Found {
        let (owner, previous, next_begin) = (None, None, None);
        Found { row, owner, thread, hint, is_parent: false, kernel_only: false, previous, next_begin }
    }

    /// When the span stopped counting as live in its pool: a kernel that is done with it gives it to
    /// its stream, not to the pool.
    pub fn span_end(&self) -> Option<u64> {
        let kernel = self.row.kernel_free.filter(|_| self.kernel_only);
        self.row.pool_free.or(self.next_begin).or(kernel)
    }
}

/// Follows the lines and keeps what is open.
#[derive(Default)]
pub(super) struct Matcher {
    pub uses: Vec<Found>,
    /// Spans not yet freed by address; the upper pool's lies on the lower one's.
    open: BTreeMap<u64, Vec<usize>>,
    /// Spans from which others were cut.
    parents: BTreeMap<u64, usize>,
    pub unknown_frees: u64,
    pub implied_frees: u64,
}

impl Matcher {
    pub fn run(&mut self, process: &GeProcess) {
        // The allocator that the thread named in its last line.
        let mut mentioned: FastMap<u64, AllocatorName> = fast_map();
        for (index, event) in process.pool.iter().enumerate() {
            let moment = index as u64 + 1;
            let hint = mentioned.remove(&event.thread);
            match event.op {
                PoolOp::Named | PoolOp::Details { .. } => {
                    if let Some(name) = event.allocator.or(hint) {
                        mentioned.insert(event.thread, name);
                    }
                }
                PoolOp::Malloc { size, allocated } => {
                    self.hand_out(event.at, event.address, size, allocated, moment, event.thread, hint);
                }
                PoolOp::Free { allocated, .. } => {
                    self.take_back(event.address, allocated, moment, event.allocator);
                }
                PoolOp::KernelAlloc { name, size, tensor_size, .. } => {
                    self.kernel_alloc(event.at, event.address, name, size, tensor_size, moment, event.thread);
                }
                PoolOp::KernelFree { .. } => {
                    let top = self.open.get(&event.address.0).and_then(|stack| stack.last());
                    if let Some(found) = top.and_then(|&n| self.uses.get_mut(n)) {
                        found.row.kernel_free = Some(moment);
                    }
                }
                PoolOp::Expand { .. } | PoolOp::Shrink => {}
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one line")]
    fn hand_out(
        &mut self,
        at: Nanos,
        address: Address,
        size: Bytes,
        allocated: Bytes,
        moment: u64,
        thread: u64,
        hint: Option<AllocatorName>,
    ) {
        match self.holder(address.0) {
            Some(n) if self.can_hold(n, address, allocated) => {
                self.uses[n].is_parent = true;
                self.parents.insert(self.uses[n].row.address.0, n);
            }
            Some(n) if self.uses[n].row.address == address => {
                // Handed out again without a line that freed it.
                self.implied_frees += 1;
                self.uses[n].row.pool_free = Some(moment);
                self.close(n);
            }
            _ => {}
        }
        let row = PoolUse {
            at,
            allocator: AllocatorName { kind: AllocatorKind::Ge, id: None },
            name: StringId::NONE,
            address,
            size: allocated,
            real_size: size,
            begin: moment,
            kernel_free: None,
            pool_free: None,
            cached_size: Bytes::ZERO,
            theory_size: Bytes::ZERO,
            again: false,
        };
        self.open_use(Found::new(row, thread, hint));
    }

    fn open_use(&mut self, found: Found) {
        self.open.entry(found.row.address.0).or_default().push(self.uses.len());
        self.uses.push(found);
    }

    /// The innermost open span that covers the address.
    fn holder(&self, address: u64) -> Option<usize> {
        let covers = |n: usize| {
            let row = &self.uses[n].row;
            row.address.0 <= address && address < row.address.0.saturating_add(row.size.0)
        };
        let nearest = self.open.range(..=address).next_back().and_then(|(_, stack)| stack.last().copied());
        let parent = self.parents.range(..=address).next_back().map(|(_, &n)| n);
        nearest.filter(|&n| covers(n)).or_else(|| parent.filter(|&n| covers(n)))
    }

    /// Whether span `n` can be the lower pool's, of which the new one is a part.
    fn can_hold(&self, n: usize, address: Address, allocated: Bytes) -> bool {
        let found = &self.uses[n];
        let end = found.row.address.0.saturating_add(found.row.size.0);
        found.row.name.is_none() && address.0.saturating_add(allocated.0) <= end
    }

    fn close(&mut self, n: usize) {
        let address = self.uses[n].row.address.0;
        if let Some(stack) = self.open.get_mut(&address) {
            stack.retain(|&open| open != n);
            if stack.is_empty() {
                self.open.remove(&address);
            }
        }
        if self.parents.get(&address) == Some(&n) {
            self.parents.remove(&address);
        }
    }

    fn take_back(&mut self, address: Address, allocated: Bytes, moment: u64, owner: Option<AllocatorName>) {
        let stack = self.open.get(&address.0).map(Vec::as_slice).unwrap_or_default();
        let same = stack.iter().rfind(|&&n| self.uses[n].row.size == allocated);
        let Some(&n) = same.or(stack.last()) else {
            self.unknown_frees += 1;
            return;
        };
        self.uses[n].row.pool_free = Some(moment);
        self.uses[n].owner = owner.or(self.uses[n].owner);
        self.close(n);
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one line")]
    fn kernel_alloc(
        &mut self,
        at: Nanos,
        address: Address,
        name: StringId,
        size: Bytes,
        tensor: Option<Bytes>,
        moment: u64,
        thread: u64,
    ) {
        let top = self.open.get(&address.0).and_then(|stack| stack.last().copied());
        let real_size = tensor.unwrap_or(size);
        if let Some(n) = top {
            let found = &mut self.uses[n];
            if found.row.name.is_none() {
                found.row.name = name;
                return;
            }
            if found.row.kernel_free.is_none() {
                // Given to two kernels without a free between: the free was lost.
                found.row.kernel_free = Some(moment);
                self.implied_frees += 1;
            }
            // The stream's own pool hands the same span out again: another use of it.
            found.next_begin = Some(moment);
            let (owner, hint, kernel_only) = (found.owner, found.hint, found.kernel_only);
            let row =
                PoolUse { at, name, real_size, begin: moment, kernel_free: None, again: true, ..found.row };
            self.close(n);
            let previous = Some(n);
            self.open_use(Found { owner, kernel_only, previous, ..Found::new(row, thread, hint) });
            return;
        }
        self.hand_out(at, address, real_size, size, moment, thread, None);
        if let Some(found) = self.uses.last_mut() {
            found.row.name = name;
            found.kernel_only = true;
        }
    }

    /// Says of each use whose it is.
    pub fn name_owners(&mut self, process: &GeProcess) {
        let mut known: Vec<AllocatorName> = process.pool.iter().filter_map(|event| event.allocator).collect();
        known.arrange();
        known.dedup();
        let only = |kind| {
            let mut all = known.iter().filter(|name| name.kind == kind);
            match (all.next(), all.next()) {
                (Some(&name), None) => name,
                _ => AllocatorName { kind, id: None },
            }
        };
        let (only_ge, only_rts) = (only(AllocatorKind::Ge), only(AllocatorKind::Rts));
        // The line that freed a span names the owner of all its uses.
        for n in (0..self.uses.len()).rev() {
            if let (Some(owner), Some(before)) = (self.uses[n].owner, self.uses[n].previous) {
                self.uses[before].owner = Some(owner);
            }
        }
        // What the thread worked for, by the uses whose owner is certain.
        let mut thread_of: FastMap<u64, Vec<(usize, AllocatorName)>> = fast_map();
        for (n, found) in self.uses.iter().enumerate() {
            if let Some(owner) = found.owner.filter(|owner| owner.kind == AllocatorKind::Ge) {
                thread_of.entry(found.thread).or_default().push((n, owner));
            }
        }
        for (n, found) in self.uses.iter_mut().enumerate() {
            let nearest = || {
                let certain = thread_of.get(&found.thread)?;
                let at = certain.partition_point(|&(other, _)| other < n);
                let near = [at.checked_sub(1), Some(at)].into_iter().flatten();
                near.filter_map(|i| certain.get(i)).min_by_key(|&&(m, _)| m.abs_diff(n)).map(|&(_, o)| o)
            };
            found.row.allocator = match (found.owner, found.is_parent) {
                (Some(owner), _) => owner,
                (None, true) => only_rts,
                (None, false) => found.hint.or_else(nearest).unwrap_or(only_ge),
            };
        }
    }
}
