//! A session: the documents of one worker and the answers about them.

use super::blob::{BlobReader, Budget, memory_bytes};
use super::convert::{from_js, to_js};
use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{OpenOptions, Request};
use super::timeline;
use crate::analysis::attribution::{Matcher, UserRules};
use crate::format::counters::Counters;
use crate::format::{self, Document, Keep, ReadOptions};
use crate::model::ge::GeLog;
use crate::text::{Language, Message};
use crate::view::ops::OpsTable;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// What one worker holds.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    pub(super) documents: Vec<Loaded>,
    /// The documents of a profiler folder, once they are put together.
    pub(super) ops: Option<OpsTable>,
}

#[wasm_bindgen]
impl Session {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Session {
        Session::default()
    }

    /// Reads a file; `progress` is called with the bytes read so far. Throws a `WireError`.
    #[wasm_bindgen(unchecked_return_type = "Summary")]
    pub fn open(
        &mut self,
        blob: web_sys::Blob,
        name: &str,
        #[wasm_bindgen(unchecked_param_type = "OpenOptions")] options: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(read: number) => void")] progress: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: OpenOptions = from_js(options, "the options")?;
        let bytes = blob.size().max(0.0) as u64;
        let document = read(blob, &options, progress)?;
        let loaded = Loaded::new(name, bytes, document);
        let summary = loaded.summary(self.documents.len());
        self.documents.push(loaded);
        Ok(to_js(&summary)?)
    }

    /// Reads several files as one GE log. Throws a `WireError`.
    #[wasm_bindgen(unchecked_return_type = "Summary")]
    pub fn open_logs(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Blob[]")] blobs: &js_sys::Array,
        #[wasm_bindgen(unchecked_param_type = "string[]")] names: &js_sys::Array,
        #[wasm_bindgen(unchecked_param_type = "OpenOptions")] options: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(read: number) => void")] progress: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: OpenOptions = from_js(options, "the options")?;
        let (log, bytes) = read_logs(blobs, names, &options, progress)?;
        let loaded = Loaded::new("", bytes, Document::GeLog(Box::new(log)));
        let summary = loaded.summary(self.documents.len());
        self.documents.push(loaded);
        Ok(to_js(&summary)?)
    }

    /// Takes the counters of the process that wrote the document `doc`, from its side-car's bytes.
    pub fn set_counters(&mut self, doc: u32, text: &[u8]) -> Result<(), JsValue> {
        let counters = Counters::read(text).map_err(WireError::from)?;
        if let Some(loaded) = self.documents.get_mut(doc as usize) {
            loaded.counters = Some(counters);
        }
        Ok(())
    }

    /// Takes the user's own rules of categories for every document; `engine` makes a RegExp of a pattern.
    /// Throws a `WireError` that names the line.
    pub fn set_rules(
        &mut self,
        text: &str,
        #[wasm_bindgen(unchecked_param_type = "(pattern: string) => RegExp")] engine: &js_sys::Function,
    ) -> Result<(), JsValue> {
        let compile = |pattern: &str| -> Result<Matcher, String> {
            let made = engine.call1(&JsValue::NULL, &pattern.into()).map_err(|error| {
                error.dyn_ref::<js_sys::Error>().map_or_else(String::new, |e| String::from(e.message()))
            })?;
            let regex: js_sys::RegExp = made.unchecked_into();
            Ok(Rc::new(move |text: &str| regex.test(text)))
        };
        let rules = UserRules::parse_with(text, &compile).map_err(|error| WireError::rules(&error))?;
        for loaded in &mut self.documents {
            loaded.set_rules(rules.clone());
        }
        Ok(())
    }

    /// Answers a request about the document `doc`; `buffer` is one of an earlier reply that the page is
    /// done with. Throws a `WireError`.
    #[wasm_bindgen(unchecked_return_type = "Reply")]
    pub fn query(
        &self,
        doc: u32,
        #[wasm_bindgen(unchecked_param_type = "Request")] request: JsValue,
        buffer: Option<js_sys::ArrayBuffer>,
    ) -> Result<JsValue, JsValue> {
        let request = Request::from_page(request)?;
        timeline::recycle(buffer);
        let loaded = self
            .documents
            .get(doc as usize)
            .ok_or_else(|| WireError::request(format!("this session has no document {doc}")))?;
        Ok(to_js(&loaded.answer(request)?)?)
    }

    /// A message of a reply as a sentence: `language` is `en` or `zh`.
    pub fn say(&self, message: JsValue, language: &str) -> Result<String, JsValue> {
        let message: Message = from_js(message, "the message")?;
        Ok(message.render(Language::from_code(language).unwrap_or_default()))
    }
}

fn read(blob: web_sys::Blob, options: &OpenOptions, progress: &JsValue) -> Result<Document, WireError> {
    with_reader(blob, options, progress, 0, |reader, read, told| format::open(reader, read, told))
}

/// Reads several files as one GE log. A file that is none is told of in the log's warnings.
fn read_logs(
    blobs: &js_sys::Array,
    names: &js_sys::Array,
    options: &OpenOptions,
    progress: &JsValue,
) -> Result<(GeLog, u64), WireError> {
    let mut reader = format::ge_log::Reader::default();
    let mut bytes = 0;
    let mut failed: Vec<(String, WireError)> = Vec::new();
    for (blob, name) in blobs.iter().zip(names.iter()) {
        let blob: web_sys::Blob = blob.unchecked_into();
        let len = blob.size().max(0.0) as u64;
        let read = with_reader(blob, options, progress, bytes, |source, read, told| {
            format::open_ge_log(source, read, told, &mut reader)
        });
        bytes += len;
        // A set of many small files reaches no probe of a single one.
        if options.budget.is_some_and(|limit| memory_bytes() as f64 > limit) {
            return Err(WireError::over_budget(memory_bytes()));
        }
        match read {
            Ok(()) => {}
            Err(error) if error.estimate.is_some() => return Err(error),
            Err(error) => failed.push((name.as_string().unwrap_or_default(), error)),
        }
    }
    let mut log = reader.finish();
    if log.files == 0
        && let Some((_, error)) = failed.pop()
    {
        return Err(error);
    }
    for (name, error) in failed {
        log.warnings.add("file_not_read", None, || format!("{name}: {}", error.message));
    }
    Ok((log, bytes))
}

/// Opens a blob for reading and hands it over; `before` bytes of earlier files count as read.
fn with_reader<T>(
    blob: web_sys::Blob,
    options: &OpenOptions,
    progress: &JsValue,
    before: u64,
    read: impl FnOnce(BlobReader, &ReadOptions, &mut dyn FnMut(u64)) -> format::Result<T>,
) -> Result<T, WireError> {
    let budget = Budget { limit: options.budget.map(|bytes| bytes as u64), ..Budget::default() };
    let estimate = budget.estimate.clone();
    let reader = BlobReader::new(blob, budget).map_err(format::Error::from)?;
    let keep = match (options.last, options.range) {
        (Some(last), _) => Keep::Last(last),
        (None, Some((from, to))) => Keep::Range(from..to),
        (None, None) => Keep::All,
    };
    let how = ReadOptions {
        len: Some(reader.len()),
        keep,
        native_frames: options.native_frames,
        ..ReadOptions::default()
    };
    let told = progress.dyn_ref::<js_sys::Function>();
    let result = read(reader, &how, &mut |bytes| {
        // A listener that throws must not stop the reading.
        let _ = told.map(|function| function.call1(&JsValue::NULL, &((before + bytes) as f64).into()));
    });
    // Where the budget stopped it, the error (or a cut result) is only the consequence.
    if let Some(estimate) = estimate.get() {
        return Err(WireError::over_budget(estimate));
    }
    Ok(result?)
}
