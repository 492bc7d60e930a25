//! What the simulation writes down while it runs: the trace, and beside it the truth.
//!
//! The truth comes from the allocator's own state at the moment of each event, so nothing of it is
//! derived from the trace that a reader will be given.

use super::pools::{Blocks, PoolKey, Use};
use super::stacks::StackRef;

/// What a life is for, known because the simulated program says so. Names are the ids of categories.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    Workspace,
    Gradient,
    Optimizer,
    OptimizerTemporary,
    KvCache,
    Parameter,
    Communication,
    Backward,
    Activation,
    Input,
    Other,
    Unknown,
}

impl Category {
    pub fn name(self) -> &'static str {
        match self {
            Category::Workspace => "workspace",
            Category::Gradient => "gradient",
            Category::Optimizer => "optimizer",
            Category::OptimizerTemporary => "optimizer_temporary",
            Category::KvCache => "kv_cache",
            Category::Parameter => "parameter",
            Category::Communication => "communication",
            Category::Backward => "backward",
            Category::Activation => "activation",
            Category::Input => "input",
            Category::Other => "other",
            Category::Unknown => "unknown",
        }
    }
}

/// One entry of a trace.
#[derive(Clone, Debug)]
pub struct Entry {
    pub action: &'static str,
    pub address: u64,
    pub size: u64,
    pub stream: i64,
    pub pool: u32,
    pub time_us: u64,
    pub stack: Option<StackRef>,
    /// The allocation it belongs to: its frames are one shared list with the block's.
    pub life: Option<usize>,
}

/// One allocation, with the numbers of the events that made and ended it.
#[derive(Clone, Debug)]
pub struct Life {
    pub address: u64,
    pub requested: u64,
    /// The block's size, which says more than the rounding rule: a remainder may stay with it.
    pub block_size: u64,
    pub stream: i64,
    pub pool: PoolKey,
    pub stack: Option<StackRef>,
    pub category: Category,
    pub begin: usize,
    pub free_requested: Option<usize>,
    pub end: Option<usize>,
}

/// Bytes of the device at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Requested bytes of lives, until their free is completed.
    pub requested: u64,
    /// The part of it that the program has already freed.
    pub pending: u64,
    /// Block bytes of allocations.
    pub allocated: u64,
    /// Block bytes of allocations and pending frees.
    pub active: u64,
    pub reserved: u64,
}

/// A block at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockThen {
    pub address: u64,
    pub size: u64,
    pub used: Use,
    pub life: Option<usize>,
}

/// A segment at one moment: one device allocation, or one contiguous mapped range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentThen {
    pub address: u64,
    pub size: u64,
    pub stream: i64,
    pub pool: PoolKey,
    pub expandable: bool,
    pub segment_stack: Option<StackRef>,
    pub blocks: Vec<BlockThen>,
}

/// An out-of-memory, with the state just before it.
#[derive(Clone, Debug)]
pub struct Oom {
    pub event: usize,
    /// The rounded request that failed.
    pub size: u64,
    pub stream: i64,
    pub pool: PoolKey,
    pub device_free: u64,
    pub limit: u64,
    pub totals: Totals,
    pub segments: Vec<SegmentThen>,
    /// It would have been served, had every pending free been complete.
    pub fits_when_freed: bool,
}

/// A named span or moment of the program.
#[derive(Clone, Debug)]
pub struct Mark {
    pub name: String,
    pub start: bool,
    pub time_us: u64,
    /// Number of the next event.
    pub event: usize,
}

/// Trace and truth of one device, from the first event on, recorded or not.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub events: Vec<Entry>,
    pub lives: Vec<Life>,
    /// `totals[k]` is after event k − 1; `totals[0]` before any.
    pub totals: Vec<Totals>,
    /// The same moments block by block, where they are kept.
    pub states: Option<Vec<Vec<SegmentThen>>>,
    pub ooms: Vec<Oom>,
    pub marks: Vec<Mark>,
    /// Events before this one happened before the history was switched on.
    pub recording_from: usize,
}

/// The segments as they are now, by address.
pub fn segments_now(blocks: &Blocks) -> Vec<SegmentThen> {
    let mut segments: Vec<SegmentThen> = Vec::new();
    let mut last: Option<(u32, u64)> = None;
    for (&address, block) in &blocks.by_address {
        if !block.mapped {
            last = None;
            continue;
        }
        let then = BlockThen { address, size: block.size, used: block.used, life: block.life };
        match segments.last_mut() {
            Some(segment) if last == Some((block.chain, address)) => {
                segment.size += block.size;
                segment.blocks.push(then);
            }
            _ => segments.push(SegmentThen {
                address,
                size: block.size,
                stream: block.stream,
                pool: block.key,
                expandable: block.expandable,
                segment_stack: block.segment_stack,
                blocks: vec![then],
            }),
        }
        last = Some((block.chain, address + block.size));
    }
    segments
}
