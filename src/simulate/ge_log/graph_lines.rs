//! The lines that GE prints about a graph, in the versions that differ.

use super::graph::{GraphTruth, Node};
use super::lines::{Lines, Version};

pub(super) fn write(all: &[Node], atomic: &[(u64, u64)], truth: &GraphTruth, lines: &mut Lines, thread: u64) {
    let key = &truth.key;
    for node in all {
        let base = node.offset - node.continuous.map_or(0, |(_, inside)| inside);
        let head = format!("SetOffsetSize:[IMAS]Set {key} name[{}]", node.name);
        let place = format!("{}[{}] offset to [{base}]", node.slot, node.index);
        let (stream, size, real, exact) = (node.stream, node.size, node.real, node.exact);
        let (begin, end) = (node.begin, node.end);
        let sizes = format!("size[{size}] realsize[{real}] noalignsize[{exact}]");
        let bit = u64::from;
        let (reuse, continuous, is_ref) =
            (bit(node.reusable), bit(node.continuous.is_some()), bit(node.is_ref));
        let line = match lines.version {
            Version::Now => {
                let end =
                    if node.own_end == end { end.to_string() } else { format!("{}--{end}", node.own_end) };
                format!(
                    "{head} optype[{}] {place} streamid[{stream}] memtype[2] {sizes} life time begin[{begin}] life time end[{end}] child[{}:{reuse}:{continuous}:0:1] isref[{is_ref}] batch[], block_type[normal]",
                    node.op_type, node.level
                )
            }
            Version::Of2021 => format!(
                "{head} optype[{}] {place} streamid[{stream}] memtype[2] {sizes} life time begin[{begin}] life time end[{end}] child[{}:{reuse}:{continuous}:0:1] isref[{is_ref}] batch[]",
                node.op_type, node.level
            ),
            Version::Early => format!(
                "{head} {place} streamid[{stream}] {sizes} life time begin[{begin}] life time end[{end}] child[{}] isref[{is_ref}].",
                node.level
            ),
        };
        lines.info(thread, &line);
    }
    for node in all.iter().filter(|node| node.continuous.is_some() && !node.is_ref) {
        lines.info(thread, &format!(
            "AssignContinuous:[IMAS]Continuous input : Set {key} name[{}] optype[{}] output[{}] offset to [{}] stream_id[{}] memtype[2] size[0] realsize[{}] nopadding[1]",
            node.name, node.op_type, node.index, node.offset, node.stream, node.real
        ));
    }
    for (n, (offset, size)) in atomic.iter().enumerate() {
        lines.info(thread, &format!(
            "AssignAtomic:[IMAS]Atomic output : Set {key} name[cleared_{n}] optype[ReduceSum] output[0] offset to [{offset}] stream_id[0] memtype[2] size[{size}] real_size[{}] batch[].",
            size - 8
        ));
    }
    let (memory, theory, total) = (truth.memory_size, truth.theory_min, truth.total_size);
    let summary = match lines.version {
        Version::Now => format!(
            "SetInputOffset:[IMAS]AfterAssignMemory : {key} memoffset[{memory}], memtype[2], theory_min[{theory}], zero_copy[0], total_size[{total}], no_reuse[{}], streams[{}], topo_mode[BFS], mop[], io_reuse[0:0], alloc_mode[range], smp[0]",
            truth.no_reuse, truth.streams
        ),
        _ => format!("SetInputOffset:[IMAS]AfterAssignMemory : {key} memoffset[{memory}], memtype[2]"),
    };
    lines.event(thread, &summary);
}
