//! Flame graph: a prefix tree of stacks, laid out so that a window of any size costs what it shows.
//!
//! Nodes stand in preorder with the end of their subtree and an exact left edge in the graph's own unit
//! (bytes, or bytes × events). A window is then one walk that skips a subtree as soon as it is too narrow,
//! and, since siblings are sorted by weight, all siblings after the first that is too narrow.

use crate::model::{Arrange, FastMap, fast_map};

/// One node: a call path. `key` is the caller's own (a frame, a function, a file).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    pub key: u32,
    pub depth: u32,
    pub parent: u32,
    /// First node after this one's subtree.
    pub end: u32,
    /// Left edge: the weight of everything to the left at this depth.
    pub start: u64,
    /// Weight of all stacks that pass through here.
    pub total: u64,
    /// Weight of the stacks that end here.
    pub own: u64,
    /// The same total of the second weight (the other side of a comparison, or a count).
    pub other: u64,
}

/// A tree of weighted paths; node 0 is the root over everything.
#[derive(Clone, Debug)]
pub struct FlameGraph {
    nodes: Vec<Node>,
}

/// A node as a box: `x` and `width` from 0 to 1 of the node zoomed on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlameBox {
    pub node: u32,
    /// 0 for the node zoomed on.
    pub depth: u32,
    pub x: f64,
    pub width: f64,
}

/// Adds paths one by one.
#[derive(Debug)]
pub struct FlameBuilder {
    nodes: Vec<Node>,
    children: FastMap<(u32, u32), u32>,
}

impl Default for FlameBuilder {
    fn default() -> Self {
        let root = Node { key: u32::MAX, depth: 0, parent: 0, end: 1, start: 0, total: 0, own: 0, other: 0 };
        FlameBuilder { nodes: vec![root], children: fast_map() }
    }
}

impl FlameBuilder {
    /// Adds `weight` along a path, root first. A path may be empty: then only the root gets it.
    pub fn add(&mut self, path: impl IntoIterator<Item = u32>, weight: u64, other: u64) {
        let mut at = 0_u32;
        self.nodes[0].total = self.nodes[0].total.saturating_add(weight);
        self.nodes[0].other = self.nodes[0].other.saturating_add(other);
        for key in path {
            let next = self.nodes.len() as u32;
            let child = *self.children.entry((at, key)).or_insert(next);
            if child == next {
                let depth = self.nodes[at as usize].depth + 1;
                self.nodes.push(Node {
                    key,
                    depth,
                    parent: at,
                    end: 0,
                    start: 0,
                    total: 0,
                    own: 0,
                    other: 0,
                });
            }
            let node = &mut self.nodes[child as usize];
            node.total = node.total.saturating_add(weight);
            node.other = node.other.saturating_add(other);
            at = child;
        }
        let leaf = &mut self.nodes[at as usize];
        leaf.own = leaf.own.saturating_add(weight);
    }

    /// Sorts siblings by weight (then by the second weight, then by key) and lays the tree out.
    pub fn finish(self) -> FlameGraph {
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        let nodes = self.nodes;
        let of = |id: u32| &nodes[id as usize];
        // Children of one parent stand together, the widest last, so that a stack yields it first.
        order.arrange_by_key(|&id| {
            let node = of(id);
            (node.parent, node.total, node.other, std::cmp::Reverse(node.key))
        });
        let mut first_child = vec![0_u32; nodes.len() + 1];
        for node in nodes.iter().skip(1) {
            first_child[node.parent as usize + 1] += 1;
        }
        for i in 0..nodes.len() {
            first_child[i + 1] += first_child[i];
        }
        let mut laid: Vec<Node> = Vec::with_capacity(nodes.len());
        let mut left = vec![0_u64; nodes.len()];
        let mut number = vec![0_u32; nodes.len()];
        let mut pending = vec![0_u32];
        while let Some(id) = pending.pop() {
            let mut node = *of(id);
            let parent = node.parent as usize;
            number[id as usize] = laid.len() as u32;
            node.start = left[parent];
            node.parent = number[parent];
            if id != 0 {
                left[parent] = left[parent].saturating_add(node.total);
            }
            left[id as usize] = node.start;
            laid.push(node);
            let children = first_child[id as usize] as usize..first_child[id as usize + 1] as usize;
            pending.extend_from_slice(&order[children]);
        }
        let count = laid.len() as u32;
        let mut ends = vec![count; nodes.len().max(1)];
        // Going backwards, the end of a subtree is where the last node at the same depth or above began.
        let deepest = laid.iter().map(|n| n.depth).max().unwrap_or(0) as usize;
        let mut next_at: Vec<u32> = vec![count; deepest + 1];
        for i in (0..laid.len()).rev() {
            let depth = laid[i].depth as usize;
            ends[i] = next_at[depth];
            // Whatever is deeper than this node and begins later lies in this subtree or behind it.
            for slot in &mut next_at[depth..] {
                *slot = i as u32;
            }
        }
        for (node, end) in laid.iter_mut().zip(ends) {
            node.end = end;
        }
        FlameGraph { nodes: laid }
    }
}

impl FlameGraph {
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The boxes at least `min_width` (as a share of the node zoomed on) wide and at most `max_depth`
    /// below it, in preorder.
    pub fn window(&self, zoom: u32, min_width: f64, max_depth: u32) -> Vec<FlameBox> {
        let Some(root) = self.nodes.get(zoom as usize) else { return Vec::new() };
        let whole = root.total.max(1) as f64;
        let mut boxes = Vec::new();
        let mut at = zoom;
        while at < root.end {
            let node = &self.nodes[at as usize];
            let width = node.total as f64 / whole;
            let depth = node.depth - root.depth;
            if at != zoom && width < min_width {
                // Later siblings are no wider.
                at = self.nodes[node.parent as usize].end;
                continue;
            }
            boxes.push(FlameBox { node: at, depth, x: (node.start - root.start) as f64 / whole, width });
            at = if depth >= max_depth { node.end } else { at + 1 };
        }
        boxes
    }

    /// The path of keys from the root's child down to `node`.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let mut keys = Vec::new();
        let mut at = node;
        while at != 0
            && let Some(n) = self.nodes.get(at as usize)
        {
            keys.push(n.key);
            at = n.parent;
        }
        keys.reverse();
        keys
    }

    /// Weight under the outermost nodes that match: no byte is counted twice.
    pub fn matching(&self, matches: impl Fn(u32) -> bool) -> u64 {
        let (mut at, mut sum) = (1_usize, 0_u64);
        while let Some(node) = self.nodes.get(at) {
            if matches(node.key) {
                sum = sum.saturating_add(node.total);
                at = node.end as usize;
            } else {
                at += 1;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(paths: &[(Vec<u32>, u64)]) -> FlameGraph {
        let mut builder = FlameBuilder::default();
        for (path, weight) in paths {
            builder.add(path.iter().copied(), *weight, 1);
        }
        builder.finish()
    }

    #[test]
    fn siblings_lie_side_by_side_widest_first() {
        let graph = graph(&[(vec![1, 2], 10), (vec![1, 3], 30), (vec![4], 5), (vec![], 5)]);
        let boxes: Vec<_> = graph
            .window(0, 0.0, 9)
            .iter()
            .map(|b| (graph.nodes()[b.node as usize].key, b.depth, b.x, b.width))
            .collect();
        assert_eq!(
            boxes,
            vec![
                (u32::MAX, 0, 0.0, 1.0),
                (1, 1, 0.0, 0.8),
                (3, 2, 0.0, 0.6),
                (2, 2, 0.6, 0.2),
                (4, 1, 0.8, 0.1)
            ]
        );
        assert_eq!(graph.window(1, 0.5, 9).len(), 2);
        assert_eq!(graph.window(0, 0.0, 1).len(), 3);
        assert_eq!(graph.path(2), vec![1, 3]);
        assert!(graph.window(99, 0.0, 9).is_empty());
    }

    proptest! {
        #[test]
        fn totals_are_own_weight_plus_children_and_edges_nest(
            paths in proptest::collection::vec((proptest::collection::vec(0_u32..4, 0..6), 1_u64..100), 0..60),
        ) {
            let graph = graph(&paths);
            let nodes = graph.nodes();
            let all: u64 = paths.iter().map(|p| p.1).sum();
            prop_assert_eq!(nodes[0].total, all);
            for (i, node) in nodes.iter().enumerate() {
                let children: Vec<_> = nodes.iter().enumerate().filter(|(j, c)| *j != 0 && c.parent as usize == i).collect();
                prop_assert_eq!(node.total, node.own + children.iter().map(|(_, c)| c.total).sum::<u64>());
                let mut left = node.start;
                for (j, child) in children {
                    prop_assert_eq!(child.start, left);
                    left += child.total;
                    prop_assert!(j > i && (j as u32) < node.end && child.end <= node.end);
                }
                let by_hand: u64 = paths.iter().filter(|(p, _)| p.starts_with(&graph.path(i as u32))).map(|p| p.1).sum();
                prop_assert_eq!(node.total, by_hand);
            }
            let with_two: u64 = paths.iter().filter(|(p, _)| p.contains(&2)).map(|p| p.1).sum();
            prop_assert_eq!(graph.matching(|key| key == 2), with_two);
        }
    }
}
