//! A sliding window over a byte source.
//!
//! Unlike a `BufRead`, it can hold a whole value of any length: what is not used yet moves to the front and
//! more is read behind it.

use crate::format::{Error, ErrorKind, Result};
use crate::model::Position;
use std::io::{ErrorKind as IoKind, Read};

/// Bytes asked for at a time: few enough that they are still in the second-level cache when they are read.
const CHUNK: usize = 1 << 17;
/// A single event longer than this is no event: the file is something else.
const LARGEST: usize = 1 << 25;

pub struct Window<R> {
    source: R,
    /// Text, so that every byte is checked to be valid once and not again by whoever looks at it.
    text: String,
    start: usize,
    chunk: Vec<u8>,
    /// Bytes at the front of `chunk` that wait for the rest of their character.
    waiting: usize,
    /// Bytes of the source before `text`.
    passed: u64,
    ended: bool,
    /// Bytes that were no text and read as question marks, and where the first was.
    pub replaced: u64,
    pub first_replaced: Option<u64>,
}

impl<R: Read> Window<R> {
    pub fn new(source: R) -> Window<R> {
        Window {
            source,
            text: String::new(),
            start: 0,
            chunk: vec![0; CHUNK],
            waiting: 0,
            passed: 0,
            ended: false,
            replaced: 0,
            first_replaced: None,
        }
    }

    /// What is in the window.
    pub fn text(&self) -> &str {
        self.text.get(self.start..).unwrap_or("")
    }

    /// The same, as bytes.
    pub fn bytes(&self) -> &[u8] {
        self.text().as_bytes()
    }

    /// Where in the source the window starts.
    pub fn position(&self) -> u64 {
        self.passed + self.start as u64
    }

    pub fn advance(&mut self, by: usize) {
        self.start = (self.start + by).min(self.text.len());
    }

    /// Reads on; false at the end of the source.
    pub fn more(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.text.len() - self.start > LARGEST {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!("one event is longer than {} MiB", LARGEST >> 20),
            )
            .at(Position::Byte(self.position()))
            .hint("is this a trace? its list of events seems not to be one"));
        }
        self.text.drain(..self.start);
        self.passed += self.start as u64;
        self.start = 0;
        let old = self.text.len();
        // As much again as is waiting, so that a long value is not tried again after every chunk.
        while !self.ended && self.text.len() < old + CHUNK.max(old) {
            self.read_chunk()?;
        }
        Ok(self.text.len() > old)
    }

    /// Reads once and appends what is text.
    fn read_chunk(&mut self) -> Result<()> {
        let room = self.chunk.get_mut(self.waiting..).unwrap_or_default();
        let filled = match self.source.read(room) {
            Ok(0) => {
                self.ended = true;
                self.waiting
            }
            Ok(n) => self.waiting + n,
            Err(error) if error.kind() == IoKind::Interrupted => return Ok(()),
            // What was cut (a gzip stream that breaks off) keeps what came before.
            Err(error) if error.kind() == IoKind::UnexpectedEof => {
                self.ended = true;
                self.waiting
            }
            Err(error) => return Err(error.into()),
        };
        let mut rest = self.chunk.get(..filled).unwrap_or_default();
        self.waiting = 0;
        while !rest.is_empty() {
            let (valid, invalid) = match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text.push_str(text);
                    break;
                }
                Err(error) => (error.valid_up_to(), error.error_len()),
            };
            let (text, behind) = rest.split_at(valid);
            self.text.push_str(std::str::from_utf8(text).unwrap_or_default());
            if invalid.is_none() && !self.ended {
                self.waiting = behind.len();
                let from = filled - behind.len();
                self.chunk.copy_within(from..filled, 0);
                break;
            }
            // One question mark a byte keeps every position right.
            let odd = invalid.unwrap_or(behind.len()).min(behind.len());
            self.first_replaced.get_or_insert(self.passed + self.text.len() as u64);
            self.replaced += odd as u64;
            self.text.extend(std::iter::repeat_n('?', odd));
            rest = behind.get(odd..).unwrap_or_default();
        }
        Ok(())
    }

    /// The next byte that is no blank, without passing it.
    pub fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let blanks = self.bytes().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.advance(blanks);
            if let Some(&byte) = self.bytes().first() {
                return Ok(Some(byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    pub fn skip_bom(&mut self) -> Result<()> {
        self.peek()?;
        if self.bytes().starts_with(b"\xef\xbb\xbf") {
            self.advance(3);
        }
        Ok(())
    }
}

/// Passes over one value in pieces, by its brackets and quotes alone.
#[derive(Default)]
pub struct Skipper {
    depth: u64,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Skipper {
    /// How many bytes of `bytes` belong to the value, and whether it ended.
    pub fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (i, &byte) in bytes.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return (i + 1, true);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.in_string = true;
                    self.begun = true;
                }
                b'{' | b'[' => {
                    self.depth += 1;
                    self.begun = true;
                }
                b'}' | b']' | b',' if self.depth == 0 => return (i, true),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (i + 1, true);
                    }
                }
                _ if byte.is_ascii_whitespace() && self.depth == 0 && self.begun => return (i, true),
                _ => self.begun |= !byte.is_ascii_whitespace(),
            }
        }
        (bytes.len(), false)
    }
}

/// How long the value at the front is, by its brackets and quotes; `None` when the window cuts it.
pub fn end_of_value(bytes: &[u8]) -> Option<usize> {
    match Skipper::default().feed(bytes) {
        (length, true) => Some(length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_their_brackets_close() {
        for (text, length) in [
            (r#"{"a": "}\"]", "b": [1, {"c": 2}]}, {"#, 33),
            (r#""x,y", 1"#, 5),
            ("12.5, 3", 4),
            ("null]", 4),
            ("]", 0),
            (",", 0),
        ] {
            assert_eq!(end_of_value(text.as_bytes()), Some(length), "{text}");
        }
        assert_eq!(end_of_value(br#"{"a": "x"#), None);
        assert_eq!(end_of_value(b"12"), None);
    }

    /// Gives its text in pieces of one byte.
    struct Dribble<'a>(&'a [u8]);
    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(1);
            let (now, later) = self.0.split_at(n);
            buffer[..n].copy_from_slice(now);
            self.0 = later;
            Ok(n)
        }
    }

    #[test]
    fn characters_cut_by_a_read_are_put_together_and_odd_bytes_replaced() {
        let mut window = Window::new(Dribble(b"\xe5\x86\x85\xff\xfeok\xe5\x86"));
        while window.more().unwrap() {}
        assert_eq!(window.text(), "\u{5185}??ok??");
        assert_eq!((window.replaced, window.first_replaced), (4, Some(3)));
    }

    #[test]
    fn the_window_grows_for_a_long_value_and_knows_its_place() {
        let text = vec![b'x'; 5 * CHUNK];
        let mut window = Window::new(&text[..]);
        while window.more().unwrap() {}
        assert_eq!(window.bytes().len(), text.len());
        window.advance(7);
        assert_eq!(window.position(), 7);
        assert!(!window.more().unwrap());
        assert_eq!((window.position(), window.bytes().len()), (7, text.len() - 7));
    }
}
