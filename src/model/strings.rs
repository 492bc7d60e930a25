//! Interned text: one byte buffer, one offset a text, and an index that holds no keys.
//!
//! A snapshot repeats a few thousand file and function names millions of times. The index stores ids
//! only and compares against the buffer, so no text lies in memory twice.

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
}

impl StringTable {
    /// The id of `text`, which is stored if it is new.
    pub fn intern(&mut self, text: &str) -> StringId {
        let hash = hash_of(text);
        let StringTable { bytes, ends, index } = self;
        if let Some(&id) = index.find(hash, |&id| slice(bytes, ends, id) == text) {
            return id;
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
