//! The counter side-car: a small JSON file beside a snapshot with what only the process knew.
//!
//! People write it with two lines of Python, so it is read generously: the names of the functions
//! (`memory_allocated`), the keys of `torch.cuda.memory_stats()` (`allocated_bytes.all.current`), one
//! object for the process, one a device, or one list of values a counter.

use super::{Error, ErrorKind, Result};
use crate::model::{Bytes, Device};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The counters of one device. `None`: not in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeviceCounters {
    pub allocated: Option<Bytes>,
    pub max_allocated: Option<Bytes>,
    pub reserved: Option<Bytes>,
    pub max_reserved: Option<Bytes>,
    /// Memory of the device.
    pub limit: Option<Bytes>,
}

impl DeviceCounters {
    /// Those that are known, as members of an object.
    fn push_json(&self, text: &mut String) {
        let known = [
            ("memory_allocated", self.allocated),
            ("max_memory_allocated", self.max_allocated),
            ("memory_reserved", self.reserved),
            ("max_memory_reserved", self.max_reserved),
            ("limit", self.limit),
        ];
        let mut separator = "";
        for (name, Bytes(bytes)) in known.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))) {
            for part in [separator, "\"", name, "\":", &bytes.to_string()] {
                text.push_str(part);
            }
            separator = ",";
        }
    }
}

/// What a side-car says, by device; values that name no device are kept apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    any: DeviceCounters,
    by_device: BTreeMap<Device, DeviceCounters>,
}

type Field = fn(&mut DeviceCounters) -> &mut Option<Bytes>;

/// Names of a counter, and the field it fills.
const NAMES: &[(&str, Field)] = &[
    ("memory_allocated", |c| &mut c.allocated),
    ("allocated_bytes.all.current", |c| &mut c.allocated),
    ("max_memory_allocated", |c| &mut c.max_allocated),
    ("allocated_bytes.all.peak", |c| &mut c.max_allocated),
    ("memory_reserved", |c| &mut c.reserved),
    ("reserved_bytes.all.current", |c| &mut c.reserved),
    ("max_memory_reserved", |c| &mut c.max_reserved),
    ("reserved_bytes.all.peak", |c| &mut c.max_reserved),
    ("limit", |c| &mut c.limit),
    ("device_limit", |c| &mut c.limit),
    ("total_memory", |c| &mut c.limit),
];

/// Objects of `torch.cuda.memory_stats_as_nested_dict()`, with the fields of `all.current` and `all.peak`.
const NESTED: &[(&str, Field, Field)] = &[
    ("allocated_bytes", |c| &mut c.allocated, |c| &mut c.max_allocated),
    ("reserved_bytes", |c| &mut c.reserved, |c| &mut c.max_reserved),
];

impl Counters {
    /// Reads the side-car's text.
    pub fn read(bytes: &[u8]) -> Result<Counters> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(text).map_err(|e| {
            Error::new(ErrorKind::Malformed, format!("the counter side-car is not JSON: {e}")).hint(HINT)
        })?;
        let mut counters = Counters::default();
        counters.take(&value, None, 0);
        if counters == Counters::default() {
            return Err(Error::new(ErrorKind::Unexpected, "the counter side-car holds no counter").hint(HINT));
        }
        Ok(counters)
    }

    /// The counters of `device`. Values without a device belong to `alone`, the only device of the
    /// snapshot (or its first, whose counters a process prints by default).
    pub fn of(&self, device: Device, alone: Option<Device>) -> DeviceCounters {
        let named = self.by_device.get(&device).copied().unwrap_or_default();
        if alone != Some(device) {
            return named;
        }
        DeviceCounters {
            allocated: named.allocated.or(self.any.allocated),
            max_allocated: named.max_allocated.or(self.any.max_allocated),
            reserved: named.reserved.or(self.any.reserved),
            max_reserved: named.max_reserved.or(self.any.max_reserved),
            limit: named.limit.or(self.any.limit),
        }
    }

    /// The same as a text that [`Counters::read`] reads.
    pub fn to_json(&self) -> String {
        let mut text = String::from("{");
        self.any.push_json(&mut text);
        if !self.by_device.is_empty() {
            text.push_str(if text.len() > 1 { ",\"devices\":[" } else { "\"devices\":[" });
            let mut separator = "";
            for (device, counters) in &self.by_device {
                let Device::Index(index) = device else { continue };
                text.push_str(separator);
                text.push_str("{\"device\":");
                text.push_str(&index.to_string());
                text.push(',');
                counters.push_json(&mut text);
                text.push('}');
                separator = ",";
            }
            text.push(']');
        }
        text.push('}');
        text
    }

    fn slot(&mut self, device: Option<Device>) -> &mut DeviceCounters {
        match device {
            Some(device) => self.by_device.entry(device).or_default(),
            None => &mut self.any,
        }
    }

    /// `depth` counts the levels of devices above, of which there is at most one and its list.
    fn take(&mut self, value: &Value, device: Option<Device>, depth: u32) {
        match value {
            Value::Object(object) => self.take_object(object, device, depth),
            Value::Array(items) if depth < 2 => {
                for (i, item) in items.iter().enumerate() {
                    self.take(item, Some(Device::Index(i as i32)), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn take_object(&mut self, object: &Map<String, Value>, device: Option<Device>, depth: u32) {
        let named = object.get("device").and_then(|d| match d {
            Value::Number(n) => n.as_i64().and_then(|n| i32::try_from(n).ok()).map(Device::Index),
            Value::String(name) => device_named(name),
            _ => None,
        });
        let device = named.or(device);
        for (key, value) in object {
            if let Some(&(_, field)) = NAMES.iter().find(|(name, _)| name == key) {
                self.take_counter(field, value, device);
            } else if let Some(&(_, current, peak)) = NESTED.iter().find(|(name, _, _)| name == key) {
                let all = value.get("all").unwrap_or(&Value::Null);
                for (name, field) in [("current", current), ("peak", peak)] {
                    self.take_counter(field, all.get(name).unwrap_or(&Value::Null), device);
                }
            } else if depth < 2 && key == "devices" {
                self.take(value, device, depth + 1);
            } else if depth < 2
                && let Some(device) = device_named(key)
            {
                self.take(value, Some(device), depth + 1);
            }
        }
    }

    fn take_counter(&mut self, field: Field, value: &Value, device: Option<Device>) {
        match value {
            Value::Number(_) => {
                if let Some(bytes) = number(value) {
                    *field(self.slot(device)) = Some(bytes);
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    if let Some(bytes) = number(item) {
                        *field(self.slot(Some(Device::Index(i as i32)))) = Some(bytes);
                    }
                }
            }
            Value::Object(object) => {
                for (key, item) in object {
                    if let (Some(device), Some(bytes)) = (device_named(key), number(item)) {
                        *field(self.slot(Some(device))) = Some(bytes);
                    }
                }
            }
            _ => {}
        }
    }
}

const HINT: &str = "write {\"memory_allocated\": …, \"max_memory_allocated\": …, \"memory_reserved\": …} or \
                    the result of torch.cuda.memory_stats()";

/// Bytes, also where a writer made them a float.
fn number(value: &Value) -> Option<Bytes> {
    value.as_u64().map(Bytes).or_else(|| {
        value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..9e15).contains(x)).map(|x| Bytes(x as u64))
    })
}

/// `3`, `cuda:3`, `npu:3`, `device3`.
fn device_named(text: &str) -> Option<Device> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == ':' || c == '_');
    digits.parse().ok().map(Device::Index)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Device = Device::Index(0);
    const ONE: Device = Device::Index(1);

    #[test]
    fn every_shape_is_read() {
        for (text, device) in [
            (r#"{"memory_allocated": 5, "max_memory_allocated": 9, "memory_reserved": 20}"#, ZERO),
            (
                r#"{"allocated_bytes.all.current": 5, "allocated_bytes.all.peak": 9.0, "reserved_bytes.all.current": 20, "num_ooms": 0}"#,
                ZERO,
            ),
            (
                r#"{"cuda:1": {"memory_allocated": 5, "max_memory_allocated": 9, "memory_reserved": 20}, "0": {"memory_allocated": 1}}"#,
                ONE,
            ),
            (
                r#"{"devices": [{"device": 1, "memory_allocated": 5, "max_memory_allocated": 9, "memory_reserved": 20}]}"#,
                ONE,
            ),
            (
                r#"[{"memory_allocated": 1}, {"memory_allocated": 5, "max_memory_allocated": 9, "memory_reserved": 20}]"#,
                ONE,
            ),
            (
                r#"{"memory_allocated": [1, 5], "max_memory_allocated": {"1": 9}, "memory_reserved": {"npu:1": 20}}"#,
                ONE,
            ),
        ] {
            let counters = Counters::read(text.as_bytes()).unwrap().of(device, Some(ZERO));
            assert_eq!(
                (counters.allocated, counters.max_allocated, counters.reserved),
                (Some(Bytes(5)), Some(Bytes(9)), Some(Bytes(20))),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for text in [
            r#"{"memory_allocated": 5, "limit": 18446744073709551615}"#,
            r#"{"cuda:1": {"memory_allocated": 5}, "0": {"max_memory_reserved": 1}}"#,
            r#"{"memory_allocated": 5, "max_memory_allocated": {"npu:1": 9, "7": 8}}"#,
        ] {
            let counters = Counters::read(text.as_bytes()).unwrap();
            let written = counters.to_json();
            assert_eq!(Counters::read(written.as_bytes()).unwrap(), counters, "{written}");
        }
    }

    #[test]
    fn values_without_a_device_are_not_spread() {
        let counters = Counters::read(br#"{"memory_allocated": 5}"#).unwrap();
        assert_eq!(counters.of(ONE, Some(ZERO)), DeviceCounters::default());
        assert_eq!(counters.of(ONE, Some(ONE)).allocated, Some(Bytes(5)));
    }

    #[test]
    fn what_is_no_side_car_is_refused() {
        for text in ["", "{}", "[[[[[1]]]]]", "{\"memory_allocated\": \"many\"}", "null"] {
            assert!(Counters::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
