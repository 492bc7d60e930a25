//! A file written by a thread of its own, while what comes next is made.
//!
//! Copying to the system takes as long as making what is copied. A few buffers go back and forth, so memory is bounded
//! and nothing is written out of order.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Bytes of a buffer, and how many there are.
const BUFFER: usize = 1 << 20;
const BUFFERS: usize = 4;

/// Takes bytes for a writer in another thread.
pub struct Beside<W> {
    /// None once nothing more comes.
    full: Option<SyncSender<Vec<u8>>>,
    empty: Receiver<Vec<u8>>,
    buffer: Vec<u8>,
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Write + Send + 'static> Beside<W> {
    pub fn new(mut out: W) -> Beside<W> {
        let (full, to_write) = sync_channel::<Vec<u8>>(BUFFERS);
        let (give_back, empty) = sync_channel(BUFFERS);
        for _ in 1..BUFFERS {
            // There is room for all of them.
            let _ = give_back.send(Vec::with_capacity(BUFFER));
        }
        let thread = thread::spawn(move || {
            for mut buffer in to_write {
                out.write_all(&buffer)?;
                buffer.clear();
                // Nobody takes it any more at the end.
                let _ = give_back.send(buffer);
            }
            Ok(out)
        });
        Beside { full: Some(full), empty, buffer: Vec::with_capacity(BUFFER), thread: Some(thread) }
    }

    /// Waits until all is written and gives the writer back.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.pass_on()?;
        self.end()
    }
}

impl<W> Beside<W> {
    fn pass_on(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let full = std::mem::take(&mut self.buffer);
        let passed = self.full.as_ref().is_some_and(|to_write| to_write.send(full).is_ok());
        match self.empty.recv() {
            Ok(empty) if passed => self.buffer = empty,
            // The thread ends early only when it fails.
            _ => return self.end().and(Err(io::Error::other("writing ended early"))),
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<W> {
        self.full = None;
        let failed = || io::Error::other("writing failed");
        self.thread.take().ok_or_else(failed)?.join().map_err(|_| failed())?
    }
}

impl<W> Drop for Beside<W> {
    /// The file is closed when this is gone.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl<W: Write + Send + 'static> Write for Beside<W> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = bytes.len().min(BUFFER - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..some]);
        if self.buffer.len() == BUFFER {
            self.pass_on()?;
        }
        Ok(some)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_in_order() {
        let mut beside = Beside::new(Vec::new());
        let mut expected = Vec::new();
        for i in 0..3_000_u32 {
            let bytes = i.to_le_bytes().repeat(i as usize % 1500);
            beside.write_all(&bytes).unwrap();
            expected.extend(bytes);
        }
        assert!(beside.into_inner().unwrap() == expected);
        assert!(Beside::new(Vec::<u8>::new()).into_inner().unwrap().is_empty());
    }

    #[test]
    fn a_failure_is_told() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("no space"))?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut beside = Beside::new(Full(2 * BUFFER));
        let mut written = 0;
        let failed = loop {
            match beside.write_all(&vec![0; BUFFER]) {
                Ok(()) if written < 20 => written += 1,
                result => break result,
            }
        };
        assert_eq!(failed.unwrap_err().to_string(), "no space");
        assert!(beside.into_inner().is_err());
    }
}
