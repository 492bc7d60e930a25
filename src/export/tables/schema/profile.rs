//! The tables of profiler runs: one folder a rank and run, and the rows of its files.

use super::{Column, STACK, Table, TableId, Type, col, int, real, some_int, text};

const RUN: Column = col("run_id", Type::Integer, "NOT NULL REFERENCES runs(id)");

pub(super) const RUNS: Table = Table {
    id: TableId::Runs,
    name: "runs",
    columns: &[text("role"), int("rank"), text("timestamp"), text("folder")],
    indexes: &[],
};

pub(super) const OPERATOR_MEMORY: Table = Table {
    id: TableId::OperatorMemory,
    name: "operator_memory",
    columns: &[
        RUN,
        text("name"),
        some_int("size"),
        int("allocation_time_ns"),
        int("release_time_ns"),
        int("active_release_time_ns"),
        int("duration_ns"),
        int("active_duration_ns"),
        real("allocation_total_allocated_mb"),
        real("allocation_total_reserved_mb"),
        real("allocation_total_active_mb"),
        real("release_total_allocated_mb"),
        real("release_total_reserved_mb"),
        real("release_total_active_mb"),
        int("stream_ptr"),
        text("device"),
        STACK,
        text("stack_match"),
    ],
    indexes: &[],
};

pub(super) const MEMORY_RECORD: Table = Table {
    id: TableId::MemoryRecord,
    name: "memory_record",
    columns: &[
        RUN,
        text("component"),
        some_int("timestamp_ns"),
        int("total_allocated"),
        int("total_reserved"),
        int("total_active"),
        int("stream_ptr"),
        text("device"),
    ],
    indexes: &[],
};

pub(super) const MODULE_MEMORY: Table = Table {
    id: TableId::ModuleMemory,
    name: "module_memory",
    columns: &[RUN, text("module"), int("timestamp_ns"), int("total_reserved"), text("device")],
    indexes: &[],
};
