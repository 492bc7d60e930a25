//! One device's memory with everything that is known of it: what groupings, peak, growth and OOM take.

use super::facts::Facts;
use super::{Attribution, Category, StackClass, StackClasses, Why};
use crate::model::{Address, Bytes, FrameId, LifeId, Snapshot, StackId};
use crate::replay::{LifeTable, Origin, Replay};
use serde::{Deserialize, Serialize};

/// A device's lives, their replay and their attribution.
#[derive(Clone, Copy)]
pub struct Attributed<'a> {
    pub snapshot: &'a Snapshot,
    pub replay: &'a Replay,
    pub classes: &'a StackClasses,
    pub attribution: &'a Attribution,
}

/// A frame as JSON shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct FrameText {
    pub file: String,
    pub line: u64,
    pub function: String,
}

impl<'a> Attributed<'a> {
    pub(super) fn facts(&self) -> Facts<'a> {
        Facts::new(self.snapshot, self.replay, self.classes)
    }

    pub fn lives(&self) -> &'a LifeTable {
        &self.replay.lives
    }

    #[inline]
    pub fn size(&self, life: LifeId) -> Bytes {
        self.replay.lives.size(life)
    }

    pub fn address(&self, life: LifeId) -> Address {
        self.replay.lives.address(self.snapshot, life)
    }

    #[inline]
    pub fn category(&self, life: LifeId) -> Category {
        self.attribution.category(life)
    }

    /// The stack of the allocation; none where it was not recorded.
    pub fn alloc_stack(&self, life: LifeId) -> StackId {
        self.facts().alloc_stack(life)
    }

    /// What the stack of the allocation says.
    pub fn class(&self, life: LifeId) -> StackClass {
        self.facts().class(life)
    }

    /// What the stack of its free says; nothing where it is not freed in the trace.
    pub fn free_class(&self, life: LifeId) -> StackClass {
        self.facts().free_class(life)
    }

    /// First state at which the program had let it go.
    pub fn released(&self, life: LifeId) -> u32 {
        self.facts().released(life)
    }

    /// The call site to show: of the allocation, else of the free, with `true` for the latter.
    pub fn site(&self, life: LifeId) -> (FrameId, bool) {
        let own = self.class(life);
        if own.has_frames() || !self.lives().stack_is_of_free(life) {
            return (own.call_site, false);
        }
        let site = self.free_class(life).call_site;
        (site, !site.is_none())
    }

    /// The row of the alloc event, where it was recorded.
    pub fn alloc_row(&self, life: LifeId) -> Option<usize> {
        match self.lives().origin(life) {
            Origin::Event(event) if !self.lives().stack_is_of_free(life) => Some(self.replay.row(event)),
            _ => None,
        }
    }

    /// Why a life has its category.
    pub fn why(&self, life: LifeId) -> Why<'a> {
        self.attribution.why(self.snapshot, self.replay, self.classes, life)
    }

    /// A frame in text; `None` for none.
    pub fn frame_text(&self, frame: FrameId) -> Option<FrameText> {
        let frame = self.snapshot.frames.get(frame.some()?);
        let text = |id| self.snapshot.strings.get(id).to_owned();
        Some(FrameText { file: text(frame.file), line: frame.line, function: text(frame.function) })
    }

    /// The frames of a stack in text, innermost first.
    pub fn stack_text(&self, stack: StackId) -> Vec<FrameText> {
        self.snapshot.stacks.get(stack).iter().filter_map(|&frame| self.frame_text(frame)).collect()
    }

    /// The time of an event in µs; `None` for the state before the first event or without times.
    pub fn time_us(&self, event: i64) -> Option<i64> {
        let event = u32::try_from(event).ok().filter(|&event| event < self.replay.events())?;
        self.snapshot.events.time_of(self.replay.row(event)).map(crate::model::Nanos::micros)
    }

    /// The number of a life's first event, −1 for one from before the trace.
    pub fn begin_event(&self, life: LifeId) -> i64 {
        self.lives().begin_event(life).map_or(-1, i64::from)
    }
}
