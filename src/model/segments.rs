//! Segments, their blocks, and the older per-block history, as the snapshot lists them.

use super::device::Device;
use super::ids::{BlockId, PoolId, SegmentId, StackId, StreamId, StringId};
use super::lazy_column::LazyColumn;
use super::units::{Address, Bytes};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// Which of the allocator's two size classes a segment serves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentType {
    Large,
    Small,
    /// The file says something else, or nothing.
    Unknown,
}

/// A block's state. `active_awaiting_free` of the docs is [`BlockState::ActivePendingFree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    ActiveAllocated,
    ActivePendingFree,
    Inactive,
    Unknown,
}

impl BlockState {
    pub fn name(self) -> &'static str {
        match self {
            BlockState::ActiveAllocated => "active_allocated",
            BlockState::ActivePendingFree => "active_pending_free",
            BlockState::Inactive => "inactive",
            BlockState::Unknown => "unknown",
        }
    }
}

/// One range that the allocator got from the device (expandable: one mapped range).
#[derive(Clone, Debug)]
pub struct Segment {
    pub device: Device,
    pub address: Address,
    pub total_size: Bytes,
    pub allocated_size: Bytes,
    pub active_size: Bytes,
    pub requested_size: Option<Bytes>,
    pub stream: StreamId,
    pub segment_type: SegmentType,
    pub pool: PoolId,
    pub is_expandable: bool,
    pub stack: StackId,
    /// The stack of the forward operator that made the allocator ask for it, one frame a line.
    pub forward_frames: StringId,
    /// Rows of its blocks in [`BlockTable`], in address order of the file.
    pub blocks: Range<u32>,
}

impl Segment {
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        self.blocks.clone().map(BlockId)
    }

    pub fn end(&self) -> Address {
        Address(self.address.0.wrapping_add(self.total_size.0))
    }
}

/// All segments, in the order of the file.
pub type SegmentTable = Vec<Segment>;

/// One block of a segment. Layouts without addresses get them from the running sum of sizes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Block {
    pub address: Address,
    pub size: Bytes,
    /// As the file says; stale on an inactive block. `None`: the layout has no such key.
    pub requested_size: Option<Bytes>,
    pub state: BlockState,
    pub stack: StackId,
    pub segment: SegmentId,
    /// Rows of [`HistoryEntry`] of this block (torch 1.13 and 2.0), newest first.
    pub history: (u32, u32),
}

/// All blocks, grouped by segment.
#[derive(Clone, Debug)]
pub struct BlockTable {
    pub rows: Vec<Block>,
    pub history: Vec<HistoryEntry>,
    /// The forward operator's stack of each row, one frame a line.
    pub forward_frames: LazyColumn<StringId>,
}

impl Default for BlockTable {
    fn default() -> Self {
        let forward_frames = LazyColumn::new(StringId::NONE);
        BlockTable { rows: Vec::new(), history: Vec::new(), forward_frames }
    }
}

/// What a block of torch 1.13 or 2.0 says of an allocation it held.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HistoryEntry {
    pub address: Address,
    pub real_size: Bytes,
    pub stack: StackId,
    /// C++ frames as one text, where the writer had them.
    pub cpp_frames: StringId,
}

impl BlockTable {
    pub fn get(&self, id: BlockId) -> &Block {
        &self.rows[id.index()]
    }

    /// The history entries of a block, newest first.
    pub fn history_of(&self, block: &Block) -> &[HistoryEntry] {
        self.history.get(block.history.0 as usize..block.history.1 as usize).unwrap_or(&[])
    }

    /// Requested bytes by the definition of "requested": its own figure, else the newest history
    /// entry's real size, else the block's size.
    pub fn requested(&self, block: &Block) -> Bytes {
        block
            .requested_size
            .or_else(|| self.history_of(block).first().map(|h| h.real_size))
            .unwrap_or(block.size)
    }

    /// The stack of the allocation in the block: its own, else the newest history entry's.
    pub fn stack(&self, block: &Block) -> StackId {
        match block.stack.some() {
            Some(stack) => stack,
            None => self.history_of(block).first().map_or(StackId::NONE, |h| h.stack),
        }
    }
}
