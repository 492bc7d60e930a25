//! One event as it stands in the file, borrowing from it.
//!
//! Values that may be a number or text (`ts`, `id`, `pid`) and the long call stack stay raw: times must not
//! pass through a float, and a stack that was seen before needs no unescaping.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The keys of an event that matter here.
#[derive(Default, PartialEq, Debug)]
pub struct Event<'a> {
    pub phase: Phase,
    pub name: Cow<'a, str>,
    pub category: Category,
    pub pid: &'a str,
    pub tid: &'a str,
    pub ts: &'a str,
    pub dur: &'a str,
    pub id: &'a str,
    pub args: Args<'a>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Phase {
    Complete,
    FlowStart,
    FlowEnd,
    Instant,
    Counter,
    Metadata,
    #[default]
    Other,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Category {
    Operator,
    PythonFunction,
    Enqueue,
    Dequeue,
    TaskQueueFlow,
    /// What runs on the device under the name of a host annotation.
    DeviceAnnotation,
    #[default]
    Other,
}

/// The arguments that matter, raw.
#[derive(Default, PartialEq, Debug)]
pub struct Args<'a> {
    pub call_stack: &'a str,
    pub correlation: &'a str,
    pub name: &'a str,
    pub bytes: &'a str,
    pub address: &'a str,
    pub total_allocated: &'a str,
    pub total_reserved: &'a str,
    pub device_id: &'a str,
    pub device_type: &'a str,
    pub kilobytes: &'a str,
}

/// The keys of the outer object that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentKey {
    Events,
    BaseTime,
    Other,
}

/// A text that is only compared, never kept: `$map` of it.
macro_rules! from_text {
    ($type:ty, $($text:literal => $value:expr,)* _ => $other:expr) => {
        impl $type {
            #[inline]
            pub(super) fn of(text: &str) -> $type {
                match text {
                    $($text => $value,)*
                    _ => $other,
                }
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl<'de> Visitor<'de> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a text")
                    }
                    fn visit_str<E>(self, text: &str) -> Result<$type, E> {
                        Ok(<$type>::of(text))
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

from_text!(Phase,
    "X" => Phase::Complete,
    "s" => Phase::FlowStart,
    "f" => Phase::FlowEnd,
    "i" => Phase::Instant,
    "I" => Phase::Instant,
    "C" => Phase::Counter,
    "M" => Phase::Metadata,
    _ => Phase::Other);

from_text!(Category,
    "cpu_op" => Category::Operator,
    "python_function" => Category::PythonFunction,
    "enqueue" => Category::Enqueue,
    "dequeue" => Category::Dequeue,
    "async_task_queue" => Category::TaskQueueFlow,
    "gpu_user_annotation" => Category::DeviceAnnotation,
    _ => Category::Other);

from_text!(DocumentKey,
    "traceEvents" => DocumentKey::Events,
    "baseTimeNanoseconds" => DocumentKey::BaseTime,
    _ => DocumentKey::Other);

/// Keys of an event.
pub(super) enum Key {
    Phase,
    Name,
    Category,
    Pid,
    Tid,
    Ts,
    Dur,
    Id,
    Args,
    Other,
}

from_text!(Key,
    "ph" => Key::Phase,
    "name" => Key::Name,
    "cat" => Key::Category,
    "pid" => Key::Pid,
    "tid" => Key::Tid,
    "ts" => Key::Ts,
    "dur" => Key::Dur,
    "id" => Key::Id,
    "args" => Key::Args,
    _ => Key::Other);

/// Keys of the arguments.
pub(super) enum ArgKey {
    CallStack,
    Correlation,
    Name,
    Bytes,
    Address,
    TotalAllocated,
    TotalReserved,
    DeviceId,
    DeviceType,
    Kilobytes,
    Other,
}

from_text!(ArgKey,
    "Call stack" => ArgKey::CallStack,
    "correlation_id" => ArgKey::Correlation,
    "name" => ArgKey::Name,
    "Bytes" => ArgKey::Bytes,
    "Addr" => ArgKey::Address,
    "Total Allocated" => ArgKey::TotalAllocated,
    "Total Reserved" => ArgKey::TotalReserved,
    "Device Id" => ArgKey::DeviceId,
    "Device Type" => ArgKey::DeviceType,
    "KB" => ArgKey::Kilobytes,
    _ => ArgKey::Other);

impl<'a> Args<'a> {
    /// Where the value of a key goes.
    pub(super) fn slot(&mut self, key: ArgKey) -> Option<&mut &'a str> {
        Some(match key {
            ArgKey::CallStack => &mut self.call_stack,
            ArgKey::Correlation => &mut self.correlation,
            ArgKey::Name => &mut self.name,
            ArgKey::Bytes => &mut self.bytes,
            ArgKey::Address => &mut self.address,
            ArgKey::TotalAllocated => &mut self.total_allocated,
            ArgKey::TotalReserved => &mut self.total_reserved,
            ArgKey::DeviceId => &mut self.device_id,
            ArgKey::DeviceType => &mut self.device_type,
            ArgKey::Kilobytes => &mut self.kilobytes,
            ArgKey::Other => return None,
        })
    }
}

fn raw<'de, A: MapAccess<'de>>(map: &mut A) -> Result<&'de str, A::Error> {
    Ok(map.next_value::<&'de RawValue>()?.get())
}

/// A text, borrowed where it has no escapes; anything else reads as no text.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Event<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EventVisitor;
        impl<'de> Visitor<'de> for EventVisitor {
            type Value = Event<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<'de>, A::Error> {
                let mut event = Event::default();
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Phase => event.phase = map.next_value()?,
                        Key::Name => event.name = map.next_value::<Text<'de>>()?.0,
                        Key::Category => event.category = map.next_value()?,
                        Key::Pid => event.pid = raw(&mut map)?,
                        Key::Tid => event.tid = raw(&mut map)?,
                        Key::Ts => event.ts = raw(&mut map)?,
                        Key::Dur => event.dur = raw(&mut map)?,
                        Key::Id => event.id = raw(&mut map)?,
                        Key::Args => event.args = map.next_value()?,
                        Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(event)
            }
        }
        deserializer.deserialize_map(EventVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Args<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArgsVisitor;
        impl<'de> Visitor<'de> for ArgsVisitor {
            type Value = Args<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("arguments")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Args<'de>, A::Error> {
                let mut args = Args::default();
                while let Some(key) = map.next_key::<ArgKey>()? {
                    match args.slot(key) {
                        Some(slot) => *slot = raw(&mut map)?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(args)
            }
            // Arguments that are no object carry nothing that is looked for.
            fn visit_unit<E>(self) -> Result<Args<'de>, E> {
                Ok(Args::default())
            }
            fn visit_str<E>(self, _: &str) -> Result<Args<'de>, E> {
                Ok(Args::default())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Args<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Args::default())
            }
        }
        deserializer.deserialize_any(ArgsVisitor)
    }
}
