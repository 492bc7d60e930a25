//! The six consistency checks of a snapshot.
//!
//! They say how far the figures can be trusted. What cannot be checked is "unknown", never "pass": a
//! snapshot without its process's counters is not a snapshot that agrees with them.

use super::totals::DeviceTotals;
use crate::format::counters::DeviceCounters;
use crate::model::{Bytes, Device, Segment, Snapshot};
use crate::replay::AnomalyKind;
use crate::text::Message;
use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    BlockTiling,
    ActiveTotal,
    ReservedCounter,
    AllocatedCounter,
    SnapshotIsPeak,
    Replay,
}

/// Worst first, so that the least of several is the verdict of all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Fail,
    Unknown,
    Pass,
}

/// One check over all devices.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Check {
    pub name: CheckName,
    pub status: Status,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message"))]
    pub detail: Message,
}

/// What the checks need to know of a device beside the snapshot itself.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub totals: &'a DeviceTotals,
    pub counters: DeviceCounters,
    /// Peak of requested bytes by replay, and requested bytes at the end; `None` without events.
    pub replayed: Option<Replayed>,
}

/// What the replay found.
#[derive(Clone, Copy, Debug)]
pub struct Replayed {
    pub peak: Bytes,
    pub last: Bytes,
    pub contradictions: u64,
    /// The most frequent kind of contradiction.
    pub kind: Option<AnomalyKind>,
}

impl CheckName {
    pub const ALL: [CheckName; 6] = [
        CheckName::BlockTiling,
        CheckName::ActiveTotal,
        CheckName::ReservedCounter,
        CheckName::AllocatedCounter,
        CheckName::SnapshotIsPeak,
        CheckName::Replay,
    ];

    /// The catalogue key of what the check says.
    pub fn label_key(self) -> &'static str {
        match self {
            CheckName::BlockTiling => "check.block_tiling",
            CheckName::ActiveTotal => "check.active_total",
            CheckName::ReservedCounter => "check.reserved_counter",
            CheckName::AllocatedCounter => "check.allocated_counter",
            CheckName::SnapshotIsPeak => "check.snapshot_is_peak",
            CheckName::Replay => "check.replay",
        }
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.label_key().trim_start_matches("check.")
    }
}

impl Status {
    /// The catalogue key of the status in words.
    pub fn label_key(self) -> &'static str {
        match self {
            Status::Fail => "status.fail",
            Status::Unknown => "status.unknown",
            Status::Pass => "status.pass",
        }
    }
}

/// All six checks, each over every device given.
pub fn checks(snapshot: &Snapshot, devices: &[Facts<'_>]) -> Vec<Check> {
    CheckName::ALL
        .into_iter()
        .map(|name| {
            let results = devices
                .iter()
                .filter(|facts| asks(name, facts, devices))
                .map(|facts| (facts.totals.device, run(name, snapshot, facts)));
            let (status, detail) = join(results.collect());
            Check { name, status, detail }
        })
        .collect()
}

/// False for the segments of a device that has none while others have: with the history on, a device
/// that is there but not used holds one event, and nothing to check.
fn asks(name: CheckName, facts: &Facts<'_>, devices: &[Facts<'_>]) -> bool {
    !matches!(name, CheckName::BlockTiling | CheckName::ActiveTotal)
        || facts.totals.sums.segments > 0
        || devices.iter().all(|other| other.totals.sums.segments == 0)
}

/// True when a check failed (not: could not be made).
pub fn any_failed(checks: &[Check]) -> bool {
    checks.iter().any(|check| check.status == Status::Fail)
}

/// The catalogue key of a kind of contradiction in words.
pub fn anomaly_key(kind: AnomalyKind) -> &'static str {
    match kind {
        AnomalyKind::ReallocOfLive => "anomaly.realloc_of_live",
        AnomalyKind::DoubleFree => "anomaly.double_free",
        AnomalyKind::RequestedTwice => "anomaly.requested_twice",
        AnomalyKind::CompletedWithoutRequest => "anomaly.completed_without_request",
        AnomalyKind::FreeSizeDiffers => "anomaly.free_size_differs",
        AnomalyKind::FreeOfWorkspace => "anomaly.free_of_workspace",
        AnomalyKind::MissingInSnapshot => "anomaly.missing_in_snapshot",
        AnomalyKind::SnapshotSizeDiffers => "anomaly.snapshot_size_differs",
        AnomalyKind::PendingDiffers => "anomaly.pending_differs",
        AnomalyKind::NotInTrace => "anomaly.not_in_trace",
        AnomalyKind::Overlap => "anomaly.overlap",
        AnomalyKind::OutsideSegment => "anomaly.outside_segment",
        AnomalyKind::HoleBeforeAlloc => "anomaly.hole_before_alloc",
        AnomalyKind::SegmentNeverThere => "anomaly.segment_never_there",
        AnomalyKind::SegmentStillThere => "anomaly.segment_still_there",
        AnomalyKind::SegmentsOverlap => "anomaly.segments_overlap",
        AnomalyKind::TooMany => "anomaly.too_many",
    }
}

type Outcome = (Status, Message);

fn join(mut results: Vec<(Device, Outcome)>) -> Outcome {
    if results.len() == 1
        && let Some((_, outcome)) = results.pop()
    {
        return outcome;
    }
    let status = results.iter().map(|(_, (status, _))| *status).min().unwrap_or(Status::Unknown);
    if results.is_empty() {
        return (status, Message::new("check.detail.no_segments"));
    }
    let details = results
        .into_iter()
        .map(|(device, (_, detail))| {
            Message::new("check.on_device").text("device", device.to_string()).list("detail", vec![detail])
        })
        .collect();
    (status, Message::new("check.devices").list("details", details))
}

fn run(name: CheckName, snapshot: &Snapshot, facts: &Facts<'_>) -> Outcome {
    let sums = &facts.totals.sums;
    let counters = &facts.counters;
    match name {
        CheckName::BlockTiling => block_tiling(snapshot, facts.totals),
        CheckName::ActiveTotal => active_total(facts.totals),
        CheckName::ReservedCounter => counter(sums.reserved, counters.reserved, "memory_reserved"),
        CheckName::AllocatedCounter => counter(sums.allocated, counters.allocated, "memory_allocated"),
        CheckName::SnapshotIsPeak => snapshot_is_peak(facts),
        CheckName::Replay => match facts.replayed {
            None => (Status::Unknown, Message::new("check.detail.no_events")),
            Some(r) if r.contradictions == 0 => {
                (Status::Pass, Message::new("check.detail.replay_ok").count("events", facts.totals.events))
            }
            Some(r) => (
                Status::Fail,
                Message::new("check.detail.replay_bad")
                    .count("anomalies", r.contradictions)
                    .list("kind", r.kind.map(anomaly_key).map(Message::new).into_iter().collect()),
            ),
        },
    }
}

fn block_tiling(snapshot: &Snapshot, totals: &DeviceTotals) -> Outcome {
    if totals.sums.segments == 0 {
        return (Status::Unknown, Message::new("check.detail.no_segments"));
    }
    let mut bad = snapshot.segments_of(totals.device).map(|(_, s)| s).filter(|s| !tiles(snapshot, s));
    let Some(first) = bad.next() else {
        return (
            Status::Pass,
            Message::new("check.detail.tiling_ok").count("segments", totals.sums.segments),
        );
    };
    let blocks = first.block_ids().map(|id| snapshot.blocks.get(id).size).sum();
    let detail = Message::new("check.detail.tiling_bad")
        .count("bad", 1 + bad.count() as u64)
        .address("address", first.address)
        .bytes("blocks", blocks)
        .bytes("total", first.total_size);
    (Status::Fail, detail)
}

/// Each block begins where the one before ends, the first at the segment, the last ends with it.
fn tiles(snapshot: &Snapshot, segment: &Segment) -> bool {
    let mut blocks: Vec<(u64, u64)> = segment
        .block_ids()
        .map(|id| snapshot.blocks.get(id))
        .map(|block| (block.address.0, block.size.0))
        .collect();
    blocks.sort_unstable();
    let mut at = segment.address.0;
    for (address, size) in blocks {
        let Some(next) = at.checked_add(size).filter(|_| address == at) else { return false };
        at = next;
    }
    segment.address.0.checked_add(segment.total_size.0) == Some(at)
}

fn active_total(totals: &DeviceTotals) -> Outcome {
    let sums = &totals.sums;
    if sums.segments == 0 {
        return (Status::Unknown, Message::new("check.detail.no_segments"));
    }
    let allocated = sums.state_bytes("active_allocated");
    let active = allocated + sums.state_bytes("active_pending_free");
    if (active, allocated) == (sums.active, sums.allocated) {
        let detail =
            Message::new("check.detail.totals_ok").bytes("active", active).bytes("allocated", allocated);
        return (Status::Pass, detail);
    }
    let detail = Message::new("check.detail.totals_bad")
        .bytes("active", active)
        .bytes("allocated", allocated)
        .bytes("said_active", sums.active)
        .bytes("said_allocated", sums.allocated);
    (Status::Fail, detail)
}

fn counter(snapshot: Bytes, counter: Option<Bytes>, name: &str) -> Outcome {
    match counter {
        None => (Status::Unknown, Message::new("check.detail.no_counter").text("counter", name)),
        Some(value) if value == snapshot => {
            (Status::Pass, Message::new("check.detail.counter_equal").bytes("value", value))
        }
        Some(value) => (
            Status::Fail,
            Message::new("check.detail.counter_differs")
                .bytes("snapshot", snapshot)
                .bytes("counter", value)
                .difference("difference", snapshot.minus(value)),
        ),
    }
}

fn snapshot_is_peak(facts: &Facts<'_>) -> Outcome {
    let held = facts.totals.sums.allocated;
    if let Some(peak) = facts.counters.max_allocated {
        // Within 2 %, in integers: (peak − held) · 50 ≤ peak. What exceeds the counter is not below it.
        let gap = peak.saturating_sub(held);
        let near = u128::from(gap.0) * 50 <= u128::from(peak.0);
        let key = if near { "check.detail.peak_near" } else { "check.detail.peak_far" };
        let status = if near { Status::Pass } else { Status::Fail };
        let detail =
            Message::new(key).bytes("peak", peak).bytes("held", held).share("gap", gap.share_of(peak));
        return (status, detail);
    }
    let detail = match facts.replayed {
        None => Message::new("check.detail.no_counter").text("counter", "max_memory_allocated"),
        Some(r) => Message::new("check.detail.peak_unknown")
            .bytes("peak", r.peak)
            .difference("gap", r.peak.minus(r.last))
            .bytes("held", r.last),
    };
    (Status::Unknown, detail)
}

#[cfg(test)]
mod tests;
