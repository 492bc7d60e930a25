//! Memory rows: one allocation each, with the operator that the profiler names for it.
//!
//! Sizes are signed, because a row of which only the release was seen has a negative size. Times are
//! exact nanoseconds; a time the file does not tell is absent, never zero. The allocator's running totals
//! stay as the MB the file wrote: they are binary fractions, so nothing is lost and exports print them
//! as they were.

use crate::model::{Nanos, StringId, StringTable, Warnings};

/// A time that the file does not tell, inside a column.
const NO_TIME: i64 = i64::MIN;

/// The allocator's running totals in MB right after an event; NaN where the file has none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Totals {
    pub allocated_mb: f64,
    pub reserved_mb: f64,
    pub active_mb: f64,
}

impl Totals {
    pub const NONE: Totals = Totals { allocated_mb: f64::NAN, reserved_mb: f64::NAN, active_mb: f64::NAN };
}

/// One row, all columns together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OperatorRow {
    pub name: StringId,
    /// Bytes; negative where only the release was seen.
    pub size: i64,
    pub alloc: Option<Nanos>,
    pub release: Option<Nanos>,
    /// When the block itself became free (later than the release under `record_stream`).
    pub block_release: Option<Nanos>,
    pub duration: Option<Nanos>,
    pub block_duration: Option<Nanos>,
    pub at_alloc: Totals,
    pub at_release: Totals,
    pub stream: Option<u64>,
    pub device: StringId,
    /// The operator event and the stack, where the file itself tells them (a trace's memory events).
    pub stack: StringId,
}

/// All rows of one rank in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct OperatorTable {
    pub strings: StringTable,
    name: Vec<StringId>,
    size: Vec<i64>,
    times: Vec<[i64; 5]>,
    at_alloc: Vec<Totals>,
    at_release: Vec<Totals>,
    stream: Vec<Option<u64>>,
    device: Vec<StringId>,
    stack: Vec<StringId>,
    /// How each row's stack was found, where the file itself tells that.
    pub stack_match: Vec<StringId>,
    /// The file names a time of release of blocks.
    pub has_block_release: bool,
    /// The rows come from the memory events of a trace, which know their thread and so their stack.
    pub from_trace: bool,
    pub warnings: Warnings,
}

fn to_column(time: Option<Nanos>) -> i64 {
    time.map_or(NO_TIME, |t| t.0.max(NO_TIME + 1))
}

fn from_column(time: i64) -> Option<Nanos> {
    (time != NO_TIME).then_some(Nanos(time))
}

impl OperatorTable {
    pub fn len(&self) -> usize {
        self.name.len()
    }

    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    pub fn push(&mut self, row: OperatorRow) {
        self.name.push(row.name);
        self.size.push(row.size);
        self.times.push([
            to_column(row.alloc),
            to_column(row.release),
            to_column(row.block_release),
            to_column(row.duration),
            to_column(row.block_duration),
        ]);
        self.at_alloc.push(row.at_alloc);
        self.at_release.push(row.at_release);
        self.stream.push(row.stream);
        self.device.push(row.device);
        if !row.stack.is_none() || !self.stack.is_empty() {
            self.stack.resize(self.name.len() - 1, StringId::NONE);
            self.stack.push(row.stack);
        }
    }

    /// Row `index`, or `None` beyond the end.
    pub fn get(&self, index: usize) -> Option<OperatorRow> {
        let times = self.times.get(index)?;
        Some(OperatorRow {
            name: *self.name.get(index)?,
            size: *self.size.get(index)?,
            alloc: from_column(times[0]),
            release: from_column(times[1]),
            block_release: from_column(times[2]),
            duration: from_column(times[3]),
            block_duration: from_column(times[4]),
            at_alloc: *self.at_alloc.get(index)?,
            at_release: *self.at_release.get(index)?,
            stream: *self.stream.get(index)?,
            device: *self.device.get(index)?,
            stack: self.stack.get(index).copied().unwrap_or(StringId::NONE),
        })
    }

    pub fn rows(&self) -> impl Iterator<Item = OperatorRow> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    /// Closes the open row `index`: its release was found later in the file.
    pub fn release(&mut self, index: usize, at: Nanos, totals: Totals) {
        if let (Some(times), Some(slot)) = (self.times.get_mut(index), self.at_release.get_mut(index)) {
            times[1] = to_column(Some(at));
            if times[0] != NO_TIME {
                times[3] = at.0.saturating_sub(times[0]);
            }
            *slot = totals;
        }
    }

    pub fn name(&self, index: usize) -> &str {
        self.name.get(index).map_or("", |&id| self.strings.get(id))
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        self.strings.heap_bytes() + self.name.capacity() * (4 + 8 + 40 + 24 + 24 + 16 + 4)
    }
}
