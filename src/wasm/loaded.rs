//! One document of a session and what has been worked out about it so far. Everything is made when first
//! asked for and kept, so that the first view comes at once and a second question costs only itself.

use super::blob::memory_bytes;
use super::error::WireError;
use super::flame::FlameState;
use super::protocol::{DeviceSummary, Summary};
use super::tables::EventsState;
use super::timeline::TimelineState;
use crate::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use crate::analysis::modules::Modules;
use crate::analysis::steps::Steps;
use crate::format::Document;
use crate::format::counters::Counters;
use crate::model::{Device, Snapshot};
use crate::replay::Replay;
use crate::view::axis::{Axis, AxisKind};
use crate::view::lanes::Marks;
use std::cell::{OnceCell, RefCell};

/// A document.
pub struct Loaded {
    pub name: String,
    pub bytes: u64,
    pub document: Document,
    /// What the process counted, from a side-car.
    pub counters: Option<Counters>,
    /// The user's own rules of categories.
    rules: UserRules,
    /// One a device, in the order of the snapshot's devices.
    replays: OnceCell<Vec<Replay>>,
    analysed: OnceCell<Vec<Analysed>>,
    classes: OnceCell<StackClasses>,
    modules: OnceCell<Modules>,
}

/// What is known of one device beyond its replay.
#[derive(Default)]
pub struct Analysed {
    attribution: OnceCell<Attribution>,
    steps: OnceCell<Steps>,
    events_axis: OnceCell<Axis>,
    time_axis: OnceCell<Option<Axis>>,
    marks: OnceCell<Marks>,
    pub timeline: RefCell<TimelineState>,
    pub flame: RefCell<FlameState>,
    pub events: RefCell<EventsState>,
}

impl Loaded {
    pub fn new(name: &str, bytes: u64, document: Document) -> Loaded {
        Loaded {
            name: name.to_owned(),
            bytes,
            counters: document.counters(),
            document,
            rules: UserRules::default(),
            replays: OnceCell::new(),
            analysed: OnceCell::new(),
            classes: OnceCell::new(),
            modules: OnceCell::new(),
        }
    }

    /// Follows other rules from now on; whatever rests on the old ones is forgotten.
    pub fn set_rules(&mut self, rules: UserRules) {
        self.rules = rules;
        self.classes = OnceCell::new();
        self.modules = OnceCell::new();
        self.analysed = OnceCell::new();
    }

    /// What each life is for is worked out anew when it is asked for.
    pub fn forget_attribution(&mut self) {
        for analysed in self.analysed.get_mut().into_iter().flatten() {
            analysed.attribution = OnceCell::new();
        }
    }

    pub fn snapshot(&self) -> Result<&Snapshot, WireError> {
        match &self.document {
            Document::Snapshot(snapshot) => Ok(snapshot),
            #[allow(unreachable_patterns)]
            _ => Err(WireError::request("this file is not a memory snapshot")),
        }
    }

    pub fn replays(&self) -> Result<&[Replay], WireError> {
        let snapshot = self.snapshot()?;
        let replay_all =
            || snapshot.devices().into_iter().map(|device| Replay::new(snapshot, device)).collect();
        Ok(self.replays.get_or_init(replay_all))
    }

    fn index_of(&self, device: Device) -> Result<usize, WireError> {
        self.replays()?
            .iter()
            .position(|replay| replay.device == device)
            .ok_or_else(|| WireError::request(format!("the file has no device {device}")))
    }

    pub fn replay(&self, device: Device) -> Result<&Replay, WireError> {
        Ok(&self.replays()?[self.index_of(device)?])
    }

    /// What is kept of a device.
    pub fn analysed(&self, device: Device) -> Result<&Analysed, WireError> {
        let count = self.replays()?.len();
        let all = self.analysed.get_or_init(|| (0..count).map(|_| Analysed::default()).collect());
        Ok(&all[self.index_of(device)?])
    }

    pub fn classes(&self) -> Result<&StackClasses, WireError> {
        let snapshot = self.snapshot()?;
        Ok(self.classes.get_or_init(|| StackClasses::new(snapshot, self.rules.clone())))
    }

    pub fn modules(&self) -> Result<&Modules, WireError> {
        let (snapshot, classes) = (self.snapshot()?, self.classes()?);
        Ok(self.modules.get_or_init(|| Modules::new(snapshot, classes)))
    }

    /// A device's memory with what each life is for.
    pub fn memory(&self, device: Device) -> Result<Attributed<'_>, WireError> {
        let (snapshot, replay, classes) = (self.snapshot()?, self.replay(device)?, self.classes()?);
        let attribution =
            self.analysed(device)?.attribution.get_or_init(|| Attribution::new(snapshot, replay, classes));
        Ok(Attributed { snapshot, replay, classes, attribution })
    }

    pub fn steps(&self, device: Device) -> Result<&Steps, WireError> {
        let (snapshot, replay) = (self.snapshot()?, self.replay(device)?);
        Ok(self.analysed(device)?.steps.get_or_init(|| Steps::find(snapshot, replay)))
    }

    /// The axis of events or of time of a device.
    pub fn axis(&self, device: Device, kind: AxisKind) -> Result<&Axis, WireError> {
        let (snapshot, rows) = (self.snapshot()?, self.replay(device)?.rows.clone());
        let analysed = self.analysed(device)?;
        match kind {
            AxisKind::Event => Ok(analysed.events_axis.get_or_init(|| Axis::events(rows))),
            AxisKind::Time => {
                analysed.time_axis.get_or_init(|| Axis::time(&snapshot.events, rows)).as_ref().ok_or_else(
                    || WireError::request(format!("the events of device {device} carry no times")),
                )
            }
        }
    }

    /// The events that stand in the timeline's lanes.
    pub fn marks(&self, device: Device) -> Result<&Marks, WireError> {
        let (snapshot, replay) = (self.snapshot()?, self.replay(device)?);
        Ok(self.analysed(device)?.marks.get_or_init(|| Marks::find(snapshot, replay)))
    }

    pub fn summary(&self, doc: usize) -> Summary {
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
        if let Document::GeLog(log) = &self.document {
            summary.warnings = log.warnings.iter().cloned().collect();
        }
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
        Document::Run(_) => "profiler_db",
        Document::GeLog(_) => "ge_log",
        #[allow(unreachable_patterns)]
        _ => "unknown",
    }
}
