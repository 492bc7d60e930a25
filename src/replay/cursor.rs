//! Stepping: a moment that moves by one event, forwards or backwards.
//!
//! Seeking collects what is live anew; a cursor keeps it in order and changes one entry a step, so that
//! holding down an arrow key costs nothing.

use super::state::{BlockNow, Live, State};
use super::{Replay, Step};
use crate::model::{Address, LifeId, Snapshot};
use std::collections::BTreeSet;

/// A moving moment of one replay.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    snapshot: &'a Snapshot,
    replay: &'a Replay,
    at: u32,
    live: BTreeSet<Live>,
    pieces: BTreeSet<(u64, u32)>,
}

impl<'a> Cursor<'a> {
    /// A cursor at a state (beyond the last: the last).
    pub fn new(snapshot: &'a Snapshot, replay: &'a Replay, at: u32) -> Cursor<'a> {
        let at = at.min(replay.last_state());
        let live = replay.live_by_address(snapshot, at).into_iter().collect();
        let pieces = replay.pieces_at(at).into_iter().collect();
        Cursor { snapshot, replay, at, live, pieces }
    }

    /// The state it stands at.
    pub fn at(&self) -> u32 {
        self.at
    }

    /// Over the next event; false at the end.
    pub fn forward(&mut self) -> bool {
        if self.at >= self.replay.last_state() {
            return false;
        }
        let event = self.at;
        self.at += 1;
        match self.replay.step(event) {
            Step::Open(id) => self.add(id),
            Step::Reopen(id) => {
                if let Some(old) = self.replay.closed_by_reopen(event) {
                    self.remove(old.0);
                }
                self.add(id);
            }
            Step::Close(id) => {
                self.remove(id);
                self.live.extend(self.replay.left_behind(self.snapshot, id, event + 1));
            }
            Step::Segment(index) => self.segments(index, true),
            Step::Ask(_) | Step::AskUnseen(_) | Step::None => {}
        }
        true
    }

    /// Back over the last event; false at the beginning.
    pub fn back(&mut self) -> bool {
        let Some(event) = self.at.checked_sub(1) else { return false };
        self.at = event;
        match self.replay.step(event) {
            Step::Open(id) => self.remove(id),
            Step::Reopen(id) => {
                self.remove(id);
                if let Some(old) = self.replay.closed_by_reopen(event) {
                    self.add(old.0);
                }
            }
            Step::Close(id) => {
                if let Some(left) = self.replay.left_behind(self.snapshot, id, event + 1) {
                    self.live.remove(&left);
                }
                self.add(id);
            }
            Step::Segment(index) => self.segments(index, false),
            Step::Ask(_) | Step::AskUnseen(_) | Step::None => {}
        }
        true
    }

    fn key(&self, id: u32) -> Live {
        (self.replay.lives.address(self.snapshot, LifeId(id)).0, id)
    }

    fn add(&mut self, id: u32) {
        self.live.insert(self.key(id));
    }

    fn remove(&mut self, id: u32) {
        self.live.remove(&self.key(id));
    }

    fn segments(&mut self, index: u32, forward: bool) {
        let table = &self.replay.pieces;
        let Some(change) = table.changes().get(index as usize) else { return };
        let mut set = |id: u32, there: bool| {
            if let Some(piece) = table.rows().get(id as usize) {
                let key = (piece.address.0, id);
                if there {
                    self.pieces.insert(key)
                } else {
                    self.pieces.remove(&key)
                };
            }
        };
        for &id in table.closed_by(change) {
            set(id, !forward);
        }
        for id in change.opened.clone() {
            set(id, forward);
        }
        // A piece that one change both opened and cut is there neither before nor after it.
        for &id in table.closed_by(change) {
            if change.opened.contains(&id) {
                set(id, false);
            }
        }
    }

    /// The live block at or before an address: what one would point at.
    pub fn block_before(&self, address: Address) -> Option<BlockNow> {
        let mut before = self.live.range(..=(address.0, u32::MAX)).rev();
        let &live = before.find(|&&live| self.replay.is_there(self.at, live))?;
        Some(self.replay.block_now(self.snapshot, self.at, live))
    }

    /// Number of live blocks.
    pub fn live_len(&self) -> usize {
        if self.at < self.replay.last_state() {
            return self.live.len();
        }
        self.live.iter().filter(|&&live| self.replay.is_there(self.at, live)).count()
    }

    /// The memory at the cursor's state.
    pub fn state(&self) -> State {
        let pieces: Vec<(u64, u32)> = self.pieces.iter().copied().collect();
        self.replay.assemble(self.snapshot, self.at, &pieces, self.live.iter().copied())
    }
}
