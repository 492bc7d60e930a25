//! Call stacks: sequences of frames, innermost first, each distinct sequence once.
//!
//! One flat column of frame ids with an end a stack. A million events share a few thousand stacks, so
//! events hold four bytes and everything that looks at frames works once per distinct stack.

use super::hash::hash_of;
use super::ids::{FrameId, StackId};
use hashbrown::HashTable;

/// Distinct stacks by id. The empty stack (recorded, but without frames) is a stack like any other;
/// "no stack was recorded" is [`StackId::NONE`] in the column that refers here.
#[derive(Clone, Debug, Default)]
pub struct StackTable {
    frames: Vec<FrameId>,
    /// End of each stack in `frames`; it starts where the one before ends.
    ends: Vec<u32>,
    index: HashTable<StackId>,
}

impl StackTable {
    /// The id of the stack with these frames (innermost first), stored if it is new.
    pub fn intern(&mut self, stack: &[FrameId]) -> StackId {
        let hash = hash_of(stack);
        let StackTable { frames, ends, index } = self;
        if let Some(&id) = index.find(hash, |&id| slice(frames, ends, id) == stack) {
            return id;
        }
        let id = StackId::new(ends.len());
        frames.extend_from_slice(stack);
        ends.push(frames.len() as u32);
        index.insert_unique(hash, id, |&id| hash_of(slice(frames, ends, id)));
        id
    }

    /// The frames of `id`, innermost first; none for [`StackId::NONE`].
    #[inline]
    pub fn get(&self, id: StackId) -> &[FrameId] {
        if id.index() < self.ends.len() { slice(&self.frames, &self.ends, id) } else { &[] }
    }

    pub fn ids(&self) -> impl Iterator<Item = StackId> + use<> {
        (0..self.ends.len()).map(StackId::new)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        (self.frames.capacity() + self.ends.capacity()) * 4 + self.index.capacity() * 8
    }
}

fn slice<'a>(frames: &'a [FrameId], ends: &[u32], id: StackId) -> &'a [FrameId] {
    let start = if id.0 == 0 { 0 } else { ends[id.index() - 1] as usize };
    &frames[start..ends[id.index()] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_share_an_id_and_order_matters() {
        let mut table = StackTable::default();
        let ab = table.intern(&[FrameId(1), FrameId(2)]);
        let ba = table.intern(&[FrameId(2), FrameId(1)]);
        let empty = table.intern(&[]);
        assert_ne!(ab, ba);
        assert_eq!(table.intern(&[FrameId(1), FrameId(2)]), ab);
        assert_eq!(table.get(empty), &[]);
        assert_eq!(table.get(StackId::NONE), &[]);
        assert_eq!((table.get(ba), table.len()), (&[FrameId(2), FrameId(1)][..], 3));
    }
}
