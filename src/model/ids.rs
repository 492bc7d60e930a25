//! Typed handles: an index into one table, so that a stack can never be looked up among frames.

use serde::{Deserialize, Serialize};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// "There is none": the value a column holds where a row has no such thing.
            pub const NONE: $name = $name(u32::MAX);

            /// The handle of row `index`; tables never reach `u32::MAX` rows.
            #[inline]
            pub fn new(index: usize) -> $name {
                debug_assert!(index < u32::MAX as usize);
                $name(index as u32)
            }

            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            #[inline]
            pub fn is_none(self) -> bool {
                self == $name::NONE
            }

            /// `None` for [`Self::NONE`].
            #[inline]
            pub fn some(self) -> Option<$name> {
                if self.is_none() { None } else { Some(self) }
            }
        }
    };
}

handle!(
    /// A text in the [`StringTable`](super::StringTable).
    StringId
);
handle!(
    /// A frame (file, line, function) in the [`FrameTable`](super::FrameTable).
    FrameId
);
handle!(
    /// A distinct call stack in the [`StackTable`](super::StackTable). `NONE`: none was recorded.
    StackId
);
handle!(
    /// A row of the [`EventTable`](super::EventTable) (all devices' events in one table).
    EventId
);
handle!(
    /// A row of the [`SegmentTable`](super::SegmentTable).
    SegmentId
);
handle!(
    /// A row of the [`BlockTable`](super::BlockTable).
    BlockId
);
handle!(
    /// A distinct stream value in [`Streams`](super::Streams).
    StreamId
);
handle!(
    /// A distinct memory pool `(a, b)` in [`Pools`](super::Pools).
    PoolId
);
handle!(
    /// A life of one device (an allocation from birth to death), in birth order.
    LifeId
);
