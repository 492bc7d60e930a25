//! The room that a failed request had: free blocks it could use, free blocks it could not, pending ones.

use super::Attributed;
use crate::model::{Bytes, SegmentType};
use crate::replay::{BlockNow, SegmentNow, Use};

const MIB: u64 = 1 << 20;

/// The memory just before an out-of-memory, seen from the request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    pub event: u32,
    pub requested: Bytes,
    pub device_free: Bytes,
    pub stream: i64,
    pub pool: (i64, i64),
    pub segment_type: SegmentType,
    pub allocated: Bytes,
    pub active: Bytes,
    pub pending: Bytes,
    pub reserved: Bytes,
    pub workspace: Bytes,
    pub cached_free: Bytes,
    pub cached_free_usable: Bytes,
    pub largest_usable: Bytes,
    pub largest_any: Bytes,
    /// Number of free blocks.
    pub holes: u64,
    /// Stream, pool and size class of the largest free block.
    pub largest_home: Option<(i64, (i64, i64), SegmentType)>,
    /// The largest block that pending frees, once complete, leave to this request: in its own
    /// segments, or by giving back segments that are then empty.
    pub after_pending: Bytes,
}

impl Room {
    /// The room before event `event`, which is an `oom`.
    pub fn before(memory: &Attributed<'_>, event: u32) -> Room {
        let (snapshot, replay) = (memory.snapshot, memory.replay);
        let row = replay.row(event);
        let read = snapshot.events.get(row);
        let state = replay.state(snapshot, event);
        let (stream, pool) =
            (snapshot.streams.get(read.stream), snapshot.pools.get(snapshot.events.pool.get(row)));
        let segment_type = if read.size.0 <= MIB { SegmentType::Small } else { SegmentType::Large };
        let home_of = |segment: &SegmentNow| {
            (snapshot.streams.get(segment.stream), snapshot.pools.get(segment.pool), segment.segment_type)
        };
        let home = (stream, pool, segment_type);
        let mut room = Room {
            event,
            requested: read.size,
            // Of an oom event the address column holds what the device had free.
            device_free: Bytes(read.address.0),
            stream,
            pool,
            segment_type,
            allocated: state.allocated(),
            active: state.active(),
            pending: state.active() - state.allocated(),
            reserved: state.reserved(),
            workspace: Bytes::ZERO,
            cached_free: state.cached_free(),
            cached_free_usable: Bytes::ZERO,
            largest_usable: Bytes::ZERO,
            largest_any: Bytes::ZERO,
            holes: 0,
            largest_home: None,
            after_pending: Bytes::ZERO,
        };
        let mut given_back = Bytes::ZERO;
        for segment in &state.segments {
            if segment.is_workspace {
                room.workspace += segment.size;
                continue;
            }
            let own = home_of(segment) == home;
            for block in state.blocks_of(segment).iter().filter(|b| b.usage == Use::Free) {
                room.holes += 1;
                if own {
                    room.cached_free_usable += block.size;
                    room.largest_usable = room.largest_usable.max(block.size);
                }
                if block.size > room.largest_any {
                    room.largest_any = block.size;
                    room.largest_home = Some(home_of(segment));
                }
            }
            if room.pending > Bytes::ZERO {
                let run = longest_idle_run(state.blocks_of(segment));
                if own {
                    room.after_pending = room.after_pending.max(run);
                }
                // Private pools keep what they have: only the default pool's segments go back.
                if run == segment.size && snapshot.pools.get(segment.pool) == (0, 0) {
                    given_back += segment.size;
                }
            }
        }
        if room.pending > Bytes::ZERO && room.device_free + given_back >= segment_for(room.requested) {
            room.after_pending = room.after_pending.max(room.device_free + given_back);
        }
        room
    }

    /// Reserved without workspace: what the allocator can cut blocks from.
    pub fn own_reserved(&self) -> Bytes {
        self.reserved - self.workspace
    }
}

/// The longest run of blocks that are free once pending frees complete.
fn longest_idle_run(blocks: &[BlockNow]) -> Bytes {
    let (mut longest, mut run) = (Bytes::ZERO, Bytes::ZERO);
    for block in blocks {
        run = match block.usage {
            Use::Free | Use::Pending => run + block.size,
            Use::Allocated | Use::Workspace => Bytes::ZERO,
        };
        longest = longest.max(run);
    }
    longest
}

/// Bytes that the allocator asks the device for when it has no block for a request.
fn segment_for(requested: Bytes) -> Bytes {
    match requested.0 {
        size if size <= MIB => Bytes(2 * MIB),
        size if size < 10 * MIB => Bytes(20 * MIB),
        size => Bytes(size.checked_next_multiple_of(2 * MIB).unwrap_or(size)),
    }
}
