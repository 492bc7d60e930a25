//! The truth of a *file*: what of a run stays visible in it, in the file's own numbering.
//!
//! A file may begin late (the history was switched on late, or the ring buffer dropped the oldest
//! events) and torch_npu puts its workspaces in front. What a reader can know is defined here anew,
//! from the simulator's lives, and never by replaying the trace.

use super::allocator::Simulator;
use super::pools::PoolKey;
use super::recorder::{Category, Oom, SegmentThen, Totals};
use super::stacks::StackRef;
use std::collections::BTreeMap;

/// A life as the file shows it. Event numbers are the file's; `None` for the beginning: from before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileLife {
    pub address: u64,
    pub requested: u64,
    pub block_size: u64,
    pub stream: i64,
    pub pool: PoolKey,
    pub category: Category,
    pub stack: Option<StackRef>,
    pub begin: Option<usize>,
    pub free_requested: Option<usize>,
    pub end: Option<usize>,
    /// It was freed before the file begins, and only the completion is in the file.
    pub pending_from_before: bool,
}

/// The truth of one device of a file.
#[derive(Clone, Debug)]
pub struct Truth {
    pub device: i32,
    /// Number in the whole run of the file's first event that is not a workspace's.
    pub first_event: usize,
    pub workspace_events: usize,
    pub events: usize,
    /// By beginning, those from before first.
    pub lives: Vec<FileLife>,
    /// `totals[k]` is the state after event k − 1 of the file.
    pub totals: Vec<Totals>,
    /// As `totals`, block by block, without workspaces; where the run kept them.
    pub states: Option<Vec<Vec<SegmentThen>>>,
    pub initial_requested: u64,
    pub peak_requested: u64,
    /// −1: the state before the first event.
    pub peak_event: i64,
    pub peak_reserved: u64,
    pub peak_reserved_event: i64,
    /// Bytes and count of the lives open right after the peak.
    pub at_peak: BTreeMap<Category, (u64, usize)>,
    /// Out-of-memories in the file, in its numbering.
    pub ooms: Vec<Oom>,
    /// Events at which a step begins, and the one after the last step.
    pub steps: Vec<usize>,
    /// Requested bytes of blocks that are pending at the end and were freed before the file begins.
    pub unseen_pending: u64,
}

impl Simulator {
    /// Number of the first event that a file with this ring buffer holds.
    pub(super) fn first_event(&self, max_entries: Option<usize>) -> usize {
        let events = self.record.events.len();
        let first = events - max_entries.unwrap_or(events).min(events);
        first.max(self.record.recording_from)
    }

    /// The truth of a file written now.
    pub fn truth(&self, max_entries: Option<usize>) -> Truth {
        let record = &self.record;
        let first = self.first_event(max_entries);
        let shift = 3 * self.workspaces.len();
        let events = record.events.len() - first + shift;
        let number = |event: usize| event - first + shift;
        let has = |action: &str| record.events[first..].iter().any(|e| e.action == action);
        let (asks, completes) = (has("free_requested"), has("free_completed"));
        let mut unseen_pending = 0;
        let mut lives: Vec<FileLife> = Vec::new();
        for (k, &(size, stream, address)) in self.workspaces.iter().enumerate() {
            lives.push(FileLife {
                address,
                requested: size,
                block_size: size,
                stream,
                pool: PoolKey { pool: 0, small: false },
                category: Category::Workspace,
                stack: None,
                begin: Some(3 * k + 2),
                free_requested: None,
                end: None,
                pending_from_before: false,
            });
        }
        for life in &record.lives {
            if life.end.is_some_and(|e| e < first) {
                continue;
            }
            let asked_before = life.free_requested.is_some_and(|e| e < first);
            let is_pending = life.free_requested.is_some() && life.end.is_none();
            // From before the file and pending at its end, it is no life (memory_viz draws none); where
            // no free completes, the asking ends it.
            if life.begin < first && is_pending && (completes || asked_before) {
                unseen_pending += life.requested;
                continue;
            }
            let free_requested = life.free_requested.filter(|_| !asked_before).map(number);
            // Without a single completion the file does not tell pending from gone.
            let end = if completes { life.end.map(number) } else { free_requested };
            let seen = life.begin >= first;
            lives.push(FileLife {
                address: life.address,
                requested: life.requested,
                block_size: life.block_size,
                stream: life.stream,
                pool: life.pool,
                category: life.category,
                stack: life.stack.filter(|_| life.begin >= record.recording_from),
                begin: seen.then(|| number(life.begin)),
                free_requested,
                end,
                // Where no asking is recorded at all, no one can tell.
                pending_from_before: asked_before && asks,
            });
        }
        lives.sort_by_key(|l| l.begin);
        let totals = self.file_totals(first, events, &lives);
        let (peak_requested, peak_event) = first_maximum(&totals, |t| t.requested);
        let (peak_reserved, peak_reserved_event) = first_maximum(&totals, |t| t.reserved);
        let mut at_peak = BTreeMap::new();
        for life in lives.iter().filter(|l| is_open(l, peak_event)) {
            let entry = at_peak.entry(life.category).or_insert((0, 0));
            entry.0 += life.requested;
            entry.1 += 1;
        }
        let ooms = record.ooms.iter().filter(|o| o.event >= first).cloned();
        let states = record.states.as_ref().map(|states| {
            std::iter::repeat_n(&states[first], shift).chain(&states[first..]).cloned().collect()
        });
        Truth {
            device: self.config.device,
            first_event: first,
            workspace_events: shift,
            events,
            initial_requested: totals[0].requested,
            lives,
            totals,
            states,
            peak_requested,
            peak_event,
            peak_reserved,
            peak_reserved_event,
            at_peak,
            ooms: ooms.map(|o| Oom { event: number(o.event), ..o }).collect(),
            steps: self.steps().into_iter().filter(|&e| e >= first).map(number).collect(),
            unseen_pending,
        }
    }

    /// Totals by state: requested and pending by the file's lives, the others from the run.
    fn file_totals(&self, first: usize, events: usize, lives: &[FileLife]) -> Vec<Totals> {
        let shift = events + first - self.record.events.len();
        let workspaces: Vec<u64> = self.workspaces.iter().map(|&(size, ..)| size).collect();
        let mut requested = vec![0i64; events + 2];
        let mut pending = vec![0i64; events + 2];
        for life in lives {
            let size = life.requested as i64;
            let begin = life.begin.map_or(0, |e| e + 1);
            let asked = if life.pending_from_before { Some(0) } else { life.free_requested.map(|e| e + 1) };
            let end = life.end.map_or(events + 1, |e| e + 1);
            requested[begin] += size;
            requested[end] -= size;
            if let Some(asked) = asked {
                pending[asked] += size;
                pending[end] -= size;
            }
        }
        let (mut requested_now, mut pending_now) = (0, 0);
        (0..=events)
            .map(|state| {
                requested_now += requested[state];
                pending_now += pending[state];
                let then = self.record.totals[first + state.saturating_sub(shift)];
                // A workspace's segment_alloc is the second of its three events.
                let seen = workspaces.iter().enumerate().filter(|&(k, _)| state > 3 * k + 1);
                let workspace: u64 = seen.map(|(_, &size)| size).sum();
                Totals {
                    requested: requested_now as u64,
                    pending: pending_now as u64,
                    reserved: then.reserved + workspace,
                    ..then
                }
            })
            .collect()
    }

    /// Where the spans named `ProfilerStep#N` begin, and where the last of them ends.
    fn steps(&self) -> Vec<usize> {
        let marks = self.record.marks.iter().filter(|m| m.name.starts_with("ProfilerStep#"));
        let mut steps: Vec<usize> = marks.map(|m| m.event).collect();
        steps.dedup();
        steps
    }
}

fn is_open(life: &FileLife, after_event: i64) -> bool {
    life.begin.is_none_or(|e| e as i64 <= after_event) && life.end.is_none_or(|e| e as i64 > after_event)
}

/// The largest value, and the event after which it is first reached (−1: before any).
fn first_maximum(totals: &[Totals], figure: impl Fn(&Totals) -> u64) -> (u64, i64) {
    let mut best = (figure(&totals[0]), -1);
    for (state, then) in totals.iter().enumerate().skip(1) {
        if figure(then) > best.0 {
            best = (figure(then), state as i64 - 1);
        }
    }
    best
}
