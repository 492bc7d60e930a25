//! What the figures mean: one file per analysis, pure functions over a snapshot and its replay.
//!
//! The structs they return are the JSON of the terminal program and the replies of the page, so both
//! show the same figures.

pub mod annotations;
pub mod attribution;
pub mod checks;
pub mod compare;
pub mod fragment;
pub mod ge;
pub mod grouping;
pub mod growth;
pub mod health;
pub mod inferred;
pub mod modules;
pub mod oom;
pub mod ops;
pub mod overview;
pub mod own_peaks;
pub mod peak;
pub mod ranks;
pub mod stats;
pub mod steps;
mod summary;
pub mod totals;
mod valleys;
