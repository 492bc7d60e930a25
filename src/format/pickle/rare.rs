//! The opcodes that real snapshots hardly use: older protocols, sets, text forms.

use super::input::{Break, Head};
use super::machine::Machine;
use super::opcodes as op;
use super::text;
use crate::format::snapshot::handle::{Handle, tag};
use crate::format::snapshot::heap::Kind;

impl Machine<'_> {
    #[cold]
    pub(super) fn rare(&mut self, head: Head) -> Result<(), Break> {
        let (opcode, small, large) = (head.opcode(), head.u32(), head.u64());
        let fixed = usize::from(op::FIXED[usize::from(opcode)]);
        if fixed == 0 {
            return Err(Break::Malformed(format!("expected an opcode, found the byte {opcode:#04x}")));
        }
        self.builder.tables.position = self.input.position();
        self.input.advance(fixed);
        match opcode {
            op::NONE => self.builder.push(Handle::NONE),
            op::NEWTRUE => self.builder.push(Handle::TRUE),
            op::NEWFALSE => self.builder.push(Handle::FALSE),
            op::BINFLOAT => {
                let float = self.builder.heap.float(f64::from_bits(large.swap_bytes()));
                self.builder.push(float);
            }
            op::PROTO => {
                if head.byte(1) > 5 {
                    return Err(Break::Malformed(format!(
                        "expected a protocol up to 5, found {}",
                        head.byte(1)
                    )));
                }
            }
            op::APPEND => {
                let mark = self.last(1)?;
                self.builder.append_from(mark, false)?;
            }
            op::SETITEM => {
                let mark = self.last(2)?;
                self.builder.set_from(mark, false)?;
            }
            op::LIST => {
                let mark = self.builder.pop_mark()?;
                self.builder.list_from(mark);
            }
            op::DICT => {
                let mark = self.builder.pop_mark()?;
                self.builder.dict_from(mark)?;
            }
            op::TUPLE => {
                let mark = self.builder.pop_mark()?;
                self.builder.tuple_from(mark);
            }
            op::EMPTY_TUPLE => self.builder.push(Handle::EMPTY),
            op::TUPLE1 => self.short_tuple(1)?,
            op::TUPLE3 => self.short_tuple(3)?,
            op::EMPTY_SET => {
                let set = self.builder.heap.open(Kind::List);
                self.builder.push(set);
            }
            op::ADDITEMS => {
                let mark = self.builder.pop_mark()?;
                self.builder.append_from(mark, true)?;
            }
            op::FROZENSET => {
                let mark = self.builder.pop_mark()?;
                self.builder.list_from(mark);
            }
            // POP at a mark takes the mark.
            op::POP => {
                if self.builder.marks.last() == Some(&self.builder.stack.len()) {
                    self.builder.marks.pop();
                } else {
                    self.builder.pop()?;
                }
            }
            op::POP_MARK => {
                let mark = self.builder.pop_mark()?;
                self.builder.stack.truncate(mark);
            }
            op::DUP => {
                let top = self.builder.top()?;
                self.builder.heap.escape(top);
                self.builder.push(top);
            }
            op::LONG4 => {
                if small > i32::MAX as u32 {
                    return Err(Break::Malformed("expected a length, found a negative number".to_owned()));
                }
                self.long(small.into())?;
            }
            op::BINUNICODE8 => self.text(large)?,
            op::SHORT_BINSTRING => self.text(head.byte(1).into())?,
            op::BINSTRING => {
                if small > i32::MAX as u32 {
                    return Err(Break::Malformed("expected a length, found a negative number".to_owned()));
                }
                self.text(small.into())?;
            }
            op::SHORT_BINBYTES => self.bytes(head.byte(1).into())?,
            op::BINBYTES => self.bytes(small.into())?,
            op::BINBYTES8 | op::BYTEARRAY8 => self.bytes(large)?,
            op::PUT => {
                let at = self.number_line()?;
                let top = self.builder.top()?;
                self.builder.heap.put(at, top);
            }
            op::GET => {
                let at = self.number_line()?;
                self.get(at)?;
            }
            op::INT | op::LONG | op::FLOAT | op::STRING | op::UNICODE => self.text_form(opcode)?,
            _ => self.object(opcode, small)?,
        }
        Ok(())
    }

    /// The place of the last `count` values above the last mark.
    fn last(&self, count: usize) -> Result<usize, Break> {
        let floor = self.builder.marks.last().copied().unwrap_or(0);
        let place = self.builder.stack.len().checked_sub(count).filter(|&place| place >= floor);
        place.ok_or_else(|| Break::from("a value on the stack"))
    }

    fn number_line(&mut self) -> Result<u64, Break> {
        let line = self.input.line()?.unwrap_or(&[]);
        let number = core::str::from_utf8(line).ok().and_then(|text| text.trim().parse().ok());
        number.ok_or_else(|| Break::from("a memo number"))
    }

    fn text_form(&mut self, opcode: u8) -> Result<(), Break> {
        let Some(line) = self.input.line()? else {
            let handle = self.too_long(u64::MAX);
            self.builder.push(handle);
            return Ok(());
        };
        let handle = match opcode {
            op::INT if line == b"01" => Handle::TRUE,
            op::INT if line == b"00" => Handle::FALSE,
            op::INT | op::LONG => match text::integer(line) {
                Some(value) => self.builder.heap.wide_int(value),
                None if text::is_integer(line) => self.opaque_value("an integer of more than 128 bits"),
                None => return Err(Break::from("an integer")),
            },
            op::FLOAT => {
                let value = core::str::from_utf8(line).ok().and_then(|text| text.trim().parse().ok());
                self.builder.heap.float(value.ok_or("a number")?)
            }
            _ => {
                let text = if opcode == op::STRING { text::quoted(line)? } else { text::raw_unicode(line) };
                let id = self.builder.tables.snapshot.strings.intern(&text);
                Handle::of(tag::TEXT, u64::from(id.0))
            }
        };
        self.builder.push(handle);
        Ok(())
    }
}
