//! The snapshot inside a `trace_plot` page.
//!
//! `python -m torch.cuda._memory_viz trace_plot` writes a page whose script holds the pickle as
//! `"base64": "…"`. The page is read as a stream up to that text, then the text is decoded.

use super::source::Source;
use std::io::{self, BufRead, BufReader, Read};

const MARKER: &[u8] = b"\"base64\"";

/// The bytes of a JSON string that is base64, up to its closing quote.
struct Quoted<R> {
    inner: R,
    done: bool,
}

impl<R: BufRead> Read for Quoted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let available = self.inner.fill_buf()?;
        let wanted = available.len().min(buffer.len());
        let run = available.iter().take(wanted).position(|&b| b == b'"' || b == b'\\').unwrap_or(wanted);
        if let (Some(to), Some(from)) = (buffer.get_mut(..run), available.get(..run)) {
            to.copy_from_slice(from);
        }
        self.done = run < wanted || available.is_empty();
        self.inner.consume(run);
        Ok(run)
    }
}

/// The decoded pickle; `None` if the page holds none.
pub(super) fn embedded<'a>(source: Source<'a>) -> io::Result<Option<Box<dyn Read + 'a>>> {
    let mut page = BufReader::with_capacity(1 << 16, source);
    let mut matched = 0;
    loop {
        let buffer = page.fill_buf()?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let mut used = 0;
        for &byte in buffer {
            used += 1;
            // The marker's first byte, a quote, stands in it only at its ends, so this never misses one.
            matched =
                if MARKER.get(matched) == Some(&byte) { matched + 1 } else { usize::from(byte == b'"') };
            if matched == MARKER.len() {
                break;
            }
        }
        page.consume(used);
        if matched == MARKER.len() {
            matched = 0;
            if opening_quote(&mut page)? {
                let engine = &base64::engine::general_purpose::STANDARD;
                return Ok(Some(Box::new(base64::read::DecoderReader::new(
                    Quoted { inner: page, done: false },
                    engine,
                ))));
            }
        }
    }
}

/// Goes past `: "`; false if something else comes.
fn opening_quote(page: &mut impl BufRead) -> io::Result<bool> {
    let mut colon = false;
    loop {
        let Some(&byte) = page.fill_buf()?.first() else { return Ok(false) };
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' => {}
            b':' if !colon => colon = true,
            b'"' if colon => {
                page.consume(1);
                return Ok(true);
            }
            _ => return Ok(false),
        }
        page.consume(1);
    }
}
