//! imas_mem_graph.csv: a row a placement, and a closing row a graph.

use super::{cell, name_cell, percent, size_text};
use crate::analysis::ge::GraphBlocks;
use crate::analysis::ge::figures::{Figures, figures};
use crate::model::StringId;
use crate::model::ge::{GeLog, GeProcess, Graph, Lifetime, Placement, PlacementKind};
use std::io::{Result, Write};

/// Writes all graphs of all processes.
pub fn write_graphs(log: &GeLog, out: &mut dyn Write) -> Result<()> {
    for process in &log.processes {
        for graph in &process.graphs {
            for row in &graph.placements {
                placement(log, process, graph, row, out)?;
            }
            for mem_type in crate::analysis::ge::mem_types(graph) {
                let figures = figures(&GraphBlocks::new(log, graph, mem_type));
                write_summary(process.pid, log.text(graph.key), mem_type, &figures, out)?;
            }
        }
    }
    Ok(())
}

fn placement(
    log: &GeLog,
    process: &GeProcess,
    graph: &Graph,
    row: &Placement,
    out: &mut dyn Write,
) -> Result<()> {
    if row.kind == PlacementKind::MemSet {
        // It clears what other rows place.
        return Ok(());
    }
    let name = format!("{}_offset to ", name_cell(log.text(row.name), row.slot, row.index));
    write!(
        out,
        "Process_{},{},optype,{},{},{},streamid,{}",
        process.pid,
        cell(log.text(graph.key)),
        cell(log.text(row.op_type)),
        cell(&name),
        row.offset,
        row.stream.stream
    )?;
    if let Some(other) = row.stream.other {
        write!(out, "--{other}")?;
    }
    let mem_type = row.mem_type.unwrap_or(crate::analysis::ge::HBM);
    write!(out, ",memory_type,{mem_type},size,{},realsize,{},", row.size.0, row.real_size.0)?;
    match row.kind {
        PlacementKind::Set => life(log, row, out),
        PlacementKind::ContinuousInput | PlacementKind::ContinuousOutput => {
            let side = if row.kind == PlacementKind::ContinuousInput { "input" } else { "output" };
            let no_padding = row.no_padding == Some(true);
            writeln!(out, "reassign {side},nopadding,{}", u8::from(no_padding))
        }
        _ => writeln!(out, "atomic,1"),
    }
}

fn life(log: &GeLog, row: &Placement, out: &mut dyn Write) -> Result<()> {
    let Lifetime { begin, end, begin_text, end_text, .. } = row.life.unwrap_or_default();
    let text = |text: Option<StringId>, value: u64| {
        text.map_or_else(|| value.to_string(), |id| log.text(id).to_owned())
    };
    let child = &row.child.parts[..usize::from(row.child.count)];
    let child: Vec<String> = child.iter().map(i32::to_string).collect();
    write!(out, "noalignsize,{},", row.no_align_size.unwrap_or(row.real_size).0)?;
    write!(out, "life time begin,{},life time end,{},", text(begin_text, begin), text(end_text, end))?;
    writeln!(
        out,
        "child:r:c:z:s,{},isref,{},batch,{},scope,{},",
        child.join(":"),
        u8::from(row.is_ref == Some(true)),
        cell(log.text(row.batch)),
        row.scope.unwrap_or(-1)
    )
}

/// The closing row of a graph. Older versions of GE print less, and then it has the older form.
pub fn write_summary(
    pid: u64,
    key: &str,
    mem_type: i64,
    figures: &Figures,
    out: &mut dyn Write,
) -> Result<()> {
    let after = size_text(figures.memory_size.0);
    let rate = if figures.reuse_rate == 0.0 { "0%".to_owned() } else { percent(figures.reuse_rate) };
    write!(
        out,
        "Process_{pid},{},memtype,{mem_type},memory_size,{after},reuse rate:{rate} detail[",
        cell(key)
    )?;
    let newer = figures.topo_mode.is_some();
    if newer {
        write!(out, "reach_theory_rate:{} ", percent(figures.reach_theory_rate))?;
    }
    write!(
        out,
        "total:{} after_reuse:{after} theory_min:{} ",
        size_text(figures.total.0),
        size_text(figures.theory_min.0)
    )?;
    if newer {
        write!(out, "io:{} ", size_text(figures.zero_copy.0))?;
    }
    write!(
        out,
        "no_reuse:{} atomic:{} continuous:{} streams:{}",
        size_text(figures.no_reuse.0),
        size_text(figures.atomic.0),
        size_text(figures.continuous.0),
        figures.streams
    )?;
    if newer {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (topo, mop, smp) = (text(&figures.topo_mode), text(&figures.mop), text(&figures.smp));
        write!(out, " topo:{topo} mop:{mop} smp:{smp}")?;
    }
    writeln!(out, "]")
}
