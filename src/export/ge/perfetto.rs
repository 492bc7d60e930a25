//! imas_graph_perfetto.json: graphs over their order of execution, for ui.perfetto.dev.
//!
//! Chrome's trace event format: a process is a graph, a lane is a band of offsets, a slice is a piece
//! of memory from begin to end with all its fields, and a counter is what is live. Slices of one lane
//! must not cross, so a band has as many lanes as it has pieces at once. A step of the order of
//! execution is drawn as a microsecond.

use crate::analysis::ge::{Block, GraphBlocks, mem_types};
use crate::model::Arrange;
use crate::model::ge::{GeLog, NEVER};
use serde_json::{Value, json};
use std::io::{Result, Write};

/// Bands of offsets a graph is drawn in.
const BANDS: u64 = 32;

/// Lanes a band can have before the next band's numbers begin.
const LANES: u64 = 1 << 20;

/// Writes all graphs.
pub fn write_perfetto(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut events = Events { out, first: true };
    let mut pid = 0;
    for process in &log.processes {
        for graph in &process.graphs {
            for mem_type in mem_types(graph) {
                pid += 1;
                let blocks = GraphBlocks::new(log, graph, mem_type);
                let round = if graph.round == 0 { String::new() } else { format!(" #{}", graph.round + 1) };
                let name =
                    format!("Process_{} {}{round} memtype {mem_type}", process.pid, log.text(graph.key));
                events.write(&json!({
                    "ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}
                }))?;
                graph_events(&blocks, pid, &mut events)?;
            }
        }
    }
    writeln!(events.out, "\n]}}")
}

struct Events<'a> {
    out: &'a mut dyn Write,
    first: bool,
}

impl Events<'_> {
    fn write(&mut self, event: &Value) -> Result<()> {
        self.out.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        serde_json::to_writer(&mut self.out, event)?;
        Ok(())
    }
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
                events.write(&json!({
                    "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}
                }))?;
                events.write(&json!({
                    "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid,
                    "args": {"sort_index": tid}
                }))?;
            }
        }
        let tid = of * LANES + lane as u64 + 1;
        events.write(&json!({
            "ph": "X", "cat": "memory", "name": graph.label(block), "pid": pid, "tid": tid,
            "ts": block.begin, "dur": end.saturating_sub(block.begin), "args": arguments(graph, block)
        }))?;
    }
    counter(graph, pid, last, events)
}

/// Everything the line said.
fn arguments(graph: &GraphBlocks<'_>, block: &Block) -> Value {
    let row = graph.row(block);
    let text = |id| graph.log.text(id);
    let child = &row.child.parts[..usize::from(row.child.count)];
    json!({
        "optype": text(row.op_type), "kind": row.kind, "offset": block.offset, "streamid": row.stream.stream,
        "other stream": row.stream.other, "memory_type": graph.mem_type, "size": row.size,
        "realsize": row.real_size, "noalignsize": row.no_align_size,
        "life time begin": row.life.map(|life| life.begin), "life time end": row.life.map(|life| life.end),
        "child:r:c:z:s": child, "isref": row.is_ref, "nopadding": row.no_padding, "batch": text(row.batch),
        "block_type": text(row.block_type), "scope": row.scope
    })
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
    changes.sort_unstable();
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
        events.write(&json!({
            "ph": "C", "name": "live bytes", "pid": pid, "tid": 0, "ts": moment.min(last + 1),
            "args": {"live": live}
        }))?;
    }
    Ok(())
}
