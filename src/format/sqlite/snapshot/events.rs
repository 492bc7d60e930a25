//! The events of the traces, and what few of them carry besides.

use super::ids::Ids;
use super::{Reading, address, bytes};
use crate::format::Result;
use crate::model::{Action, Device, Event, EventTable, Nanos, Trace};

impl Reading<'_> {
    /// Events by device: each device's in the order of their ids.
    pub(super) fn traces(&mut self) -> Result<()> {
        let db = self.db;
        let [device, action, place, device_free, size, stream, stack, time] = db.columns(
            "traces",
            ["device_id", "action", "addr", "device_free", "size", "stream", "stack_id", "time_us"],
        );
        // Runs of rows of one device: one each in what this program writes, any number elsewhere.
        let mut runs: Vec<(usize, core::ops::Range<usize>)> = Vec::new();
        let mut ids = Ids::new();
        db.rows("traces", &mut |row| {
            let text = row.text(action).unwrap_or("");
            let action = Action::from_name(text);
            let place = if action == Action::Oom { device_free } else { place };
            let event = Event {
                action,
                address: address(row, place),
                size: bytes(row, size).unwrap_or_default(),
                stream: self.stream(row.int(stream)),
                time: row.int(time).map(Nanos::from_micros),
                stack: self.stack(row.int(stack)),
            };
            let owner = self.devices.get(row.int(device)).unwrap_or(0);
            let at = self.snapshot.events.push(event);
            match runs.last_mut() {
                Some((last, rows)) if *last == owner => rows.end = at + 1,
                _ => runs.push((owner, at..at + 1)),
            }
            if action == Action::Other {
                let name = self.snapshot.strings.intern(text);
                self.snapshot.events.other_action.set(at, name);
            }
            ids.push(row.id, at);
            Ok(())
        })?;
        self.details(&ids)?;
        drop(ids);
        let snapshot = &mut self.snapshot;
        if self.devices_list.is_empty() && !snapshot.events.is_empty() {
            self.devices_list.push(Device::Index(0));
        }
        snapshot.traces = self.devices_list.iter().map(|&device| Trace { device, rows: 0..0 }).collect();
        let mut by_trace: Vec<Vec<core::ops::Range<usize>>> = vec![Vec::new(); snapshot.traces.len()];
        for (owner, rows) in runs {
            if let Some(own) = by_trace.get_mut(owner) {
                own.push(rows);
            }
        }
        if by_trace.iter().all(|runs| runs.len() <= 1) {
            for (trace, runs) in snapshot.traces.iter_mut().zip(by_trace) {
                trace.rows = runs.into_iter().next().unwrap_or(0..0);
            }
            return Ok(());
        }
        let mut events = EventTable::default();
        for (trace, runs) in snapshot.traces.iter_mut().zip(by_trace) {
            let start = events.len();
            runs.into_iter().flatten().for_each(|row| {
                events.push_from(&snapshot.events, row);
            });
            trace.rows = start..events.len();
        }
        snapshot.events = events;
        Ok(())
    }

    fn details(&mut self, events: &Ids<usize>) -> Result<()> {
        let db = self.db;
        let [event, pool_0, pool_1, time] =
            db.columns("trace_details", ["trace_id", "pool_id_0", "pool_id_1", "time_ns"]);
        let texts = db.columns(
            "trace_details",
            ["compile_context", "user_metadata", "internal_metadata", "forward_frames"],
        );
        if let Some((a, b)) = self.usual_pool {
            let pool = self.pool(Some(a), Some(b));
            (0..self.snapshot.events.len()).for_each(|at| self.snapshot.events.pool.set(at, pool));
        }
        db.rows("trace_details", &mut |row| {
            let Some(at) = events.get(row.int(event)) else { return Ok(()) };
            let pool = self.pool(row.int(pool_0), row.int(pool_1));
            let [context, user, internal, forward] = texts.map(|column| self.intern(row.text(column)));
            let events = &mut self.snapshot.events;
            events.pool.set(at, pool);
            events.compile_context.set(at, context);
            events.user_metadata.set(at, user);
            events.internal_metadata.set(at, internal);
            events.forward_frames.set(at, forward);
            if let Some((time, slot)) = row.int(time).zip(events.time.get_mut(at)) {
                *slot = Nanos(time);
            }
            Ok(())
        })
    }
}
