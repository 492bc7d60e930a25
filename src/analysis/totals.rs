//! The totals of a snapshot: per device, per pool, stream and size class, and of all devices.
//!
//! One pass over segments and blocks adds everything into [`Sums`], the same figures at every level,
//! so that rows always add up to their total. Workspace blocks of torch_npu say `inactive` although
//! they are in use; they are a class of their own here, in none of allocated, active and requested.

use crate::model::{
    Action, Address, Arrange, Block, BlockState, Bytes, Device, FastSet, Segment, SegmentType, Snapshot,
    fast_set,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The figures of any part of the memory. Field order is that of the JSON.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Sums {
    pub segments: u64,
    pub blocks: u64,
    pub reserved: Bytes,
    pub allocated: Bytes,
    pub active: Bytes,
    /// Requested bytes of allocated blocks.
    pub requested: Bytes,
    /// Σ (size − requested) over allocated blocks. Negative where requested sizes exceed the blocks.
    pub rounding: i64,
    pub pending_free: Bytes,
    /// Reserved, but neither active nor workspace.
    pub cached_free: Bytes,
    pub workspace: Bytes,
    /// (reserved − allocated) / reserved.
    pub fragmentation: f64,
    pub largest_free_block: Bytes,
    /// 1 − largest free block / all free blocks: how much of the free memory no single request can get.
    pub stranded_share: f64,
    pub by_state: Vec<StateRow>,
}

/// Blocks of one state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StateRow {
    /// A block state, or `workspace`.
    pub state: &'static str,
    pub count: u64,
    pub bytes: Bytes,
}

/// The part of a device in one pool, on one stream, in one size class.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PoolRow {
    pub pool: (i64, i64),
    pub stream: i64,
    pub segment_type: SegmentType,
    #[serde(flatten)]
    pub sums: Sums,
}

/// The part of a device on one stream.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StreamRow {
    pub stream: i64,
    #[serde(flatten)]
    pub sums: Sums,
}

/// The part of a device in one size class.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TypeRow {
    pub segment_type: SegmentType,
    #[serde(flatten)]
    pub sums: Sums,
}

/// One device.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceTotals {
    pub device: Device,
    pub sums: Sums,
    pub events: u64,
    /// Events by the name of their action.
    pub actions: BTreeMap<String, u64>,
    pub has_time: bool,
    pub by_pool: Vec<PoolRow>,
    pub by_stream: Vec<StreamRow>,
    pub by_type: Vec<TypeRow>,
}

const WORKSPACE: &str = "workspace";

impl Sums {
    fn add_segment(&mut self, segment: &Segment) {
        self.segments += 1;
        self.reserved += segment.total_size;
        self.allocated += segment.allocated_size;
        self.active += segment.active_size;
    }

    fn add_block(&mut self, block: &Block, requested: Bytes, workspace: bool) {
        self.blocks += 1;
        let state = if workspace { WORKSPACE } else { block.state.name() };
        match self.by_state.iter_mut().find(|row| row.state == state) {
            Some(row) => {
                row.count += 1;
                row.bytes += block.size;
            }
            None => self.by_state.push(StateRow { state, count: 1, bytes: block.size }),
        }
        match block.state {
            _ if workspace => self.workspace += block.size,
            BlockState::ActiveAllocated => {
                self.requested += requested;
                self.rounding = self.rounding.saturating_add(block.size.minus(requested));
            }
            BlockState::ActivePendingFree => self.pending_free += block.size,
            BlockState::Inactive => self.largest_free_block = self.largest_free_block.max(block.size),
            BlockState::Unknown => {}
        }
    }

    /// Adds a part that is already summed up.
    pub fn add(&mut self, part: &Sums) {
        self.segments += part.segments;
        self.blocks += part.blocks;
        self.reserved += part.reserved;
        self.allocated += part.allocated;
        self.active += part.active;
        self.requested += part.requested;
        self.rounding = self.rounding.saturating_add(part.rounding);
        self.pending_free += part.pending_free;
        self.workspace += part.workspace;
        self.largest_free_block = self.largest_free_block.max(part.largest_free_block);
        for row in &part.by_state {
            match self.by_state.iter_mut().find(|mine| mine.state == row.state) {
                Some(mine) => {
                    mine.count += row.count;
                    mine.bytes += row.bytes;
                }
                None => self.by_state.push(row.clone()),
            }
        }
        self.derive();
    }

    /// Brings the figures that follow from others up to date.
    fn derive(&mut self) {
        self.cached_free = self.reserved - self.active - self.workspace;
        self.fragmentation = (self.reserved - self.allocated).share_of(self.reserved);
        let free = self.free_blocks();
        self.stranded_share = (free - self.largest_free_block).share_of(free);
        self.by_state.arrange_by_key(|row| row.state);
    }

    /// Bytes of free blocks.
    pub fn free_blocks(&self) -> Bytes {
        self.state_bytes(BlockState::Inactive.name())
    }

    /// Bytes of blocks in that state.
    pub fn state_bytes(&self, state: &str) -> Bytes {
        self.by_state.iter().find(|row| row.state == state).map_or(Bytes::ZERO, |row| row.bytes)
    }

    /// The fragmentation with workspace counted as in use, which is what a grade should go by: nobody
    /// can use that memory, and no setting gives it back.
    pub fn idle_share(&self) -> f64 {
        (self.reserved - self.allocated - self.workspace).share_of(self.reserved)
    }
}

/// Addresses that a `workspace_snapshot` entry of the device's trace names.
pub fn workspace_addresses(snapshot: &Snapshot, device: Device) -> FastSet<Address> {
    let mut addresses = fast_set();
    for row in snapshot.rows_of(device) {
        if snapshot.events.action[row] == Action::WorkspaceSnapshot {
            addresses.insert(snapshot.events.address[row]);
        }
    }
    addresses
}

/// True for the block of a workspace segment: its only block, at a workspace address, not allocated.
fn is_workspace(workspace: &FastSet<Address>, segment: &Segment, block: &Block) -> bool {
    !workspace.is_empty()
        && segment.blocks.len() == 1
        && block.state == BlockState::Inactive
        && workspace.contains(&block.address)
}

/// The totals of one device.
pub fn device_totals(snapshot: &Snapshot, device: Device) -> DeviceTotals {
    let workspace = workspace_addresses(snapshot, device);
    let mut parts: BTreeMap<((i64, i64), i64, SegmentType), Sums> = BTreeMap::new();
    for (_, segment) in snapshot.segments_of(device) {
        let key =
            (snapshot.pools.get(segment.pool), snapshot.streams.get(segment.stream), segment.segment_type);
        let sums = parts.entry(key).or_default();
        sums.add_segment(segment);
        for id in segment.block_ids() {
            let block = snapshot.blocks.get(id);
            let requested = snapshot.blocks.requested(block);
            sums.add_block(block, requested, is_workspace(&workspace, segment, block));
        }
    }
    let mut sums = Sums::default();
    let mut by_pool = Vec::with_capacity(parts.len());
    for ((pool, stream, segment_type), mut part) in parts {
        part.derive();
        sums.add(&part);
        by_pool.push(PoolRow { pool, stream, segment_type, sums: part });
    }
    let by_stream = merged(&by_pool, |row| row.stream);
    let by_type = merged(&by_pool, |row| row.segment_type);
    let rows = snapshot.rows_of(device);
    DeviceTotals {
        device,
        sums,
        events: rows.len() as u64,
        actions: count_actions(snapshot, rows.clone()),
        has_time: rows.clone().any(|row| snapshot.events.time_of(row).is_some()),
        by_pool,
        by_stream: by_stream.into_iter().map(|(stream, sums)| StreamRow { stream, sums }).collect(),
        by_type: by_type.into_iter().map(|(segment_type, sums)| TypeRow { segment_type, sums }).collect(),
    }
}

/// The sums of the rows with the same key, in order of the keys.
fn merged<K: Ord>(rows: &[PoolRow], key: impl Fn(&PoolRow) -> K) -> Vec<(K, Sums)> {
    let mut rows: Vec<&PoolRow> = rows.iter().collect();
    rows.arrange_by_key(|row| key(row));
    let groups = rows.chunk_by(|a, b| key(a) == key(b));
    groups
        .map(|group| {
            let mut sums = Sums::default();
            group.iter().for_each(|row| sums.add(&row.sums));
            (key(group[0]), sums)
        })
        .collect()
}

fn count_actions(snapshot: &Snapshot, rows: core::ops::Range<usize>) -> BTreeMap<String, u64> {
    let mut named = [0_u64; Action::NAMED.len()];
    let mut actions = BTreeMap::new();
    for row in rows {
        let action = snapshot.events.action[row];
        match named.get_mut(action as usize) {
            Some(count) => *count += 1,
            None => {
                let name = snapshot.strings.get(snapshot.events.other_action.get(row));
                let name = if name.is_empty() { action.name() } else { name };
                *actions.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
    }
    for (&(_, name), count) in Action::NAMED.iter().zip(named) {
        if count > 0 {
            *actions.entry(name.to_owned()).or_insert(0) += count;
        }
    }
    actions
}
