//! Which device a figure belongs to. Figures of two devices are never mixed.

use core::fmt;
use serde::de::{Error, Unexpected, Visitor};
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
        struct DeviceVisitor;
        impl Visitor<'_> for DeviceVisitor {
            type Value = Device;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a device: an integer or \"host\"")
            }
            fn visit_i64<E: Error>(self, index: i64) -> Result<Device, E> {
                let found = i32::try_from(index).map(Device::Index);
                found.map_err(|_| E::invalid_value(Unexpected::Signed(index), &self))
            }
            fn visit_u64<E: Error>(self, index: u64) -> Result<Device, E> {
                self.visit_i64(i64::try_from(index).unwrap_or(i64::MAX))
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Device, E> {
                let found = (name == "host").then_some(Device::Host);
                found.ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
            }
        }
        deserializer.deserialize_any(DeviceVisitor)
    }
}
