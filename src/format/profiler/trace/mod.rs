//! `trace_view.json` and Kineto traces: a list of events, bare or under `traceEvents`, of any size.
//!
//! The list is read through a sliding window: one event at a time is taken out of the window, borrowing from it
//! (`plain`; serde_json where something is odd), and what is needed goes into columns at once. An event that the window cuts
//! is tried again once more bytes are in. So memory is the window plus the columns whatever the size of
//! the file, an event that is damaged costs only itself, and a file that breaks off keeps what came
//! before, with the position.

mod event;
mod plain;
mod sink;
mod stacks;
mod window;

use crate::format::{Error, ErrorKind, Result};
use crate::model::Position;
use crate::model::profile::TraceTable;
use event::{DocumentKey, Event};
use serde_json::value::RawValue;
use sink::Sink;
use std::io::Read;
use window::Window;

/// What became of one value in the window.
enum Step {
    /// The list or object goes on.
    More,
    /// It is closed.
    Closed,
    /// The file ends inside it.
    BrokenOff,
}

/// Reads a whole trace.
pub fn read_trace(source: impl Read) -> Result<TraceTable> {
    let mut window = Window::new(source);
    let mut sink = Sink::default();
    window.skip_bom()?;
    let complete = match window.peek()? {
        Some(b'[') => {
            window.advance(1);
            read_list(&mut window, &mut sink)?
        }
        Some(b'{') => {
            window.advance(1);
            read_document(&mut window, &mut sink)?
        }
        Some(other) => {
            return Err(Error::new(
                ErrorKind::Unexpected,
                format!(
                    "expected a list of events or an object with \"traceEvents\", found \"{}\"",
                    char::from(other)
                ),
            )
            .at(Position::Byte(window.position())));
        }
        None => return Err(Error::new(ErrorKind::Truncated, "the file is empty")),
    };
    if let Some(at) = window.first_replaced {
        sink.table.warnings.add("not_utf8", Some(Position::Byte(at)), || {
            format!("{} bytes are not UTF-8 text and read as question marks", window.replaced)
        });
    }
    if !complete {
        let (at, events) = (window.position(), sink.table.events);
        sink.table.complete = false;
        sink.table.warnings.add("truncated", Some(Position::Byte(at)), || {
            format!("the file breaks off inside its list of events; the {events} events before it are used")
        });
    }
    Ok(sink.finish())
}

/// The elements of the event list; true when it is closed.
fn read_list<R: Read>(window: &mut Window<R>, sink: &mut Sink) -> Result<bool> {
    loop {
        match separator(window, b']')? {
            Step::Closed => return Ok(true),
            Step::BrokenOff => return Ok(false),
            Step::More => {}
        }
        if !read_event(window, sink)? {
            return Ok(false);
        }
    }
}

/// One element; false when the file ends inside it.
fn read_event<R: Read>(window: &mut Window<R>, sink: &mut Sink) -> Result<bool> {
    loop {
        if let Some((event, used)) = plain::event(window.text(), &sink.stacks) {
            sink.event(&event, window.position());
            window.advance(used);
            return Ok(true);
        }
        let mut stream = serde_json::Deserializer::from_str(window.text()).into_iter::<Event<'_>>();
        match stream.next() {
            Some(Ok(event)) => {
                let used = stream.byte_offset();
                let at = window.position();
                sink.event(&event, at);
                window.advance(used);
                return Ok(true);
            }
            // What looks wrong may only be cut (`1.` is no number): it is damaged if its brackets close.
            Some(Err(error)) if !error.is_eof() && window::end_of_value(window.bytes()).is_some() => {
                skip_damaged(window, sink, &error);
                return Ok(true);
            }
            _ => match window.more() {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // A quote or bracket is missing and the rest of the file makes one event.
                Err(error) if error.kind == ErrorKind::TooLarge && sink.table.events > 0 => return Ok(false),
                Err(error) => return Err(error),
            },
        }
    }
}

/// Passes over an element that is no event, or broken: it counts as an element, and reading goes on
/// where its brackets close.
fn skip_damaged<R: Read>(window: &mut Window<R>, sink: &mut Sink, error: &serde_json::Error) {
    sink.damaged(window.position(), &error.to_string());
    let length = window::end_of_value(window.bytes());
    // Never stand still: a stray bracket or comma is a value of no length.
    window.advance(length.unwrap_or(0).max(1));
}

/// The keys of the outer object; true when it is closed.
fn read_document<R: Read>(window: &mut Window<R>, sink: &mut Sink) -> Result<bool> {
    loop {
        match separator(window, b'}')? {
            Step::Closed => return Ok(true),
            Step::BrokenOff => return Ok(false),
            Step::More => {}
        }
        let Some(key) = read_key(window)? else { return Ok(false) };
        match window.peek()? {
            Some(b':') => window.advance(1),
            None => return Ok(false),
            Some(_) => {
                return Err(malformed(
                    window.position(),
                    "expected a colon after a key of the trace's outer object",
                ));
            }
        }
        match (key, window.peek()?) {
            (_, None) => return Ok(false),
            (DocumentKey::Events, Some(b'[')) => {
                window.advance(1);
                if !read_list(window, sink)? {
                    return Ok(false);
                }
            }
            (DocumentKey::BaseTime, _) => match read_small(window)? {
                Some(text) => sink.base_time(&text),
                None => return Ok(false),
            },
            _ => {
                if !skip_value(window)? {
                    return Ok(false);
                }
            }
        }
    }
}

fn read_key<R: Read>(window: &mut Window<R>) -> Result<Option<DocumentKey>> {
    loop {
        let mut stream = serde_json::Deserializer::from_str(window.text()).into_iter::<DocumentKey>();
        match stream.next() {
            Some(Ok(key)) => {
                let used = stream.byte_offset();
                window.advance(used);
                return Ok(Some(key));
            }
            Some(Err(error)) if !error.is_eof() => {
                return Err(malformed(
                    window.position(),
                    &format!("expected a key of the trace's outer object: {error}"),
                ));
            }
            _ => {
                if !window.more()? {
                    return Ok(None);
                }
            }
        }
    }
}

/// A number or short text as it stands.
fn read_small<R: Read>(window: &mut Window<R>) -> Result<Option<String>> {
    loop {
        // A number at the very end of the window may go on behind it.
        let mut stream = serde_json::Deserializer::from_str(window.text()).into_iter::<&RawValue>();
        match stream.next() {
            Some(Ok(raw)) if stream.byte_offset() < window.bytes().len() => {
                let (text, used) = (raw.get().to_owned(), stream.byte_offset());
                window.advance(used);
                return Ok(Some(text));
            }
            Some(Err(error)) if !error.is_eof() => {
                return Err(malformed(
                    window.position(),
                    &format!("a value of the trace's outer object: {error}"),
                ));
            }
            _ => {
                if !window.more()? {
                    return Ok(None);
                }
            }
        }
    }
}

/// A value that is not needed, of any size (device lists, a string table): passed over without
/// holding it.
fn skip_value<R: Read>(window: &mut Window<R>) -> Result<bool> {
    let mut skipper = window::Skipper::default();
    loop {
        let (used, done) = skipper.feed(window.bytes());
        window.advance(used);
        if done {
            return Ok(true);
        }
        if !window.more()? {
            return Ok(false);
        }
    }
}

/// Passes the comma before the next element, or finds the end.
fn separator<R: Read>(window: &mut Window<R>, close: u8) -> Result<Step> {
    loop {
        match window.peek()? {
            None => return Ok(Step::BrokenOff),
            Some(byte) if byte == close => {
                window.advance(1);
                return Ok(Step::Closed);
            }
            Some(b',') => window.advance(1),
            Some(_) => return Ok(Step::More),
        }
    }
}

fn malformed(at: u64, message: &str) -> Error {
    Error::new(ErrorKind::Malformed, message).at(Position::Byte(at))
}

/// True when the text begins like a trace: a list of objects with a phase, or an object with
/// `traceEvents` among its first bytes.
pub fn looks_like_trace(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let has = |needle: &[u8]| head.windows(needle.len()).any(|w| w == needle);
    match head.first() {
        Some(b'[') => head[1..].trim_ascii_start().starts_with(b"{") && has(b"\"ph\""),
        Some(b'{') => has(b"\"traceEvents\""),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
