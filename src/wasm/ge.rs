//! A GE log for the page: the whole report as the terminal prints it, one graph's outputs as columns,
//! and the report files.
//!
//! The report crosses as one JSON text: it is the terminal's own, and a text costs the module far less
//! code than a conversion of each of its types. Outputs are asked for graph by graph, as a large log
//! holds hundreds of thousands, in one array of numbers with the texts beside it. For the same reason
//! these are calls of their own and no variants of the requests.

use super::error::WireError;
use super::session::Session;
use crate::analysis::ge::{Block, GraphBlocks, mem_types, report};
use crate::export::ge::{FILES, write_total};
use crate::format::Document;
use crate::model::ge::{GeLog, Lifetime};
use crate::model::{FastMap, StringId, fast_map};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Numbers of one output in `cells`; the page's `C` names them.
const WIDTH: usize = 30;

/// Texts of a reply, each once.
struct Texts<'a> {
    log: &'a GeLog,
    numbers: FastMap<StringId, f64>,
    texts: js_sys::Array,
}

impl Texts<'_> {
    fn number(&mut self, id: StringId) -> f64 {
        *self
            .numbers
            .entry(id)
            .or_insert_with(|| f64::from(self.texts.push(&JsValue::from_str(self.log.text(id))) - 1))
    }

    fn optional(&mut self, id: Option<StringId>) -> f64 {
        id.map_or(-1.0, |id| self.number(id))
    }
}

impl Session {
    fn ge_log(&self, doc: u32) -> Result<&GeLog, JsValue> {
        match self.documents.get(doc as usize).map(|loaded| &loaded.document) {
            Some(Document::GeLog(log)) => Ok(log),
            _ => Err(problem("this file is not a GE log")),
        }
    }
}

fn problem(message: impl Into<String>) -> JsValue {
    WireError::request(message).into()
}

#[wasm_bindgen]
impl Session {
    /// Everything about a log, as the terminal's JSON.
    pub fn ge_report(&self, doc: u32) -> Result<String, JsValue> {
        serde_json::to_string(&report(self.ge_log(doc)?)).map_err(|error| problem(error.to_string()))
    }

    /// The outputs of one compilation of a graph, in all kinds of memory: the numbers of each, one after the
    /// other, and last the texts that numbers stand for. `process` is its place in the report.
    pub fn ge_graph(&self, doc: u32, process: u32, key: &str, round: u32) -> Result<js_sys::Array, JsValue> {
        let log = self.ge_log(doc)?;
        let graph = log
            .processes
            .get(process as usize)
            .and_then(|process| process.graphs.iter().find(|g| g.round == round && log.text(g.key) == key))
            .ok_or_else(|| problem("the log has no such graph"))?;
        let mut texts = Texts { log, numbers: fast_map(), texts: js_sys::Array::new() };
        let mut cells: Vec<f64> = Vec::new();
        for mem_type in mem_types(graph) {
            let blocks = GraphBlocks::new(log, graph, mem_type);
            for block in &blocks.blocks {
                cells.extend_from_slice(&row(&blocks, block, &mut texts));
            }
        }
        Ok(js_sys::Array::of2(&js_sys::Float64Array::from(cells.as_slice()), &texts.texts))
    }

    /// One of the report files: a name of imas's, or `total.txt`.
    pub fn ge_file(&self, doc: u32, name: &str) -> Result<js_sys::Uint8Array, JsValue> {
        let log = self.ge_log(doc)?;
        let mut bytes = Vec::new();
        let written = match FILES.iter().find(|(file, _)| *file == name) {
            Some((_, write)) => write(log, &mut bytes),
            None if name == "total.txt" => write_total(&report(log), &mut bytes),
            None => return Err(problem("there is no report file of that name")),
        };
        written.map_err(|error| problem(error.to_string()))?;
        Ok(bytes.as_slice().into())
    }
}

fn row(graph: &GraphBlocks<'_>, block: &Block, texts: &mut Texts<'_>) -> [f64; WIDTH] {
    let row = graph.row(block);
    let Lifetime { begin_text, end_text, .. } = row.life.unwrap_or_default();
    let flag = |bit: u32, set: bool| if set { 1 << bit } else { 0 };
    let flags: u32 = flag(0, block.reusable)
        | flag(1, block.is_ref)
        | flag(2, block.continuous)
        | flag(3, block.moved)
        | flag(4, row.life.is_some());
    let tristate = |value: Option<bool>| value.map_or(-1.0, |value| f64::from(u8::from(value)));
    let [level, reuse, continuous, zero_copy, same_stream] = row.child.parts.map(f64::from);
    [
        graph.mem_type as f64,
        block.offset as f64,
        block.bytes as f64,
        block.begin as f64,
        block.end as f64,
        block.end_own_stream as f64,
        f64::from(flags),
        texts.number(row.name),
        texts.number(row.op_type),
        f64::from(row.kind as u8),
        f64::from(row.slot as u8),
        f64::from(row.index),
        row.stream.stream as f64,
        row.stream.other.map_or(f64::NAN, |other| other as f64),
        row.size.0 as f64,
        row.no_align_size.map_or(f64::NAN, |size| size.0 as f64),
        texts.optional(begin_text),
        texts.optional(end_text),
        f64::from(row.child.count),
        level,
        reuse,
        continuous,
        zero_copy,
        same_stream,
        tristate(row.is_ref),
        tristate(row.no_padding),
        texts.number(row.batch),
        texts.number(row.block_type),
        row.scope.map_or(f64::NAN, |scope| scope as f64),
        row.offset as f64,
    ]
}
