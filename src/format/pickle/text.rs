//! The text forms of protocol 0.

/// A decimal integer, with the `L` that Python 2 wrote after long ones.
pub(super) fn integer(line: &[u8]) -> Option<i128> {
    let text = core::str::from_utf8(line).ok()?.trim();
    text.strip_suffix('L').unwrap_or(text).parse().ok()
}

/// True for an integer of any length.
pub(super) fn is_integer(line: &[u8]) -> bool {
    let digits = line.strip_suffix(b"L").unwrap_or(line);
    let digits = digits.strip_prefix(b"-").unwrap_or(digits);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A text in Python quotes with Python escapes.
pub(super) fn quoted(line: &[u8]) -> Result<String, &'static str> {
    let line = line.trim_ascii();
    let [open @ (b'\'' | b'"'), inner @ .., close] = line else { return Err("a text in quotes") };
    if open != close {
        return Err("a text in quotes");
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'x') => {
                let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16));
                if let (Some(high), Some(low)) = (digit(), digit()) {
                    bytes.push((high * 16 + low) as u8);
                }
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().iter().map(|&b| char::from(b)).collect()))
}

/// `\uXXXX` and `\UXXXXXXXX` are characters, every other byte is itself.
pub(super) fn raw_unicode(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut at = 0;
    // The first half of a character outside the basic plane, as some writers split it.
    let mut high: Option<u32> = None;
    while let Some(&byte) = line.get(at) {
        let digits = match line.get(at + 1) {
            Some(b'u') if byte == b'\\' => 4,
            Some(b'U') if byte == b'\\' => 8,
            _ => 0,
        };
        let code = line
            .get(at + 2..at + 2 + digits)
            .filter(|_| digits > 0)
            .and_then(|hex| core::str::from_utf8(hex).ok())
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let Some(code) = code else {
            text.push(char::from(byte));
            at += 1;
            continue;
        };
        at += 2 + digits;
        match (high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (_, 0xd800..=0xdbff) => high = Some(code),
            _ => text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_of_protocol_0() {
        assert_eq!(quoted(br"'a\n\'b\x41\\'").unwrap(), "a\n'bA\\");
        assert!(quoted(b"'a").is_err());
        assert_eq!(raw_unicode(b"a\\u4e2d\\u005c\\U0001f600\xe9"), "a\u{4e2d}\\\u{1f600}\u{e9}");
        assert_eq!(raw_unicode(br"\ud83d\ude00\u"), "\u{1f600}\\u");
        assert_eq!((integer(b"-12L"), integer(b"x")), (Some(-12), None));
    }
}
