//! Whole entries at once.
//!
//! An event is a dict of a handful of keys, nearly always written as `}`, its memo place, MARK, key and
//! value in turn, SETITEMS. Here they are read in a loop of their own into a small array and become
//! a row without ever being a dict on the stack. Whatever is unusual is put on the stack as far as it
//! came, and the machine goes on with it the ordinary way.

use super::input::{Break, Head};
use super::machine::Machine;
use super::opcodes as op;
use crate::format::snapshot::handle::{Handle, tag};
use crate::format::snapshot::heap::Kind;

/// Keys of the longest entry that is read here.
const MOST_KEYS: usize = 24;

/// Keys and values read so far.
struct Pairs {
    values: [Handle; MOST_KEYS * 2],
    len: usize,
}

impl Pairs {
    #[inline]
    fn push(&mut self, value: Handle) -> bool {
        match self.values.get_mut(self.len) {
            Some(place) => {
                *place = value;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    fn get(&self) -> &[Handle] {
        self.values.get(..self.len).unwrap_or(&[])
    }
}

impl Machine<'_> {
    /// After `}`: reads a whole entry if one follows. False: nothing was read.
    #[inline]
    pub(super) fn entry_at_once(&mut self, head: Head) -> Result<bool, Break> {
        let memoized = head.byte(1) == op::MEMOIZE;
        let mark = if memoized { 2 } else { 1 };
        if head.byte(mark) != op::MARK || !matches!(head.byte(mark + 1), op::BINGET | op::LONG_BINGET) {
            return Ok(false);
        }
        self.input.advance(mark as usize + 1);
        let place = self.builder.heap.memo_len();
        if memoized {
            self.builder.heap.memoize(Handle::VACANT);
        }
        let mut pairs = Pairs { values: [Handle::NONE; MOST_KEYS * 2], len: 0 };
        let whole = self.pairs(&mut pairs)?;
        if whole && let Some(row) = self.builder.tables.row_of(&self.builder.heap, pairs.get()) {
            if memoized {
                self.builder.heap.settle(place, row);
            }
            self.builder.push(row);
            return Ok(true);
        }
        let dict = self.builder.heap.open(Kind::Dict);
        if memoized {
            self.builder.heap.settle(place, dict);
        }
        self.builder.push(dict);
        self.builder.mark();
        self.builder.stack.extend_from_slice(pairs.get());
        if whole {
            let mark = self.builder.pop_mark()?;
            self.builder.set_from(mark, true)?;
        }
        Ok(true)
    }

    /// Keys and values up to SETITEMS, which is taken; false where something else comes.
    ///
    /// An error of the input is left to the machine, which then finds the entry on the stack.
    #[inline]
    fn pairs(&mut self, pairs: &mut Pairs) -> Result<bool, Break> {
        loop {
            let Ok(head) = self.input.look() else { return Ok(false) };
            let (at, len) = match head.opcode() {
                op::BINGET => (u64::from(head.byte(1)), 2),
                op::LONG_BINGET => (head.u32().into(), 5),
                op::SETITEMS => {
                    self.builder.tables.position = self.input.position();
                    self.input.advance(1);
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            let Some(key) = self.builder.heap.peek(at).filter(|key| key.tag() == tag::TEXT) else {
                return Ok(false);
            };
            if pairs.len + 2 > MOST_KEYS * 2 {
                return Ok(false);
            }
            self.input.advance(len);
            pairs.push(key);
            let Ok(head) = self.input.look() else { return Ok(false) };
            let value = match head.opcode() {
                op::BINGET => self.shared(head.byte(1).into(), 2),
                op::LONG_BINGET => self.shared(head.u32().into(), 5),
                op::BININT => {
                    self.input.advance(5);
                    Some(Handle::of(tag::INT, i64::from(head.u32() as i32) as u64))
                }
                op::BININT1 => {
                    self.input.advance(2);
                    Some(Handle::of(tag::INT, head.byte(1).into()))
                }
                op::BININT2 => {
                    self.input.advance(3);
                    Some(Handle::of(tag::INT, head.u16().into()))
                }
                // Eight bytes and less, all of which are in what was looked at.
                op::LONG1 if (1..=8).contains(&head.byte(1)) && self.input.has(10) => {
                    let len = head.byte(1);
                    self.input.advance(2 + usize::from(len));
                    let unused = 64 - 8 * u32::from(len);
                    let value = ((head.u64_after_length() << unused) as i64) >> unused;
                    Some(self.builder.heap.int(value))
                }
                op::EMPTY_LIST if self.frames_at_once(head) => self.builder.stack.pop(),
                _ => None,
            };
            let Some(value) = value else { return Ok(false) };
            pairs.push(value);
        }
    }

    /// A value from the memo, unless it is still being built.
    #[inline]
    fn shared(&mut self, at: u64, len: usize) -> Option<Handle> {
        let value =
            self.builder.heap.peek(at).filter(|value| !value.is_open() && *value != Handle::VACANT)?;
        self.input.advance(len);
        Some(value)
    }
}
