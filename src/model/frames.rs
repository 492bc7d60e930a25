//! Stack frames: file, line and function, each distinct frame once.

use super::hash::hash_of;
use super::ids::{FrameId, StringId};
use hashbrown::HashTable;

/// One frame as the writer gave it. `??`, empty names and line 0 are common; a line may be 2^64 − 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub file: StringId,
    pub function: StringId,
    pub line: u64,
}

/// Distinct frames by id. The fx columns of `torch.fx` frames are rare and kept apart.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    frames: Vec<Frame>,
    index: HashTable<FrameId>,
    /// `(frame, text)` for frames that carry `fx_*` keys, sorted by frame: "op name target".
    pub fx_notes: Vec<(FrameId, StringId)>,
}

impl FrameTable {
    /// The id of `frame`, which is stored if it is new.
    pub fn intern(&mut self, frame: Frame) -> FrameId {
        let hash = hash_of(&frame);
        let FrameTable { frames, index, .. } = self;
        if let Some(&id) = index.find(hash, |&id| frames[id.index()] == frame) {
            return id;
        }
        let id = FrameId::new(frames.len());
        frames.push(frame);
        index.insert_unique(hash, id, |&id| hash_of(&frames[id.index()]));
        id
    }

    #[inline]
    pub fn get(&self, id: FrameId) -> Frame {
        self.frames[id.index()]
    }

    /// All frames with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FrameId, Frame)> + '_ {
        self.frames.iter().enumerate().map(|(i, &f)| (FrameId::new(i), f))
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.index.capacity() * 8
    }
}
