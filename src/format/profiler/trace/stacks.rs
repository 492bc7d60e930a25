//! Call stacks as they stand in the file.
//!
//! A program has some hundreds or thousands of them and a trace repeats them at every event, so which text a stack is
//! can be told without unescaping, hashing or even looking for its end: what begins like a known one is compared with
//! that. As many as fit in some megabytes are remembered.

use crate::model::{FastMap, StringId, StringTable, fast_map};

/// Raw stacks remembered at a time.
const BYTES: usize = 8 << 20;
/// So many bytes at the beginning say which known stacks to compare with, but not more than so many stacks.
const START: usize = 160;
const CANDIDATES: usize = 8;

pub struct Stacks {
    raw: StringTable,
    /// Of each, the text that it is.
    texts: Vec<StringId>,
    /// By how they begin, the last stack that does, and of each stack the one before.
    last: FastMap<[u8; START], StringId>,
    before: Vec<StringId>,
}

impl Default for Stacks {
    fn default() -> Stacks {
        Stacks { raw: StringTable::default(), texts: Vec::new(), last: fast_map(), before: Vec::new() }
    }
}

impl Stacks {
    /// The text of a raw stack; `text_of` gives that of one not seen before.
    pub fn id_of(&mut self, raw: &str, text_of: impl FnOnce(&str) -> StringId) -> StringId {
        if self.raw.heap_bytes() > BYTES {
            *self = Stacks::default();
        }
        let id = self.raw.intern(raw);
        if let Some(&text) = self.texts.get(id.index()) {
            return text;
        }
        let text = text_of(raw);
        self.texts.push(text);
        let before = raw.as_bytes().first_chunk().and_then(|start| self.last.insert(*start, id));
        self.before.push(before.unwrap_or(StringId::NONE));
        text
    }

    /// The length of the known stack that `rest` begins with. A stack ends with its quote, so there is one at most.
    #[inline]
    pub fn at_front(&self, rest: &[u8]) -> Option<usize> {
        let mut id = *self.last.get(rest.first_chunk::<START>()?)?;
        for _ in 0..CANDIDATES {
            let raw = self.raw.get(id.some()?);
            if rest.starts_with(raw.as_bytes()) {
                return Some(raw.len());
            }
            id = *self.before.get(id.index())?;
        }
        None
    }
}
