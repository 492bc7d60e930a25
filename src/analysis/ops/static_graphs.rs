//! Memory of static graphs by operator: what each graph holds from node to node.
//!
//! The table has no times. An operator's memory is held from one node of the order of execution to another,
//! both included, so "when" is a node here, and each graph of each model has an order of its own. The file's
//! own line TOTAL says what the graph is given as a whole; the operators' sum is more where memory is used
//! again, and their peak less where some is not an operator's.

use crate::model::profile::{StaticOp, StaticOps};
use crate::model::{Arrange, FastMap, fast_map};
use core::cmp::Reverse;
use serde::Serialize;

/// Points of a curve that are handed over; of longer ones the extremes of each stretch stay.
const MOST_POINTS: usize = 2_000;

/// One graph of one model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StaticGraph {
    pub device: String,
    pub model: String,
    pub graph: String,
    pub operators: u64,
    /// Σ of the operators' sizes.
    pub operator_bytes: i64,
    /// What the file gives as the graph's total; null where it has no such line.
    pub total_bytes: Option<i64>,
    /// The most that operators hold at one node, and the first such node.
    pub peak_bytes: i64,
    pub peak_node: Option<u64>,
    pub never_released: u64,
    pub never_released_bytes: i64,
    /// (node, bytes held from it on).
    pub curve: Vec<(u64, i64)>,
    /// The largest operators.
    pub largest: Vec<StaticRow>,
}

/// One operator of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StaticRow {
    pub operator: String,
    pub node_start: u64,
    /// The last node that needs it; null: never released.
    pub node_end: Option<u64>,
    pub bytes: i64,
}

/// The graphs in order of first appearance, each with its `top` largest operators (0: all).
pub fn static_graphs(ops: &StaticOps, top: usize) -> Vec<StaticGraph> {
    let mut graphs: Vec<Vec<&StaticOp>> = Vec::new();
    let mut places: FastMap<[&str; 3], usize> = fast_map();
    for op in &ops.rows {
        let place = *places.entry([&op.device, &op.model, &op.graph]).or_insert_with(|| {
            graphs.push(Vec::new());
            graphs.len() - 1
        });
        graphs[place].push(op);
    }
    graphs.iter().filter_map(|rows| Some(summary(rows, rows.first()?, top))).collect()
}

fn summary(all: &[&StaticOp], first: &StaticOp, top: usize) -> StaticGraph {
    let total = all.iter().find(|op| op.is_total).map(|op| op.bytes);
    let mut rows: Vec<&StaticOp> = all.iter().copied().filter(|op| !op.is_total).collect();
    let sum =
        |of: &mut dyn Iterator<Item = &&StaticOp>| of.fold(0_i64, |sum, op| sum.saturating_add(op.bytes));
    let curve = curve(&rows);
    // The first node with the most.
    let peak = curve.iter().fold(None, |most: Option<(u64, i64)>, &(node, bytes)| match most {
        Some((_, most_bytes)) if most_bytes >= bytes => most,
        _ => Some((node, bytes)),
    });
    let open = |op: &&&StaticOp| op.node_end.is_none();
    let mut graph = StaticGraph {
        device: first.device.clone(),
        model: first.model.clone(),
        graph: first.graph.clone(),
        operators: rows.len() as u64,
        operator_bytes: sum(&mut rows.iter()),
        total_bytes: total,
        peak_bytes: peak.map_or(0, |(_, bytes)| bytes),
        peak_node: peak.map(|(node, _)| node),
        never_released: rows.iter().filter(open).count() as u64,
        never_released_bytes: sum(&mut rows.iter().filter(open)),
        curve: thinned(curve),
        largest: Vec::new(),
    };
    rows.arrange_by_key(|op| (Reverse(op.bytes), op.node_start));
    if top > 0 {
        rows.truncate(top);
    }
    let row = |op: &StaticOp| StaticRow {
        operator: op.operator.clone(),
        node_start: op.node_start,
        node_end: op.node_end,
        bytes: op.bytes,
    };
    graph.largest = rows.into_iter().map(row).collect();
    graph
}

/// Bytes held from each node on at which that changes.
fn curve(rows: &[&StaticOp]) -> Vec<(u64, i64)> {
    let mut changes: Vec<(u64, i64)> = Vec::with_capacity(2 * rows.len());
    for op in rows {
        changes.push((op.node_start, op.bytes));
        if let Some(end) = op.node_end {
            changes.push((end.max(op.node_start).saturating_add(1), op.bytes.saturating_neg()));
        }
    }
    changes.arrange_by_key(|&(node, _)| node);
    let mut points: Vec<(u64, i64)> = Vec::new();
    let mut held = 0_i64;
    for (node, change) in changes {
        held = held.saturating_add(change);
        match points.last_mut() {
            Some(last) if last.0 == node => last.1 = held,
            _ => points.push((node, held)),
        }
    }
    points
}

/// Of each stretch the least and the most, so that no peak is lost; the last point stays.
fn thinned(points: Vec<(u64, i64)>) -> Vec<(u64, i64)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept: Vec<(u64, i64)> = Vec::with_capacity(MOST_POINTS + 1);
    for part in points.chunks(stretch) {
        let by_bytes = |point: &&(u64, i64)| point.1;
        let (Some(&least), Some(&most)) =
            (part.iter().min_by_key(by_bytes), part.iter().max_by_key(by_bytes))
        else {
            continue;
        };
        let (first, second) = if least.0 <= most.0 { (least, most) } else { (most, least) };
        kept.push(first);
        if second != first {
            kept.push(second);
        }
    }
    if let Some(&last) = points.last()
        && kept.last() != Some(&last)
    {
        kept.push(last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(graph: &str, name: &str, nodes: (u64, Option<u64>), bytes: i64) -> StaticOp {
        StaticOp {
            device: "0".to_owned(),
            operator: name.to_owned(),
            model: "m".to_owned(),
            graph: graph.to_owned(),
            node_start: nodes.0,
            node_end: nodes.1,
            bytes,
            is_total: name == "TOTAL",
        }
    }

    #[test]
    fn both_ends_belong_to_a_life_and_totals_to_their_graph() {
        let rows = vec![
            op("0", "a", (1, Some(3)), 10),
            op("0", "b", (3, Some(4)), 5),
            op("0", "c", (4, None), 7),
            op("0", "TOTAL", (1, None), 12),
            op("1", "a", (2, Some(2)), 4),
        ];
        let graphs = static_graphs(&StaticOps { rows, ..StaticOps::default() }, 2);
        assert_eq!(graphs.len(), 2);
        assert_eq!(graphs[0].curve, [(1, 10), (3, 15), (4, 12), (5, 7)]);
        assert_eq!((graphs[0].peak_bytes, graphs[0].peak_node), (15, Some(3)));
        assert_eq!((graphs[0].operator_bytes, graphs[0].total_bytes, graphs[0].operators), (22, Some(12), 3));
        assert_eq!((graphs[0].never_released, graphs[0].never_released_bytes), (1, 7));
        let largest: Vec<&str> = graphs[0].largest.iter().map(|row| row.operator.as_str()).collect();
        assert_eq!(largest, ["a", "c"]);
        assert_eq!((graphs[1].total_bytes, graphs[1].peak_bytes), (None, 4));
    }

    #[test]
    fn a_long_curve_keeps_its_extremes() {
        let points: Vec<(u64, i64)> =
            (0..100_000).map(|i| (i, if i == 77_777 { 1_000 } else { (i % 7) as i64 })).collect();
        let thin = thinned(points.clone());
        assert!(thin.len() <= MOST_POINTS + 1);
        assert!(thin.contains(&(77_777, 1_000)) && thin.last() == points.last());
        assert!(thin.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
