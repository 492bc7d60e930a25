//! What a caller can ask of a reader: all of a file, or a part that fits into memory.

use crate::model::Nanos;
use core::ops::Range;

/// Which events of each device are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Keep {
    #[default]
    All,
    /// The last so many.
    Last(u64),
    /// Those with these numbers, counted from 0 in the file.
    Range(Range<u64>),
    /// Those whose time is within; events without a time are left out.
    Time(Range<Nanos>),
}

/// Options of [`open`](super::open). The default reads everything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Length of the file, where known: lengths in the file are checked against it.
    pub len: Option<u64>,
    pub keep: Keep,
    /// False: frames that are not in a `.py` file are dropped from all stacks.
    pub native_frames: bool,
    /// Bytes of memory that reading may come to. Once the first 64 MiB are read, what the whole file
    /// will need is estimated, and [`ErrorKind::TooLarge`](super::ErrorKind::TooLarge) ends the reading
    /// if that is more.
    pub budget: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { len: None, keep: Keep::All, native_frames: true, budget: None }
    }
}

/// Bytes of the file after which the memory it will need is estimated.
pub(super) const ESTIMATE_AT: u64 = 64 << 20;

/// Memory that reading a whole file will take, from what its first `bytes_read` bytes took.
///
/// Tables grow with the file; what every file starts with (names, frames, stacks) is counted with the
/// rest, so the estimate is rather too high than too low.
pub fn estimate(bytes_read: u64, memory_so_far: u64, file_len: u64) -> u64 {
    if bytes_read == 0 {
        return memory_so_far;
    }
    let scaled = u128::from(memory_so_far) * u128::from(file_len.max(bytes_read)) / u128::from(bytes_read);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_scales_with_the_file() {
        assert_eq!(estimate(100, 50, 1000), 500);
        assert_eq!(estimate(100, 50, 10), 50);
        assert_eq!(estimate(0, 7, 10), 7);
        assert_eq!(estimate(1, u64::MAX, u64::MAX), u64::MAX);
    }
}
