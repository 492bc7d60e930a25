//! Takes lines apart on a thread beside the one that searches for them.
//!
//! Searching a block and taking its lines apart cost about the same, so that two threads halve the time
//! of a large log. Lines go over in batches, in file order; a few batches may wait, so that memory stays
//! bounded whatever the size of the log. A browser's worker has one thread and does both in turn.

use super::scan::Layout;
use super::{Reader, scan};
use crate::format::Result;
use std::io::Read;
use std::sync::mpsc::sync_channel;

/// Bytes of lines that go over at a time.
const FULL: usize = 256 << 10;
/// Batches that may wait.
const WAITING: usize = 4;

struct Batch {
    layout: Layout,
    bytes: Vec<u8>,
    /// Where each line ends in `bytes`, and its position in the file.
    lines: Vec<(usize, u64)>,
}

impl Batch {
    fn new(layout: Layout) -> Batch {
        Batch { layout, bytes: Vec::with_capacity(FULL + (64 << 10)), lines: Vec::new() }
    }

    fn take_apart(&self, reader: &mut Reader) {
        let mut from = 0;
        for &(to, at) in &self.lines {
            reader.take(self.layout, self.bytes.get(from..to).unwrap_or_default(), at);
            from = to;
        }
    }
}

/// As [`scan::scan`], with the lines given to the reader.
pub(super) fn scan(
    reader: &mut Reader,
    source: impl Read,
    progress: &mut dyn FnMut(u64),
    layout: impl FnOnce(&[u8]) -> Layout,
) -> Result<u64> {
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel::<Batch>(WAITING);
        let beside = std::thread::Builder::new()
            .spawn_scoped(scope, move || receive.iter().for_each(|batch| batch.take_apart(reader)))?;
        let mut batch: Option<Batch> = None;
        let read = scan::scan(source, progress, layout, |layout, line, at| {
            let open = batch.get_or_insert_with(|| Batch::new(layout));
            open.bytes.extend_from_slice(line);
            open.lines.push((open.bytes.len(), at));
            if open.bytes.len() >= FULL
                && let Some(full) = batch.take()
            {
                // Refused only where the other thread panicked, which is passed on below.
                let _ = send.send(full);
            }
        });
        if let Some(last) = batch {
            let _ = send.send(last);
        }
        drop(send);
        if let Err(panic) = beside.join() {
            std::panic::resume_unwind(panic);
        }
        read
    })
}
