//! Made-up programs go through the simulated allocator; reader, replay and analyses must find its truth.
//!
//! The simulation shares no code with what is tested here. Each property runs a bounded number of
//! cases, so that all of them together stay within two minutes.

mod compare;
mod direct;
mod ground_truth;
mod growth;
mod lives;
mod oom;
mod overview;
mod pickle;
mod programs;
mod range;
mod reader;
mod states;
