//! From a run to the data of a file, in the layouts that writers of different times give it.

use super::allocator::{Backend, Simulator};
use super::pools::Use;
use super::recorder::{Entry, SegmentThen, segments_now};
use super::stacks::StackRef;
use super::value::{Tree, Value};
use std::collections::HashMap;

/// Which keys a file has.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Only the list of segments, as torch 1.13 and `memory_snapshot()` give it.
    pub segments_only: bool,
    /// torch 2.0: blocks with `history`, without addresses.
    pub history_blocks: bool,
    /// `time_us` on every event; torch_npu has none.
    pub times: bool,
    /// `pool_id`, `compile_context` and `user_metadata` on events (torch 2.12).
    pub event_notes: bool,
    /// `allocator_settings` and `external_annotations`.
    pub settings: bool,
    /// Only the last so many events.
    pub max_entries: Option<usize>,
    /// Segments in the order they are met in a hash table, not by address.
    pub unsorted: bool,
}

impl Layout {
    /// What the backend writes today.
    pub fn of(backend: Backend) -> Layout {
        let torch = backend == Backend::Cuda;
        Layout {
            segments_only: false,
            history_blocks: false,
            times: torch,
            event_notes: torch,
            settings: torch,
            max_entries: None,
            unsorted: false,
        }
    }
}

/// The data of a file with these devices, in order.
pub fn snapshot(devices: &[&Simulator], layout: &Layout) -> Tree {
    let mut builder = Builder { layout, shared: Vec::new(), frames: HashMap::new(), lists: HashMap::new() };
    let mut segments = Vec::new();
    let mut traces = Vec::new();
    let mut annotations = Vec::new();
    for (number, &device) in devices.iter().enumerate() {
        segments.extend(builder.segments(number, device));
        let index = device.config.device as usize;
        while traces.len() <= index {
            traces.push(Value::List(Vec::new()));
        }
        traces[index] = builder.trace(number, device);
        annotations.extend(builder.annotations(device));
    }
    if layout.unsorted {
        let middle = segments.len() / 2;
        segments.rotate_left(middle);
    }
    if layout.segments_only {
        return Tree { root: Value::List(segments), shared: builder.shared };
    }
    let mut root = vec![("segments", Value::List(segments)), ("device_traces", Value::List(traces))];
    if layout.settings {
        let expandable = devices.iter().any(|d| d.config.expandable);
        root.push(("allocator_settings", allocator_settings(expandable)));
        root.push(("external_annotations", Value::List(annotations)));
    }
    Tree { root: Value::dict(root), shared: builder.shared }
}

fn allocator_settings(expandable: bool) -> Value {
    let text = if expandable { "expandable_segments:True" } else { "" };
    let divisions = (0..16).map(|n| (Value::text(&(1u32 << n).to_string()), Value::Int(0))).collect();
    Value::dict(vec![
        ("PYTORCH_CUDA_ALLOC_CONF", Value::text(text)),
        ("max_split_size", Value::Int(-1)),
        ("garbage_collection_threshold", Value::Float(0.0)),
        ("expandable_segments", Value::Bool(expandable)),
        ("pinned_num_register_threads", Value::Int(1)),
        ("release_lock_on_cudamalloc", Value::Bool(false)),
        ("pinned_use_cuda_host_register", Value::Bool(false)),
        ("roundup_power2_divisions", Value::Dict(divisions)),
    ])
}

/// Whose list of frames: a life's allocation event and block share one; each other event has its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Life(usize),
    Segment(u64),
}

struct Builder<'a> {
    layout: &'a Layout,
    shared: Vec<Value>,
    /// Frame of a device's run → shared object.
    frames: HashMap<(usize, usize), usize>,
    lists: HashMap<(usize, Owner), usize>,
}

impl Builder<'_> {
    fn share(&mut self, value: Value) -> usize {
        self.shared.push(value);
        self.shared.len() - 1
    }

    fn frame_list(&mut self, number: usize, device: &Simulator, stack: StackRef) -> Value {
        let mut list = Vec::new();
        for &id in device.stacks.frame_ids(stack) {
            let shared = match self.frames.get(&(number, id)) {
                Some(&shared) => shared,
                None => {
                    let frame = &device.stacks.frames()[id];
                    let value = Value::dict(vec![
                        ("name", Value::text(&frame.name)),
                        ("filename", Value::text(&frame.file)),
                        ("line", Value::int(frame.line)),
                    ]);
                    let shared = self.share(value);
                    self.frames.insert((number, id), shared);
                    shared
                }
            };
            list.push(Value::Shared(shared));
        }
        Value::List(list)
    }

    /// The frames of an allocation: one object for its event and its block.
    fn owned_frames(&mut self, number: usize, device: &Simulator, owner: Owner, stack: StackRef) -> Value {
        if let Some(&shared) = self.lists.get(&(number, owner)) {
            return Value::Shared(shared);
        }
        let list = self.frame_list(number, device, stack);
        let shared = self.share(list);
        self.lists.insert((number, owner), shared);
        Value::Shared(shared)
    }

    fn pool_id(pool: u32) -> Value {
        Value::Tuple(vec![Value::Int(0), Value::Int(pool.into())])
    }

    fn segments(&mut self, number: usize, device: &Simulator) -> Vec<Value> {
        let segments = segments_now(&device.blocks);
        let mut values: Vec<Value> = segments.iter().map(|s| self.segment(number, device, s)).collect();
        for &(size, stream, address) in &device.workspaces {
            let block = vec![
                ("address", Value::int(address)),
                ("size", Value::int(size)),
                ("requested_size", Value::Int(0)),
                ("state", Value::Word("inactive")),
                ("frames", Value::List(Vec::new())),
            ];
            values.push(Value::dict(vec![
                ("device", Value::Int(device.config.device.into())),
                ("address", Value::int(address)),
                ("total_size", Value::int(size)),
                ("allocated_size", Value::Int(0)),
                ("active_size", Value::Int(0)),
                ("requested_size", Value::Int(0)),
                ("stream", Value::Int(stream.into())),
                ("segment_type", Value::Word("large")),
                ("segment_pool_id", Self::pool_id(0)),
                ("is_expandable", Value::Bool(false)),
                ("frames", Value::List(Vec::new())),
                ("blocks", Value::List(vec![Value::dict(block)])),
            ]));
        }
        values
    }

    fn segment(&mut self, number: usize, device: &Simulator, segment: &SegmentThen) -> Value {
        let sum = |wanted: &dyn Fn(Use) -> bool| -> u64 {
            segment.blocks.iter().filter(|b| wanted(b.used)).map(|b| b.size).sum()
        };
        let active = |used: Use| used != Use::Free;
        let requested: u64 = segment
            .blocks
            .iter()
            .filter(|b| active(b.used))
            .map(|b| device.blocks.get(b.address).requested)
            .sum();
        let old = self.layout.history_blocks;
        let mut value = vec![
            ("device", Value::Int(device.config.device.into())),
            ("address", Value::int(segment.address)),
            ("total_size", Value::int(segment.size)),
            ("allocated_size", Value::int(sum(&|used| used == Use::Allocated))),
            ("active_size", Value::int(sum(&active))),
        ];
        if !old {
            value.push(("requested_size", Value::int(requested)));
        }
        value.push(("stream", Value::Int(segment.stream.into())));
        value.push(("segment_type", Value::Word(if segment.pool.small { "small" } else { "large" })));
        if !old {
            let frames = match segment.segment_stack {
                Some(stack) => self.owned_frames(number, device, Owner::Segment(segment.address), stack),
                None => Value::List(Vec::new()),
            };
            value.push(("segment_pool_id", Self::pool_id(segment.pool.pool)));
            value.push(("is_expandable", Value::Bool(segment.expandable)));
            value.push(("frames", frames));
        }
        let blocks = segment.blocks.iter().map(|b| self.block(number, device, b.address)).collect();
        value.push(("blocks", Value::List(blocks)));
        Value::dict(value)
    }

    fn block(&mut self, number: usize, device: &Simulator, address: u64) -> Value {
        let block = device.blocks.get(address);
        let state = match block.used {
            Use::Allocated => "active_allocated",
            Use::Pending => "active_pending_free",
            Use::Free => "inactive",
        };
        let recorded = |life: usize| device.record.lives[life].begin >= device.record.recording_from;
        let stack = block.life.filter(|&life| recorded(life)).and_then(|l| device.record.lives[l].stack);
        let frames = match (block.life, stack) {
            (Some(life), Some(stack)) => self.owned_frames(number, device, Owner::Life(life), stack),
            _ => Value::List(Vec::new()),
        };
        if self.layout.history_blocks {
            let mut value = vec![("size", Value::int(block.size)), ("state", Value::Word(state))];
            if block.life.is_some() {
                let mut entry =
                    vec![("addr", Value::int(address)), ("real_size", Value::int(block.requested))];
                if stack.is_some() {
                    entry.push(("frames", frames));
                }
                value.push(("history", Value::List(vec![Value::dict(entry)])));
            }
            return Value::dict(value);
        }
        Value::dict(vec![
            ("address", Value::int(address)),
            ("size", Value::int(block.size)),
            ("requested_size", Value::int(block.requested)),
            ("state", Value::Word(state)),
            ("frames", frames),
        ])
    }

    fn trace(&mut self, number: usize, device: &Simulator) -> Value {
        let mut events = Vec::new();
        for &(size, stream, address) in &device.workspaces {
            for action in ["workspace_snapshot", "segment_alloc", "alloc"] {
                let entry = Entry {
                    action,
                    address,
                    size,
                    stream,
                    pool: 0,
                    time_us: device.config.start_us,
                    stack: None,
                    life: None,
                };
                events.push(self.event(number, device, &entry));
            }
        }
        let first = device.first_event(self.layout.max_entries);
        for entry in &device.record.events[first..] {
            events.push(self.event(number, device, entry));
        }
        Value::List(events)
    }

    fn event(&mut self, number: usize, device: &Simulator, entry: &Entry) -> Value {
        let place = if entry.action == "oom" { "device_free" } else { "addr" };
        let mut value = vec![
            ("action", Value::Word(entry.action)),
            (place, Value::int(entry.address)),
            ("size", Value::int(entry.size)),
            ("stream", Value::Int(entry.stream.into())),
        ];
        if self.layout.times {
            value.push(("time_us", Value::int(entry.time_us)));
        }
        if self.layout.event_notes {
            value.push(("compile_context", Value::Word("N/A")));
            value.push(("user_metadata", Value::Word("")));
            value.push(("pool_id", Self::pool_id(entry.pool)));
        }
        if let Some(stack) = entry.stack {
            let frames = match entry.life {
                Some(life) => self.owned_frames(number, device, Owner::Life(life), stack),
                None => self.frame_list(number, device, stack),
            };
            value.push(("frames", frames));
        }
        Value::dict(value)
    }

    fn annotations(&self, device: &Simulator) -> Vec<Value> {
        let first = device.first_event(self.layout.max_entries);
        let marks = device.record.marks.iter().filter(|m| m.event >= first);
        marks
            .map(|mark| {
                Value::dict(vec![
                    ("stage", Value::Word(if mark.start { "START" } else { "END" })),
                    ("name", Value::text(&mark.name)),
                    ("device", Value::Int(device.config.device.into())),
                    ("time_us", Value::int(mark.time_us)),
                ])
            })
            .collect()
    }
}
