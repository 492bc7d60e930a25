//! Lives: each allocation of one device from birth to death, numbered in birth order.
//!
//! Columns hold what every view asks at every frame; address, stack, stream and pool are read from the
//! event or block the life comes from, so a life costs 37 bytes and a trace has about one life to three
//! events. States number the moments between events: state 0 is before the first event, state k after
//! event k − 1; a life is alive at m when birth ≤ m < death.

use super::interval_index::{FOREVER, IntervalIndex};
use super::pieces::{Piece, PieceTable};
use crate::model::{Address, BlockId, Bytes, LifeId, PoolId, SegmentType, Snapshot, StackId, StreamId};

/// What is special about a life, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LifeFlags(pub u8);

impl LifeFlags {
    /// Allocated before the first event.
    pub const INITIAL: LifeFlags = LifeFlags(1);
    /// The row it comes from is a block of the snapshot (an initial life that lasts), not an event.
    pub const FROM_BLOCK: LifeFlags = LifeFlags(2);
    /// A workspace block of torch_npu.
    pub const WORKSPACE: LifeFlags = LifeFlags(4);
    /// The block size is fixed by the snapshot or by neighbouring blocks; else it is the backend's rule.
    pub const EXACT: LifeFlags = LifeFlags(8);
    /// Its block stands in the snapshot.
    pub const IN_SNAPSHOT: LifeFlags = LifeFlags(16);
    /// Something about it contradicts the rest of the file; the anomalies say what.
    pub const ANOMALY: LifeFlags = LifeFlags(32);
    /// The snapshot says pending although no event asked to free it.
    pub const PENDING_AT_END: LifeFlags = LifeFlags(64);
    /// It ends when its free is asked for, as the trace tells no completion, and its block, pending in the
    /// snapshot, stays: one of [`Replay::unseen_pending`](super::Replay::unseen_pending).
    pub const LEAVES_PENDING: LifeFlags = LifeFlags(128);

    #[inline]
    pub fn has(self, flag: LifeFlags) -> bool {
        self.0 & flag.0 != 0
    }

    #[inline]
    pub(super) fn set(&mut self, flag: LifeFlags) {
        self.0 |= flag.0;
    }
}

/// Where a life comes from: the row that holds its address, stack and stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The event of its device with this number: the alloc, or the free of an initial life that ends.
    Event(u32),
    /// A block of the snapshot: an initial life that lasts.
    Block(BlockId),
}

/// All lives of one device.
#[derive(Clone, Debug, Default)]
pub struct LifeTable {
    pub(super) first_row: usize,
    pub(super) birth: Vec<u32>,
    pub(super) death: Vec<u32>,
    pub(super) pending_from: Vec<u32>,
    pub(super) size: Vec<Bytes>,
    pub(super) block_size: Vec<Bytes>,
    pub(super) source: Vec<u32>,
    pub(super) piece: Vec<u32>,
    pub(super) flags: Vec<LifeFlags>,
    pub(super) initial: usize,
    pub(super) index: IntervalIndex,
}

impl LifeTable {
    /// The death (and the pending state) of a life that never gets there.
    pub const NEVER: u32 = FOREVER;

    pub fn len(&self) -> usize {
        self.birth.len()
    }

    pub fn is_empty(&self) -> bool {
        self.birth.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = LifeId> + use<> {
        (0..self.birth.len()).map(LifeId::new)
    }

    /// How many were there before the first event; they are the first ones.
    pub fn initial_len(&self) -> usize {
        self.initial
    }

    /// First state at which it is alive.
    #[inline]
    pub fn birth(&self, id: LifeId) -> u32 {
        self.birth[id.index()]
    }

    /// First state at which it is no longer alive; [`LifeTable::NEVER`] when it outlasts the trace.
    #[inline]
    pub fn death(&self, id: LifeId) -> u32 {
        self.death[id.index()]
    }

    /// It is open at the end, and its block is not in the snapshot: in the last state it is not there.
    #[inline]
    pub fn is_missing_at_end(&self, id: LifeId) -> bool {
        let flags = self.flags(id);
        self.death(id) == LifeTable::NEVER
            && !flags.has(LifeFlags::IN_SNAPSHOT)
            && !flags.has(LifeFlags::WORKSPACE)
    }

    /// First state at which its free has been requested; [`LifeTable::NEVER`] when that never happens
    /// or the trace does not tell (a life that closes on `free_requested` is never pending).
    #[inline]
    pub fn pending_from(&self, id: LifeId) -> u32 {
        self.pending_from[id.index()]
    }

    /// Requested bytes.
    #[inline]
    pub fn size(&self, id: LifeId) -> Bytes {
        self.size[id.index()]
    }

    /// Bytes of its block: rounded, with a remainder that was not split off.
    #[inline]
    pub fn block_size(&self, id: LifeId) -> Bytes {
        self.block_size[id.index()]
    }

    #[inline]
    pub fn flags(&self, id: LifeId) -> LifeFlags {
        self.flags[id.index()]
    }

    #[inline]
    pub fn is_alive(&self, id: LifeId, state: u32) -> bool {
        self.birth(id) <= state && state < self.death(id)
    }

    #[inline]
    pub fn is_pending(&self, id: LifeId, state: u32) -> bool {
        self.is_alive(id, state) && self.pending_from(id) <= state
    }

    /// The event that allocated it; `None` for a life from before the first event.
    pub fn begin_event(&self, id: LifeId) -> Option<u32> {
        self.birth(id).checked_sub(1)
    }

    /// The event that ended it; `None` when it outlasts the trace.
    pub fn end_event(&self, id: LifeId) -> Option<u32> {
        Some(self.death(id)).filter(|&d| d != LifeTable::NEVER).and_then(|d| d.checked_sub(1))
    }

    /// The row that says most about it.
    #[inline]
    pub fn origin(&self, id: LifeId) -> Origin {
        let source = self.source[id.index()];
        if self.flags(id).has(LifeFlags::FROM_BLOCK) {
            Origin::Block(BlockId(source))
        } else {
            Origin::Event(source)
        }
    }

    /// True when the stack is that of the free (an initial life that ends): it says nothing of the alloc.
    pub fn stack_is_of_free(&self, id: LifeId) -> bool {
        let flags = self.flags(id);
        flags.has(LifeFlags::INITIAL) && !flags.has(LifeFlags::FROM_BLOCK)
    }

    #[inline]
    pub fn address(&self, snapshot: &Snapshot, id: LifeId) -> Address {
        match self.origin(id) {
            Origin::Event(event) => snapshot.events.address[self.first_row + event as usize],
            Origin::Block(block) => snapshot.blocks.get(block).address,
        }
    }

    /// Its call stack: of the alloc, of the block, or of the free (see [`LifeTable::stack_is_of_free`]).
    #[inline]
    pub fn stack(&self, snapshot: &Snapshot, id: LifeId) -> StackId {
        match self.origin(id) {
            Origin::Event(event) => snapshot.events.stack[self.first_row + event as usize],
            Origin::Block(block) => snapshot.blocks.stack(snapshot.blocks.get(block)),
        }
    }

    #[inline]
    pub fn stream(&self, snapshot: &Snapshot, id: LifeId) -> StreamId {
        match self.origin(id) {
            Origin::Event(event) => snapshot.events.stream[self.first_row + event as usize],
            Origin::Block(block) => snapshot.segments[snapshot.blocks.get(block).segment.index()].stream,
        }
    }

    /// The piece of a segment in which its block begins; `None` when it lies outside every segment.
    #[inline]
    pub fn piece<'p>(&self, pieces: &'p PieceTable, id: LifeId) -> Option<&'p Piece> {
        pieces.rows().get(self.piece[id.index()] as usize)
    }

    /// Its memory pool: the event's own where recorded, else the segment's.
    pub fn pool(&self, snapshot: &Snapshot, pieces: &PieceTable, id: LifeId) -> PoolId {
        let own = match self.origin(id) {
            Origin::Event(event) => snapshot.events.pool.get(self.first_row + event as usize),
            Origin::Block(_) => PoolId::NONE,
        };
        if own.is_none() { self.piece(pieces, id).map_or(PoolId::NONE, |p| p.pool) } else { own }
    }

    /// The size class of the segment it lies in.
    pub fn segment_type(&self, pieces: &PieceTable, id: LifeId) -> SegmentType {
        self.piece(pieces, id).map_or(SegmentType::Unknown, |p| p.segment_type)
    }

    /// Calls `found` for each life alive at `state`, in birth order.
    pub fn alive_at(&self, state: u32, mut found: impl FnMut(LifeId)) {
        self.index.alive(&self.birth, &self.death, state, |row| found(LifeId(row)));
    }

    /// The lives alive at `state`, in birth order.
    pub fn live(&self, state: u32) -> Vec<LifeId> {
        let mut lives = Vec::new();
        self.alive_at(state, |id| lives.push(id));
        lives
    }

    /// The birth column: states, ascending.
    pub fn births(&self) -> &[u32] {
        &self.birth
    }

    /// The death column.
    pub fn deaths(&self) -> &[u32] {
        &self.death
    }

    /// The column of requested bytes.
    pub fn sizes(&self) -> &[Bytes] {
        &self.size
    }

    /// The index of the greatest deaths, for scans of one's own.
    pub fn interval_index(&self) -> &IntervalIndex {
        &self.index
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        (self.birth.capacity()
            + self.death.capacity()
            + self.pending_from.capacity()
            + self.source.capacity()
            + self.piece.capacity())
            * 4
            + (self.size.capacity() + self.block_size.capacity()) * 8
            + self.flags.capacity()
            + self.index.heap_bytes()
    }
}
