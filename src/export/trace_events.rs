//! Chrome's trace event format, which ui.perfetto.dev and chrome://tracing read.

use std::io::{Result, Write};

/// Writes event by event, key by key: a log holds hundreds of thousands, and a tree of each would only
/// be taken apart again.
pub(super) struct Events<'a> {
    out: &'a mut dyn Write,
    json: Vec<u8>,
    first: bool,
    /// A key was written into the arguments.
    open: bool,
}

impl<'a> Events<'a> {
    /// The head of a file. Its times count from `base`, where that is known.
    pub fn begin_file(out: &'a mut dyn Write, base: Option<i64>) -> Result<Events<'a>> {
        write!(out, "{{\"displayTimeUnit\":\"ns\",")?;
        if let Some(base) = base {
            write!(out, "\"baseTimeNanoseconds\":{base},")?;
        }
        write!(out, "\"traceEvents\":[")?;
        Ok(Events { out, json: Vec::new(), first: true, open: false })
    }

    pub fn end_file(self) -> Result<()> {
        writeln!(self.out, "\n]}}")
    }

    /// An event up to its arguments, which are written next.
    pub fn begin(&mut self, phase: &str, name: &str, pid: u64, tid: u64) {
        self.head(phase, name, pid, tid);
        self.arguments();
    }

    pub fn head(&mut self, phase: &str, name: &str, pid: u64, tid: u64) {
        self.json.clear();
        self.json.extend_from_slice(if self.first { b"\n{" } else { b",\n{" });
        self.first = false;
        self.open = false;
        self.text("ph", phase);
        self.text("name", name);
        self.number("pid", pid);
        self.number("tid", tid);
    }

    /// A moment or a span, given in nanoseconds and written in microseconds, as the format has it.
    pub fn micros(&mut self, key: &str, nanos: i64) {
        self.key(key);
        let sign = if nanos < 0 { "-" } else { "" };
        let nanos = nanos.unsigned_abs();
        let (whole, rest) = (nanos / 1000, nanos % 1000);
        // Writing to memory cannot fail.
        let _ = if rest == 0 {
            write!(self.json, "{sign}{whole}")
        } else {
            write!(self.json, "{sign}{whole}.{rest:03}")
        };
    }

    /// A name for a process or a thread.
    pub fn name(&mut self, what: &str, name: &str, pid: u64, tid: u64) -> Result<()> {
        self.begin("M", what, pid, tid);
        self.text("name", name);
        self.end()
    }

    pub fn arguments(&mut self) {
        self.json.extend_from_slice(b",\"args\":{");
        self.open = false;
    }

    pub fn end(&mut self) -> Result<()> {
        self.json.extend_from_slice(b"}}");
        self.out.write_all(&self.json)
    }

    pub fn key(&mut self, key: &str) {
        if self.open {
            self.json.push(b',');
        }
        self.open = true;
        quoted(key, &mut self.json);
        self.json.push(b':');
    }

    pub fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        quoted(text, &mut self.json);
    }

    /// A number or another value that reads the same in JSON.
    pub fn plain(&mut self, key: &str, value: &str) {
        self.key(key);
        self.json.extend_from_slice(value.as_bytes());
    }

    pub fn number(&mut self, key: &str, number: u64) {
        self.plain(key, &number.to_string());
    }

    pub fn signed(&mut self, key: &str, number: i64) {
        self.plain(key, &number.to_string());
    }

    pub fn optional(&mut self, key: &str, number: Option<u64>) {
        match number {
            Some(number) => self.number(key, number),
            None => self.plain(key, "null"),
        }
    }

    pub fn optional_signed(&mut self, key: &str, number: Option<i64>) {
        match number {
            Some(number) => self.signed(key, number),
            None => self.plain(key, "null"),
        }
    }

    pub fn flag(&mut self, key: &str, set: Option<bool>) {
        self.plain(key, set.map_or("null", |set| if set { "true" } else { "false" }));
    }
}

/// A text of a file as JSON has it.
fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..32 => {
                let digit = |n: u8| b"0123456789abcdef"[usize::from(n & 15)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
