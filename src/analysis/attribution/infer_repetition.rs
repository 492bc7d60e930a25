//! Lives that last through a trace without gradients: a model's weights repeat from layer to layer.
//!
//! A trace of inference, or one that starts and ends between two steps, has no gradients to match. The
//! sizes of weights then come in multiples of one number, that of the layers; the few large tensors
//! beside them that come once or twice are most likely embedding and head. Both are likenesses, and
//! caches made one a layer look the same: they are marked weak.

use super::Category;
use super::basis::{Bases, Basis, Inference};
use super::facts::Facts;
use super::infer_match::{SizeGroup, persistent_groups};
use super::lives::Columns;
use crate::model::Bytes;
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
    for group in &repeated {
        let evidence = Message::new("evidence.repetition")
            .count("lives", group.lives.len() as u64)
            .bytes("size", group.size)
            .count("per_layer", (group.lives.len() / layers) as u64)
            .count("layers", layers as u64);
        let inference = Inference { name: "repetition", evidence, weak: true };
        give(columns, bases, group, inference);
    }
    let largest = repeated.iter().map(|g| g.size).max().unwrap_or(Bytes::ZERO);
    let unique =
        |g: &&&SizeGroup| g.lives.len() <= BESIDE && g.size != CUBLAS_WORKSPACE && g.size.0 >= largest.0 / 4;
    for group in rest.iter().filter(unique).take(MOST_UNIQUE) {
        let evidence = Message::new("evidence.embedding")
            .count("lives", group.lives.len() as u64)
            .bytes("size", group.size)
            .count("layers", layers as u64);
        let inference = Inference { name: "embedding_or_head", evidence, weak: true };
        give(columns, bases, group, inference);
    }
}

fn give(columns: &mut Columns, bases: &mut Bases, group: &SizeGroup, inference: Inference) {
    let basis = bases.add(Basis::Inferred(inference));
    for &life in &group.lives {
        columns.infer(life, Category::Parameter, basis);
    }
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
