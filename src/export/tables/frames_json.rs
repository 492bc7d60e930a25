//! Call stacks as JSON, and their hashes.
//!
//! Each frame is written out once and copied into the stacks that hold it; the hash is the MD5 of the
//! very text that stands beside it, so that anybody can check it.

use super::{Sink, Value};
use crate::model::{Snapshot, StringId, StringTable};
use std::io;

/// The rows of `call_stacks`: one a distinct stack, in the order of their ids.
pub(super) fn stacks(snapshot: &Snapshot, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut texts = String::new();
    let mut ends = Vec::with_capacity(snapshot.frames.len());
    for (id, frame) in snapshot.frames.iter() {
        texts.push_str("{\"filename\":");
        push_json(&mut texts, text_of(snapshot, frame.file));
        texts.push_str(",\"line\":");
        texts.push_str(&frame.line.to_string());
        texts.push_str(",\"name\":");
        push_json(&mut texts, text_of(snapshot, frame.function));
        if let Ok(note) = snapshot.frames.fx_notes.binary_search_by_key(&id, |&(frame, _)| frame)
            && let Some(&(_, note)) = snapshot.frames.fx_notes.get(note)
        {
            texts.push_str(",\"fx\":");
            push_json(&mut texts, text_of(snapshot, note));
        }
        texts.push('}');
        ends.push(texts.len());
    }
    let mut json = String::new();
    let mut seen = StringTable::default();
    for id in snapshot.stacks.ids() {
        json.clear();
        json.push('[');
        for frame in snapshot.stacks.get(id) {
            if json.len() > 1 {
                json.push(',');
            }
            let start = frame.index().checked_sub(1).and_then(|before| ends.get(before)).copied();
            let end = ends.get(frame.index()).copied().unwrap_or(0);
            json.push_str(texts.get(start.unwrap_or(0)..end).unwrap_or("null"));
        }
        json.push(']');
        hashed(&json, &mut seen, sink)?;
    }
    Ok(())
}

/// A row of `call_stacks`. Stacks that only look the same, as paths were left out, have hashes of their own.
pub(super) fn hashed(json: &str, seen: &mut StringTable, sink: &mut Sink<'_>) -> io::Result<()> {
    let before = seen.len();
    let mut hash = hash_of(json);
    seen.intern(&hash);
    if seen.len() == before {
        hash = hash_of(&format!("{json}#{before}"));
        seen.intern(&hash);
    }
    sink(&[Value::Text(&hash), Value::Text(json)])
}

fn hash_of(json: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut hash = String::with_capacity(32);
    for byte in md5::compute(json).0 {
        hash.push(char::from(HEX[usize::from(byte >> 4)]));
        hash.push(char::from(HEX[usize::from(byte & 15)]));
    }
    hash
}

/// The text, or `None` where the file had none.
pub(super) fn text_of(snapshot: &Snapshot, id: StringId) -> Option<&str> {
    id.some().map(|id| snapshot.strings.get(id))
}

/// A text as JSON has it.
pub(super) fn push_json(out: &mut String, text: Option<&str>) {
    let Some(text) = text else { return out.push_str("null") };
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => {
                out.push_str("\\u00");
                out.push(char::from_digit(u32::from(c) >> 4, 16).unwrap_or('0'));
                out.push(char::from_digit(u32::from(c) & 15, 16).unwrap_or('0'));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_json() {
        let all: String = (0_u8..128).map(char::from).chain("\u{2028}\u{1f600}é".chars()).collect();
        let mut json = String::new();
        push_json(&mut json, Some(&all));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), all);
        json.clear();
        push_json(&mut json, None);
        assert_eq!(json, "null");
    }

    #[test]
    fn the_hash_is_the_md5_of_the_text() {
        let mut seen = Vec::new();
        let mut before = StringTable::default();
        for _ in 0..3 {
            hashed("[]", &mut before, &mut |row| {
                seen.push(format!("{:?}", row[0]));
                Ok(())
            })
            .unwrap();
        }
        // printf '[]' | md5sum
        assert_eq!(seen[0], "Text(\"d751713988987e9331980363e24189ce\")");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 3);
    }
}
