//! Tables of a profiler run: what was allocated (operators), what ran (trace), and what each component
//! and module held over time.
//!
//! They are kept apart because they come from separate files, any of which may be missing; each owns
//! its texts, and the analyses join them by text, not by id.

mod info;
mod modules;
mod operators;
mod records;
mod run;
mod trace;

pub use info::ProfilerInfo;
pub use modules::{ModuleMemory, ModuleSample, StaticOp, StaticOps, StepTrace};
pub use operators::{OperatorRow, OperatorTable, Totals};
pub use records::{MemoryRecord, MemoryRecords};
pub use run::{ProfilerRun, RankKey};
pub use trace::{ApiCall, Counter, Flow, KinetoMemory, Span, SpanTable, Step, TraceTable};
