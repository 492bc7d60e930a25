//! The files of a profiler folder put together, handed over as columns.
//!
//! Each answer is a plain array or one text of JSON: the worker's own code makes windows, lanes and tables of
//! them, so the module stays small and a drawing costs no crossing.

use super::error::WireError;
use super::session::Session;
use crate::analysis::ops::LifeEnd;
use crate::analysis::ops::report::Analysed;
use crate::format::profiler::folder::{add_document, timestamp};
use crate::model::profile::{ProfilerRun, RankKey};
use crate::view::ops::OpsTable;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

fn json<T: serde::Serialize>(value: &T) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| WireError::request(error.to_string()).into())
}

impl Session {
    fn ops(&self) -> Result<&OpsTable, JsValue> {
        self.ops.as_ref().ok_or_else(|| WireError::request("no profiler files were read").into())
    }
}

#[wasm_bindgen]
impl Session {
    /// Takes all documents of this session as the files of one run. `rank` is absent for a card without one.
    pub fn assemble(&mut self, role: &str, rank: Option<f64>, folder: &str) {
        let key = RankKey {
            role: role.to_owned(),
            rank: rank.map(|rank| rank as i64),
            timestamp: timestamp(folder),
            folder: folder.to_owned(),
        };
        let mut run = ProfilerRun { key, ..ProfilerRun::default() };
        for loaded in core::mem::take(&mut self.documents) {
            add_document(&mut run, loaded.document);
        }
        self.ops = Some(OpsTable::new(Analysed::new(run, LifeEnd::Release)));
    }

    /// Whether a row lives until its block is free for others, instead of until its tensor is freed.
    pub fn ops_block_release(&mut self, block: bool) {
        let end = if block { LifeEnd::BlockRelease } else { LifeEnd::Release };
        if let Some(table) = self.ops.take() {
            self.ops = Some(OpsTable::new(Analysed::new(table.rank.run, end)));
        }
    }

    /// An `OpsHead` as JSON.
    pub fn ops_head(&self) -> Result<String, JsValue> {
        json(&self.ops()?.head(0))
    }

    pub fn ops_floats(&self, which: usize) -> Result<Vec<f64>, JsValue> {
        Ok(self.ops()?.floats(which))
    }

    pub fn ops_ids(&self, which: usize) -> Result<Vec<u32>, JsValue> {
        Ok(self.ops()?.ids(which))
    }

    /// The points of a curve: time, value, time, value …
    pub fn ops_series(&self, which: usize) -> Result<Vec<f64>, JsValue> {
        Ok(self.ops()?.series.get(which).map(|series| series.points.clone()).unwrap_or_default())
    }

    pub fn ops_stack(&self, number: u32) -> Result<String, JsValue> {
        Ok(self.ops()?.stack(number).to_owned())
    }

    pub fn ops_stacks_with(&self, text: &str) -> Result<Vec<u32>, JsValue> {
        Ok(self.ops()?.stacks_with(text))
    }

    /// The operator of the trace around a moment, as JSON; `null` where there is none.
    pub fn ops_operator_at(&self, at: f64) -> Result<String, JsValue> {
        json(&self.ops()?.operator_at(at))
    }
}
