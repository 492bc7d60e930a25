//! Pieces: each stretch of device memory from the event that mapped it to the one that gave it back.
//!
//! A segment of the device is one piece; an expandable segment is as many as there were maps, cut where
//! an unmap took only a part. Pieces are numbered in birth order and indexed like lives, so "which
//! segments were there" needs no replay either. What was mapped before the trace follows from the
//! snapshot by undoing the events backwards; only then can they be played forwards.

use super::anomalies::{Anomalies, AnomalyKind};
use super::interval_index::{FOREVER, IntervalIndex};
use super::ranges::Ranges;
use crate::model::{
    Action, Address, Bytes, Device, FastSet, PoolId, SegmentId, SegmentType, Snapshot, StackId, StreamId,
    fast_set,
};
use core::ops::Range;

/// One stretch of memory. States as in [`LifeTable`](super::LifeTable).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Piece {
    pub address: Address,
    pub size: Bytes,
    pub stream: StreamId,
    pub pool: PoolId,
    pub segment_type: SegmentType,
    pub is_expandable: bool,
    /// A segment of torch_npu's workspace.
    pub is_workspace: bool,
    /// The stack that got it from the device, where known.
    pub stack: StackId,
    /// The snapshot's segment it lies in, if it is still there at the end.
    pub segment: SegmentId,
}

impl Piece {
    pub fn end(&self) -> u64 {
        self.address.0.saturating_add(self.size.0)
    }
}

/// What one segment event did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentChange {
    pub event: u32,
    /// Bytes of reserved memory gained or lost.
    pub delta: i64,
    /// Pieces that begin with it (also what remains of one that was cut).
    pub opened: Range<u32>,
    /// Where its closed pieces stand in the list of [`PieceTable::closed_by`].
    closed: Range<u32>,
}

/// All pieces of one device, and the changes that made and ended them.
#[derive(Clone, Debug, Default)]
pub struct PieceTable {
    rows: Vec<Piece>,
    birth: Vec<u32>,
    death: Vec<u32>,
    index: IntervalIndex,
    changes: Vec<SegmentChange>,
    closed: Vec<u32>,
    /// Addresses where one expandable segment of the snapshot ends and another begins.
    boundaries: Vec<u64>,
    /// Σ total_size of the snapshot.
    reserved_at_end: i64,
}

impl PieceTable {
    pub fn rows(&self) -> &[Piece] {
        &self.rows
    }

    /// The birth column: states, ascending.
    pub fn births(&self) -> &[u32] {
        &self.birth
    }

    /// The death column.
    pub fn deaths(&self) -> &[u32] {
        &self.death
    }

    pub fn birth(&self, piece: u32) -> u32 {
        self.birth.get(piece as usize).copied().unwrap_or(FOREVER)
    }

    pub fn death(&self, piece: u32) -> u32 {
        self.death.get(piece as usize).copied().unwrap_or(0)
    }

    /// The segment events that changed something, in order.
    pub fn changes(&self) -> &[SegmentChange] {
        &self.changes
    }

    /// The pieces that a change ended.
    pub fn closed_by(&self, change: &SegmentChange) -> &[u32] {
        self.closed.get(change.closed.start as usize..change.closed.end as usize).unwrap_or(&[])
    }

    /// Calls `found` for each piece there at `state`.
    pub fn there_at(&self, state: u32, found: impl FnMut(u32)) {
        self.index.alive(&self.birth, &self.death, state, found);
    }

    /// Whether memory at `address` belongs to another segment than the byte before it, although both
    /// are of expandable segments.
    pub fn is_boundary(&self, address: u64) -> bool {
        self.boundaries.binary_search(&address).is_ok()
    }

    pub(super) fn reserved_at_end(&self) -> i64 {
        self.reserved_at_end
    }

    /// A piece whose size class no one told learns it from the first block in it.
    pub(super) fn learn_type(&mut self, piece: u32, segment_type: SegmentType) {
        if let Some(row) = self.rows.get_mut(piece as usize)
            && row.segment_type == SegmentType::Unknown
        {
            row.segment_type = segment_type;
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Piece>()
            + (self.birth.capacity() + self.death.capacity() + self.closed.capacity()) * 4
            + self.changes.capacity() * size_of::<SegmentChange>()
            + self.boundaries.capacity() * 8
            + self.index.heap_bytes()
    }

    /// Works the pieces out of the snapshot's segments and the device's segment events.
    pub(super) fn new(
        snapshot: &Snapshot,
        device: Device,
        trace: Range<usize>,
        anomalies: &mut Anomalies,
    ) -> PieceTable {
        let workspace = workspace_addresses(snapshot, trace.clone());
        let mut end = Ranges::new();
        let mut reserved_at_end = 0_i64;
        for (id, segment) in snapshot.segments_of(device) {
            let (start, size) = (segment.address.0, segment.total_size);
            reserved_at_end = reserved_at_end.wrapping_add(size.0 as i64);
            match start.checked_add(size.0) {
                Some(stop) if end.within(start, stop).is_empty() => end.insert(start, stop, id),
                _ => anomalies.add(AnomalyKind::SegmentsOverlap, None, segment.address, size),
            }
        }
        let mut boundaries = Vec::new();
        let mut before: Option<u64> = None;
        for (start, stop, id) in end.iter() {
            if before == Some(start) && snapshot.segments[id.index()].is_expandable {
                boundaries.push(start);
            }
            before = Some(stop);
        }

        let undone = Undone::new(snapshot, trace.clone(), &end, &workspace, anomalies);
        let mut table = PieceTable { boundaries, reserved_at_end, ..PieceTable::default() };
        let mut there = Ranges::new();
        for &(start, stop, attributes) in &undone.initial {
            let id = table.open(0, start, stop, attributes);
            there.insert(start, stop, id);
        }
        let mut odd = undone.odd.iter().rev().peekable();
        for row in trace.clone() {
            let action = snapshot.events.action[row];
            if !is_segment_action(action) {
                continue;
            }
            let event = (row - trace.start) as u32;
            let address = snapshot.events.address[row].0;
            let whole = [(address, address.saturating_add(snapshot.events.size[row].0))];
            let parts: &[(u64, u64)] = match odd.next_if(|o| o.0 == event) {
                Some((_, parts)) => parts,
                None => &whole,
            };
            if parts.is_empty() {
                continue;
            }
            table.play(
                event,
                is_grow(action),
                parts,
                attributes_of_event(snapshot, row, &workspace),
                &mut there,
            );
        }
        for (row, &death) in table.rows.iter_mut().zip(&table.death) {
            if death == FOREVER
                && let Some((_, _, id)) = end.at(row.address.0)
            {
                let from_event = row.stack;
                *row = Piece {
                    address: row.address,
                    size: row.size,
                    ..attributes_of_segment(snapshot, id, row.is_workspace)
                };
                row.stack = from_event.some().unwrap_or(row.stack);
            }
        }
        table.index = IntervalIndex::new(&table.death);
        table
    }

    fn open(&mut self, birth: u32, start: u64, stop: u64, attributes: Piece) -> u32 {
        let id = self.rows.len() as u32;
        self.rows.push(Piece { address: Address(start), size: Bytes(stop - start), ..attributes });
        self.birth.push(birth);
        self.death.push(FOREVER);
        id
    }

    fn play(
        &mut self,
        event: u32,
        grow: bool,
        parts: &[(u64, u64)],
        attributes: Piece,
        there: &mut Ranges<u32>,
    ) {
        let state = event + 1;
        let (first_opened, first_closed) = (self.rows.len() as u32, self.closed.len() as u32);
        let mut delta = 0_i64;
        for &(start, stop) in parts {
            if grow {
                let id = self.open(state, start, stop, attributes);
                there.insert(start, stop, id);
                delta = delta.wrapping_add((stop - start) as i64);
                continue;
            }
            for (s, e, id) in there.remove(start, stop) {
                self.closed.push(id);
                self.death[id as usize] = state;
                delta = delta.wrapping_sub((e.min(stop) - s.max(start)) as i64);
                let left_over = self.rows[id as usize];
                for (s, e) in [(s, start), (stop, e)] {
                    if s < e {
                        let rest = self.open(state, s, e, left_over);
                        there.insert(s, e, rest);
                    }
                }
            }
        }
        self.changes.push(SegmentChange {
            event,
            delta,
            opened: first_opened..self.rows.len() as u32,
            closed: first_closed..self.closed.len() as u32,
        });
    }
}

/// The segment events undone, last to first.
struct Undone {
    /// What was mapped before the first event.
    initial: Vec<(u64, u64, Piece)>,
    /// Events that fit only in part, or not at all, with the part that fits; last event first.
    odd: Vec<(u32, Vec<(u64, u64)>)>,
}

impl Undone {
    fn new(
        snapshot: &Snapshot,
        trace: Range<usize>,
        end: &Ranges<SegmentId>,
        workspace: &FastSet<u64>,
        anomalies: &mut Anomalies,
    ) -> Undone {
        let mut attributes: Vec<Piece> = Vec::new();
        let mut there: Ranges<usize> = Ranges::new();
        for (start, stop, id) in end.iter() {
            there.insert(start, stop, attributes.len());
            attributes.push(attributes_of_segment(snapshot, id, workspace.contains(&start)));
        }
        let (mut odd, mut found) = (Vec::new(), Vec::new());
        for row in trace.clone().rev() {
            let action = snapshot.events.action[row];
            if !is_segment_action(action) {
                continue;
            }
            let event = (row - trace.start) as u32;
            let (address, size) = (snapshot.events.address[row], snapshot.events.size[row]);
            let stop = address.0.saturating_add(size.0);
            let (parts, kind): (Vec<(u64, u64)>, _) = if is_grow(action) {
                let parts = there.within(address.0, stop).into_iter().map(|(s, e, _)| (s, e)).collect();
                there.remove(address.0, stop);
                (parts, AnomalyKind::SegmentNeverThere)
            } else {
                let parts = there.uncovered(address.0, stop);
                for &(s, e) in &parts {
                    there.insert(s, e, attributes.len());
                }
                attributes.push(attributes_of_event(snapshot, row, workspace));
                (parts, AnomalyKind::SegmentStillThere)
            };
            let fits: u64 = parts.iter().map(|&(s, e)| e - s).sum();
            if fits != size.0 {
                found.push((kind, event, address, size));
                odd.push((event, parts));
            }
        }
        for (kind, event, address, size) in found.into_iter().rev() {
            anomalies.add(kind, Some(event), address, size);
        }
        let initial = there.iter().map(|(s, e, a)| (s, e, attributes[a])).collect();
        Undone { initial, odd }
    }
}

/// The addresses that `workspace_snapshot` entries name.
pub(super) fn workspace_addresses(snapshot: &Snapshot, trace: Range<usize>) -> FastSet<u64> {
    let mut addresses = fast_set();
    for row in trace {
        if snapshot.events.action[row] == Action::WorkspaceSnapshot {
            addresses.insert(snapshot.events.address[row].0);
        }
    }
    addresses
}

pub(super) fn is_segment_action(action: Action) -> bool {
    matches!(action, Action::SegmentAlloc | Action::SegmentFree | Action::SegmentMap | Action::SegmentUnmap)
}

fn is_grow(action: Action) -> bool {
    matches!(action, Action::SegmentAlloc | Action::SegmentMap)
}

fn attributes_of_segment(snapshot: &Snapshot, id: SegmentId, is_workspace: bool) -> Piece {
    let segment = &snapshot.segments[id.index()];
    Piece {
        address: segment.address,
        size: segment.total_size,
        stream: segment.stream,
        pool: segment.pool,
        segment_type: segment.segment_type,
        is_expandable: segment.is_expandable,
        is_workspace,
        stack: segment.stack,
        segment: id,
    }
}

/// A segment of the device is small when it has the small buffer's size; of a mapped page only the
/// blocks in it tell.
fn attributes_of_event(snapshot: &Snapshot, row: usize, workspace: &FastSet<u64>) -> Piece {
    const SMALL_BUFFER: u64 = 2 << 20;
    let event = snapshot.events.get(row);
    let is_expandable = matches!(event.action, Action::SegmentMap | Action::SegmentUnmap);
    let is_workspace = !is_expandable && workspace.contains(&event.address.0);
    let segment_type = match event.size.0 {
        _ if is_workspace => SegmentType::Large,
        _ if is_expandable => SegmentType::Unknown,
        SMALL_BUFFER => SegmentType::Small,
        _ => SegmentType::Large,
    };
    Piece {
        address: event.address,
        size: event.size,
        stream: event.stream,
        pool: snapshot.events.pool.get(row),
        segment_type,
        is_expandable,
        is_workspace,
        // The stack of a free says nothing of who got the memory.
        stack: if is_grow(event.action) { event.stack } else { StackId::NONE },
        segment: SegmentId::NONE,
    }
}
