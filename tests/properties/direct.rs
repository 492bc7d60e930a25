//! The tables that a reader must make of a file, built straight from the data before it was written.

use hbmlens::model::{
    Action, Address, Annotation, Block, BlockState, Bytes, Device, Event, Frame, FrameId, HistoryEntry,
    Nanos, Segment, SegmentId, SegmentType, Snapshot, StackId, StringId, Trace, Writer,
};
use hbmlens::simulate::{Tree, Value};

/// The snapshot that the data stands for.
pub fn direct(tree: &Tree, writer: Writer) -> Snapshot {
    let mut reader = Direct { tree, snapshot: Snapshot { writer, complete: true, ..Snapshot::default() } };
    let root = match &tree.root {
        Value::List(_) => {
            reader.segments(&tree.root);
            return reader.snapshot;
        }
        root => root,
    };
    for (number, trace) in reader.items(reader.get(root, "device_traces")).into_iter().enumerate() {
        let from = reader.snapshot.events.len();
        reader.items(Some(trace)).into_iter().for_each(|event| reader.event(event));
        let rows = from..reader.snapshot.events.len();
        reader.snapshot.traces.push(Trace { device: Device::Index(number as i32), rows });
    }
    if let Some(segments) = reader.get(root, "segments") {
        reader.segments(segments);
    }
    for annotation in reader.items(reader.get(root, "external_annotations")) {
        let name = reader.text(reader.get(annotation, "name"));
        let stage = reader.text(reader.get(annotation, "stage"));
        let annotation = Annotation {
            name: reader.snapshot.strings.intern(&name),
            stage: reader.snapshot.strings.intern(&stage),
            device: reader.int(annotation, "device").map(|d| Device::Index(d as i32)),
            time: reader.int(annotation, "time_us").map(|t| Nanos::from_micros(t as i64)),
        };
        reader.snapshot.annotations.push(annotation);
    }
    reader.snapshot
}

struct Direct<'a> {
    tree: &'a Tree,
    snapshot: Snapshot,
}

impl<'a> Direct<'a> {
    fn open(&self, value: &'a Value) -> &'a Value {
        match value {
            Value::Shared(id) => &self.tree.shared[*id],
            other => other,
        }
    }

    fn get(&self, dict: &'a Value, wanted: &str) -> Option<&'a Value> {
        let Value::Dict(entries) = self.open(dict) else { return None };
        entries
            .iter()
            .find(|(key, _)| matches!(key, Value::Word(k) if *k == wanted))
            .map(|(_, v)| self.open(v))
    }

    fn items(&self, list: Option<&'a Value>) -> Vec<&'a Value> {
        match list.map(|l| self.open(l)) {
            Some(Value::List(items) | Value::Tuple(items)) => items.iter().map(|i| self.open(i)).collect(),
            _ => Vec::new(),
        }
    }

    fn int(&self, dict: &'a Value, key: &str) -> Option<i128> {
        match self.get(dict, key) {
            Some(Value::Int(n)) => Some(*n),
            _ => None,
        }
    }

    fn bytes(&self, dict: &'a Value, key: &str) -> Bytes {
        Bytes(self.int(dict, key).unwrap_or(0) as u64)
    }

    fn text(&self, value: Option<&Value>) -> String {
        match value {
            Some(Value::Word(text)) => (*text).to_owned(),
            Some(Value::Text(text)) => text.to_string(),
            _ => String::new(),
        }
    }

    fn stack(&mut self, dict: &'a Value) -> StackId {
        let Some(frames) = self.get(dict, "frames") else { return StackId::NONE };
        let mut ids: Vec<FrameId> = Vec::new();
        for frame in self.items(Some(frames)) {
            let file = self.text(self.get(frame, "filename"));
            let name = self.text(self.get(frame, "name"));
            let line = self.int(frame, "line").unwrap_or(0) as u64;
            let file = self.snapshot.strings.intern(&file);
            let function = self.snapshot.strings.intern(&name);
            ids.push(self.snapshot.frames.intern(Frame { file, function, line }));
        }
        if ids.is_empty() { StackId::NONE } else { self.snapshot.stacks.intern(&ids) }
    }

    fn pool(&mut self, dict: &'a Value, key: &str) -> hbmlens::model::PoolId {
        let pair: Vec<i64> = self
            .items(self.get(dict, key))
            .into_iter()
            .filter_map(|v| if let Value::Int(n) = v { Some(*n as i64) } else { None })
            .collect();
        match pair[..] {
            [a, b] => self.snapshot.pools.intern((a, b)),
            _ => hbmlens::model::PoolId::NONE,
        }
    }

    fn event(&mut self, event: &'a Value) {
        let action = Action::from_name(&self.text(self.get(event, "action")));
        let place = if action == Action::Oom { "device_free" } else { "addr" };
        let stream = self.int(event, "stream").unwrap_or(0) as i64;
        let stack = self.stack(event);
        let pool = self.pool(event, "pool_id");
        let row = self.snapshot.events.push(Event {
            action,
            address: Address(self.int(event, place).unwrap_or(0) as u64),
            size: self.bytes(event, "size"),
            stream: self.snapshot.streams.intern(stream),
            time: self.int(event, "time_us").map(|t| Nanos::from_micros(t as i64)),
            stack,
        });
        self.snapshot.events.pool.set(row, pool);
    }

    fn segments(&mut self, segments: &'a Value) {
        for segment in self.items(Some(segments)) {
            let id = SegmentId::new(self.snapshot.segments.len());
            let first = self.snapshot.blocks.rows.len() as u32;
            let address = self.bytes(segment, "address").0;
            let mut at = address;
            for block in self.items(self.get(segment, "blocks")) {
                at += self.block(block, id, at);
            }
            let stream = self.int(segment, "stream").unwrap_or(0) as i64;
            let stream = self.snapshot.streams.intern(stream);
            let pool = self.pool(segment, "segment_pool_id");
            let stack = self.stack(segment);
            let segment_type = match self.text(self.get(segment, "segment_type")).as_str() {
                "large" => SegmentType::Large,
                "small" => SegmentType::Small,
                _ => SegmentType::Unknown,
            };
            self.snapshot.segments.push(Segment {
                device: Device::Index(self.int(segment, "device").unwrap_or(0) as i32),
                address: Address(address),
                total_size: self.bytes(segment, "total_size"),
                allocated_size: self.bytes(segment, "allocated_size"),
                active_size: self.bytes(segment, "active_size"),
                requested_size: self.int(segment, "requested_size").map(|n| Bytes(n as u64)),
                stream,
                segment_type,
                pool,
                is_expandable: matches!(self.get(segment, "is_expandable"), Some(Value::Bool(true))),
                stack,
                forward_frames: StringId::NONE,
                blocks: first..self.snapshot.blocks.rows.len() as u32,
            });
        }
    }

    fn block(&mut self, block: &'a Value, segment: SegmentId, at: u64) -> u64 {
        let from = self.snapshot.blocks.history.len() as u32;
        for entry in self.items(self.get(block, "history")) {
            let stack = self.stack(entry);
            self.snapshot.blocks.history.push(HistoryEntry {
                address: Address(self.bytes(entry, "addr").0),
                real_size: self.bytes(entry, "real_size"),
                stack,
                cpp_frames: StringId::NONE,
            });
        }
        let stack = self.stack(block);
        let size = self.bytes(block, "size");
        self.snapshot.blocks.rows.push(Block {
            address: Address(self.int(block, "address").map_or(at, |a| a as u64)),
            size,
            requested_size: self.int(block, "requested_size").map(|n| Bytes(n as u64)),
            state: match self.text(self.get(block, "state")).as_str() {
                "active_allocated" => BlockState::ActiveAllocated,
                "active_pending_free" => BlockState::ActivePendingFree,
                "inactive" => BlockState::Inactive,
                _ => BlockState::Unknown,
            },
            stack,
            segment,
            history: (from, self.snapshot.blocks.history.len() as u32),
        });
        size.0
    }
}
