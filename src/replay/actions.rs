//! How often each kind of event occurs: what a trace can tell depends on which kinds were recorded.

use crate::model::Action;

/// How often each action occurs, and what follows from kinds that never occur.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ActionCounts([u64; 13]);

impl ActionCounts {
    pub(super) fn count(actions: &[Action]) -> ActionCounts {
        let mut counts = [0; 13];
        for &action in actions {
            counts[(action as usize).min(12)] += 1;
        }
        ActionCounts(counts)
    }

    pub fn of(&self, action: Action) -> u64 {
        self.0[(action as usize).min(12)]
    }

    /// The actions that occur, with their counts, in the order of the enum.
    pub fn iter(&self) -> impl Iterator<Item = (Action, u64)> + '_ {
        let all = Action::NAMED.iter().map(|&(action, _)| action).chain([Action::Other]);
        all.map(|action| (action, self.of(action))).filter(|&(_, count)| count > 0)
    }

    /// False when lives had to be closed on `free_requested`: then nothing is ever pending.
    pub fn tells_completion(&self) -> bool {
        self.of(Action::FreeCompleted) > 0
    }

    /// False when frees are recorded but never the asking: then pending bytes cannot be had.
    pub fn tells_request(&self) -> bool {
        self.of(Action::FreeRequested) > 0 || self.of(Action::FreeCompleted) == 0
    }

    /// False when frees are recorded but no alloc: then lives, peak and curves cannot be had.
    pub fn tells_alloc(&self) -> bool {
        self.of(Action::Alloc) > 0 || self.of(Action::FreeCompleted) + self.of(Action::FreeRequested) == 0
    }
}
