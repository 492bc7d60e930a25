//! A snapshot, or a range of its events, as a pickle that PyTorch's own tools read.
//!
//! Written row by row from the columns, with every text, frame and stack once and referred to through the
//! memo after that, so nothing grows with the file but the memo. Only opcodes that PyTorch itself writes
//! are used: memory_viz reads no others. The shape is that of PyTorch 2.x whatever the source was;
//! what a file did not say is left out, never made up.

mod entries;
mod stream;

use crate::format::{Keep, kept};
use crate::model::{Device, Snapshot, Trace, Writer};
use core::ops::Range;
use std::io::{Result, Write};
use stream::{Stream, word};

/// What of a snapshot is written. The default is everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Only this device; the others keep their places, without events.
    pub device: Option<Device>,
    /// Only these events of each device, numbered from 0. Of later ones those stay that lead from the
    /// range to the snapshot, as in a file that is opened with a range.
    pub events: Option<Range<u64>>,
}

/// Writes what is selected.
pub fn write_pickle(snapshot: &Snapshot, selection: &Selection, out: &mut dyn Write) -> Result<()> {
    let mut pickle = Stream::new(snapshot, out);
    pickle.raw(&[0x80, 4]);
    pickle.dict(|pickle| {
        pickle.word(word::SEGMENTS);
        segments(pickle, selection, false)?;
        pickle.word(word::DEVICE_TRACES);
        traces(pickle, selection, false)?;
        if snapshot.segments.iter().any(|s| s.device == Device::Host) {
            pickle.word(word::HOST_SEGMENTS);
            segments(pickle, selection, true)?;
        }
        if snapshot.traces.iter().any(|t| t.device == Device::Host) {
            pickle.word(word::HOST_TRACES);
            traces(pickle, selection, true)?;
        }
        if snapshot.writer == Writer::Torch || !snapshot.allocator_settings.is_empty() {
            pickle.word(word::ALLOCATOR_SETTINGS);
            pickle.dict(|pickle| {
                for (key, value) in &snapshot.allocator_settings {
                    pickle.fresh_text(key);
                    pickle.fresh_text(value);
                }
                Ok(())
            })?;
        }
        if !snapshot.annotations.is_empty() {
            pickle.word(word::EXTERNAL_ANNOTATIONS);
            entries::annotations(pickle)?;
        }
        Ok(())
    })?;
    pickle.raw(b".");
    pickle.finish()
}

fn wanted(selection: &Selection, device: Device, host: bool) -> bool {
    (device == Device::Host) == host && selection.device.is_none_or(|only| only == device)
}

fn segments(pickle: &mut Stream<'_>, selection: &Selection, host: bool) -> Result<()> {
    let snapshot = pickle.snapshot;
    let chosen = snapshot.segments.iter().filter(|s| wanted(selection, s.device, host));
    pickle.list(chosen, entries::segment)
}

/// A list of events for each device list of the file; where one is not wanted, an empty one.
fn traces(pickle: &mut Stream<'_>, selection: &Selection, host: bool) -> Result<()> {
    let snapshot = pickle.snapshot;
    let lists = snapshot.traces.iter().filter(|trace| (trace.device == Device::Host) == host);
    pickle.list(lists, |pickle, trace: &Trace| {
        let rows = if wanted(selection, trace.device, host) { trace.rows.clone() } else { 0..0 };
        match &selection.events {
            None => pickle.list(rows, entries::event),
            Some(range) => {
                let kept = kept(&snapshot.events, rows.clone(), &Keep::Range(range.clone()));
                let rows = rows.zip(kept).filter(|&(_, kept)| kept).map(|(row, _)| row);
                pickle.list(rows, entries::event)
            }
        }
    })
}
