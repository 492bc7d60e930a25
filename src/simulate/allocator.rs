//! A model of PyTorch's caching allocator and of torch_npu's, which follows it.
//!
//! One device: rounding, pools, best fit, splits, merges, segments, delayed frees, private pools and
//! the way from a failed device allocation over released caches to an out-of-memory. Expandable
//! segments are in `expandable`. Every event is written down after the state it leaves is in place.

use super::pools::{Block, Blocks, PoolKey, Use};
use super::recorder::{Category, Entry, Life, Mark, Oom, Record, Totals, segments_now};
use super::stacks::{StackRef, Stacks};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const KIB: u64 = 1024;
pub const MIB: u64 = 1024 * KIB;
pub const GIB: u64 = 1024 * MIB;
const SMALL_SIZE: u64 = MIB;
const MIN_BLOCK: u64 = 512;

/// Whose rules of rounding and whose file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    Cuda,
    Npu,
}

/// A device and its allocator's settings.
#[derive(Clone, Debug)]
pub struct Config {
    pub backend: Backend,
    pub device: i32,
    pub expandable: bool,
    /// Bytes of the device.
    pub limit: u64,
    /// Bytes of the device that other users hold.
    pub taken: u64,
    /// Address of the first segment.
    pub base: u64,
    pub start_us: u64,
    pub seed: u64,
    /// Keep every block of every moment.
    pub keep_states: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            backend: Backend::Cuda,
            device: 0,
            expandable: false,
            limit: 64 * GIB,
            taken: 0,
            base: 0x7f10_0000_0000,
            start_us: 1_760_000_000_000_000,
            seed: 1,
            keep_states: false,
        }
    }
}

/// What the program asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub size: u64,
    pub stream: i64,
    /// A private pool's number, or 0.
    pub pool: u32,
    pub stack: Option<StackRef>,
    pub category: Category,
}

/// The allocator of one device, and what it wrote down.
#[derive(Clone, Debug)]
pub struct Simulator {
    pub config: Config,
    pub stacks: Stacks,
    pub record: Record,
    pub(super) blocks: Blocks,
    pub(super) now: Totals,
    /// Delayed frees by stream, oldest first: the block and whether the stream is past it.
    events: BTreeMap<i64, VecDeque<(u64, bool)>>,
    deferred: Vec<u64>,
    capturing: bool,
    dropped_pools: BTreeSet<u32>,
    /// Rounded workspaces of torch_npu: size, stream, address.
    pub(super) workspaces: Vec<(u64, i64, u64)>,
    clock_us: u64,
    noise: u64,
}

impl Simulator {
    pub fn new(config: Config) -> Simulator {
        let mut record = Record { totals: vec![Totals::default()], ..Record::default() };
        record.states = config.keep_states.then(|| vec![Vec::new()]);
        Simulator {
            clock_us: config.start_us,
            noise: config.seed | 1,
            config,
            stacks: Stacks::default(),
            record,
            blocks: Blocks::default(),
            now: Totals::default(),
            events: BTreeMap::new(),
            deferred: Vec::new(),
            capturing: false,
            dropped_pools: BTreeSet::new(),
            workspaces: Vec::new(),
        }
    }

    /// A copy of the allocator that has written nothing down.
    pub(super) fn clone_without_record(&self) -> Simulator {
        Simulator {
            config: self.config.clone(),
            stacks: Stacks::default(),
            record: Record::default(),
            blocks: self.blocks.clone(),
            now: self.now,
            events: self.events.clone(),
            deferred: self.deferred.clone(),
            capturing: self.capturing,
            dropped_pools: self.dropped_pools.clone(),
            workspaces: self.workspaces.clone(),
            clock_us: self.clock_us,
            noise: self.noise,
        }
    }

    /// The block size the rounding rule asks for.
    pub fn round(&self, size: u64) -> u64 {
        let size = if self.config.backend == Backend::Npu { size + 32 } else { size };
        size.max(MIN_BLOCK).next_multiple_of(MIN_BLOCK)
    }

    /// Allocates; `None` when it came to an out-of-memory. Requests of no bytes make no event, so
    /// they are not to be asked for.
    pub fn malloc(&mut self, request: Request) -> Option<usize> {
        assert!(request.size > 0, "an empty tensor asks the allocator for nothing");
        if !self.capturing {
            self.complete_frees(request.stack);
        }
        let size = self.round(request.size);
        let key = PoolKey { pool: request.pool, small: size <= SMALL_SIZE };
        let found = self.best_fit(key, request.stream, size).or_else(|| {
            self.new_memory(key, &request, size).or_else(|| {
                if self.capturing {
                    return None;
                }
                self.release_cached(request.stack);
                // The pool may have got free blocks by that, but only new memory is tried.
                self.new_memory(key, &request, size)
            })
        });
        let Some(address) = found else {
            self.out_of_memory(key, &request, size);
            return None;
        };
        self.blocks.leave_sets(address);
        let block = self.blocks.get(address);
        let rest = block.size - size;
        if if key.small || block.expandable { rest >= MIN_BLOCK } else { rest > SMALL_SIZE } {
            let rest = self.blocks.split(address, size);
            self.blocks.enter_sets(rest);
        }
        let life = self.record.lives.len();
        let block = self.blocks.get_mut(address);
        block.used = Use::Allocated;
        block.requested = request.size;
        block.life = Some(life);
        let block_size = block.size;
        self.record.lives.push(Life {
            address,
            requested: request.size,
            block_size,
            stream: request.stream,
            pool: key,
            stack: request.stack,
            category: request.category,
            begin: self.record.events.len(),
            free_requested: None,
            end: None,
        });
        self.now.requested += request.size;
        self.now.allocated += block_size;
        self.now.active += block_size;
        self.emit("alloc", address, request.size, request.stream, key.pool, request.stack, Some(life));
        Some(life)
    }

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

    fn complete_free(&mut self, address: u64, stack: Option<StackRef>) {
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

    pub(super) fn best_fit(&self, key: PoolKey, stream: i64, size: u64) -> Option<u64> {
        let mut fits = self.blocks.free.range((key, stream, size, 0)..=(key, stream, u64::MAX, u64::MAX));
        let mut best = fits.next()?.3;
        if self.blocks.get(best).expandable {
            // What a block can grow to counts, not what it is.
            for &(_, _, _, next) in fits {
                if self.size_when_grown(next) >= self.size_when_grown(best) {
                    break;
                }
                best = next;
            }
        }
        Some(best)
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

    fn out_of_memory(&mut self, pool: PoolKey, request: &Request, size: u64) {
        let device_free = self.device_free();
        let fits_when_freed = self.fits_when_freed(pool, request, size);
        self.record.ooms.push(Oom {
            event: self.record.events.len(),
            size,
            stream: request.stream,
            pool,
            device_free,
            limit: self.config.limit,
            totals: self.now,
            segments: segments_now(&self.blocks),
            fits_when_freed,
        });
        self.emit("oom", device_free, size, request.stream, pool.pool, request.stack, None);
    }

    /// A block outside the caching pools, as torch_npu keeps for operators.
    pub fn add_workspace(&mut self, size: u64, stream: i64) {
        let size = size.next_multiple_of(2 * MIB);
        let address = self.config.base - 64 * GIB + self.workspaces.len() as u64 * GIB;
        self.workspaces.push((size, stream, address));
    }

    /// The history is switched on now: what is live already keeps no stack, and its events are unseen.
    pub fn start_recording(&mut self) {
        self.record.recording_from = self.record.events.len();
    }

    /// A named span of the program begins or ends.
    pub fn mark(&mut self, name: &str, start: bool) {
        let time_us = self.tick();
        let event = self.record.events.len();
        self.record.marks.push(Mark { name: name.to_owned(), start, time_us, event });
    }

    /// Bytes now.
    pub fn totals(&self) -> Totals {
        self.now
    }

    /// The next pseudo-random number: clocks and small choices of the run use it.
    pub fn random(&mut self) -> u64 {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        self.noise
    }

    fn tick(&mut self) -> u64 {
        self.clock_us += self.random() % 40;
        self.clock_us
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn emit(
        &mut self,
        action: &'static str,
        address: u64,
        size: u64,
        stream: i64,
        pool: u32,
        stack: Option<StackRef>,
        life: Option<usize>,
    ) {
        let time_us = self.tick();
        self.record.events.push(Entry { action, address, size, stream, pool, time_us, stack, life });
        self.record.totals.push(self.now);
        if let Some(states) = &mut self.record.states {
            states.push(segments_now(&self.blocks));
        }
    }
}
