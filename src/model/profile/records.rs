//! Component totals over time, as sampled or reported by each allocator.

use crate::model::{Nanos, StringId, StringTable, Warnings};

/// One sample. Bytes are `None` where the component does not tell them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryRecord {
    pub component: StringId,
    pub at: Nanos,
    pub allocated: Option<i64>,
    pub reserved: Option<i64>,
    pub active: Option<i64>,
    pub stream: Option<u64>,
    pub device: StringId,
}

/// Samples in the order of the file: one component after the other, each not necessarily sorted.
#[derive(Clone, Debug, Default)]
pub struct MemoryRecords {
    pub strings: StringTable,
    pub rows: Vec<MemoryRecord>,
    pub warnings: Warnings,
}
