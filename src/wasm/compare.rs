//! A side of a comparison, as text: it leaves its worker so, and any other one can take it.
//!
//! Only what needs the tables of a file is done here. Putting two sides together is the page's part: as
//! code of this module it took a seventh of the single file's room.

use super::error::WireError;
use super::session::Session;
use crate::analysis::compare::{CurveAxis, Side, SideOptions};
use crate::model::Device;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Session {
    /// What a device (a number or `host`) of the document `doc` holds at a moment (`peak`, `end`, or the
    /// number of a state), as JSON. Without `stacks` they are cut to their call sites; `curves` is `event`,
    /// `time`, `step` or empty. Throws a `WireError`.
    pub fn side(
        &self,
        doc: u32,
        device: &str,
        moment: &str,
        stacks: bool,
        curves: &str,
    ) -> Result<String, JsValue> {
        Ok(self.side_text(doc, device, moment, stacks, curves)?)
    }
}

impl Session {
    fn side_text(
        &self,
        doc: u32,
        device: &str,
        moment: &str,
        stacks: bool,
        curves: &str,
    ) -> Result<String, WireError> {
        let loaded = self
            .documents
            .get(doc as usize)
            .ok_or_else(|| WireError::request(format!("this session has no document {doc}")))?;
        let device = match device {
            "host" => Device::Host,
            index => index
                .parse()
                .map(Device::Index)
                .map_err(|_| WireError::request(format!("{index:?} is no device")))?,
        };
        let (memory, modules, steps) = (loaded.memory(device)?, loaded.modules()?, loaded.steps(device)?);
        let state = match moment {
            "peak" => memory.replay.peak().state(),
            "end" => memory.replay.last_state(),
            state => state.parse().map_err(|_| WireError::request(format!("{state:?} is no moment")))?,
        };
        let curves = match curves {
            "event" => Some(CurveAxis::Event),
            "time" => Some(CurveAxis::Time),
            "step" => Some(CurveAxis::Step),
            _ => None,
        };
        let options = SideOptions { state, stacks, curves, by: None };
        let side = Side::new(&loaded.name, &memory, modules, steps, &options);
        serde_json::to_string(&side)
            .map_err(|error| WireError::request(format!("no text can be made: {error}")))
    }
}
