//! A session: the documents of one worker and the answers about them.

use super::blob::{BlobReader, Budget, memory_bytes};
use super::convert::{from_js, to_js};
use super::error::WireError;
use super::protocol::{CurveLine, DeviceSummary, OpenOptions, Reply, Request, Summary};
use crate::analysis::overview::{Input, overview};
use crate::analysis::stats::stats;
use crate::format::counters::Counters;
use crate::format::{self, Document, Keep, ReadOptions};
use crate::model::{Device, Snapshot};
use crate::replay::{CurveKind, Replay};
use crate::text::{Language, Message};
use crate::view::axis::{Axis, AxisKind, Window};
use crate::view::line::{lines, state_under, states_in};
use std::cell::OnceCell;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// A document and what has been worked out about it so far.
struct Loaded {
    name: String,
    bytes: u64,
    document: Document,
    /// One a device, made when first asked for.
    replays: OnceCell<Vec<Replay>>,
    /// What the process counted, from a side-car.
    counters: Option<Counters>,
}

/// The curves a page draws.
const SHOWN: [CurveKind; 3] = [CurveKind::Reserved, CurveKind::Active, CurveKind::Requested];

impl Loaded {
    fn snapshot(&self) -> Result<&Snapshot, WireError> {
        match &self.document {
            Document::Snapshot(snapshot) => Ok(snapshot),
            #[allow(unreachable_patterns)]
            _ => Err(WireError::request("this file is not a memory snapshot")),
        }
    }

    fn replays(&self) -> Result<&[Replay], WireError> {
        let snapshot = self.snapshot()?;
        let replay_all =
            || snapshot.devices().into_iter().map(|device| Replay::new(snapshot, device)).collect();
        Ok(self.replays.get_or_init(replay_all))
    }

    fn replay(&self, device: Device) -> Result<&Replay, WireError> {
        self.replays()?
            .iter()
            .find(|replay| replay.device == device)
            .ok_or_else(|| WireError::request(format!("the file has no device {device}")))
    }

    fn axis(&self, device: Device, kind: AxisKind) -> Result<(&Replay, Axis), WireError> {
        let replay = self.replay(device)?;
        let axis = match kind {
            AxisKind::Event => Axis::events(replay.rows.clone()),
            AxisKind::Time => Axis::time(&self.snapshot()?.events, replay.rows.clone())
                .ok_or_else(|| WireError::request(format!("the events of device {device} carry no times")))?,
        };
        Ok((replay, axis))
    }

    fn answer(&self, request: Request) -> Result<Reply, WireError> {
        Ok(match request {
            Request::Overview {} => Reply::Overview {
                overview: overview(&Input {
                    name: &self.name,
                    bytes: self.bytes,
                    snapshot: self.snapshot()?,
                    replays: self.replays()?,
                    counters: self.counters.as_ref(),
                    growth: &[],
                }),
            },
            Request::Stats {} => Reply::Stats { stats: stats(self.snapshot()?) },
            Request::Curves { device, axis, from, to, width } => {
                self.curves(device, axis, from, to, width)?
            }
            Request::Moment { device, axis, from, to } => self.moment(device, axis, Window { from, to })?,
            Request::Positions { device, axis, states } => {
                let (_, axis) = self.axis(device, axis)?;
                let events = &self.snapshot()?.events;
                Reply::Positions { positions: states.into_iter().map(|s| axis.position(events, s)).collect() }
            }
        })
    }

    fn curves(
        &self,
        device: Device,
        kind: AxisKind,
        from: Option<f64>,
        to: Option<f64>,
        width: u32,
    ) -> Result<Reply, WireError> {
        let (replay, axis) = self.axis(device, kind)?;
        let events = &self.snapshot()?.events;
        let whole = axis.whole();
        let from = from.unwrap_or(whole.from).clamp(whole.from, whole.to);
        let window = Window { from, to: to.unwrap_or(whole.to).clamp(from, whole.to) };
        let states = states_in(&axis, events, replay, window);
        let peak = replay.peak();
        let drawn = lines(replay, events, &axis, &SHOWN, window, width.clamp(1, 16_384));
        Ok(Reply::Curves {
            from: window.from,
            to: window.to,
            extent: (whole.from, whole.to),
            states: (states.start, states.end),
            origin_ms: (kind == AxisKind::Time).then(|| axis.start().0 as f64 / 1e6),
            peak_state: peak.state(),
            peak_position: axis.position(events, peak.state()),
            peak_bytes: peak.bytes.0,
            lines: SHOWN
                .into_iter()
                .zip(&drawn)
                .map(|(kind, points)| CurveLine { kind, points: points.as_slice().into() })
                .collect(),
        })
    }

    fn moment(&self, device: Device, kind: AxisKind, window: Window) -> Result<Reply, WireError> {
        let (replay, axis) = self.axis(device, kind)?;
        let events = &self.snapshot()?.events;
        let state = state_under(replay, events, &axis, window);
        let row = state.checked_sub(1).map(|event| replay.row(event));
        let [requested, pending, reserved, allocated, active] = replay.values(state).map(|bytes| bytes.0);
        Ok(Reply::Moment {
            state,
            event: i64::from(state) - 1,
            position: axis.position(events, state),
            action: row.and_then(|row| events.action.get(row)).map(|action| action.name().to_owned()),
            size: row.and_then(|row| events.size.get(row)).map(|size| size.0),
            requested,
            pending,
            reserved,
            allocated,
            active,
        })
    }

    fn summary(&self, doc: usize) -> Summary {
        let mut summary = Summary {
            doc: doc as u32,
            kind: kind_of(&self.document).to_owned(),
            writer: Default::default(),
            complete: true,
            left_out: None,
            devices: Vec::new(),
            warnings: Vec::new(),
            allocator_settings: Vec::new(),
            memory: memory_bytes(),
        };
        if let Ok(snapshot) = self.snapshot() {
            summary.writer = snapshot.writer;
            summary.complete = snapshot.complete;
            summary.left_out = snapshot.left_out;
            summary.warnings = snapshot.warnings.iter().cloned().collect();
            summary.allocator_settings = snapshot.allocator_settings.clone();
            summary.devices = snapshot
                .devices()
                .into_iter()
                .map(|device| {
                    let rows = snapshot.rows_of(device);
                    DeviceSummary {
                        device,
                        events: rows.len() as u64,
                        segments: snapshot.segments_of(device).count() as u64,
                        has_time: rows.into_iter().any(|row| snapshot.events.time_of(row).is_some()),
                    }
                })
                .collect();
        }
        summary
    }
}

/// The format's name as in JSON.
fn kind_of(document: &Document) -> &'static str {
    match document {
        Document::Snapshot(_) => "snapshot",
        Document::Trace(_) => "trace",
        Document::OperatorMemory(_) => "operator_memory",
        Document::MemoryRecords(_) => "memory_record",
        Document::ModuleMemory(_) => "npu_module_mem",
        Document::StaticOps(_) => "static_op_mem",
        Document::StepTrace(_) => "step_trace_time",
        #[allow(unreachable_patterns)]
        _ => "unknown",
    }
}

/// What one worker holds.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    documents: Vec<Loaded>,
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
        let loaded =
            Loaded { name: name.to_owned(), bytes, document, replays: OnceCell::new(), counters: None };
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

    /// Answers a request about the document `doc`. Throws a `WireError`.
    #[wasm_bindgen(unchecked_return_type = "Reply")]
    pub fn query(
        &self,
        doc: u32,
        #[wasm_bindgen(unchecked_param_type = "Request")] request: JsValue,
    ) -> Result<JsValue, JsValue> {
        let request: Request = from_js(request, "the request")?;
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
    let budget = Budget { limit: options.budget.map(|bytes| bytes as u64), ..Budget::default() };
    let estimate = budget.estimate.clone();
    let reader = BlobReader::new(blob, budget).map_err(format::Error::from)?;
    let keep = match (options.last, options.range) {
        (Some(last), _) => Keep::Last(last),
        (None, Some((from, to))) => Keep::Range(from..to),
        (None, None) => Keep::All,
    };
    let read = ReadOptions {
        len: Some(reader.len()),
        keep,
        native_frames: options.native_frames,
        ..ReadOptions::default()
    };
    let told = progress.dyn_ref::<js_sys::Function>();
    let result = format::open(reader, &read, &mut |bytes| {
        // A listener that throws must not stop the reading.
        let _ = told.map(|function| function.call1(&JsValue::NULL, &(bytes as f64).into()));
    });
    // Where the budget stopped it, the error (or a cut result) is only the consequence.
    if let Some(estimate) = estimate.get() {
        return Err(WireError::over_budget(estimate));
    }
    Ok(result?)
}
