//! One profiler folder: the files that were there, each in its table.

use super::{MemoryRecords, ModuleMemory, OperatorTable, ProfilerInfo, StaticOps, StepTrace, TraceTable};
use crate::model::Warnings;
use serde::Serialize;

/// Which process a folder is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct RankKey {
    pub role: String,
    /// `None`: a single card, which has no rank.
    pub rank: Option<i64>,
    /// The digits of the folder's time stamp, padded so that they compare; empty where it has none.
    pub timestamp: String,
    pub folder: String,
}

impl RankKey {
    /// The rank, or "single".
    pub fn label(&self) -> String {
        self.rank.map_or_else(|| "single".to_owned(), |rank| rank.to_string())
    }
}

/// One run of one rank. Every table may be missing.
#[derive(Clone, Debug, Default)]
pub struct ProfilerRun {
    pub key: RankKey,
    pub info: ProfilerInfo,
    pub operators: Option<OperatorTable>,
    pub trace: Option<TraceTable>,
    pub records: Option<MemoryRecords>,
    pub modules: Option<ModuleMemory>,
    pub static_ops: Option<StaticOps>,
    pub steps: Option<StepTrace>,
    /// What was odd about the folder itself.
    pub warnings: Warnings,
}
