//! Reads snapshots and says what is in them and how long it took: `read [--dump] FILE…`.
//!
//! The benchmark script runs it; `--dump` prints every row, to compare with another reader's.

use hbmlens::format::{Document, Error, ReadOptions, open};
use hbmlens::model::{Snapshot, StackId, StringId};
use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut dump = false;
    for path in std::env::args().skip(1) {
        if path == "--dump" {
            dump = true;
            continue;
        }
        let file = File::open(&path)?;
        let len = file.metadata()?.len();
        let options = ReadOptions { len: Some(len), ..ReadOptions::default() };
        let start = Instant::now();
        let outcome = open(file, &options, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(Document::Snapshot(snapshot)) if dump => print_rows(&snapshot)?,
            Ok(Document::Snapshot(snapshot)) => print_summary(&path, &snapshot, len, seconds),
            Ok(_) => println!("{path}: not a snapshot"),
            Err(Error { kind, message, hint, position, .. }) => {
                println!("{path}: {kind:?}: {message} {position:?} {hint:?}");
            }
        }
    }
    Ok(())
}

fn print_summary(path: &str, snapshot: &Snapshot, len: u64, seconds: f64) {
    println!(
        "{path}: {} events, {} segments, {} blocks, {} stacks, {} frames, {:.1} MiB of tables; {:.3} s, {:.0} MB/s",
        snapshot.events.len(),
        snapshot.segments.len(),
        snapshot.blocks.rows.len(),
        snapshot.stacks.len(),
        snapshot.frames.len(),
        snapshot.heap_bytes() as f64 / (1 << 20) as f64,
        seconds,
        len as f64 / seconds / 1e6,
    );
    for warning in snapshot.warnings.iter() {
        println!("  {} × {}: {}", warning.count, warning.kind, warning.detail);
    }
}

fn print_rows(snapshot: &Snapshot) -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "writer {:?} complete {}", snapshot.writer, snapshot.complete)?;
    let text = |id: StringId| snapshot.strings.get(id);
    let stack = |id: StackId| -> String {
        if id.is_none() {
            return "-".to_owned();
        }
        let frames = snapshot.stacks.get(id).iter().map(|&frame| snapshot.frames.get(frame));
        frames.map(|f| format!("{}|{}|{};", text(f.file), f.line, text(f.function))).collect()
    };
    for trace in &snapshot.traces {
        writeln!(out, "trace {} {}", trace.device, trace.rows.len())?;
        for row in trace.rows.clone() {
            let e = snapshot.events.get(row);
            let time = e.time.map_or(-1, |t| t.micros());
            let stream = snapshot.streams.get(e.stream);
            writeln!(
                out,
                "{} {} {} {stream} {time} {}",
                e.action.name(),
                e.address.0,
                e.size.0,
                stack(e.stack)
            )?;
        }
    }
    for s in &snapshot.segments {
        let stream = snapshot.streams.get(s.stream);
        let (a, b) = snapshot.pools.get(s.pool);
        writeln!(
            out,
            "segment {} {} {} {} {} {} {stream} {:?} {a} {b} {} {}",
            s.device,
            s.address.0,
            s.total_size.0,
            s.allocated_size.0,
            s.active_size.0,
            s.requested_size.map_or(-1, |b| b.0 as i64),
            s.segment_type,
            s.is_expandable,
            stack(s.stack)
        )?;
        for id in s.block_ids() {
            let b = snapshot.blocks.get(id);
            let requested = b.requested_size.map_or(-1, |b| b.0 as i64);
            writeln!(
                out,
                "block {} {} {requested} {} {}",
                b.address.0,
                b.size.0,
                b.state.name(),
                stack(b.stack)
            )?;
            for h in snapshot.blocks.history_of(b) {
                writeln!(out, "history {} {} {}", h.address.0, h.real_size.0, stack(h.stack))?;
            }
        }
    }
    for a in &snapshot.annotations {
        let device = a.device.map_or("-".to_owned(), |d| d.to_string());
        writeln!(
            out,
            "annotation {} {} {device} {}",
            text(a.name),
            text(a.stage),
            a.time.map_or(-1, |t| t.micros())
        )?;
    }
    for (key, value) in &snapshot.allocator_settings {
        writeln!(out, "setting {key} {value}")?;
    }
    out.flush()
}
