//! The replay of real files and of generated ones, against figures that others worked out.
//!
//! Real files come with figures by an independent program; generated ones with the generator's truth;
//! and a brute-force replay in Python, which keeps a list of blocks and rescans it at every question,
//! says what was live at random moments.

mod brute_force;
mod fragment;
mod generated;
mod grouped;
mod odd;
mod oom;
mod shared;
mod whole;
