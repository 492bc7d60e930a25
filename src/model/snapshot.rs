//! A whole snapshot: what the reader leaves behind and everything to the right looks at.

use super::arrange::Arrange;
use super::device::Device;
use super::events::EventTable;
use super::frames::FrameTable;
use super::ids::{PoolId, SegmentId, StreamId, StringId};
use super::segments::{BlockTable, Segment, SegmentTable};
use super::stacks::StackTable;
use super::strings::StringTable;
use super::strip::Unstripped;
use super::units::Nanos;
use super::warnings::Warnings;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// One device's run of rows in the [`EventTable`], oldest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub device: Device,
    pub rows: Range<usize>,
}

/// An entry of `external_annotations` (or a `user_defined` event of the nightlies before it).
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    pub name: StringId,
    /// `START` or `END`, as the file says.
    pub stage: StringId,
    pub device: Option<Device>,
    pub time: Option<Nanos>,
}

/// Who wrote the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    Torch,
    TorchNpu,
    #[default]
    Unknown,
}

/// Distinct stream values. Few in any real file, so a list beats a map.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    values: Vec<i64>,
    index: super::hash::FastMap<i64, StreamId>,
}

impl Streams {
    #[inline]
    pub fn intern(&mut self, value: i64) -> StreamId {
        if let Some(&id) = self.index.get(&value) {
            return id;
        }
        let id = StreamId::new(self.values.len());
        self.values.push(value);
        self.index.insert(value, id);
        id
    }

    /// The raw value, a pointer-sized integer on NPU; 0 for the default stream of CUDA.
    pub fn get(&self, id: StreamId) -> i64 {
        self.values.get(id.index()).copied().unwrap_or(0)
    }

    /// Raw values by id.
    pub fn values(&self) -> &[i64] {
        &self.values
    }
}

/// Distinct memory pools `(a, b)`; `(0, 0)` is the default pool.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    values: Vec<(i64, i64)>,
    index: super::hash::FastMap<(i64, i64), PoolId>,
}

impl Pools {
    pub fn intern(&mut self, value: (i64, i64)) -> PoolId {
        if let Some(&id) = self.index.get(&value) {
            return id;
        }
        let id = PoolId::new(self.values.len());
        self.values.push(value);
        self.index.insert(value, id);
        id
    }

    /// The pool's pair; the default pool where none was recorded.
    pub fn get(&self, id: PoolId) -> (i64, i64) {
        self.values.get(id.index()).copied().unwrap_or((0, 0))
    }
}

/// Everything a snapshot file says, in columns.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub strings: StringTable,
    pub frames: FrameTable,
    pub stacks: StackTable,
    pub streams: Streams,
    pub pools: Pools,
    pub events: EventTable,
    /// One for each device list of the file, empty ones included, then the host's.
    pub traces: Vec<Trace>,
    pub segments: SegmentTable,
    pub blocks: BlockTable,
    pub annotations: Vec<Annotation>,
    /// `allocator_settings` flattened to `(key, value)` texts, in the order of the file.
    pub allocator_settings: Vec<(String, String)>,
    pub writer: Writer,
    /// False when the file was cut or damaged and only its beginning could be used.
    pub complete: bool,
    /// Set when the reader was asked to keep only some events; the first event kept of each device
    /// counts as its event 0.
    pub left_out: Option<LeftOut>,
    pub warnings: Warnings,
    /// The text of the counters' side-car, where the file brings it along.
    pub counters: Option<String>,
    /// Set while paths are stripped.
    pub unstripped: Option<Box<Unstripped>>,
}

/// What an option of the reader left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LeftOut {
    pub events: u64,
    /// Events after the range asked for that stay, because what is live in it follows from them.
    pub after: u64,
    pub native_frames: bool,
}

impl Snapshot {
    /// Every device that has segments or events, in order, the host last.
    pub fn devices(&self) -> Vec<Device> {
        let with_events = self.traces.iter().filter(|t| !t.rows.is_empty()).map(|t| t.device);
        let mut devices: Vec<Device> = self.segments.iter().map(|s| s.device).chain(with_events).collect();
        devices.arrange();
        devices.dedup();
        devices
    }

    /// The event rows of a device; empty where it has none.
    pub fn rows_of(&self, device: Device) -> Range<usize> {
        self.traces.iter().find(|t| t.device == device && !t.rows.is_empty()).map_or(0..0, |t| t.rows.clone())
    }

    /// The segments of a device, in the order of the file.
    pub fn segments_of(&self, device: Device) -> impl Iterator<Item = (SegmentId, &Segment)> {
        self.segments
            .iter()
            .enumerate()
            .filter(move |(_, s)| s.device == device)
            .map(|(i, s)| (SegmentId::new(i), s))
    }

    /// Bytes of memory the tables take.
    pub fn heap_bytes(&self) -> usize {
        self.strings.heap_bytes()
            + self.frames.heap_bytes()
            + self.stacks.heap_bytes()
            + self.events.heap_bytes()
            + self.segments.capacity() * size_of::<Segment>()
            + self.blocks.rows.capacity() * size_of::<super::segments::Block>()
            + self.blocks.history.capacity() * size_of::<super::segments::HistoryEntry>()
            + self.blocks.forward_frames.heap_bytes()
    }
}
