//! Profiler folders: readers, call stacks and results, on real files where they are at hand and on
//! generated ones everywhere.

mod folders;
mod golden;
mod properties;
mod readers;
mod real;
mod shared;
mod truth;
