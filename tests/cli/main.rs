//! The built program, run as people run it: figures, formats, exit codes, words.

mod analyses;
mod compare;
mod errors;
mod folded;
mod ge;
mod oom;
mod ops;
mod overview;
mod peak;
mod report;
mod schema;
mod support;
mod tiny;
