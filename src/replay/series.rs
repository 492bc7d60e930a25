//! One curve over the states of a trace: a value, a minimum and a maximum per 32 states, and where it is.
//!
//! The values inside a group are recomputed from what each event adds, which the caller knows; so a
//! curve takes 0.8 bytes a state and answers any point and any range exactly. Over 8 groups stand their
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
    bounds: Vec<Bounds>,
    /// How many states into its group the maximum is first reached.
    reached: Vec<u8>,
    /// The bounds of each `FAN` groups, and of each `FAN` of these; empty until [`Series::sum_up`].
    over: [Vec<Bounds>; 2],
}

/// One group in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    base: i64,
    bounds: Bounds,
    reached: u8,
}

impl Group {
    /// Begins with its first state.
    #[inline]
    pub fn new(base: i64) -> Group {
        Group { base, bounds: Bounds { min: base, max: base }, reached: 0 }
    }

    /// The value at a later state, which must not be before those told already.
    #[inline]
    pub fn add(&mut self, state: usize, value: i64) {
        if value > self.bounds.max {
            (self.bounds.max, self.reached) = (value, (state % GROUP) as u8);
        }
        self.bounds.min = self.bounds.min.min(value);
    }
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

    #[inline(always)]
    fn widen_by(&mut self, others: Option<&[Bounds]>) {
        for of in others.unwrap_or(&[]) {
            self.widen(of.min, of.max);
        }
    }
}

/// A range of entries as those left of the first whole fan, the whole fans, and the entries right of the last.
#[inline(always)]
fn by_fan(entries: Range<usize>) -> [Range<usize>; 3] {
    let fans = entries.start.div_ceil(FAN)..entries.end / FAN;
    if fans.is_empty() {
        [entries, 0..0, 0..0]
    } else {
        [entries.start..fans.start * FAN, fans.clone(), fans.end * FAN..entries.end]
    }
}

/// Where an edge between two ranges of states may lie instead, so that fewer states have to be gone through one
/// by one: no farther than a sixteenth of `room`, the length of the shorter of them.
pub fn settle_edge(state: u32, room: u32) -> u32 {
    let (mut grain, mut next) = (1, GROUP as u32);
    while next <= room / FAN as u32 {
        (grain, next) = (next, next * FAN as u32);
    }
    state.saturating_add(grain / 2) / grain * grain
}

fn fold_by_fan(bounds: &[Bounds]) -> Vec<Bounds> {
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
    pub fn reserve(&mut self, groups: usize) {
        self.base.reserve_exact(groups);
        self.bounds.reserve_exact(groups);
        self.reached.reserve_exact(groups);
    }

    pub fn push(&mut self, group: Group) {
        self.base.push(group.base);
        self.bounds.push(group.bounds);
        self.reached.push(group.reached);
    }

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
                scan.group(group, self.bounds[group]);
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
        let max_at = scan.max_group.map_or(scan.max_at, |group| self.max_at(group));
        Some(scan.extremes(max_at))
    }

    /// Fills in what stands over the groups, once all are there.
    pub fn sum_up(&mut self) {
        let over = fold_by_fan(&self.bounds);
        let above = fold_by_fan(&over);
        self.over = [over, above];
    }

    #[inline]
    pub fn group(&self, group: usize) -> Bounds {
        self.bounds[group]
    }

    /// The first state at which a group is greatest.
    #[inline]
    pub fn max_at(&self, group: usize) -> usize {
        group * GROUP + usize::from(self.reached[group])
    }

    /// The greatest value, and the first state that has it.
    pub fn peak(&self) -> (i64, u32) {
        let greatest = self.bounds.iter().map(|of| of.max).max().unwrap_or(0);
        let group = self.first_to_reach(0..self.bounds.len(), greatest);
        (greatest, self.reached.get(group).map_or(0, |_| self.max_at(group) as u32))
    }

    /// The bounds of some groups.
    #[inline(never)]
    pub fn bounds(&self, groups: Range<usize>) -> Bounds {
        let mut bounds = Bounds::NONE;
        let [over, above] = &self.over;
        let [left, fans, right] = by_fan(groups);
        bounds.widen_by(self.bounds.get(left));
        bounds.widen_by(self.bounds.get(right));
        let [left, fans, right] = by_fan(fans);
        bounds.widen_by(over.get(left));
        bounds.widen_by(over.get(right));
        bounds.widen_by(above.get(fans));
        bounds
    }

    /// The first of some groups that reaches their greatest value.
    pub fn first_to_reach(&self, groups: Range<usize>, greatest: i64) -> usize {
        let first_in = |bounds: &[Bounds], places: Range<usize>| {
            let place = bounds.get(places.clone())?.iter().position(|of| of.max >= greatest)?;
            Some(places.start + place)
        };
        let end = groups.end;
        let [left, fans, right] = by_fan(groups);
        let within = |fan: usize| first_in(&self.bounds, fan * FAN..(fan + 1) * FAN);
        first_in(&self.bounds, left)
            .or_else(|| first_in(&self.over[0], fans).and_then(within))
            .or_else(|| first_in(&self.bounds, right))
            .unwrap_or(end.saturating_sub(1))
    }

    pub fn heap_bytes(&self) -> usize {
        let bounds = self.over.iter().fold(self.bounds.capacity(), |sum, over| sum + over.capacity());
        self.base.capacity() * 8 + self.reached.capacity() + bounds * size_of::<Bounds>()
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
    fn group(&mut self, group: usize, of: Bounds) {
        self.min = self.min.min(of.min);
        if of.max > self.max {
            (self.max, self.max_group) = (of.max, Some(group));
        }
    }
}
