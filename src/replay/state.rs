//! The memory of a device at one moment: segments and blocks as they were.
//!
//! What was live and mapped comes from the indexes, sorted by address; what lies between is free, merged
//! as the allocator merges it. The last state is the snapshot, block for block: lives that the events leave
//! open and that it does not hold are gone there, and only there. (Where the file contradicts itself in
//! other ways the anomalies say so.)

use super::{LifeFlags, LifeTable, Replay};
use crate::model::{Address, BlockId, Bytes, LifeId, PoolId, SegmentType, Snapshot, StackId, StreamId};
use core::ops::Range;
use serde::Serialize;

/// What a block is at a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    Allocated,
    /// Its free has been requested and is not complete.
    Pending,
    Free,
    /// A workspace block of torch_npu: in use, though the snapshot says inactive.
    Workspace,
}

/// A block at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockNow {
    pub address: Address,
    pub size: Bytes,
    /// Zero for free blocks.
    pub requested: Bytes,
    pub usage: Use,
    /// Whether the size is fixed by the snapshot or by neighbours, or follows the backend's rule.
    pub is_exact: bool,
    /// Its owner; none for free blocks and for pending ones that no event explains.
    pub life: LifeId,
}

/// A segment at a moment; of an expandable one, a contiguous mapped range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentNow {
    pub address: Address,
    pub size: Bytes,
    pub stream: StreamId,
    pub pool: PoolId,
    pub segment_type: SegmentType,
    pub is_expandable: bool,
    pub is_workspace: bool,
    pub stack: StackId,
    pub allocated: Bytes,
    pub active: Bytes,
    /// Its blocks in [`State::blocks`], by address; they tile it.
    pub blocks: Range<u32>,
}

impl SegmentNow {
    /// Bytes that a new block could use (a workspace segment has none).
    pub fn free(&self) -> Bytes {
        if self.is_workspace { Bytes::ZERO } else { self.size - self.active }
    }
}

/// All memory of a device at one moment, in order of addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    pub at: u32,
    pub segments: Vec<SegmentNow>,
    pub blocks: Vec<BlockNow>,
    /// Live blocks outside every segment, or hidden below another: contradictions of the file.
    pub outside: Vec<BlockNow>,
}

/// Stands for a pending block that is no life; the rest is its place in the list.
const UNSEEN: u32 = 1 << 31;

/// A live block by address: a life, or one of [`Replay::unseen_pending`] with [`UNSEEN`] set.
pub(super) type Live = (u64, u32);

impl Replay {
    /// The memory at a state (beyond the last: the last).
    pub fn state(&self, snapshot: &Snapshot, at: u32) -> State {
        let at = at.min(self.last_state());
        let mut live = self.live_by_address(snapshot, at);
        live.sort_unstable();
        let mut pieces = self.pieces_at(at);
        pieces.sort_unstable();
        self.assemble(snapshot, at, &pieces, live.into_iter())
    }

    /// Live blocks at a state, not sorted.
    pub(super) fn live_by_address(&self, snapshot: &Snapshot, at: u32) -> Vec<Live> {
        let mut live = Vec::new();
        self.lives.alive_at(at, |id| live.push((self.lives.address(snapshot, id).0, id.0)));
        let there = self.unseen_pending.iter().enumerate().filter(|(_, unseen)| unseen.there_from <= at);
        for (place, unseen) in there {
            live.push((snapshot.blocks.get(unseen.block).address.0, UNSEEN | place as u32));
        }
        live
    }

    /// The pending block that a life leaves behind when it ends at `state`.
    pub(super) fn left_behind(&self, snapshot: &Snapshot, id: u32, state: u32) -> Option<Live> {
        if !self.lives.flags(LifeId(id)).has(LifeFlags::LEAVES_PENDING) {
            return None;
        }
        let place = self.unseen_pending.iter().position(|unseen| unseen.there_from == state)?;
        let block = self.unseen_pending.get(place)?.block;
        Some((snapshot.blocks.get(block).address.0, UNSEEN | place as u32))
    }

    /// Pieces at a state as (address, id), not sorted.
    pub(super) fn pieces_at(&self, at: u32) -> Vec<(u64, u32)> {
        let mut pieces = Vec::new();
        self.pieces.there_at(at, |id| {
            if let Some(piece) = self.pieces.rows().get(id as usize) {
                pieces.push((piece.address.0, id));
            }
        });
        pieces
    }

    /// Whether it is there at a state at which it is alive: in the last one only with a block of the snapshot.
    pub(super) fn is_there(&self, at: u32, (_, id): Live) -> bool {
        at < self.last_state() || id & UNSEEN != 0 || !self.lives.is_missing_at_end(LifeId(id))
    }

    /// The block of `live` at a state.
    pub(super) fn block_now(&self, snapshot: &Snapshot, at: u32, (address, id): Live) -> BlockNow {
        if id & UNSEEN != 0 {
            let unseen = self.unseen_pending.get((id & !UNSEEN) as usize);
            let block = snapshot.blocks.get(unseen.map_or(BlockId(0), |u| u.block));
            let pending = unseen.is_none_or(|u| u.pending_from <= at);
            return BlockNow {
                address: Address(address),
                size: block.size,
                requested: snapshot.blocks.requested(block),
                usage: if pending { Use::Pending } else { Use::Allocated },
                is_exact: true,
                life: LifeId::NONE,
            };
        }
        let id = LifeId(id);
        let flags = self.lives.flags(id);
        let pending = self.lives.pending_from(id) <= at
            || (at == self.last_state() && flags.has(LifeFlags::PENDING_AT_END));
        let usage = match () {
            () if flags.has(LifeFlags::WORKSPACE) => Use::Workspace,
            () if pending => Use::Pending,
            () => Use::Allocated,
        };
        BlockNow {
            address: Address(address),
            size: self.lives.block_size(id),
            requested: self.lives.size(id),
            usage,
            is_exact: flags.has(LifeFlags::EXACT),
            life: id,
        }
    }

    /// Puts pieces and live blocks, both sorted by address, together.
    pub(super) fn assemble(
        &self,
        snapshot: &Snapshot,
        at: u32,
        pieces: &[(u64, u32)],
        live: impl Iterator<Item = Live>,
    ) -> State {
        let mut state = State { at, ..State::default() };
        let there = live.filter(|&l| self.is_there(at, l));
        let mut live = there.map(|l| self.block_now(snapshot, at, l)).peekable();
        let mut rest = pieces.iter().filter_map(|&(_, id)| self.pieces.rows().get(id as usize)).peekable();
        while let Some(first) = rest.next() {
            let mut end = first.end();
            let (mut pool, mut segment_type) = (first.pool, first.segment_type);
            while let Some(next) = rest.next_if(|next| {
                first.is_expandable
                    && next.is_expandable
                    && next.address.0 == end
                    && next.stream == first.stream
                    && !self.pieces.is_boundary(end)
            }) {
                end = next.end();
                if segment_type == SegmentType::Unknown {
                    segment_type = next.segment_type;
                }
                pool = pool.some().unwrap_or(next.pool);
            }
            while let Some(block) = live.next_if(|b| b.address.0 < first.address.0) {
                state.outside.push(block);
            }
            let begin = state.blocks.len() as u32;
            let mut segment = SegmentNow {
                address: first.address,
                size: Bytes(end - first.address.0),
                stream: first.stream,
                pool,
                segment_type,
                is_expandable: first.is_expandable,
                is_workspace: first.is_workspace,
                stack: first.stack,
                allocated: Bytes::ZERO,
                active: Bytes::ZERO,
                blocks: begin..begin,
            };
            let mut filled = first.address.0;
            let mut exact = true;
            while let Some(block) = live.next_if(|b| b.address.0 < end) {
                if block.address.0 < filled {
                    state.outside.push(block);
                    continue;
                }
                free(&mut state.blocks, filled, block.address.0, exact);
                filled = block.address.0.saturating_add(block.size.0).min(end).max(filled);
                exact = block.is_exact;
                match block.usage {
                    Use::Allocated => {
                        segment.allocated += block.size;
                        segment.active += block.size;
                    }
                    Use::Pending => segment.active += block.size,
                    Use::Workspace | Use::Free => {}
                }
                state.blocks.push(block);
            }
            free(&mut state.blocks, filled, end, exact);
            segment.blocks.end = state.blocks.len() as u32;
            state.segments.push(segment);
        }
        state.outside.extend(live);
        state
    }
}

fn free(blocks: &mut Vec<BlockNow>, start: u64, end: u64, is_exact: bool) {
    if start < end {
        blocks.push(BlockNow {
            address: Address(start),
            size: Bytes(end - start),
            requested: Bytes::ZERO,
            usage: Use::Free,
            is_exact,
            life: LifeId::NONE,
        });
    }
}

impl State {
    /// The blocks of a segment.
    pub fn blocks_of(&self, segment: &SegmentNow) -> &[BlockNow] {
        self.blocks.get(segment.blocks.start as usize..segment.blocks.end as usize).unwrap_or(&[])
    }

    /// The segment that holds an address.
    pub fn segment_at(&self, address: Address) -> Option<&SegmentNow> {
        let after = self.segments.partition_point(|s| s.address <= address);
        let segment = self.segments.get(after.checked_sub(1)?)?;
        (address.0 - segment.address.0 < segment.size.0).then_some(segment)
    }

    /// The block that holds an address, free ones included.
    pub fn block_at(&self, address: Address) -> Option<&BlockNow> {
        let blocks = self.blocks_of(self.segment_at(address)?);
        let after = blocks.partition_point(|b| b.address <= address);
        blocks.get(after.checked_sub(1)?)
    }

    pub fn reserved(&self) -> Bytes {
        self.segments.iter().map(|s| s.size).sum()
    }

    pub fn allocated(&self) -> Bytes {
        self.segments.iter().map(|s| s.allocated).sum()
    }

    pub fn active(&self) -> Bytes {
        self.segments.iter().map(|s| s.active).sum()
    }

    /// Free bytes that the allocator keeps: reserved without active and without workspace.
    pub fn cached_free(&self) -> Bytes {
        self.segments.iter().map(SegmentNow::free).sum()
    }

    /// How many live blocks have an exact size, and how many there are.
    pub fn exact_share(&self) -> (usize, usize) {
        let live = self.blocks.iter().filter(|b| b.usage != Use::Free);
        live.fold((0, 0), |(exact, all), b| (exact + usize::from(b.is_exact), all + 1))
    }
}

/// An earlier block of a life's address, for the history of an address.
impl LifeTable {
    /// The lives that had this address, in birth order.
    pub fn at_address(&self, snapshot: &Snapshot, address: Address) -> Vec<LifeId> {
        self.ids().filter(|&id| self.address(snapshot, id) == address).collect()
    }

    /// memory_viz's name of a life: `b'<address>_<version>'`, the version counting the frees of that
    /// address before it.
    pub fn viz_name(&self, snapshot: &Snapshot, id: LifeId) -> String {
        let address = self.address(snapshot, id);
        let birth = self.birth(id);
        let ended = |other: &LifeId| *other != id && self.death(*other) <= birth;
        let version = self.at_address(snapshot, address).iter().filter(|o| ended(o)).count();
        format!("b'{address}_{version}'")
    }
}
