//! Standard output: text or JSON, in the reader's language, and safe for the terminal it ends in.
//!
//! Names come from files, so control characters never reach the terminal; what a console cannot show
//! is written in ASCII.

use crate::cli::error::Stop;
use hbmlens::analysis::attribution::Category;
use hbmlens::model::Warning;
use hbmlens::text::{Language, Message, label};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Where results go.
pub struct Output {
    sink: BufWriter<StdoutLock<'static>>,
    pub json: bool,
    pub language: Language,
    /// The console shows only ASCII.
    pub ascii: bool,
    /// A person looks at it now.
    pub terminal: bool,
    /// Messages name no directories.
    pub strip_paths: bool,
}

impl Output {
    pub fn new(json: bool, language: Option<Language>) -> Output {
        let locale = ["LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .unwrap_or_default();
        let unicode = is_unicode(&locale);
        let from_locale = || Language::from_code(&locale).filter(|_| unicode);
        Output {
            sink: BufWriter::new(io::stdout().lock()),
            json,
            language: language.or_else(from_locale).unwrap_or_default(),
            ascii: !unicode && language != Some(Language::Chinese),
            terminal: io::stdout().is_terminal(),
            strip_paths: false,
        }
    }

    /// One line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<(), Stop> {
        let text = self.shown(text.as_ref()).into_owned();
        writeln!(self.sink, "{text}")?;
        Ok(())
    }

    /// A message in the reader's language.
    pub fn say(&mut self, message: &Message) -> Result<(), Stop> {
        let text = message.render(self.language);
        self.line(text)
    }

    /// What was odd about a file, a line each.
    pub fn warnings(&mut self, warnings: &[Warning]) -> Result<(), Stop> {
        for warning in warnings {
            let position = warning.position.map(|p| format!(" ({p})")).unwrap_or_default();
            let line = Message::new("warning.line")
                .text("kind", warning.kind.as_str())
                .count("count", warning.count)
                .text("detail", format!("{}{position}", warning.detail));
            self.say(&line)?;
        }
        Ok(())
    }

    /// A heading, with an empty line before it.
    pub fn heading(&mut self, text: &str) -> Result<(), Stop> {
        writeln!(self.sink)?;
        self.line(text)
    }

    /// The catalogue's text of a key without slots.
    pub fn label(&self, key: &'static str) -> &'static str {
        label(self.language, key)
    }

    /// The word for an id of one of the catalogue's families: `category`, `rule`, `state` …
    pub fn word(&self, family: &str, id: &str) -> String {
        label(self.language, &format!("{family}.{id}")).to_owned()
    }

    /// The word for a category, where one is known.
    pub fn category(&self, category: Option<Category>) -> String {
        category.map_or_else(String::new, |category| self.word("category", category.id()))
    }

    /// One object on a line of its own.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), Stop> {
        serde_json::to_writer(&mut self.sink, value)?;
        self.sink.write_all(b"\n")?;
        Ok(())
    }

    /// Bytes as they are, for formats that other programs read.
    pub fn raw(&mut self) -> &mut impl Write {
        &mut self.sink
    }

    pub fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.sink.flush()?)
    }

    /// Text as this console can show it.
    pub fn shown<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = clean(text);
        if !self.ascii || text.is_ascii() {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                c if c.is_ascii() => out.push(c),
                '\u{b5}' => out.push('u'),
                '\u{2026}' => out.push_str("..."),
                c => out.extend(c.escape_unicode()),
            }
        }
        Cow::Owned(out)
    }
}

/// An environment without any locale is a bare console (or a test): ASCII is what it surely shows.
fn is_unicode(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    cfg!(windows) || cfg!(target_os = "macos") || locale.contains("utf-8") || locale.contains("utf8")
}

/// Text without control characters, which could move the cursor or recolour the screen.
pub fn clean(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| {
        (c.is_control() && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if harmful(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}
