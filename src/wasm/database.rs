//! A document's tables as a SQLite database, handed to the page piece by piece.

use super::error::WireError;
use super::export::{PIECE, Pieces, failed};
use super::session::Session;
use crate::analysis::attribution::Attributed;
use crate::export::sqlite::Writer;
use crate::export::tables::Source;
use crate::model::base_name;
use std::io::{BufWriter, Write};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Session {
    /// The tables of the document `doc`, or of the profiler run that the documents are, which is called `run`. `sink`
    /// takes the pieces of the file but for its first page, which is known last and returned.
    pub fn database(
        &self,
        doc: u32,
        run: &str,
        #[wasm_bindgen(unchecked_param_type = "(piece: Uint8Array) => void")] sink: &js_sys::Function,
    ) -> Result<js_sys::Uint8Array, JsValue> {
        let writer = Writer::new(BufWriter::with_capacity(PIECE, Pieces(sink)), true);
        let (mut out, first) = if let Some(table) = &self.ops {
            let mut source = Source::of_runs(std::slice::from_ref(&table.rank));
            source.facts = vec![("source", run.to_owned())];
            writer.everything(&source)
        } else {
            let loaded = self
                .documents
                .get(doc as usize)
                .ok_or_else(|| WireError::request(format!("this session has no document {doc}")))?;
            let snapshot = loaded.snapshot()?;
            let memory: Vec<Attributed<'_>> =
                snapshot.devices().into_iter().map(|d| loaded.memory(d)).collect::<Result<_, _>>()?;
            let mut source = Source::of_snapshot(snapshot, &memory);
            let name = if snapshot.is_stripped() { base_name(&loaded.name) } else { &loaded.name };
            source.facts = vec![("source", name.to_owned()), ("source_bytes", loaded.bytes.to_string())];
            source.facts.extend(loaded.counters.as_ref().map(|counters| ("counters", counters.to_json())));
            writer.everything(&source)
        }
        .map_err(|error| failed(&error))?;
        out.flush().map_err(|error| failed(&error))?;
        Ok(js_sys::Uint8Array::from(&first[..]))
    }
}
