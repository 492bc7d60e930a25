//! Sorts events into columns as they come.

use super::event::{Category, Event, Phase};
use super::stacks::Stacks;
use crate::format::decimal::{Decimal, scaled};
use crate::model::profile::{Counter, Flow, KinetoMemory, Span, Step, TraceTable};
use crate::model::{Nanos, Position, StringId};

/// Driver calls whose cost is worth a word.
const COSTLY: [&str; 3] = ["aclMallocMemInner", "aclrtFreePhysical", "aclrtFree"];

#[derive(Default)]
pub struct Sink {
    pub table: TraceTable,
    base: Option<i64>,
    pub stacks: Stacks,
    scratch: String,
    /// The thread of the last event: most events follow one of the same.
    last_thread: Option<StringId>,
}

impl Sink {
    pub fn event(&mut self, event: &Event<'_>, at: u64) {
        let index = self.table.events;
        self.table.events += 1;
        match event.phase {
            Phase::Complete => self.complete(event, index, at),
            Phase::FlowStart | Phase::FlowEnd if event.category == Category::TaskQueueFlow => {
                if let Some((start, id)) = self.time(event.ts, at).zip(number(event.id)) {
                    let flow = Flow {
                        id,
                        at: start,
                        thread: self.thread(event),
                        end: event.phase == Phase::FlowEnd,
                    };
                    self.table.flows.push(flow);
                }
            }
            Phase::Instant if event.name == "[memory]" => self.memory(event, at),
            Phase::Counter if matches!(&*event.name, "APP/HBM" | "Device/HBM") => {
                if let Some((start, bytes)) = self.time(event.ts, at).zip(decimal(event.args.kilobytes, 1024))
                {
                    let name = self.table.strings.intern(&event.name);
                    self.table.counters.push(Counter { name, at: start, bytes });
                    self.table.cover(start, start);
                }
            }
            Phase::Metadata if matches!(&*event.name, "process_name" | "thread_name") => {
                if let Some(name) = text(event.args.name) {
                    let thread = self.thread(event);
                    self.table.thread_names.insert(thread, name);
                }
            }
            _ => {}
        }
    }

    fn complete(&mut self, event: &Event<'_>, index: u64, at: u64) {
        let step =
            event.name.strip_prefix("ProfilerStep#").filter(|_| event.category != Category::DeviceAnnotation);
        let costly = event.name.rsplit_once('@').map_or(&*event.name, |(_, call)| call);
        let costly = event.category == Category::Other && COSTLY.contains(&costly);
        let kept =
            !matches!(event.category, Category::Other | Category::TaskQueueFlow | Category::DeviceAnnotation);
        if !kept && step.is_none() && !costly {
            return;
        }
        let Some(start) = self.time(event.ts, at) else { return };
        let duration = if event.dur.is_empty() { Some(0) } else { decimal(event.dur, 1000) };
        let Some(duration) = duration.filter(|&d| d >= 0) else {
            self.table.warnings.add("bad_duration", Some(Position::Byte(at)), || {
                "an event has no usable duration".to_owned()
            });
            return;
        };
        let end = Nanos(start.0.saturating_add(duration));
        self.table.cover(start, end);
        if let Some(number) = step.and_then(|number| number.trim().parse().ok()) {
            self.table.steps.push(Step { number, start, end });
        }
        if costly {
            let call = self.table.api.entry_ref(&*event.name).or_default();
            call.count += 1;
            call.total = Nanos(call.total.0.saturating_add(duration));
            call.longest = call.longest.max(Nanos(duration));
        }
        if !kept {
            return;
        }
        let span = Span {
            name: self.table.strings.intern(&event.name),
            start,
            end,
            thread: self.thread(event),
            stack: self.stack(event.args.call_stack),
            event: u32::try_from(index).unwrap_or(u32::MAX),
        };
        match event.category {
            Category::Operator => self.table.operators.push(span),
            Category::PythonFunction => self.table.python.push(span),
            Category::Enqueue => {
                self.table.enqueue.push(span);
                self.table.enqueue_id.push(number(event.args.correlation).unwrap_or(u64::MAX));
            }
            Category::Dequeue => {
                self.table.dequeue.push(span);
                self.table.dequeue_id.push(number(event.args.correlation).unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }

    fn memory(&mut self, event: &Event<'_>, at: u64) {
        let args = &event.args;
        let Some((start, bytes)) = self.time(event.ts, at).zip(decimal(args.bytes, 1)) else {
            self.table.warnings.add("memory_event_without_bytes", Some(Position::Byte(at)), || {
                "a [memory] event tells no time or no bytes".to_owned()
            });
            return;
        };
        let row = KinetoMemory {
            at: start,
            thread: self.thread(event),
            bytes,
            address: number(args.address),
            total_allocated: number(args.total_allocated),
            total_reserved: number(args.total_reserved),
            device_type: decimal(args.device_type, 1).unwrap_or(-1),
            device_id: decimal(args.device_id, 1).unwrap_or(-1),
        };
        self.table.memory.push(row);
        self.table.cover(start, start);
    }

    /// Microseconds as text or number, to nanoseconds.
    fn time(&mut self, raw: &str, at: u64) -> Option<Nanos> {
        let decimal = Decimal::parse(unquoted(raw).as_bytes());
        if decimal.is_some_and(|d| d.scientific) {
            self.table.warnings.add("precision_lost", Some(Position::Byte(at)), || {
                format!("a time is written as {raw}: its last digits may be lost")
            });
        }
        let time = decimal.and_then(|d| d.scaled(1000)).map(Nanos);
        if time.is_none() {
            self.table
                .warnings
                .add("bad_time", Some(Position::Byte(at)), || "an event has no usable time".to_owned());
        }
        time
    }

    fn thread(&mut self, event: &Event<'_>) -> StringId {
        let (pid, tid) = (unquoted(event.pid), unquoted(event.tid));
        if let Some(last) = self.last_thread
            && self.table.strings.get(last).strip_prefix(pid).and_then(|rest| rest.strip_prefix('/'))
                == Some(tid)
        {
            return last;
        }
        self.scratch.clear();
        self.scratch.extend([pid, "/", tid]);
        let thread = self.table.strings.intern(&self.scratch);
        self.last_thread = Some(thread);
        thread
    }

    /// The id of a call stack's text; an empty one is none.
    fn stack(&mut self, raw: &str) -> StringId {
        if !raw.starts_with('"') || raw.len() < 3 {
            return StringId::NONE;
        }
        let Sink { stacks, table, .. } = self;
        stacks.id_of(raw, |raw| text(raw).map_or(StringId::NONE, |text| table.strings.intern(&text)))
    }

    pub fn damaged(&mut self, at: u64, why: &str) {
        self.table.events += 1;
        self.table
            .warnings
            .add("damaged_event", Some(Position::Byte(at)), || format!("an event was left out: {why}"));
    }

    pub fn base_time(&mut self, raw: &str) {
        self.base = decimal(raw, 1);
    }

    pub fn finish(mut self) -> TraceTable {
        if let Some(base) = self.base {
            self.table.shift(base);
        }
        self.table
    }
}

/// The inside of a quoted text that holds a plain number.
fn unquoted(raw: &str) -> &str {
    let inner = raw.strip_prefix('"').and_then(|r| r.strip_suffix('"')).unwrap_or(raw);
    inner.trim_ascii()
}

fn decimal(raw: &str, multiplier: u64) -> Option<i64> {
    scaled(unquoted(raw).as_bytes(), multiplier)
}

/// A non-negative integer, as number or text.
fn number(raw: &str) -> Option<u64> {
    unquoted(raw).parse().ok()
}

fn text(raw: &str) -> Option<String> {
    serde_json::from_str::<String>(raw).ok()
}
