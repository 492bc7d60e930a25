//! What is live at a graph's peak, by operator type and by scope.

use super::blocks::{Block, GraphBlocks, peak};
use crate::model::{Arrange, Bytes, FastMap, fast_map};
use serde::Serialize;

/// A node in a list of nodes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    pub name: String,
    pub op_type: String,
    pub bytes: Bytes,
    pub offset: u64,
    pub begin: u64,
    /// `null`: never released.
    pub end: Option<u64>,
}

/// One line of a grouping.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Group {
    pub key: String,
    pub bytes: Bytes,
    pub count: u64,
}

/// The moment at which most is live at once. Its sum is the least memory any layout could do with:
/// reusable memory that lives together (512-aligned) and everything that may not be shared.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GraphPeak {
    /// In the graph's order of execution.
    pub moment: u64,
    pub bytes: Bytes,
    pub reusable: Bytes,
    pub fixed: Bytes,
    pub by_op_type: Vec<Group>,
    /// By the node's name up to its last `/`.
    pub by_scope: Vec<Group>,
    /// The largest first.
    pub nodes: Vec<Node>,
    /// Pieces live then, listed or not.
    pub count: u64,
}

/// How many nodes a list shows.
const LISTED: usize = 20;

impl GraphBlocks<'_> {
    pub(super) fn node(&self, block: &Block, bytes: u64) -> Node {
        Node {
            name: self.label(block),
            op_type: self.log.text(self.row(block).op_type).to_owned(),
            bytes: Bytes(bytes),
            offset: block.offset,
            begin: block.begin,
            end: (block.end < crate::model::ge::NEVER).then_some(block.end),
        }
    }

    /// The peak of reusable memory and its moment, and the sum of what is never shared.
    pub(super) fn least(&self) -> (u64, u64, u64) {
        let reusable = self.owners().filter(|block| block.reusable);
        let (live, moment) = peak(reusable.map(|block| (block.begin, block.end, block.aligned())));
        let fixed = self.owners().filter(|block| !block.reusable).map(Block::aligned);
        (live, moment, fixed.fold(0, u64::saturating_add))
    }
}

/// What is live at the peak.
pub fn graph_peak(graph: &GraphBlocks<'_>) -> GraphPeak {
    let (reusable, moment, fixed) = graph.least();
    let mut live: Vec<&Block> =
        graph.owners().filter(|block| !block.reusable || block.live_at(moment)).collect();
    live.arrange_by_key(|block| core::cmp::Reverse(block.aligned()));
    let scope = |block: &Block| {
        let name = graph.log.text(graph.row(block).name);
        name.rsplit_once('/').map_or("(no scope)", |(scope, _)| scope).to_owned()
    };
    let op_type = |block: &Block| graph.log.text(graph.row(block).op_type).to_owned();
    GraphPeak {
        moment,
        bytes: Bytes(reusable.saturating_add(fixed)),
        reusable: Bytes(reusable),
        fixed: Bytes(fixed),
        by_op_type: groups(&live, op_type),
        by_scope: groups(&live, scope),
        nodes: live.iter().take(LISTED).map(|block| graph.node(block, block.aligned())).collect(),
        count: live.len() as u64,
    }
}

fn groups(live: &[&Block], key: impl Fn(&Block) -> String) -> Vec<Group> {
    let mut sums: FastMap<String, (u64, u64)> = fast_map();
    for block in live {
        let (bytes, count) = sums.entry(key(block)).or_default();
        *bytes = bytes.saturating_add(block.aligned());
        *count += 1;
    }
    let mut all: Vec<Group> =
        sums.into_iter().map(|(key, (bytes, count))| Group { key, bytes: Bytes(bytes), count }).collect();
    all.arrange_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.key.cmp(&b.key)));
    all
}
