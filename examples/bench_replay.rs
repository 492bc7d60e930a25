//! How long reading, replaying and seeking take on one snapshot:
//! `cargo run --profile quick --example bench_replay -- FILE [REPEATS]`.
//!
//! Seeks go to random states all over the trace; a step is one event of a cursor and the state after it.
//! REPEATS > 1 plays the trace that many times in a row (its addresses shifted each time), so that a
//! small file stands for a large one.

use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Address, Snapshot};
use hbmlens::replay::{Cursor, CurveKind, Replay};
use std::fs::File;
use std::time::{Duration, Instant};

/// Processor time where the system tells it, so that a busy machine does not count; else the clock.
#[derive(Clone, Copy)]
struct Stopwatch(Duration, Instant);

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch(on_processor().unwrap_or_default(), Instant::now())
    }

    fn elapsed(self) -> Duration {
        on_processor().map_or_else(|| self.1.elapsed(), |now| now - self.0)
    }
}

fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: bench_replay FILE [REPEATS]");
        std::process::exit(1);
    };
    let repeats: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let begin = Stopwatch::start();
    let file = File::open(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut snapshot = match open(file, &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        Ok(_) => panic!("{path}: not a snapshot"),
        Err(error) => panic!("{path}: {error}"),
    };
    println!("read    {:>9.1?}  ({} events)", begin.elapsed(), snapshot.events.len());
    if repeats > 1 {
        repeat(&mut snapshot, repeats);
        println!("played {repeats} times: {} events", snapshot.events.len());
    }
    for device in snapshot.devices() {
        let begin = Stopwatch::start();
        let replay = Replay::new(&snapshot, device);
        let events = replay.events();
        println!(
            "device {device}: replay {:?}, {} events, {} lives, {:.1} bytes an event, anomalies {:?}",
            begin.elapsed(),
            events,
            replay.lives.len(),
            replay.heap_bytes() as f64 / f64::from(events.max(1)),
            replay.anomalies.counts(),
        );
        if events == 0 {
            continue;
        }
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % (u64::from(events) + 1)) as u32
        };
        let mut blocks = 0;
        report("seek  ", 200, || blocks += replay.state(&snapshot, random()).blocks.len());
        println!("         {} blocks a state", blocks / 200);
        let mut cursor = Cursor::new(&snapshot, &replay, events / 2);
        report("step  ", 500, || {
            cursor.forward();
        });
        report("step and state", 200, || {
            cursor.back();
            std::hint::black_box(cursor.state());
        });
        report("curve ", 200, || {
            let (a, b) = (random(), random());
            window(&replay, a.min(b)..a.max(b) + 1);
        });
        report("whole curve", 20, || {
            window(&replay, 0..events + 1);
        });
    }
}

/// The extremes of 1,400 columns, as a page of that width asks for them.
fn window(replay: &Replay, states: std::ops::Range<u32>) {
    let (start, length) = (u64::from(states.start), u64::from(states.end - states.start));
    let columns = length.min(1400);
    for column in 0..columns {
        let edge = |i: u64| (start + length * i / columns) as u32;
        std::hint::black_box(replay.extremes(CurveKind::Requested, edge(column)..edge(column + 1)));
    }
}

fn report(what: &str, times: usize, mut act: impl FnMut()) {
    // The system counts processor time in ticks that are longer than most of these: the mean is what it can tell.
    std::thread::yield_now();
    let all = Stopwatch::start();
    let mut taken: Vec<Duration> = (0..times)
        .map(|_| {
            let begin = Instant::now();
            act();
            begin.elapsed()
        })
        .collect();
    std::thread::yield_now();
    let mean = all.elapsed() / times as u32;
    taken.sort_unstable();
    let (p50, p95) = (taken[times / 2], taken[times * 95 / 100]);
    println!(
        "  {what:<15} mean {mean:>9.1?} of the processor; by the clock p50 {p50:>9.1?}  p95 {p95:>9.1?}"
    );
}

/// Plays the first device's trace again and again, each time at other addresses, so that lives open at
/// its end pile up as those of a long run do.
fn repeat(snapshot: &mut Snapshot, times: usize) {
    let Some(trace) = snapshot.traces.iter().position(|t| !t.rows.is_empty()) else { return };
    let rows = snapshot.traces[trace].rows.clone();
    snapshot.traces.truncate(trace + 1);
    for time in 1..times as u64 {
        for row in rows.clone() {
            let mut event = snapshot.events.get(row);
            event.address = Address(event.address.0.wrapping_add(time << 42));
            snapshot.events.push(event);
        }
    }
    snapshot.traces[trace].rows.end = snapshot.events.len();
}
