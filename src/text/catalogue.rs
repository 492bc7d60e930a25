//! The catalogue: every text for people, in English and Chinese, as data files with the same keys.
//!
//! One pair of files an area (`catalogue/AREA.en.txt`, `catalogue/AREA.zh.txt`), one `key = text` a
//! line, so that a translator needs no Rust and two people rarely touch the same file.

use super::template::Template;
use crate::model::Arrange;
use std::sync::OnceLock;

/// A language of the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// From `en`, `zh`, or a locale such as `zh_CN.UTF-8`.
    pub fn from_code(code: &str) -> Option<Language> {
        match code.get(..2)? {
            "en" => Some(Language::English),
            "zh" => Some(Language::Chinese),
            _ => None,
        }
    }
}

macro_rules! areas {
    ($($area:literal),* $(,)?) => {
        &[$((
            $area,
            include_str!(concat!("catalogue/", $area, ".en.txt")),
            include_str!(concat!("catalogue/", $area, ".zh.txt")),
        )),*]
    };
}

/// `(area, English, Chinese)`. A new area is two files and one name here.
const AREAS: &[(&str, &str, &str)] = areas![
    "common",
    "summary",
    "checks",
    "attribution",
    "replay",
    "fragment",
    "growth",
    "oom",
    "terminal",
    "ge",
    "ops",
    "compare",
];

struct Catalogue {
    /// Sorted by key.
    templates: Vec<Template>,
    problems: Vec<String>,
}

impl Catalogue {
    fn read(language: Language) -> Catalogue {
        let mut catalogue = Catalogue { templates: Vec::new(), problems: Vec::new() };
        for &(area, english, chinese) in AREAS {
            let text = match language {
                Language::English => english,
                Language::Chinese => chinese,
            };
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let parsed = line
                    .split_once(" = ")
                    .ok_or_else(|| format!("{area}: not `key = text`: {line}"))
                    .and_then(|(key, source)| Template::parse(key, source));
                match parsed {
                    Ok(template) => catalogue.templates.push(template),
                    Err(problem) => catalogue.problems.push(problem),
                }
            }
        }
        catalogue.templates.arrange_by_key(Template::key);
        catalogue
    }

    fn of(language: Language) -> &'static Catalogue {
        static CATALOGUES: [OnceLock<Catalogue>; 2] = [OnceLock::new(), OnceLock::new()];
        CATALOGUES[language as usize].get_or_init(|| Catalogue::read(language))
    }
}

pub(super) fn lookup(language: Language, key: &str) -> Option<&'static Template> {
    let templates = &Catalogue::of(language).templates;
    let at = templates.binary_search_by(|t| t.key().cmp(key)).ok()?;
    templates.get(at)
}

/// The text of a key that has no slots (a heading, a category, a state); the key itself where the
/// catalogue lacks it.
pub fn label(language: Language, key: &str) -> &str {
    match lookup(language, key) {
        Some(template) => template.source(),
        None => key,
    }
}

/// The text of a key as it stands in the catalogue, slots included.
pub fn template_text(language: Language, key: &str) -> Option<&'static str> {
    lookup(language, key).map(Template::source)
}

/// All keys, sorted.
pub fn keys() -> impl Iterator<Item = &'static str> {
    Catalogue::of(Language::English).templates.iter().map(Template::key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_keys_with_the_same_slots() {
        let [english, chinese] = Language::ALL.map(Catalogue::of);
        assert_eq!(english.problems, Vec::<String>::new());
        assert_eq!(chinese.problems, Vec::<String>::new());
        let keys = |c: &Catalogue| c.templates.iter().map(Template::key).collect::<Vec<_>>();
        assert_eq!(keys(english), keys(chinese));
        assert!(keys(english).windows(2).all(|w| w[0] != w[1]), "a key stands twice");
        for (a, b) in english.templates.iter().zip(&chinese.templates) {
            let slots = |t: &Template| {
                let mut slots: Vec<_> = t.slots().map(|s| (s.name, format!("{:?}", s.kind()))).collect();
                slots.sort();
                slots.dedup();
                slots
            };
            assert_eq!(slots(a), slots(b), "{}", a.key());
        }
    }

    #[test]
    fn locales_name_a_language() {
        assert_eq!(Language::from_code("zh_CN.UTF-8"), Some(Language::Chinese));
        assert_eq!(Language::from_code("en"), Some(Language::English));
        assert_eq!(Language::from_code("C"), None);
        assert_eq!(label(Language::Chinese, "grade.good"), "良好");
        assert_eq!(label(Language::English, "no such key"), "no such key");
    }
}
