//! What leaves the program: formats that other tools read.

pub mod csv;
pub mod folded;
pub mod ge;
pub mod ops_page;
#[cfg(feature = "cli")]
pub mod parquet;
pub mod pickle;
pub mod report;
pub mod snapshot_trace;
#[cfg(any(not(target_arch = "wasm32"), feature = "database"))]
pub mod sqlite;
pub mod tables;
mod trace_events;
