//! B: lives from the first fifth of the trace that are still there at its end.
//!
//! Weights, gradients, optimizer state, workspaces and caches of keys are meant to last, and so is what
//! the first step sets up; what else lasts is listed.

use crate::analysis::attribution::{Attributed, Category};
use crate::analysis::peak::{CallSiteRow, by_call_site};
use crate::analysis::steps::{StepSource, Steps};
use crate::model::{Bytes, LifeId};
use crate::replay::LifeTable;
use serde::Serialize;

/// Lives from early on that last.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LongLived {
    pub count: u64,
    pub bytes: Bytes,
    /// Where they were allocated, largest first.
    pub by_call_site: Vec<CallSiteRow>,
}

fn is_meant_to_last(category: Category) -> bool {
    matches!(
        category,
        Category::Parameter
            | Category::Gradient
            | Category::Optimizer
            | Category::OptimizerTemporary
            | Category::Workspace
            | Category::KvCache
    )
}

pub(super) fn find(memory: &Attributed<'_>, steps: &Steps, top: usize) -> LongLived {
    let lives = memory.lives();
    // The first fifth: events 0 up to, not including, a fifth of them.
    let early = memory.replay.events() / 5;
    let first_step = match (steps.source, steps.boundaries.as_slice()) {
        // A valley ends a step: the first one ends the first step.
        (Some(StepSource::Valleys), [first, ..]) => 0..*first,
        (_, [first, second, ..]) => *first..*second,
        _ => 0..0,
    };
    let is_one = |&life: &LifeId| {
        let begin = lives.begin_event(life).unwrap_or(u32::MAX);
        lives.death(life) == LifeTable::NEVER
            && !first_step.contains(&begin)
            && !is_meant_to_last(memory.category(life))
    };
    let early_lives = lives.ids().skip(lives.initial_len()).take_while(|&life| lives.birth(life) <= early);
    let found: Vec<LifeId> = early_lives.filter(is_one).collect();
    LongLived {
        count: found.len() as u64,
        bytes: found.iter().map(|&life| memory.size(life)).sum(),
        by_call_site: by_call_site(memory, found, top),
    }
}
