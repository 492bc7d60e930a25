//! Where a trace contradicts itself or its snapshot: counted by kind, the first ones listed.
//!
//! Real files do this (rings that were cut, half-failed maps, traces trimmed by hand), so a
//! contradiction never stops the replay; it is skipped, counted and shown.

use crate::model::{Address, Bytes};
use serde::Serialize;
use std::collections::BTreeMap;

/// What kind of contradiction. The names are keys of the JSON output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnomalyKind {
    /// An alloc at an address that is still live; the old life ends there.
    ReallocOfLive,
    /// A free of an address that the trace already freed, with no alloc between.
    DoubleFree,
    /// A second `free_requested` for one life.
    RequestedTwice,
    /// `free_completed` of a life that was never asked to be freed, in a trace that records asking.
    CompletedWithoutRequest,
    /// A free whose size differs from the alloc's.
    FreeSizeDiffers,
    /// A free at the address of a workspace block.
    FreeOfWorkspace,
    /// A life open at the end of the trace whose block the snapshot does not hold.
    MissingInSnapshot,
    /// The snapshot's requested size differs from the alloc's.
    SnapshotSizeDiffers,
    /// The snapshot says pending, the trace never asked to free it (or the other way round).
    PendingDiffers,
    /// An active block of the snapshot at an address that the trace freed last.
    NotInTrace,
    /// An alloc that overlaps a live neighbour.
    Overlap,
    /// An alloc outside every segment.
    OutsideSegment,
    /// An alloc that does not begin where the free space before it begins.
    HoleBeforeAlloc,
    /// A `segment_alloc` or `segment_map` whose memory is not there afterwards.
    SegmentNeverThere,
    /// A `segment_free` or `segment_unmap` of memory that is still there afterwards.
    SegmentStillThere,
    /// Segments of the snapshot that overlap each other.
    SegmentsOverlap,
    /// More lives than can be numbered; the rest of the trace is not replayed.
    TooMany,
}

/// One contradiction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Anomaly {
    pub kind: AnomalyKind,
    /// Event number in the device's trace; `None` when it concerns the snapshot itself.
    pub event: Option<u32>,
    pub address: Address,
    pub size: Bytes,
}

/// Contradictions by kind, and the first ones of each kind.
#[derive(Clone, Debug, Default)]
pub struct Anomalies {
    counts: BTreeMap<AnomalyKind, u64>,
    listed: Vec<Anomaly>,
}

impl Anomalies {
    /// How many of one kind are kept for the list.
    pub const LISTED_PER_KIND: u64 = 50;

    pub(super) fn add(&mut self, kind: AnomalyKind, event: Option<u32>, address: Address, size: Bytes) {
        let count = self.counts.entry(kind).or_insert(0);
        *count += 1;
        if *count <= Anomalies::LISTED_PER_KIND {
            self.listed.push(Anomaly { kind, event, address, size });
        }
    }

    /// How many of each kind.
    pub fn counts(&self) -> &BTreeMap<AnomalyKind, u64> {
        &self.counts
    }

    /// How many of one kind.
    pub fn count(&self, kind: AnomalyKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// How many of all kinds.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The first ones of each kind, in the order they were found.
    pub fn listed(&self) -> &[Anomaly] {
        &self.listed
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
