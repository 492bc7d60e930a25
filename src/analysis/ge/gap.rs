//! Why a graph takes more than it could, and why the least possible is not less.
//!
//! Each answer is a counterfactual: the least memory is worked out again with one constraint lifted,
//! or one that the theory leaves out put in, and the difference is what the constraint costs. What
//! lies between GE's theory_min and the memory it took splits into what continuous blocks and blocks
//! larger than their contents explain, and the rest: places that could not be found. What lies inside
//! theory_min (alignment, waiting for other streams, memory that may not be shared, cleared memory) is
//! listed as well, marked so. The costs are each on its own; lifting two may save more or less.

use super::blocks::{Block, GraphBlocks, aligned, peak};
use super::figures::Figures;
use super::peak::Node;
use crate::model::{Arrange, Bytes};
use serde::Serialize;

/// What costs memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Members of a continuous block keep the whole block until the last of them ends.
    Continuous,
    /// Blocks larger than what lies in them at the peak.
    LargerBlock,
    /// No free place was large enough, so memory grew.
    Placement,
    /// Sizes rounded up to 512.
    Alignment,
    /// Lives that last until another stream has passed.
    Streams,
    /// Memory that may not be shared.
    NoReuse,
    /// Memory that is cleared before each run and not shared.
    Atomic,
}

/// One cause and its largest nodes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cost {
    pub cause: Cause,
    pub bytes: Bytes,
    /// Part of theory_min; otherwise it lies between theory_min and the memory taken.
    pub in_theory_min: bool,
    pub nodes: Vec<Node>,
}

/// Memory taken, least possible, and what lies between and below.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Gap {
    /// Memory taken less theory_min, not below 0.
    pub bytes: Bytes,
    /// The least possible as worked out from the operators' lines.
    pub computed_theory_min: Bytes,
    /// The largest first, nothing that costs nothing.
    pub costs: Vec<Cost>,
}

const LISTED: usize = 10;

/// Works out the costs.
pub fn gap(graph: &GraphBlocks<'_>, figures: &Figures) -> Gap {
    let (reusable, moment, fixed) = graph.least();
    let base = reusable.saturating_add(fixed);
    let bytes = figures.memory_size.0.saturating_sub(figures.theory_min.0);
    let mut costs = Vec::new();
    let mut add = |cause, bytes: u64, in_theory_min, mut nodes: Vec<Node>| {
        if bytes > 0 {
            nodes.arrange_by_key(|node| core::cmp::Reverse(node.bytes));
            nodes.truncate(LISTED);
            costs.push(Cost { cause, bytes: Bytes(bytes), in_theory_min, nodes });
        }
        bytes
    };
    let (bytes_continuous, nodes) = continuous(graph, reusable);
    let explained = add(Cause::Continuous, bytes_continuous, false, nodes);
    let (bytes_larger, nodes) = larger_blocks(graph, reusable);
    let explained = explained.saturating_add(add(Cause::LargerBlock, bytes_larger, false, nodes));
    let rest = bytes.saturating_sub(explained);
    add(Cause::Placement, rest, false, above_theory(graph, figures.theory_min.0));

    let (unaligned, nodes) = alignment(graph, moment);
    add(Cause::Alignment, base.saturating_sub(unaligned), true, nodes);
    let (own, nodes) = streams(graph, moment);
    add(Cause::Streams, reusable.saturating_sub(own), true, nodes);
    let (shared, nodes) = no_reuse(graph, moment);
    add(Cause::NoReuse, base.saturating_sub(shared), true, nodes);
    let atomic = || graph.owners().filter(|block| graph.row(block).kind.is_atomic());
    let cleared = atomic().map(Block::aligned).fold(0, u64::saturating_add);
    add(Cause::Atomic, cleared, true, atomic().map(|block| graph.node(block, block.aligned())).collect());
    costs.arrange_by_key(|cost| (cost.in_theory_min, core::cmp::Reverse(cost.bytes)));
    Gap { bytes: Bytes(bytes), computed_theory_min: Bytes(base), costs }
}

fn life(block: &Block) -> (u64, u64, u64) {
    (block.begin, block.end, block.aligned())
}

/// The peak grows by this when each continuous block lives whole, from its first member to its last.
fn continuous(graph: &GraphBlocks<'_>, reusable: u64) -> (u64, Vec<Node>) {
    let mut groups = graph.continuous();
    for group in &mut groups {
        group.members.retain(|member| member.reusable);
    }
    groups.retain(|group| !group.members.is_empty());
    let alone = |block: &&Block| block.reusable && !graph.row(block).child.continuous();
    let others = graph.owners().filter(alone).map(life);
    let held = groups.iter().map(|group| (group.begin, group.end, aligned(group.size)));
    let (with, moment) = peak(others.chain(held));
    let mut nodes = Vec::new();
    for group in groups.iter().filter(|group| group.begin <= moment && moment <= group.end) {
        let live = group.members.iter().filter(|member| member.live_at(moment));
        let live = live.map(|member| member.aligned()).fold(0, u64::saturating_add);
        let extra = aligned(group.size).saturating_sub(live);
        if extra > 0 {
            nodes.push(graph.node(group.members[0], extra));
        }
    }
    (with.saturating_sub(reusable), nodes)
}

/// The peak grows by this when each piece takes its whole block.
fn larger_blocks(graph: &GraphBlocks<'_>, reusable: u64) -> (u64, Vec<Node>) {
    let size = |block: &Block| {
        let row = graph.row(block);
        if row.child.continuous() { block.aligned() } else { row.size.0.max(block.aligned()) }
    };
    let pieces = || graph.owners().filter(|block| block.reusable);
    let (with, moment) = peak(pieces().map(|block| (block.begin, block.end, size(block))));
    let slack = |block: &Block| size(block) - block.aligned();
    let nodes = pieces()
        .filter(|block| block.live_at(moment) && slack(block) > 0)
        .map(|block| graph.node(block, slack(block)));
    (with.saturating_sub(reusable), nodes.collect())
}

/// The least possible without rounding to 512.
fn alignment(graph: &GraphBlocks<'_>, moment: u64) -> (u64, Vec<Node>) {
    let exact = |block: &Block| graph.row(block).no_align_size.map_or(block.bytes, |size| size.0);
    let pieces = graph.owners().filter(|block| block.reusable);
    let (live, _) = peak(pieces.map(|block| (block.begin, block.end, exact(block))));
    let fixed = graph.owners().filter(|block| !block.reusable).map(exact).fold(0, u64::saturating_add);
    let loss = |block: &Block| block.aligned().saturating_sub(exact(block));
    let nodes = graph
        .owners()
        .filter(|block| (!block.reusable || block.live_at(moment)) && loss(block) > 0)
        .map(|block| graph.node(block, loss(block)));
    (live.saturating_add(fixed), nodes.collect())
}

/// The peak if every life ended on its own stream.
fn streams(graph: &GraphBlocks<'_>, moment: u64) -> (u64, Vec<Node>) {
    let pieces = || graph.owners().filter(|block| block.reusable);
    let (own, _) = peak(pieces().map(|block| (block.begin, block.end_own_stream, block.aligned())));
    let nodes = pieces()
        .filter(|block| block.live_at(moment) && block.end_own_stream < moment)
        .map(|block| graph.node(block, block.aligned()));
    (own, nodes.collect())
}

/// The least possible if everything with a life might be shared. `least` is the moment of the peak of
/// what may be shared as it is: what is not in use then, or at the new peak, is held for nothing.
fn no_reuse(graph: &GraphBlocks<'_>, least: u64) -> (u64, Vec<Node>) {
    let has_life = |block: &&Block| block.reusable || graph.row(block).life.is_some();
    let (live, moment) = peak(graph.owners().filter(has_life).map(life));
    let rest = graph.owners().filter(|block| !has_life(block)).map(Block::aligned);
    let nodes = graph
        .owners()
        .filter(|block| {
            !block.reusable && has_life(block) && !(block.live_at(moment) && block.live_at(least))
        })
        .map(|block| graph.node(block, block.aligned()));
    let nodes = nodes.collect();
    (rest.fold(live, u64::saturating_add), nodes)
}

/// Pieces that lie above theory_min, with the bytes that do.
fn above_theory(graph: &GraphBlocks<'_>, theory_min: u64) -> Vec<Node> {
    let above = |block: &Block| {
        let end = block.offset.saturating_add(block.aligned());
        end.saturating_sub(block.offset.max(theory_min))
    };
    graph.owners().filter(|block| above(block) > 0).map(|block| graph.node(block, above(block))).collect()
}
