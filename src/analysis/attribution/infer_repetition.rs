//! Lives that last through a trace without gradients: a model's weights repeat from layer to layer.
//!
//! A trace of inference, or one that starts and ends between two steps, has no gradients to match. The
//! sizes of weights then come in multiples of one number, that of the layers; the few large tensors
//! beside them that come once or twice are most likely embedding and head. Both are likenesses, and
//! caches made one a layer look the same: they are marked weak. (A trace with a backward pass or optimizer
//! code is not looked at: gradients and states, kept from before, would look the same, too.) Where all unique
//! sizes come equally often, there are that many copies of the model (a state, an average, another model): the
//! one that was made in one go (see `in_one_go`), or else the lower addresses, is taken for the weights. Where
//! that one is the only one of its kind, the rest is what a program keeps of its own beside its weights: told
//! so, and `other`, as its stacks would say. Else the rest stays unknown: it may be weights as well.

use super::Category;
use super::basis::{Bases, Basis, Inference};
use super::facts::Facts;
use super::in_one_go::{Order, orders, pool};
use super::infer_match::{SizeGroup, persistent_groups};
use super::lives::Columns;
use crate::model::{Arrange, Bytes, FastMap, LifeId, fast_map};
use crate::text::Message;

/// A model with fewer layers has too little repetition to conclude anything from.
const LEAST_LAYERS: usize = 4;
const MOST_LAYERS: usize = 512;
/// Sizes looked at, largest total first: the rest cannot move the result.
const MOST_SIZES: usize = 256;
/// Of a count, so many may be beside the layers (a final norm, for one).
const BESIDE: usize = 2;
/// cuBLAS keeps one workspace of this size a handle and stream; it is no tensor of the model.
const CUBLAS_WORKSPACE: Bytes = Bytes(8_519_680);
const MOST_UNIQUE: usize = 4;

/// Gives a category to persistent lives whose sizes repeat, and to the large unique ones beside them.
pub(super) fn infer(facts: &Facts<'_>, columns: &mut Columns, bases: &mut Bases) {
    let groups = persistent_groups(facts, columns);
    let counts: Vec<(u128, usize)> = groups
        .iter()
        .take(MOST_SIZES)
        .map(|g| (u128::from(g.size.0) * g.lives.len() as u128, g.lives.len()))
        .collect();
    let Some(layers) = layers(&counts) else { return };
    let (repeated, rest): (Vec<&SizeGroup>, Vec<&SizeGroup>) =
        groups.iter().partition(|g| repeats(g.lives.len(), layers));
    let largest = repeated.iter().map(|g| g.size).max().unwrap_or(Bytes::ZERO);
    let is_unique =
        |g: &&&SizeGroup| g.lives.len() <= BESIDE && g.size != CUBLAS_WORKSPACE && g.size.0 >= largest.0 / 4;
    let unique: Vec<&SizeGroup> = rest.iter().filter(is_unique).take(MOST_UNIQUE).copied().collect();
    let copies = copies(&unique);
    let evidence = |key, group: &SizeGroup| {
        let lives = group.lives.len() as u64;
        let evidence = Message::new(key).count("lives", lives).bytes("size", group.size);
        evidence.count("layers", (layers / copies) as u64)
    };
    let mut lives: Vec<Vec<LifeId>> = repeated.iter().chain(&unique).map(|g| g.lives.clone()).collect();
    let orders = if copies > 1 { first_in_one_go(facts, &mut lives) } else { Default::default() };
    let mut lives = lives.iter();
    let mut give = |group: &SizeGroup, inference| {
        let (weights, beside) = lives.next().map_or(Default::default(), |l| l.split_at(l.len() / copies));
        let basis = bases.add(Basis::Inferred(inference));
        weights.iter().for_each(|&life| columns.infer(life, Category::Parameter, basis));
        if !beside.is_empty() && orders[pool(group.size)].tells_one_of(copies) {
            let evidence = evidence("evidence.kept_copy", group)
                .count("copies", copies as u64)
                .count("beside", beside.len() as u64);
            let basis = bases.add(Basis::Inferred(Inference { name: "kept_copy", evidence, weak: true }));
            beside.iter().for_each(|&life| columns.infer(life, Category::Other, basis));
        }
    };
    for group in &repeated {
        let evidence = if copies == 1 {
            evidence("evidence.repetition", group).count("per_layer", (group.lives.len() / layers) as u64)
        } else {
            evidence("evidence.repetition_copies", group).count("copies", copies as u64)
        };
        give(group, Inference { name: "repetition", evidence, weak: true });
    }
    for group in unique {
        let evidence = evidence("evidence.embedding", group);
        give(group, Inference { name: "embedding_or_head", evidence, weak: true });
    }
}

/// How many copies of the model there are, as far as that can be told: two or more unique sizes that all
/// come equally often.
fn copies(unique: &[&SizeGroup]) -> usize {
    match unique {
        [first, second, rest @ ..] => {
            let count = first.lives.len();
            let all = second.lives.len() == count && rest.iter().all(|g| g.lives.len() == count);
            if all { count.max(1) } else { 1 }
        }
        _ => 1,
    }
}

/// Puts the lives of each size that lie next to those made in one go first; else they stay in order of
/// addresses. What the order of addresses says, by pool.
fn first_in_one_go(facts: &Facts<'_>, groups: &mut [Vec<LifeId>]) -> [Order; 2] {
    let mut all: Vec<LifeId> = groups.iter().flatten().copied().collect();
    all.arrange_by_key(|&life| facts.lives.address(facts.snapshot, life));
    let sizes: Vec<Bytes> = all.iter().map(|&life| facts.lives.size(life)).collect();
    let orders = orders(&sizes);
    let mut distance_of: FastMap<u32, usize> = fast_map();
    for &(place, distance) in orders.iter().flat_map(|order| &order.distances) {
        if let Some(life) = all.get(place) {
            distance_of.insert(life.0, distance);
        }
    }
    for group in groups {
        // Stable: equal distances keep the order of addresses.
        group.arrange_by_key(|life| distance_of.get(&life.0).copied().unwrap_or(0));
    }
    orders
}

fn repeats(count: usize, layers: usize) -> bool {
    count >= layers && count % layers <= BESIDE
}

/// The largest number of layers that explains (nearly) as many bytes as any does. `counts`: bytes and
/// number of lives of each size.
fn layers(counts: &[(u128, usize)]) -> Option<usize> {
    let explained = |layers: usize| -> u128 {
        counts.iter().filter(|&&(_, n)| repeats(n, layers)).map(|&(bytes, _)| bytes).sum()
    };
    let most_layers = counts.iter().map(|&(_, n)| n).max()?.min(MOST_LAYERS);
    let best = (LEAST_LAYERS..=most_layers).map(explained).max().filter(|&bytes| bytes > 0)?;
    (LEAST_LAYERS..=most_layers).rev().find(|&layers| explained(layers) >= best / 20 * 19)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_told_from_counts() {
        assert_eq!(layers(&[(113, 48), (340, 36), (1, 25), (1, 24), (61, 2), (8, 1)]), Some(12));
        assert_eq!(layers(&[(100, 3), (7, 1)]), None);
        assert_eq!(layers(&[]), None);
    }
}
