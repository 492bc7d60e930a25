//! Interned text: one byte buffer, one offset a text, and an index that holds no keys.
//!
//! A snapshot repeats a few thousand file and function names millions of times. The index stores ids
//! only and compares against the buffer, so no text lies in memory twice.
//!
//! For exports that must not tell where a program lay, other texts can be shown in place of those of the
//! file. Ids stay as they are, and what a text *means* (whose code it is) is still asked of the original.

use super::hash::hash_of;
use super::ids::StringId;
use hashbrown::HashTable;

/// Distinct texts by id. Ids are given in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    bytes: String,
    /// End of each text in `bytes`; it starts where the one before ends.
    ends: Vec<usize>,
    index: HashTable<StringId>,
    /// The file's texts while others are shown.
    hidden: Option<Box<StringTable>>,
}

impl StringTable {
    /// The id of `text`, which is stored if it is new.
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash_of(text);
        let StringTable { bytes, ends, index, hidden } = self;
        if let Some(&id) = index.find(hash, |&id| slice(bytes, ends, id) == text) {
            return id;
        }
        if let Some(hidden) = hidden {
            hidden.append(text);
        }
        let id = StringId::new(ends.len());
        bytes.push_str(text);
        ends.push(bytes.len());
        index.insert_unique(hash, id, |&id| hash_of(slice(bytes, ends, id)));
        id
    }

    /// The id of `text` if it is here.
    pub fn find(&self, text: &str) -> Option<StringId> {
        self.index.find(hash_of(text), |&id| slice(&self.bytes, &self.ends, id) == text).copied()
    }

    /// The text of `id`; the empty text for [`StringId::NONE`].
    pub fn get(&self, id: StringId) -> &str {
        if id.index() < self.ends.len() { slice(&self.bytes, &self.ends, id) } else { "" }
    }

    /// The text of the file, whatever is shown in its place: for judging what it means.
    pub fn original(&self, id: StringId) -> &str {
        self.hidden.as_deref().unwrap_or(self).get(id)
    }

    /// Shows other texts from now on: `text_of` gives the one for an id and the file's text.
    pub fn show(&mut self, mut text_of: impl FnMut(StringId, &str) -> String) {
        self.show_originals();
        let mut shown = StringTable::default();
        for id in (0..self.len()).map(StringId::new) {
            let text = text_of(id, self.get(id));
            // Texts that look alike now share an entry of the index: the first.
            if shown.find(&text).is_none() {
                let StringTable { bytes, ends, index, .. } = &mut shown;
                let later = |&id: &StringId| hash_of(slice(bytes, ends, id));
                index.insert_unique(hash_of(text.as_str()), id, later);
            }
            shown.append(&text);
        }
        shown.hidden = Some(Box::new(core::mem::take(self)));
        *self = shown;
    }

    /// Shows the file's texts again.
    pub fn show_originals(&mut self) {
        if let Some(hidden) = self.hidden.take() {
            *self = *hidden;
        }
    }

    fn append(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.index.capacity() * 8
    }
}

#[inline]
fn slice<'a>(bytes: &'a str, ends: &[usize], id: StringId) -> &'a str {
    let start = if id.0 == 0 { 0 } else { ends[id.index() - 1] };
    &bytes[start..ends[id.index()]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_shown_under_the_same_ids() {
        let mut table = StringTable::default();
        let (a, b, c) = (table.intern("x/a"), table.intern("y/a"), table.intern("c"));
        table.show(|_, text| text.rsplit('/').next().unwrap_or(text).to_owned());
        assert_eq!([a, b, c].map(|id| table.get(id)), ["a", "a", "c"]);
        assert_eq!([a, b, c].map(|id| table.original(id)), ["x/a", "y/a", "c"]);
        assert_eq!((table.find("a"), table.find("x/a")), (Some(a), None));
        let d = table.intern("d");
        assert_eq!((table.get(d), table.original(d), table.len()), ("d", "d", 4));
        table.show_originals();
        assert_eq!([a, b, c, d].map(|id| table.get(id)), ["x/a", "y/a", "c", "d"]);
        assert_eq!((table.find("y/a"), table.find("a")), (Some(b), None));
    }

    #[test]
    fn equal_texts_share_an_id() {
        let mut table = StringTable::default();
        let (a, b, empty) = (table.intern("a"), table.intern("b"), table.intern(""));
        assert_eq!((table.intern("a"), table.intern("b"), table.intern("")), (a, b, empty));
        assert_eq!(
            (table.get(a), table.get(b), table.get(empty), table.get(StringId::NONE)),
            ("a", "b", "", "")
        );
        assert_eq!((table.find("b"), table.find("c"), table.len()), (Some(b), None, 3));
    }
}
