//! `key[value]` fields, by a table.
//!
//! Every `[IMAS]` line is a run of `key[value]`; versions differ in which keys there are, in how some
//! are spelled (`real_size`, the typo `ssize`) and in the blanks between. One table knows all
//! spellings. It is in the order in which lines print their keys, so looking up the next key starts
//! behind the last one and nearly always succeeds at once.

use super::text::{bytes, number, numbers, signed};
use crate::model::ge::{Child, Lifetime, Slot, StreamPair};
use crate::model::{Bytes, StringId, StringTable};

/// What a field means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Key {
    Type,
    Name,
    OpType,
    Output,
    Workspace,
    OutputDesc,
    Input,
    Offset,
    AddrTo,
    Stream,
    MemType,
    MemAddr,
    Size,
    RealSize,
    NoAlign,
    Begin,
    End,
    Child,
    IsRef,
    Batch,
    Scope,
    BlockType,
    NoPadding,
    MemOffset,
    TheoryMin,
    ZeroCopy,
    TotalSize,
    NoReuse,
    Streams,
    TopoMode,
    Mop,
    IoReuse,
    AllocMode,
    Smp,
}

const COUNT: usize = Key::Smp as usize + 1;

const TABLE: &[(&str, Key)] = &[
    ("type", Key::Type),
    ("name", Key::Name),
    ("optype", Key::OpType),
    ("output", Key::Output),
    ("workspace", Key::Workspace),
    ("outputdesc", Key::OutputDesc),
    ("input", Key::Input),
    ("offset to", Key::Offset),
    ("offset", Key::Offset),
    ("addr to", Key::AddrTo),
    ("streamid", Key::Stream),
    ("stream_id", Key::Stream),
    ("memtype", Key::MemType),
    ("mem_type", Key::MemType),
    ("memory type", Key::MemType),
    ("mem_addr", Key::MemAddr),
    ("mem_size", Key::Size),
    ("size", Key::Size),
    ("ssize", Key::Size),
    ("memaddr", Key::MemAddr),
    ("realsize", Key::RealSize),
    ("real_size", Key::RealSize),
    ("noalignsize", Key::NoAlign),
    ("life time begin", Key::Begin),
    ("life time end", Key::End),
    ("child", Key::Child),
    ("isref", Key::IsRef),
    ("nopadding", Key::NoPadding),
    ("nopadding size", Key::NoPadding),
    ("batch", Key::Batch),
    ("scope", Key::Scope),
    ("block_type", Key::BlockType),
    ("memoffset", Key::MemOffset),
    ("theory_min", Key::TheoryMin),
    ("zero_copy", Key::ZeroCopy),
    ("total_size", Key::TotalSize),
    ("no_reuse", Key::NoReuse),
    ("streams", Key::Streams),
    ("topo_mode", Key::TopoMode),
    ("mop", Key::Mop),
    ("io_reuse", Key::IoReuse),
    ("alloc_mode", Key::AllocMode),
    ("smp", Key::Smp),
];

/// A line lacks what its kind must have, or a value is not what it should be: it was cut or damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Damaged;

/// The fields of one line, as slices of it.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    values: [Option<&'a [u8]>; COUNT],
}

impl<'a> Fields<'a> {
    /// Reads `key[value]` until the end. A value without its closing bracket means the line was cut.
    pub fn parse(text: &'a [u8]) -> Result<Fields<'a>, Damaged> {
        let mut fields = Fields { values: [None; COUNT] };
        let mut rest = text;
        let mut row = 0;
        while let Some(open) = memchr::memchr(b'[', rest) {
            let key = trim(&rest[..open]);
            let close = closing(&rest[open + 1..]).ok_or(Damaged)?;
            let value = &rest[open + 1..open + 1 + close];
            rest = &rest[open + close + 2..];
            let ahead = TABLE.get(row..).unwrap_or_default().iter().chain(TABLE);
            if let Some(at) = ahead.clone().position(|(word, _)| word.as_bytes() == key) {
                let index = (row + at) % TABLE.len();
                row = index + 1;
                let place = &mut fields.values[TABLE[index].1 as usize];
                // The first of a key counts; what follows a name with brackets in it does not.
                place.get_or_insert(value);
            }
        }
        Ok(fields)
    }

    pub fn get(&self, key: Key) -> Option<&'a [u8]> {
        self.values[key as usize]
    }

    pub fn need(&self, key: Key) -> Result<&'a [u8], Damaged> {
        self.get(key).ok_or(Damaged)
    }

    /// A field that is absent, or must be a number.
    pub fn number(&self, key: Key) -> Result<Option<u64>, Damaged> {
        self.get(key).map(|text| number(text).ok_or(Damaged)).transpose()
    }

    pub fn signed(&self, key: Key) -> Result<Option<i64>, Damaged> {
        self.get(key).map(|text| signed(text).ok_or(Damaged)).transpose()
    }

    pub fn bytes(&self, key: Key) -> Result<Option<Bytes>, Damaged> {
        self.get(key).map(|text| bytes(text).ok_or(Damaged)).transpose()
    }

    pub fn flag(&self, key: Key) -> Result<Option<bool>, Damaged> {
        Ok(self.signed(key)?.map(|n| n != 0))
    }

    pub fn text(&self, key: Key, strings: &mut StringTable) -> StringId {
        self.get(key).map_or(StringId::NONE, |text| intern(strings, text))
    }

    /// `output[N]`, `workspace[N]`, `outputdesc[N]` or `input[N]`.
    pub fn slot(&self) -> Result<(Slot, u32), Damaged> {
        const SLOTS: [(Key, Slot); 4] = [
            (Key::Output, Slot::Output),
            (Key::Workspace, Slot::Workspace),
            (Key::OutputDesc, Slot::OutputDesc),
            (Key::Input, Slot::Input),
        ];
        for (key, slot) in SLOTS {
            if let Some(text) = self.get(key) {
                let index = number(text).and_then(|n| u32::try_from(n).ok()).ok_or(Damaged)?;
                return Ok((slot, index));
            }
        }
        Err(Damaged)
    }

    pub fn stream(&self) -> Result<StreamPair, Damaged> {
        self.get(Key::Stream).map_or(Ok(StreamPair::default()), stream)
    }

    /// `None` where the line prints no life times.
    pub fn life(&self, strings: &mut StringTable) -> Result<Option<Lifetime>, Damaged> {
        match (self.get(Key::Begin), self.get(Key::End)) {
            (Some(begin), Some(end)) => lifetime(begin, end, strings).map(Some),
            _ => Ok(None),
        }
    }

    pub fn child(&self) -> Result<Child, Damaged> {
        self.get(Key::Child).map_or(Ok(Child::default()), child)
    }
}

/// `N` or `a--b`.
pub(super) fn stream(text: &[u8]) -> Result<StreamPair, Damaged> {
    let mut parts = numbers(text);
    let stream = parts.next().flatten().ok_or(Damaged)?;
    let other = parts.next().map(|part| part.ok_or(Damaged)).transpose()?;
    Ok(StreamPair { stream, other })
}

/// Begin and end, each one number or several joined by `--`.
pub(super) fn lifetime(begin: &[u8], end: &[u8], strings: &mut StringTable) -> Result<Lifetime, Damaged> {
    let extremes = |text: &[u8]| -> Result<(u64, u64, bool), Damaged> {
        let (mut low, mut high, mut count) = (u64::MAX, 0, 0);
        for part in numbers(text) {
            let part = part.and_then(|n| u64::try_from(n).ok()).ok_or(Damaged)?;
            (low, high, count) = (low.min(part), high.max(part), count + 1);
        }
        Ok((low, high, count > 1))
    };
    let (first, _, several_begins) = extremes(begin)?;
    let (own, last, several_ends) = extremes(end)?;
    Ok(Lifetime {
        begin: first,
        end: last,
        end_own_stream: own,
        begin_text: several_begins.then(|| intern(strings, begin)),
        end_text: several_ends.then(|| intern(strings, end)),
    })
}

/// `a`, `a:b:c:d` or `a:b:c:d:e`.
pub(super) fn child(text: &[u8]) -> Result<Child, Damaged> {
    let mut child = Child::default();
    for part in text.split(|&byte| byte == b':') {
        let place = child.parts.get_mut(usize::from(child.count)).ok_or(Damaged)?;
        *place = signed(part).and_then(|n| i32::try_from(n).ok()).ok_or(Damaged)?;
        child.count += 1;
    }
    Ok(child)
}

pub(super) fn intern(strings: &mut StringTable, text: &[u8]) -> StringId {
    strings.intern(&String::from_utf8_lossy(text))
}

/// The bracket that closes the value, counting brackets inside it.
fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 0u32;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 0 => return Some(at),
            b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn trim(key: &[u8]) -> &[u8] {
    let noise = |byte: &u8| matches!(byte, b' ' | b',' | b'.' | b':');
    let start = key.iter().position(|byte| !noise(byte)).unwrap_or(key.len());
    let end = key.iter().rposition(|byte| !noise(byte)).map_or(start, |at| at + 1);
    &key[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_any_order_and_spacing() {
        let fields =
            Fields::parse(b"size[5]realsize[3], batch[] name[a[0]/b]output[1]offset to [-7].").unwrap();
        assert_eq!(fields.get(Key::Size), Some(&b"5"[..]));
        assert_eq!(fields.get(Key::RealSize), Some(&b"3"[..]));
        assert_eq!(fields.get(Key::Batch), Some(&b""[..]));
        assert_eq!(fields.get(Key::Name), Some(&b"a[0]/b"[..]));
        assert_eq!(fields.slot(), Ok((Slot::Output, 1)));
        assert_eq!((fields.signed(Key::Offset), fields.number(Key::Offset)), (Ok(Some(-7)), Err(Damaged)));
        assert!(Fields::parse(b"name[a] size[51").is_err());
    }

    #[test]
    fn lives_take_the_smaller_begin_and_the_larger_end() {
        let mut strings = StringTable::default();
        let life = lifetime(b"5--3", b"345--4294967294", &mut strings).unwrap();
        assert_eq!((life.begin, life.end, life.end_own_stream), (3, 4_294_967_294, 345));
        assert_eq!(strings.get(life.begin_text.unwrap()), "5--3");
        assert!(life.is_forever());
        assert!(lifetime(b"1", b"x", &mut strings).is_err());
    }

    #[test]
    fn child_has_one_four_or_five_parts() {
        let five = child(b"1:1:0:1:0").unwrap();
        assert_eq!(
            (five.level(), five.reusable(), five.continuous(), five.zero_copy()),
            (1, true, false, true)
        );
        assert!(child(b"0").unwrap().reusable());
        let four = child(b"0:0:1:1").unwrap();
        assert_eq!(
            (four.reusable(), four.continuous(), four.zero_copy(), four.deleted()),
            (false, true, false, true)
        );
        assert!(child(b"1:2:3:4:5:6").is_err());
        assert!(child(b"").is_err());
    }
}
