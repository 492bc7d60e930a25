//! The lanes above the timeline: what happened at single moments, and the spans that the program named.
//!
//! Moments are answered as one byte of flags a pixel column, so a million segment events cost what the
//! pixels cost; spans only where they are wide enough to be seen.

use super::axis::{Axis, Window};
use crate::analysis::steps::Steps;
use crate::model::{Action, Arrange, Device, Nanos, Snapshot, StringId};
use crate::replay::Replay;
use core::ops::Range;

/// Flags of a pixel column.
pub mod flags {
    pub const OOM: u8 = 1;
    pub const SNAPSHOT: u8 = 2;
    pub const GROWN: u8 = 4;
    pub const SHRUNK: u8 = 8;
    /// Something that a search found begins here.
    pub const MATCH: u8 = 16;
}

/// The events of a device that stand in a lane, ascending.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The state after the event, and its flag.
    at: Vec<(u32, u8)>,
}

impl Marks {
    pub fn find(snapshot: &Snapshot, replay: &Replay) -> Marks {
        let actions = snapshot.events.action.get(replay.rows.clone()).unwrap_or(&[]);
        let flag = |action: &Action| match action {
            Action::Oom => flags::OOM,
            Action::Snapshot => flags::SNAPSHOT,
            Action::SegmentAlloc | Action::SegmentMap => flags::GROWN,
            Action::SegmentFree | Action::SegmentUnmap => flags::SHRUNK,
            _ => 0,
        };
        let marked = actions.iter().enumerate().map(|(event, action)| (event as u32 + 1, flag(action)));
        Marks { at: marked.filter(|&(_, flag)| flag != 0).collect() }
    }

    /// The flags of each column.
    pub fn columns(&self, ranges: &[Range<u32>]) -> Vec<u8> {
        let mut next = ranges.first().map_or(0, |r| self.at.partition_point(|&(state, _)| state < r.start));
        ranges
            .iter()
            .map(|range| {
                // Neighbouring columns may share the state in force: it belongs to the first of them.
                let mut all = 0;
                while let Some(&(state, flag)) = self.at.get(next).filter(|&&(state, _)| state < range.end) {
                    if state >= range.start {
                        all |= flag;
                    }
                    next += 1;
                }
                all
            })
            .collect()
    }
}

/// What a span stands for: which lane it stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SpanKind {
    Step = 0,
    Annotation = 1,
}

/// A named stretch of the axis.
#[derive(Clone, PartialEq, Debug)]
struct NamedSpan {
    kind: SpanKind,
    name: String,
    from: f64,
    to: f64,
}

/// At most so many spans are sent.
const MOST_SPANS: usize = 8192;
/// A span of so many pixels has room for its name.
const NAMED_FROM: f64 = 16.0;

/// The spans of a window as columns: by the hundred they would take longer as objects than the whole drawing.
/// They rise by where they begin, and of those that begin together the longest comes first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ShownSpans {
    /// A [`SpanKind`] each.
    pub lanes: Vec<u8>,
    /// Begin and end of each.
    pub bounds: Vec<f64>,
    /// A line each, empty where there is no room for a name.
    pub names: String,
}

/// The steps and annotations of an axis and where they lie on it: found once, since telling where a moment
/// lies costs a search, and shown window by window.
#[derive(Clone, Debug)]
pub struct Spans(Vec<NamedSpan>);

impl Spans {
    pub fn find(snapshot: &Snapshot, device: Device, axis: &Axis, steps: &Steps) -> Spans {
        let events = &snapshot.events;
        let mut found = Vec::new();
        let end = axis.whole().to;
        for (number, &first) in steps.boundaries.iter().enumerate() {
            let from = axis.position(events, first + 1);
            let to = steps.boundaries.get(number + 1).map_or(end, |&next| axis.position(events, next + 1));
            found.push(NamedSpan { kind: SpanKind::Step, name: number.to_string(), from, to });
        }
        found.extend(annotations(snapshot, device, axis));
        found.arrange_by(|a, b| a.from.total_cmp(&b.from).then(b.to.total_cmp(&a.to)));
        Spans(found)
    }

    /// Those that show in `window`, drawn over `width` pixels, if they are at least a pixel wide.
    pub fn within(&self, window: Window, width: u32) -> ShownSpans {
        let pixel = (window.to - window.from) / f64::from(width.max(1));
        let shows = |span: &&NamedSpan| {
            span.to > window.from && span.from < window.to && span.to - span.from >= pixel
        };
        let mut shown = ShownSpans::default();
        for span in self.0.iter().filter(shows).take(MOST_SPANS) {
            shown.lanes.push(span.kind as u8);
            shown.bounds.extend([span.from, span.to]);
            if span.to - span.from >= pixel * NAMED_FROM {
                shown.names.extend(span.name.chars().map(|c| if c == '\n' { ' ' } else { c }));
            }
            shown.names.push('\n');
        }
        shown
    }
}

/// START and END of each annotation of a device (or of none), paired by name in order of time.
fn annotations(snapshot: &Snapshot, device: Device, axis: &Axis) -> Vec<NamedSpan> {
    let events = &snapshot.events;
    let mut open: Vec<(StringId, Nanos)> = Vec::new();
    let mut spans = Vec::new();
    for annotation in snapshot.annotations.iter().filter(|a| a.device.is_none_or(|d| d == device)) {
        let Some(time) = annotation.time else { continue };
        if snapshot.strings.get(annotation.stage).eq_ignore_ascii_case("start") {
            open.push((annotation.name, time));
        } else if let Some(at) = open.iter().rposition(|&(name, _)| name == annotation.name) {
            let (name, start) = open.swap_remove(at);
            let position = |time: Nanos| axis.position_of_time(events, time);
            if let (Some(from), Some(to)) = (position(start), position(time)) {
                let name = snapshot.strings.get(name).to_owned();
                spans.push(NamedSpan { kind: SpanKind::Annotation, name, from, to });
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Address, Annotation, Bytes, Event, StackId, StreamId};

    #[test]
    fn annotations_of_other_devices_stand_in_their_own_lanes() {
        let mut snapshot = Snapshot::default();
        let mut add = |device: Option<i32>, from: i64, to: i64| {
            for (stage, time) in [("START", from), ("END", to)] {
                let (name, stage) = (snapshot.strings.intern("step"), snapshot.strings.intern(stage));
                let device = device.map(Device::Index);
                snapshot.annotations.push(Annotation { name, stage, device, time: Some(Nanos(time)) });
            }
        };
        add(Some(0), 10, 20);
        add(Some(1), 25, 35);
        add(None, 40, 50);
        for time in [0, 100] {
            snapshot.events.push(Event {
                action: Action::Alloc,
                address: Address(0),
                size: Bytes(1),
                stream: StreamId(0),
                time: Some(Nanos(time)),
                stack: StackId::NONE,
            });
        }
        let axis = Axis::time(&snapshot.events, 0..2).unwrap();
        let found = annotations(&snapshot, Device::Index(1), &axis);
        let bounds: Vec<(f64, f64)> = found.iter().map(|span| (span.from, span.to)).collect();
        assert_eq!(bounds, [(25.0, 35.0), (40.0, 50.0)]);
    }

    #[test]
    fn spans_come_in_order_and_only_wide_ones_are_named() {
        let span = |kind, name: &str, from, to| NamedSpan { kind, name: name.into(), from, to };
        let spans = Spans(vec![
            span(SpanKind::Annotation, "all\nof it", 0.0, 1000.0),
            span(SpanKind::Step, "0", 10.0, 15.0),
            span(SpanKind::Step, "too thin", 20.0, 20.5),
            span(SpanKind::Step, "1", 100.0, 200.0),
            span(SpanKind::Step, "beyond", 901.0, 1000.0),
        ]);
        let shown = spans.within(Window { from: 1.0, to: 901.0 }, 900);
        assert_eq!(shown.lanes, [1, 0, 0]);
        assert_eq!(shown.bounds, [0.0, 1000.0, 10.0, 15.0, 100.0, 200.0]);
        assert_eq!(shown.names, "all of it\n\n1\n");
    }
}
