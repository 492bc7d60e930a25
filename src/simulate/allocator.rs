//! A model of PyTorch's caching allocator and of torch_npu's, which follows it.
//!
//! One device: rounding, pools, best fit, splits, and the way from a failed device allocation over released caches to
//! an out-of-memory. Frees, which may be delayed, are in `frees`, what is got from the device and given back in
//! `device_memory`, expandable segments in `expandable`. Every event is written down after the state it leaves is in place.

use super::pools::{Blocks, PoolKey, Use};
use super::recorder::{Category, Entry, Life, Mark, Oom, Record, Totals, segments_now};
use super::stacks::{StackRef, Stacks};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const KIB: u64 = 1024;
pub const MIB: u64 = 1024 * KIB;
pub const GIB: u64 = 1024 * MIB;
pub(super) const SMALL_SIZE: u64 = MIB;
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
    pub(super) events: BTreeMap<i64, VecDeque<(u64, bool)>>,
    pub(super) deferred: Vec<u64>,
    pub(super) capturing: bool,
    pub(super) dropped_pools: BTreeSet<u32>,
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
