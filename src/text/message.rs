//! A message: a key of the catalogue and the values that its template shows.
//!
//! In JSON a message is `{"key", "params": {name: plain value}}`, so programs read integers, not
//! formatted text. Which kind a value is stands in the template (`{peak:bytes}`), so a message read
//! back from JSON renders the same.

use super::catalogue::{Language, lookup};
use super::template::{Kind, Part};
use crate::model::{Address, Bytes, Nanos};
use serde::de::Error as _;
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A value in a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Param {
    Bytes(u64),
    /// Bytes more or less.
    Difference(i64),
    Count(u64),
    /// From 0 to 1.
    Share(f64),
    /// A plain number with two decimals.
    Number(f64),
    Text(String),
    /// An event number; −1 is the state before the first event.
    Event(i64),
    Address(u64),
    /// Nanoseconds since the Unix epoch.
    Time(i64),
    /// A span in nanoseconds.
    Duration(i64),
    /// Messages that a template lists, one after the other.
    List(Vec<Message>),
}

/// What to say, not yet in any language.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    key: &'static str,
    params: Vec<(&'static str, Param)>,
}

impl Message {
    /// A message of that key. Keys are those of the catalogue files; a test of the library builds
    /// every message that has a constructor, and [`Message::problem`] finds a wrong one.
    pub fn new(key: &'static str) -> Message {
        Message { key, params: Vec::new() }
    }

    pub fn key(&self) -> &'static str {
        self.key
    }

    pub fn params(&self) -> &[(&'static str, Param)] {
        &self.params
    }

    #[must_use]
    pub fn with(mut self, name: &'static str, param: Param) -> Message {
        self.params.push((name, param));
        self
    }

    #[must_use]
    pub fn bytes(self, name: &'static str, value: Bytes) -> Message {
        self.with(name, Param::Bytes(value.0))
    }

    #[must_use]
    pub fn difference(self, name: &'static str, value: i64) -> Message {
        self.with(name, Param::Difference(value))
    }

    #[must_use]
    pub fn count(self, name: &'static str, value: u64) -> Message {
        self.with(name, Param::Count(value))
    }

    #[must_use]
    pub fn share(self, name: &'static str, value: f64) -> Message {
        self.with(name, Param::Share(value))
    }

    #[must_use]
    pub fn number(self, name: &'static str, value: f64) -> Message {
        self.with(name, Param::Number(value))
    }

    #[must_use]
    pub fn text(self, name: &'static str, value: impl Into<String>) -> Message {
        self.with(name, Param::Text(value.into()))
    }

    #[must_use]
    pub fn event(self, name: &'static str, value: i64) -> Message {
        self.with(name, Param::Event(value))
    }

    #[must_use]
    pub fn address(self, name: &'static str, value: Address) -> Message {
        self.with(name, Param::Address(value.0))
    }

    #[must_use]
    pub fn time(self, name: &'static str, value: Nanos) -> Message {
        self.with(name, Param::Time(value.0))
    }

    #[must_use]
    pub fn duration(self, name: &'static str, value: Nanos) -> Message {
        self.with(name, Param::Duration(value.0))
    }

    #[must_use]
    pub fn list(self, name: &'static str, value: Vec<Message>) -> Message {
        self.with(name, Param::List(value))
    }

    /// The sentence in that language. A key that the catalogue lacks shows as the key itself.
    pub fn render(&self, language: Language) -> String {
        let Some(template) = lookup(language, self.key) else { return self.key.to_owned() };
        let mut out = String::new();
        for part in template.parts() {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Slot(slot) => match self.params.iter().find(|(name, _)| *name == slot.name) {
                    Some((_, param)) => out.push_str(&slot.render(param, language)),
                    None => out.push('?'),
                },
            }
        }
        out
    }

    /// What is wrong with the message, if anything: an unknown key, a parameter that no template
    /// shows or that is of another kind, a slot without a parameter.
    pub fn problem(&self) -> Option<String> {
        for language in Language::ALL {
            let Some(template) = lookup(language, self.key) else {
                return Some(format!("no text for {:?} in {}", self.key, language.code()));
            };
            for slot in template.slots() {
                match self.params.iter().find(|(name, _)| *name == slot.name) {
                    None => return Some(format!("{}: nothing given for {{{}}}", self.key, slot.name)),
                    Some((_, param)) if slot.kind() != param.kind() => {
                        return Some(format!(
                            "{}: {} is a {:?}, the template shows a {:?}",
                            self.key,
                            slot.name,
                            param.kind(),
                            slot.kind()
                        ));
                    }
                    Some((_, Param::List(items))) => {
                        if let Some(problem) = items.iter().find_map(Message::problem) {
                            return Some(problem);
                        }
                    }
                    Some(_) => {}
                }
            }
            if let Some((name, _)) =
                self.params.iter().find(|(name, _)| !template.slots().any(|slot| slot.name == *name))
            {
                return Some(format!("{}: no template shows {name}", self.key));
            }
        }
        None
    }
}

impl Param {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Param::Bytes(_) => Kind::Bytes,
            Param::Difference(_) => Kind::Difference,
            Param::Count(_) => Kind::Count,
            Param::Share(_) => Kind::Share,
            Param::Number(_) => Kind::Number,
            Param::Text(_) => Kind::Text,
            Param::Event(_) => Kind::Event,
            Param::Address(_) => Kind::Address,
            Param::Time(_) => Kind::Time,
            Param::Duration(_) => Kind::Duration,
            Param::List(_) => Kind::List,
        }
    }

    fn from_value(kind: Kind, value: &Value) -> Option<Param> {
        Some(match kind {
            Kind::Bytes => Param::Bytes(value.as_u64()?),
            Kind::Difference => Param::Difference(value.as_i64()?),
            Kind::Count => Param::Count(value.as_u64()?),
            Kind::Share => Param::Share(value.as_f64()?),
            Kind::Number => Param::Number(value.as_f64()?),
            Kind::Text => Param::Text(value.as_str()?.to_owned()),
            Kind::Event => Param::Event(value.as_i64()?),
            Kind::Address => Param::Address(value.as_u64()?),
            Kind::Time => Param::Time(value.as_i64()?),
            Kind::Duration => Param::Duration(value.as_i64()?),
            Kind::List => Param::List(
                value.as_array()?.iter().map(Message::from_value).collect::<Option<Vec<Message>>>()?,
            ),
        })
    }
}

impl Serialize for Param {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Param::Bytes(n) | Param::Count(n) | Param::Address(n) => serializer.serialize_u64(*n),
            Param::Difference(n) | Param::Event(n) | Param::Time(n) | Param::Duration(n) => {
                serializer.serialize_i64(*n)
            }
            Param::Share(x) | Param::Number(x) => serializer.serialize_f64(*x),
            Param::Text(text) => serializer.serialize_str(text),
            Param::List(items) => items.serialize(serializer),
        }
    }
}

struct Params<'a>(&'a [(&'static str, Param)]);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, param) in self.0 {
            map.serialize_entry(name, param)?;
        }
        map.end()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Message", 2)?;
        object.serialize_field("key", self.key)?;
        object.serialize_field("params", &Params(&self.params))?;
        object.end()
    }
}

impl Message {
    fn from_value(value: &Value) -> Option<Message> {
        let key = value.get("key")?.as_str()?;
        let template = lookup(Language::English, key)?;
        let mut message = Message::new(template.key());
        for slot in template.slots() {
            if message.params.iter().any(|(name, _)| *name == slot.name) {
                continue;
            }
            let given = value.get("params")?.get(slot.name)?;
            message.params.push((slot.name, Param::from_value(slot.kind(), given)?));
        }
        Some(message)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Message::from_value(&value).ok_or_else(|| D::Error::custom("not a message of the catalogue"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peak() -> Message {
        Message::new("summary.peak").bytes("peak", Bytes(1_610_612_736)).event("event", 418_220)
    }

    #[test]
    fn renders_in_both_languages() {
        assert_eq!(peak().problem(), None);
        assert_eq!(peak().render(Language::English), "Peak 1.50 GiB at event 418,220.");
        assert_eq!(peak().render(Language::Chinese), "峰值 1.50 GiB，出现在事件 418,220。");
    }

    #[test]
    fn json_is_plain_and_reads_back() {
        let json = serde_json::to_string(&peak()).unwrap();
        assert_eq!(json, r#"{"key":"summary.peak","params":{"peak":1610612736,"event":418220}}"#);
        assert_eq!(serde_json::from_str::<Message>(&json).unwrap(), peak());
        assert!(serde_json::from_str::<Message>(r#"{"key":"no such","params":{}}"#).is_err());
    }

    #[test]
    fn a_wrong_message_is_found() {
        assert!(Message::new("no.such.key").problem().is_some());
        assert!(Message::new("summary.peak").bytes("peak", Bytes(1)).problem().is_some());
        assert!(peak().count("more", 1).problem().is_some());
        let other_kind = Message::new("summary.peak").count("peak", 1).event("event", 1);
        assert!(other_kind.problem().unwrap().contains("peak"));
    }
}
