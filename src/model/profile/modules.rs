//! Memory by runtime module, and by operator of a static graph.

use crate::model::{Nanos, StringId, StringTable, Warnings};

/// Reserved memory of one module at one moment (no moment: a report made once, beside an OOM).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModuleSample {
    pub module: StringId,
    pub at: Option<Nanos>,
    /// `None`: only releases were seen, so the level is unknown (the file says −1 KB).
    pub reserved: Option<i64>,
    pub device: StringId,
}

/// Samples in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct ModuleMemory {
    pub strings: StringTable,
    pub rows: Vec<ModuleSample>,
    pub warnings: Warnings,
}

/// Memory of one operator of a static graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StaticOp {
    pub device: String,
    pub operator: String,
    pub model: String,
    pub graph: String,
    pub node_start: u64,
    /// `None`: never released.
    pub node_end: Option<u64>,
    pub bytes: i64,
    /// The line that sums up the others.
    pub is_total: bool,
}

/// All operators in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct StaticOps {
    pub rows: Vec<StaticOp>,
    pub warnings: Warnings,
}

/// How each step spent its time: columns of text by name, which vary with the version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepTrace {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub warnings: Warnings,
}
