//! First figures of a snapshot: what `hbmlens FILE` prints and the page's first view shows.

use super::checks::{Check, Facts, Replayed, checks};
use super::health::{Health, Risk, Signs, health};
use super::summary;
use super::totals::{DeviceTotals, PoolRow, StateRow, StreamRow, TypeRow, device_totals};
use crate::format::counters::{Counters, DeviceCounters};
use crate::model::{Bytes, Device, Snapshot, Warning, Writer};
use crate::replay::{AnomalyKind, CurveKind, Replay};
use crate::text::Message;
use serde::Serialize;
use std::collections::BTreeMap;

/// `hbmlens.overview/1`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Overview {
    pub schema: &'static str,
    pub file: FileFacts,
    pub health: Health,
    pub devices: Vec<DeviceOverview>,
    pub total: Total,
    pub checks: Vec<Check>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Warning[]"))]
    pub warnings: Vec<Warning>,
    /// Sentences about the file as a whole.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message[]"))]
    pub notes: Vec<Message>,
}

/// The file itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FileFacts {
    pub name: String,
    pub bytes: u64,
    pub format: &'static str,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "\"torch\" | \"torch_npu\" | \"unknown\""))]
    pub writer: Writer,
    /// False when it was cut or damaged.
    pub complete: bool,
}

/// One device. Field order is that of the JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DeviceOverview {
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | \"host\""))]
    pub device: Device,
    pub segments: u64,
    pub blocks: u64,
    pub events: u64,
    pub actions: BTreeMap<String, u64>,
    pub has_time: bool,
    pub reserved: Bytes,
    pub allocated: Bytes,
    pub active: Bytes,
    pub requested: Bytes,
    pub rounding: i64,
    pub pending_free: Bytes,
    pub cached_free: Bytes,
    pub workspace: Bytes,
    pub fragmentation: f64,
    pub largest_free_block: Bytes,
    pub stranded_share: f64,
    pub initial_requested: Bytes,
    pub peak_requested: Bytes,
    /// −1: the state before the first event.
    pub peak_event: i64,
    pub peak_time_us: Option<i64>,
    pub final_requested: Bytes,
    pub initial_reserved: Bytes,
    pub peak_reserved: Bytes,
    pub peak_reserved_event: i64,
    pub lives: u64,
    pub initial_lives: u64,
    pub live_at_peak: u64,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub anomalies: BTreeMap<AnomalyKind, u64>,
    pub by_state: Vec<StateRow>,
    pub by_pool: Vec<PoolRow>,
    pub by_stream: Vec<StreamRow>,
    pub by_segment_type: Vec<TypeRow>,
    /// Sentences about the device, the most important first.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message[]"))]
    pub summary: Vec<Message>,
}

/// Sums over all devices listed, the host's own among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Total {
    pub segments: u64,
    pub blocks: u64,
    pub events: u64,
    pub reserved: Bytes,
    pub allocated: Bytes,
    pub active: Bytes,
    pub requested: Bytes,
    pub rounding: i64,
    pub pending_free: Bytes,
    pub cached_free: Bytes,
    pub workspace: Bytes,
    pub initial_requested: Bytes,
    pub final_requested: Bytes,
    pub lives: u64,
    pub initial_lives: u64,
}

/// What an overview is made from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub name: &'a str,
    pub bytes: u64,
    pub snapshot: &'a Snapshot,
    /// One for each device to be shown.
    pub replays: &'a [Replay],
    pub counters: Option<&'a Counters>,
    /// Growth risk by device, in the order of `replays`; empty when it was not looked for.
    pub growth: &'a [Option<Risk>],
}

/// The overview of the devices that were replayed.
pub fn overview(input: &Input<'_>) -> Overview {
    let snapshot = input.snapshot;
    let totals: Vec<DeviceTotals> =
        input.replays.iter().map(|replay| device_totals(snapshot, replay.device)).collect();
    let facts: Vec<Facts<'_>> = totals
        .iter()
        .zip(input.replays)
        .map(|(totals, replay)| Facts {
            totals,
            counters: counters_of(snapshot, input.counters, totals.device),
            replayed: replayed(replay),
        })
        .collect();
    let signs: Vec<Signs<'_>> = totals
        .iter()
        .enumerate()
        .map(|(i, totals)| Signs {
            device: totals.device,
            sums: &totals.sums,
            events: totals.events,
            ooms: totals.actions.get("oom").copied().unwrap_or(0),
            growth: input.growth.get(i).copied().flatten(),
        })
        .collect();
    let checks = checks(snapshot, &facts);
    let health = health(&signs);
    let devices: Vec<DeviceOverview> = totals
        .iter()
        .zip(input.replays)
        .map(|(totals, replay)| DeviceOverview::new(snapshot, totals, replay))
        .collect();
    Overview {
        schema: "hbmlens.overview/1",
        file: FileFacts {
            name: input.name.to_owned(),
            bytes: input.bytes,
            format: "snapshot",
            writer: snapshot.writer,
            complete: snapshot.complete,
        },
        health,
        total: Total::of(&devices),
        devices,
        checks,
        warnings: snapshot.warnings.iter().cloned().collect(),
        notes: summary::notes(snapshot),
    }
}

/// The side-car's counters of a device; values that name no device belong to the only device with
/// segments, else to the first.
pub fn counters_of(snapshot: &Snapshot, counters: Option<&Counters>, device: Device) -> DeviceCounters {
    let first = snapshot.segments.iter().map(|s| s.device).filter(|&d| d != Device::Host).min();
    counters.map_or_else(DeviceCounters::default, |counters| counters.of(device, first))
}

fn replayed(replay: &Replay) -> Option<Replayed> {
    if replay.events() == 0 {
        return None;
    }
    let counts = replay.anomalies.counts();
    let most = counts.iter().max_by_key(|&(_, &count)| count).map(|(&kind, _)| kind);
    Some(Replayed {
        peak: replay.peak().bytes,
        last: replay.final_requested(),
        contradictions: replay.anomalies.total(),
        kind: most,
    })
}

impl DeviceOverview {
    fn new(snapshot: &Snapshot, totals: &DeviceTotals, replay: &Replay) -> DeviceOverview {
        let (sums, peak, peak_reserved) = (&totals.sums, replay.peak(), replay.peak_reserved());
        let peak_time = u32::try_from(peak.event)
            .ok()
            .filter(|&event| event < replay.events())
            .and_then(|event| snapshot.events.time_of(replay.row(event)));
        let mut device = DeviceOverview {
            device: totals.device,
            segments: sums.segments,
            blocks: sums.blocks,
            events: totals.events,
            actions: totals.actions.clone(),
            has_time: totals.has_time,
            reserved: sums.reserved,
            allocated: sums.allocated,
            active: sums.active,
            requested: sums.requested,
            rounding: sums.rounding,
            pending_free: sums.pending_free,
            cached_free: sums.cached_free,
            workspace: sums.workspace,
            fragmentation: sums.fragmentation,
            largest_free_block: sums.largest_free_block,
            stranded_share: sums.stranded_share,
            initial_requested: replay.initial_requested(),
            peak_requested: peak.bytes,
            peak_event: peak.event,
            peak_time_us: peak_time.map(|t| t.micros()),
            final_requested: replay.final_requested(),
            initial_reserved: replay.value(CurveKind::Reserved, 0),
            peak_reserved: peak_reserved.bytes,
            peak_reserved_event: peak_reserved.event,
            lives: replay.lives.len() as u64,
            initial_lives: replay.lives.initial_len() as u64,
            live_at_peak: replay.lives.live(peak.state()).len() as u64,
            anomalies: replay.anomalies.counts().clone(),
            by_state: sums.by_state.clone(),
            by_pool: totals.by_pool.clone(),
            by_stream: totals.by_stream.clone(),
            by_segment_type: totals.by_type.clone(),
            summary: Vec::new(),
        };
        device.summary = summary::device(snapshot, replay, &device);
        device
    }
}

impl Total {
    fn of(devices: &[DeviceOverview]) -> Total {
        devices.iter().fold(Total::default(), |mut total, device| {
            total.segments += device.segments;
            total.blocks += device.blocks;
            total.events += device.events;
            total.reserved += device.reserved;
            total.allocated += device.allocated;
            total.active += device.active;
            total.requested += device.requested;
            total.rounding = total.rounding.saturating_add(device.rounding);
            total.pending_free += device.pending_free;
            total.cached_free += device.cached_free;
            total.workspace += device.workspace;
            total.initial_requested += device.initial_requested;
            total.final_requested += device.final_requested;
            total.lives += device.lives;
            total.initial_lives += device.initial_lives;
            total
        })
    }
}
