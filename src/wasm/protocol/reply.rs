//! What is answered, and what a file turned out to be.

use crate::analysis::fragment::DeviceFragment;
use crate::analysis::growth::DeviceGrowth;
use crate::analysis::oom::DeviceOoms;
use crate::analysis::overview::Overview;
use crate::analysis::peak::{CategoryRow, DevicePeak};
use crate::analysis::stats::Stats;
use crate::model::{Bytes, Device, LeftOut, SegmentType, Warning, Writer};
use crate::view::drill::Drill;
use crate::view::events::EventLine;
use crate::view::life::{LifeDetail, LifeLine};
use crate::view::range::RangeSummary;
use crate::view::stack_text::StackFrame;
use serde::Serialize;
use tsify::Tsify;

/// A device of a snapshot, as far as it is known without an analysis.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct DeviceSummary {
    #[tsify(type = "Device")]
    pub device: Device,
    pub events: u64,
    pub segments: u64,
    pub has_time: bool,
}

/// What a file turned out to be.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct Summary {
    /// The number of the document within its session.
    pub doc: u32,
    /// A format's name as in JSON: `snapshot`, `operator_memory`, `ge_log` …
    pub kind: String,
    #[tsify(type = "Writer")]
    pub writer: Writer,
    pub complete: bool,
    #[tsify(type = "LeftOut | null")]
    pub left_out: Option<LeftOut>,
    pub devices: Vec<DeviceSummary>,
    #[tsify(type = "Warning[]")]
    pub warnings: Vec<Warning>,
    /// `allocator_settings`, in the order of the file.
    pub allocator_settings: Vec<(String, String)>,
    /// Bytes of wasm memory after reading.
    pub memory: u64,
}

/// What segments of one pool, stream and type have in common.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct SegmentKind {
    pub stream: i64,
    pub pool: (i64, i64),
    #[tsify(type = "SegmentType")]
    pub segment_type: SegmentType,
    pub is_expandable: bool,
    pub is_workspace: bool,
}

/// Modules as columns, in the order of a tree: there are tens of thousands in a deep model, and as many
/// objects would hold the page up.
#[derive(Debug, Serialize, Tsify)]
pub struct ModuleColumns {
    /// The different names, and which of them each module has. Its path begins with that of the module before
    /// it that is one level less deep.
    pub names: Vec<String>,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Uint32Array")]
    pub name: js_sys::Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Uint32Array")]
    pub depth: js_sys::Uint32Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Float64Array")]
    pub bytes: js_sys::Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Float64Array")]
    pub count: js_sys::Float64Array,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Float64Array")]
    pub recompute_bytes: js_sys::Float64Array,
}

/// One curve: `x, y, x, y …`, each value holding until the next point.
#[derive(Debug, Serialize, Tsify)]
pub struct CurveLine {
    #[tsify(type = "CurveKind")]
    pub kind: crate::replay::CurveKind,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "Float64Array")]
    pub points: js_sys::Float64Array,
}

/// An answer.
#[derive(Debug, Serialize, Tsify)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Overview {
        overview: Overview,
    },
    Stats {
        stats: Stats,
    },
    Curves {
        /// The window that was answered and the whole axis.
        from: f64,
        to: f64,
        extent: (f64, f64),
        /// The states that show: the first, and one past the last.
        states: (u32, u32),
        /// The absolute time of position 0 in milliseconds since the epoch, for a time axis.
        #[tsify(type = "number | null")]
        origin_ms: Option<f64>,
        /// Where requested memory peaks.
        peak_state: u32,
        peak_position: f64,
        peak_bytes: u64,
        lines: Vec<CurveLine>,
    },
    Moment {
        state: u32,
        /// The event that led to it; −1 before the first.
        event: i64,
        position: f64,
        /// Its action; null before the first event.
        #[tsify(type = "string | null")]
        action: Option<String>,
        /// Bytes of the event.
        #[tsify(type = "number | null")]
        size: Option<u64>,
        requested: u64,
        pending: u64,
        reserved: u64,
        allocated: u64,
        active: u64,
    },
    Timeline {
        from: f64,
        to: f64,
        extent: (f64, f64),
        states: (u32, u32),
        #[tsify(type = "number | null")]
        origin_ms: Option<f64>,
        /// Bytes at the bottom and the top edge.
        bytes: (u64, u64),
        /// RGBA, top row first.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8ClampedArray<ArrayBuffer>")]
        pixels: js_sys::Uint8ClampedArray,
        /// The state that each column shows, and the bytes of its bands.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        columns: js_sys::Uint32Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        column_bytes: js_sys::Float64Array,
        /// Flags of each column: 1 OOM, 2 snapshot, 4 segments grown, 8 segments given back, 16 a match begins.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8Array")]
        marks: js_sys::Uint8Array,
        /// Of each span that shows: its lane (0 steps, 1 annotations), where it begins and ends, and a line with
        /// its name, empty where there is no room for one.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8Array")]
        span_lanes: js_sys::Uint8Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        span_bounds: js_sys::Float64Array,
        span_names: String,
        /// The names of the classes of colour.
        legend: Vec<String>,
    },
    TimelineHit {
        state: u32,
        event: i64,
        /// The life under the pointer, when allocations are drawn.
        #[tsify(type = "LifeLine | null")]
        life: Option<LifeLine>,
        /// How many lives share the pixel.
        lives_in_pixel: u32,
        /// The segment, or the private pool whose idle part it is.
        #[tsify(type = "string | null")]
        band: Option<String>,
        #[tsify(type = "number | null")]
        band_bytes: Option<u64>,
        reserved: u64,
        active: u64,
        requested: u64,
    },
    TimelineSearch {
        count: u64,
        #[tsify(type = "Bytes")]
        bytes: Bytes,
        /// Matching lives in order of birth, for walking through them.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        lives: js_sys::Uint32Array,
        /// The state at which each of them is first alive.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        births: js_sys::Uint32Array,
    },
    Life {
        #[tsify(type = "LifeDetail | null")]
        detail: Option<LifeDetail>,
    },
    RangeSummary {
        summary: RangeSummary,
    },
    Categories {
        /// One list a state asked for, largest first.
        rows: Vec<Vec<CategoryRow>>,
    },
    /// Its modules come as columns of their own.
    Composition {
        composition: DevicePeak,
        modules: ModuleColumns,
    },
    Drill {
        drill: Drill,
    },
    Flame {
        total: u64,
        /// The weight of one byte held throughout: weights divided by it are bytes, or average bytes.
        of_a_byte: f64,
        /// The node that fills the width, and the nodes and labels from the root down to it.
        zoom: u32,
        parents: Vec<u32>,
        path: Vec<String>,
        /// The boxes, in preorder: node, level, left edge and width (from 0 to 1), weight, number of lives.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        nodes: js_sys::Uint32Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        depth: js_sys::Uint32Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        x: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        width: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        weight: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        count: js_sys::Float64Array,
        /// Frame ids, or 2^32 − 2 (no stack recorded), − 3 (freed at), − 4 (all frames hidden), − 1 (everything).
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        keys: js_sys::Uint32Array,
        /// The texts of the frames, and which of them each box has.
        labels: Vec<String>,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        label_of: js_sys::Uint32Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8Array")]
        found: js_sys::Uint8Array,
        found_weight: u64,
    },
    Events {
        /// Rows that the filter keeps.
        total: u32,
        first: u32,
        rows: Vec<EventLine>,
    },
    EventsCsv {
        text: String,
        /// Where the next part begins; null after the last.
        #[tsify(type = "number | null")]
        next: Option<u32>,
    },
    EventDetail {
        /// Null where the trace has no such event.
        #[tsify(type = "EventLine | null")]
        line: Option<EventLine>,
        stack: Vec<StackFrame>,
        #[tsify(type = "number | null")]
        life: Option<u32>,
    },
    Segments {
        state: u32,
        event: i64,
        #[tsify(type = "Bytes")]
        reserved: Bytes,
        #[tsify(type = "Bytes")]
        allocated: Bytes,
        #[tsify(type = "Bytes")]
        active: Bytes,
        #[tsify(type = "Bytes")]
        cached_free: Bytes,
        /// Live blocks whose size is certain, and all live ones.
        exact_blocks: u64,
        live_blocks: u64,
        /// Kinds of segments, in order of appearance.
        kinds: Vec<SegmentKind>,
        /// By segment, in order of addresses: address, its kind, size, allocated and active bytes, and its first
        /// block in the columns below; one more first block ends the last.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "BigUint64Array")]
        address: js_sys::BigUint64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        kind: js_sys::Uint32Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        segment_size: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        segment_allocated: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        segment_active: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        first_block: js_sys::Uint32Array,
        /// The segments in the order asked for, equal ones by address.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        order: js_sys::Uint32Array,
        /// By block: bytes from the segment's start, size, requested bytes, use (0 free, 1 allocated,
        /// 2 pending, 3 workspace), number of the category (255: none), life (2^32 − 1: none).
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        offset: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        size: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Float64Array")]
        requested: js_sys::Float64Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8Array")]
        usage: js_sys::Uint8Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint8Array")]
        category: js_sys::Uint8Array,
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "Uint32Array")]
        life: js_sys::Uint32Array,
    },
    FindAddress {
        #[tsify(type = "number | null")]
        block: Option<u32>,
        /// The lives whose blocks held the address at any time, in order of birth.
        history: Vec<LifeLine>,
    },
    Fragment {
        fragment: DeviceFragment,
    },
    Growth {
        growth: DeviceGrowth,
    },
    Ooms {
        ooms: DeviceOoms,
    },
    Positions {
        positions: Vec<f64>,
        /// The whole axis.
        extent: (f64, f64),
    },
}
