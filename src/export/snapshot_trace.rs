//! A snapshot as a trace for ui.perfetto.dev or chrome://tracing.
//!
//! A process is a device: counters of its memory, a slice for each allocation from its first event to its
//! last, and the moments at which segments changed or memory ran out. Slices of one lane must not cross,
//! so there are as many lanes as there are allocations at once; the lowest free one is taken. Events of
//! one microsecond are set a nanosecond apart, in their order, so that each is seen; where a trace has no
//! times an event is a microsecond. Times count from the earliest one, which the head of the file names
//! (`baseTimeNanoseconds`): since the epoch they would be too long for the numbers of JSON.

use super::trace_events::Events;
use crate::analysis::attribution::Attributed;
use crate::model::{
    Action, Annotation, Arrange, Device, FrameId, LifeId, Nanos, Snapshot, StringId, base_name,
};
use crate::replay::{CurveKind, LifeTable, Replay};
use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{Result, Write};

/// Thread numbers: the lanes of annotations and of allocations follow their first.
const EVENTS: u64 = 1;
const ANNOTATIONS: u64 = 2;
const ALLOCATIONS: u64 = 1 << 20;

/// Writes the devices of a snapshot.
pub fn write_snapshot_trace(devices: &[Attributed<'_>], out: &mut dyn Write) -> Result<()> {
    let traces: Vec<DeviceTrace<'_>> = devices.iter().map(DeviceTrace::new).collect();
    let base = traces.iter().filter_map(DeviceTrace::earliest).min();
    let mut events = Events::begin_file(out, base)?;
    for (trace, pid) in traces.into_iter().zip(1..) {
        let base = if trace.clock.has_time { base.unwrap_or(0) } else { 0 };
        DeviceTrace { pid, base, ..trace }.write(&mut events)?;
    }
    events.end_file()
}

struct DeviceTrace<'a> {
    memory: &'a Attributed<'a>,
    pid: u64,
    /// What times count from.
    base: i64,
    clock: Clock,
}

/// When each state begins, in nanoseconds; the last entry is the end of the trace.
struct Clock {
    starts: Vec<i64>,
    has_time: bool,
}

impl Clock {
    fn new(snapshot: &Snapshot, replay: &Replay) -> Clock {
        let times = replay.rows.clone().map(|row| snapshot.events.time_of(row));
        let has_time = times.clone().any(|time| time.is_some());
        let first =
            if has_time { times.clone().flatten().map(|Nanos(t)| t).min().unwrap_or(0) } else { 1000 };
        let mut starts = Vec::with_capacity(replay.events() as usize + 2);
        let mut last = first.saturating_sub(1000);
        starts.push(last);
        for time in times {
            let next = match time {
                _ if !has_time => last.saturating_add(1000),
                Some(Nanos(time)) => time.max(last.saturating_add(1)),
                None => last.saturating_add(1),
            };
            starts.push(next);
            last = next;
        }
        starts.push(last.saturating_add(1000));
        Clock { starts, has_time }
    }

    /// The beginning of a state; of one that never comes, the end.
    fn at(&self, state: u32) -> i64 {
        self.starts.get(state as usize).or(self.starts.last()).copied().unwrap_or(0)
    }

    fn end(&self) -> i64 {
        self.starts.last().copied().unwrap_or(0)
    }
}

/// Numbers for what lies side by side: the lowest that is free.
#[derive(Default)]
struct Lanes {
    busy: BinaryHeap<Reverse<(i64, u64)>>,
    free: BinaryHeap<Reverse<u64>>,
    count: u64,
}

impl Lanes {
    /// The lane of a slice; slices come in order of their beginnings. True where the lane is new.
    fn take(&mut self, from: i64, to: i64) -> (u64, bool) {
        while let Some(&Reverse((end, lane))) = self.busy.peek()
            && end <= from
        {
            self.busy.pop();
            self.free.push(Reverse(lane));
        }
        let (lane, is_new) = match self.free.pop() {
            Some(Reverse(lane)) => (lane, false),
            None => {
                self.count += 1;
                (self.count - 1, true)
            }
        };
        self.busy.push(Reverse((to, lane)));
        (lane, is_new)
    }
}

impl<'a> DeviceTrace<'a> {
    fn new(memory: &'a Attributed<'a>) -> DeviceTrace<'a> {
        DeviceTrace { memory, pid: 0, base: 0, clock: Clock::new(memory.snapshot, memory.replay) }
    }

    /// The earliest time in it, where there are times.
    fn earliest(&self) -> Option<i64> {
        let first = self.clock.starts.first().copied().filter(|_| self.clock.has_time)?;
        self.own_annotations().map(|(_, time)| time).chain([first]).min()
    }

    /// The annotations of this device, with their times.
    fn own_annotations(&self) -> impl Iterator<Item = (&'a Annotation, i64)> + use<'a> {
        let device = self.memory.replay.device;
        let here = move |annotation: &Annotation| annotation.device.is_none_or(|d| d == device);
        let annotations = self.memory.snapshot.annotations.iter().filter(move |a| here(a));
        annotations.filter_map(|annotation| Some((annotation, annotation.time?.0)))
    }

    fn since_base(&self, time: i64) -> i64 {
        time.saturating_sub(self.base)
    }

    fn write(&self, events: &mut Events<'_>) -> Result<()> {
        let replay = self.memory.replay;
        let kind = if replay.device == Device::Host { "" } else { "device " };
        events.name("process_name", &format!("{kind}{}", replay.device), self.pid, 0)?;
        events.name("thread_name", "events", self.pid, EVENTS)?;
        self.counters(events)?;
        self.moments(events)?;
        self.annotations(events)?;
        self.allocations(events)
    }

    /// A curve has a point wherever its value changes.
    fn counters(&self, events: &mut Events<'_>) -> Result<()> {
        const SHOWN: [(CurveKind, &str); 3] = [
            (CurveKind::Requested, "requested"),
            (CurveKind::Active, "active"),
            (CurveKind::Reserved, "reserved"),
        ];
        let mut last = [None; SHOWN.len()];
        let mut result = Ok(());
        self.memory.replay.each_state(|state, values| {
            for ((kind, name), last) in SHOWN.into_iter().zip(&mut last) {
                let value = values[kind as usize].0;
                if result.is_err() || *last == Some(value) {
                    continue;
                }
                *last = Some(value);
                events.head("C", name, self.pid, 0);
                events.micros("ts", self.since_base(self.clock.at(state)));
                events.arguments();
                events.number("bytes", value);
                result = events.end();
            }
        });
        result
    }

    /// Out of memory, the snapshot itself, and what became of segments.
    fn moments(&self, events: &mut Events<'_>) -> Result<()> {
        let (snapshot, replay) = (self.memory.snapshot, self.memory.replay);
        for number in 0..replay.events() {
            let event = snapshot.events.get(replay.row(number));
            let (name, scope) = match event.action {
                Action::Oom => ("OOM", "p"),
                Action::SegmentAlloc
                | Action::SegmentFree
                | Action::SegmentMap
                | Action::SegmentUnmap
                | Action::Snapshot
                | Action::WorkspaceSnapshot => (event.action.name(), "t"),
                _ => continue,
            };
            events.head("i", name, self.pid, EVENTS);
            events.text("cat", event.action.name());
            events.text("s", scope);
            events.micros("ts", self.since_base(self.clock.at(number + 1)));
            events.arguments();
            events.number("event", number.into());
            events.number("size", event.size.0);
            match event.action {
                Action::Oom => events.number("device_free", event.address.0),
                _ => events.text("address", &format!("{:#x}", event.address.0)),
            }
            events.signed("stream", snapshot.streams.get(event.stream));
            events.end()?;
        }
        Ok(())
    }

    /// START and END paired by name; what has no END lasts to the end.
    fn annotations(&self, events: &mut Events<'_>) -> Result<()> {
        let snapshot = self.memory.snapshot;
        if !self.clock.has_time {
            return Ok(());
        }
        let mut open: Vec<(StringId, i64)> = Vec::new();
        let mut spans: Vec<(i64, i64, StringId)> = Vec::new();
        for (annotation, time) in self.own_annotations() {
            if snapshot.strings.get(annotation.stage).eq_ignore_ascii_case("start") {
                open.push((annotation.name, time));
            } else if let Some(at) = open.iter().rposition(|&(name, _)| name == annotation.name) {
                let (name, start) = open.remove(at);
                spans.push((start, time, name));
            }
        }
        let end = self.clock.end();
        spans.extend(open.into_iter().map(|(name, start)| (start, end, name)));
        spans.arrange_by_key(|&(start, end, name)| (start, Reverse(end), name));
        let mut lanes = Lanes::default();
        for (from, to, name) in spans {
            let to = to.max(from.saturating_add(1));
            let (lane, is_new) = lanes.take(from, to);
            let tid = ANNOTATIONS + lane;
            if is_new {
                events.name("thread_name", &format!("annotations {lane}"), self.pid, tid)?;
            }
            let name = snapshot.strings.get(name);
            self.slice(events, if name.is_empty() { "?" } else { name }, "annotation", tid, from..to);
            events.end()?;
        }
        Ok(())
    }

    fn allocations(&self, events: &mut Events<'_>) -> Result<()> {
        let lives = &self.memory.replay.lives;
        let mut lanes = Lanes::default();
        // Lives are in order of birth.
        for life in lives.ids() {
            let from = self.clock.at(lives.birth(life));
            let to = match lives.death(life) {
                LifeTable::NEVER => self.clock.end(),
                death => self.clock.at(death),
            };
            if to <= from {
                continue;
            }
            let (lane, is_new) = lanes.take(from, to);
            let tid = ALLOCATIONS + lane;
            if is_new {
                events.name("thread_name", &format!("allocations {lane}"), self.pid, tid)?;
                events.begin("M", "thread_sort_index", self.pid, tid);
                events.number("sort_index", tid);
                events.end()?;
            }
            self.life(events, life, tid, from..to)?;
        }
        Ok(())
    }

    fn life(
        &self,
        events: &mut Events<'_>,
        life: LifeId,
        tid: u64,
        time: core::ops::Range<i64>,
    ) -> Result<()> {
        let (memory, snapshot) = (self.memory, self.memory.snapshot);
        let lives = &memory.replay.lives;
        let category = memory.category(life).id();
        let site = memory.class(life).call_site;
        let name = self.site_name(site);
        self.slice(events, name.as_deref().unwrap_or(category), "allocation", tid, time);
        events.number("bytes", lives.size(life).0);
        events.number("block_bytes", lives.block_size(life).0);
        events.text("address", &format!("{:#x}", lives.address(snapshot, life).0));
        events.text("category", category);
        events.optional("begin_event", lives.begin_event(life).map(u64::from));
        events.optional("end_event", lives.end_event(life).map(u64::from));
        events.signed("stream", snapshot.streams.get(lives.stream(snapshot, life)));
        if let Some(frame) = memory.frame_text(site) {
            events.text("call_site", &format!("{}:{} {}", frame.file, frame.line, frame.function));
        }
        events.end()
    }

    /// `function (file.py:12)`.
    fn site_name(&self, site: FrameId) -> Option<String> {
        let frame = self.memory.frame_text(site)?;
        Some(format!("{} ({}:{})", frame.function, base_name(&frame.file), frame.line))
    }

    /// A slice up to its arguments, which are written next.
    fn slice(
        &self,
        events: &mut Events<'_>,
        name: &str,
        category: &str,
        tid: u64,
        time: core::ops::Range<i64>,
    ) {
        events.head("X", name, self.pid, tid);
        events.text("cat", category);
        events.micros("ts", self.since_base(time.start));
        events.micros("dur", time.end.saturating_sub(time.start));
        events.arguments();
    }
}
