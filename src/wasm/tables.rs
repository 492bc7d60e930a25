//! The event table's answers: a filter is worked out once and then paged.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{EventsRequest, Reply};
use crate::model::{Device, Nanos};
use crate::view::events::{EventFilter, SortBy, action_name, rows, select};

/// The rows that the last filter keeps, and what they were chosen for.
#[derive(Default)]
pub struct EventsState {
    chosen_for: Option<(EventFilter, SortBy, bool)>,
    events: Vec<u32>,
}

/// Rows of one page at most; a screen shows fewer.
const MOST_ROWS: u32 = 1000;
/// Rows of one part of an export.
const EXPORT_ROWS: usize = 50_000;

impl Loaded {
    fn choose(&self, request: &EventsRequest) -> Result<std::cell::RefMut<'_, EventsState>, WireError> {
        let snapshot = self.snapshot()?;
        let mut state = self.analysed(request.device)?.events.borrow_mut();
        let wanted = Some((request.filter.clone(), request.sort, request.descending));
        if state.chosen_for != wanted {
            state.events =
                select(snapshot, request.device, &request.filter, request.sort, request.descending);
            state.chosen_for = wanted;
        }
        Ok(state)
    }

    /// A page of the rows that the filter keeps.
    pub fn events(&self, request: &EventsRequest) -> Result<Reply, WireError> {
        let state = self.choose(request)?;
        let first = (request.first as usize).min(state.events.len());
        let end = first.saturating_add(request.count.min(MOST_ROWS) as usize).min(state.events.len());
        Ok(Reply::Events {
            total: state.events.len() as u32,
            first: first as u32,
            rows: rows(self.snapshot()?, self.classes()?, request.device, &state.events[first..end]),
        })
    }

    /// A part of the kept rows as CSV, the head line first; an empty text ends it.
    pub fn events_csv(&self, request: &EventsRequest) -> Result<Reply, WireError> {
        let snapshot = self.snapshot()?;
        let state = self.choose(request)?;
        let first = (request.first as usize).min(state.events.len());
        let end = first.saturating_add(EXPORT_ROWS).min(state.events.len());
        let text = csv_text(snapshot, request.device, &state.events[first..end], first == 0)
            .map_err(|error| WireError::request(format!("the rows could not be written: {error}")))?;
        Ok(Reply::EventsCsv { next: (end < state.events.len()).then_some(end as u32), text })
    }
}

fn csv_text(
    snapshot: &crate::model::Snapshot,
    device: Device,
    events: &[u32],
    head: bool,
) -> Result<String, csv::Error> {
    let range = snapshot.rows_of(device);
    let mut out = csv::Writer::from_writer(Vec::new());
    if head {
        out.write_record(["event", "action", "address", "size", "stream", "time_us", "stack"])?;
    }
    for &event in events {
        let row = range.start + event as usize;
        let found = snapshot.events.get(row);
        let stack: Vec<String> = snapshot
            .stacks
            .get(found.stack)
            .iter()
            .map(|&frame| {
                let frame = snapshot.frames.get(frame);
                let (file, function) =
                    (snapshot.strings.get(frame.file), snapshot.strings.get(frame.function));
                format!("{file}:{}:{function}", frame.line)
            })
            .collect();
        out.write_record([
            event.to_string(),
            action_name(snapshot, row).to_owned(),
            format!("0x{}", found.address),
            found.size.0.to_string(),
            snapshot.streams.get(found.stream).to_string(),
            found.time.map(Nanos::micros).map_or_else(String::new, |time| time.to_string()),
            stack.join(";"),
        ])?;
    }
    let bytes = out.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
