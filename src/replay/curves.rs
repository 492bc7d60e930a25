//! Curves: bytes after each event, kept as one value, a minimum and a maximum per 32 states.
//!
//! The values inside a group are recomputed from the steps, so five curves over a million events take
//! 4 MB and still answer any point exactly. State 0 is before the first event.

use super::lives::{LifeFlags, LifeTable};
use super::pieces::PieceTable;
use super::series::{Extremes, GROUP, Scan, Series, bytes};
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

/// Goes through ranges of states from left to right, and keeps the values of the group it is in.
#[derive(Clone, Debug)]
pub struct Walk<const N: usize> {
    kinds: [CurveKind; N],
    /// Of which curves it is told where the maximum is first reached; of the others that reads 0.
    placed: [bool; N],
    group: usize,
    values: [[i64; N]; GROUP],
}

impl<const N: usize> Walk<N> {
    pub fn new(kinds: [CurveKind; N], placed: [bool; N]) -> Walk<N> {
        Walk { kinds, placed, group: usize::MAX, values: [[0; N]; GROUP] }
    }

    #[inline(never)]
    fn enter(&mut self, curves: &Curves, parts: Parts<'_>, group: usize) {
        if self.group == group {
            return;
        }
        self.group = group;
        let mut value = self.kinds.map(|kind| curves.groups[kind as usize].base[group]);
        for (at, values) in self.values.iter_mut().enumerate() {
            if let Some(before) = at.checked_sub(1) {
                let deltas = parts.deltas(group * GROUP + before);
                for (value, kind) in value.iter_mut().zip(self.kinds) {
                    *value = value.wrapping_add(deltas[kind as usize]);
                }
            }
            *values = value;
        }
    }
}

/// What the curves are computed from.
#[derive(Clone, Copy)]
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
    /// What event `event` adds to each curve.
    #[inline]
    pub fn deltas(&self, event: usize) -> Deltas {
        let mut deltas = [0_i64; 5];
        match self.steps.get(event).map_or(Step::None, |s| s.get()) {
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
    fn is_last(&self, event: usize) -> bool {
        event + 1 == self.steps.len()
    }

    /// What event `event` adds to one curve: the others' columns are not touched.
    #[inline]
    pub fn delta(&self, kind: CurveKind, event: usize) -> i64 {
        let step = self.steps.get(event).map_or(Step::None, |s| s.get());
        if self.is_last(event) {
            return self.deltas(event)[kind as usize];
        }
        match (kind, step) {
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
        for one in &mut curves.groups {
            one.base.reserve_exact(groups);
            one.min.reserve_exact(groups);
            one.max.reserve_exact(groups);
        }
        let mut value = start;
        let mut peaks = start.map(|v| (v, 0_u32));
        for group in 0..groups {
            curves.fold_group(parts, group, &mut value, &mut peaks);
        }
        curves.peaks = peaks;
        curves
    }

    /// Adds a group of states; `value` goes on to the first state of the next.
    ///
    /// Never inlined: browsers take their good code of a function into use at its next call.
    #[inline(never)]
    fn fold_group(
        &mut self,
        parts: Parts<'_>,
        group: usize,
        value: &mut Deltas,
        peaks: &mut [(i64, u32); 5],
    ) {
        // State s follows event s − 1; the group's first state is its base.
        let base = *value;
        let (mut min, mut max) = (base, base);
        let end = ((group + 1) * GROUP).min(self.states);
        let mut add = |state: usize| {
            for (k, delta) in parts.deltas(state - 1).into_iter().enumerate() {
                value[k] = value[k].wrapping_add(delta);
                if value[k] > peaks[k].0 {
                    peaks[k] = (value[k], state as u32);
                }
            }
            *value
        };
        for state in group * GROUP + 1..end {
            let value = add(state);
            for k in 0..5 {
                min[k] = min[k].min(value[k]);
                max[k] = max[k].max(value[k]);
            }
        }
        if end < self.states {
            add(end);
        }
        for (k, one) in self.groups.iter_mut().enumerate() {
            one.base.push(base[k]);
            one.min.push(min[k]);
            one.max.push(max[k]);
        }
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

    /// The same of the curves of a walk: events are walked once for all of them, and once for ranges that
    /// follow one another.
    pub(super) fn extremes_of<const N: usize>(
        &self,
        parts: Parts<'_>,
        walk: &mut Walk<N>,
        states: Range<usize>,
    ) -> Option<[Extremes; N]> {
        let end = states.end.min(self.states);
        if states.start >= end {
            return None;
        }
        let mut scans = [Scan::default(); N];
        let mut state = states.start;
        while state < end {
            let group = state / GROUP;
            let first = group * GROUP;
            let group_end = (first + GROUP).min(end);
            if state == first && group_end == first + GROUP && state != states.start && group_end != end {
                for (scan, kind) in scans.iter_mut().zip(walk.kinds) {
                    let series = &self.groups[kind as usize];
                    scan.group(group, series.min[group], series.max[group]);
                }
            } else {
                walk.enter(self, parts, group);
                for (at, values) in (first..group_end).zip(&walk.values).skip(state - first) {
                    for (scan, &value) in scans.iter_mut().zip(values) {
                        scan.state(at, value);
                    }
                }
            }
            state = group_end;
        }
        Some(core::array::from_fn(|i| match walk.kinds[i] {
            kind if walk.placed[i] => {
                self.groups[kind as usize].told(self.states, |event| parts.delta(kind, event), &scans[i])
            }
            _ => scans[i].extremes(0),
        }))
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.iter().map(Series::heap_bytes).sum()
    }
}
