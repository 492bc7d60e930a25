//! The memory of a moment for the segment map: segments as rows, their blocks as columns.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{Reply, SegmentRow};
use crate::model::{Device, LifeId};
use crate::replay::Use;
use crate::view::timeline::search;

/// At most so many lives of an address are told.
const MOST_HISTORY: usize = 200;

impl Loaded {
    /// Segments and blocks of a device at a state; `None` is the last one.
    pub fn segments(&self, device: Device, state: Option<u32>) -> Result<Reply, WireError> {
        let memory = self.memory(device)?;
        let (snapshot, replay) = (memory.snapshot, memory.replay);
        let last = replay.last_state();
        let now = replay.state(snapshot, state.unwrap_or(last).min(last));
        let segments = now
            .segments
            .iter()
            .map(|segment| SegmentRow {
                address: format!("0x{}", segment.address),
                size: segment.size,
                allocated: segment.allocated,
                active: segment.active,
                stream: snapshot.streams.get(segment.stream),
                pool: snapshot.pools.get(segment.pool),
                segment_type: format!("{:?}", segment.segment_type).to_lowercase(),
                is_expandable: segment.is_expandable,
                is_workspace: segment.is_workspace,
                first_block: segment.blocks.start,
                blocks: segment.blocks.end - segment.blocks.start,
            })
            .collect();
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
            segments,
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
