//! Rows out of a trace's own `[memory]` events.
//!
//! Such an event knows its thread and the address, so a row is an allocation with its free, and the
//! operator and the stack are simply what was running there: the innermost operator and, where that has no
//! call stack, the Python functions around the moment.

use super::sweep::{Slice, innermost, order, parents};
use crate::model::profile::{KinetoMemory, OperatorRow, OperatorTable, SpanTable, Totals, TraceTable};
use crate::model::{Arrange, FastMap, Nanos, Position, StringId, fast_map};

/// Python frames kept of one stack.
const MOST_FRAMES: usize = 512;

/// The rows, or `None` where the trace has no memory events.
pub fn rows_of_memory_events(trace: &TraceTable) -> Option<OperatorTable> {
    if trace.memory.is_empty() {
        return None;
    }
    let mut events: Vec<&KinetoMemory> = trace.memory.iter().collect();
    events.arrange_by_key(|e| e.at);
    let operators = around(&trace.operators, &events);
    let python = around(&trace.python, &events);
    let mut chains = Chains::new(trace);
    let mut table = OperatorTable::default();
    table.from_trace = true;
    // The open row of each address; addresses of different devices are different memory.
    let mut open: FastMap<(i64, i64, u64), usize> = fast_map();
    for (i, event) in events.iter().enumerate() {
        let key = event.address.map(|address| (event.device_type, event.device_id, address));
        if event.address.is_none() {
            table.warnings.add("memory_event_without_address", Some(Position::Event(i as u64)), || {
                "a [memory] event tells no address: allocations and frees cannot be paired".to_owned()
            });
        }
        let totals = Totals {
            allocated_mb: event.total_allocated.map_or(f64::NAN, |b| b as f64 / f64::from(1 << 20)),
            reserved_mb: event.total_reserved.map_or(f64::NAN, |b| b as f64 / f64::from(1 << 20)),
            active_mb: f64::NAN,
        };
        let before = key.and_then(|key| open.remove(&key));
        if let Some(row) = before {
            if event.bytes > 0 {
                table.warnings.add("address_reused", Some(Position::Event(i as u64)), || {
                    "an allocation at an address whose free was not seen: the one before is taken to end there".to_owned()
                });
            }
            table.release(row, event.at, if event.bytes > 0 { Totals::NONE } else { totals });
            if event.bytes <= 0 {
                continue;
            }
        }
        let allocated = event.bytes > 0;
        let operator = operators.get(i).copied().flatten().and_then(|o| trace.operators.get(o as usize));
        let name = operator.filter(|_| allocated).map_or("", |o| trace.strings.get(o.name));
        let stack = match operator.and_then(|o| o.stack.some()) {
            _ if !allocated => None,
            Some(stack) => Some(trace.strings.get(stack).to_owned()),
            None => python.get(i).copied().flatten().map(|function| chains.text(function)),
        };
        let row = OperatorRow {
            name: table.strings.intern(name),
            size: event.bytes,
            alloc: allocated.then_some(event.at),
            release: (!allocated).then_some(event.at),
            block_release: None,
            duration: None,
            block_duration: None,
            at_alloc: if allocated { totals } else { Totals::NONE },
            at_release: if allocated { Totals::NONE } else { totals },
            stream: None,
            device: table.strings.intern(&device_name(event.device_type, event.device_id)),
            stack: stack.map_or(StringId::NONE, |text| table.strings.intern(&text)),
        };
        table.push(row);
        if let (true, Some(key)) = (allocated, key) {
            open.insert(key, table.len() - 1);
        }
    }
    Some(table)
}

/// The numbers are those of `c10::DeviceType`.
fn device_name(kind: i64, id: i64) -> String {
    match kind {
        0 => "CPU".to_owned(),
        1 => format!("CUDA:{id}"),
        20 => format!("PRIVATEUSE1:{id}"),
        _ => format!("DEVICE_TYPE_{kind}:{id}"),
    }
}

/// Spans by thread in sweep order.
fn by_thread(spans: &SpanTable) -> Vec<(StringId, Slice)> {
    let mut keyed: Vec<(StringId, Slice)> = spans
        .iter()
        .zip(0_u32..)
        .map(|(span, id)| (span.thread, Slice { start: span.start.0, end: span.end.0, id }))
        .collect();
    keyed.arrange_by(|a, b| a.0.cmp(&b.0).then_with(|| order(&a.1, &b.1)));
    keyed
}

/// For each event (in order of time) the innermost span around it on its thread.
fn around(spans: &SpanTable, events: &[&KinetoMemory]) -> Vec<Option<u32>> {
    let mut out = vec![None; events.len()];
    let mut of_thread: FastMap<StringId, Vec<(usize, Nanos)>> = fast_map();
    for (i, event) in events.iter().enumerate() {
        of_thread.entry(event.thread).or_default().push((i, event.at));
    }
    let keyed = by_thread(spans);
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        let Some(moments) = of_thread.get(&group[0].0) else { continue };
        let slices: Vec<Slice> = group.iter().map(|&(_, slice)| slice).collect();
        innermost(&slices, moments.iter().map(|(_, at)| at.0), |i, id| {
            if let Some(slot) = moments.get(i).and_then(|&(event, _)| out.get_mut(event)) {
                *slot = id;
            }
        });
    }
    out
}

/// Chains of Python functions as text, made once each.
struct Chains<'a> {
    trace: &'a TraceTable,
    parents: Vec<Option<u32>>,
    texts: FastMap<u32, String>,
}

impl<'a> Chains<'a> {
    fn new(trace: &'a TraceTable) -> Chains<'a> {
        let mut of = vec![None; trace.python.len()];
        for group in by_thread(&trace.python).chunk_by(|a, b| a.0 == b.0) {
            let slices: Vec<Slice> = group.iter().map(|&(_, slice)| slice).collect();
            parents(&slices, |id, parent| {
                if let Some(slot) = of.get_mut(id as usize) {
                    *slot = parent;
                }
            });
        }
        Chains { trace, parents: of, texts: fast_map() }
    }

    /// Innermost first, joined as call stacks are.
    fn text(&mut self, function: u32) -> String {
        if let Some(text) = self.texts.get(&function) {
            return text.clone();
        }
        let mut frames: Vec<&str> = Vec::new();
        let mut next = Some(function);
        while let Some(id) = next.filter(|_| frames.len() < MOST_FRAMES) {
            if let Some(span) = self.trace.python.get(id as usize) {
                frames.push(self.trace.strings.get(span.name));
            }
            next = self.parents.get(id as usize).copied().flatten();
        }
        let text = frames.join(";\r\n");
        self.texts.insert(function, text.clone());
        text
    }
}
