//! One curve over the states of a trace: a value, a minimum and a maximum per 32 states.
//!
//! The values inside a group are recomputed from what each event adds, which the caller knows; so a
//! curve takes 0.75 bytes a state and answers any point and any range exactly. Over 32 groups stand their
//! bounds once more, for ranges of many groups.

use crate::model::Bytes;
use core::ops::Range;

/// States per group.
pub(super) const GROUP: usize = 32;
/// Groups per entry above them.
const FAN: usize = 32;

/// What a curve was in one range of states: the four values that draw it without loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extremes {
    pub first: Bytes,
    pub min: Bytes,
    pub max: Bytes,
    pub last: Bytes,
    /// First state of the maximum.
    pub max_at: u32,
}

/// The groups of one curve.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    pub base: Vec<i64>,
    pub min: Vec<i64>,
    pub max: Vec<i64>,
    /// The bounds of each `FAN` groups; empty until [`Series::sum_up`].
    over: Vec<Bounds>,
}

/// Least and greatest value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub min: i64,
    pub max: i64,
}

impl Bounds {
    /// Of no value at all.
    pub const NONE: Bounds = Bounds { min: i64::MAX, max: i64::MIN };

    #[inline]
    pub fn widen(&mut self, min: i64, max: i64) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }
}

/// Sums wrap, so that a hostile size cannot stop the replay; what is below zero reads as zero.
#[inline]
pub(super) fn bytes(value: i64) -> Bytes {
    Bytes(value.max(0) as u64)
}

impl Series {
    pub fn value(&self, states: usize, delta: impl Fn(usize) -> i64, state: usize) -> Bytes {
        let state = state.min(states.saturating_sub(1));
        let mut value = self.base.get(state / GROUP).copied().unwrap_or(0);
        for event in state / GROUP * GROUP..state {
            value = value.wrapping_add(delta(event));
        }
        bytes(value)
    }

    /// First, smallest, greatest and last value over a range of states; `None` for an empty range.
    pub fn extremes(
        &self,
        states: usize,
        delta: impl Fn(usize) -> i64,
        range: Range<usize>,
    ) -> Option<Extremes> {
        let end = range.end.min(states);
        if range.start >= end {
            return None;
        }
        let mut scan = Scan::default();
        let mut state = range.start;
        while state < end {
            let group = state / GROUP;
            let group_end = ((group + 1) * GROUP).min(end);
            let is_whole =
                state == group * GROUP && (group_end == (group + 1) * GROUP || group_end == states);
            // The first and the last group are walked for the first and the last value.
            if is_whole && state != range.start && group_end != end {
                scan.group(group, self.min[group], self.max[group]);
            } else {
                let mut value = self.base[group];
                for at in group * GROUP..group_end {
                    if at > group * GROUP {
                        value = value.wrapping_add(delta(at - 1));
                    }
                    if at >= state {
                        scan.state(at, value);
                    }
                }
            }
            state = group_end;
        }
        let max_at = match scan.max_group {
            None => scan.max_at,
            Some(group) => self.first_of(states, delta, group, scan.max),
        };
        Some(scan.extremes(max_at))
    }

    /// Fills in what stands over the groups, once all are there.
    pub fn sum_up(&mut self) {
        let groups = self.min.len();
        self.over = (0..groups.div_ceil(FAN)).map(|i| self.fold(i * FAN..groups.min((i + 1) * FAN))).collect();
    }

    fn fold(&self, groups: Range<usize>) -> Bounds {
        let mut bounds = Bounds::NONE;
        let (min, max) = (self.min.get(groups.clone()), self.max.get(groups));
        for (&min, &max) in min.unwrap_or(&[]).iter().zip(max.unwrap_or(&[])) {
            bounds.widen(min, max);
        }
        bounds
    }

    /// The bounds of some groups.
    pub fn bounds(&self, groups: Range<usize>) -> Bounds {
        let over = groups.start.div_ceil(FAN)..groups.end / FAN;
        if over.is_empty() {
            return self.fold(groups);
        }
        let mut bounds = self.fold(groups.start..over.start * FAN);
        let right = self.fold(over.end * FAN..groups.end);
        bounds.widen(right.min, right.max);
        for of in self.over.get(over).unwrap_or(&[]) {
            bounds.widen(of.min, of.max);
        }
        bounds
    }

    /// The first of some groups that reaches their greatest value.
    pub fn first_to_reach(&self, groups: Range<usize>, greatest: i64) -> usize {
        let mut group = groups.start;
        while group + 1 < groups.end {
            let over = self.over.get(group / FAN).filter(|_| group.is_multiple_of(FAN));
            match over {
                Some(of) if of.max < greatest => group += FAN,
                _ if self.max.get(group).is_some_and(|&max| max >= greatest) => break,
                _ => group += 1,
            }
        }
        group.min(groups.end.saturating_sub(1))
    }

    /// The first state of a group that has this value.
    pub fn first_of(&self, states: usize, delta: impl Fn(usize) -> i64, group: usize, wanted: i64) -> usize {
        let mut value = self.base[group];
        let mut state = group * GROUP;
        while value != wanted && state + 1 < ((group + 1) * GROUP).min(states) {
            value = value.wrapping_add(delta(state));
            state += 1;
        }
        state
    }

    pub fn heap_bytes(&self) -> usize {
        (self.base.capacity() + self.min.capacity() + self.max.capacity() + 2 * self.over.capacity()) * 8
    }
}

/// Extremes while they are gathered.
#[derive(Clone, Copy)]
struct Scan {
    any: bool,
    first: i64,
    last: i64,
    min: i64,
    max: i64,
    max_at: usize,
    /// Set when the maximum lies in a group that was taken whole.
    max_group: Option<usize>,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { any: false, first: 0, last: 0, min: i64::MAX, max: i64::MIN, max_at: 0, max_group: None }
    }
}

impl Scan {
    #[inline]
    fn state(&mut self, at: usize, value: i64) {
        if !self.any {
            self.first = value;
            self.any = true;
        }
        self.last = value;
        self.min = self.min.min(value);
        if value > self.max {
            (self.max, self.max_at, self.max_group) = (value, at, None);
        }
    }

    /// What was gathered, the maximum first reached at `max_at`.
    fn extremes(&self, max_at: usize) -> Extremes {
        Extremes {
            first: bytes(self.first),
            min: bytes(self.min),
            max: bytes(self.max),
            last: bytes(self.last),
            max_at: max_at as u32,
        }
    }

    #[inline]
    fn group(&mut self, group: usize, min: i64, max: i64) {
        self.min = self.min.min(min);
        if max > self.max {
            (self.max, self.max_group) = (max, Some(group));
        }
    }
}
