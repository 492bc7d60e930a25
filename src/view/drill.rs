//! What stands behind a row of a composition: the stacks that allocated it, and why it is of its category.

use super::stack_text::StackFrame;
use crate::analysis::attribution::{Attributed, Category};
use crate::analysis::grouping::GroupSums;
use crate::model::{Arrange, FastMap, FrameId, LifeId, StackId, fast_map};
use crate::text::Message;
use core::cmp::Reverse;
use serde::Serialize;

/// One of the stacks.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DrillStack {
    /// Innermost first.
    pub frames: Vec<StackFrame>,
    /// It is the stack of the free: of the allocation nothing is known.
    pub of_free: bool,
    pub sums: GroupSums,
    /// The largest of its allocations.
    pub largest: LifeId,
}

/// One of the reasons: a rule, or what an inference rests on.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DrillReason {
    pub rule: String,
    pub inferred: bool,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message | null"))]
    pub evidence: Option<Message>,
    pub sums: GroupSums,
}

/// The answer.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Drill {
    /// Most bytes first, cut to what was asked for.
    pub stacks: Vec<DrillStack>,
    /// What the cut left out.
    pub rest: GroupSums,
    pub reasons: Vec<DrillReason>,
}

/// A call site within a category: the frame, and whether it is that of the free.
pub type Site = (FrameId, bool);

impl Attributed<'_> {
    /// Takes the lives of a category (and of a call site, where one is given) apart.
    pub fn drill(&self, state: u32, category: Category, site: Option<Site>, most: usize) -> Drill {
        let lives = self.lives();
        let mut stacks: FastMap<(StackId, bool), (GroupSums, LifeId)> = fast_map();
        let mut reasons: Vec<DrillReason> = Vec::new();
        lives.alive_at(state, |life| {
            if self.category(life) != category || site.is_some_and(|site| self.site(life) != site) {
                return;
            }
            let key = (lives.stack(self.snapshot, life), lives.stack_is_of_free(life));
            let (sums, largest) = stacks.entry(key).or_insert((GroupSums::default(), life));
            sums.add(self, life);
            if self.size(life) > self.size(*largest) {
                *largest = life;
            }
            self.add_reason(life, &mut reasons);
        });
        let mut stacks: Vec<_> = stacks.into_iter().collect();
        stacks.arrange_by_key(|&(key, (sums, _))| (Reverse(sums.bytes), key));
        reasons.arrange_by_key(|reason| Reverse(reason.sums.bytes));
        let (shown, cut) = stacks.split_at(most.min(stacks.len()));
        let mut drill = Drill { reasons, ..Drill::default() };
        for (_, (sums, _)) in cut {
            drill.rest.merge(sums);
        }
        let row = |&((stack, of_free), (sums, largest)): &((StackId, bool), (GroupSums, LifeId))| {
            DrillStack { frames: self.marked_stack(stack), of_free, sums, largest }
        };
        drill.stacks = shown.iter().map(row).collect();
        drill
    }

    /// Reasons are few: one a rule, or one a match of an inference.
    fn add_reason(&self, life: LifeId, reasons: &mut Vec<DrillReason>) {
        let why = self.why(life);
        let evidence = why.inference.map(|inference| &inference.evidence);
        let same = |reason: &DrillReason| reason.rule == why.name && reason.evidence.as_ref() == evidence;
        let at = reasons.iter().position(same).unwrap_or_else(|| {
            let (rule, evidence) = (why.name.clone(), evidence.cloned());
            reasons.push(DrillReason { rule, inferred: why.inferred, evidence, sums: GroupSums::default() });
            reasons.len() - 1
        });
        reasons[at].sums.add(self, life);
    }
}
