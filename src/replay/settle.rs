//! The end of the first pass: what the trace left open meets the blocks of the snapshot.
//!
//! Lives from before the trace are numbered before all others, and the last of them come to light here, as blocks
//! that no event explains; so ids are final only now.

use super::actions::ActionCounts;
use super::anomalies::AnomalyKind;
use super::lives::{LifeFlags, LifeTable};
use super::step::{PackedStep, Step};
use super::trace::{CLOSED, TRACED, TraceReader, Traced};
use crate::model::{Action, BlockId, BlockState, Device};

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

impl TraceReader<'_> {
    /// Matches what is open at the end with the snapshot's blocks.
    pub(super) fn blocks(&mut self, device: Device) {
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

    /// Gives lives their final numbers.
    pub(super) fn finish(self, first_row: usize, mut steps: Vec<PackedStep>) -> Traced {
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
