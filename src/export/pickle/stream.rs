//! Opcodes, the memo and batches: how values become a pickle, whatever they mean.

use crate::model::{FrameId, Snapshot, StackId, StringId};
use std::io::{Result, Write};

/// As CPython, containers are filled in batches of so many.
const BATCH: usize = 1000;
/// Bytes gathered before they are written.
const CHUNK: usize = 1 << 16;
/// Not in the memo yet.
const NEW: u32 = u32::MAX;

macro_rules! words {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Keys and other words that every entry repeats, as numbers.
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        pub(super) mod word {
            enum Order { $($name),* }
            $(pub const $name: usize = Order::$name as usize;)*
        }
        const WORDS: &[&str] = &[$($text),*];
    };
}

words! {
    SEGMENTS = "segments", DEVICE_TRACES = "device_traces", HOST_SEGMENTS = "host_segments",
    HOST_TRACES = "host_traces", ALLOCATOR_SETTINGS = "allocator_settings",
    EXTERNAL_ANNOTATIONS = "external_annotations", DEVICE = "device", ADDRESS = "address",
    TOTAL_SIZE = "total_size", ALLOCATED_SIZE = "allocated_size", ACTIVE_SIZE = "active_size",
    REQUESTED_SIZE = "requested_size", STREAM = "stream", SEGMENT_TYPE = "segment_type",
    SEGMENT_POOL_ID = "segment_pool_id", IS_EXPANDABLE = "is_expandable", FRAMES = "frames",
    BLOCKS = "blocks", LARGE = "large", SMALL = "small", SIZE = "size", STATE = "state",
    HISTORY = "history", ADDR = "addr", REAL_SIZE = "real_size", CPP_FRAMES = "cpp_frames",
    ACTION = "action", DEVICE_FREE = "device_free", TIME_US = "time_us", POOL_ID = "pool_id",
    COMPILE_CONTEXT = "compile_context", USER_METADATA = "user_metadata",
    INTERNAL_METADATA = "internal_metadata", FORWARD_FRAMES = "forward_frames", NAME = "name",
    STAGE = "stage", FILENAME = "filename", LINE = "line", FX_OP = "fx_node_op", FX_NAME = "fx_node_name",
    FX_TARGET = "fx_node_target",
}

/// A pickle being written.
pub(super) struct Stream<'a> {
    pub snapshot: &'a Snapshot,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    memo: u32,
    words: Vec<u32>,
    texts: Vec<u32>,
    frames: Vec<u32>,
    stacks: Vec<u32>,
}

impl<'a> Stream<'a> {
    pub fn new(snapshot: &'a Snapshot, out: &'a mut dyn Write) -> Stream<'a> {
        Stream {
            snapshot,
            out,
            buffer: Vec::with_capacity(CHUNK + (CHUNK >> 2)),
            memo: 0,
            words: vec![NEW; WORDS.len()],
            texts: vec![NEW; snapshot.strings.len()],
            frames: vec![NEW; snapshot.frames.len()],
            stacks: vec![NEW; snapshot.stacks.len()],
        }
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    pub fn finish(self) -> Result<()> {
        self.out.write_all(&self.buffer)
    }

    fn flush_if_full(&mut self) -> Result<()> {
        if self.buffer.len() < CHUNK {
            return Ok(());
        }
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Numbers the value on top of the stack.
    fn memoise(&mut self) -> u32 {
        self.raw(&[0x94]);
        self.memo += 1;
        self.memo - 1
    }

    /// The value of that number once more.
    fn again(&mut self, number: u32) {
        match u8::try_from(number) {
            Ok(number) => self.raw(&[b'h', number]),
            Err(_) => {
                self.raw(b"j");
                self.raw(&number.to_le_bytes());
            }
        }
    }

    /// A text that is not remembered.
    pub fn fresh_text(&mut self, text: &str) {
        match u8::try_from(text.len()) {
            Ok(len) => self.raw(&[0x8c, len]),
            // A text of 4 GiB fits into no snapshot: its tables have 32 bits.
            Err(_) => {
                self.raw(b"X");
                self.raw(&(text.len() as u32).to_le_bytes());
            }
        }
        self.raw(text.as_bytes());
    }

    pub fn word(&mut self, word: usize) {
        match self.words[word] {
            NEW => {
                self.fresh_text(WORDS[word]);
                self.words[word] = self.memoise();
            }
            number => self.again(number),
        }
    }

    /// A text of the snapshot; the empty one for [`StringId::NONE`].
    pub fn text(&mut self, id: StringId) {
        match self.texts.get(id.index()).copied() {
            None => self.fresh_text(""),
            Some(NEW) => {
                let snapshot = self.snapshot;
                self.fresh_text(snapshot.strings.get(id));
                self.texts[id.index()] = self.memoise();
            }
            Some(number) => self.again(number),
        }
    }

    pub fn bool(&mut self, value: bool) {
        self.raw(&[if value { 0x88 } else { 0x89 }]);
    }

    pub fn int(&mut self, value: i128) {
        if let Ok(small) = u8::try_from(value) {
            self.raw(&[b'K', small]);
        } else if let Ok(small) = u16::try_from(value) {
            self.raw(b"M");
            self.raw(&small.to_le_bytes());
        } else if let Ok(small) = i32::try_from(value) {
            self.raw(b"J");
            self.raw(&small.to_le_bytes());
        } else {
            let bytes = value.to_le_bytes();
            // As many bytes as keep the sign.
            let mut len = bytes.len();
            let filler = if value < 0 { 0xff } else { 0 };
            while len > 1 && bytes[len - 1] == filler && (bytes[len - 2] ^ filler) & 0x80 == 0 {
                len -= 1;
            }
            self.raw(&[0x8a, len as u8]);
            self.raw(&bytes[..len]);
        }
    }

    /// A pair of integers.
    pub fn pair(&mut self, (a, b): (i64, i64)) {
        self.int(a.into());
        self.int(b.into());
        self.raw(&[0x86]);
    }

    /// A dict; `fill` writes keys and values in turn.
    pub fn dict(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.raw(b"}(");
        fill(self)?;
        self.raw(b"u");
        Ok(())
    }

    /// A list; `each` writes an item.
    pub fn list<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.raw(b"]");
        let mut in_batch = 0;
        for item in items {
            if in_batch == 0 {
                self.raw(b"(");
            }
            each(self, item)?;
            self.flush_if_full()?;
            in_batch += 1;
            if in_batch == BATCH {
                self.raw(b"e");
                in_batch = 0;
            }
        }
        if in_batch > 0 {
            self.raw(b"e");
        }
        Ok(())
    }

    /// The frames of a stack.
    pub fn stack(&mut self, id: StackId) -> Result<()> {
        match self.stacks.get(id.index()).copied() {
            None => self.raw(b"]"),
            Some(NEW) => {
                let snapshot = self.snapshot;
                self.list(snapshot.stacks.get(id).iter(), |pickle, &frame| pickle.frame(frame))?;
                self.stacks[id.index()] = self.memoise();
            }
            Some(number) => self.again(number),
        }
        Ok(())
    }

    fn frame(&mut self, id: FrameId) -> Result<()> {
        match self.frames[id.index()] {
            NEW => {
                let snapshot = self.snapshot;
                let frame = snapshot.frames.get(id);
                self.dict(|pickle| {
                    pickle.word(word::NAME);
                    pickle.text(frame.function);
                    pickle.word(word::FILENAME);
                    pickle.text(frame.file);
                    pickle.word(word::LINE);
                    pickle.int(frame.line.into());
                    pickle.fx(id);
                    Ok(())
                })?;
                self.frames[id.index()] = self.memoise();
            }
            number => self.again(number),
        }
        Ok(())
    }

    /// What a frame of a traced graph says of its node: operation, name and target in one text.
    fn fx(&mut self, id: FrameId) {
        let notes = &self.snapshot.frames.fx_notes;
        let Ok(found) = notes.binary_search_by_key(&id, |&(frame, _)| frame) else { return };
        let note = self.snapshot.strings.get(notes[found].1);
        for (word, part) in [word::FX_OP, word::FX_NAME, word::FX_TARGET].into_iter().zip(note.splitn(3, ' '))
        {
            self.word(word);
            self.fresh_text(part);
        }
    }
}
