//! What leaves the program: formats that other tools read.

pub mod folded;
pub mod ge;
