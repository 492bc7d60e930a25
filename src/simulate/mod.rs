//! The project's own allocator simulation: snapshots whose truth is known.
//!
//! A program of allocations and frees goes through a model of PyTorch's (or torch_npu's) caching
//! allocator. What comes out is a file as a writer would leave it, and beside it the truth of every
//! figure, taken from the simulated allocator itself. It uses nothing of the reader, the replay or the
//! analyses, so that it can be their yardstick. Only tests and the bundled sample use it.

mod allocator;
mod device_memory;
mod expandable;
mod frees;
pub mod ge_log;
mod layout;
mod linears;
pub mod ops;
pub mod pickle_cpython;
pub mod pickle_torch;
mod pools;
pub mod profile;
mod program;
mod recorder;
mod sample;
pub mod shapes;
mod stacks;
mod stories;
#[cfg(test)]
mod tests;
mod train;
mod truth;
mod value;
mod verdict;

pub use allocator::{Backend, Config, GIB, KIB, MIB, Request, Simulator};
pub use layout::{Layout, snapshot};
pub use linears::{Linears, three_linears};
pub use pools::{PoolKey, Use};
pub use program::{Program, Tensor};
pub use recorder::{BlockThen, Category, Entry, Life, Mark, Oom, Record, SegmentThen, Totals};
pub use sample::{sample, sample_run};
pub use stacks::{Frame, StackRef, Stacks};
pub use stories::{OomKind, out_of_memory};
pub use train::Training;
pub use truth::{FileLife, Truth};
pub use value::{Tree, Value};
pub use verdict::Free;
