//! Generated files of every kind, whose truth stands beside them or is counted anew in Python.
//!
//! The generator and Python are looked for; where they are missing the tests say so and pass.

mod attribution;
mod overview;
mod run;
mod spark;
