//! A browser's file as a reader: slices of a few MiB, so that a file of many gigabytes never lies in
//! memory whole.

use js_sys::{Array, Uint8Array};
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use web_sys::{Blob, FileReaderSync, MessageChannel, MessagePort};

/// Large enough that a slice's fixed cost does not show, small enough that two of them are little memory.
const SLICE: u64 = 8 << 20;
/// What has been read when the memory of the whole is estimated; a multiple of the slice.
const PROBE: u64 = 64 << 20;

/// Watches the memory that reading takes and stops it when the whole would not fit.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Bytes of wasm memory allowed.
    pub limit: Option<u64>,
    /// Set when the limit stopped the reading: what the whole file would take.
    pub estimate: Rc<Cell<Option<u64>>>,
}

/// Bytes of wasm memory in use; it never shrinks.
pub fn memory_bytes() -> u64 {
    core::arch::wasm32::memory_size(0) as u64 * 65_536
}

/// Reads a blob from its begin to its end. Works in a worker only.
pub struct BlobReader {
    reader: FileReaderSync,
    blob: Blob,
    len: u64,
    /// Where the next slice begins.
    next: u64,
    /// The slice, on the side of JavaScript: its bytes are copied once, to where they are wanted.
    slice: Uint8Array,
    taken: u32,
    /// Where slices go that have been read.
    drain: MessagePort,
    memory_at_start: u64,
    budget: Budget,
}

impl BlobReader {
    pub fn new(blob: Blob, budget: Budget) -> io::Result<BlobReader> {
        let reader = FileReaderSync::new().map_err(|error| io_error(&error))?;
        let len = blob.size().max(0.0) as u64;
        let memory_at_start = memory_bytes();
        let channel = MessageChannel::new().map_err(|error| io_error(&error))?;
        channel.port2().close();
        let drain = channel.port1();
        Ok(BlobReader {
            reader,
            blob,
            len,
            next: 0,
            slice: Uint8Array::new_with_length(0),
            taken: 0,
            drain,
            memory_at_start,
            budget,
        })
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    fn fill(&mut self) -> io::Result<()> {
        self.check_budget()?;
        self.release();
        self.taken = 0;
        let end = (self.next + SLICE).min(self.len);
        let part =
            self.blob.slice_with_f64_and_f64(self.next as f64, end as f64).map_err(|e| io_error(&e))?;
        let buffer = self.reader.read_as_array_buffer(&part).map_err(|error| io_error(&error))?;
        self.slice = Uint8Array::new(&buffer);
        self.next = end;
        Ok(())
    }

    /// Gives the memory of the slice back at once. Nothing is collected while a call lasts, and a file of
    /// many slices is read in one call: a gigabyte would lie there as garbage. A buffer that is sent goes
    /// from here, and what no one can receive is dropped. (The sending port has to be open: a closed one leaves
    /// the buffer where it is. That the other is closed it learns only after the call.)
    fn release(&mut self) {
        let slice = std::mem::replace(&mut self.slice, Uint8Array::new_with_length(0));
        let _ = self.drain.post_message_with_transferable(&JsValue::NULL, &Array::of1(&slice.buffer()));
    }

    /// Asked once: later the readers have made room for what is to come, which no longer says what a
    /// byte of the file takes. Replaying needs about as much again as the tables that were read.
    fn check_budget(&self) -> io::Result<()> {
        let Some(limit) = self.budget.limit else { return Ok(()) };
        if self.next != PROBE {
            return Ok(());
        }
        let grown = memory_bytes().saturating_sub(self.memory_at_start) as f64;
        let estimate = (grown / self.next as f64 * self.len as f64 * 1.6) as u64;
        if estimate > limit {
            self.budget.estimate.set(Some(estimate));
            return Err(io::Error::other("over the memory budget"));
        }
        Ok(())
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        self.release();
        self.drain.close();
    }
}

impl Read for BlobReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.slice.length() {
            if self.next >= self.len {
                return Ok(0);
            }
            self.fill()?;
        }
        let count = (self.slice.length() - self.taken).min(u32::try_from(out.len()).unwrap_or(u32::MAX));
        let end = self.taken + count;
        if let Some(to) = out.get_mut(..count as usize) {
            self.slice.subarray(self.taken, end).copy_to(to);
        }
        self.taken = end;
        Ok(count as usize)
    }
}

fn io_error(error: &JsValue) -> io::Error {
    let message = error.dyn_ref::<js_sys::Error>().map_or_else(
        || error.as_string().unwrap_or_else(|| "the browser refused to read it".to_owned()),
        |error| String::from(error.message()),
    );
    io::Error::other(message)
}

use wasm_bindgen::{JsCast, JsValue};
