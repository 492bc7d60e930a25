//! GE logs: what CANN's graph engine says about memory while it compiles, loads and runs graphs.
//!
//! A log is text of up to several GB of which few lines matter, from several processes, cut into files
//! by rotation. So reading is streamed ([`scan`]), a line is looked at only if it holds a marker, and
//! [`Reader`] takes any number of files in any order before it puts rows together ([`builder`]).
//! Damaged lines (cut by rotation, or with another process's line in their middle) are counted in the
//! log's warnings and never stop it.

#[cfg(not(target_arch = "wasm32"))]
mod beside;
mod builder;
mod comma;
mod driver;
mod fields;
mod imas;
mod pool;
mod prefix;
mod scan;
mod text;

use crate::format::Result;
use crate::model::Nanos;
use crate::model::ge::GeLog;
use builder::{Builder, Place};
use fields::Damaged;
use scan::Layout;
use std::io::Read;
use text::find;

/// Whether the beginning of a file looks like a GE log or an imas_mem_graph.csv.
pub fn is_ge_log(head: &[u8]) -> bool {
    if comma::begins(head) {
        return true;
    }
    head.split(|byte| *byte == b'\n').take(64).any(|line| {
        prefix::records(line, |_, _| {}) > 0 || line.starts_with(b"[IMAS]") || line.starts_with(b"[devmm]")
    })
}

/// Reads one log.
pub fn read(source: impl Read, progress: &mut dyn FnMut(u64)) -> Result<GeLog> {
    let mut reader = Reader::default();
    reader.read(source, progress)?;
    Ok(reader.finish())
}

/// Reads several files as one log.
#[derive(Default)]
pub struct Reader {
    builder: Builder,
    /// Time of the last line with a time, for lines that were cut before it.
    last: Option<(u64, Nanos, u64)>,
}

impl Reader {
    /// Adds a file. `progress` is told the bytes read of this file.
    pub fn read(&mut self, source: impl Read, progress: &mut dyn FnMut(u64)) -> Result<()> {
        self.last = None;
        let layout = |head: &[u8]| if comma::begins(head) { Layout::Rows } else { Layout::Lines };
        #[cfg(not(target_arch = "wasm32"))]
        let bytes = beside::scan(self, source, progress, layout)?;
        #[cfg(target_arch = "wasm32")]
        let bytes = scan::scan(source, progress, layout, |layout, line, at| self.take(layout, line, at))?;
        self.builder.log.bytes += bytes;
        self.builder.log.files += 1;
        Ok(())
    }

    /// The log, in time order.
    pub fn finish(self) -> GeLog {
        self.builder.finish()
    }

    fn take(&mut self, layout: Layout, line: &[u8], at: u64) {
        match layout {
            Layout::Rows => self.row(line, at),
            Layout::Lines => self.line(line, at),
        }
    }

    fn row(&mut self, line: &[u8], at: u64) {
        if comma::read(&mut self.builder, line, at).is_err() {
            self.builder.warn("damaged_row", at, line);
        }
    }

    fn line(&mut self, line: &[u8], position: u64) {
        let Reader { builder, last } = self;
        let count = prefix::records(line, |prefix, text| {
            if let (Some(pid), Some(at)) = (prefix.pid, prefix.at) {
                if last.is_none_or(|(last, ..)| last != pid) {
                    builder.name_process(pid, prefix.process);
                }
                *last = Some((pid, at, prefix.thread));
            }
            let (pid, at, thread) = last.unwrap_or((0, Nanos(i64::MIN), 0));
            let place = Place { pid, at, thread, position };
            if dispatch(builder, place, text).is_err() {
                builder.warn("cut_line", position, line);
            }
        });
        if count > 1 {
            builder.warn("interleaved_line", position, line);
        }
    }
}

fn dispatch(builder: &mut Builder, place: Place, rest: &[u8]) -> Result<(), Damaged> {
    let has = |word: &[u8]| find(rest, word).is_some();
    if let Some(at) = find(rest, b"[IMAS]") {
        return imas::read(builder, place, &rest[at + 6..]);
    }
    if has(b"[MEM]") {
        return pool::kernel(builder, place, rest);
    }
    if has(b"block device_id:") && pool::block(builder, place, rest)? {
        return Ok(());
    }
    if has(b"reach theory rate:") {
        return pool::details(builder, place, rest);
    }
    if has(b"svm_mem_stats_show]") {
        return driver::exit_stats(builder, place, rest);
    }
    if has(b"Physical success") {
        return driver::physical(builder, place, rest);
    }
    if has(b"MallocMemory") {
        return driver::malloc(builder, place, rest);
    }
    if has(b"FreeMemory") {
        return driver::free(builder, place, rest);
    }
    pool::named(builder, place, rest);
    Ok(())
}

#[cfg(test)]
mod tests;
