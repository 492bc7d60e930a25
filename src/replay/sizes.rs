//! Second pass: block sizes, exact wherever the snapshot or a neighbour fixes them.
//!
//! An allocator cuts a block off the *beginning* of a free range. So an alloc tells two things: how much
//! room it had (up to the next live block or the segment's end), and where the live block before it
//! ends, which fixes that block's size after the fact. What neither the snapshot nor a neighbour fixes
//! is the backend's rule, and marked as that.

use super::address_map::{AddressMap, Place};
use super::anomalies::{Anomalies, AnomalyKind};
use super::lives::{LifeFlags, LifeTable};
use super::pieces::PieceTable;
use super::rounding::{Rounding, SMALL_SIZE};
use super::settle::UnseenPending;
use super::step::{PackedStep, Step};
use crate::model::{Address, Bytes, SegmentType, Snapshot};
use std::collections::BTreeMap;

/// Stands for a pending block that is no life, in place of its id; with this bit the rest is a place in the list.
const UNSEEN: u32 = 1 << 31;
/// So many events are gone through in one call.
const STRETCH: usize = 8192;

pub(super) struct Sizer<'a> {
    snapshot: &'a Snapshot,
    pieces: &'a mut PieceTable,
    lives: &'a mut LifeTable,
    unseen: &'a [UnseenPending],
    rounding: Rounding,
    anomalies: &'a mut Anomalies,
    /// Live blocks by address: a life's id, or [`UNSEEN`].
    blocks: AddressMap,
    /// Mapped pieces by address: its end and id.
    there: BTreeMap<u64, (u64, u32)>,
    /// The piece found last, `(start, end, id)`: allocs come in runs within one segment.
    last: (u64, u64, u32),
}

impl<'a> Sizer<'a> {
    pub fn run(
        snapshot: &'a Snapshot,
        pieces: &'a mut PieceTable,
        lives: &'a mut LifeTable,
        unseen: &'a [UnseenPending],
        steps: &[PackedStep],
        anomalies: &'a mut Anomalies,
    ) -> Rounding {
        let known = lives.ids().filter(|&id| lives.flags(id).has(LifeFlags::IN_SNAPSHOT));
        let known = known.map(|id| (lives.size(id), lives.block_size(id)));
        let rounding = Rounding::of(snapshot.writer, &snapshot.allocator_settings, known);
        let mut sizer = Sizer {
            snapshot,
            pieces,
            lives,
            unseen,
            rounding,
            anomalies,
            blocks: AddressMap::default(),
            there: BTreeMap::new(),
            last: (0, 0, 0),
        };
        sizer.begin();
        // In stretches: browsers take their good code of a function into use at its next call.
        for (number, stretch) in steps.chunks(STRETCH).enumerate() {
            sizer.stretch((number * STRETCH) as u32, stretch);
        }
        rounding
    }

    #[inline(never)]
    fn stretch(&mut self, first: u32, steps: &[PackedStep]) {
        for (event, step) in (first..).zip(steps) {
            match step.get() {
                Step::Open(id) | Step::Reopen(id) => self.alloc(event, id),
                Step::Close(id) => {
                    let address = self.lives.address(self.snapshot, crate::model::LifeId(id)).0;
                    let place = self.blocks.find(address);
                    // An initial life that another overlapped is no longer there.
                    let leaves = self.lives.flags[id as usize].has(LifeFlags::LEAVES_PENDING);
                    if !leaves && self.blocks.at(place) == Some(id) {
                        self.blocks.remove(place);
                    }
                }
                Step::Segment(index) => self.segments(index),
                Step::Ask(_) | Step::AskUnseen(_) | Step::None => {}
            }
        }
    }

    /// The blocks before the first event, each with the room up to the next.
    fn begin(&mut self) {
        let mut first = Vec::new();
        self.pieces.there_at(0, |id| first.push(id));
        for id in first {
            self.map(id);
        }
        for (place, unseen) in self.unseen.iter().enumerate().filter(|(_, unseen)| unseen.there_from == 0) {
            let address = self.snapshot.blocks.get(unseen.block).address.0;
            self.blocks.insert(self.blocks.find(address), address, UNSEEN | place as u32);
        }
        let mut overlapped = Vec::new();
        for row in 0..self.lives.initial_len() {
            let id = row as u32;
            let address = self.lives.address(self.snapshot, crate::model::LifeId(id)).0;
            if let Some(other) = self.blocks.insert(self.blocks.find(address), address, id) {
                overlapped.push((address, other));
            }
        }
        for (address, _) in overlapped {
            self.anomalies.add(AnomalyKind::Overlap, None, Address(address), Bytes::ZERO);
        }
        let in_order: Vec<(u64, u32)> = self.blocks.iter().collect();
        for (i, &(address, id)) in in_order.iter().enumerate() {
            if id & UNSEEN != 0 {
                continue;
            }
            let next = in_order.get(i + 1).map(|&(next, _)| next);
            self.place(None, id, address, next);
        }
    }

    fn map(&mut self, id: u32) {
        if let Some(piece) = self.pieces.rows().get(id as usize) {
            self.there.insert(piece.address.0, (piece.end(), id));
        }
    }

    fn segments(&mut self, index: u32) {
        self.last = (0, 0, 0);
        let Some(change) = self.pieces.changes().get(index as usize).cloned() else { return };
        for &id in self.pieces.closed_by(&change) {
            if let Some(piece) = self.pieces.rows().get(id as usize) {
                self.there.remove(&piece.address.0);
            }
        }
        for id in change.opened {
            self.map(id);
        }
    }

    fn alloc(&mut self, event: u32, id: u32) {
        let address = self.lives.address(self.snapshot, crate::model::LifeId(id)).0;
        let place = self.blocks.find(address);
        let piece_start = self.place(Some(event), id, address, self.blocks.after(place));
        if let Some(start) = piece_start {
            self.fix_before(event, id, address, place, start);
        }
        self.blocks.insert(place, address, id);
    }

    /// Finds the piece and the size of a new block; returns where its piece starts.
    fn place(&mut self, event: Option<u32>, id: u32, address: u64, next: Option<u64>) -> Option<u64> {
        let row = id as usize;
        let requested = self.lives.size[row];
        if !(self.last.0 <= address && address < self.last.1) {
            match self.there.range(..=address).next_back() {
                Some((&start, &(end, piece))) if address < end => self.last = (start, end, piece),
                _ => {
                    self.outside(event, row, address);
                    return None;
                }
            }
        }
        let (start, end, piece_id) = self.last;
        self.lives.piece[row] = piece_id;
        let piece = self.pieces.rows().get(piece_id as usize)?;
        let (expandable, mut segment_type, is_workspace) =
            (piece.is_expandable, piece.segment_type, piece.is_workspace);
        if segment_type == SegmentType::Unknown {
            segment_type = self.rounding.segment_type(requested);
            self.pieces.learn_type(piece_id, segment_type);
        }
        let flags = self.lives.flags[row];
        if flags.has(LifeFlags::IN_SNAPSHOT) {
            return Some(start);
        }
        if flags.has(LifeFlags::WORKSPACE) || is_workspace {
            self.lives.block_size[row] = Bytes(end - address);
            self.lives.flags[row].set(LifeFlags::EXACT);
            return Some(start);
        }
        let next_here = next.filter(|&n| n < end || expandable);
        let limit = match next_here {
            Some(next) => Some(next),
            None if expandable => None,
            None => Some(end),
        };
        let least = self.rounding.rounded(requested);
        let room = limit.map_or(u64::MAX, |limit| limit - address);
        let size = self.rounding.block(requested, room, segment_type, expandable);
        self.lives.block_size[row] = size;
        if room < least.0 {
            self.lives.flags[row].set(LifeFlags::ANOMALY);
            self.anomalies.add(AnomalyKind::Overlap, event, Address(address), requested);
        } else if room == size.0
            || (address.checked_add(size.0) == Some(end) && !self.there.contains_key(&end))
        {
            self.lives.flags[row].set(LifeFlags::EXACT);
        }
        Some(start)
    }

    fn outside(&mut self, event: Option<u32>, row: usize, address: u64) {
        let requested = self.lives.size[row];
        if !self.lives.flags[row].has(LifeFlags::IN_SNAPSHOT) {
            self.lives.block_size[row] = self.rounding.rounded(requested);
        }
        self.lives.flags[row].set(LifeFlags::ANOMALY);
        self.anomalies.add(AnomalyKind::OutsideSegment, event, Address(address), requested);
    }

    /// The block before a new one ends where the new one begins, if the free range began there.
    fn fix_before(&mut self, event: u32, new: u32, address: u64, place: Place, piece_start: u64) {
        let Some((before, id)) = self.blocks.before(place) else { return };
        if id & UNSEEN != 0 {
            return;
        }
        let row = id as usize;
        let end = before.saturating_add(self.lives.block_size[row].0);
        let gap = address - before;
        if end == address && gap > 0 {
            if before >= piece_start {
                self.lives.flags[row].set(LifeFlags::EXACT);
            }
            return;
        }
        // Another segment, or memory that is not mapped, lies between.
        if end < piece_start || (before < piece_start && self.pieces.is_boundary(piece_start)) {
            return;
        }
        if end > address {
            self.anomalies.add(AnomalyKind::Overlap, Some(event), Address(address), Bytes(end - address));
            return;
        }
        if address == piece_start && before < piece_start {
            return;
        }
        let is_expandable = self.pieces.rows().get(self.last.2 as usize).is_some_and(|p| p.is_expandable);
        if address - end <= self.rounding.may_skip(self.lives.size[new as usize], is_expandable) {
            return;
        }
        let known = self.lives.flags[row].has(LifeFlags::EXACT);
        if known || gap - self.lives.block_size[row].0 > SMALL_SIZE {
            self.anomalies.add(
                AnomalyKind::HoleBeforeAlloc,
                Some(event),
                Address(address),
                Bytes(address - end),
            );
            return;
        }
        self.lives.block_size[row] = Bytes(gap);
        self.lives.flags[row].set(LifeFlags::EXACT);
    }
}
