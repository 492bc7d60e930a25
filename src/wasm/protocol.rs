//! What can be asked and what is answered. A request and its reply carry the same `type`.
//!
//! To add a question: a variant of [`Request`], one of [`Reply`] by the same name, and an arm in
//! `Session::answer`. Analyses cross as their own JSON structures; series cross as typed arrays.
//! Integers up to 2^53 are exact in the page; an address goes as hexadecimal text.

use crate::analysis::overview::Overview;
use crate::analysis::stats::Stats;
use crate::model::{Device, LeftOut, Warning, Writer};
use crate::view::axis::AxisKind;
use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const HANDLES: &str = r#"
/** A number of bytes. */
export type Bytes = number;
/** Nanoseconds. */
export type Nanos = number;
export type Device = number | "host";
export type Writer = "torch" | "torch_npu" | "unknown";
export type SegmentType = "large" | "small" | "unknown";
export type Position = { byte: number } | { line: number } | { record: number } | { event: number };
export interface LeftOut { events: number; native_frames: boolean }
export interface Warning { kind: string; count: number; detail: string; position: Position | null }
/** A text for people: its key, its values, and the sentence in both languages. */
export interface Message { key: string; params: Record<string, unknown>; en: string; zh: string }
/** What x counts: states (0 is before the first event), or nanoseconds after the first event. */
export type AxisKind = "event" | "time";
export type CurveKind = "requested" | "pending" | "reserved" | "allocated" | "active";
"#;

/// How a file is to be read.
#[derive(Clone, Debug, Default, Deserialize, Tsify)]
#[serde(default)]
pub struct OpenOptions {
    /// Bytes of memory it may take; null for no limit but the browser's.
    #[tsify(type = "number | null")]
    pub budget: Option<f64>,
    /// False leaves C++ frames out.
    pub native_frames: bool,
    /// Keep only the last events of each device.
    #[tsify(type = "number | null")]
    pub last: Option<u64>,
    /// Keep only the events from the first number to before the second, of each device.
    #[tsify(type = "[number, number] | null")]
    pub range: Option<(u64, u64)>,
}

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

/// A question about an opened file.
#[derive(Clone, Debug, Deserialize, Tsify)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Totals, health and checks of all devices.
    Overview {},
    /// PyTorch's own totals.
    Stats {},
    /// The memory curves of a device in a window of `width` pixel columns.
    Curves {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        /// The window in units of the axis; null is the axis's end.
        #[tsify(type = "number | null")]
        from: Option<f64>,
        #[tsify(type = "number | null")]
        to: Option<f64>,
        width: u32,
    },
    /// The figures at the moment a pointer means, between two positions of an axis.
    Moment {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        from: f64,
        to: f64,
    },
    /// Where states begin on an axis.
    Positions {
        #[tsify(type = "Device")]
        device: Device,
        #[tsify(type = "AxisKind")]
        axis: AxisKind,
        states: Vec<u32>,
    },
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
    Positions {
        positions: Vec<f64>,
    },
}
