//! The tables of a snapshot: its segments and blocks, its events, and the stacks that both share.
//!
//! They keep the names and columns of the exports that readers of snapshots already query; what those have no place
//! for stands in a `…_details` table beside them.

use super::{DEVICE, STACK, Table, TableId, Type, col, int, some_int, some_text, text};

pub(super) const DEVICES: Table = Table {
    id: TableId::Devices,
    name: "devices",
    columns: &[col("device_index", Type::Integer, "UNIQUE NOT NULL"), some_text("device_type")],
    indexes: &[],
};

pub(super) const CALL_STACKS: Table = Table {
    id: TableId::CallStacks,
    name: "call_stacks",
    columns: &[col("stack_hash", Type::Text, "UNIQUE NOT NULL"), some_text("frames_json")],
    indexes: &[],
};

pub(super) const FRAMES: Table = Table {
    id: TableId::Frames,
    name: "frames",
    columns: &[text("filename"), int("line"), text("name"), text("fx")],
    indexes: &[],
};

pub(super) const SEGMENTS: Table = Table {
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
};

pub(super) const SEGMENT_DETAILS: Table = Table {
    id: TableId::SegmentDetails,
    name: "segment_details",
    columns: &[
        col("segment_id", Type::Integer, "NOT NULL REFERENCES segments(id) ON DELETE CASCADE"),
        text("forward_frames"),
    ],
    indexes: &[],
};

pub(super) const BLOCKS: Table = Table {
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
};

pub(super) const BLOCK_HISTORY: Table = Table {
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
};

pub(super) const BLOCK_DETAILS: Table = Table {
    id: TableId::BlockDetails,
    name: "block_details",
    columns: &[
        col("block_id", Type::Integer, "NOT NULL REFERENCES blocks(id) ON DELETE CASCADE"),
        text("forward_frames"),
    ],
    indexes: &[],
};

pub(super) const TRACES: Table = Table {
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
};

pub(super) const TRACE_DETAILS: Table = Table {
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
};

pub(super) const ANNOTATIONS: Table = Table {
    id: TableId::Annotations,
    name: "annotations",
    columns: &[
        col("device_id", Type::Integer, "REFERENCES devices(id)"),
        text("name"),
        text("stage"),
        int("time_us"),
    ],
    indexes: &[],
};

pub(super) const ALLOCATOR_SETTINGS: Table = Table {
    id: TableId::AllocatorSettings,
    name: "allocator_settings",
    columns: &[some_text("name"), text("value")],
    indexes: &[],
};
