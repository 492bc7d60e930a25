//! Which device a figure belongs to. Figures of two devices are never mixed.

use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A device index, or the host's own pinned-memory allocator. JSON: an integer or `"host"`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Device {
    Index(i32),
    Host,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Index(index) => f.pad(&index.to_string()),
            Device::Host => f.pad("host"),
        }
    }
}

impl Serialize for Device {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Device::Index(index) => serializer.serialize_i32(*index),
            Device::Host => serializer.serialize_str("host"),
        }
    }
}

impl<'de> Deserialize<'de> for Device {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire {
            Index(i32),
            Name(String),
        }
        match Wire::deserialize(deserializer)? {
            Wire::Index(index) => Ok(Device::Index(index)),
            Wire::Name(name) if name == "host" => Ok(Device::Host),
            Wire::Name(name) => {
                Err(serde::de::Error::custom(format!("a device is an integer or \"host\", not {name:?}")))
            }
        }
    }
}
