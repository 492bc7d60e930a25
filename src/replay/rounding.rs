//! How a backend turns requested bytes into a block, where no neighbour tells.
//!
//! CUDA rounds up to 512; torch_npu adds 32 first. Blocks up to 1 MiB live in small segments and are
//! always cut to size. In large segments a rest of up to 1 MiB stays with the block, unless the segment
//! is expandable; there torch_npu aligns large blocks. Two allocator settings change this for CUDA:
//! `roundup_power2_divisions` rounds to parts of powers of two, and blocks of `max_split_size` or more
//! are never cut.

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
    /// Parts of a power of two to round to: of requests up to 2 MiB, up to 4 MiB, and so on.
    divisions: [u8; INTERVALS],
    max_split: u64,
}

const INTERVALS: usize = 16;

impl Default for Rounding {
    fn default() -> Rounding {
        Rounding { padding: 0, divisions: [0; INTERVALS], max_split: u64::MAX }
    }
}

impl Rounding {
    /// The rule that the blocks of the snapshot follow; where they do not tell, the writer's. (Who wrote
    /// a file without times is a guess, its blocks are not.) One large block alone may hold a rest that looks
    /// like the padding of torch_npu, and tells nothing.
    pub fn of(
        writer: Writer,
        settings: &[(String, String)],
        known: impl Iterator<Item = (Bytes, Bytes)>,
    ) -> Rounding {
        let cuda = Rounding::default().with(settings);
        let npu = Rounding { padding: NPU_PADDING, ..cuda };
        let (mut as_cuda, mut as_npu, mut may_be_rest) = (0_u64, 0_u64, 0_u64);
        for (requested, block) in known {
            let (by_cuda, by_npu) = (cuda.rounded(requested) == block, npu.rounded(requested) == block);
            as_cuda += u64::from(by_cuda);
            as_npu += u64::from(by_npu);
            may_be_rest += u64::from(by_npu && !by_cuda && block.0 > SMALL_SIZE);
        }
        if may_be_rest == 1 {
            as_npu -= 1;
        }
        match as_cuda.cmp(&as_npu) {
            Ordering::Greater => cuda,
            Ordering::Less => npu,
            Ordering::Equal if writer == Writer::TorchNpu => npu,
            Ordering::Equal => cuda,
        }
    }

    /// The same under the allocator settings of a snapshot.
    fn with(mut self, settings: &[(String, String)]) -> Rounding {
        let number = |key: &str| {
            let found = settings.iter().find(|(name, _)| name == key);
            found.and_then(|(_, text)| text.trim().parse::<u64>().ok())
        };
        for (i, divisions) in self.divisions.iter_mut().enumerate() {
            let set = number(&format!("roundup_power2_divisions.{}", 1_u32 << i)).unwrap_or(0);
            *divisions = u8::try_from(set).ok().filter(|n| n.is_power_of_two()).unwrap_or(0);
        }
        // −1 stands for no limit.
        self.max_split = number("max_split_size").filter(|&size| size > 0).unwrap_or(u64::MAX);
        self
    }

    /// The request, rounded.
    #[inline]
    pub fn rounded(self, requested: Bytes) -> Bytes {
        let padded = requested.0.saturating_add(self.padding);
        // The first interval is that of up to 2 MiB; the last has no end.
        let interval = (padded | 1).ilog2().saturating_sub(20).min(INTERVALS as u32 - 1);
        let divisions = u64::from(self.divisions.get(interval as usize).copied().unwrap_or(0));
        if divisions > 1 && padded > UNIT * divisions {
            let part = (1_u64 << padded.ilog2()) / divisions;
            return Bytes(padded.checked_next_multiple_of(part).unwrap_or(padded));
        }
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
        let keeps = match () {
            () if segment_type != SegmentType::Large || is_expandable => UNIT - 1,
            () if size.0 >= self.max_split => u64::MAX,
            () => SMALL_SIZE,
        };
        if rest <= keeps { Bytes(size.0 + rest) } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_tell_more_than_the_writer() {
        let blocks = [(Bytes(512), Bytes(512)), (Bytes(100), Bytes(512))];
        let padding =
            |writer, blocks: &[(Bytes, Bytes)]| Rounding::of(writer, &[], blocks.iter().copied()).padding;
        assert_eq!(padding(Writer::TorchNpu, &blocks), 0);
        assert_eq!(padding(Writer::Torch, &[(Bytes(512), Bytes(1024))]), NPU_PADDING);
        assert_eq!(padding(Writer::TorchNpu, &[(Bytes(1), Bytes(512))]), NPU_PADDING);
        assert_eq!(padding(Writer::Unknown, &[]), 0);
        // 512 bytes that were not cut off, once; twice is no chance.
        let rest = (Bytes(1_488_360), Bytes(1_488_896));
        assert_eq!(padding(Writer::Torch, &[(Bytes(1), Bytes(512)), rest]), 0);
        assert_eq!(padding(Writer::Torch, &[rest, rest]), NPU_PADDING);
        assert_eq!(padding(Writer::TorchNpu, &[rest]), NPU_PADDING);
    }

    #[test]
    fn follows_the_backends() {
        let (cuda, npu) = (Rounding::default(), Rounding { padding: 32, ..Rounding::default() });
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

    #[test]
    fn follows_the_settings() {
        let set = |settings: &[(&str, &str)]| {
            let settings: Vec<_> = settings.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
            Rounding::of(Writer::Torch, &settings, core::iter::empty())
        };
        const MIB: u64 = 1 << 20;
        let quarters = set(&[
            ("roundup_power2_divisions.1", "4"),
            ("roundup_power2_divisions.2", "0"),
            ("roundup_power2_divisions.32768", "2"),
            ("max_split_size", "-1"),
        ]);
        let rounded = |bytes: u64| quarters.rounded(Bytes(bytes)).0;
        assert_eq!(rounded(1200), 1536, "at most 512 bytes a part: by the unit");
        assert_eq!((rounded(2049), rounded(4096), rounded(4097)), (2560, 4096, 5120));
        assert_eq!((rounded(MIB + 1), rounded(2 * MIB - 1)), (MIB + MIB / 4, 2 * MIB));
        assert_eq!(rounded(2 * MIB + 1), 2 * MIB + 512, "the next interval has no divisions");
        assert_eq!((rounded(33 << 30), rounded(100 << 30)), (48 << 30, 128 << 30));
        assert_eq!(rounded(u64::MAX), u64::MAX);
        let never_cut = set(&[("max_split_size", "33554432")]);
        let block = |bytes: u64| never_cut.block(Bytes(bytes), 64 * MIB, SegmentType::Large, false).0;
        assert_eq!((block(31 * MIB), block(32 * MIB)), (31 * MIB, 64 * MIB));
        assert_eq!(set(&[]), Rounding::default());
    }
}
