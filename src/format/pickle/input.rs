//! A window on the bytes of a pickle.
//!
//! The machine looks at sixteen bytes at a time, which holds every opcode with its fixed operand, so
//! that the common path is one check an opcode. A text is a slice of the window where it fits, else
//! it is gathered piece by piece: a length alone never makes anything allocate.

use super::opcodes;
use crate::format::source::Source;
use std::io::{self, Read};

/// Bytes of the window.
const WINDOW: usize = 256 << 10;
/// What the machine looks at; the window has as many zeros after its end.
pub const LOOK: usize = 16;
/// Longer texts are read over, not kept.
pub const LONGEST_TEXT: u64 = 16 << 20;

/// An opcode and the bytes after it, in two registers: arrays would go through memory.
#[derive(Clone, Copy)]
pub struct Head(u128);

impl Head {
    #[inline]
    fn new(bytes: &[u8; LOOK]) -> Head {
        Head(u128::from_le_bytes(*bytes))
    }

    #[inline]
    pub fn opcode(self) -> u8 {
        self.0 as u8
    }

    /// The byte so far after the opcode.
    #[inline]
    pub fn byte(self, offset: u32) -> u8 {
        (self.0 >> (8 * offset)) as u8
    }

    #[inline]
    pub fn u16(self) -> u16 {
        (self.0 >> 8) as u16
    }

    #[inline]
    pub fn u32(self) -> u32 {
        (self.0 >> 8) as u32
    }

    #[inline]
    pub fn u64(self) -> u64 {
        (self.0 >> 8) as u64
    }

    /// Eight bytes after the opcode and one byte of length.
    #[inline]
    pub fn u64_after_length(self) -> u64 {
        (self.0 >> 16) as u64
    }
}

/// Why reading stopped.
#[derive(Debug)]
pub enum Break {
    /// The bytes end in the middle.
    End,
    /// They could not be read.
    Io(io::Error),
    /// They break the rules of a pickle: what was expected.
    Malformed(String),
}

impl From<&'static str> for Break {
    fn from(expected: &'static str) -> Break {
        Break::Malformed(format!("expected {expected}"))
    }
}

pub struct Input<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    pos: usize,
    end: usize,
    /// Where in the pickle the buffer begins.
    base: u64,
    /// A text too long for the window.
    long: Vec<u8>,
}

impl<'a> Input<'a> {
    pub fn new(source: Source<'a>) -> Input<'a> {
        Input { source, buffer: vec![0; WINDOW + LOOK], pos: 0, end: 0, base: 0, long: Vec::new() }
    }

    /// Where the next byte is.
    #[inline]
    pub fn position(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The next opcode and what follows it; the opcode and its fixed operand are all there.
    #[inline]
    pub fn look(&mut self) -> Result<Head, Break> {
        if self.pos + LOOK <= self.end
            && let Some(chunk) = self.buffer.get(self.pos..).and_then(|rest| rest.first_chunk())
        {
            return Ok(Head::new(chunk));
        }
        self.look_slowly()
    }

    #[cold]
    fn look_slowly(&mut self) -> Result<Head, Break> {
        self.fill(LOOK)?;
        let available = self.end - self.pos;
        let chunk =
            self.buffer.get(self.pos..).and_then(|rest| rest.first_chunk::<LOOK>()).ok_or(Break::End)?;
        if available == 0 || available < opcodes::FIXED[usize::from(chunk[0])].into() {
            return Err(Break::End);
        }
        Ok(Head::new(chunk))
    }

    /// True if so many bytes are in the window.
    #[inline]
    pub fn has(&self, bytes: usize) -> bool {
        self.end - self.pos >= bytes
    }

    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    /// The rest of the window, at least `wanted` bytes of it unless the end is near.
    #[inline]
    pub fn window(&mut self, wanted: usize) -> &[u8] {
        if self.end - self.pos < wanted {
            // An error comes again when the bytes are needed.
            let _ = self.fill(wanted);
        }
        self.buffer.get(self.pos..self.end).unwrap_or(&[])
    }

    /// Tries to have `wanted` bytes (at most the window) from the position on.
    fn fill(&mut self, wanted: usize) -> Result<(), Break> {
        let wanted = wanted.min(WINDOW);
        if self.end - self.pos >= wanted {
            return Ok(());
        }
        self.buffer.copy_within(self.pos..self.end, 0);
        self.base += self.pos as u64;
        self.end -= self.pos;
        self.pos = 0;
        while self.end < wanted {
            let Some(room) = self.buffer.get_mut(self.end..WINDOW) else { break };
            match self.source.read(room) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Break::Io(error)),
            }
        }
        if let Some(padding) = self.buffer.get_mut(self.end..self.end + LOOK) {
            padding.fill(0);
        }
        Ok(())
    }

    /// The next `len` bytes; `None` if they are more than is kept of a text (they are read over).
    #[inline]
    pub fn take(&mut self, len: u64) -> Result<Option<&[u8]>, Break> {
        let start = self.pos;
        if len <= (self.end - start) as u64 {
            self.pos += len as usize;
            return Ok(self.buffer.get(start..self.pos));
        }
        self.take_slowly(len)
    }

    #[cold]
    fn take_slowly(&mut self, len: u64) -> Result<Option<&[u8]>, Break> {
        if self.source.len.is_some_and(|whole| len > whole.saturating_sub(self.position())) {
            return Err(Break::End);
        }
        if len <= WINDOW as u64 {
            self.fill(len as usize)?;
            if self.end - self.pos < len as usize {
                return Err(Break::End);
            }
            let start = self.pos;
            self.pos += len as usize;
            return Ok(self.buffer.get(start..self.pos));
        }
        let keep = len <= LONGEST_TEXT;
        self.long.clear();
        let mut left = len;
        while left > 0 {
            self.fill(1)?;
            let piece = (self.end - self.pos).min(usize::try_from(left).unwrap_or(usize::MAX));
            if piece == 0 {
                return Err(Break::End);
            }
            if keep {
                self.long.extend_from_slice(self.buffer.get(self.pos..self.pos + piece).unwrap_or(&[]));
            }
            self.pos += piece;
            left -= piece as u64;
        }
        Ok(keep.then_some(self.long.as_slice()))
    }

    /// The rest of the line without its end; `None` if it is more than is kept of a text.
    pub fn line(&mut self) -> Result<Option<&[u8]>, Break> {
        self.long.clear();
        let mut keep = true;
        loop {
            self.fill(1)?;
            let rest = self.buffer.get(self.pos..self.end).unwrap_or(&[]);
            if rest.is_empty() {
                return Err(Break::End);
            }
            let found = rest.iter().position(|&b| b == b'\n');
            let piece = rest.get(..found.unwrap_or(rest.len())).unwrap_or(&[]);
            keep &= (self.long.len() + piece.len()) as u64 <= LONGEST_TEXT;
            if keep {
                self.long.extend_from_slice(piece);
            }
            self.pos += piece.len() + usize::from(found.is_some());
            if found.is_some() {
                if self.long.last() == Some(&b'\r') {
                    self.long.pop();
                }
                return Ok(keep.then_some(self.long.as_slice()));
            }
        }
    }
}
