//! What stands out in a comparison, in sentences.

use super::Comparison;
use super::side::figure;
use crate::analysis::attribution::Category;
use crate::model::Bytes;
use crate::text::Message;

/// Rows that a sentence names.
const NAMED: usize = 3;

pub(super) fn summary(of: &Comparison) -> Vec<Message> {
    let requested = of.totals.get(figure::REQUESTED);
    let mut says = vec![
        Message::new("compare.total")
            .difference("diff", requested.diff)
            .bytes("a", Bytes(requested.a))
            .bytes("b", Bytes(requested.b)),
    ];
    let changed: Vec<Message> = of
        .by_category
        .iter()
        .filter(|row| row.diff_bytes != 0)
        .map(|row| {
            let category = row.key.as_deref().and_then(Category::from_id).unwrap_or(Category::Unknown);
            Message::new("compare.category")
                .difference("bytes", row.diff_bytes)
                .list("category", vec![Message::new(category.label_key())])
        })
        .collect();
    if changed.is_empty() {
        says.push(Message::new("compare.steady"));
    } else {
        says.push(Message::new("compare.categories").list("rows", changed));
    }
    let stacks = of.stacks;
    if stacks.grown > 0 {
        says.push(
            Message::new("compare.grown")
                .count("count", stacks.grown)
                .bytes("bytes", Bytes(stacks.grown_bytes)),
        );
    }
    if stacks.only_a + stacks.only_b > 0 {
        says.push(
            Message::new("compare.only")
                .count("a", stacks.only_a)
                .bytes("a_bytes", Bytes(stacks.only_a_bytes))
                .count("b", stacks.only_b)
                .bytes("b_bytes", Bytes(stacks.only_b_bytes)),
        );
    }
    let sites: Vec<Message> = of
        .by_call_site
        .iter()
        .filter(|row| row.diff_bytes > 0 && row.category.is_some() && row.key.is_some())
        .take(NAMED)
        .map(|row| {
            Message::new("compare.site")
                .difference("bytes", row.diff_bytes)
                .text("site", row.key.clone().unwrap_or_default())
        })
        .collect();
    if !sites.is_empty() {
        says.push(Message::new("compare.sites").list("rows", sites));
    }
    if let Some(merged) = of.merged_stacks {
        says.push(Message::new("compare.merged").count("count", merged));
    }
    says
}
