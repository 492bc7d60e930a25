//! Templates: text with slots `{name:format}`.
//!
//! The format says how a value prints and so of which kind it must be; `count` may carry the word it
//! counts, `{n:count|block|blocks}`, which languages without plurals leave out.

use super::catalogue::Language;
use super::format;
use super::message::Param;

/// What kind of value a slot takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bytes,
    Difference,
    Count,
    Share,
    Number,
    Text,
    Event,
    Address,
    Time,
    Duration,
    List,
}

/// How a slot prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Bytes,
    Exact,
    Difference,
    Count,
    Counted { one: &'static str, many: &'static str },
    Share,
    Number,
    Text,
    Event,
    Address,
    Time,
    Duration,
    List,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub name: &'static str,
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Text(&'static str),
    Slot(Slot),
}

/// One text of the catalogue, split into parts.
#[derive(Clone, Debug)]
pub struct Template {
    key: &'static str,
    source: &'static str,
    parts: Vec<Part>,
}

impl Template {
    /// Splits `source`. A brace that begins no proper slot is an error in the catalogue.
    pub fn parse(key: &'static str, source: &'static str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = source;
        while let Some(open) = rest.find('{') {
            let (text, from) = rest.split_at(open);
            if !text.is_empty() {
                parts.push(Part::Text(text));
            }
            let close = from.find('}').ok_or_else(|| format!("{key}: a slot is not closed"))?;
            parts.push(Part::Slot(Slot::parse(&from[1..close]).map_err(|e| format!("{key}: {e}"))?));
            rest = &from[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest));
        }
        Ok(Template { key, source, parts })
    }

    pub fn key(&self) -> &'static str {
        self.key
    }

    pub fn source(&self) -> &'static str {
        self.source
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot(slot) => Some(slot),
            Part::Text(_) => None,
        })
    }
}

impl Slot {
    fn parse(text: &'static str) -> Result<Slot, String> {
        let (name, format) = text.split_once(':').ok_or_else(|| format!("{{{text}}} names no format"))?;
        let format = match format {
            "bytes" => Format::Bytes,
            "exact" => Format::Exact,
            "difference" => Format::Difference,
            "count" => Format::Count,
            "share" => Format::Share,
            "number" => Format::Number,
            "text" => Format::Text,
            "event" => Format::Event,
            "address" => Format::Address,
            "time" => Format::Time,
            "duration" => Format::Duration,
            "list" => Format::List,
            other => match other.strip_prefix("count|").and_then(|words| words.split_once('|')) {
                Some((one, many)) => Format::Counted { one, many },
                None => return Err(format!("no format is called {other:?}")),
            },
        };
        Ok(Slot { name, format })
    }

    pub fn kind(&self) -> Kind {
        match self.format {
            Format::Bytes | Format::Exact => Kind::Bytes,
            Format::Difference => Kind::Difference,
            Format::Count | Format::Counted { .. } => Kind::Count,
            Format::Share => Kind::Share,
            Format::Number => Kind::Number,
            Format::Text => Kind::Text,
            Format::Event => Kind::Event,
            Format::Address => Kind::Address,
            Format::Time => Kind::Time,
            Format::Duration => Kind::Duration,
            Format::List => Kind::List,
        }
    }

    /// The value as this slot shows it.
    pub fn render(&self, param: &Param, language: Language) -> String {
        match (self.format, param) {
            (Format::Exact, Param::Bytes(n)) => format::exact_bytes(*n),
            (_, Param::Bytes(n)) => crate::model::Bytes(*n).to_string(),
            (_, Param::Difference(n)) => format::difference_text(*n),
            (Format::Counted { one, many }, Param::Count(n)) => {
                format!("{} {}", format::count_text(*n), if *n == 1 { one } else { many })
            }
            (_, Param::Count(n)) => format::count_text(*n),
            (_, Param::Share(x)) => format::share_text(*x),
            (_, Param::Number(x)) => format!("{x:.2}"),
            (_, Param::Text(text)) => text.clone(),
            (_, Param::Event(n)) => format::event_text(*n, language),
            (_, Param::Address(n)) => format!("0x{n:x}"),
            (_, Param::Time(n)) => format::time_text(*n),
            (_, Param::Duration(n)) => format::duration_text(*n),
            (_, Param::List(items)) => {
                let texts: Vec<String> = items.iter().map(|m| m.render(language)).collect();
                texts.join(super::catalogue::label(language, "format.list_separator"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_told_from_text() {
        let template = Template::parse("k", "a {n:count|block|blocks} of {b:exact}").unwrap();
        let kinds: Vec<_> = template.slots().map(|s| (s.name, s.kind())).collect();
        assert_eq!(kinds, [("n", Kind::Count), ("b", Kind::Bytes)]);
        let slot = template.slots().next().unwrap();
        assert_eq!(slot.render(&Param::Count(1), Language::English), "1 block");
        assert_eq!(slot.render(&Param::Count(1200), Language::English), "1,200 blocks");
        for bad in ["{n}", "{n:what}", "{n:count", "{n:count|one}"] {
            assert!(Template::parse("k", bad).is_err(), "{bad}");
        }
    }
}
