//! What a report draws, for the page: texts of JSON, as everything else that only the worker's own code reads.

use super::error::WireError;
use super::session::Session;
use crate::export::report::drawing::drawing;
use crate::export::report::lttb::reduce_floats;
use crate::model::Device;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Session {
    /// The drawings of a device (a number, or `host`).
    pub fn report_drawing(&self, doc: u32, device: &str) -> Result<String, JsValue> {
        let loaded = self
            .documents
            .get(doc as usize)
            .ok_or_else(|| WireError::request(format!("this session has no document {doc}")))?;
        let device = device.parse().map_or(Device::Host, Device::Index);
        let text = serde_json::to_string(&drawing(&loaded.memory(device)?));
        Ok(text.map_err(|error| WireError::request(error.to_string()))?)
    }

    /// A curve of a profiler run, reduced for a report: time, value, time, value …
    pub fn report_ops_line(&self, which: usize) -> Vec<f64> {
        let series = self.ops.as_ref().and_then(|table| table.series.get(which));
        series.map(|series| reduce_floats(&series.points)).unwrap_or_default()
    }
}
