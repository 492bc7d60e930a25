//! First pass: events to lives.
//!
//! One table from address to the life now at it, one step an event. Lives from before the trace come to
//! light when they are freed, or at the end, as blocks of the snapshot that no event explains (`settle`).

use super::actions::ActionCounts;
use super::anomalies::{Anomalies, AnomalyKind};
use super::lives::{LifeFlags, LifeTable};
use super::pieces::{PieceTable, is_segment_action};
use super::settle::UnseenPending;
use super::step::{MAX_ID, PackedStep, Step};
use crate::model::{Action, Address, Bytes, Device, FastMap, Snapshot, fast_map};
use core::ops::Range;

/// Marks an id as one of a life that the trace itself opened, until ids are final.
pub(super) const TRACED: u32 = 1 << 28;
/// The address was freed and holds nothing now.
pub(super) const CLOSED: u32 = u32::MAX;

/// What the first pass leaves behind. Block sizes are known only where the snapshot tells.
pub(super) struct Traced {
    pub lives: LifeTable,
    pub steps: Vec<PackedStep>,
    /// (event, life it closed) of each [`Step::Reopen`].
    pub reopened: Vec<(u32, u32)>,
    pub unseen_pending: Vec<UnseenPending>,
}

/// How far the events are read.
struct Cursor {
    first: usize,
    /// The next of the pieces' changes.
    change: usize,
    /// The address that the event before named as a workspace.
    workspace: Option<Address>,
}

/// So many events are read in one call.
const STRETCH: usize = 8192;

pub(super) struct TraceReader<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) anomalies: &'a mut Anomalies,
    pub(super) counts: ActionCounts,
    pub(super) initial: LifeTable,
    pub(super) traced: LifeTable,
    pub(super) at: FastMap<u64, u32>,
    pub(super) reopened: Vec<(u32, u32)>,
    pub(super) unseen_pending: Vec<UnseenPending>,
    /// Initial lives that turned out to be unseen pending blocks, with their place among those.
    pub(super) unseen: FastMap<u32, u32>,
    /// Where no completion is told: the life that ended last at an address.
    pub(super) asked: FastMap<u64, u32>,
}

impl<'a> TraceReader<'a> {
    pub fn read(
        snapshot: &'a Snapshot,
        device: Device,
        rows: Range<usize>,
        counts: ActionCounts,
        pieces: &PieceTable,
        anomalies: &'a mut Anomalies,
    ) -> Traced {
        let mut reader = TraceReader {
            snapshot,
            anomalies,
            counts,
            initial: LifeTable::default(),
            traced: LifeTable::default(),
            at: fast_map(),
            reopened: Vec::new(),
            unseen_pending: Vec::new(),
            unseen: fast_map(),
            asked: fast_map(),
        };
        reader.traced.reserve(counts.of(Action::Alloc) as usize);
        let steps = reader.events(rows.clone(), pieces);
        reader.blocks(device);
        reader.finish(rows.start, steps)
    }

    fn events(&mut self, rows: Range<usize>, pieces: &PieceTable) -> Vec<PackedStep> {
        let mut steps = Vec::with_capacity(rows.len());
        let mut cursor = Cursor { first: rows.start, change: 0, workspace: None };
        // In stretches: browsers take their good code of a function into use at its next call.
        for from in rows.clone().step_by(STRETCH) {
            self.stretch(from..(from + STRETCH).min(rows.end), pieces, &mut cursor, &mut steps);
        }
        steps
    }

    #[inline(never)]
    fn stretch(
        &mut self,
        rows: Range<usize>,
        pieces: &PieceTable,
        cursor: &mut Cursor,
        steps: &mut Vec<PackedStep>,
    ) {
        let events = &self.snapshot.events;
        for row in rows {
            let event = (row - cursor.first) as u32;
            let (action, address, size) = (events.action[row], events.address[row], events.size[row]);
            let step = match action {
                Action::Alloc => {
                    let is_workspace = cursor.workspace.take() == Some(address);
                    self.alloc(event, address, size, is_workspace)
                }
                Action::FreeRequested => self.free_requested(event, address, size),
                Action::FreeCompleted => self.free_completed(event, address, size),
                Action::WorkspaceSnapshot => {
                    cursor.workspace = Some(address);
                    Step::None
                }
                _ if is_segment_action(action) => {
                    let index = cursor.change;
                    let is_next = pieces.changes().get(index).is_some_and(|change| change.event == event);
                    cursor.change += usize::from(is_next);
                    if is_next && index <= MAX_ID as usize { Step::Segment(index as u32) } else { Step::None }
                }
                _ => Step::None,
            };
            steps.push(PackedStep::new(step));
        }
    }

    pub(super) fn table(&mut self, id: u32) -> (&mut LifeTable, usize) {
        if id & TRACED != 0 {
            (&mut self.traced, (id & !TRACED) as usize)
        } else {
            (&mut self.initial, id as usize)
        }
    }

    /// Numbers a new life; `None` when there are too many.
    pub(super) fn open(&mut self, birth: u32, size: Bytes, source: u32, flags: LifeFlags) -> Option<u32> {
        let mark = if flags.has(LifeFlags::INITIAL) { 0 } else { TRACED };
        let table = if mark == 0 { &mut self.initial } else { &mut self.traced };
        if table.len() >= (TRACED / 2) as usize {
            self.anomalies.add(AnomalyKind::TooMany, Some(source), Address(0), size);
            return None;
        }
        table.push(birth, size, source, flags);
        Some((table.len() - 1) as u32 | mark)
    }

    fn alloc(&mut self, event: u32, address: Address, size: Bytes, is_workspace: bool) -> Step {
        let mut flags = LifeFlags::default();
        if is_workspace {
            flags.set(LifeFlags::WORKSPACE);
        }
        let Some(id) = self.open(event + 1, size, event, flags) else { return Step::None };
        match self.at.insert(address.0, id) {
            None | Some(CLOSED) => Step::Open(id),
            Some(old) => {
                self.anomalies.add(AnomalyKind::ReallocOfLive, Some(event), address, size);
                let (table, row) = self.table(old);
                table.death[row] = event + 1;
                table.flags[row].set(LifeFlags::ANOMALY);
                self.reopened.push((event, old));
                Step::Reopen(id)
            }
        }
    }

    fn free_requested(&mut self, event: u32, address: Address, size: Bytes) -> Step {
        let closes = !self.counts.tells_completion();
        match self.at.get(&address.0).copied() {
            Some(CLOSED) => {
                self.anomalies.add(AnomalyKind::DoubleFree, Some(event), address, size);
                Step::None
            }
            Some(id) if closes => {
                let step = self.close(id, event, address, size);
                if step != Step::None {
                    self.asked.insert(address.0, id);
                }
                step
            }
            Some(id) => {
                self.check_size(id, event, address, size);
                let (table, row) = self.table(id);
                if table.pending_from[row] != LifeTable::NEVER {
                    self.anomalies.add(AnomalyKind::RequestedTwice, Some(event), address, size);
                    return Step::None;
                }
                if table.flags[row].has(LifeFlags::WORKSPACE) {
                    self.anomalies.add(AnomalyKind::FreeOfWorkspace, Some(event), address, size);
                    return Step::None;
                }
                table.pending_from[row] = event + 1;
                Step::Ask(id)
            }
            None => {
                let Some(id) = self.open(0, size, event, LifeFlags::INITIAL) else { return Step::None };
                let row = id as usize;
                if closes {
                    self.initial.death[row] = event + 1;
                    self.at.insert(address.0, CLOSED);
                    self.asked.insert(address.0, id);
                    return Step::Close(id);
                }
                self.initial.pending_from[row] = event + 1;
                self.at.insert(address.0, id);
                Step::Ask(id)
            }
        }
    }

    fn free_completed(&mut self, event: u32, address: Address, size: Bytes) -> Step {
        match self.at.get(&address.0).copied() {
            Some(CLOSED) => {
                self.anomalies.add(AnomalyKind::DoubleFree, Some(event), address, size);
                Step::None
            }
            Some(id) => self.close(id, event, address, size),
            None => {
                let Some(id) = self.open(0, size, event, LifeFlags::INITIAL) else { return Step::None };
                let row = id as usize;
                self.initial.death[row] = event + 1;
                // Asked to be freed before the trace begins; where no asking is recorded at all, no one
                // can tell.
                if self.counts.of(Action::FreeRequested) > 0 {
                    self.initial.pending_from[row] = 0;
                }
                self.at.insert(address.0, CLOSED);
                Step::Close(id)
            }
        }
    }

    fn close(&mut self, id: u32, event: u32, address: Address, size: Bytes) -> Step {
        self.check_size(id, event, address, size);
        let asks = self.counts.of(Action::FreeRequested) > 0 && self.counts.tells_completion();
        let (table, row) = self.table(id);
        if table.flags[row].has(LifeFlags::WORKSPACE) {
            self.anomalies.add(AnomalyKind::FreeOfWorkspace, Some(event), address, size);
            return Step::None;
        }
        table.death[row] = event + 1;
        if asks && table.pending_from[row] == LifeTable::NEVER {
            self.anomalies.add(AnomalyKind::CompletedWithoutRequest, Some(event), address, size);
        }
        self.at.insert(address.0, CLOSED);
        Step::Close(id)
    }

    fn check_size(&mut self, id: u32, event: u32, address: Address, size: Bytes) {
        let (table, row) = self.table(id);
        if table.size[row] != size {
            table.flags[row].set(LifeFlags::ANOMALY);
            self.anomalies.add(AnomalyKind::FreeSizeDiffers, Some(event), address, size);
        }
    }
}
