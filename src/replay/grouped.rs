//! Requested and reserved bytes by a key: stream, pool, size class, or whatever the caller sorts lives by.
//!
//! A key is a small number a life (a category, an index into labels); curves by key are made when asked
//! for, in the same compact form as the five that are always there.

use super::curves::Peak;
use super::pieces::Piece;
use super::series::{Extremes, GROUP, Group, Series, bytes};
use super::{Replay, Step};
use crate::model::{Bytes, LifeId, PoolId, SegmentType, Snapshot, StreamId};
use core::hash::Hash;
use core::ops::Range;

/// A key for each life, and what the keys stand for.
#[derive(Clone, Debug)]
pub struct Keys<L> {
    /// By life.
    pub keys: Vec<u16>,
    /// By key, in order of first appearance.
    pub labels: Vec<L>,
}

/// The peak of one key's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyPeak {
    pub peak: Peak,
    /// Its bytes at the peak of all keys together.
    pub at_common_peak: Bytes,
    /// Its bytes after the last event.
    pub at_end: Bytes,
}

/// A curve of requested bytes for each key.
#[derive(Clone, Debug)]
pub struct KeyCurves<'a, K> {
    replay: &'a Replay,
    keys: &'a [K],
    series: Vec<Series>,
}

impl<L: Copy + Eq + Hash> Keys<L> {
    fn collect(count: usize, label: impl Fn(LifeId) -> L) -> Keys<L> {
        let mut numbers = crate::model::fast_map::<L, u16>();
        let mut labels = Vec::new();
        let keys = (0..count).map(LifeId::new).map(|id| {
            let label = label(id);
            if let Some(&key) = numbers.get(&label) {
                return key;
            }
            // Beyond 65,535 labels the rest share the last one.
            let key = labels.len().min(usize::from(u16::MAX)) as u16;
            if labels.len() <= usize::from(u16::MAX) {
                labels.push(label);
            }
            numbers.insert(label, key);
            key
        });
        let keys = keys.collect();
        Keys { keys, labels }
    }
}

impl Replay {
    /// Lives by stream.
    pub fn by_stream(&self, snapshot: &Snapshot) -> Keys<StreamId> {
        Keys::collect(self.lives.len(), |id| self.lives.stream(snapshot, id))
    }

    /// Lives by memory pool.
    pub fn by_pool(&self, snapshot: &Snapshot) -> Keys<PoolId> {
        Keys::collect(self.lives.len(), |id| self.lives.pool(snapshot, &self.pieces, id))
    }

    /// Lives by the size class of their segment.
    pub fn by_segment_type(&self) -> Keys<SegmentType> {
        Keys::collect(self.lives.len(), |id| self.lives.segment_type(&self.pieces, id))
    }

    /// The peak of requested bytes of each of `count` keys; `keys` holds one for each life.
    pub fn peaks_by<K: Copy + Into<u32>>(&self, keys: &[K], count: usize) -> Vec<KeyPeak> {
        let mut at = vec![0_i64; count];
        self.each_change(keys, 0, |key, delta| {
            if let Some(value) = at.get_mut(key as usize) {
                *value = value.wrapping_add(delta);
            }
        });
        let common = self.peak().state();
        let mut at_common = at.clone();
        let mut peaks: Vec<(i64, u32)> = at.iter().map(|&v| (v, 0)).collect();
        for state in 1..=self.last_state() {
            self.each_change(keys, state, |key, delta| {
                let key = key as usize;
                if let (Some(value), Some(peak)) = (at.get_mut(key), peaks.get_mut(key)) {
                    *value = value.wrapping_add(delta);
                    if *value > peak.0 {
                        *peak = (*value, state);
                    }
                }
            });
            if state == common {
                at_common.clone_from(&at);
            }
        }
        let all = peaks.iter().zip(&at_common).zip(&at);
        all.map(|((&(value, state), &common), &end)| KeyPeak {
            peak: Peak { bytes: bytes(value), event: i64::from(state) - 1 },
            at_common_peak: bytes(common),
            at_end: bytes(end),
        })
        .collect()
    }

    /// A curve of requested bytes for each of `count` keys.
    pub fn curves_by<'a, K: Copy + Into<u32>>(&'a self, keys: &'a [K], count: usize) -> KeyCurves<'a, K> {
        let mut at = vec![0_i64; count];
        let mut series = vec![Series::default(); count];
        let mut groups = vec![Group::new(0); count];
        for state in 0..=self.last_state() {
            let begins_group = (state as usize).is_multiple_of(GROUP);
            if begins_group && state > 0 {
                series.iter_mut().zip(&groups).for_each(|(one, &group)| one.push(group));
            }
            let mut touched = [usize::MAX; 2];
            self.each_change(keys, state, |key, delta| {
                if let Some(value) = at.get_mut(key as usize) {
                    *value = value.wrapping_add(delta);
                    touched = [touched[1], key as usize];
                }
            });
            if begins_group {
                groups.iter_mut().zip(&at).for_each(|(group, &value)| *group = Group::new(value));
            } else {
                for key in touched.into_iter().filter(|&key| key < count) {
                    groups[key].add(state as usize, at[key]);
                }
            }
        }
        series.iter_mut().zip(&groups).for_each(|(one, &group)| one.push(group));
        KeyCurves { replay: self, keys, series }
    }

    /// What the event before `state` changes in requested bytes, by key; at state 0 the initial lives.
    fn each_change<K: Copy + Into<u32>>(&self, keys: &[K], state: u32, mut change: impl FnMut(u32, i64)) {
        let mut add = |id: u32, sign: i64| {
            if let Some(&key) = keys.get(id as usize) {
                change(key.into(), (self.lives.size(LifeId(id)).0 as i64).wrapping_mul(sign));
            }
        };
        let Some(event) = state.checked_sub(1) else {
            (0..self.lives.initial_len() as u32).for_each(|id| add(id, 1));
            return;
        };
        match self.step(event) {
            Step::Open(id) => add(id, 1),
            Step::Reopen(id) => {
                // The old life ends first, so that no sum counts both.
                if let Some(old) = self.closed_by_reopen(event) {
                    add(old.0, -1);
                }
                add(id, 1);
            }
            Step::Close(id) => add(id, -1),
            Step::Ask(_) | Step::AskUnseen(_) | Step::Segment(_) | Step::None => {}
        }
    }

    /// Reserved bytes by a key of the pieces: their peak, and their sum at the common peak and at the end.
    pub fn reserved_by<L: Copy + Eq + Hash + Ord>(&self, label: impl Fn(&Piece) -> L) -> Vec<(L, KeyPeak)> {
        let mut sums = std::collections::BTreeMap::<L, (i64, i64, u32, i64)>::new();
        let common = self.peak_reserved().state();
        let size = |id: u32| self.pieces.rows().get(id as usize).map(|p| (label(p), p.size.0 as i64));
        self.pieces.there_at(0, |id| {
            if let Some((key, bytes)) = size(id) {
                let sum = sums.entry(key).or_default();
                *sum = (sum.0.wrapping_add(bytes), sum.0.wrapping_add(bytes), 0, 0);
            }
        });
        let keep_common = |sums: &mut std::collections::BTreeMap<L, (i64, i64, u32, i64)>| {
            for sum in sums.values_mut() {
                sum.3 = sum.0;
            }
        };
        if common == 0 {
            keep_common(&mut sums);
        }
        for change in self.pieces.changes() {
            let closed = self.pieces.closed_by(change).iter().map(|&id| (id, -1));
            for (id, sign) in closed.chain(change.opened.clone().map(|id| (id, 1))) {
                if let Some((key, bytes)) = size(id) {
                    let sum = sums.entry(key).or_default();
                    sum.0 = sum.0.wrapping_add(bytes * sign);
                }
            }
            for sum in sums.values_mut() {
                if sum.0 > sum.1 {
                    (sum.1, sum.2) = (sum.0, change.event + 1);
                }
            }
            if change.event + 1 == common {
                keep_common(&mut sums);
            }
        }
        let peak = |(key, (end, peak, state, common)): (L, (i64, i64, u32, i64))| {
            let peak = Peak { bytes: bytes(peak), event: i64::from(state) - 1 };
            (key, KeyPeak { peak, at_common_peak: bytes(common), at_end: bytes(end) })
        };
        sums.into_iter().map(peak).collect()
    }
}

impl<K: Copy + Into<u32>> KeyCurves<'_, K> {
    fn delta(&self, key: u32, event: usize) -> i64 {
        let mut sum = 0_i64;
        self.replay.each_change(self.keys, event as u32 + 1, |other, delta| {
            if other == key {
                sum = sum.wrapping_add(delta);
            }
        });
        sum
    }

    /// The bytes of a key at a state.
    pub fn value(&self, key: u32, state: u32) -> Bytes {
        let states = self.replay.curves.states();
        let series = self.series.get(key as usize);
        series.map_or(Bytes::ZERO, |one| one.value(states, |e| self.delta(key, e), state as usize))
    }

    /// First, smallest, greatest and last bytes of a key over a range of states.
    pub fn extremes(&self, key: u32, states: Range<u32>) -> Option<Extremes> {
        let all = self.replay.curves.states();
        let range = states.start as usize..states.end as usize;
        self.series.get(key as usize)?.extremes(all, |e| self.delta(key, e), range)
    }
}
