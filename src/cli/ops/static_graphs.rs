//! Memory of static graphs, for people: what each graph holds, when that is most, and its largest operators.

use super::print::exact;
use crate::cli::error::Stop;
use crate::cli::output::Output;
use crate::cli::table::{Table, number, text};
use hbmlens::analysis::ops::static_graphs::{StaticGraph, StaticRow};
use hbmlens::text::count_text;

pub fn print(graphs: &[StaticGraph], out: &mut Output) -> Result<(), Stop> {
    out.heading(out.label("ops.heading.static_graphs"))?;
    let columns = [
        text("ops.column.device", &|graph: &StaticGraph, _: &_| graph.device.clone()),
        text("ops.column.model", &|graph, _| graph.model.clone()),
        text("ops.column.graph", &|graph, _| graph.graph.clone()),
        number("ops.column.operators", &|graph, _| count_text(graph.operators)),
        number("ops.column.total", &|graph, _| graph.total_bytes.map_or_else(String::new, exact)),
        number("ops.column.operator_bytes", &|graph, _| exact(graph.operator_bytes)),
        number("column.peak", &|graph, _| exact(graph.peak_bytes)),
        number("ops.column.node", &|graph, _| graph.peak_node.map_or_else(String::new, count_text)),
        number("ops.column.unreleased", &|graph, _| exact(graph.never_released_bytes)),
        text("ops.column.over_nodes", &|graph, out| small_curve(graph, out.ascii)),
    ];
    Table::of(graphs, &columns, out).print(out)?;
    out.heading(out.label("ops.heading.static_rows"))?;
    let rows: Vec<(&StaticGraph, &StaticRow)> =
        graphs.iter().flat_map(|graph| graph.largest.iter().map(move |row| (graph, row))).collect();
    let columns = [
        text("ops.column.model", &|(graph, _): &(&StaticGraph, &StaticRow), _: &_| graph.model.clone()),
        text("ops.column.graph", &|(graph, _), _| graph.graph.clone()),
        number("column.bytes", &|(_, row), _| exact(row.bytes)),
        number("ops.column.node_start", &|(_, row), _| count_text(row.node_start)),
        number("ops.column.node_end", &|(_, row), out| {
            row.node_end.map_or_else(|| out.label("ops.never").to_owned(), count_text)
        }),
        text("ops.column.name", &|(_, row), _| row.operator.clone()),
    ];
    Table::of(&rows, &columns, out).print(out)
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
