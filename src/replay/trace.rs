//! First pass: events to lives.
//!
//! One table from address to the life now at it, one step an event. Lives from before the trace come to
//! light when they are freed, or at the end, as blocks of the snapshot that no event explains; they are
//! numbered before all others, so ids are final only once the whole trace is read.

use super::actions::ActionCounts;
use super::anomalies::{Anomalies, AnomalyKind};
use super::lives::{LifeFlags, LifeTable};
use super::pieces::{PieceTable, is_segment_action};
use super::step::{MAX_ID, PackedStep, Step};
use crate::model::{Action, Address, BlockId, BlockState, Bytes, Device, FastMap, Snapshot, fast_map};
use core::ops::Range;

/// Marks an id as one of a life that the trace itself opened, until ids are final.
const TRACED: u32 = 1 << 28;
/// The address was freed and holds nothing now.
const CLOSED: u32 = u32::MAX;

/// A block that is pending in the snapshot although the trace neither allocated it nor completed its
/// free: no life, as in memory_viz, but active bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnseenPending {
    pub block: BlockId,
    /// First state at which it is pending: 0 when it was asked to be freed before the trace.
    pub pending_from: u32,
    /// First state at which it is there: 0, unless a life of the trace left it behind.
    pub there_from: u32,
}

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
    snapshot: &'a Snapshot,
    anomalies: &'a mut Anomalies,
    counts: ActionCounts,
    initial: LifeTable,
    traced: LifeTable,
    at: FastMap<u64, u32>,
    reopened: Vec<(u32, u32)>,
    unseen_pending: Vec<UnseenPending>,
    /// Initial lives that turned out to be unseen pending blocks, with their place among those.
    unseen: FastMap<u32, u32>,
    /// Where no completion is told: the life that ended last at an address.
    asked: FastMap<u64, u32>,
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

    fn table(&mut self, id: u32) -> (&mut LifeTable, usize) {
        if id & TRACED != 0 {
            (&mut self.traced, (id & !TRACED) as usize)
        } else {
            (&mut self.initial, id as usize)
        }
    }

    /// Numbers a new life; `None` when there are too many.
    fn open(&mut self, birth: u32, size: Bytes, source: u32, flags: LifeFlags) -> Option<u32> {
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

    /// Matches what is open at the end with the snapshot's blocks.
    fn blocks(&mut self, device: Device) {
        let snapshot = self.snapshot;
        for (_, segment) in snapshot.segments_of(device) {
            for block_id in segment.block_ids() {
                let block = snapshot.blocks.get(block_id);
                let pending = match block.state {
                    BlockState::ActiveAllocated => false,
                    BlockState::ActivePendingFree => true,
                    BlockState::Inactive | BlockState::Unknown => continue,
                };
                match self.at.get(&block.address.0).copied() {
                    // Of lives from before the trace, only those asked to be freed are open still.
                    Some(id) if pending && id != CLOSED && id & TRACED == 0 => {
                        let pending_from = self.initial.pending_from[id as usize];
                        self.unseen.insert(id, self.unseen_pending.len() as u32);
                        let unseen = UnseenPending { block: block_id, pending_from, there_from: 0 };
                        self.unseen_pending.push(unseen);
                    }
                    Some(id) if id != CLOSED => self.survives(id, block_id, pending),
                    _ if pending => {
                        let from = self.asked.remove(&block.address.0).map_or(0, |id| {
                            let (table, row) = self.table(id);
                            table.block_size[row] = block.size;
                            for flag in [LifeFlags::IN_SNAPSHOT, LifeFlags::EXACT, LifeFlags::LEAVES_PENDING]
                            {
                                table.flags[row].set(flag);
                            }
                            table.death[row]
                        });
                        let unseen = UnseenPending { block: block_id, pending_from: from, there_from: from };
                        self.unseen_pending.push(unseen);
                    }
                    known => {
                        let requested = snapshot.blocks.requested(block);
                        if known.is_some() {
                            self.anomalies.add(AnomalyKind::NotInTrace, None, block.address, block.size);
                        }
                        let mut flags = LifeFlags::INITIAL;
                        flags.set(LifeFlags::FROM_BLOCK);
                        flags.set(LifeFlags::EXACT);
                        flags.set(LifeFlags::IN_SNAPSHOT);
                        if let Some(id) = self.open(0, requested, block_id.0, flags) {
                            self.initial.block_size[id as usize] = block.size;
                        }
                    }
                }
            }
        }
    }

    fn survives(&mut self, id: u32, block_id: BlockId, pending: bool) {
        let snapshot = self.snapshot;
        let block = snapshot.blocks.get(block_id);
        let (table, row) = self.table(id);
        table.block_size[row] = block.size;
        table.flags[row].set(LifeFlags::IN_SNAPSHOT);
        table.flags[row].set(LifeFlags::EXACT);
        let was_asked = table.pending_from[row] != LifeTable::NEVER;
        if pending && !was_asked {
            table.flags[row].set(LifeFlags::PENDING_AT_END);
        }
        let size_differs = block.requested_size.is_some_and(|size| size != table.size[row]);
        if size_differs {
            self.anomalies.add(AnomalyKind::SnapshotSizeDiffers, None, block.address, block.size);
        }
        if pending != was_asked {
            self.anomalies.add(AnomalyKind::PendingDiffers, None, block.address, block.size);
        }
    }

    fn finish(self, first_row: usize, mut steps: Vec<PackedStep>) -> Traced {
        let TraceReader { snapshot, anomalies, counts, mut initial, traced, mut reopened, unseen, .. } = self;
        if skips_requests(&counts, &traced) {
            initial.pending_from.fill(LifeTable::NEVER);
        }
        // What is asked to be freed, never completed and not in the snapshot is no life either.
        let stays = |table: &LifeTable, id: u32| {
            let row = id as usize;
            table.death[row] != LifeTable::NEVER || table.flags[row].has(LifeFlags::IN_SNAPSHOT)
        };
        let mut numbers = Vec::with_capacity(initial.len());
        let mut count = 0_u32;
        for id in 0..initial.len() as u32 {
            let is_life = stays(&initial, id);
            numbers.push(is_life.then_some(count));
            count += u32::from(is_life);
            if !is_life && !unseen.contains_key(&id) {
                let event = initial.source[id as usize];
                let address = snapshot.events.address[first_row + event as usize];
                anomalies.add(
                    AnomalyKind::MissingInSnapshot,
                    Some(event),
                    address,
                    initial.size[id as usize],
                );
            }
        }
        if (count as usize) < initial.len() {
            initial.keep(|row| numbers[row].is_some());
        }
        let number = |id: u32| match id & TRACED {
            0 => numbers[id as usize],
            _ => Some((id & !TRACED) + count),
        };
        for step in &mut steps {
            let renumbered = match step.get() {
                Step::Open(id) => number(id).map(Step::Open),
                Step::Reopen(id) => number(id).map(Step::Reopen),
                Step::Ask(id) => match number(id) {
                    Some(id) => Some(Step::Ask(id)),
                    None => unseen.get(&id).map(|&place| Step::AskUnseen(place)),
                },
                Step::Close(id) => number(id).map(Step::Close),
                other => Some(other),
            };
            *step = PackedStep::new(renumbered.unwrap_or(Step::None));
        }
        for (_, id) in &mut reopened {
            *id = number(*id).unwrap_or(u32::MAX);
        }
        let mut lives = initial;
        lives.append(traced);
        lives.initial = count as usize;
        lives.first_row = first_row;
        for id in lives.ids() {
            if lives.is_missing_at_end(id) {
                let (event, address) = (lives.begin_event(id), lives.address(snapshot, id));
                anomalies.add(AnomalyKind::MissingInSnapshot, event, address, lives.size(id));
                lives.flags[id.index()].set(LifeFlags::ANOMALY);
            }
        }
        Traced { lives, steps, reopened, unseen_pending: self.unseen_pending }
    }
}

/// Whether asking is never recorded: lives that the trace opened complete without it.
fn skips_requests(counts: &ActionCounts, traced: &LifeTable) -> bool {
    counts.of(Action::FreeRequested) == 0 && traced.death.iter().any(|&d| d != LifeTable::NEVER)
}
