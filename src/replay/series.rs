//! One curve over the states of a trace: a value, a minimum and a maximum per 32 states.
//!
//! The values inside a group are recomputed from what each event adds, which the caller knows; so a
//! curve takes 0.75 bytes a state and answers any point and any range exactly. Over 8 groups stand their
//! bounds once more, and over 8 of those, for ranges of many groups.

use crate::model::Bytes;
use core::ops::Range;

/// States per group.
pub(super) const GROUP: usize = 32;
/// Entries per entry above them.
const FAN: usize = 8;

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
    /// The bounds of each `FAN` groups, and of each `FAN` of these; empty until [`Series::sum_up`].
    over: [Vec<Bounds>; 2],
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

fn fold_by_fan(bounds: Vec<Bounds>) -> Vec<Bounds> {
    let fold = |some: &[Bounds]| {
        let mut all = Bounds::NONE;
        some.iter().for_each(|of| all.widen(of.min, of.max));
        all
    };
    bounds.chunks(FAN).map(fold).collect()
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
        let groups = (0..self.min.len()).map(|group| self.group(group)).collect();
        let over = fold_by_fan(groups);
        self.over = [over.clone(), fold_by_fan(over)];
    }

    #[inline]
    pub fn group(&self, group: usize) -> Bounds {
        Bounds { min: self.min[group], max: self.max[group] }
    }

    /// The bounds of some groups.
    pub fn bounds(&self, groups: Range<usize>) -> Bounds {
        let mut bounds = Bounds::NONE;
        let [over, above] = &self.over;
        let mut group = groups.start;
        while group < groups.end {
            let of = if group.is_multiple_of(FAN * FAN) && group + FAN * FAN <= groups.end {
                group += FAN * FAN;
                above[group / FAN / FAN - 1]
            } else if group.is_multiple_of(FAN) && group + FAN <= groups.end {
                group += FAN;
                over[group / FAN - 1]
            } else {
                group += 1;
                self.group(group - 1)
            };
            bounds.widen(of.min, of.max);
        }
        bounds
    }

    /// The first of some groups that reaches their greatest value.
    pub fn first_to_reach(&self, groups: Range<usize>, greatest: i64) -> usize {
        let mut group = groups.start;
        while group + 1 < groups.end {
            let over = self.over[0].get(group / FAN).filter(|_| group.is_multiple_of(FAN));
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
        (self.base.capacity() + self.min.capacity() + self.max.capacity()) * 8
            + self.over.iter().map(|over| over.capacity() * size_of::<Bounds>()).sum::<usize>()
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
