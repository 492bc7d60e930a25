//! Each category, stream, pool and segment type at its own peak: they seldom meet at the peak of all, and what was
//! large some other time bounds what can be saved there.

use super::attribution::{Attributed, Category, Columns};
use super::grouping::GroupKey;
use crate::model::{Arrange, Bytes, SegmentType};
use crate::replay::KeyPeak;
use serde::Serialize;

/// One group's peak of requested bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OwnPeak {
    /// Category, stream, pool or segment type.
    pub key: GroupKey,
    pub name: String,
    pub peak: Bytes,
    /// −1: the state before the first event.
    pub peak_event: i64,
    /// Its bytes at the peak of all together; those of one key add up to that.
    pub at_common_peak: Bytes,
    /// Its bytes after the last event.
    pub at_end: Bytes,
}

/// The peaks of all groups that ever held anything, key by key and the largest first.
pub fn own_peaks(memory: &Attributed<'_>) -> Vec<OwnPeak> {
    let (replay, snapshot) = (memory.replay, memory.snapshot);
    let mut rows = Vec::new();
    let mut add = |key: GroupKey, peaks: Vec<KeyPeak>, name: &dyn Fn(usize) -> String| {
        let held = peaks.iter().enumerate().filter(|(_, p)| p.peak.bytes > Bytes::ZERO);
        let mut of_key: Vec<OwnPeak> = held
            .map(|(i, p)| OwnPeak {
                key,
                name: name(i),
                peak: p.peak.bytes,
                peak_event: p.peak.event,
                at_common_peak: p.at_common_peak,
                at_end: p.at_end,
            })
            .collect();
        of_key.arrange_by_key(|row| core::cmp::Reverse(row.peak));
        rows.extend(of_key);
    };
    let categories: Vec<u8> = memory.attribution.packed().iter().map(|p| p & !Columns::INFERRED).collect();
    let category = |i: usize| Category::ALL.get(i).map_or("", |c| c.id()).to_owned();
    add(GroupKey::Category, replay.peaks_by(&categories, Category::COUNT), &category);
    let streams = replay.by_stream(snapshot);
    let stream =
        |i: usize| streams.labels.get(i).map_or_else(String::new, |&id| snapshot.streams.get(id).to_string());
    add(GroupKey::Stream, replay.peaks_by(&streams.keys, streams.labels.len()), &stream);
    let pools = replay.by_pool(snapshot);
    let pool = |i: usize| {
        let (a, b) = pools.labels.get(i).map(|&id| snapshot.pools.get(id)).unwrap_or_default();
        format!("({a}, {b})")
    };
    add(GroupKey::Pool, replay.peaks_by(&pools.keys, pools.labels.len()), &pool);
    let types = replay.by_segment_type();
    let segment_type = |i: usize| match types.labels.get(i) {
        Some(SegmentType::Large) => "large".to_owned(),
        Some(SegmentType::Small) => "small".to_owned(),
        _ => "unknown".to_owned(),
    };
    add(GroupKey::SegmentType, replay.peaks_by(&types.keys, types.labels.len()), &segment_type);
    rows
}
