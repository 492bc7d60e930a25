//! Replay: what the events of one device did, so that any moment can be asked for.
//!
//! Two passes over the events leave lives, steps and pieces; everything else (curves, the state at a
//! moment, stepping) is answered from those by index, without replaying again. Moments are **states**:
//! state 0 is before the device's first event, state k after its event k − 1, so the last state is the
//! snapshot.

mod actions;
mod address_map;
mod anomalies;
mod columns;
mod cursor;
mod curves;
mod grouped;
mod interval_index;
mod lives;
mod outline;
mod pieces;
mod ranges;
mod rounding;
mod series;
mod settle;
mod sizes;
mod state;
mod step;
mod trace;

pub use actions::ActionCounts;
pub use anomalies::{Anomalies, Anomaly, AnomalyKind};
pub use cursor::Cursor;
pub use curves::{CurveKind, Curves, Peak};
pub use grouped::{KeyCurves, KeyPeak, Keys};
pub use interval_index::{FOREVER, IntervalIndex};
pub use lives::{LifeFlags, LifeTable, Origin};
pub use outline::{OUTLINED, Outlined, Outliner, Span};
pub use pieces::{Piece, PieceTable, SegmentChange};
pub use rounding::Rounding;
pub use series::{Extremes, settle_edge};
pub use settle::UnseenPending;
pub use state::{BlockNow, SegmentNow, State, Use};
pub use step::Step;

use crate::model::{Bytes, Device, LifeId, Snapshot};
use core::ops::Range;
use curves::Parts;
use step::PackedStep;

/// One device's trace, replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    pub device: Device,
    /// The device's rows in the event table; event `n` is row `rows.start + n`.
    pub rows: Range<usize>,
    pub lives: LifeTable,
    pub pieces: PieceTable,
    pub curves: Curves,
    pub anomalies: Anomalies,
    pub actions: ActionCounts,
    /// How the backend rounds, as the snapshot's blocks tell.
    pub rounding: Rounding,
    /// Blocks pending in the snapshot that the trace neither allocated nor freed: no lives.
    pub unseen_pending: Vec<UnseenPending>,
    /// Bytes of each of them, and the state from which it is pending.
    unseen: Vec<(Bytes, u32)>,
    /// Block bytes of lives missing in the snapshot, by curve.
    missing: curves::Deltas,
    steps: Vec<PackedStep>,
    reopened: Vec<(u32, u32)>,
}

impl Replay {
    /// Replays the events of `device`.
    pub fn new(snapshot: &Snapshot, device: Device) -> Replay {
        let mut anomalies = Anomalies::default();
        let mut rows = snapshot.rows_of(device);
        // States are numbered in 32 bits, with one value to spare.
        let most = (u32::MAX - 1) as usize;
        if rows.len() > most {
            rows.start = rows.end - most;
        }
        let actions = ActionCounts::count(&snapshot.events.action[rows.clone()]);
        let mut pieces = PieceTable::new(snapshot, device, rows.clone(), &mut anomalies);
        let traced =
            trace::TraceReader::read(snapshot, device, rows.clone(), actions, &pieces, &mut anomalies);
        let trace::Traced { mut lives, steps, reopened, unseen_pending } = traced;
        let rounding =
            sizes::Sizer::run(snapshot, &mut pieces, &mut lives, &unseen_pending, &steps, &mut anomalies);
        lives.index = IntervalIndex::new(&lives.death);
        // What a life leaves behind is counted as that life's until then.
        let bytes = unseen_pending.iter().map(|u| match u.there_from {
            0 => (snapshot.blocks.get(u.block).size, u.pending_from),
            _ => (Bytes::ZERO, 0),
        });
        let unseen: Vec<(Bytes, u32)> = bytes.collect();
        let missing = missing(&lives, &anomalies);
        let parts = Parts {
            lives: &lives,
            pieces: &pieces,
            steps: &steps,
            reopened: &reopened,
            unseen: &unseen,
            missing: &missing,
        };
        let curves = Curves::new(parts, parts.start());
        Replay {
            device,
            rows,
            lives,
            pieces,
            curves,
            anomalies,
            actions,
            rounding,
            unseen_pending,
            unseen,
            missing,
            steps,
            reopened,
        }
    }

    fn parts(&self) -> Parts<'_> {
        Parts {
            lives: &self.lives,
            pieces: &self.pieces,
            steps: &self.steps,
            reopened: &self.reopened,
            unseen: &self.unseen,
            missing: &self.missing,
        }
    }

    /// Number of events.
    pub fn events(&self) -> u32 {
        self.steps.len() as u32
    }

    /// The state after the last event.
    pub fn last_state(&self) -> u32 {
        self.events()
    }

    /// The row in the event table of a device's event.
    pub fn row(&self, event: u32) -> usize {
        self.rows.start + event as usize
    }

    /// What an event does to the state.
    pub fn step(&self, event: u32) -> Step {
        self.steps.get(event as usize).map_or(Step::None, |s| s.get())
    }

    /// The life that an event opens, asks to free or closes.
    pub fn life_of_event(&self, event: u32) -> Option<LifeId> {
        match self.step(event) {
            Step::Open(id) | Step::Reopen(id) | Step::Ask(id) | Step::Close(id) => Some(LifeId(id)),
            Step::None | Step::AskUnseen(_) | Step::Segment(_) => None,
        }
    }

    /// The life that a [`Step::Reopen`] ends, because its address was given out again.
    pub fn closed_by_reopen(&self, event: u32) -> Option<LifeId> {
        let found = self.reopened.binary_search_by_key(&event, |&(event, _)| event).ok()?;
        self.reopened.get(found).map(|&(_, id)| LifeId(id))
    }

    /// A curve's value at a state (beyond the last one: the last).
    pub fn value(&self, kind: CurveKind, state: u32) -> Bytes {
        self.curves.value(self.parts(), kind, state as usize)
    }

    /// All five curves at a state, in the order of [`CurveKind::ALL`].
    pub fn values(&self, state: u32) -> [Bytes; 5] {
        self.curves.values(self.parts(), state as usize)
    }

    /// Calls `seen` with every state and all five curves there, in order: cheaper than asking for each.
    pub fn each_state(&self, mut seen: impl FnMut(u32, [Bytes; 5])) {
        self.curves.walk(self.parts(), &mut seen);
    }

    /// First, smallest, greatest and last value over a range of states; `None` where it is empty.
    pub fn extremes(&self, kind: CurveKind, states: Range<u32>) -> Option<Extremes> {
        self.curves.extremes(self.parts(), kind, states.start as usize..states.end as usize)
    }

    /// The peak of requested bytes: the figure that memory_viz shows.
    pub fn peak(&self) -> Peak {
        self.curves.peak(CurveKind::Requested)
    }

    /// The peak of reserved bytes.
    pub fn peak_reserved(&self) -> Peak {
        self.curves.peak(CurveKind::Reserved)
    }

    /// Requested bytes before the first event.
    pub fn initial_requested(&self) -> Bytes {
        self.value(CurveKind::Requested, 0)
    }

    /// Requested bytes after the last event.
    pub fn final_requested(&self) -> Bytes {
        self.value(CurveKind::Requested, self.last_state())
    }

    /// `1 − allocated / reserved` at a state, from 0 to 1.
    pub fn fragmentation(&self, state: u32) -> f64 {
        let values = self.values(state);
        let reserved = values[CurveKind::Reserved as usize];
        reserved.saturating_sub(values[CurveKind::Allocated as usize]).share_of(reserved)
    }

    /// Bytes of memory the replay takes.
    pub fn heap_bytes(&self) -> usize {
        self.lives.heap_bytes()
            + self.pieces.heap_bytes()
            + self.curves.heap_bytes()
            + self.steps.capacity() * 4
            + self.reopened.capacity() * 8
            + self.unseen_pending.capacity() * 8
            + self.unseen.capacity() * 16
    }
}

/// Block bytes of the lives that are open at the end and not in the snapshot, by curve. What programs asked for
/// stays as the events tell it; what the allocator holds is at last what the snapshot says.
fn missing(lives: &LifeTable, anomalies: &Anomalies) -> curves::Deltas {
    let mut missing = curves::Deltas::default();
    if anomalies.count(AnomalyKind::MissingInSnapshot) == 0 {
        return missing;
    }
    for id in lives.ids().filter(|&id| lives.is_missing_at_end(id)) {
        let block = lives.block_size(id).0 as i64;
        let mut add = |kind: CurveKind| missing[kind as usize] = missing[kind as usize].wrapping_add(block);
        add(CurveKind::Active);
        if lives.pending_from(id) == LifeTable::NEVER {
            add(CurveKind::Allocated);
        }
    }
    missing
}
