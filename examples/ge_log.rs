//! Makes GE logs to try and to measure with, and measures how fast they are read.
//!
//! `ge_log sample FILE` writes the small log that the page carries; `ge_log make FILE BYTES` a log of
//! that size of which one line in twenty matters; `ge_log read FILE…` reads logs and prints the speed.

use hbmlens::format::ge_log::Reader;
use hbmlens::simulate::ge_log::{GeScript, ge_log, ge_sample};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["sample", path] => std::fs::write(path, ge_sample())?,
        ["make", path, bytes] => make(path, bytes.parse()?)?,
        ["read", ref paths @ ..] if !paths.is_empty() => read(paths)?,
        _ => {
            eprintln!("usage: ge_log sample FILE | make FILE BYTES | read FILE...");
            std::process::exit(1);
        }
    }
    Ok(())
}

fn make(path: &str, bytes: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut written = 0;
    for seed in 0.. {
        if written >= bytes {
            break;
        }
        let script = GeScript {
            seed,
            processes: 1,
            graphs: 4,
            nodes: 400,
            kernels: 2000,
            files: 1,
            noise: 19,
            // One job after the other, so that lines are in the order of their times as in a real log.
            begin: seed * 5,
            ..GeScript::default()
        };
        for file in ge_log(&script).files {
            written += file.len() as u64;
            out.write_all(file.as_bytes())?;
        }
    }
    out.flush()
}

fn read(paths: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut reader = Reader::default();
    for path in paths {
        reader.read(File::open(path)?, &mut |_| {})?;
    }
    let log = reader.finish();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{seconds:.3} s, {:.0} MB/s, {} lines of interest in {} bytes, {} processes",
        log.bytes as f64 / 1e6 / seconds,
        log.markers.total(),
        log.bytes,
        log.processes.len()
    );
    Ok(())
}
