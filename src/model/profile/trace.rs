//! What a trace tells about memory: operators with their call stacks, the task queue between threads,
//! steps, the cost of driver calls, and the allocator's own events. Everything else is not kept: a
//! trace of several GB holds a few per cent of it.

use crate::model::{FastMap, Nanos, StringId, StringTable, Warnings, fast_map};

/// One slice of a thread. `ts + dur` saturates; both ends belong to the slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub name: StringId,
    pub start: Nanos,
    pub end: Nanos,
    /// The `(pid, tid)` text.
    pub thread: StringId,
    /// The call stack's text, `NONE` where the slice has none.
    pub stack: StringId,
    /// Which element of the trace's event list it is, counting from 0.
    pub event: u32,
}

/// Slices in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct SpanTable {
    name: Vec<StringId>,
    start: Vec<i64>,
    duration: Vec<i64>,
    thread: Vec<StringId>,
    stack: Vec<StringId>,
    event: Vec<u32>,
}

impl SpanTable {
    pub fn len(&self) -> usize {
        self.name.len()
    }

    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    pub fn push(&mut self, span: Span) {
        self.name.push(span.name);
        self.start.push(span.start.0);
        self.duration.push(span.end.0.saturating_sub(span.start.0));
        self.thread.push(span.thread);
        self.stack.push(span.stack);
        self.event.push(span.event);
    }

    pub fn get(&self, index: usize) -> Option<Span> {
        let start = *self.start.get(index)?;
        Some(Span {
            name: *self.name.get(index)?,
            start: Nanos(start),
            end: Nanos(start.saturating_add(*self.duration.get(index)?)),
            thread: *self.thread.get(index)?,
            stack: *self.stack.get(index)?,
            event: *self.event.get(index)?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    fn shift(&mut self, by: i64) {
        for start in &mut self.start {
            *start = start.saturating_add(by);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.name.capacity() * 32
    }
}

/// One end of an `enqueue_to_dequeue` arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    pub id: u64,
    pub at: Nanos,
    pub thread: StringId,
    /// True for the end at the dequeue.
    pub end: bool,
}

/// A `ProfilerStep#N`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub number: u64,
    pub start: Nanos,
    pub end: Nanos,
}

/// Calls of one driver function that costs time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ApiCall {
    pub count: u64,
    pub total: Nanos,
    pub longest: Nanos,
}

/// An allocator's `[memory]` event: positive bytes are an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KinetoMemory {
    pub at: Nanos,
    pub thread: StringId,
    pub bytes: i64,
    pub address: Option<u64>,
    pub total_allocated: Option<u64>,
    pub total_reserved: Option<u64>,
    pub device_type: i64,
    pub device_id: i64,
}

/// A sampled counter in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    pub name: StringId,
    pub at: Nanos,
    pub bytes: i64,
}

/// What is kept of one trace.
#[derive(Clone, Debug)]
pub struct TraceTable {
    pub strings: StringTable,
    /// Framework operators (`cpu_op`), the only ones that carry call stacks.
    pub operators: SpanTable,
    /// Python functions, which serve as call stack where a trace has no other.
    pub python: SpanTable,
    /// Slices that put work on the task queue, with their correlation.
    pub enqueue: SpanTable,
    pub enqueue_id: Vec<u64>,
    /// Slices that take work off it.
    pub dequeue: SpanTable,
    pub dequeue_id: Vec<u64>,
    pub flows: Vec<Flow>,
    pub steps: Vec<Step>,
    /// Driver calls by name.
    pub api: FastMap<String, ApiCall>,
    pub memory: Vec<KinetoMemory>,
    pub counters: Vec<Counter>,
    /// Names of processes and threads by the `(pid, tid)` text.
    pub thread_names: FastMap<StringId, String>,
    /// Elements of the event list, kept or not.
    pub events: u64,
    /// Earliest and latest moment of the kept events.
    pub range: Option<(Nanos, Nanos)>,
    /// False when the file broke off.
    pub complete: bool,
    pub warnings: Warnings,
}

impl Default for TraceTable {
    fn default() -> Self {
        TraceTable {
            strings: StringTable::default(),
            operators: SpanTable::default(),
            python: SpanTable::default(),
            enqueue: SpanTable::default(),
            enqueue_id: Vec::new(),
            dequeue: SpanTable::default(),
            dequeue_id: Vec::new(),
            flows: Vec::new(),
            steps: Vec::new(),
            api: fast_map(),
            memory: Vec::new(),
            counters: Vec::new(),
            thread_names: fast_map(),
            events: 0,
            range: None,
            complete: true,
            warnings: Warnings::default(),
        }
    }
}

impl TraceTable {
    /// Widens the range to include a kept event.
    pub fn cover(&mut self, start: Nanos, end: Nanos) {
        self.range = Some(match self.range {
            Some((a, b)) => (a.min(start), b.max(end)),
            None => (start, end),
        });
    }

    /// Moves every time by `by` nanoseconds: a trace whose times are relative tells its base last.
    pub fn shift(&mut self, by: i64) {
        for spans in [&mut self.operators, &mut self.python, &mut self.enqueue, &mut self.dequeue] {
            spans.shift(by);
        }
        let moved = |t: &mut Nanos| t.0 = t.0.saturating_add(by);
        self.flows.iter_mut().for_each(|f| moved(&mut f.at));
        self.memory.iter_mut().for_each(|m| moved(&mut m.at));
        self.counters.iter_mut().for_each(|c| moved(&mut c.at));
        for step in &mut self.steps {
            moved(&mut step.start);
            moved(&mut step.end);
        }
        if let Some((a, b)) = &mut self.range {
            moved(a);
            moved(b);
        }
    }

    /// Bytes of memory the tables take.
    pub fn heap_bytes(&self) -> usize {
        self.strings.heap_bytes()
            + [&self.operators, &self.python, &self.enqueue, &self.dequeue]
                .map(SpanTable::heap_bytes)
                .iter()
                .sum::<usize>()
            + (self.enqueue_id.capacity() + self.dequeue_id.capacity()) * 8
            + self.flows.capacity() * size_of::<Flow>()
            + self.memory.capacity() * size_of::<KinetoMemory>()
            + self.counters.capacity() * size_of::<Counter>()
    }
}
