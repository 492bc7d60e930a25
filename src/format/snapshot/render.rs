//! Values written out as text: nested settings, metadata, and whole pickles for the tests.
//!
//! Works along an explicit list of what is still to write, so depth costs no stack, and stops at a
//! limit, so a value that refers to itself a billion times costs no more than any other.

use super::handle::{Handle, tag};
use super::heap::{Heap, Kind, runs};
use crate::model::{FrameId, PoolId, Snapshot, StackId, StringId};
use core::fmt::Write;

enum Todo {
    Value(Handle),
    /// The rest of a container from this place on; true: a dict.
    Rest(Handle, usize, bool),
    Text(&'static str),
}

/// The value as JSON; a lone text as itself. Cut after `limit` bytes with `…`.
pub(super) fn text(heap: &Heap, snapshot: &Snapshot, value: Handle, limit: usize) -> String {
    match value.tag() {
        tag::TEXT | tag::BYTES => snapshot.strings.get(StringId(value.id())).to_owned(),
        _ => json(heap, snapshot, value, limit),
    }
}

/// The value as JSON, cut after `limit` bytes with `…`.
pub(in crate::format) fn json(heap: &Heap, snapshot: &Snapshot, value: Handle, limit: usize) -> String {
    let mut out = String::new();
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        if out.len() > limit || todo.len() > limit {
            out.push('…');
            break;
        }
        match next {
            Todo::Text(text) => out.push_str(text),
            Todo::Value(value) => open(heap, snapshot, value, &mut out, &mut todo),
            Todo::Rest(container, at, is_dict) => {
                let Some(slot) = heap.slot(container) else { continue };
                if is_dict {
                    let Some([key, value]) = slot.body.get(at..at + 2) else {
                        out.push('}');
                        continue;
                    };
                    comma(at, &mut out);
                    todo.push(Todo::Rest(container, at + 2, true));
                    todo.push(Todo::Value(*value));
                    todo.push(Todo::Text(": "));
                    todo.push(Todo::Value(*key));
                } else {
                    let Some(&item) = slot.body.get(at) else {
                        out.push(']');
                        continue;
                    };
                    todo.push(Todo::Rest(container, at + 1, false));
                    comma(at, &mut out);
                    todo.push(Todo::Value(item));
                }
            }
        }
    }
    out
}

fn comma(at: usize, out: &mut String) {
    if at > 0 {
        out.push_str(", ");
    }
}

fn open(heap: &Heap, snapshot: &Snapshot, value: Handle, out: &mut String, todo: &mut Vec<Todo>) {
    let value = heap.resolve(value);
    // Writing to a string cannot fail.
    let _ = match value.tag() {
        tag::NONE => write!(out, "null"),
        tag::FALSE => write!(out, "false"),
        tag::TRUE => write!(out, "true"),
        tag::INT | tag::WIDE => write!(out, "{}", heap.as_int(value).unwrap_or(0)),
        tag::FLOAT => write!(out, "{:?}", heap.as_float(value).unwrap_or(0.0)),
        tag::TEXT | tag::BYTES => write!(out, "{}", quoted(snapshot.strings.get(StringId(value.id())))),
        tag::PAIR => {
            let (a, b) = snapshot.pools.get(PoolId(value.id()));
            write!(out, "[{a}, {b}]")
        }
        tag::EMPTY => write!(out, "[]"),
        tag::OPAQUE | tag::GLOBAL => write!(out, "\"<{}>\"", snapshot.strings.get(StringId(value.id()))),
        tag::STACK => write!(out, "\"<{} frames>\"", snapshot.stacks.get(StackId(value.id())).len()),
        tag::FRAME => {
            let known = (value.id() as usize) < snapshot.frames.len();
            let name = known.then(|| snapshot.frames.get(FrameId(value.id())).function);
            write!(out, "\"<frame {}>\"", name.map_or("", |name| snapshot.strings.get(name)))
        }
        tag::COUNT => write!(out, "\"<{} rows>\"", value.payload()),
        tag::EVENT => write!(out, "\"<event>\""),
        tag::SEGMENT => write!(out, "\"<segment>\""),
        tag::BLOCK => write!(out, "\"<block>\""),
        tag::LIST | tag::DICT => {
            let is_dict = heap.slot(value).is_some_and(|slot| slot.kind == Kind::Dict);
            out.push(if is_dict { '{' } else { '[' });
            todo.push(Todo::Rest(value, 0, is_dict));
            Ok(())
        }
        _ => write!(out, "\"<entry>\""),
    };
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// What a value is, in words, for messages.
pub(in crate::format) fn describe(heap: &Heap, snapshot: &Snapshot, value: Handle) -> String {
    let value = heap.resolve(value);
    match value.tag() {
        tag::NONE => "nothing (None)".to_owned(),
        tag::FALSE | tag::TRUE => "a truth value".to_owned(),
        tag::INT | tag::WIDE | tag::FLOAT => "a number".to_owned(),
        tag::TEXT | tag::BYTES => "a text".to_owned(),
        tag::PAIR => "a pair of numbers".to_owned(),
        tag::OPAQUE | tag::GLOBAL => {
            format!("an object of {}", snapshot.strings.get(StringId(value.id())))
        }
        tag::DICT => {
            let body = heap.slot(value).map(|slot| slot.body.as_slice()).unwrap_or(&[]);
            let keys: Vec<String> =
                body.chunks_exact(2).take(8).map(|pair| text(heap, snapshot, pair[0], 40)).collect();
            if keys.is_empty() {
                return "an empty dict".to_owned();
            }
            format!("a dict with the keys {}", keys.join(", "))
        }
        tag::LIST => match heap.slot(value).and_then(|slot| runs(&slot.body).next()) {
            Some((first, _)) if !first.is_open() => {
                format!("a list that begins with {}", describe(heap, snapshot, first))
            }
            _ => "a list of other things".to_owned(),
        },
        tag::EMPTY => "an empty list".to_owned(),
        tag::EVENT => "a trace entry".to_owned(),
        tag::SEGMENT => "a segment".to_owned(),
        tag::BLOCK => "a block".to_owned(),
        tag::FRAME | tag::STACK => "stack frames".to_owned(),
        _ => "an entry".to_owned(),
    }
}
