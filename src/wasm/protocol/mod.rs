//! What can be asked and what is answered. A request and its reply carry the same `type`.
//!
//! To add a question: a variant of [`Request`] and its reading in `from_page`, one of [`Reply`] by the same
//! name, and an arm in `Loaded::answer`. Analyses cross as their own JSON structures; series cross as typed arrays.
//! Integers up to 2^53 are exact in the page; an address goes as hexadecimal text.

mod from_page;
mod reply;
mod request;

pub use reply::*;
pub use request::*;

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
export interface LeftOut { events: number; after: number; native_frames: boolean }
export interface Warning { kind: string; count: number; detail: string; position: Position | null }
/** A text for people: its key, its values, and the sentence in both languages. */
export interface Message { key: string; params: Record<string, unknown>; en: string; zh: string }
/** What x counts: states (0 is before the first event), or nanoseconds after the first event. */
export type AxisKind = "event" | "time";
export type CurveKind = "requested" | "pending" | "reserved" | "allocated" | "active";
"#;
