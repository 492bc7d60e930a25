//! What is inferred at a moment, by evidence: how many bytes rest on each conclusion, so that every inferred byte
//! can be asked why without looking at each allocation.

use super::attribution::{Attributed, Category};
use super::grouping::GroupSums;
use crate::model::{Arrange, Bytes, FastMap, LifeId, fast_map};
use crate::text::Message;
use serde::Serialize;

/// A conclusion, and what rests on it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InferredRow {
    pub category: Category,
    /// The name of the inference.
    pub rule: &'static str,
    /// True where it is a likeness, not a match.
    pub weak: bool,
    pub bytes: Bytes,
    pub count: u64,
    pub evidence: Message,
}

/// The conclusions that lives rest on, most bytes first.
pub fn inferred(memory: &Attributed<'_>, lives: impl IntoIterator<Item = LifeId>) -> Vec<InferredRow> {
    let mut groups: FastMap<(u32, Category), GroupSums> = fast_map();
    for life in lives {
        if memory.attribution.is_inferred(life) {
            let key = (memory.attribution.basis_row(life), memory.category(life));
            groups.entry(key).or_default().add(memory, life);
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.arrange_by_key(|&(key, sums)| (core::cmp::Reverse(sums.bytes), key));
    let row = |((basis, category), sums): ((u32, Category), GroupSums)| {
        let inference = memory.attribution.inference(basis)?;
        Some(InferredRow {
            category,
            rule: inference.name,
            weak: inference.weak,
            bytes: sums.bytes,
            count: sums.count,
            evidence: inference.evidence.clone(),
        })
    };
    groups.into_iter().filter_map(row).collect()
}
