//! Which operator allocated it: rows of a profiler run with their call stacks, and what they add up to.
//!
//! A run is read from separate files that know nothing of one another. `join` finds the operator event
//! and the stack of every row, [`OpsIndex`] puts rows in order of time and knows when each lives, and
//! the rest are figures over that index.

pub mod compare;
pub mod components;
pub mod cost;
pub mod index;
pub mod join;
pub mod kineto;
pub mod lanes;
pub mod live;
mod queue;
pub mod report;
pub mod rows;
pub mod series;
pub mod static_graphs;
mod sweep;

pub use index::{LifeEnd, OpsIndex};
pub use join::{MatchKind, RowMatch};
