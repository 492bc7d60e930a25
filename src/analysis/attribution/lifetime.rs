//! Where optimizer code runs, and what that says of lives.
//!
//! A step of the optimizer is a run of events with optimizer frames that no other Python code
//! interrupts (events without Python in between say nothing of where the program is). What a step allocates and lets go
//! within itself is temporary; what outlives it is state.

use super::facts::Facts;
use super::stack_classes::StackClass;
use crate::model::{Action, LifeId};

/// The runs of optimizer code in one device's trace.
#[derive(Clone, Debug, Default)]
pub struct OptimizerPhases {
    /// First and last event of each run, in order.
    phases: Vec<(u32, u32)>,
    /// Every event with an optimizer frame, ascending.
    events: Vec<u32>,
}

/// What the stacks of a trace look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StackKinds {
    pub python: bool,
    pub native: bool,
    pub backward: bool,
}

impl StackKinds {
    /// Stacks were recorded, and none has a C++ frame.
    pub fn python_only(self) -> bool {
        self.python && !self.native
    }
}

impl OptimizerPhases {
    pub(super) fn find(facts: &Facts<'_>) -> (OptimizerPhases, StackKinds) {
        let (mut found, mut kinds) = (OptimizerPhases::default(), StackKinds::default());
        let mut open = false;
        for event in 0..facts.events {
            let row = facts.first_row + event as usize;
            let class = match facts.snapshot.events.action.get(row) {
                Some(Action::Alloc | Action::FreeRequested | Action::FreeCompleted) => {
                    facts.snapshot.events.stack.get(row).map_or(StackClass::NONE, |&s| facts.classes.get(s))
                }
                _ => continue,
            };
            kinds.python |= class.has_python;
            kinds.native |= class.has_native;
            kinds.backward |= class.category == super::Category::Backward;
            if class.in_optimizer {
                found.events.push(event);
                match found.phases.last_mut() {
                    Some(phase) if open => phase.1 = event,
                    _ => found.phases.push((event, event)),
                }
                open = true;
            } else if class.has_python {
                open = false;
            }
        }
        (found, kinds)
    }

    /// The runs: first and last event of each.
    pub fn phases(&self) -> &[(u32, u32)] {
        &self.phases
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The last event of the run that holds an event.
    pub fn end_of(&self, event: u32) -> Option<u32> {
        let after = self.phases.partition_point(|&(first, _)| first <= event);
        let (_, last) = *self.phases.get(after.checked_sub(1)?)?;
        if event <= last { Some(last) } else { None }
    }

    /// The first event with optimizer frames at or after a state.
    pub fn next_from(&self, state: u32) -> Option<u32> {
        self.events.get(self.events.partition_point(|&event| event < state)).copied()
    }

    /// Is the life still held when optimizer code next runs (or does that code let it go)? The event.
    pub(super) fn reached_by(&self, facts: &Facts<'_>, life: LifeId) -> Option<u32> {
        self.next_from(facts.lives.birth(life)).filter(|&event| facts.released(life) > event)
    }
}
