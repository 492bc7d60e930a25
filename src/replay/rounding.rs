//! How a backend turns requested bytes into a block, where no neighbour tells.
//!
//! CUDA rounds up to 512; torch_npu adds 32 first. Blocks up to 1 MiB live in small segments and are
//! always cut to size. In large segments a rest of up to 1 MiB stays with the block, unless the segment
//! is expandable; there torch_npu aligns large blocks.

use crate::model::{Bytes, SegmentType, Writer};
use core::cmp::Ordering;

/// The largest block of the small pool, and the largest rest that is not cut off in the large pool.
pub const SMALL_SIZE: u64 = 1 << 20;

const UNIT: u64 = 512;
const NPU_PADDING: u64 = 32;

/// The rule of one writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rounding {
    /// Bytes added to a request before rounding.
    padding: u64,
}

impl Rounding {
    /// The rule that the blocks of the snapshot follow; where they do not tell, the writer's. (Who wrote
    /// a file without times is a guess, its blocks are not.)
    pub fn of(writer: Writer, known: impl Iterator<Item = (Bytes, Bytes)>) -> Rounding {
        let (cuda, npu) = (Rounding { padding: 0 }, Rounding { padding: NPU_PADDING });
        let (mut as_cuda, mut as_npu) = (0_u64, 0_u64);
        for (requested, block) in known {
            as_cuda += u64::from(cuda.rounded(requested) == block);
            as_npu += u64::from(npu.rounded(requested) == block);
        }
        match as_cuda.cmp(&as_npu) {
            Ordering::Greater => cuda,
            Ordering::Less => npu,
            Ordering::Equal if writer == Writer::TorchNpu => npu,
            Ordering::Equal => cuda,
        }
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

    /// How far beyond the beginning of the free range a block may begin: torch_npu moves large blocks of
    /// expandable segments up to a multiple of 16 KiB and leaves what is before it free.
    #[inline]
    pub fn may_skip(self, requested: Bytes, is_expandable: bool) -> u64 {
        const ROUND_LARGE: u64 = 2 << 20;
        const ALIGNMENT: u64 = 16 << 10;
        let aligns = self.padding > 0 && is_expandable && self.rounded(requested).0 >= ROUND_LARGE;
        if aligns { ALIGNMENT - 1 } else { 0 }
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
    fn the_blocks_tell_more_than_the_writer() {
        let blocks = [(Bytes(512), Bytes(512)), (Bytes(100), Bytes(512))];
        assert_eq!(Rounding::of(Writer::TorchNpu, blocks.into_iter()).padding, 0);
        assert_eq!(Rounding::of(Writer::Torch, [(Bytes(512), Bytes(1024))].into_iter()).padding, NPU_PADDING);
        assert_eq!(Rounding::of(Writer::TorchNpu, [(Bytes(1), Bytes(512))].into_iter()).padding, NPU_PADDING);
        assert_eq!(Rounding::of(Writer::Unknown, core::iter::empty()).padding, 0);
    }

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
