//! The records of a CSV, cell by cell, out of a buffer that slides over the file.
//!
//! Profiler tables are long and nearly all of their cells plain, so a record without quotes is cut where its commas
//! are, found many bytes at a time, and lent as it lies in the buffer. Only a record with quotes is put together
//! byte by byte. What a record is, is what the csv crate takes for one (rows of any length, blank lines passed over,
//! CR and LF both end a line); tests hold the two against each other.

use memchr::{memchr_iter, memchr3};
use std::io::{Error, ErrorKind, Read, Result};

/// Bytes asked for at a time: few enough to stay near the processor.
const CHUNK: usize = 1 << 17;

pub(super) struct Records<R> {
    source: R,
    buffer: Vec<u8>,
    /// What of the buffer is still to come.
    start: usize,
    filled: usize,
    ended: bool,
    failed: Option<Error>,
    /// The cells of a record with quotes.
    unquoted: Vec<u8>,
    /// Where each cell lies: in the buffer, or in `unquoted`.
    cells: Vec<(usize, usize)>,
}

/// The cells of a record.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    bytes: &'a [u8],
    cells: &'a [(usize, usize)],
}

impl<'a> Record<'a> {
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    pub fn get(&self, cell: usize) -> Option<&'a [u8]> {
        let &(start, end) = self.cells.get(cell)?;
        self.bytes.get(start..end)
    }

    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).filter_map(move |cell| self.get(cell))
    }
}

impl<R: Read> Records<R> {
    pub fn new(source: R) -> Result<Records<R>> {
        let mut records = Records {
            source,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            ended: false,
            failed: None,
            unquoted: Vec::new(),
            cells: Vec::new(),
        };
        while records.filled < 3 && records.more()? {}
        if records.rest().starts_with(b"\xef\xbb\xbf") {
            records.start = 3;
        }
        Ok(records)
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.filled).unwrap_or_default()
    }

    /// Reads on; false at the end of the file.
    fn more(&mut self) -> Result<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        // As much again as waits, and all of it however little the source gives at a time, so that a long record is not
        // gone through again after every read.
        let room = self.filled + self.filled.max(CHUNK);
        if self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        let before = self.filled;
        while self.filled < room && !self.ended {
            match self.source.read(self.buffer.get_mut(self.filled..room).unwrap_or_default()) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if self.filled == before => return Err(error),
                // What came before the failure is told first.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(self.filled > before)
    }

    /// The next record; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            let blank = self.rest().iter().take_while(|&&byte| is_line_end(byte)).count();
            self.start += blank;
            if self.start < self.filled {
                break;
            }
            if !self.more()? {
                return Ok(None);
            }
        }
        loop {
            let rest = self.rest();
            match memchr3(b'\n', b'\r', b'"', rest) {
                Some(at) if rest.get(at) == Some(&b'"') => return self.with_quotes(),
                None if !self.ended => {
                    self.more()?;
                }
                end => {
                    let length = end.unwrap_or(rest.len());
                    return Ok(Some(self.plain(length)));
                }
            }
        }
    }

    /// A record of `length` bytes without quotes.
    fn plain(&mut self, length: usize) -> Record<'_> {
        let (from, to) = (self.start, self.start + length);
        let line = self.buffer.get(from..to).unwrap_or_default();
        self.cells.clear();
        let mut start = from;
        for comma in memchr_iter(b',', line) {
            self.cells.push((start, from + comma));
            start = from + comma + 1;
        }
        self.cells.push((start, to));
        // The line's end is passed over with blank lines.
        self.start = to;
        Record { bytes: &self.buffer, cells: &self.cells }
    }

    fn with_quotes(&mut self) -> Result<Option<Record<'_>>> {
        let length = loop {
            self.unquoted.clear();
            self.cells.clear();
            let rest = self.buffer.get(self.start..self.filled).unwrap_or_default();
            if let Some(length) = unquote(rest, self.ended, &mut self.unquoted, &mut self.cells) {
                break length;
            }
            self.more()?;
        };
        self.start += length;
        Ok(Some(Record { bytes: &self.unquoted, cells: &self.cells }))
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Where a byte of a record stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    CellStart,
    InCell,
    InQuotes,
    /// Behind a quote within quotes: the second of a pair, or the end.
    BehindQuote,
}

/// Takes a record apart and returns how long it is; `None` if it goes on behind `bytes`.
fn unquote(bytes: &[u8], ended: bool, text: &mut Vec<u8>, cells: &mut Vec<(usize, usize)>) -> Option<usize> {
    let (mut at, mut start) = (At::CellStart, 0);
    for (place, &byte) in bytes.iter().enumerate() {
        at = match (at, byte) {
            (At::InQuotes, b'"') => At::BehindQuote,
            (At::InQuotes, _) => {
                text.push(byte);
                At::InQuotes
            }
            (At::BehindQuote, b'"') => {
                text.push(byte);
                At::InQuotes
            }
            (At::CellStart, b'"') => At::InQuotes,
            (_, b',') => {
                cells.push((start, text.len()));
                start = text.len();
                At::CellStart
            }
            (_, byte) if is_line_end(byte) => {
                cells.push((start, text.len()));
                return Some(place);
            }
            _ => {
                text.push(byte);
                At::InCell
            }
        };
    }
    ended.then(|| {
        cells.push((start, text.len()));
        bytes.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives its text in pieces of a few bytes.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let n = self.0.len().min(buffer.len()).min(self.1);
            let (now, later) = self.0.split_at(n);
            buffer[..n].copy_from_slice(now);
            self.0 = later;
            Ok(n)
        }
    }

    fn ours(text: &[u8], piece: usize) -> Vec<Vec<Vec<u8>>> {
        let mut records = Records::new(Dribble(text, piece)).unwrap();
        let mut all = Vec::new();
        while let Some(record) = records.next().unwrap() {
            all.push(record.iter().map(<[u8]>::to_vec).collect());
        }
        all
    }

    fn theirs(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text);
        reader.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest! {
        #[test]
        fn records_are_those_of_the_csv_crate(
            text in prop::collection::vec(prop::sample::select(b"a,\"\n\r \xff,\n\"".to_vec()), 0..40),
            piece in 1..9_usize,
        ) {
            prop_assert_eq!(ours(&text, piece), theirs(&text));
        }
    }

    #[test]
    fn long_records_and_marks_of_the_byte_order_are_read() {
        let long = "x".repeat(3 * CHUNK);
        for text in [
            format!("\u{feff}a,b\r\n{long},\"{long}\n\"\"\"\r\n\r\nlast,"),
            format!("\u{feff}\"a\",b\n{long}"),
            "\u{feff}".to_owned(),
            "\u{feff}\"open\n,".to_owned(),
            String::new(),
        ] {
            assert_eq!(ours(text.as_bytes(), 1 << 16), theirs(text.as_bytes()));
        }
    }

    #[test]
    fn a_quote_that_never_closes_is_gone_through_a_few_times_only() {
        // Gone through after every read, these would be ten thousand times eight megabytes.
        let text = format!("a,\"{}", "x,\n".repeat(2_500_000));
        let begin = std::time::Instant::now();
        assert_eq!(ours(text.as_bytes(), 700), theirs(text.as_bytes()));
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    }
}
