//! The flame graph's answers: the tree is kept while only the window, the zoom or the search changes.

use super::error::WireError;
use super::loaded::Loaded;
use super::protocol::{FlameOf, FlameRequest, Reply};
use crate::analysis::attribution::Attributed;
use crate::model::{FastMap, fast_map};
use crate::view::axis::AxisKind;
use crate::view::flame::FlameGraph;
use crate::view::live_flame::FlameOptions;

/// The last tree of a device and what it was made for.
#[derive(Default)]
pub struct FlameState {
    made_for: Option<(FlameOf, FlameOptions)>,
    /// And the weight of one byte.
    graph: Option<(FlameGraph, f64)>,
}

/// More levels than this are not drawn; the deepest real stack seen has 303.
const DEEPEST: u32 = 400;

impl Loaded {
    pub fn flame(&self, request: &FlameRequest) -> Result<Reply, WireError> {
        let memory = self.memory(request.device)?;
        let last = memory.replay.last_state();
        let mut state = self.analysed(request.device)?.flame.borrow_mut();
        let wanted = Some((request.of, request.options));
        if state.made_for != wanted {
            state.graph = Some(match request.of {
                FlameOf::Moment { state } => (memory.flame_at(state.min(last), request.options), 1.0),
                FlameOf::Range { from, to, by_time } => {
                    let axis = if by_time { Some(self.axis(request.device, AxisKind::Time)?) } else { None };
                    let from = from.min(last);
                    memory.flame_over(from..to.min(last).max(from), axis, request.options)
                }
            });
            state.made_for = wanted;
        }
        let Some((graph, of_a_byte)) = &state.graph else {
            return Err(WireError::request("there is no flame graph"));
        };
        Ok(reply(&memory, graph, *of_a_byte, request))
    }
}

fn reply(memory: &Attributed<'_>, graph: &FlameGraph, of_a_byte: f64, request: &FlameRequest) -> Reply {
    let zoom = if (request.zoom as usize) < graph.nodes().len() { request.zoom } else { 0 };
    let boxes = graph.window(zoom, request.min_width, DEEPEST);
    let nodes: Vec<u32> = boxes.iter().map(|b| b.node).collect();
    let of = |id: &u32| graph.nodes()[*id as usize];
    let needle = request.search.trim().to_lowercase();
    let matches = |key: u32| !needle.is_empty() && memory.flame_label(key).to_lowercase().contains(&needle);
    // A frame stands in many boxes; its text goes over once.
    let mut places: FastMap<u32, u32> = fast_map();
    let mut labels: Vec<String> = Vec::new();
    let mut place = |key: u32| {
        *places.entry(key).or_insert_with(|| {
            labels.push(memory.flame_label(key));
            labels.len() as u32 - 1
        })
    };
    let label_of: Vec<u32> = nodes.iter().map(|n| place(of(n).key)).collect();
    Reply::Flame {
        total: graph.nodes()[0].total,
        of_a_byte,
        zoom,
        nodes: nodes.as_slice().into(),
        depth: boxes.iter().map(|b| b.depth).collect::<Vec<_>>().as_slice().into(),
        x: boxes.iter().map(|b| b.x).collect::<Vec<_>>().as_slice().into(),
        width: boxes.iter().map(|b| b.width).collect::<Vec<_>>().as_slice().into(),
        weight: nodes.iter().map(|n| of(n).total as f64).collect::<Vec<_>>().as_slice().into(),
        count: nodes.iter().map(|n| of(n).other as f64).collect::<Vec<_>>().as_slice().into(),
        keys: nodes.iter().map(|n| of(n).key).collect::<Vec<_>>().as_slice().into(),
        labels,
        label_of: label_of.as_slice().into(),
        found: nodes.iter().map(|n| u8::from(matches(of(n).key))).collect::<Vec<_>>().as_slice().into(),
        found_weight: if needle.is_empty() { 0 } else { graph.matching(matches) },
        path: graph.path(zoom).into_iter().map(|key| memory.flame_label(key)).collect(),
        parents: path_nodes(graph, zoom),
    }
}

/// The nodes from the root down to `zoom`.
fn path_nodes(graph: &FlameGraph, zoom: u32) -> Vec<u32> {
    let mut nodes = vec![zoom];
    let mut at = zoom;
    while at != 0
        && let Some(node) = graph.nodes().get(at as usize)
    {
        at = node.parent;
        nodes.push(at);
    }
    nodes.reverse();
    nodes
}
