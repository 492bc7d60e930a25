//! The built program, run as people run it: figures, formats, exit codes, words.

mod analyses;
mod columnar;
mod compare;
mod convert;
mod database;
mod errors;
mod every;
mod folded;
mod ge;
mod oom;
mod ops;
mod outputs;
mod overview;
mod peak;
mod report;
mod schema;
mod strip;
mod support;
mod tiny;
mod trace_format;
