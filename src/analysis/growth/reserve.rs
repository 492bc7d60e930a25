//! A: the reserve rises over the last half of the trace and never falls back.
//!
//! A flat reserve is what a healthy run has, so it must have risen, and a single segment given back says
//! that the allocator still finds room.

use crate::analysis::attribution::{Attributed, FrameText};
use crate::model::{Action, Arrange, Bytes, FastMap, FrameId, fast_map};
use core::cmp::Reverse;
use serde::Serialize;

/// What the reserve does over the last half of the trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RisingReserve {
    /// It rose and never fell back.
    pub rising: bool,
    /// Segments got less segments given back.
    pub bytes: Bytes,
    /// Where the last half begins.
    pub from_event: u32,
    /// Who had segments made, largest first.
    pub by_call_site: Vec<SegmentSite>,
}

/// Segments that allocations at one call site had made.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SegmentSite {
    /// Null where no stack was recorded.
    pub call_site: Option<FrameText>,
    pub bytes: Bytes,
    pub count: u64,
}

pub(super) fn find(memory: &Attributed<'_>, top: usize) -> RisingReserve {
    let replay = memory.replay;
    let from_event = replay.events() / 2;
    let (mut got, mut given_back) = (Bytes::ZERO, Bytes::ZERO);
    let mut sites: FastMap<FrameId, (Bytes, u64)> = fast_map();
    for event in from_event..replay.events() {
        let event = memory.snapshot.events.get(replay.row(event));
        match event.action {
            Action::SegmentAlloc | Action::SegmentMap => {
                got += event.size;
                let site = sites.entry(memory.classes.get(event.stack).call_site).or_default();
                site.0 += event.size;
                site.1 += 1;
            }
            Action::SegmentFree | Action::SegmentUnmap => given_back += event.size,
            _ => {}
        }
    }
    let mut sites: Vec<_> = sites.into_iter().collect();
    sites.arrange_by_key(|&(site, (bytes, _))| (Reverse(bytes), site));
    if top > 0 {
        sites.truncate(top);
    }
    let by_call_site = sites
        .into_iter()
        .map(|(site, (bytes, count))| SegmentSite { call_site: memory.frame_text(site), bytes, count })
        .collect();
    RisingReserve {
        rising: got > Bytes::ZERO && given_back == Bytes::ZERO,
        bytes: got - given_back,
        from_event,
        by_call_site,
    }
}
