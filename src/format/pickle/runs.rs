//! Whole lists of frames at once.
//!
//! Nearly all bytes of a snapshot are lists of memo reads: thirty or forty frames an event, and the
//! same few thousand lists over and over. So what is remembered of a list is the hash of its *bytes*
//! and the stack they mean; only a list never seen before is looked at frame by frame. Reading is bound
//! by the memory it touches, so the bytes themselves are not kept to compare with: 96 bits of hash
//! tell lists apart (16 bytes a list, where the lists would be a hundred or two each).
//!
//! Bytes mean the same stack for as long as no memo place changes; when one does, all is forgotten.

use super::input::Head;
use super::machine::Machine;
use super::opcodes as op;
use crate::format::snapshot::handle::{Handle, tag};
use core::hash::BuildHasher;
use foldhash::quality::FixedState;
use hashbrown::HashTable;

/// Longer lists go the ordinary way.
const LONGEST_RUN: usize = 8 << 10;
/// Lists that are remembered at most.
const MOST_RUNS: usize = 1 << 20;
const FIRST: FixedState = FixedState::with_seed(0x243f_6a88_85a3_08d3);
const SECOND: FixedState = FixedState::with_seed(0x1319_8a2e_0370_7344);

#[derive(Default)]
pub struct Runs {
    known: HashTable<Run>,
    epoch: u64,
}

/// A list by its hash.
#[derive(Clone, Copy)]
struct Run {
    hash: u64,
    check: u32,
    /// Its id in the table of stacks.
    stack: u32,
}

impl Run {
    #[inline]
    fn of(bytes: &[u8]) -> Run {
        Run { hash: FIRST.hash_one(bytes), check: SECOND.hash_one(bytes) as u32, stack: 0 }
    }
}

impl Runs {
    #[inline]
    fn find(&self, run: Run) -> Option<Handle> {
        let found = self.known.find(run.hash, |known| known.hash == run.hash && known.check == run.check)?;
        Some(Handle::of(tag::STACK, found.stack.into()))
    }

    fn insert(&mut self, run: Run, stack: Handle) {
        if self.known.len() < MOST_RUNS {
            self.known.insert_unique(run.hash, Run { stack: stack.id(), ..run }, |known| known.hash);
        }
    }

    fn forget(&mut self, epoch: u64) {
        *self = Runs { epoch, ..Runs::default() };
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
        let Some(bytes) = length(input).and_then(|len| input.get(..len)) else { return false };
        let len = bytes.len();
        let run = Run::of(bytes);
        let stack = match self.runs.find(run) {
            Some(stack) => stack,
            None => {
                let heap = &self.builder.heap;
                let Some(frames) = frames_of(bytes, |at| heap.peek(at)) else { return false };
                let Some(stack) = self.builder.tables.stack_of(&frames) else { return false };
                self.runs.insert(run, stack);
                stack
            }
        };
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
    fn lists_are_told_apart() {
        let mut runs = Runs::default();
        let stack = |n| Handle::of(tag::STACK, n);
        for n in 0..=255_u8 {
            runs.insert(Run::of(&[op::BINGET, n, op::APPENDS]), stack(n.into()));
        }
        for n in 0..=255_u8 {
            assert_eq!(runs.find(Run::of(&[op::BINGET, n, op::APPENDS])), Some(stack(n.into())));
        }
        assert_eq!(runs.find(Run::of(b"h\x01h\x01e")), None);
    }
}
