//! Classes, functions and objects: named, never built, never executed.
//!
//! A few are only data in other clothes and are read as that data: ordered and default dicts, sets,
//! bytes as older protocols write them, NumPy's scalars. Everything else becomes an opaque value that
//! knows its name.

use super::input::Break;
use super::machine::Machine;
use super::opcodes as op;
use crate::format::snapshot::handle::{Handle, tag};
use crate::format::snapshot::heap::{Kind, runs};
use crate::model::StringId;

/// What calling a known global gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    /// A dict, filled by what follows or from a list of pairs.
    Dict,
    /// Its first argument.
    First,
    /// Its first argument as bytes.
    Bytes,
    NumpyType,
    NumpyScalar,
    Unknown,
}

fn call_of(name: &str) -> Call {
    match name {
        "collections.OrderedDict" | "collections.defaultdict" | "builtins.dict" | "__builtin__.dict" => {
            Call::Dict
        }
        "builtins.set"
        | "__builtin__.set"
        | "builtins.frozenset"
        | "__builtin__.frozenset"
        | "builtins.list"
        | "__builtin__.list"
        | "builtins.tuple"
        | "__builtin__.tuple" => Call::First,
        "_codecs.encode"
        | "builtins.bytes"
        | "__builtin__.bytes"
        | "builtins.bytearray"
        | "__builtin__.bytearray" => Call::Bytes,
        "numpy.dtype" => Call::NumpyType,
        "numpy.core.multiarray.scalar" | "numpy._core.multiarray.scalar" => Call::NumpyScalar,
        _ => Call::Unknown,
    }
}

impl Machine<'_> {
    #[cold]
    pub(super) fn object(&mut self, opcode: u8, small: u32) -> Result<(), Break> {
        match opcode {
            op::GLOBAL => {
                let name = self.two_lines()?;
                self.global(&name);
            }
            op::STACK_GLOBAL => {
                let (name, module) = (self.builder.pop()?, self.builder.pop()?);
                let strings = &self.builder.tables.snapshot.strings;
                let part = |h: Handle| if h.tag() == tag::TEXT { strings.get(StringId(h.id())) } else { "?" };
                let name = format!("{}.{}", part(module), part(name));
                self.global(&name);
            }
            op::INST => {
                let name = self.two_lines()?;
                let mark = self.builder.pop_mark()?;
                self.builder.stack.truncate(mark);
                self.global(&name);
                let class = self.builder.pop()?;
                let value = self.call(class, Handle::EMPTY);
                self.builder.push(value);
            }
            op::OBJ => {
                let mark = self.builder.pop_mark()?;
                let class = self.builder.stack.get(mark).copied().ok_or("a class after the mark")?;
                self.builder.list_from(mark + 1);
                let arguments = self.builder.pop()?;
                self.builder.stack.truncate(mark);
                let value = self.call(class, arguments);
                self.builder.push(value);
            }
            op::REDUCE | op::NEWOBJ => {
                let (arguments, class) = (self.builder.pop()?, self.builder.pop()?);
                let value = self.call(class, arguments);
                self.builder.push(value);
            }
            op::NEWOBJ_EX => {
                self.builder.pop()?;
                let (arguments, class) = (self.builder.pop()?, self.builder.pop()?);
                let value = self.call(class, arguments);
                self.builder.push(value);
            }
            // The state of an object that was not built; data has none that matters.
            op::BUILD => {
                self.builder.pop()?;
                self.builder.top()?;
            }
            op::EXT1 | op::EXT2 | op::EXT4 => {
                let mask = match opcode {
                    op::EXT1 => 0xff,
                    op::EXT2 => 0xffff,
                    _ => u32::MAX,
                };
                self.push_opaque(&format!("extension {}", small & mask));
            }
            op::PERSID => {
                self.input.line()?;
                self.push_opaque("a persistent id");
            }
            op::BINPERSID => {
                self.builder.pop()?;
                self.push_opaque("a persistent id");
            }
            op::NEXT_BUFFER => self.push_opaque("a buffer outside the file"),
            // Changes nothing that can be seen.
            op::READONLY_BUFFER => {
                self.builder.top()?;
            }
            _ => return Err(Break::from("an opcode")),
        }
        Ok(())
    }

    fn two_lines(&mut self) -> Result<String, Break> {
        let mut name = String::new();
        for _ in 0..2 {
            let line = self.input.line()?.unwrap_or(b"?");
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&String::from_utf8_lossy(line));
        }
        Ok(name)
    }

    fn global(&mut self, name: &str) {
        let id = self.builder.tables.snapshot.strings.intern(name);
        self.builder.push(Handle::of(tag::GLOBAL, u64::from(id.0)));
        if call_of(name) == Call::Unknown && !matches!(name, "builtins.int" | "builtins.list") {
            self.note_opaque(id);
        }
    }

    fn note_opaque(&mut self, id: StringId) {
        const MOST_NAMES: usize = 16;
        if self.opaque_count == 0 {
            self.opaque_at = self.builder.tables.position;
        }
        self.opaque_count += 1;
        if self.opaque.len() < MOST_NAMES && !self.opaque.contains(&id) {
            self.opaque.push(id);
        }
    }

    /// A value that is not kept, by its name.
    pub(super) fn opaque_value(&mut self, name: &str) -> Handle {
        let id = self.builder.tables.snapshot.strings.intern(name);
        self.note_opaque(id);
        Handle::of(tag::OPAQUE, u64::from(id.0))
    }

    fn push_opaque(&mut self, name: &str) {
        let value = self.opaque_value(name);
        self.builder.push(value);
    }

    /// What "calling" a global with these arguments gives, without calling anything.
    fn call(&mut self, class: Handle, arguments: Handle) -> Handle {
        let id = StringId(class.id());
        let opaque = Handle::of(tag::OPAQUE, u64::from(id.0));
        if class.tag() != tag::GLOBAL {
            return if class.tag() == tag::OPAQUE { class } else { Handle::NONE };
        }
        let call = call_of(self.builder.tables.snapshot.strings.get(id));
        let arguments = self.arguments(arguments);
        let first = arguments.first().copied();
        match call {
            Call::Dict => self.dict_call(first),
            Call::First => first.unwrap_or_else(|| self.builder.heap.open(Kind::List)),
            Call::Bytes => match first {
                Some(text) if matches!(text.tag(), tag::TEXT | tag::BYTES) => {
                    Handle::of(tag::BYTES, text.payload())
                }
                Some(other) => other,
                None => Handle::of(tag::BYTES, u64::from(self.builder.tables.snapshot.strings.intern("").0)),
            },
            // A type is its name; the scalar reads it.
            Call::NumpyType => match first {
                Some(name) if name.tag() == tag::TEXT => Handle::of(tag::OPAQUE, name.payload()),
                _ => opaque,
            },
            Call::NumpyScalar => match arguments.as_slice() {
                &[kind, data] => self.numpy_scalar(kind, data).unwrap_or(opaque),
                _ => opaque,
            },
            Call::Unknown => opaque,
        }
    }

    fn arguments(&self, arguments: Handle) -> Vec<Handle> {
        const MOST: usize = 8;
        match arguments.tag() {
            tag::LIST => self.builder.heap.slot(arguments).map_or_else(Vec::new, |slot| {
                runs(&slot.body).take(MOST).map(|(item, _)| self.builder.heap.resolve(item)).collect()
            }),
            _ => Vec::new(),
        }
    }

    /// A dict; Python 2 gave ordered ones their items as a list of pairs.
    fn dict_call(&mut self, first: Option<Handle>) -> Handle {
        let dict = self.builder.heap.open(Kind::Dict);
        let Some(pairs) = first.filter(|list| list.tag() == tag::LIST) else { return dict };
        let items = self.builder.items_of(pairs);
        let flat: Vec<Handle> = items
            .iter()
            .filter_map(|&(pair, _)| match self.arguments(pair).as_slice() {
                &[key, value] => Some([key, value]),
                _ => None,
            })
            .flatten()
            .collect();
        if let Some(slot) = self.builder.heap.slot_mut(dict) {
            slot.body = flat;
        }
        dict
    }

    fn numpy_scalar(&mut self, kind: Handle, data: Handle) -> Option<Handle> {
        if !matches!(data.tag(), tag::TEXT | tag::BYTES) || kind.tag() != tag::OPAQUE {
            return None;
        }
        let strings = &self.builder.tables.snapshot.strings;
        let bytes: Vec<u8> = strings
            .get(StringId(data.id()))
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap_or(0))
            .collect();
        let kind = strings.get(StringId(kind.id())).trim_start_matches(['<', '=', '|']);
        let mut wide = [0_u8; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(&bytes);
        let raw = u64::from_le_bytes(wide);
        Some(match (kind, bytes.len()) {
            ("b1", 1) => Handle::bool(raw != 0),
            ("f8", 8) => self.builder.heap.float(f64::from_bits(raw)),
            ("f4", 4) => self.builder.heap.float(f32::from_bits(raw as u32).into()),
            ("i1" | "i2" | "i4" | "i8", len @ 1..=8) => {
                let unused = 64 - 8 * len as u32;
                self.builder.heap.int(((raw << unused) as i64) >> unused)
            }
            ("u1" | "u2" | "u4" | "u8", _) => self.builder.heap.wide_int(raw.into()),
            _ => return None,
        })
    }
}
