//! What attribution asks of one device's lives: their own stack, the stack of their free, and when
//! they were let go.

use super::stack_classes::{StackClass, StackClasses};
use crate::model::{LifeId, Snapshot, StackId};
use crate::replay::{LifeFlags, LifeTable, Replay};

/// The lives of one device with what their stacks say.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub snapshot: &'a Snapshot,
    pub lives: &'a LifeTable,
    pub classes: &'a StackClasses,
    /// Row of the device's event 0.
    pub first_row: usize,
    /// How many events the device has.
    pub events: u32,
}

impl<'a> Facts<'a> {
    pub fn new(snapshot: &'a Snapshot, replay: &'a Replay, classes: &'a StackClasses) -> Facts<'a> {
        let (first_row, events) = (replay.rows.start, replay.events());
        Facts { snapshot, lives: &replay.lives, classes, first_row, events }
    }

    /// What the stack of the allocation says; nothing where only the free's stack is known.
    #[inline]
    pub fn class(&self, life: LifeId) -> StackClass {
        self.classes.get(self.alloc_stack(life))
    }

    /// The stack of the allocation; none where only the free's is known.
    #[inline]
    pub fn alloc_stack(&self, life: LifeId) -> StackId {
        if self.lives.stack_is_of_free(life) { StackId::NONE } else { self.lives.stack(self.snapshot, life) }
    }

    /// First state at which the program had let it go: asked to free it, or it ended.
    #[inline]
    pub fn released(&self, life: LifeId) -> u32 {
        let (pending, death) = (self.lives.pending_from(life), self.lives.death(life));
        if pending == 0 { death } else { pending.min(death) }
    }

    /// What the stack of its free says.
    pub fn free_class(&self, life: LifeId) -> StackClass {
        let released = self.released(life);
        let stack_before = |state: u32| {
            let event = state.checked_sub(1).filter(|&event| event < self.events)?;
            self.snapshot.events.stack.get(self.first_row + event as usize).copied()
        };
        let class = stack_before(released).map_or(StackClass::NONE, |stack| self.classes.get(stack));
        if class.has_frames() {
            return class;
        }
        stack_before(self.lives.death(life)).map_or(StackClass::NONE, |stack| self.classes.get(stack))
    }

    pub fn is_initial(&self, life: LifeId) -> bool {
        self.lives.flags(life).has(LifeFlags::INITIAL)
    }

    /// From before the first event, and still there after the last.
    pub fn is_persistent(&self, life: LifeId) -> bool {
        self.is_initial(life) && self.lives.death(life) == LifeTable::NEVER
    }
}
