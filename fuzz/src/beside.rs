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

/// Any file in one piece and in many. Not what is unwrapped first (pages, gzip, zip): it is decoded by the piece, so how
/// far one gets before damage, and which damage is met first, follows from the pieces.
pub fn pieces(bytes: &[u8]) {
    let is_packed = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"PK");
    if is_packed || bytes.windows(8).any(|word| word == b"\"base64\"") {
        return;
    }
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
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let events = whole_events(text);
    let list = |each: fn(&str) -> String| {
        let events: Vec<String> = events.iter().map(|event| each(event)).collect();
        // Where something stood differs.
        let table = read_trace(format!("[{}]", events.join(",\n")).as_bytes()).map(|mut table| {
            table.warnings = Default::default();
            format!("{table:?}")
        });
        table.map_err(|error| error.to_string())
    };
    let odd = |event: &str| match event.strip_prefix('{') {
        Some(rest) if !rest.trim_start().starts_with('}') => format!("{{\"\\u006fdd\": 0, {rest}"),
        _ => event.to_owned(),
    };
    assert_eq!(list(str::to_owned), list(odd));
}

/// The objects that damage has left whole, of whatever list they stand in.
fn whole_events(text: &str) -> Vec<&str> {
    let mut events = Vec::new();
    // The object around the list is no event.
    let mut rest = text.strip_prefix('{').unwrap_or(text);
    while let Some(at) = rest.find('{') {
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let length = match values.next() {
            Some(Ok(value)) => {
                events.push(value.get());
                values.byte_offset()
            }
            _ => 1,
        };
        rest = &rest[length..];
    }
    events
}
