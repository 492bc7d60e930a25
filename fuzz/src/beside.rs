//! Readers held against another reading of the same input, which has to say the same.

use hbmlens::format::profiler::read_trace;
use serde_json::value::RawValue;
use std::io::Read;

/// The cutter of CSV records; it has no way in of its own, so its text is compiled here once more.
#[path = "../../src/format/profiler/records.rs"]
mod cutter;

/// Gives its bytes in pieces.
struct Pieces<'a> {
    rest: &'a [u8],
    most: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.rest.len().min(buffer.len()).min(self.most);
        let (now, later) = self.rest.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.rest = later;
        Ok(length)
    }
}

/// Pieces of a size that the input itself chooses.
fn in_pieces(bytes: &[u8]) -> Pieces<'_> {
    const SIZES: [usize; 4] = [1, 7, 100, 4096];
    let choice = bytes.iter().fold(bytes.len(), |sum, &byte| sum.wrapping_mul(31) + usize::from(byte));
    Pieces { rest: bytes, most: SIZES[choice % SIZES.len()] }
}

/// Any file in one piece and in many.
pub fn pieces(bytes: &[u8]) {
    let said = |source: &mut dyn Read| match hbmlens::format::open(source, &Default::default(), &mut |_| {}) {
        Ok(document) => format!("{document:?}"),
        Err(error) => error.to_string(),
    };
    let (mut whole, mut cut) = (bytes, in_pieces(bytes));
    assert_eq!(said(&mut whole), said(&mut cut));
}

/// Records as they are cut, against those of the csv crate.
pub fn records(bytes: &[u8]) {
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(bytes);
    let mut theirs = reader.byte_records();
    let mut ours = cutter::Records::new(in_pieces(bytes)).expect("bytes in memory can be read");
    while let Some(record) = ours.next().expect("bytes in memory can be read") {
        let their = theirs.next().expect("one more record").expect("bytes in memory can be read");
        assert!(record.iter().eq(their.iter()), "{their:?}");
    }
    assert!(theirs.next().is_none());
}

/// Events of a trace as they are cut, against the general parser: a key with an escape in it sends each event there.
pub fn trace(bytes: &[u8]) {
    #[derive(serde::Deserialize)]
    struct Trace<'a> {
        #[serde(borrow, rename = "traceEvents")]
        events: Vec<&'a RawValue>,
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let events: Result<Vec<&RawValue>, _> = serde_json::from_str(text);
    let Ok(events) = events.or_else(|_| serde_json::from_str(text).map(|trace: Trace<'_>| trace.events))
    else {
        return;
    };
    let list = |each: fn(&str) -> String| {
        let events: Vec<String> = events.iter().map(|event| each(event.get())).collect();
        // Where something stood differs.
        read_trace(format!("[{}]", events.join(",\n")).as_bytes()).map(|mut table| {
            table.warnings = Default::default();
            format!("{table:?}")
        })
    };
    let odd = |event: &str| match event.strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('}') => event.to_owned(),
        Some(rest) => format!("{{\"\\u006fdd\": 0, {rest}"),
        None => event.to_owned(),
    };
    let (plain, general) = (list(str::to_owned), list(odd));
    assert_eq!(plain.map_err(|error| error.to_string()), general.map_err(|error| error.to_string()));
}
