//! Why an allocation failed: `hbmlens.oom/1`.
//!
//! Each `oom` event is judged by the memory just before it. Six rules are tried in the order in which
//! a cure is cheapest; the first that holds is the verdict, the others that hold are said too, so that
//! a full device with a leak is called both.

mod room;
mod verdict;

pub use room::Room;
pub use verdict::{Contribution, Verdict};

use super::attribution::{Attributed, FrameText};
use super::growth::DeviceGrowth;
use super::peak::{CallSiteRow, CategoryRow, EventRow, by_call_site, by_category, event_row};
use crate::model::{Action, Arrange, Bytes, Device, FastMap, Frame, FrameId, SegmentType, StackId, fast_map};
use crate::text::Message;
use core::cmp::Reverse;
use serde::Serialize;

/// A call site whose live bytes grow from step to step, as the growth analysis finds it.
#[derive(Clone, PartialEq, Debug)]
pub struct GrowingSite {
    pub site: FrameId,
    pub bytes_per_step: Bytes,
    /// Bytes it holds at the end of its growth.
    pub held: Bytes,
}

/// The growing call sites of a growth analysis, the fastest first.
pub fn growing_sites(memory: &Attributed<'_>, growth: &DeviceGrowth) -> Vec<GrowingSite> {
    let (strings, frames) = (&memory.snapshot.strings, &memory.snapshot.frames);
    let mut sites: Vec<GrowingSite> = Vec::new();
    for grower in &growth.growth {
        let site = &grower.call_site;
        let is_site = |frame: Frame| {
            frame.line == site.line
                && strings.get(frame.file) == site.file
                && strings.get(frame.function) == site.function
        };
        let Some((frame, _)) = frames.iter().find(|&(_, frame)| is_site(frame)) else { continue };
        if sites.iter().all(|known| known.site != frame) {
            let (bytes_per_step, held) = (grower.bytes_per_step, grower.last);
            sites.push(GrowingSite { site: frame, bytes_per_step, held });
        }
    }
    sites
}

/// What the file does not say.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OomOptions<'a> {
    /// Memory of the device: from the side-car, an option or a field.
    pub limit: Option<Bytes>,
    pub growing: &'a [GrowingSite],
    /// Rows of each list, 0 for all.
    pub top: usize,
}

/// Out-of-memories of one device.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DeviceOoms {
    pub device: Device,
    pub ooms: Vec<OomReport>,
}

/// One out-of-memory. Block bytes of the state just before it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OomReport {
    pub event: u32,
    pub time_us: Option<i64>,
    /// The rounded request that failed.
    pub requested: Bytes,
    pub device_free: Bytes,
    /// Null where no one told.
    pub limit: Option<Bytes>,
    pub allocated: Bytes,
    pub active: Bytes,
    /// Block bytes whose free is not complete.
    pub pending: Bytes,
    /// Workspace included.
    pub reserved: Bytes,
    /// Without workspace.
    pub cached_free: Bytes,
    /// The part of it in the stream, pool and size class of the request.
    pub cached_free_usable: Bytes,
    pub largest_usable: Bytes,
    pub largest_any: Bytes,
    pub workspace: Bytes,
    /// Memory of the device that is not this allocator's; null without the limit.
    pub others: Option<Bytes>,
    pub stream: i64,
    pub pool: (i64, i64),
    pub segment_type: SegmentType,
    pub verdict: Verdict,
    pub contributing: Vec<Contribution>,
    /// The figures that the verdict rests on, in words.
    pub evidence: Vec<Message>,
    pub by_category: Vec<CategoryRow>,
    pub by_call_site: Vec<CallSiteRow>,
    /// The 50 events before it, newest first.
    pub before: Vec<EventRow>,
    /// Stacks that allocated at least three times among them.
    pub repeated: Vec<RepeatedStack>,
    pub advice: Vec<Message>,
}

/// A stack that allocates again and again.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RepeatedStack {
    pub count: u64,
    pub bytes: Bytes,
    pub call_site: Option<FrameText>,
    /// Innermost first.
    pub stack: Vec<FrameText>,
}

/// Events shown before an out-of-memory.
const BEFORE: u32 = 50;
/// Allocations of one stack among them that make it worth naming.
const REPEATED: u64 = 3;

/// All out-of-memories of a device, in the order of its trace.
pub fn ooms(memory: &Attributed<'_>, options: &OomOptions<'_>) -> DeviceOoms {
    let actions = &memory.snapshot.events.action;
    let events = 0..memory.replay.events();
    let found = events.filter(|&event| actions[memory.replay.row(event)] == Action::Oom);
    DeviceOoms {
        device: memory.replay.device,
        ooms: found.map(|event| oom(memory, options, event)).collect(),
    }
}

fn oom(memory: &Attributed<'_>, options: &OomOptions<'_>, event: u32) -> OomReport {
    let room = Room::before(memory, event);
    let judged = verdict::judge(memory, &room, options);
    let live = memory.lives().live(event);
    let limit = options.limit;
    OomReport {
        event,
        time_us: memory.time_us(i64::from(event)),
        requested: room.requested,
        device_free: room.device_free,
        limit,
        allocated: room.allocated,
        active: room.active,
        pending: room.pending,
        reserved: room.reserved,
        cached_free: room.cached_free,
        cached_free_usable: room.cached_free_usable,
        largest_usable: room.largest_usable,
        largest_any: room.largest_any,
        workspace: room.workspace,
        others: limit.map(|limit| limit - room.device_free - room.reserved),
        stream: room.stream,
        pool: room.pool,
        segment_type: room.segment_type,
        verdict: judged.verdict,
        contributing: judged.contributing,
        evidence: judged.evidence,
        by_category: by_category(memory, live.iter().copied()),
        by_call_site: by_call_site(memory, live.iter().copied(), options.top),
        before: before(event).rev().map(|event| event_row(memory, event)).collect(),
        repeated: repeated(memory, event),
        advice: judged.advice,
    }
}

fn before(event: u32) -> core::ops::Range<u32> {
    event.saturating_sub(BEFORE)..event
}

fn repeated(memory: &Attributed<'_>, event: u32) -> Vec<RepeatedStack> {
    let mut stacks: FastMap<StackId, (u64, Bytes)> = fast_map();
    for event in before(event) {
        let read = memory.snapshot.events.get(memory.replay.row(event));
        if read.action == Action::Alloc && !memory.snapshot.stacks.get(read.stack).is_empty() {
            let entry = stacks.entry(read.stack).or_default();
            entry.0 += 1;
            entry.1 += read.size;
        }
    }
    let mut stacks: Vec<_> = stacks.into_iter().filter(|&(_, (count, _))| count >= REPEATED).collect();
    stacks.arrange_by_key(|&(stack, (count, bytes))| (Reverse(count), Reverse(bytes), stack));
    let row = |(stack, (count, bytes))| RepeatedStack {
        count,
        bytes,
        call_site: memory.frame_text(memory.classes.get(stack).call_site),
        stack: memory.stack_text(stack),
    };
    stacks.into_iter().map(row).collect()
}
