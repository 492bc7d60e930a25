//! Every table that leaves the program, described once: names, columns, constraints, indexes, views.
//!
//! SQLite, Parquet, CSV and the page's query view all follow this description, so that a question
//! written for one works on the others. Names and order are stable; adding is allowed. Every table has a
//! first column `id`, which numbers its rows from 1 and is not listed here. Bytes are bytes, addresses
//! and 64-bit handles are the two's complement of SQL's signed integers.

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
const RUN: Column = col("run_id", Type::Integer, "NOT NULL REFERENCES runs(id)");

/// All tables, in the order in which they are written.
pub const TABLES: [Table; 21] = [
    Table {
        id: TableId::FileInfo,
        name: "file_info",
        columns: &[some_text("name"), text("value")],
        indexes: &[],
    },
    Table {
        id: TableId::Devices,
        name: "devices",
        columns: &[col("device_index", Type::Integer, "UNIQUE NOT NULL"), some_text("device_type")],
        indexes: &[],
    },
    Table {
        id: TableId::CallStacks,
        name: "call_stacks",
        columns: &[col("stack_hash", Type::Text, "UNIQUE NOT NULL"), some_text("frames_json")],
        indexes: &[],
    },
    Table {
        id: TableId::Frames,
        name: "frames",
        columns: &[text("filename"), int("line"), text("name"), text("fx")],
        indexes: &[],
    },
    Table {
        id: TableId::Segments,
        name: "segments",
        columns: &[
            DEVICE,
            some_int("address"),
            some_int("total_size"),
            some_int("allocated_size"),
            some_int("active_size"),
            int("requested_size"),
            int("stream"),
            some_text("segment_type"),
            int("pool_id_0"),
            int("pool_id_1"),
            some_int("is_expandable"),
            STACK,
        ],
        indexes: &[
            ("idx_segments_stack", &["stack_id"]),
            ("idx_segments_device", &["device_id"]),
            ("idx_segments_device_type", &["device_id", "segment_type"]),
        ],
    },
    Table {
        id: TableId::SegmentDetails,
        name: "segment_details",
        columns: &[
            col("segment_id", Type::Integer, "NOT NULL REFERENCES segments(id) ON DELETE CASCADE"),
            text("forward_frames"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::Blocks,
        name: "blocks",
        columns: &[
            col("segment_id", Type::Integer, "NOT NULL REFERENCES segments(id) ON DELETE CASCADE"),
            some_int("address"),
            some_int("size"),
            int("requested_size"),
            some_text("state"),
            STACK,
        ],
        indexes: &[
            ("idx_blocks_state", &["state"]),
            ("idx_blocks_stack", &["stack_id"]),
            ("idx_blocks_segment", &["segment_id"]),
            ("idx_blocks_segment_state", &["segment_id", "state"]),
        ],
    },
    Table {
        id: TableId::BlockHistory,
        name: "block_history",
        columns: &[
            col("block_id", Type::Integer, "NOT NULL REFERENCES blocks(id) ON DELETE CASCADE"),
            some_int("address"),
            some_int("real_size"),
            STACK,
            text("cpp_frames"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::BlockDetails,
        name: "block_details",
        columns: &[
            col("block_id", Type::Integer, "NOT NULL REFERENCES blocks(id) ON DELETE CASCADE"),
            text("forward_frames"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::Traces,
        name: "traces",
        columns: &[
            DEVICE,
            some_int("trace_index"),
            some_text("action"),
            int("addr"),
            int("device_free"),
            some_int("size"),
            int("stream"),
            STACK,
            int("time_us"),
        ],
        indexes: &[
            ("idx_traces_stack", &["stack_id"]),
            ("idx_traces_device_action", &["device_id", "action"]),
            ("idx_traces_device_index", &["device_id", "trace_index"]),
        ],
    },
    Table {
        id: TableId::TraceDetails,
        name: "trace_details",
        columns: &[
            col("trace_id", Type::Integer, "NOT NULL REFERENCES traces(id)"),
            int("pool_id_0"),
            int("pool_id_1"),
            text("compile_context"),
            text("user_metadata"),
            text("internal_metadata"),
            text("forward_frames"),
            int("time_ns"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::Annotations,
        name: "annotations",
        columns: &[
            col("device_id", Type::Integer, "REFERENCES devices(id)"),
            text("name"),
            text("stage"),
            int("time_us"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::AllocatorSettings,
        name: "allocator_settings",
        columns: &[some_text("name"), text("value")],
        indexes: &[],
    },
    Table {
        id: TableId::Categories,
        name: "categories",
        columns: &[some_text("name"), some_text("title_en"), some_text("title_zh")],
        indexes: &[],
    },
    Table {
        id: TableId::Lives,
        name: "lives",
        columns: &[
            DEVICE,
            some_int("address"),
            some_int("size"),
            some_int("block_size"),
            int("begin_event"),
            int("end_event"),
            int("free_requested_event"),
            int("stream"),
            STACK,
            col("category_id", Type::Integer, "REFERENCES categories(id)"),
            some_int("is_inferred"),
            some_int("is_initial"),
            some_int("is_workspace"),
        ],
        indexes: &[],
    },
    Table {
        id: TableId::Figures,
        name: "figures",
        columns: &[DEVICE, some_text("name"), int("value")],
        indexes: &[],
    },
    Table {
        id: TableId::Runs,
        name: "runs",
        columns: &[text("role"), int("rank"), text("timestamp"), text("folder")],
        indexes: &[],
    },
    Table {
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
    },
    Table {
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
    },
    Table {
        id: TableId::ModuleMemory,
        name: "module_memory",
        columns: &[RUN, text("module"), int("timestamp_ns"), int("total_reserved"), text("device")],
        indexes: &[],
    },
    Table {
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
    },
];

/// Views: their names and what they select.
pub const VIEWS: [(&str, &str); 5] = [
    (
        "device_overview",
        "SELECT d.device_index AS device, COALESCE(SUM(s.total_size), 0) AS reserved, \
         COALESCE(SUM(s.allocated_size), 0) AS allocated, COALESCE(SUM(s.active_size), 0) AS active, \
         COALESCE((SUM(s.total_size) - SUM(s.allocated_size)) * 1.0 / NULLIF(SUM(s.total_size), 0), 0.0) AS fragmentation, \
         COUNT(s.id) AS segments FROM devices d LEFT JOIN segments s ON s.device_id = d.id GROUP BY d.id",
    ),
    (
        "block_state_dist",
        "SELECT d.device_index AS device, b.state AS state, COUNT(*) AS count, SUM(b.size) AS bytes \
         FROM blocks b JOIN segments s ON s.id = b.segment_id JOIN devices d ON d.id = s.device_id GROUP BY d.id, b.state",
    ),
    (
        "segment_type_dist",
        "SELECT d.device_index AS device, s.segment_type AS segment_type, COUNT(*) AS count, SUM(s.total_size) AS bytes, \
         SUM(s.allocated_size) AS allocated FROM segments s JOIN devices d ON d.id = s.device_id GROUP BY d.id, s.segment_type",
    ),
    (
        "expansion_timeline",
        "SELECT d.device_index AS device, t.trace_index AS trace_index, t.action AS action, t.size AS size, \
         COALESCE(r.reserved, 0) - COALESCE(SUM(CASE WHEN t.action IN ('segment_alloc', 'segment_map') THEN t.size ELSE -t.size END) \
         OVER (PARTITION BY t.device_id ORDER BY t.trace_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS running_reserved \
         FROM traces t JOIN devices d ON d.id = t.device_id \
         LEFT JOIN (SELECT device_id, SUM(total_size) AS reserved FROM segments GROUP BY device_id) r ON r.device_id = t.device_id \
         WHERE t.action IN ('segment_alloc', 'segment_map', 'segment_free', 'segment_unmap')",
    ),
    (
        "top_allocations",
        "SELECT b.stack_id AS stack, SUM(b.size) AS bytes, COUNT(*) AS count, c.frames_json AS frames_json \
         FROM blocks b LEFT JOIN call_stacks c ON c.id = b.stack_id WHERE b.state = 'active_allocated' \
         GROUP BY b.stack_id ORDER BY bytes DESC",
    ),
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
