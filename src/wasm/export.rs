//! Files for other programs, in pieces: a file may be larger than what the module's memory can spare.

use super::error::WireError;
use super::session::Session;
use crate::analysis::attribution::Attributed;
use crate::export::folded::{Prefix, write_folded};
use crate::export::pickle::{Selection, write_pickle};
use crate::export::snapshot_trace::write_snapshot_trace;
use crate::format::Document;
use crate::model::Device;
use std::io::{self, BufWriter, Write};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Bytes of a piece.
pub(super) const PIECE: usize = 1 << 20;

/// Hands each piece to a function of the worker.
pub(super) struct Pieces<'a>(pub &'a js_sys::Function);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = js_sys::Uint8Array::from(bytes);
        match self.0.call1(&JsValue::NULL, &piece) {
            Ok(_) => Ok(bytes.len()),
            Err(_) => Err(io::Error::other("the page took no more")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[wasm_bindgen]
impl Session {
    /// While it is on, no answer about the document `doc` shows directories or user names, nor does one about
    /// the profiler run.
    pub fn strip_paths(&mut self, doc: u32, on: bool) {
        if let Some(table) = &mut self.ops {
            let run = &mut table.rank.run;
            if on { run.strip_paths() } else { run.show_paths() }
        }
        if let Some(loaded) = self.documents.get_mut(doc as usize)
            && let Document::Snapshot(snapshot) = &mut loaded.document
        {
            if on {
                snapshot.strip_paths();
            } else {
                snapshot.show_paths();
            }
            // Evidence quotes places of the program.
            loaded.forget_attribution();
        }
    }

    /// Writes a file about the document `doc`: `folded`, `trace` or `pickle`, of one device or of all, the pickle
    /// of the events `from` to `to` (not included) where both are given. `sink` takes the pieces.
    pub fn export(
        &self,
        doc: u32,
        format: &str,
        device: &str,
        from: Option<f64>,
        to: Option<f64>,
        #[wasm_bindgen(unchecked_param_type = "(piece: Uint8Array) => void")] sink: &js_sys::Function,
    ) -> Result<(), JsValue> {
        let mut out = BufWriter::with_capacity(PIECE, Pieces(sink));
        self.write_file(doc, format, device, from.zip(to), &mut out)?;
        Ok(out.flush().map_err(|error| failed(&error))?)
    }
}

pub(super) fn failed(error: &io::Error) -> WireError {
    WireError::request(format!("the file could not be written: {error}"))
}

impl Session {
    fn write_file(
        &self,
        doc: u32,
        format: &str,
        device: &str,
        events: Option<(f64, f64)>,
        out: &mut dyn Write,
    ) -> Result<(), WireError> {
        let loaded = self
            .documents
            .get(doc as usize)
            .ok_or_else(|| WireError::request(format!("this session has no document {doc}")))?;
        let snapshot = loaded.snapshot()?;
        let device = match device {
            "" => None,
            "host" => Some(Device::Host),
            index => Some(
                index
                    .parse()
                    .map(Device::Index)
                    .map_err(|_| WireError::request(format!("{index:?} is no device")))?,
            ),
        };
        let written = match format {
            "folded" => write_folded(snapshot, Prefix::Stream, out),
            "pickle" => {
                let events = events.map(|(from, to)| from.max(0.0) as u64..to.max(0.0) as u64);
                write_pickle(snapshot, &Selection { device, events }, out)
            }
            "trace" => {
                let wanted = snapshot.devices().into_iter().filter(|&each| device.is_none_or(|d| d == each));
                let devices: Vec<Attributed<'_>> =
                    wanted.map(|device| loaded.memory(device)).collect::<Result<_, _>>()?;
                write_snapshot_trace(&devices, out)
            }
            _ => return Err(WireError::request("there is no such format")),
        };
        written.map_err(|error| failed(&error))
    }
}
