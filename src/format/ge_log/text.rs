//! Numbers as the logs print them, and `label value` texts; nothing here can fail but by saying so.

use crate::model::{Address, Bytes};
use memchr::memchr_iter;

/// Where a word begins in a line. A searcher for any text spends more on getting ready than it takes to
/// look through a line, and every line is asked for a dozen words.
pub(super) fn find(line: &[u8], word: &[u8]) -> Option<usize> {
    let (mut at, mut least) = (0, u8::MAX);
    for (place, &byte) in word.iter().enumerate() {
        if FREQUENCY[byte as usize] < least {
            (at, least) = (place, FREQUENCY[byte as usize]);
        }
        if least == 0 {
            break;
        }
    }
    let rarest = *word.get(at)?;
    let places = memchr_iter(rarest, line.get(at..)?);
    places.into_iter().find(|&start| line[start..].starts_with(word))
}

/// How often a byte stands in such lines, roughly.
static FREQUENCY: [u8; 256] = {
    let mut all = [3; 256];
    let groups: [&[u8]; 3] = [b"ABCDEFGHIJKLMNOPQRSTUVWXYZzqxjkvwyb=", b"pfghuc,()-", b"adeilmnorst:_"];
    let mut group = 0;
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            all[groups[group][at] as usize] = group as u8;
            at += 1;
        }
        group += 1;
    }
    all
};

/// A decimal number that is the whole text.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    match split_number(text)? {
        (value, []) => Some(value),
        _ => None,
    }
}

/// A decimal number at the beginning, and what follows it.
pub(super) fn split_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    let mut count = 0;
    for &byte in text {
        if !byte.is_ascii_digit() {
            break;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        count += 1;
    }
    if count == 0 { None } else { Some((value, &text[count..])) }
}

/// A decimal number with an optional sign.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        Some(rest) => number(rest).and_then(|n| i64::try_from(n).ok()).map(|n| -n),
        None => number(text).and_then(|n| i64::try_from(n).ok()),
    }
}

/// A size; stream handles and the like may be negative, sizes may not.
pub(super) fn bytes(text: &[u8]) -> Option<Bytes> {
    number(text).map(Bytes)
}

/// `0x…` in hexadecimal, `(nil)` for zero; without `0x` the text is decimal if it can be.
pub(super) fn address(text: &[u8]) -> Option<Address> {
    if text == b"(nil)" {
        return Some(Address(0));
    }
    let Some(hex) = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")) else {
        return number(text).or_else(|| hexadecimal(text)).map(Address);
    };
    hexadecimal(hex).map(Address)
}

fn hexadecimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    core::str::from_utf8(text).ok().and_then(|text| u64::from_str_radix(text, 16).ok())
}

/// The parts of `a--b--c`. A leading minus is a sign, not a separator.
pub(super) fn numbers(text: &[u8]) -> impl Iterator<Item = Option<i64>> + '_ {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let cut = find(text.get(1..).unwrap_or_default(), b"--").map(|at| at + 1);
        rest = cut.map(|at| &text[at + 2..]);
        Some(signed(&text[..cut.unwrap_or(text.len())]))
    })
}

/// A size as people read it (`382.56M`, `1.5KB`, `12B`) or with the exact number before it
/// (`401145856(382.56M)`).
pub(super) fn size_text(text: &[u8]) -> Option<Bytes> {
    if let Some((value, rest)) = split_number(text)
        && (rest.is_empty() || rest.first() == Some(&b'('))
    {
        return Some(Bytes(value));
    }
    let end = text.iter().position(|b| !(b.is_ascii_digit() || *b == b'.')).unwrap_or(text.len());
    let value: f64 = core::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    let unit = match text.get(end) {
        None | Some(b'B') => 1u64,
        Some(b'K' | b'k') => 1 << 10,
        Some(b'M') => 1 << 20,
        Some(b'G') => 1 << 30,
        Some(b'T') => 1 << 40,
        Some(_) => return None,
    };
    // Rounded when it was printed, so a float loses nothing more.
    Some(Bytes((value * unit as f64).round() as u64))
}

/// What follows `label`, up to one of `stops` or the end.
pub(super) fn after<'a>(text: &'a [u8], label: &[u8], stops: &[u8]) -> Option<&'a [u8]> {
    let start = find(text, label)? + label.len();
    let rest = &text[start..];
    let end = rest.iter().position(|byte| stops.contains(byte)).unwrap_or(rest.len());
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_or_nothing() {
        assert_eq!(number(b"4294967295"), Some(4_294_967_295));
        assert_eq!((number(b""), number(b"12a"), number(b"18446744073709551616")), (None, None, None));
        assert_eq!((signed(b"-1"), signed(b"--1")), (Some(-1), None));
        assert_eq!(address(b"0x12C041600000"), Some(Address(0x12c0_4160_0000)));
        assert_eq!((address(b"(nil)"), address(b"0x"), address(b"0xg")), (Some(Address(0)), None, None));
    }

    #[test]
    fn words_are_found_as_any_searcher_finds_them() {
        let line = b"size:1 resize: [MEM]Alloc [MEM], ssize:3 size";
        for word in [
            &b"size:"[..],
            b"[MEM]",
            b" size",
            b"ssize:3",
            b"zz",
            b"size:1 ",
            b"a line that is longer than that one is",
        ] {
            assert_eq!(find(line, word), memchr::memmem::find(line, word));
        }
        assert_eq!((find(b"", b"x"), find(b"x", b"x")), (None, Some(0)));
    }

    #[test]
    fn lists_keep_signs() {
        let all = |text: &[u8]| numbers(text).collect::<Vec<_>>();
        assert_eq!(all(b"345--4294967294"), [Some(345), Some(4_294_967_294)]);
        assert_eq!(all(b"-1--3--5"), [Some(-1), Some(3), Some(5)]);
        assert_eq!(all(b""), [None]);
        assert_eq!(all(b"7--"), [Some(7), None]);
    }

    #[test]
    fn sizes_of_any_form() {
        assert_eq!(size_text(b"401145856(382.56M)"), Some(Bytes(401_145_856)));
        assert_eq!(size_text(b"2.00M"), Some(Bytes(2 << 20)));
        assert_eq!(size_text(b"1.50KB"), Some(Bytes(1536)));
        assert_eq!(size_text(b"12B"), Some(Bytes(12)));
        assert_eq!(size_text(b"much"), None);
    }
}
