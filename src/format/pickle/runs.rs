//! Whole lists of frames at once.
//!
//! Nearly all bytes of a snapshot are lists of memo reads: thirty or forty frames an event, and the
//! same few thousand lists over and over. So a list's *bytes* are remembered with the stack they
//! mean. Events repeat in the order of the training step, so the list that followed last time is tried
//! first, which costs one comparison of bytes; else the list is found by its hash; only a list
//! never seen before is looked at frame by frame.
//!
//! Bytes mean the same stack for as long as no memo place changes; when one does, all is forgotten.

use super::input::Head;
use super::machine::Machine;
use super::opcodes as op;
use crate::format::snapshot::handle::{Handle, tag};
use crate::model::hash_of;
use hashbrown::HashTable;

/// Longer lists go the ordinary way.
const LONGEST_RUN: usize = 8 << 10;
/// Bytes of lists that are remembered at most.
const MOST_BYTES: usize = 48 << 20;

#[derive(Default)]
pub struct Runs {
    /// The bytes of all known lists, each with its APPENDS at the end.
    bytes: Vec<u8>,
    known: Vec<Run>,
    index: HashTable<u32>,
    /// The list that was read last.
    last: usize,
    epoch: u64,
}

#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
    stack: Handle,
    /// The list that followed this one last time.
    next: u32,
}

impl Runs {
    fn bytes_of(&self, run: Run) -> &[u8] {
        self.bytes.get(run.start as usize..run.end as usize).unwrap_or(&[])
    }

    /// The list that followed the last one, if the input begins with it again.
    #[inline]
    fn predicted(&self, input: &[u8]) -> Option<usize> {
        let next = self.known.get(self.last)?.next as usize;
        let run = *self.known.get(next)?;
        let bytes = self.bytes_of(run);
        (input.get(..bytes.len()) == Some(bytes)).then_some(next)
    }

    fn find(&self, bytes: &[u8]) -> Option<usize> {
        let same = |&at: &u32| self.known.get(at as usize).is_some_and(|&run| self.bytes_of(run) == bytes);
        self.index.find(hash_of(bytes), same).map(|&at| at as usize)
    }

    fn insert(&mut self, bytes: &[u8], stack: Handle) -> Option<usize> {
        if self.bytes.len() + bytes.len() > MOST_BYTES {
            return None;
        }
        let at = self.known.len();
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.known.push(Run { start, end: self.bytes.len() as u32, stack, next: u32::MAX });
        let Runs { bytes: all, known, index, .. } = self;
        let hash_at = |&at: &u32| {
            let run = known.get(at as usize);
            hash_of(run.and_then(|run| all.get(run.start as usize..run.end as usize)).unwrap_or(&[]))
        };
        index.insert_unique(hash_of(bytes), at as u32, hash_at);
        Some(at)
    }

    #[inline]
    fn followed_by(&mut self, at: usize) -> Handle {
        if let Some(last) = self.known.get_mut(self.last) {
            last.next = at as u32;
        }
        self.last = at;
        self.known.get(at).map_or(Handle::NONE, |run| run.stack)
    }

    fn forget(&mut self, epoch: u64) {
        *self = Runs { epoch, ..Runs::default() };
    }

    /// Bytes of memory this takes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.known.capacity() * size_of::<Run>() + self.index.capacity() * 5
    }
}

/// The length of a run of memo reads with the APPENDS that ends it; `None` if something else comes.
#[inline]
fn length(input: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < LONGEST_RUN {
        match *input.get(at)? {
            op::BINGET => at += 2,
            op::LONG_BINGET => at += 5,
            op::APPENDS => return Some(at + 1),
            _ => return None,
        }
    }
    None
}

impl Machine<'_> {
    /// After `]`: if a whole list of frames follows, puts its stack in place of the list. `head` are
    /// the bytes from the `]` on.
    #[inline]
    pub(super) fn frames_at_once(&mut self, head: Head) -> bool {
        let memoized = head.byte(1) == op::MEMOIZE;
        let mark = if memoized { 2 } else { 1 };
        if head.byte(mark) != op::MARK || !matches!(head.byte(mark + 1), op::BINGET | op::LONG_BINGET) {
            return false;
        }
        let skip = mark as usize + 1;
        if self.runs.epoch != self.builder.heap.memo_epoch {
            self.runs.forget(self.builder.heap.memo_epoch);
        }
        let input = self.input.window(LONGEST_RUN).get(skip..).unwrap_or(&[]);
        let (at, len) = match self.runs.predicted(input) {
            Some(at) => (at, self.runs.known.get(at).map_or(0, |run| (run.end - run.start) as usize)),
            None => {
                let Some(bytes) = length(input).and_then(|len| input.get(..len)) else { return false };
                let len = bytes.len();
                let at = match self.runs.find(bytes) {
                    Some(at) => at,
                    None => {
                        let heap = &self.builder.heap;
                        let Some(frames) = frames_of(bytes, |at| heap.peek(at)) else { return false };
                        let Some(stack) = self.builder.tables.stack_of(&frames) else { return false };
                        match self.runs.insert(bytes, stack) {
                            Some(at) => at,
                            None => return false,
                        }
                    }
                };
                (at, len)
            }
        };
        let stack = self.runs.followed_by(at);
        self.input.advance(skip + len);
        if memoized {
            self.builder.heap.memoize(stack);
        }
        self.builder.push(stack);
        true
    }
}

/// The frames that a run reads; `None` if one of the values is none.
fn frames_of(mut bytes: &[u8], get: impl Fn(u64) -> Option<Handle>) -> Option<Vec<Handle>> {
    let mut frames = Vec::new();
    loop {
        let at = match *bytes {
            [op::BINGET, at, ref rest @ ..] => {
                bytes = rest;
                at.into()
            }
            [op::LONG_BINGET, a, b, c, d, ref rest @ ..] => {
                bytes = rest;
                u32::from_le_bytes([a, b, c, d]).into()
            }
            _ => return Some(frames),
        };
        frames.push(get(at).filter(|frame| frame.tag() == tag::FRAME)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_with_its_appends_and_holds_nothing_else() {
        assert_eq!(length(b"h\x01j\x02\0\0\0eu"), Some(8));
        // Operands that look like opcodes are operands.
        assert_eq!(length(b"heheh\x01e"), Some(7));
        assert_eq!(length(b"h\x01N"), None);
        assert_eq!(length(b"h\x01"), None);
    }

    #[test]
    fn what_followed_last_time_is_tried_first() {
        let mut runs = Runs::default();
        let stack = |n| Handle::of(tag::STACK, n);
        let a = runs.insert(b"h\x01e", stack(1)).unwrap();
        let b = runs.insert(b"h\x02e", stack(2)).unwrap();
        runs.followed_by(a);
        runs.followed_by(b);
        runs.followed_by(a);
        assert_eq!(runs.predicted(b"h\x02eu"), Some(b));
        assert_eq!(runs.predicted(b"h\x01eu"), None);
        assert_eq!((runs.find(b"h\x01e"), runs.find(b"h\x03e")), (Some(a), None));
    }
}
