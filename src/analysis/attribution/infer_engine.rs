//! Allocations without frames in a trace of Python stacks: a thread without Python made them, and that
//! is the autograd engine's.
//!
//! A recorder that takes Python stacks only has nothing to write for that thread. What is still held
//! when optimizer code next runs is a gradient; the rest served the backward pass.

use super::Category;
use super::basis::{Bases, Basis, Inference};
use super::facts::Facts;
use super::lifetime::{OptimizerPhases, StackKinds};
use super::lives::Columns;
use crate::text::Message;

/// Gives a category to recorded lives without frames, where the trace allows the conclusion.
pub(super) fn infer(
    facts: &Facts<'_>,
    phases: &OptimizerPhases,
    kinds: StackKinds,
    columns: &mut Columns,
    bases: &mut Bases,
) {
    // Without training code in the trace another thread may just as well have made them.
    if !kinds.python_only() || (phases.is_empty() && !kinds.backward) {
        return;
    }
    let of = |name, key| Basis::Inferred(Inference { name, evidence: Message::new(key), weak: false });
    let mut rows = [None, None];
    for life in facts.lives.ids().skip(facts.lives.initial_len()) {
        if columns.category(life) != Category::Unknown {
            continue;
        }
        let reached = phases.reached_by(facts, life).is_some();
        let row = &mut rows[usize::from(reached)];
        let (category, name, key) = if reached {
            (Category::Gradient, "engine_thread_gradient", "evidence.engine_thread_gradient")
        } else {
            (Category::Backward, "engine_thread_backward", "evidence.engine_thread_backward")
        };
        let basis = *row.get_or_insert_with(|| bases.add(of(name, key)));
        columns.infer(life, category, basis);
    }
}
