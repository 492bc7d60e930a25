//! The bytes of a file: counted, looked ahead into, and unwrapped.
//!
//! Everything below reads a [`Source`], which remembers how much of the *file* has gone by (what a
//! progress bar wants, also inside gzip) and lets the sniffer look at the beginning without taking it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// How much of the beginning the sniffer sees.
pub(super) const HEAD: usize = 16 << 10;

/// A reader with its first bytes at hand.
pub(super) struct Source<'a> {
    head: Vec<u8>,
    at: usize,
    inner: Box<dyn Read + 'a>,
    /// Length of what `inner` gives, where known.
    pub len: Option<u64>,
    pub file: FilePosition,
}

/// How far the file itself has been read, wrappings and all.
#[derive(Clone, Debug, Default)]
pub(super) struct FilePosition {
    read: Rc<Cell<u64>>,
    /// Its length, where known.
    pub len: Option<u64>,
}

impl FilePosition {
    pub fn bytes_read(&self) -> u64 {
        self.read.get()
    }
}

/// Counts bytes and tells the progress.
struct Counted<'a, R> {
    inner: R,
    count: Rc<Cell<u64>>,
    progress: &'a mut dyn FnMut(u64),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.set(self.count.get() + n as u64);
        (self.progress)(self.count.get());
        Ok(n)
    }
}

impl<'a> Source<'a> {
    /// The file itself.
    pub fn new(
        file: impl Read + 'a,
        len: Option<u64>,
        progress: &'a mut dyn FnMut(u64),
    ) -> io::Result<Source<'a>> {
        let read = Rc::new(Cell::new(0));
        let inner = Counted { inner: file, count: Rc::clone(&read), progress };
        Source::over(Box::new(inner), len, FilePosition { read, len })
    }

    /// What a reader gives, unwrapped from a file.
    pub fn over(
        mut inner: Box<dyn Read + 'a>,
        len: Option<u64>,
        file: FilePosition,
    ) -> io::Result<Source<'a>> {
        let mut head = vec![0; HEAD];
        let mut filled = 0;
        while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match inner.read(rest) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What is there already is worth looking at; the error comes again.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error),
            }
        }
        head.truncate(filled);
        Ok(Source { head, at: 0, inner, len, file })
    }

    /// The first bytes, as many as there are up to [`HEAD`].
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Where the file is, to hand on to what is unwrapped from it.
    pub fn handle(&self) -> FilePosition {
        self.file.clone()
    }

    /// What `unwrap` makes of this source, as a source of its own; the length inside is not known.
    pub fn unwrapped(self, unwrap: impl FnOnce(Source<'a>) -> Box<dyn Read + 'a>) -> io::Result<Source<'a>> {
        let file = self.handle();
        Source::over(unwrap(self), None, file)
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.head.get(self.at..).filter(|rest| !rest.is_empty()) {
            Some(mut rest) => {
                let n = rest.read(buffer)?;
                self.at += n;
                Ok(n)
            }
            None => self.inner.read(buffer),
        }
    }
}
