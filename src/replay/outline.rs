//! Curves as pixel columns see them: the least and the greatest value of each, and where the stacked one
//! is greatest.
//!
//! Columns follow one another, so the group that two of them share is walked once; and a group that reaches
//! neither below nor above what the column has seen already is not walked at all.

use super::Replay;
use super::curves::{CurveKind, Curves, Parts};
use super::lives::LifeFlags;
use super::series::{Bounds, GROUP, bytes};
use super::step::Step;
use crate::model::{Bytes, LifeId};
use core::ops::Range;

/// The curves that are outlined together.
pub const OUTLINED: [CurveKind; 3] = [CurveKind::Reserved, CurveKind::Active, CurveKind::Requested];

const CURVES: usize = OUTLINED.len();

/// Where a curve goes in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    pub min: Bytes,
    pub max: Bytes,
}

/// What a column shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outlined {
    /// In the order of [`OUTLINED`].
    pub spans: [Span; CURVES],
    /// The first state at which the stacked curve is greatest.
    pub max_at: u32,
}

/// Goes through columns from left to right.
#[derive(Debug)]
pub struct Outliner<'a> {
    curves: &'a Curves,
    parts: Parts<'a>,
    /// Which of the curves is stacked.
    stacked: usize,
    /// The group that is walked, and how many of its states are known.
    group: usize,
    known: usize,
    values: [[i64; CURVES]; GROUP],
}

impl<'a> Outliner<'a> {
    /// The outlines of a trace, told of one of the curves where it is greatest.
    pub fn new(replay: &'a Replay, stacked: CurveKind) -> Outliner<'a> {
        let stacked = OUTLINED.iter().position(|&kind| kind == stacked).unwrap_or(CURVES - 1);
        let values = [[0; CURVES]; GROUP];
        Outliner {
            curves: &replay.curves,
            parts: replay.parts(),
            stacked,
            group: usize::MAX,
            known: 0,
            values,
        }
    }

    /// What the column of these states shows; of an empty range: nothing.
    pub fn column(&mut self, states: Range<u32>) -> Outlined {
        let (start, all) = (states.start as usize, self.curves.states());
        let end = (states.end as usize).min(all);
        if start >= end {
            return Outlined { max_at: states.start, ..Outlined::default() };
        }
        let first = start.div_ceil(GROUP);
        let whole = first..if end == all { all.div_ceil(GROUP) } else { end / GROUP };
        let mut bounds: [Bounds; CURVES] =
            core::array::from_fn(|k| self.curves.series(OUTLINED[k]).bounds(whole.clone()));
        let mut max_at = None;
        let left = start..end.min(first * GROUP);
        let right = left.end.max(whole.end * GROUP)..end;
        // Of equal values the first counts: those on the left come before the groups, those on the right after.
        for (edge, wins_ties) in [(left, true), (right, false)] {
            if edge.is_empty() || !self.may_widen(&bounds, edge.start / GROUP, wins_ties) {
                continue;
            }
            let base = edge.start / GROUP * GROUP;
            self.walk(edge.start / GROUP, edge.end - base);
            let mut here = bounds;
            let mut highest = None;
            for (state, values) in edge.clone().zip(&self.values[edge.start - base..]) {
                let (value, before) = (values[self.stacked], here[self.stacked].max);
                if value > before || (wins_ties && highest.is_none() && value == before) {
                    highest = Some(state);
                }
                for (bounds, &value) in here.iter_mut().zip(values) {
                    bounds.widen(value, value);
                }
            }
            bounds = here;
            max_at = highest.or(max_at);
        }
        let max = bounds[self.stacked].max;
        let max_at = max_at.unwrap_or_else(|| self.first_within(whole, max));
        let spans = bounds.map(|of| Span { min: bytes(of.min), max: bytes(of.max) });
        Outlined { spans, max_at: max_at as u32 }
    }

    /// Whether anything in a group can lie beyond what was seen.
    fn may_widen(&self, bounds: &[Bounds; CURVES], group: usize, wins_ties: bool) -> bool {
        let mut may = false;
        for (k, seen) in bounds.iter().enumerate() {
            let of = self.curves.series(OUTLINED[k]).group(group);
            may |= of.min < seen.min
                || of.max > seen.max
                || (wins_ties && k == self.stacked && of.max == seen.max);
        }
        may
    }

    /// Makes the first `wanted` states of a group known.
    #[inline(never)]
    fn walk(&mut self, group: usize, wanted: usize) {
        if self.group != group {
            (self.group, self.known) = (group, 1);
            self.values[0] = OUTLINED.map(|kind| self.curves.series(kind).base[group]);
        }
        let mut value = self.values[self.known - 1];
        for at in self.known..wanted.min(GROUP) {
            let deltas = self.parts.outlined(group * GROUP + at - 1);
            for (value, delta) in value.iter_mut().zip(deltas) {
                *value = value.wrapping_add(delta);
            }
            self.values[at] = value;
        }
        self.known = self.known.max(wanted.min(GROUP));
    }

    /// The first state of some groups with this value, which is their greatest.
    fn first_within(&self, groups: Range<usize>, value: i64) -> usize {
        let series = self.curves.series(OUTLINED[self.stacked]);
        series.max_at(series.first_to_reach(groups, value))
    }
}

impl Parts<'_> {
    /// What an event adds to the outlined curves: the columns that only others need are not touched.
    #[inline]
    fn outlined(&self, event: usize) -> [i64; CURVES] {
        let all = || {
            let deltas = self.deltas(event);
            OUTLINED.map(|kind| deltas[kind as usize])
        };
        if self.is_last(event) {
            return all();
        }
        let block = |id: LifeId, but: u8| {
            if self.lives.flags(id).has(LifeFlags(but)) { 0 } else { self.lives.block_size(id).0 as i64 }
        };
        match self.step(event) {
            Step::None | Step::Ask(_) | Step::AskUnseen(_) => [0; CURVES],
            Step::Open(id) => {
                let id = LifeId(id);
                [0, block(id, LifeFlags::WORKSPACE.0), self.lives.size(id).0 as i64]
            }
            Step::Close(id) => {
                let id = LifeId(id);
                let block = block(id, LifeFlags::WORKSPACE.0 | LifeFlags::LEAVES_PENDING.0);
                [0, block.wrapping_neg(), (self.lives.size(id).0 as i64).wrapping_neg()]
            }
            Step::Segment(_) | Step::Reopen(_) => all(),
        }
    }
}
