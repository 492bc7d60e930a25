//! Curves: bytes after each event, kept as one value, a minimum and a maximum per 32 states.
//!
//! The values inside a group are recomputed from the steps, so five curves over a million events take
//! 4 MB and still answer any point exactly. State 0 is before the first event.

use super::lives::{LifeFlags, LifeTable};
use super::pieces::PieceTable;
use super::series::{Extremes, GROUP, Group, Series, bytes};
use super::step::{PackedStep, Step};
use crate::model::{Bytes, LifeId};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// Which curve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveKind {
    /// Requested bytes of lives open, counting a life until its free completes.
    Requested,
    /// The part of them whose free has been requested.
    Pending,
    /// Bytes of segments.
    Reserved,
    /// Block bytes of lives not yet asked to be freed, without workspace.
    Allocated,
    /// Block bytes of lives, without workspace.
    Active,
}

impl CurveKind {
    pub const ALL: [CurveKind; 5] = [
        CurveKind::Requested,
        CurveKind::Pending,
        CurveKind::Reserved,
        CurveKind::Allocated,
        CurveKind::Active,
    ];
}

/// The greatest value of a curve and when it is first reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Peak {
    pub bytes: Bytes,
    /// The event after which it is reached; −1 for the state before the first event.
    pub event: i64,
}

impl Peak {
    /// The state at which it is first reached.
    pub fn state(&self) -> u32 {
        (self.event + 1).clamp(0, u32::MAX.into()) as u32
    }
}

/// The five curves of a device.
#[derive(Clone, Debug, Default)]
pub struct Curves {
    groups: [Series; 5],
    states: usize,
    peaks: [(i64, u32); 5],
}

/// What the curves are computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    pub lives: &'a LifeTable,
    pub pieces: &'a PieceTable,
    pub steps: &'a [PackedStep],
    pub reopened: &'a [(u32, u32)],
    /// Unseen pending blocks: their bytes and the state from which they are pending.
    pub unseen: &'a [(Bytes, u32)],
    /// What of lives open at the end is not in the snapshot, by curve: the last state is the snapshot's.
    pub missing: &'a Deltas,
}

pub(super) type Deltas = [i64; 5];

impl Parts<'_> {
    #[inline]
    pub fn step(&self, event: usize) -> Step {
        self.steps.get(event).map_or(Step::None, |step| step.get())
    }

    /// What event `event` adds to each curve.
    #[inline]
    pub fn deltas(&self, event: usize) -> Deltas {
        let mut deltas = [0_i64; 5];
        match self.step(event) {
            Step::None => {}
            Step::Open(id) => self.open(id, &mut deltas),
            Step::Reopen(id) => {
                self.open(id, &mut deltas);
                let found = self.reopened.binary_search_by_key(&(event as u32), |&(event, _)| event);
                if let Some(&(_, old)) = found.ok().and_then(|i| self.reopened.get(i)) {
                    self.close(old, &mut deltas);
                }
            }
            Step::Ask(id) => {
                let id = LifeId(id);
                deltas[CurveKind::Pending as usize] = self.lives.size(id).0 as i64;
                deltas[CurveKind::Allocated as usize] = (self.lives.block_size(id).0 as i64).wrapping_neg();
            }
            Step::Close(id) => self.close(id, &mut deltas),
            Step::AskUnseen(place) => {
                let bytes = self.unseen.get(place as usize).map_or(0, |unseen| unseen.0.0 as i64);
                deltas[CurveKind::Allocated as usize] = bytes.wrapping_neg();
            }
            Step::Segment(index) => {
                deltas[CurveKind::Reserved as usize] =
                    self.pieces.changes().get(index as usize).map_or(0, |change| change.delta);
            }
        }
        if self.is_last(event) {
            for (delta, missing) in deltas.iter_mut().zip(self.missing) {
                *delta = delta.wrapping_sub(*missing);
            }
        }
        deltas
    }

    #[inline]
    pub fn is_last(&self, event: usize) -> bool {
        event + 1 == self.steps.len()
    }

    /// What event `event` adds to one curve: the others' columns are not touched.
    #[inline]
    pub fn delta(&self, kind: CurveKind, event: usize) -> i64 {
        if self.is_last(event) {
            return self.deltas(event)[kind as usize];
        }
        match (kind, self.step(event)) {
            (_, Step::None) => 0,
            (CurveKind::Reserved, Step::Segment(_)) => self.deltas(event)[kind as usize],
            (CurveKind::Reserved, _) | (_, Step::Segment(_)) => 0,
            (CurveKind::Requested, Step::Open(id)) => self.lives.size(LifeId(id)).0 as i64,
            (CurveKind::Requested, Step::Close(id)) => (self.lives.size(LifeId(id)).0 as i64).wrapping_neg(),
            (CurveKind::Requested, Step::Ask(_) | Step::AskUnseen(_)) => 0,
            _ => self.deltas(event)[kind as usize],
        }
    }

    #[inline]
    fn open(&self, id: u32, deltas: &mut Deltas) {
        let id = LifeId(id);
        deltas[CurveKind::Requested as usize] = self.lives.size(id).0 as i64;
        if !self.lives.flags(id).has(LifeFlags::WORKSPACE) {
            let block = self.lives.block_size(id).0 as i64;
            deltas[CurveKind::Allocated as usize] = block;
            deltas[CurveKind::Active as usize] = block;
        }
    }

    #[inline]
    fn close(&self, id: u32, deltas: &mut Deltas) {
        let id = LifeId(id);
        let (size, block) = (self.lives.size(id).0 as i64, self.lives.block_size(id).0 as i64);
        let mut sub = |kind: CurveKind, bytes: i64| {
            deltas[kind as usize] = deltas[kind as usize].wrapping_sub(bytes);
        };
        sub(CurveKind::Requested, size);
        if self.lives.flags(id).has(LifeFlags::WORKSPACE) {
            return;
        }
        if !self.lives.flags(id).has(LifeFlags::LEAVES_PENDING) {
            sub(CurveKind::Active, block);
        }
        if self.lives.pending_from(id) < self.lives.death(id) {
            sub(CurveKind::Pending, size);
        } else {
            sub(CurveKind::Allocated, block);
        }
    }

    /// The values before the first event.
    pub fn start(&self) -> Deltas {
        let mut start = [0_i64; 5];
        let mut add = |kind: CurveKind, bytes: Bytes| {
            start[kind as usize] = start[kind as usize].wrapping_add(bytes.0 as i64);
        };
        for id in (0..self.lives.initial_len()).map(LifeId::new) {
            add(CurveKind::Requested, self.lives.size(id));
            add(CurveKind::Active, self.lives.block_size(id));
            if self.lives.pending_from(id) == 0 {
                add(CurveKind::Pending, self.lives.size(id));
            } else {
                add(CurveKind::Allocated, self.lives.block_size(id));
            }
        }
        for &(bytes, pending_from) in self.unseen {
            add(CurveKind::Active, bytes);
            if pending_from > 0 {
                add(CurveKind::Allocated, bytes);
            }
        }
        let grown = self.pieces.changes().iter().fold(0_i64, |sum, change| sum.wrapping_add(change.delta));
        start[CurveKind::Reserved as usize] = self.pieces.reserved_at_end().wrapping_sub(grown);
        start
    }
}

impl Curves {
    pub(super) fn new(parts: Parts<'_>, start: Deltas) -> Curves {
        let states = parts.steps.len() + 1;
        let groups = states.div_ceil(GROUP);
        let mut curves = Curves { states, ..Curves::default() };
        curves.groups.iter_mut().for_each(|one| one.reserve(groups));
        let mut value = start;
        for group in 0..groups {
            curves.fold_group(parts, group, &mut value);
        }
        for (one, peak) in curves.groups.iter_mut().zip(&mut curves.peaks) {
            one.sum_up();
            *peak = one.peak();
        }
        curves
    }

    /// Adds a group of states; `value` goes on to the first state of the next.
    ///
    /// Never inlined: browsers take their good code of a function into use at its next call.
    #[inline(never)]
    fn fold_group(&mut self, parts: Parts<'_>, group: usize, value: &mut Deltas) {
        // State s follows event s − 1.
        let mut groups = value.map(Group::new);
        let end = ((group + 1) * GROUP).min(self.states);
        let mut step = |state: usize| {
            for (value, delta) in value.iter_mut().zip(parts.deltas(state - 1)) {
                *value = value.wrapping_add(delta);
            }
            *value
        };
        for state in group * GROUP + 1..end {
            let value = step(state);
            for (group, value) in groups.iter_mut().zip(value) {
                group.add(state, value);
            }
        }
        if end < self.states {
            step(end);
        }
        for (one, group) in self.groups.iter_mut().zip(groups) {
            one.push(group);
        }
    }

    pub(super) fn series(&self, kind: CurveKind) -> &Series {
        &self.groups[kind as usize]
    }

    /// How many states there are: events + 1.
    pub fn states(&self) -> usize {
        self.states
    }

    pub fn peak(&self, kind: CurveKind) -> Peak {
        let (value, state) = self.peaks[kind as usize];
        Peak { bytes: bytes(value), event: i64::from(state) - 1 }
    }

    pub(super) fn value(&self, parts: Parts<'_>, kind: CurveKind, state: usize) -> Bytes {
        self.groups[kind as usize].value(self.states, |event| parts.delta(kind, event), state)
    }

    /// All five values at a state, in the order of [`CurveKind::ALL`].
    pub(super) fn values(&self, parts: Parts<'_>, state: usize) -> [Bytes; 5] {
        let state = state.min(self.states.saturating_sub(1));
        let mut values: Deltas =
            core::array::from_fn(|k| self.groups[k].base.get(state / GROUP).copied().unwrap_or(0));
        for event in state / GROUP * GROUP..state {
            let deltas = parts.deltas(event);
            for k in 0..5 {
                values[k] = values[k].wrapping_add(deltas[k]);
            }
        }
        values.map(bytes)
    }

    /// Calls `seen` with every state and its five values.
    pub(super) fn walk(&self, parts: Parts<'_>, seen: &mut impl FnMut(u32, [Bytes; 5])) {
        let mut values: Deltas = core::array::from_fn(|k| self.groups[k].base.first().copied().unwrap_or(0));
        seen(0, values.map(bytes));
        for event in 0..self.states.saturating_sub(1) {
            let deltas = parts.deltas(event);
            for k in 0..5 {
                values[k] = values[k].wrapping_add(deltas[k]);
            }
            seen(event as u32 + 1, values.map(bytes));
        }
    }

    /// First, smallest, greatest and last value over a range of states; `None` for an empty range.
    pub(super) fn extremes(
        &self,
        parts: Parts<'_>,
        kind: CurveKind,
        states: Range<usize>,
    ) -> Option<Extremes> {
        self.groups[kind as usize].extremes(self.states, |event| parts.delta(kind, event), states)
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.iter().map(Series::heap_bytes).sum()
    }
}
