//! Rows of profiler runs: what each operator allocated, with its call stack, and what components held.

use super::frames_json::{hashed, push_json};
use super::{Sink, Value, row_id};
use crate::analysis::ops::index::OpsIndex;
use crate::analysis::ops::report::Analysed;
use crate::analysis::ops::rows::FRAME_SEPARATOR;
use crate::model::profile::{ProfilerRun, Totals};
use crate::model::{Nanos, StringTable};
use std::io;

/// The distinct call stacks of all runs.
#[derive(Default)]
pub(super) struct RunStacks {
    texts: StringTable,
}

impl RunStacks {
    pub fn new(runs: &[Analysed]) -> RunStacks {
        let mut texts = StringTable::default();
        for Analysed { run, index, .. } in runs {
            for position in 0..index.len() {
                let text = index.stack(run, position);
                if !text.is_empty() {
                    texts.intern(text);
                }
            }
        }
        RunStacks { texts }
    }

    fn id(&self, text: &str) -> Value<'static> {
        row_id(self.texts.find(text).map(|id| id.index()))
    }

    /// The rows of `call_stacks`; a frame is one text, as traces have them.
    pub fn rows(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        let (mut json, mut seen) = (String::new(), StringTable::default());
        for id in 0..self.texts.len() {
            json.clear();
            let text = self.texts.get(crate::model::StringId::new(id));
            for frame in text.split(FRAME_SEPARATOR) {
                json.push(if json.is_empty() { '[' } else { ',' });
                push_json(&mut json, Some(frame));
            }
            json.push(']');
            hashed(&json, &mut seen, sink)?;
        }
        Ok(())
    }
}

pub(super) fn runs(runs: &[Analysed], sink: &mut Sink<'_>) -> io::Result<()> {
    for key in runs.iter().map(|analysed| &analysed.run.key) {
        sink(&[
            Value::Text(&key.role),
            key.rank.into(),
            Value::Text(&key.timestamp),
            Value::Text(&key.folder),
        ])?;
    }
    Ok(())
}

fn time(time: Option<Nanos>) -> Value<'static> {
    time.map(|time| time.0).into()
}

fn pointer(value: Option<u64>) -> Value<'static> {
    value.map(super::signed).into()
}

fn totals(totals: Totals) -> [Value<'static>; 3] {
    [totals.allocated_mb, totals.reserved_mb, totals.active_mb]
        .map(|mb| if mb.is_finite() { Value::Real(mb) } else { Value::Null })
}

/// Rows of `operator_memory`, in the order of the profiler's file.
pub(super) fn operators(runs: &[Analysed], stacks: &RunStacks, sink: &mut Sink<'_>) -> io::Result<()> {
    for (number, Analysed { run, index, .. }) in runs.iter().enumerate() {
        let Some(table) = &run.operators else { continue };
        let places = places(index, table.len());
        for (i, row) in table.rows().enumerate() {
            let position = places.get(i).copied().unwrap_or(u32::MAX) as usize;
            let [a, b, c] = totals(row.at_alloc);
            let [d, e, f] = totals(row.at_release);
            sink(&[
                row_id(Some(number)),
                Value::Text(table.strings.get(row.name)),
                Value::Int(row.size),
                time(row.alloc),
                time(row.release),
                time(row.block_release),
                time(row.duration),
                time(row.block_duration),
                a,
                b,
                c,
                d,
                e,
                f,
                pointer(row.stream),
                Value::Text(table.strings.get(row.device)),
                stacks.id(index.stack(run, position)),
                index.matches.get(position).map(|found| found.kind.name()).into(),
            ])?;
        }
    }
    Ok(())
}

/// Where each row of the operator table stands in the index.
fn places(index: &OpsIndex, rows: usize) -> Vec<u32> {
    let mut places = vec![u32::MAX; rows];
    for (position, &row) in index.row.iter().enumerate() {
        if let Some(place) = places.get_mut(row as usize) {
            *place = position as u32;
        }
    }
    places
}

fn each_run(runs: &[Analysed]) -> impl Iterator<Item = (Value<'static>, &ProfilerRun)> {
    runs.iter().enumerate().map(|(number, analysed)| (row_id(Some(number)), &analysed.run))
}

pub(super) fn records(runs: &[Analysed], sink: &mut Sink<'_>) -> io::Result<()> {
    for (run_id, run) in each_run(runs) {
        let Some(table) = &run.records else { continue };
        for row in &table.rows {
            sink(&[
                run_id,
                Value::Text(table.strings.get(row.component)),
                Value::Int(row.at.0),
                row.allocated.into(),
                row.reserved.into(),
                row.active.into(),
                pointer(row.stream),
                Value::Text(table.strings.get(row.device)),
            ])?;
        }
    }
    Ok(())
}

pub(super) fn modules(runs: &[Analysed], sink: &mut Sink<'_>) -> io::Result<()> {
    for (run_id, run) in each_run(runs) {
        let Some(table) = &run.modules else { continue };
        for row in &table.rows {
            sink(&[
                run_id,
                Value::Text(table.strings.get(row.module)),
                time(row.at),
                row.reserved.into(),
                Value::Text(table.strings.get(row.device)),
            ])?;
        }
    }
    Ok(())
}
