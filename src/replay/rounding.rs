//! How a backend turns requested bytes into a block, where no neighbour tells.
//!
//! CUDA rounds up to 512; torch_npu adds 32 first. Blocks up to 1 MiB live in small segments and are
//! always cut to size. In large segments a rest of up to 1 MiB stays with the block, unless the segment
//! is expandable.

use crate::model::{Bytes, SegmentType, Snapshot, Writer};

/// The largest block of the small pool, and the largest rest that is not cut off in the large pool.
pub const SMALL_SIZE: u64 = 1 << 20;

const UNIT: u64 = 512;

/// The rule of one writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounding {
    /// Bytes added to a request before rounding.
    padding: u64,
}

impl Rounding {
    pub fn of(snapshot: &Snapshot) -> Rounding {
        Rounding { padding: if snapshot.writer == Writer::TorchNpu { 32 } else { 0 } }
    }

    /// The request, rounded.
    #[inline]
    pub fn rounded(self, requested: Bytes) -> Bytes {
        let padded = requested.0.saturating_add(self.padding);
        Bytes(padded.checked_next_multiple_of(UNIT).unwrap_or(padded).max(UNIT))
    }

    /// The size class that a request of these bytes is served from.
    pub fn segment_type(self, requested: Bytes) -> SegmentType {
        if self.rounded(requested).0 <= SMALL_SIZE { SegmentType::Small } else { SegmentType::Large }
    }

    /// The block made for `requested` at the beginning of `room` free bytes.
    #[inline]
    pub fn block(self, requested: Bytes, room: u64, segment_type: SegmentType, is_expandable: bool) -> Bytes {
        let size = self.rounded(requested);
        let rest = room.saturating_sub(size.0);
        let keeps = if segment_type == SegmentType::Large && !is_expandable { SMALL_SIZE } else { UNIT - 1 };
        if rest <= keeps { Bytes(size.0 + rest) } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_backends() {
        let (cuda, npu) = (Rounding { padding: 0 }, Rounding { padding: 32 });
        assert_eq!(cuda.rounded(Bytes(0)), Bytes(512));
        assert_eq!(cuda.rounded(Bytes(513)), Bytes(1024));
        assert_eq!((cuda.rounded(Bytes(512)), npu.rounded(Bytes(512))), (Bytes(512), Bytes(1024)));
        let two = Bytes(2 << 20);
        let room = (3 << 20) - 512;
        assert_eq!(cuda.block(two, room, SegmentType::Large, false), Bytes(room));
        assert_eq!(cuda.block(two, room, SegmentType::Large, true), two);
        assert_eq!(cuda.block(two, (3 << 20) + 512, SegmentType::Large, false), two);
        assert_eq!(cuda.block(Bytes(600), 2048, SegmentType::Small, false), Bytes(1024));
        assert_eq!(cuda.rounded(Bytes(u64::MAX)), Bytes(u64::MAX));
    }
}
