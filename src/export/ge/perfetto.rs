//! imas_graph_perfetto.json: graphs over their order of execution, for ui.perfetto.dev.
//!
//! Chrome's trace event format: a process is a graph, a lane is a band of offsets, a slice is a piece
//! of memory from begin to end with all its fields, and a counter is what is live. Slices of one lane
//! must not cross, so a band has as many lanes as it has pieces at once. A step of the order of
//! execution is drawn as a microsecond.

use crate::analysis::ge::{Block, GraphBlocks, mem_types};
use crate::export::trace_events::Events;
use crate::model::ge::{GeLog, NEVER};
use crate::model::{Arrange, Bytes};
use std::io::{Result, Write};

/// Bands of offsets a graph is drawn in.
const BANDS: u64 = 32;

/// Lanes a band can have before the next band's numbers begin.
const LANES: u64 = 1 << 20;

/// Writes all graphs.
pub fn write_perfetto(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    let mut events = Events::begin_file(out, None)?;
    let mut pid = 0;
    for process in &log.processes {
        for graph in &process.graphs {
            for mem_type in mem_types(graph) {
                pid += 1;
                let blocks = GraphBlocks::new(log, graph, mem_type);
                let round = if graph.round == 0 { String::new() } else { format!(" #{}", graph.round + 1) };
                let name =
                    format!("Process_{} {}{round} memtype {mem_type}", process.pid, log.text(graph.key));
                events.begin("M", "process_name", pid, 0);
                events.text("name", &name);
                events.end()?;
                graph_events(&blocks, pid, &mut events)?;
            }
        }
    }
    events.end_file()
}

fn graph_events(graph: &GraphBlocks<'_>, pid: u64, events: &mut Events<'_>) -> Result<()> {
    let finite = |moment: &u64| *moment < NEVER;
    let moments = graph.blocks.iter().flat_map(|block| [block.begin, block.end]).filter(finite);
    let last = moments.max().unwrap_or(0).saturating_add(1);
    let high = graph.blocks.iter().map(|block| block.offset.saturating_add(block.bytes)).max().unwrap_or(0);
    let band_size = (high / BANDS + 1).next_multiple_of(512);

    let mut order: Vec<&Block> = graph.blocks.iter().collect();
    order.arrange_by_key(|block| (block.offset / band_size, block.begin, block.end));
    // End of the last slice of each lane of the band at hand.
    let mut lanes: Vec<u64> = Vec::new();
    let mut band = None;
    for block in order {
        let of = block.offset / band_size;
        if band != Some(of) {
            band = Some(of);
            lanes.clear();
        }
        // The life's end is a step it still lives in.
        let end = block.end.min(last).saturating_add(1);
        let free = lanes.iter().position(|&until| until <= block.begin);
        let lane = free.unwrap_or(lanes.len());
        match lanes.get_mut(lane) {
            Some(until) => *until = end,
            None => {
                lanes.push(end);
                let tid = of * LANES + lane as u64 + 1;
                let name = format!(
                    "offset {}..{} lane {lane}",
                    of.saturating_mul(band_size),
                    (of + 1).saturating_mul(band_size)
                );
                events.begin("M", "thread_name", pid, tid);
                events.text("name", &name);
                events.end()?;
                events.begin("M", "thread_sort_index", pid, tid);
                events.number("sort_index", tid);
                events.end()?;
            }
        }
        let tid = of * LANES + lane as u64 + 1;
        events.head("X", &graph.label(block), pid, tid);
        events.text("cat", "memory");
        events.number("ts", block.begin);
        events.number("dur", end.saturating_sub(block.begin));
        events.arguments();
        arguments(graph, block, events);
        events.end()?;
    }
    counter(graph, pid, last, events)
}

/// Everything the line said.
fn arguments(graph: &GraphBlocks<'_>, block: &Block, events: &mut Events<'_>) {
    let row = graph.row(block);
    let text = |id| graph.log.text(id);
    events.text("optype", text(row.op_type));
    events.text("kind", row.kind.name());
    events.number("offset", block.offset);
    events.signed("streamid", row.stream.stream);
    events.optional_signed("other stream", row.stream.other);
    events.signed("memory_type", graph.mem_type);
    events.number("size", row.size.0);
    events.number("realsize", row.real_size.0);
    events.optional("noalignsize", row.no_align_size.map(|Bytes(size)| size));
    events.optional("life time begin", row.life.map(|life| life.begin));
    events.optional("life time end", row.life.map(|life| life.end));
    let child: Vec<String> =
        row.child.parts[..usize::from(row.child.count)].iter().map(i32::to_string).collect();
    events.plain("child:r:c:z:s", &format!("[{}]", child.join(",")));
    events.flag("isref", row.is_ref);
    events.flag("nopadding", row.no_padding);
    events.text("batch", text(row.batch));
    events.text("block_type", text(row.block_type));
    events.optional_signed("scope", row.scope);
}

/// Live bytes, at every step at which they change.
fn counter(graph: &GraphBlocks<'_>, pid: u64, last: u64, events: &mut Events<'_>) -> Result<()> {
    let mut changes: Vec<(u64, i128)> = Vec::new();
    for block in graph.owners() {
        changes.push((block.begin, i128::from(block.aligned())));
        if block.end < NEVER {
            changes.push((block.end.saturating_add(1), -i128::from(block.aligned())));
        }
    }
    changes.arrange();
    let mut live = 0i128;
    let mut at = 0;
    while let Some(&(moment, _)) = changes.get(at) {
        while let Some(&(same, bytes)) = changes.get(at)
            && same == moment
        {
            live += bytes;
            at += 1;
        }
        let live = u64::try_from(live).unwrap_or(u64::MAX);
        events.head("C", "live bytes", pid, 0);
        events.number("ts", moment.min(last + 1));
        events.arguments();
        events.number("live", live);
        events.end()?;
    }
    Ok(())
}
