//! The table of events: which rows a filter keeps, in which order, and a page of them to show.
//!
//! A filter is answered once with row numbers (four bytes each); scrolling then asks for pages. Text is
//! matched once per distinct stack, not per event.

use super::stack_text::frame_label;
use crate::analysis::attribution::StackClasses;
use crate::model::{Action, Address, Arrange, Bytes, Device, Nanos, Snapshot, StackId};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// What to keep. An empty field keeps everything.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(default)]
pub struct EventFilter {
    /// Names of actions as in the file; unknown actions are kept by the name `other`.
    pub actions: Vec<String>,
    /// Part of a frame's file or function, upper and lower case alike.
    pub stack_text: String,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub min_size: Option<u64>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub max_size: Option<u64>,
    /// Hexadecimal, with or without `0x`: keeps events whose address begins so, and allocations and
    /// segments that contain it when it is a whole address.
    pub address: String,
    /// Raw stream value.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub stream: Option<i64>,
    /// Event numbers of the device.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub first: Option<u32>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub last: Option<u32>,
}

/// The column to sort by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    #[default]
    Event,
    Action,
    Address,
    Size,
    Stream,
    Time,
}

/// One row as shown. The address is text, since a script number cannot hold 64 bits.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct EventLine {
    pub event: u32,
    pub action: String,
    pub address: String,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub size: Bytes,
    pub stream: i64,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub time_us: Option<i64>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number"))]
    pub stack: StackId,
    /// The call site, for the row; the whole stack is asked for by event.
    pub call_site: String,
}

/// Event numbers of `device` that the filter keeps, sorted.
pub fn select(
    snapshot: &Snapshot,
    device: Device,
    filter: &EventFilter,
    sort: SortBy,
    descending: bool,
) -> Vec<u32> {
    let rows = snapshot.rows_of(device);
    let test = Test::new(snapshot, filter);
    let first = filter.first.unwrap_or(0) as usize;
    let count = rows.len().min(filter.last.map_or(usize::MAX, |last| last as usize + 1));
    let mut kept: Vec<u32> =
        (first..count).filter(|&event| test.keeps(snapshot, rows.start + event)).map(|e| e as u32).collect();
    sort_rows(snapshot, &rows, &mut kept, sort);
    if descending {
        kept.reverse();
    }
    kept
}

/// Equal values keep the order of events.
fn sort_rows(snapshot: &Snapshot, rows: &Range<usize>, kept: &mut [u32], sort: SortBy) {
    let events = &snapshot.events;
    let row = |event: u32| rows.start + event as usize;
    match sort {
        SortBy::Event => {}
        SortBy::Action => kept.arrange_by_key(|&e| events.action[row(e)].name()),
        SortBy::Address => kept.arrange_by_key(|&e| events.address[row(e)]),
        SortBy::Size => kept.arrange_by_key(|&e| events.size[row(e)]),
        SortBy::Stream => kept.arrange_by_key(|&e| snapshot.streams.get(events.stream[row(e)])),
        SortBy::Time => kept.arrange_by_key(|&e| events.time[row(e)]),
    }
}

/// The rows of a page.
pub fn rows(snapshot: &Snapshot, classes: &StackClasses, device: Device, events: &[u32]) -> Vec<EventLine> {
    let range = snapshot.rows_of(device);
    let known = events.iter().filter(|&&event| (event as usize) < range.len());
    known.map(|&event| row(snapshot, classes, range.start, event)).collect()
}

fn row(snapshot: &Snapshot, classes: &StackClasses, first: usize, event: u32) -> EventLine {
    let at = first + event as usize;
    let found = snapshot.events.get(at);
    EventLine {
        event,
        action: action_name(snapshot, at).to_owned(),
        address: format!("0x{}", found.address),
        size: found.size,
        stream: snapshot.streams.get(found.stream),
        time_us: found.time.map(Nanos::micros),
        stack: found.stack,
        call_site: frame_label(snapshot, classes.get(found.stack).call_site),
    }
}

/// The action's name in the file, also for one this program does not know.
pub fn action_name(snapshot: &Snapshot, row: usize) -> &str {
    match snapshot.events.action[row] {
        Action::Other => {
            snapshot.events.other_action.get(row).some().map_or("other", |id| snapshot.strings.get(id))
        }
        action => action.name(),
    }
}

/// Marks the distinct stacks with a frame whose `function file:line` contains `text`, case aside.
pub fn stacks_with_text(snapshot: &Snapshot, text: &str) -> Vec<bool> {
    let needle = text.to_lowercase();
    let frames: Vec<bool> = snapshot
        .frames
        .iter()
        .map(|(_, frame)| {
            let (function, file) = (snapshot.strings.get(frame.function), snapshot.strings.get(frame.file));
            format!("{function} {file}:{}", frame.line).to_lowercase().contains(&needle)
        })
        .collect();
    let hit = |stack: StackId| snapshot.stacks.get(stack).iter().any(|frame| frames[frame.index()]);
    snapshot.stacks.ids().map(hit).collect()
}

/// A filter made ready: names resolved, text matched against the distinct stacks.
struct Test {
    actions: Vec<Action>,
    stacks: Option<Vec<bool>>,
    sizes: (u64, u64),
    address: Option<AddressTest>,
    stream: Option<i64>,
}

struct AddressTest {
    prefix: String,
    whole: Option<u64>,
}

impl Test {
    fn new(snapshot: &Snapshot, filter: &EventFilter) -> Test {
        let text = filter.stack_text.trim();
        let address = filter.address.trim().to_lowercase();
        let prefix = address.strip_prefix("0x").unwrap_or(&address).to_owned();
        Test {
            actions: filter.actions.iter().map(|name| Action::from_name(name)).collect(),
            stacks: (!text.is_empty()).then(|| stacks_with_text(snapshot, text)),
            sizes: (filter.min_size.unwrap_or(0), filter.max_size.unwrap_or(u64::MAX)),
            address: (!prefix.is_empty())
                .then(|| AddressTest { whole: u64::from_str_radix(&prefix, 16).ok(), prefix }),
            stream: filter.stream,
        }
    }

    fn keeps(&self, snapshot: &Snapshot, row: usize) -> bool {
        let events = &snapshot.events;
        let size = events.size[row].0;
        (self.actions.is_empty() || self.actions.contains(&events.action[row]))
            && (self.sizes.0..=self.sizes.1).contains(&size)
            && self.stream.is_none_or(|stream| snapshot.streams.get(events.stream[row]) == stream)
            && self
                .stacks
                .as_ref()
                .is_none_or(|hits| hits.get(events.stack[row].index()).copied().unwrap_or(false))
            && self
                .address
                .as_ref()
                .is_none_or(|test| test.keeps(events.action[row], events.address[row], size))
    }
}

impl AddressTest {
    fn keeps(&self, action: Action, address: Address, size: u64) -> bool {
        if action == Action::Oom {
            return false; // its field is the free memory of the device
        }
        let inside = |at: u64| at >= address.0 && at - address.0 < size;
        self.whole.is_some_and(inside) || address.to_string().starts_with(&self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Event, Frame, Trace};

    fn snapshot() -> Snapshot {
        let mut s = Snapshot::default();
        let (file, function) = (s.strings.intern("/a/Model.py"), s.strings.intern("forward"));
        let frame = s.frames.intern(Frame { file, function, line: 7 });
        let stack = s.stacks.intern(&[frame]);
        let stream = s.streams.intern(3);
        for (action, address, size, stack) in [
            (Action::Alloc, 0x1000, 512, stack),
            (Action::Alloc, 0x2000, 100, StackId::NONE),
            (Action::Oom, 0x1000, 900, stack),
            (Action::FreeCompleted, 0x1000, 512, stack),
        ] {
            let (address, size) = (Address(address), Bytes(size));
            s.events.push(Event { action, address, size, stream, time: Some(Nanos(5_500)), stack });
        }
        s.traces.push(Trace { device: Device::Index(0), rows: 0..4 });
        s
    }

    fn kept(filter: EventFilter) -> Vec<u32> {
        select(&snapshot(), Device::Index(0), &filter, SortBy::Event, false)
    }

    #[test]
    fn every_field_filters() {
        let all = EventFilter::default();
        assert_eq!(kept(all.clone()), vec![0, 1, 2, 3]);
        assert_eq!(
            kept(EventFilter { actions: vec!["alloc".into(), "oom".into()], ..all.clone() }),
            vec![0, 1, 2]
        );
        assert_eq!(kept(EventFilter { stack_text: "model".into(), ..all.clone() }), vec![0, 2, 3]);
        assert_eq!(kept(EventFilter { min_size: Some(101), max_size: Some(600), ..all.clone() }), vec![0, 3]);
        assert_eq!(kept(EventFilter { address: "0x1".into(), ..all.clone() }), vec![0, 3]);
        assert_eq!(kept(EventFilter { address: "1100".into(), ..all.clone() }), vec![0, 3]);
        assert_eq!(kept(EventFilter { stream: Some(4), ..all.clone() }), Vec::<u32>::new());
        assert_eq!(kept(EventFilter { first: Some(1), last: Some(2), ..all }), vec![1, 2]);
        assert_eq!(
            select(&snapshot(), Device::Index(0), &EventFilter::default(), SortBy::Size, true),
            vec![2, 3, 0, 1]
        );
    }

    #[test]
    fn a_page_shows_what_the_columns_hold() {
        let snapshot = snapshot();
        let classes = StackClasses::new(&snapshot, Default::default());
        let page = rows(&snapshot, &classes, Device::Index(0), &[3, 9]);
        assert_eq!(page.len(), 1);
        assert_eq!((page[0].action.as_str(), page[0].address.as_str()), ("free_completed", "0x1000"));
        assert_eq!((page[0].time_us, page[0].call_site.as_str()), (Some(5), "forward /a/Model.py:7"));
    }
}
