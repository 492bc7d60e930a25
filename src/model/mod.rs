//! Columnar tables with typed handles: what every format is read into.
//!
//! Struct of arrays; text, frames and stacks are interned once and referred to by handles over `u32`.
//! Nothing here knows a file format, a screen or a terminal.

mod arrange;
mod device;
mod events;
mod frames;
pub mod ge;
mod hash;
mod ids;
mod lazy_column;
pub mod profile;
mod segments;
mod snapshot;
mod stacks;
mod strings;
mod strip;
mod units;
mod warnings;

pub use arrange::Arrange;
pub use device::Device;
pub use events::{Action, Event, EventTable};
pub use frames::{Frame, FrameTable};
pub use hash::{FastMap, FastSet, fast_map, fast_set, hash_of};
pub use ids::{BlockId, EventId, FrameId, LifeId, PoolId, SegmentId, StackId, StreamId, StringId};
pub use lazy_column::LazyColumn;
pub use segments::{Block, BlockState, BlockTable, HistoryEntry, Segment, SegmentTable, SegmentType};
pub use snapshot::{Annotation, LeftOut, Pools, Snapshot, Streams, Trace, Writer};
pub use stacks::StackTable;
pub use strings::StringTable;
pub use strip::{Unstripped, base_name, strip_text};
pub use units::{Address, Bytes, Nanos};
pub use warnings::{Position, Warning, Warnings};
