//! Snapshots as JSON, streamed into the same tables as pickles.
//!
//! Every value goes onto the builder's stack as it is read, and a finished object becomes a row at
//! once, so a JSON file needs no more memory than the pickle of the same snapshot. Depth is bounded by
//! serde_json itself.

use super::builder::Builder;
use super::handle::{Handle, tag};
use crate::format::source::Source;
use crate::format::{Error, ErrorKind, ReadOptions, Result};
use crate::model::{Position, Snapshot};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::BufReader;

/// Reads a snapshot in JSON.
pub(in crate::format) fn read(source: Source<'_>, options: &ReadOptions) -> Result<Snapshot> {
    let mut builder = Builder::new(options, source.handle());
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, source));
    let outcome = Value(&mut builder).deserialize(&mut json);
    if let Some(error) = builder.budget_error() {
        return Err(error);
    }
    if let Err(error) = outcome {
        let position = Position::Line(error.line() as u64);
        let column = error.column();
        let message = format!("the JSON breaks off at line {}, column {column}: {error}", error.line());
        let damage =
            if error.is_eof() || error.is_io() { ErrorKind::Truncated } else { ErrorKind::Malformed };
        return super::salvage(builder, options, Error::new(damage, message).at(position));
    }
    let top = builder.top().map_err(|expected| {
        Error::new(ErrorKind::Truncated, format!("the JSON ends where {expected} was expected"))
    })?;
    builder.finish(top, options.native_frames)
}

/// One value onto the builder's stack.
struct Value<'a>(&'a mut Builder);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.push(Handle::bool(value));
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        let handle = self.0.heap.int(value);
        self.0.push(handle);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        let handle = self.0.heap.wide_int(value.into());
        self.0.push(handle);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        let handle = self.0.heap.float(value);
        self.0.push(handle);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        let id = self.0.tables.snapshot.strings.intern(value);
        self.0.push(Handle::of(tag::TEXT, u64::from(id.0)));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push(Handle::NONE);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let builder = self.0;
        builder.open_list();
        builder.mark();
        let mark = builder.stack.len();
        while items.next_element_seed(Value(builder))?.is_some() {
            // Long lists are put away in batches, so that the stack stays short.
            if builder.stack.len() - mark >= 1000 {
                builder.append_from(mark, true).map_err(serde::de::Error::custom)?;
            }
        }
        builder.pop_mark().map_err(serde::de::Error::custom)?;
        if builder.tuple_in_place(mark) {
            return Ok(());
        }
        builder.append_from(mark, true).map_err(serde::de::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let builder = self.0;
        let dict = builder.heap.open(super::heap::Kind::Dict);
        builder.push(dict);
        builder.mark();
        let mark = builder.stack.len();
        while entries.next_key_seed(Value(builder))?.is_some() {
            entries.next_value_seed(Value(builder))?;
        }
        builder.pop_mark().map_err(serde::de::Error::custom)?;
        builder.set_from(mark, true).map_err(serde::de::Error::custom)?;
        if builder.over_budget() {
            return Err(serde::de::Error::custom("the limit of memory"));
        }
        Ok(())
    }
}
