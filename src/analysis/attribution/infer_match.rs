//! Lives that last from before the trace to its end: matched by size against the gradients that live
//! together.
//!
//! Every parameter has one gradient of its size, and an optimizer keeps none, one or two tensors of
//! that size beside it. So n lives to one gradient are the parameters (n = 1), with one state (n = 2) or
//! with Adam's two (n = 3). Most bytes agree on one n; a size whose n is a multiple of it has fewer
//! gradients than parameters (tied or split tensors, a gradient that was only passed on) and is shared
//! out by the n that most bytes agree on. Which block is the parameter is not known: the lower addresses
//! are taken for it, so that the bytes of each category are right, and the evidence says so.
//!
//! A program that takes its model down at its end frees weights and states all in one place, which then says
//! nothing of what they are. What outlives every gradient of its size is matched like what is never freed.

use super::Category;
use super::basis::{Bases, Basis, Inference};
use super::facts::Facts;
use super::lives::Columns;
use crate::model::{Arrange, Bytes, FastMap, LifeId, fast_map};
use crate::replay::LifeTable;
use crate::text::Message;

/// Lives of one size that last.
pub(super) struct SizeGroup {
    pub size: Bytes,
    /// In address order.
    pub lives: Vec<LifeId>,
}

/// The persistent lives without a category, by size, largest total first.
pub(super) fn persistent_groups(facts: &Facts<'_>, columns: &Columns) -> Vec<SizeGroup> {
    groups_of(facts, columns, |life| facts.is_persistent(life))
}

/// The lives from before the trace without a category that last, by size, largest total first.
fn groups_of(facts: &Facts<'_>, columns: &Columns, lasts: impl Fn(LifeId) -> bool) -> Vec<SizeGroup> {
    let mut by_size: FastMap<Bytes, Vec<LifeId>> = fast_map();
    for life in (0..facts.lives.initial_len()).map(LifeId::new) {
        if columns.category(life) == Category::Unknown && lasts(life) {
            by_size.entry(facts.lives.size(life)).or_default().push(life);
        }
    }
    let mut groups: Vec<SizeGroup> =
        by_size.into_iter().map(|(size, lives)| SizeGroup { size, lives }).collect();
    for group in &mut groups {
        group.lives.arrange_by_key(|&life| facts.lives.address(facts.snapshot, life));
    }
    groups.arrange_by_key(|g| (core::cmp::Reverse(u128::from(g.size.0) * g.lives.len() as u128), g.size));
    groups
}

/// By size, the largest number of gradients that live together.
pub(super) fn gradients_together(facts: &Facts<'_>, columns: &Columns) -> FastMap<Bytes, u64> {
    // State and whether it is a birth, in one number that puts the deaths of a state before its births.
    let change = |state: u32, birth: bool| u64::from(state) << 1 | u64::from(birth);
    let mut changes: FastMap<Bytes, Vec<u64>> = fast_map();
    for life in facts.lives.ids() {
        if columns.category(life) == Category::Gradient {
            let of_size = changes.entry(facts.lives.size(life)).or_default();
            of_size.push(change(facts.lives.birth(life), true));
            of_size.push(change(facts.lives.death(life), false));
        }
    }
    let most = |mut changes: Vec<u64>| {
        changes.sort_unstable();
        let (mut now, mut most) = (0_i64, 0_i64);
        for change in changes {
            now += if change & 1 == 1 { 1 } else { -1 };
            most = most.max(now);
        }
        most.unsigned_abs()
    };
    changes.into_iter().map(|(size, changes)| (size, most(changes))).collect()
}

/// By size, the last state that holds a gradient; sizes with gradients that are never freed are left out.
fn last_gradients(facts: &Facts<'_>, columns: &Columns) -> FastMap<Bytes, u32> {
    let mut last: FastMap<Bytes, u32> = fast_map();
    for life in facts.lives.ids().filter(|&life| columns.category(life) == Category::Gradient) {
        let of_size = last.entry(facts.lives.size(life)).or_default();
        *of_size = (*of_size).max(facts.lives.death(life));
    }
    last.retain(|_, state| *state != LifeTable::NEVER);
    last
}

/// Gives a category to the lives that outlive all gradients of their size and are freed in the trace all the
/// same (with those beside them that are not).
pub(super) fn infer_outliving(
    facts: &Facts<'_>,
    columns: &mut Columns,
    bases: &mut Bases,
    gradients: &FastMap<Bytes, u64>,
) {
    let last = last_gradients(facts, columns);
    let outlives = |life| last.get(&facts.lives.size(life)).is_some_and(|&gone| facts.released(life) > gone);
    let mut groups = groups_of(facts, columns, outlives);
    groups.retain(|group| group.lives.iter().any(|&life| !facts.is_persistent(life)));
    share_out(&groups, "until.gradients_gone", columns, bases, gradients);
}

/// How many lives there are to one gradient, where that is a number that has a meaning.
fn ratio(lives: usize, gradients: u64) -> Option<u64> {
    let n = (lives as u64).checked_div(gradients)?;
    if n.checked_mul(gradients)? == lives as u64 && matches!(n, 1 | 2 | 3 | 4 | 6) { Some(n) } else { None }
}

/// Gives a category to the lives whose sizes match the gradients.
pub(super) fn infer(
    facts: &Facts<'_>,
    columns: &mut Columns,
    bases: &mut Bases,
    gradients: &FastMap<Bytes, u64>,
) {
    share_out(&persistent_groups(facts, columns), "until.end", columns, bases, gradients);
}

/// Shares the lives of each size out by how many there are to one gradient.
fn share_out(
    groups: &[SizeGroup],
    until: &'static str,
    columns: &mut Columns,
    bases: &mut Bases,
    gradients: &FastMap<Bytes, u64>,
) {
    let ratio_of = |group: &SizeGroup| {
        let gradients = gradients.get(&group.size).copied().unwrap_or(0);
        ratio(group.lives.len(), gradients).map(|n| (n, gradients))
    };
    let mut bytes_by_ratio = [0_u128; 7];
    for group in groups {
        if let Some((n, _)) = ratio_of(group) {
            bytes_by_ratio[n as usize] += u128::from(group.size.0) * group.lives.len() as u128;
        }
    }
    let common = (1..=3).max_by_key(|&n| (bytes_by_ratio[n], core::cmp::Reverse(n))).unwrap_or(1) as u64;
    for group in groups {
        let Some((n, gradients)) = ratio_of(group) else { continue };
        let split = n != common && n % common == 0;
        let parts = if split { common } else { n };
        let parameters = group.lives.len() / parts as usize;
        let (name, key) = match (split, n) {
            (true, _) => ("gradient_match_split", "evidence.gradient_match_split"),
            (_, 1) => ("gradient_match_1", "evidence.gradient_match_1"),
            (_, 2) => ("gradient_match_2", "evidence.gradient_match_2"),
            (_, 3) => ("gradient_match_3", "evidence.gradient_match_3"),
            _ => ("gradient_match_n", "evidence.gradient_match_n"),
        };
        let mut evidence = Message::new(key)
            .count("lives", group.lives.len() as u64)
            .bytes("size", group.size)
            .list("until", vec![Message::new(until)])
            .count("gradients", gradients);
        if split || n > 3 {
            evidence = evidence.count("n", n);
        }
        if split {
            evidence = evidence.count("common", common);
        }
        let weak = split || n > 3;
        let basis = bases.add(Basis::Inferred(Inference { name, evidence, weak }));
        for (i, &life) in group.lives.iter().enumerate() {
            let category = if i < parameters { Category::Parameter } else { Category::Optimizer };
            columns.infer(life, category, basis);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ratios_with_a_meaning_count() {
        assert_eq!(ratio(72, 72), Some(1));
        assert_eq!(ratio(108, 36), Some(3));
        assert_eq!([ratio(50, 49), ratio(5, 1), ratio(3, 0), ratio(0, 4)], [None; 4]);
    }
}
