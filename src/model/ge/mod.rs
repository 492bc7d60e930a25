//! What a GE log says, as rows of plain values.
//!
//! Unlike a snapshot, which is millions of events of one shape, a GE log holds a dozen kinds of lines of
//! which each report reads whole rows; so each kind is a vector of small copyable rows, with every text
//! interned once in the log's [`StringTable`](super::StringTable). Rows keep what the line said
//! (raw life and stream texts included): the figures derived from them belong to the analyses.

mod addresses;
mod driver;
mod log;
mod placement;
mod pools;

pub use addresses::{BaseAddress, OpAddress, Region, Variable};
pub use driver::{DriverEvent, DriverOp, ExitStat};
pub use log::{GeLog, GeProcess, Graph, LineKind, MarkerCounts};
pub use placement::{
    Child, Lifetime, NEVER, Placement, PlacementKind, ReuseInput, Slot, StreamPair, Summary,
};
pub use pools::{AllocatorKind, AllocatorName, PoolEvent, PoolOp};
