//! The pickle machine: one loop over opcodes that moves eight-byte handles.
//!
//! It builds no tree. Finished entries become rows of the tables as soon as their SETITEMS comes, and
//! nothing of a file is ever executed: see [`super::objects`] for what names classes and functions.

use super::input::{Break, Head, Input};
use super::opcodes as op;
use super::runs::Runs;
use crate::format::snapshot::builder::Builder;
use crate::format::snapshot::handle::{Handle, tag};
use crate::format::snapshot::heap::Kind;
use crate::model::StringId;

/// Opcodes of a stretch: some milliseconds.
const STRETCH: u32 = 1 << 16;

pub struct Machine<'a> {
    pub input: Input<'a>,
    pub builder: Builder,
    /// Classes and functions that were named but not built, with the first place.
    pub opaque: Vec<StringId>,
    pub opaque_count: u64,
    pub opaque_at: u64,
    pub runs: Runs,
}

impl<'a> Machine<'a> {
    pub fn new(input: Input<'a>, builder: Builder) -> Machine<'a> {
        Machine { input, builder, opaque: Vec::new(), opaque_count: 0, opaque_at: 0, runs: Runs::default() }
    }

    /// Runs to STOP; the value that the pickle is.
    pub fn run(&mut self) -> Result<Handle, Break> {
        loop {
            if let Some(value) = self.stretch()? {
                return Ok(value);
            }
        }
    }

    /// Runs a stretch of the opcodes; the value once STOP has come.
    ///
    /// Not one call for all of them: an engine that compiles a wasm function again, and well, once it is
    /// seen to be hot, uses that code from the next call on.
    #[inline(never)]
    fn stretch(&mut self) -> Result<Option<Handle>, Break> {
        for _ in 0..STRETCH {
            let head = self.input.look()?;
            match head.opcode() {
                op::BINGET => {
                    self.input.advance(2);
                    self.get(head.byte(1).into())?;
                }
                op::LONG_BINGET => {
                    self.input.advance(5);
                    self.get(head.u32().into())?;
                }
                op::BININT => {
                    self.input.advance(5);
                    self.builder.push(Handle::of(tag::INT, i64::from(head.u32() as i32) as u64));
                }
                op::BININT1 => {
                    self.input.advance(2);
                    self.builder.push(Handle::of(tag::INT, head.byte(1).into()));
                }
                op::BININT2 => {
                    self.input.advance(3);
                    self.builder.push(Handle::of(tag::INT, head.u16().into()));
                }
                op::LONG1 => self.long1(head)?,
                op::MEMOIZE => {
                    self.input.advance(1);
                    let top = self.builder.top()?;
                    self.builder.heap.memoize(top);
                }
                op::MARK => {
                    self.input.advance(1);
                    self.builder.mark();
                }
                op::EMPTY_LIST => {
                    if !self.frames_at_once(head) {
                        self.input.advance(1);
                        self.builder.open_list();
                    }
                }
                op::EMPTY_DICT => {
                    if self.builder.over_budget() {
                        return Err(Break::End);
                    }
                    if !self.entry_at_once(head)? {
                        self.input.advance(1);
                        let dict = self.builder.heap.open(Kind::Dict);
                        self.builder.push(dict);
                    }
                }
                op::SETITEMS => {
                    self.builder.tables.position = self.input.position();
                    self.input.advance(1);
                    let mark = self.builder.pop_mark()?;
                    self.builder.set_from(mark, true)?;
                }
                op::APPENDS => {
                    self.input.advance(1);
                    let mark = self.builder.pop_mark()?;
                    self.builder.append_from(mark, true)?;
                }
                op::SHORT_BINUNICODE => {
                    self.input.advance(2);
                    self.text(head.byte(1).into())?;
                }
                op::BINUNICODE => {
                    self.input.advance(5);
                    self.text(head.u32().into())?;
                }
                op::BINPUT => {
                    self.input.advance(2);
                    let top = self.builder.top()?;
                    self.builder.heap.put(head.byte(1).into(), top);
                }
                op::LONG_BINPUT => {
                    self.input.advance(5);
                    let top = self.builder.top()?;
                    self.builder.heap.put(head.u32().into(), top);
                }
                op::TUPLE2 => {
                    self.input.advance(1);
                    self.short_tuple(2)?;
                }
                op::FRAME => self.input.advance(9),
                op::STOP => {
                    self.input.advance(1);
                    return Ok(Some(self.builder.pop()?));
                }
                _ => self.rare(head)?,
            }
        }
        Ok(None)
    }

    #[inline]
    pub fn get(&mut self, at: u64) -> Result<(), Break> {
        match self.builder.heap.get(at) {
            Some(handle) => {
                self.builder.push(handle);
                Ok(())
            }
            None => Err(Break::Malformed(format!("expected memo entry {at} to have been stored before"))),
        }
    }

    #[inline]
    pub fn text(&mut self, len: u64) -> Result<(), Break> {
        let handle = match self.input.take(len)? {
            Some(bytes) => {
                let strings = &mut self.builder.tables.snapshot.strings;
                let id = match core::str::from_utf8(bytes) {
                    Ok(text) => strings.intern(text),
                    // Lone surrogates, which Python allows.
                    Err(_) => strings.intern(&String::from_utf8_lossy(bytes)),
                };
                Handle::of(tag::TEXT, u64::from(id.0))
            }
            None => self.too_long(len),
        };
        self.builder.push(handle);
        Ok(())
    }

    #[cold]
    pub fn too_long(&mut self, len: u64) -> Handle {
        self.opaque_value(&format!("a text of {len} bytes"))
    }

    /// Bytes are kept one character a byte, so that nothing is lost.
    pub fn bytes(&mut self, len: u64) -> Result<(), Break> {
        let handle = match self.input.take(len)? {
            Some(bytes) => {
                let text: String = bytes.iter().map(|&b| char::from(b)).collect();
                let id = self.builder.tables.snapshot.strings.intern(&text);
                Handle::of(tag::BYTES, u64::from(id.0))
            }
            None => self.too_long(len),
        };
        self.builder.push(handle);
        Ok(())
    }

    /// A little-endian integer of so many bytes, signed.
    #[inline]
    fn long1(&mut self, head: Head) -> Result<(), Break> {
        let len = head.byte(1);
        self.input.advance(2);
        if len <= 8 {
            self.input.take(len.into())?;
            let unused = 64 - 8 * u32::from(len);
            let value = if len == 0 { 0 } else { ((head.u64_after_length() << unused) as i64) >> unused };
            let handle = self.builder.heap.int(value);
            self.builder.push(handle);
            return Ok(());
        }
        self.long(len.into())
    }

    pub fn long(&mut self, len: u64) -> Result<(), Break> {
        let value = match self.input.take(len)? {
            Some(bytes) => {
                let negative = bytes.last().is_some_and(|b| b & 0x80 != 0);
                let mut wide = [if negative { 0xff } else { 0 }; 16];
                let (low, high) = bytes.split_at(bytes.len().min(16));
                wide[..low.len()].copy_from_slice(low);
                // Bytes that only repeat the sign say nothing.
                let fits = high.iter().all(|&b| b == if negative { 0xff } else { 0 })
                    && (high.is_empty() || (wide[15] & 0x80 != 0) == negative);
                fits.then(|| i128::from_le_bytes(wide))
            }
            None => None,
        };
        let handle = match value {
            Some(value) => self.builder.heap.wide_int(value),
            None => self.opaque_value("an integer of more than 128 bits"),
        };
        self.builder.push(handle);
        Ok(())
    }

    pub fn short_tuple(&mut self, len: usize) -> Result<(), Break> {
        let floor = self.builder.marks.last().copied().unwrap_or(0);
        let mark = self.builder.stack.len().checked_sub(len).filter(|&mark| mark >= floor);
        self.builder.tuple_from(mark.ok_or("the items of a tuple on the stack")?);
        Ok(())
    }
}
