//! A snapshot in a form that people can review.

use hbmlens::model::{Event, Snapshot, StackId, StringId};
use std::fmt::Write;

/// The lines of a dump; `edge` events and blocks are shown from either end.
pub fn dump(snapshot: &Snapshot, edge: usize) -> String {
    let mut out = String::new();
    write_dump(&mut out, snapshot, edge).expect("writing to a string");
    out
}

fn write_dump(out: &mut String, s: &Snapshot, edge: usize) -> std::fmt::Result {
    writeln!(out, "writer {:?}, complete {}", s.writer, s.complete)?;
    writeln!(out, "{} distinct frames, {} distinct stacks", s.frames.len(), s.stacks.len())?;
    for trace in &s.traces {
        let rows = trace.rows.clone();
        let sizes: u128 = rows.clone().map(|row| u128::from(s.events.size[row].0)).sum();
        writeln!(out, "device {}: {} events, sizes sum to {sizes}", trace.device, rows.len())?;
        for row in rows.clone() {
            if row < rows.start + edge || row + edge >= rows.end {
                writeln!(out, "  {}: {}", row - rows.start, event(s, row))?;
            }
        }
    }
    let total: u128 = s.segments.iter().map(|s| u128::from(s.total_size.0)).sum();
    let allocated: u128 = s.segments.iter().map(|s| u128::from(s.allocated_size.0)).sum();
    let active: u128 = s.segments.iter().map(|s| u128::from(s.active_size.0)).sum();
    writeln!(
        out,
        "{} segments: total {total}, allocated {allocated}, active {active}; {} blocks, {} history entries",
        s.segments.len(),
        s.blocks.rows.len(),
        s.blocks.history.len()
    )?;
    for segment in s.segments.iter().take(edge) {
        writeln!(
            out,
            "  segment on {} at {}: {} / {} / {} requested {:?} stream {} {:?} pool {:?} expandable {} {}",
            segment.device,
            segment.address,
            segment.total_size.0,
            segment.allocated_size.0,
            segment.active_size.0,
            segment.requested_size.map(|b| b.0),
            s.streams.get(segment.stream),
            segment.segment_type,
            s.pools.get(segment.pool),
            segment.is_expandable,
            stack(s, segment.stack),
        )?;
        if let Some(forward) = segment.forward_frames.some() {
            writeln!(out, "    forward {:?}", s.strings.get(forward))?;
        }
        for id in segment.block_ids().take(edge) {
            let block = s.blocks.get(id);
            let requested = block.requested_size.map(|b| b.0);
            let (address, size, state) = (block.address, block.size.0, block.state.name());
            writeln!(
                out,
                "    block at {address}: {size} requested {requested:?} {state} {}",
                stack(s, block.stack)
            )?;
            if let Some(forward) = s.blocks.forward_frames.get(id.index()).some() {
                writeln!(out, "      forward {:?}", s.strings.get(forward))?;
            }
            for entry in s.blocks.history_of(block) {
                let (address, size) = (entry.address, entry.real_size.0);
                let cpp = s.strings.get(entry.cpp_frames);
                writeln!(out, "      history at {address}: {size} {} cpp {cpp:?}", stack(s, entry.stack))?;
            }
        }
    }
    writeln!(out, "{} annotations", s.annotations.len())?;
    for a in s.annotations.iter().take(edge) {
        let device = a.device.map(|d| d.to_string());
        let (name, stage) = (s.strings.get(a.name), s.strings.get(a.stage));
        writeln!(out, "  {stage} {name:?} on {device:?} at {:?}", a.time.map(|t| t.0))?;
    }
    for (key, value) in s.allocator_settings.iter().take(8) {
        writeln!(out, "setting {key} = {value:?}")?;
    }
    for w in s.warnings.iter() {
        writeln!(out, "warning {} × {}: {}", w.count, w.kind, w.detail)?;
    }
    Ok(())
}

fn event(s: &Snapshot, row: usize) -> String {
    let Event { action, address, size, stream, time, stack: id } = s.events.get(row);
    let mut out = format!("{} at {address} size {} stream {}", action.name(), size.0, s.streams.get(stream));
    let mut note = |name: &str, id: StringId| {
        if !id.is_none() {
            let _ = write!(out, " {name} {:?}", s.strings.get(id));
        }
    };
    note("named", s.events.other_action.get(row));
    note("compiled", s.events.compile_context.get(row));
    note("user", s.events.user_metadata.get(row));
    note("internal", s.events.internal_metadata.get(row));
    note("forward", s.events.forward_frames.get(row));
    if let Some(pool) = s.events.pool.get(row).some() {
        let _ = write!(out, " pool {:?}", s.pools.get(pool));
    }
    if let Some(time) = time {
        let _ = write!(out, " time {}", time.0);
    }
    let _ = write!(out, " {}", stack(s, id));
    out
}

fn stack(s: &Snapshot, id: StackId) -> String {
    if id.is_none() {
        return "no stack".to_owned();
    }
    let frames = s.stacks.get(id);
    let shown: Vec<String> = frames
        .iter()
        .map(|&frame| s.frames.get(frame))
        .map(|f| {
            let name: String = s.strings.get(f.function).chars().take(40).collect();
            format!("{}:{} {name}", s.strings.get(f.file).rsplit('/').next().unwrap_or(""), f.line)
        })
        .take(4)
        .collect();
    format!("{} frames [{}]", frames.len(), shown.join(" < "))
}
