//! Every table that leaves the program, described once: names, columns, constraints, indexes, views.
//!
//! SQLite, Parquet, CSV and the page's query view all follow this description, so that a question
//! written for one works on the others. Names and order are stable; adding is allowed. Every table has a
//! first column `id`, which numbers its rows from 1 and is not listed here. Bytes are bytes, addresses
//! and 64-bit handles are the two's complement of SQL's signed integers.

mod lives;
mod profile;
mod snapshot;
mod views;

pub use views::VIEWS;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Integer,
    Real,
    Text,
}

impl Type {
    pub fn sql(self) -> &'static str {
        match self {
            Type::Integer => "INTEGER",
            Type::Real => "REAL",
            Type::Text => "TEXT",
        }
    }
}

/// A column: its name, what it holds, and its constraints in SQL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: &'static str,
    pub holds: Type,
    pub constraint: &'static str,
}

impl Column {
    pub fn is_unique(&self) -> bool {
        self.constraint.contains("UNIQUE")
    }
}

/// Which table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableId {
    FileInfo,
    Devices,
    CallStacks,
    Frames,
    Segments,
    SegmentDetails,
    Blocks,
    BlockHistory,
    BlockDetails,
    Traces,
    TraceDetails,
    Annotations,
    AllocatorSettings,
    Categories,
    Lives,
    Figures,
    Runs,
    OperatorMemory,
    MemoryRecord,
    ModuleMemory,
    Warnings,
}

/// An index: its name and its columns.
pub type Index = (&'static str, &'static [&'static str]);

/// One table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub id: TableId,
    pub name: &'static str,
    /// Without `id`.
    pub columns: &'static [Column],
    pub indexes: &'static [Index],
}

/// The name of the schema; a change that breaks queries gives it a new number.
pub const SCHEMA: &str = "hbmlens.sqlite/1";

const fn col(name: &'static str, holds: Type, constraint: &'static str) -> Column {
    Column { name, holds, constraint }
}
const fn int(name: &'static str) -> Column {
    col(name, Type::Integer, "")
}
const fn real(name: &'static str) -> Column {
    col(name, Type::Real, "")
}
const fn text(name: &'static str) -> Column {
    col(name, Type::Text, "")
}
const fn some_int(name: &'static str) -> Column {
    col(name, Type::Integer, "NOT NULL")
}
const fn some_text(name: &'static str) -> Column {
    col(name, Type::Text, "NOT NULL")
}
const DEVICE: Column = col("device_id", Type::Integer, "NOT NULL REFERENCES devices(id)");
const STACK: Column = col("stack_id", Type::Integer, "REFERENCES call_stacks(id)");

const FILE_INFO: Table = Table {
    id: TableId::FileInfo,
    name: "file_info",
    columns: &[some_text("name"), text("value")],
    indexes: &[],
};

const WARNINGS: Table = Table {
    id: TableId::Warnings,
    name: "warnings",
    columns: &[
        some_text("kind"),
        some_int("count"),
        some_text("detail"),
        text("position_kind"),
        int("position"),
    ],
    indexes: &[],
};

/// All tables, in the order in which they are written.
pub const TABLES: [Table; 21] = [
    FILE_INFO,
    snapshot::DEVICES,
    snapshot::CALL_STACKS,
    snapshot::FRAMES,
    snapshot::SEGMENTS,
    snapshot::SEGMENT_DETAILS,
    snapshot::BLOCKS,
    snapshot::BLOCK_HISTORY,
    snapshot::BLOCK_DETAILS,
    snapshot::TRACES,
    snapshot::TRACE_DETAILS,
    snapshot::ANNOTATIONS,
    snapshot::ALLOCATOR_SETTINGS,
    lives::CATEGORIES,
    lives::LIVES,
    lives::FIGURES,
    profile::RUNS,
    profile::OPERATOR_MEMORY,
    profile::MEMORY_RECORD,
    profile::MODULE_MEMORY,
    WARNINGS,
];

impl Table {
    /// The statement that makes it.
    pub fn create_sql(&self) -> String {
        let mut sql = format!("CREATE TABLE {} (id INTEGER PRIMARY KEY AUTOINCREMENT", self.name);
        for column in self.columns {
            for part in [", ", column.name, " ", column.holds.sql()] {
                sql.push_str(part);
            }
            if !column.constraint.is_empty() {
                sql.push(' ');
                sql.push_str(column.constraint);
            }
        }
        sql.push(')');
        sql
    }
}

/// The table of that name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}
