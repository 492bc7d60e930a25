//! Rows as SQLite stores them: a header that says how each cell is stored, then the cells.

use crate::export::tables::Value;

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
fn width(value: i64) -> (u64, usize) {
    match value {
        0 => (8, 0),
        1 => (9, 0),
        // The bits that are not copies of the sign, and the sign.
        _ => match 65 - (value ^ (value >> 63)).leading_zeros() {
            ..=8 => (1, 1),
            9..=16 => (2, 2),
            17..=24 => (3, 3),
            25..=32 => (4, 4),
            33..=48 => (5, 6),
            _ => (6, 8),
        },
    }
}

/// Replaces `out` by a row; `first` is stored before the cells (null: the row's own id, which stands in
/// the tree), `last` after them (the id, in an index).
pub(super) fn encode(out: &mut Vec<u8>, null_first: bool, cells: &[Value<'_>], last: Option<i64>) {
    out.clear();
    // Tables have at most some twenty columns, so the header's length fits its one byte.
    out.push(0);
    if null_first {
        out.push(0);
    }
    let last = last.map(Value::Int);
    for cell in cells.iter().chain(&last) {
        match cell {
            Value::Null => out.push(0),
            Value::Int(value) => out.push(width(*value).0 as u8),
            Value::Real(_) => out.push(7),
            Value::Text(text) => push_varint(out, text.len() as u64 * 2 + 13),
        }
    }
    out[0] = out.len() as u8;
    for cell in cells.iter().chain(&last) {
        match cell {
            Value::Null => {}
            Value::Int(value) => {
                let bytes = value.to_be_bytes();
                out.extend_from_slice(&bytes[8 - width(*value).1..]);
            }
            Value::Real(value) => out.extend_from_slice(&value.to_be_bytes()),
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
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
}
