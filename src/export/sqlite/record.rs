//! Rows as SQLite stores them: a header that says how each cell is stored, then the cells.
//!
//! A row is put together at one place, with room before it for what its page wants there, and copied to the
//! page once. Nearly every header has one byte a cell, so the cells can be stored while it is made.

use crate::export::tables::Value;

/// Room before a row for its length and its id, and so much that [`Record::cell`] has [`STEP`] bytes.
const ROOM: usize = 18 + STEP;
/// Cells of no more bytes are copied to their page as so many, for that takes no time.
pub(super) const STEP: usize = 32;
/// Texts of so many bytes have a byte of the header as others do.
const SHORT: usize = 57;

/// How integers are stored by the number of their bits, the sign's among them: serial type and bytes.
const WIDTHS: [(u8, u8); 65] = {
    let mut widths = [(6, 8); 65];
    let mut bits = 0;
    while bits <= 48 {
        widths[bits] = match bits {
            0..=8 => (1, 1),
            9..=16 => (2, 2),
            17..=24 => (3, 3),
            25..=32 => (4, 4),
            _ => (5, 6),
        };
        bits += 1;
    }
    widths
};

/// A number of up to nine bytes, seven bits each, most significant first.
pub(super) fn push_varint(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        return out.push(value as u8);
    }
    if value >> 56 != 0 {
        // The ninth byte has all its eight bits.
        for shift in (0..8).rev() {
            out.push((value >> (8 + shift * 7)) as u8 | 0x80);
        }
        return out.push(value as u8);
    }
    let bytes = (63 - value.leading_zeros()) / 7;
    for i in (1..=bytes).rev() {
        out.push((value >> (i * 7)) as u8 | 0x80);
    }
    out.push(value as u8 & 0x7f);
}

/// How an integer is stored: its serial type and how many bytes follow.
#[inline]
fn width(value: i64) -> (u8, u8) {
    match value {
        0 => (8, 0),
        1 => (9, 0),
        _ => WIDTHS[65 - (value ^ (value >> 63)).leading_zeros() as usize],
    }
}

/// The eight bytes that begin with the last `bytes` of a number.
#[inline]
fn last_bytes(value: i64, bytes: usize) -> [u8; 8] {
    value.rotate_right(bytes as u32 * 8).to_be_bytes()
}

/// A row that is being put together, and used again for the next.
pub(super) struct Record {
    bytes: Vec<u8>,
    /// Where it ends; what lies behind is of rows before.
    end: usize,
}

impl Record {
    pub fn new() -> Record {
        Record { bytes: Vec::new(), end: ROOM }
    }

    /// The row, without what stands before it on a page.
    pub fn row(&self) -> &[u8] {
        &self.bytes[ROOM..self.end]
    }

    /// Replaces the row. `null_first`: a null comes before the cells (the row's own id, which stands in the tree).
    pub fn set(&mut self, null_first: bool, cells: &[Value<'_>]) {
        let first = ROOM + 1 + usize::from(null_first);
        let header = first - ROOM + cells.len();
        let most = ROOM + header + cells.len() * SHORT + 8;
        if self.bytes.len() < most {
            self.bytes.resize(most, 0);
        }
        self.bytes[ROOM..first].fill(0);
        self.bytes[ROOM] = header as u8;
        let mut at = ROOM + header;
        for (place, cell) in (first..).zip(cells) {
            self.bytes[place] = match *cell {
                Value::Null => 0,
                Value::Int(value) => {
                    let (kind, width) = width(value);
                    self.bytes[at..at + 8].copy_from_slice(&last_bytes(value, width.into()));
                    at += usize::from(width);
                    kind
                }
                Value::Real(value) => {
                    self.bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
                    at += 8;
                    7
                }
                Value::Text(text) if text.len() <= SHORT => {
                    self.bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
                    at += text.len();
                    text.len() as u8 * 2 + 13
                }
                Value::Text(_) => return self.set_long(null_first, cells),
            };
        }
        self.end = at;
    }

    /// The same where the header's length is not known beforehand.
    fn set_long(&mut self, null_first: bool, cells: &[Value<'_>]) {
        self.bytes.clear();
        self.bytes.resize(ROOM + 1 + usize::from(null_first), 0);
        for cell in cells {
            let kind = match *cell {
                Value::Null => 0,
                Value::Int(value) => width(value).0.into(),
                Value::Real(_) => 7,
                Value::Text(text) => text.len() as u64 * 2 + 13,
            };
            push_varint(&mut self.bytes, kind);
        }
        // Tables have at most some twenty columns, so the header's length fits its one byte.
        self.bytes[ROOM] = (self.bytes.len() - ROOM) as u8;
        for cell in cells {
            match *cell {
                Value::Null => {}
                Value::Int(value) => {
                    let bytes = usize::from(width(value).1);
                    self.bytes.extend_from_slice(&last_bytes(value, bytes)[..bytes]);
                }
                Value::Real(value) => self.bytes.extend_from_slice(&value.to_be_bytes()),
                Value::Text(text) => self.bytes.extend_from_slice(text.as_bytes()),
            }
        }
        self.end = self.bytes.len();
        // As above, what is written behind a row has room.
        self.bytes.extend_from_slice(&[0; 8]);
    }

    /// Puts another id in the place of the last cell; [`same_width`] says which may come there.
    #[inline]
    pub fn set_last(&mut self, id: i64) {
        let bytes = usize::from(width(id).1);
        let at = self.end - bytes;
        self.bytes[at..at + 8].copy_from_slice(&last_bytes(id, bytes));
    }

    /// The row behind its length and, in a table, its id: what a page holds of it if it stays whole. It ends the
    /// bytes; beside them stands how many it has.
    #[inline]
    pub fn cell(&mut self, id: Option<i64>) -> (&[u8], usize) {
        let mut at = ROOM;
        if let Some(id) = id {
            at = self.varint_before(at, id.cast_unsigned());
        }
        at = self.varint_before(at, (self.end - ROOM) as u64);
        (&self.bytes[..self.end], self.end - at)
    }

    /// Writes a number so that it ends before `at`; returns where it begins. Ids and lengths have less than 56 bits.
    #[inline]
    fn varint_before(&mut self, mut at: usize, mut value: u64) -> usize {
        at -= 1;
        self.bytes[at] = value as u8 & 0x7f;
        while value >= 0x80 {
            value >>= 7;
            at -= 1;
            self.bytes[at] = value as u8 | 0x80;
        }
        at
    }
}

/// The first id behind `id` that is stored in another number of bytes.
pub(super) fn same_width(id: i64) -> i64 {
    match width(id).1 {
        0 => id + 1,
        8 => i64::MAX,
        bytes => 1 << (u32::from(bytes) * 8 - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_seven_bits_a_byte() {
        let encoded = |value| {
            let mut out = Vec::new();
            push_varint(&mut out, value);
            out
        };
        assert_eq!((encoded(0), encoded(127), encoded(128)), (vec![0], vec![127], vec![0x81, 0]));
        assert_eq!(encoded(0x3fff), [0xff, 0x7f]);
        assert_eq!(encoded(u64::MAX), [0xff; 9]);
        assert_eq!(encoded(1 << 56).len(), 9);
        assert_eq!(encoded((1 << 56) - 1).len(), 8);
    }

    #[test]
    fn integers_take_the_bytes_they_need() {
        let of = |value| width(value).1;
        assert_eq!([0, 1, 2, -1, 127, -128].map(of), [0, 0, 1, 1, 1, 1]);
        assert_eq!([128, -129, 32_767, 32_768, 8_388_607, 8_388_608].map(of), [2, 2, 2, 3, 3, 4]);
        assert_eq!([i64::from(i32::MAX), 1 << 31, (1 << 47) - 1, 1 << 47, i64::MIN].map(of), [4, 6, 6, 8, 8]);
    }

    #[test]
    fn short_and_long_rows_are_made_alike() {
        let long = "x".repeat(SHORT + 1);
        let mut record = Record::new();
        for value in [0, 1, -1, 300, 70_000, 1 << 30, 1 << 40, i64::MIN] {
            for null_first in [false, true] {
                let cells = [Value::Int(value), Value::Text("é"), Value::Null, Value::Real(0.5)];
                record.set(null_first, &cells);
                let short = record.row().to_vec();
                record.set_long(null_first, &cells);
                assert_eq!(record.row(), short);
                record.set(null_first, &[Value::Int(value), Value::Text(&long)]);
                let header = if null_first { 5 } else { 4 };
                assert_eq!((record.row()[0], record.row().last()), (header, Some(&b'x')));
                assert_eq!(record.row().len(), usize::from(header + width(value).1) + long.len());
            }
        }
    }

    #[test]
    fn the_last_cell_can_be_another_id_of_the_same_width() {
        let (mut record, mut other) = (Record::new(), Record::new());
        for id in [1, 2, 127, 128, 32_767, 32_768, 8_388_607, 8_388_608, i64::from(i32::MAX), 1 << 31] {
            record.set(false, &[Value::Text("free"), Value::Int(id)]);
            let next = same_width(id);
            assert_eq!((width(next - 1), width(next) == width(id)), (width(id), false), "{id}");
            record.set_last(next - 1);
            other.set(false, &[Value::Text("free"), Value::Int(next - 1)]);
            assert_eq!(record.row(), other.row());
        }
    }

    #[test]
    fn what_stands_before_a_row_is_its_length_and_its_id() {
        let mut record = Record::new();
        record.set(true, &[Value::Int(5)]);
        let cell = |record: &mut Record, id| {
            let (bytes, length) = record.cell(id);
            bytes[bytes.len() - length..].to_vec()
        };
        assert_eq!(cell(&mut record, None), [4, 3, 0, 1, 5]);
        for id in [1_i64, 127, 128, 1 << 40] {
            let mut expected = vec![4];
            push_varint(&mut expected, id.cast_unsigned());
            expected.extend([3, 0, 1, 5]);
            assert_eq!(cell(&mut record, Some(id)), expected);
        }
    }
}
