//! Feeds the readers with mutated files: no panic, no unbounded memory, no endless reading.
//!
//! `hbmlens-fuzz TARGET|all [SECONDS] [SEED] [CORPUS…]`. Works on a stable toolchain. The beginnings are
//! small generated snapshots and whatever files and folders are named; each round takes one, changes it
//! in a few places and reads it within 256 MiB and five seconds. A failure writes the input to
//! `fuzz/artifacts/` and ends the program with status 1.

mod beside;
mod memory;
mod mutate;
mod seeds;

use mutate::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const MOST_MEMORY: usize = 256 << 20;
const MOST_TIME: Duration = Duration::from_secs(5);

/// A way into the library and the inputs it likes.
struct Target {
    name: &'static str,
    read: fn(&[u8]),
    likes: fn(&[u8]) -> bool,
}

const TARGETS: &[Target] = &[
    Target { name: "open", read: open, likes: |_| true },
    Target { name: "pickle", read: pickle, likes: |bytes| bytes.first() == Some(&0x80) },
    Target { name: "json", read: open, likes: |bytes| matches!(bytes.first(), Some(b'{' | b'[')) },
    Target { name: "text", read: open, likes: |bytes| !matches!(bytes.first(), Some(0x80 | b'{' | b'[')) },
    Target { name: "csv", read: open, likes: is_csv },
    Target { name: "records", read: beside::records, likes: is_csv },
    Target { name: "trace", read: beside::trace, likes: is_trace },
    Target { name: "pieces", read: beside::pieces, likes: |_| true },
    Target {
        name: "ge",
        read: ge,
        likes: |bytes| !matches!(bytes.first(), Some(0x80 | b'{')) && has_ge_lines(bytes),
    },
    Target { name: "sqlite", read: sqlite, likes: |bytes| bytes.starts_with(b"SQLite format 3\0") },
    Target { name: "profile", read: profile, likes: |bytes| !matches!(bytes.first(), Some(0x80)) },
];

/// A first line of several columns.
fn is_csv(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
    !matches!(bytes.first(), Some(0x80 | b'{' | b'[' | b'<'))
        && line.iter().filter(|&&byte| byte == b',').count() >= 2
}

/// A list of events, bare or in an object.
fn is_trace(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(b'{' | b'[')) && bytes.windows(4).any(|word| word == b"\"ph\"")
}

/// A trace or a table of rows through the whole analysis, beside a plain other one.
fn profile(bytes: &[u8]) {
    use hbmlens::analysis::ops::report::{Analysed, report};
    use hbmlens::analysis::ops::{LifeEnd, lanes::Lanes};
    use hbmlens::format::profiler::{folder::add_document, read_operator_memory, read_trace};
    const TRACE: &[u8] = br#"[{"ph":"X","name":"aten::add","cat":"cpu_op","ts":"1.0","dur":9,"pid":1,"tid":2,"args":{"Call stack":"a"}}]"#;
    const ROWS: &[u8] =
        b"Name,Size(KB),Allocation Time(us),Duration(us)\naten::add,1.5,1.0,\naten::mm,2,1.5,1\n";
    let Ok(document) = hbmlens::format::open(bytes, &Default::default(), &mut |_| {}) else { return };
    let mut run = hbmlens::model::profile::ProfilerRun::default();
    if add_document(&mut run, document).is_some() {
        return;
    }
    if run.trace.is_none() {
        run.trace = read_trace(TRACE).ok();
    } else if bytes.len() % 2 == 0 {
        run.operators = read_operator_memory(ROWS).ok();
    }
    let ranks =
        [Analysed::new(run, if bytes.len() % 3 == 0 { LifeEnd::BlockRelease } else { LifeEnd::Release })];
    let _ = report(&ranks, 0);
    let [Analysed { run, index, .. }] = &ranks;
    let lanes = Lanes::new(run, index);
    if let Some((from, to)) = index.range {
        let _ = lanes.window(index, 0..lanes.len(), from, to, 100);
    }
}

/// A database; what is understood of a snapshot is written as one and read again.
fn sqlite(bytes: &[u8]) {
    use hbmlens::export::{sqlite::image, tables::Source};
    use hbmlens::format::Document;
    let Ok(Document::Snapshot(snapshot)) = hbmlens::format::open(bytes, &Default::default(), &mut |_| {})
    else {
        return;
    };
    if let Ok(again) = image(&Source::of_snapshot(&snapshot, &[]), bytes.len() % 2 == 0) {
        let _ = hbmlens::format::open(&again[..], &Default::default(), &mut |_| {});
    }
}

/// Lines of the graph engine.
fn has_ge_lines(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|word| word == b"[IMAS]") || bytes.starts_with(b"Process_")
}

/// A GE log in one piece and in two, through every report, every file and the comparison. A report read
/// back is an input too.
fn ge(bytes: &[u8]) {
    use hbmlens::analysis::ge::{compare::compare, report};
    use hbmlens::export::ge::{FILES, write_total};
    use hbmlens::format::ge_log::{Reader, read};
    let Ok(log) = read(bytes, &mut |_| {}) else { return };
    let whole = report(&log);
    let mut out = Vec::new();
    for (_, write) in FILES {
        out.clear();
        let _ = write(&log, &mut out);
        let _ = read(&out[..], &mut |_| {}).map(|again| report(&again));
    }
    let _ = write_total(&whole, &mut out);
    let mut reader = Reader::default();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for part in [second, first] {
        let _ = reader.read(part, &mut |_| {});
    }
    let _ = compare(&[("whole", &whole), ("parts", &report(&reader.finish()))]);
}

fn open(bytes: &[u8]) {
    let options = hbmlens::format::ReadOptions { len: Some(bytes.len() as u64), ..Default::default() };
    let _ = hbmlens::format::open(bytes, &options, &mut |_| {});
}

fn pickle(bytes: &[u8]) {
    use hbmlens::format::{Keep, ReadOptions};
    let _ = hbmlens::format::pickle_to_json(bytes, None, 1 << 16);
    for keep in [Keep::All, Keep::Last(7), Keep::Range(3..50)] {
        let options = ReadOptions { keep, native_frames: bytes.len() % 2 == 0, ..ReadOptions::default() };
        let _ = hbmlens::format::open(bytes, &options, &mut |_| {});
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let wanted = arguments.first().map_or("all", String::as_str);
    let (seconds, seed): (u64, u64) = (number(1, 60), number(2, 1));
    let mut corpus = seeds::generated();
    for path in arguments.iter().skip(3) {
        seeds::add(Path::new(path), &mut corpus);
    }
    let targets: Vec<&Target> = TARGETS.iter().filter(|t| wanted == "all" || t.name == wanted).collect();
    if targets.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        eprintln!("no target {wanted:?}; there are {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    for target in &targets {
        let time = Duration::from_secs(seconds) / targets.len() as u32;
        if !fuzz(target, &corpus, time, seed) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn fuzz(target: &Target, corpus: &[Vec<u8>], time: Duration, seed: u64) -> bool {
    let mut random = Random::new(seed);
    let mut pool: Vec<Vec<u8>> = corpus.iter().filter(|bytes| (target.likes)(bytes)).cloned().collect();
    if pool.is_empty() {
        pool.push(Vec::new());
    }
    let (start, mut rounds, mut worst) = (Instant::now(), 0_u64, 0);
    while start.elapsed() < time {
        let input = mutate::mutated(&pool, &mut random);
        let begin = Instant::now();
        memory::start();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.read)(&input)));
        let peak = memory::peak();
        worst = worst.max(peak);
        rounds += 1;
        let failure = match outcome {
            Err(_) => "it panicked".to_owned(),
            Ok(()) if peak > MOST_MEMORY => format!("it took {} MiB", peak >> 20),
            Ok(()) if begin.elapsed() > MOST_TIME => format!("it took {:?}", begin.elapsed()),
            Ok(()) => {
                // Some changed inputs are changed further.
                if rounds % 64 == 0 && pool.len() < corpus.len() + 256 && input.len() < 1 << 16 {
                    pool.push(input);
                }
                continue;
            }
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts");
        let path = folder.join(format!("{}-{seed}-{rounds}", target.name));
        let saved = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &input));
        eprintln!("{}: {failure}; input: {} ({saved:?})", target.name, path.display());
        return false;
    }
    println!("{}: {rounds} inputs in {:?}, at most {} MiB", target.name, start.elapsed(), worst >> 20);
    true
}
