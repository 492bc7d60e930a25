//! Times the readers of profiler files: `read_profile trace|rows FILE`. Prints seconds, MB/s, what was
//! read, the bytes of the columns and the most memory the process held.

use hbmlens::format::profiler::{read_operator_memory, read_trace};
use std::fs::File;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(kind), Some(path)) = (args.next(), args.next()) else {
        return Err("usage: read_profile trace|rows FILE".into());
    };
    let file = File::open(&path)?;
    let bytes = file.metadata()?.len();
    let start = Instant::now();
    let (what, columns) = if kind == "trace" {
        let table = read_trace(file)?;
        (format!("{} events, {} operators", table.events, table.operators.len()), table.heap_bytes())
    } else {
        let table = read_operator_memory(file)?;
        (format!("{} rows", table.len()), table.heap_bytes())
    };
    let seconds = start.elapsed().as_secs_f64();
    let peak = std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|s| s.lines().find_map(|l| Some(l.strip_prefix("VmHWM:")?.trim().to_owned())))
        .unwrap_or_default();
    println!(
        "{seconds:.3} s, {:.0} MB/s, {what}, columns {:.1} MB, most memory {peak}",
        bytes as f64 / 1e6 / seconds,
        columns as f64 / 1e6
    );
    Ok(())
}
