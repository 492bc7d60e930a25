//! Memory of static graphs, for people: what each graph holds, when that is most, and its largest operators.

use super::print::exact;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::table::Table;
use hbmlens::analysis::ops::static_graphs::StaticGraph;
use hbmlens::text::count_text;

pub fn print(graphs: &[StaticGraph], out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("ops.heading.static_graphs"))?;
    let columns = [
        (out.label("ops.column.device"), false),
        (out.label("ops.column.model"), false),
        (out.label("ops.column.graph"), false),
        (out.label("ops.column.operators"), true),
        (out.label("ops.column.total"), true),
        (out.label("ops.column.operator_bytes"), true),
        (out.label("column.peak"), true),
        (out.label("ops.column.node"), true),
        (out.label("ops.column.unreleased"), true),
        (out.label("ops.column.over_nodes"), false),
    ];
    let mut table = Table::new(out, &columns);
    for graph in graphs {
        table.row(
            out,
            [
                graph.device.clone(),
                graph.model.clone(),
                graph.graph.clone(),
                count_text(graph.operators),
                graph.total_bytes.map_or_else(String::new, exact),
                exact(graph.operator_bytes),
                exact(graph.peak_bytes),
                graph.peak_node.map_or_else(String::new, count_text),
                exact(graph.never_released_bytes),
                small_curve(graph, out.ascii),
            ],
        );
    }
    table.print(out)?;
    out.heading(out.label("ops.heading.static_rows"))?;
    let columns = [
        (out.label("ops.column.model"), false),
        (out.label("ops.column.graph"), false),
        (out.label("column.bytes"), true),
        (out.label("ops.column.node_start"), true),
        (out.label("ops.column.node_end"), true),
        (out.label("ops.column.name"), false),
    ];
    let mut table = Table::new(out, &columns);
    for graph in graphs {
        for row in &graph.largest {
            let never = || out.label("ops.never").to_owned();
            table.row(
                out,
                [
                    graph.model.clone(),
                    graph.graph.clone(),
                    exact(row.bytes),
                    count_text(row.node_start),
                    row.node_end.map_or_else(never, count_text),
                    row.operator.clone(),
                ],
            );
        }
    }
    table.print(out)
}

/// The curve in so many characters, each the most of its stretch of nodes.
const WIDTH: u64 = 32;

fn small_curve(graph: &StaticGraph, ascii: bool) -> String {
    let levels: &[char] = if ascii {
        &[' ', '.', ':', '-', '=', '+', '*', '#']
    } else {
        &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
    };
    let (Some(&(first, _)), Some(&(last, _))) = (graph.curve.first(), graph.curve.last()) else {
        return String::new();
    };
    let nodes = (last - first).max(1);
    let mut most = vec![0_i64; WIDTH.min(nodes + 1) as usize];
    let columns = most.len() as u64;
    let column =
        |node: u64| (u128::from(node - first) * u128::from(columns) / u128::from(nodes + 1)) as usize;
    for (i, &(node, bytes)) in graph.curve.iter().enumerate() {
        // A value holds until the node before the next.
        let until = graph.curve.get(i + 1).map_or(last, |next| next.0.saturating_sub(1));
        for place in most.iter_mut().take(column(until) + 1).skip(column(node)) {
            *place = (*place).max(bytes);
        }
    }
    let scale = graph.peak_bytes.max(1);
    let level =
        |bytes: i64| (bytes.max(0) as f64 / scale as f64 * (levels.len() - 1) as f64).round() as usize;
    most.into_iter().filter_map(|bytes| levels.get(level(bytes))).collect()
}
