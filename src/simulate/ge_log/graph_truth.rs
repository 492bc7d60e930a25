//! What is true of a graph, counted the long way: moment by moment and node by node.

use super::graph::{GraphTruth, Node, up};
use std::collections::BTreeSet;

/// The greatest sum over all moments, counted one by one.
fn most(pieces: &[(u64, u64, u64)], moments: u64) -> (u64, u64) {
    let mut best = (0, 0);
    for moment in 0..=moments {
        let live = pieces.iter().filter(|(begin, end, _)| *begin <= moment && moment <= *end);
        let sum: u64 = live.map(|piece| piece.2).sum();
        if sum > best.0 {
            best = (sum, moment);
        }
    }
    best
}

/// Costs and least memory, counted moment by moment over what was given out in earnest.
pub(super) fn truth(all: &[Node], atomic: &[(u64, u64)], memory_size: u64, steps: u64) -> GraphTruth {
    let moments = steps + 40;
    let shared = || all.iter().filter(|node| node.reusable);
    let fixed: u64 = all.iter().filter(|node| !node.reusable).map(Node::aligned).sum::<u64>()
        + atomic.iter().map(|place| up(place.1, 512)).sum::<u64>();
    let pieces = |size: &dyn Fn(&Node) -> u64, end: &dyn Fn(&Node) -> u64| -> Vec<(u64, u64, u64)> {
        shared().map(|node| (node.begin, end(node), size(node))).collect()
    };
    let end = |node: &Node| node.end;
    let (live, peak_moment) = most(&pieces(&Node::aligned, &end), moments);
    let theory_min = live + fixed;

    let mut whole: Vec<(u64, u64, u64)> =
        shared().filter(|node| node.continuous.is_none()).map(|n| (n.begin, n.end, n.aligned())).collect();
    let blocks: BTreeSet<u64> =
        all.iter().filter_map(|node| node.continuous).map(|(block, _)| block).collect();
    for block in blocks {
        let members = || all.iter().filter(|node| node.continuous.is_some_and(|(b, _)| b == block));
        let begin = members().map(|node| node.begin).min().unwrap_or(0);
        let end = members().map(|node| node.end).max().unwrap_or(0);
        whole.push((begin, end, members().map(|node| node.size).max().unwrap_or(0)));
    }
    let continuous = most(&whole, moments).0 - live.min(most(&whole, moments).0);
    let block = |node: &Node| if node.continuous.is_some() { node.aligned() } else { node.size };
    let larger = most(&pieces(&block, &end), moments).0 - live;
    let exact_fixed: u64 = all.iter().filter(|node| !node.reusable).map(|node| node.exact).sum::<u64>()
        + atomic.iter().map(|place| place.1 - 8).sum::<u64>();
    let exact = most(&pieces(&|node| node.exact, &end), moments).0 + exact_fixed;
    let own = most(&pieces(&Node::aligned, &|node| node.own_end), moments).0;
    let lives: Vec<_> = all.iter().map(|node| (node.begin, node.end, node.aligned())).collect();
    let cleared: u64 = atomic.iter().map(|place| up(place.1, 512)).sum();
    let every = most(&lives, moments).0 + cleared;
    let costs = vec![
        ("continuous", continuous),
        ("larger_block", larger),
        ("placement", (memory_size - theory_min.min(memory_size)).saturating_sub(continuous + larger)),
        ("alignment", theory_min - exact),
        ("streams", live - own),
        ("no_reuse", theory_min - every.min(theory_min)),
        ("atomic", cleared),
    ];
    let at_peak = |node: &&Node| !node.reusable || (node.begin <= peak_moment && peak_moment <= node.end);
    GraphTruth {
        key: String::new(),
        name: String::new(),
        id: None,
        memory_size,
        total: 0,
        total_size: 0,
        theory_min,
        no_reuse: 0,
        atomic: cleared,
        continuous: 0,
        streams: 0,
        operators: 0,
        peak_moment,
        peak_nodes: all.iter().filter(at_peak).map(Node::label).collect(),
        overlaps: BTreeSet::new(),
        boundaries: BTreeSet::new(),
        costs,
        places: Vec::new(),
    }
}

/// Sums over the lines that will be printed.
pub(super) fn count(all: &[Node], atomic: &[(u64, u64)], truth: &mut GraphTruth) {
    let own = || all.iter().filter(|node| !node.is_ref);
    truth.total = own().map(|node| node.real).sum::<u64>() + atomic.iter().map(|p| p.1 - 8).sum::<u64>();
    truth.total_size = own().map(Node::aligned).sum::<u64>() + truth.atomic;
    truth.no_reuse = own().filter(|node| !node.reusable).map(|node| node.size).sum();
    let blocks: BTreeSet<(u64, u64)> =
        own().filter_map(|node| node.continuous.map(|(block, _)| (block, node.size))).collect();
    truth.continuous = blocks.iter().map(|(_, size)| size).sum();
    let moves = own().filter(|node| node.continuous.is_some()).count();
    truth.operators = (all.len() + moves + atomic.len()) as u64;
    truth.places =
        own().map(|node| (node.name.clone(), node.slot, node.index, node.offset, node.real)).collect();
}
