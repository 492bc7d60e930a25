//! The memory of a moment for the segment map, as columns: a hundred thousand segments are as many objects,
//! and making them would hold the page up.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{Reply, SegmentKind};
use crate::model::{Arrange, Device, FastMap, LifeId, Snapshot, fast_map};
use crate::replay::{SegmentNow, Use};
use crate::view::timeline::search;

/// At most so many lives of an address are told.
const MOST_HISTORY: usize = 200;

/// What the segments have in common, in order of appearance, and which of it each one has.
fn kinds(snapshot: &Snapshot, segments: &[SegmentNow]) -> (Vec<SegmentKind>, Vec<u32>) {
    let mut places: FastMap<(u64, u32), u32> = fast_map();
    let mut kinds = Vec::new();
    let of_each = segments.iter().map(|segment| {
        let ids = u64::from(segment.stream.0) << 32 | u64::from(segment.pool.0);
        let flags = (segment.segment_type as u32) << 2
            | u32::from(segment.is_expandable) << 1
            | u32::from(segment.is_workspace);
        *places.entry((ids, flags)).or_insert_with(|| {
            kinds.push(SegmentKind {
                stream: snapshot.streams.get(segment.stream),
                pool: snapshot.pools.get(segment.pool),
                segment_type: segment.segment_type,
                is_expandable: segment.is_expandable,
                is_workspace: segment.is_workspace,
            });
            kinds.len() as u32 - 1
        })
    });
    let of_each = of_each.collect();
    (kinds, of_each)
}

/// The segments by `sort`: those of one kind together, the largest first, or those with most free bytes first.
fn order(kinds: &[SegmentKind], kind: &[u32], segments: &[SegmentNow], sort: &str) -> Vec<u32> {
    let mut by_name: Vec<u32> = (0..kinds.len() as u32).collect();
    by_name.arrange_by_key(|&id| kinds.get(id as usize).map(|k| (k.pool, k.stream, k.segment_type)));
    let mut ranks = vec![0; kinds.len()];
    for (place, &id) in by_name.iter().enumerate() {
        if let Some(rank) = ranks.get_mut(id as usize) {
            *rank = place as u64;
        }
    }
    let keys = segments.iter().zip(kind).map(|(segment, &kind)| match sort {
        "size" => u64::MAX - segment.size.0,
        "free" => u64::MAX - segment.free().0,
        "group" => ranks.get(kind as usize).copied().unwrap_or(0),
        _ => 0,
    });
    let keys: Vec<u64> = keys.collect();
    let mut order: Vec<u32> = (0..segments.len() as u32).collect();
    order.arrange_by_key(|&index| keys.get(index as usize).copied());
    order
}

impl Loaded {
    /// Segments and blocks of a device at a state; `None` is the last one.
    pub fn segments(&self, device: Device, state: Option<u32>, sort: &str) -> Result<Reply, WireError> {
        let memory = self.memory(device)?;
        let (snapshot, replay) = (memory.snapshot, memory.replay);
        let last = replay.last_state();
        let now = replay.state(snapshot, state.unwrap_or(last).min(last));
        let (kinds, kind) = kinds(snapshot, &now.segments);
        let order = order(&kinds, &kind, &now.segments, sort);
        let of_segment = |f: &dyn Fn(&SegmentNow) -> f64| {
            now.segments.iter().map(f).collect::<Vec<f64>>().as_slice().into()
        };
        let addresses: Vec<u64> = now.segments.iter().map(|segment| segment.address.0).collect();
        let mut first_block: Vec<u32> = now.segments.iter().map(|segment| segment.blocks.start).collect();
        first_block.push(now.blocks.len() as u32);
        let starts: Vec<u64> = now
            .segments
            .iter()
            .flat_map(|segment| std::iter::repeat_n(segment.address.0, segment.blocks.len()))
            .collect();
        let column = |f: &dyn Fn(&crate::replay::BlockNow) -> f64| {
            now.blocks.iter().map(f).collect::<Vec<f64>>().as_slice().into()
        };
        let offset: Vec<f64> = now
            .blocks
            .iter()
            .zip(&starts)
            .map(|(block, &start)| block.address.0.wrapping_sub(start) as f64)
            .collect();
        let usage: Vec<u8> = now
            .blocks
            .iter()
            .map(|block| match block.usage {
                Use::Free => 0,
                Use::Allocated => 1,
                Use::Pending => 2,
                Use::Workspace => 3,
            })
            .collect();
        let category: Vec<u8> = now
            .blocks
            .iter()
            .map(|block| block.life.some().map_or(u8::MAX, |life| memory.category(life) as u8))
            .collect();
        let (exact, live) = now.exact_share();
        Ok(Reply::Segments {
            state: now.at,
            event: i64::from(now.at) - 1,
            reserved: now.reserved(),
            allocated: now.allocated(),
            active: now.active(),
            cached_free: now.cached_free(),
            exact_blocks: exact as u64,
            live_blocks: live as u64,
            kinds,
            address: addresses.as_slice().into(),
            kind: kind.as_slice().into(),
            segment_size: of_segment(&|segment| segment.size.0 as f64),
            segment_allocated: of_segment(&|segment| segment.allocated.0 as f64),
            segment_active: of_segment(&|segment| segment.active.0 as f64),
            first_block: first_block.as_slice().into(),
            order: order.as_slice().into(),
            offset: offset.as_slice().into(),
            size: column(&|block| block.size.0 as f64),
            requested: column(&|block| block.requested.0 as f64),
            usage: usage.as_slice().into(),
            category: category.as_slice().into(),
            life: now.blocks.iter().map(|block| block.life.0).collect::<Vec<u32>>().as_slice().into(),
        })
    }

    /// The block that holds an address at a state: its segment and its place in the block columns.
    pub fn find_address(&self, device: Device, state: Option<u32>, text: &str) -> Result<Reply, WireError> {
        let memory = self.memory(device)?;
        let (snapshot, replay) = (memory.snapshot, memory.replay);
        let last = replay.last_state();
        let now = replay.state(snapshot, state.unwrap_or(last).min(last));
        let digits = text.trim().trim_start_matches("0x").trim_start_matches("0X");
        let address = u64::from_str_radix(digits, 16)
            .map_err(|_| WireError::request(format!("{text:?} is not a hexadecimal address")))?;
        let address = crate::model::Address(address);
        let segment = now.segment_at(address).map(|found| found.address);
        let place = |s: &&crate::replay::SegmentNow| Some(s.address) == segment;
        let found = now.segments.iter().find(place).and_then(|segment| {
            let blocks = now.blocks_of(segment);
            let after = blocks.partition_point(|block| block.address <= address);
            after.checked_sub(1).map(|block| segment.blocks.start + block as u32)
        });
        let matches = search(snapshot, replay, &format!("0x{address}"));
        let line = |&life: &LifeId| memory.life_line(life);
        let history = matches.lives.iter().take(MOST_HISTORY).filter_map(line).collect();
        Ok(Reply::FindAddress { block: found, history })
    }
}
