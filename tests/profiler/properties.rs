//! Made-up runs written as files, read back, and matched against a search without any index.

use hbmlens::analysis::ops::LifeEnd;
use hbmlens::analysis::ops::join::MatchKind;
use hbmlens::analysis::ops::lanes::Lanes;
use hbmlens::analysis::ops::live::top_at;
use hbmlens::analysis::ops::report::Analysed;
use hbmlens::format::profiler::{read_operator_memory, read_trace};
use hbmlens::model::Nanos;
use hbmlens::model::profile::ProfilerRun;
use proptest::prelude::*;

const NAMES: [&str; 3] = ["aten::empty", "aten::mm", "aten::add"];
/// All times lie behind this one, as they do in real files.
const BASE: i64 = 1_779_785_515_000_000_000;

/// An operator: its name, thread and stack (0: none).
#[derive(Clone, Copy, Debug)]
struct Op {
    name: usize,
    thread: u8,
    start: i64,
    end: i64,
    stack: u8,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    enqueue: i64,
    thread: u8,
    start: i64,
    end: i64,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    name: usize,
    start: i64,
    duration: Option<i64>,
    size: i64,
}

#[derive(Clone, Debug)]
struct Run {
    ops: Vec<Op>,
    queue: Vec<Queue>,
    rows: Vec<Row>,
}

/// Cuts `start..end` into nested operators, by halves that a seed chooses.
fn nest(out: &mut Vec<Op>, thread: u8, start: i64, end: i64, seed: u64) {
    let mut work = vec![(start, end, seed)];
    while let Some((start, end, seed)) = work.pop() {
        if end - start < 4 || out.len() > 40 {
            continue;
        }
        if seed % 5 != 0 {
            out.push(Op { name: (seed % 3) as usize, thread, start, end, stack: (seed / 7 % 4) as u8 });
        }
        let middle = start + 1 + (end - start - 2) * (seed / 11 % 8) as i64 / 8;
        let next = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 3;
        work.push((start + 1, middle, next));
        work.push((middle + 1, end - 1, next ^ 0x55));
    }
}

fn run() -> impl Strategy<Value = Run> {
    let rows = prop::collection::vec((0_usize..4, 0_i64..420, prop::option::of(0_i64..100), 1_i64..6), 1..25);
    let queue = prop::collection::vec((0_i64..400, 0_u8..2, 1_i64..60, 0_i64..12), 0..6);
    (any::<u64>(), any::<u64>(), queue, rows).prop_map(|(a, b, queue, rows)| {
        let mut ops = Vec::new();
        nest(&mut ops, 0, 0, 400, a >> 8);
        nest(&mut ops, 1, 50, 350, b >> 8);
        // Dequeues of one thread follow one another.
        let mut at = 0;
        let queue = queue
            .into_iter()
            .map(|(enqueue, thread, wait, length)| {
                let start = at.max(enqueue) + wait;
                at = start + length + 1;
                Queue { enqueue, thread, start, end: start + length }
            })
            .collect();
        let rows = rows.into_iter().map(|(name, start, duration, size)| Row {
            name,
            start,
            duration,
            size: size * 512,
        });
        Run { ops, queue, rows: rows.collect() }
    })
}

fn us(nanos: i64) -> String {
    let time = BASE + nanos;
    format!("{}.{:03}", time / 1000, time % 1000)
}

fn trace_text(run: &Run) -> String {
    let mut events = Vec::new();
    for op in &run.ops {
        let stack = if op.stack > 0 {
            format!(r#""Call stack": "s{}.py(1): f;\r\nmain""#, op.stack)
        } else {
            String::new()
        };
        events.push(format!(
            r#"{{"ph":"X","name":"{}","pid":1,"tid":{},"ts":"{}","dur":{:.3},"cat":"cpu_op","args":{{{stack}}}}}"#,
            NAMES[op.name],
            op.thread,
            us(op.start),
            (op.end - op.start) as f64 / 1000.0
        ));
    }
    for (id, queue) in run.queue.iter().enumerate() {
        events.push(format!(
            r#"{{"ph":"X","name":"Enqueue","pid":1,"tid":{},"ts":"{}","dur":0.001,"cat":"enqueue","args":{{"correlation_id":{id}}}}}"#,
            queue.thread,
            us(queue.enqueue)
        ));
        events.push(format!(
            r#"{{"ph":"X","name":"Dequeue","pid":1,"tid":9,"ts":"{}","dur":{:.3},"cat":"dequeue","args":{{"correlation_id":{id}}}}}"#,
            us(queue.start),
            (queue.end - queue.start) as f64 / 1000.0
        ));
    }
    format!("[{}]", events.join(",\n"))
}

fn table_text(run: &Run) -> String {
    let mut text = "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Device Type\n".to_owned();
    for row in &run.rows {
        let name = NAMES.get(row.name).unwrap_or(&"other");
        let release = row.duration.map_or(String::new(), |d| us(row.start + d));
        let duration = row.duration.map_or(String::new(), |d| format!("0.{d:03}\t"));
        text +=
            &format!("{name},{},{}\t,{release},{duration},NPU:0\n", row.size as f64 / 1024.0, us(row.start));
    }
    text
}

fn analyse(run: &Run) -> Analysed {
    let profile = ProfilerRun {
        operators: Some(read_operator_memory(table_text(run).as_bytes()).unwrap()),
        trace: Some(read_trace(trace_text(run).as_bytes()).unwrap()),
        ..ProfilerRun::default()
    };
    Analysed::new(profile, LifeEnd::Release)
}

/// The rule in words, by looking at everything.
fn search(run: &Run, row: &Row) -> (MatchKind, u8) {
    let inner = |ops: &mut dyn Iterator<Item = (usize, &Op)>| {
        ops.max_by_key(|(i, o)| (o.start, -o.end, *i)).map(|(_, op)| *op)
    };
    let all = || run.ops.iter().enumerate();
    let settle = |op: Op, kind| {
        if op.stack > 0 {
            return Some((kind, op.stack));
        }
        let around = |o: &Op| o.thread == op.thread && o.start <= op.start && op.end <= o.end && o.stack > 0;
        inner(&mut all().filter(|(_, o)| around(o))).map(|o| (MatchKind::Inherited, o.stack))
    };
    let at = |o: &Op, t: i64| o.start <= t && t <= o.end;
    let own = inner(&mut all().filter(|(_, o)| o.name == row.name && at(o, row.start)));
    let found = match own {
        Some(op) => settle(op, MatchKind::Exact),
        None => {
            let dequeue = run.queue.iter().rfind(|q| q.start <= row.start && row.start <= q.end);
            let source = dequeue
                .and_then(|q| inner(&mut all().filter(|(_, o)| o.thread == q.thread && at(o, q.enqueue))));
            source.and_then(|op| settle(op, MatchKind::Flow))
        }
    };
    found.unwrap_or_else(|| {
        let earlier = all().filter(|(_, o)| o.name == row.name && o.start <= row.start && o.stack > 0);
        let last = earlier.max_by_key(|(i, o)| (o.start, *i));
        last.map_or((MatchKind::None, 0), |(_, op)| (MatchKind::Approximate, op.stack))
    })
}

proptest! {
    #[test]
    fn every_row_finds_what_a_search_finds(run in run()) {
        let rank = analyse(&run);
        for (position, &row) in rank.index.row.iter().enumerate() {
            let (kind, stack) = search(&run, &run.rows[row as usize]);
            let text = if stack > 0 { format!("s{stack}.py(1): f;\r\nmain") } else { String::new() };
            prop_assert_eq!(rank.index.matches[position].kind, kind, "row {}", row);
            prop_assert_eq!(rank.index.stack(&rank.run, position), text, "row {}", row);
        }
    }

    #[test]
    fn the_curve_is_the_sum_of_what_lives(run in run(), moments in prop::collection::vec(-10_i64..600, 1..20)) {
        let rank = analyse(&run);
        let lives = |row: &Row, t: i64| row.start <= t && row.duration.is_none_or(|d| t < row.start + d);
        let sum = |t: i64| run.rows.iter().filter(|r| lives(r, t)).map(|r| r.size).sum::<i64>();
        for t in moments {
            let count = run.rows.iter().filter(|r| lives(r, t)).count();
            prop_assert_eq!(rank.curve.at(Nanos(BASE + t)), (sum(t), count as u32));
            let top = top_at(&rank.index, Nanos(BASE + t), 3);
            let mut sizes: Vec<i64> = run.rows.iter().filter(|r| lives(r, t)).map(|r| r.size).collect();
            sizes.sort_by_key(|s| -s);
            sizes.truncate(3);
            prop_assert_eq!(top.iter().map(|&i| rank.index.size[i]).collect::<Vec<_>>(), sizes);
        }
        let peak = rank.curve.peak().map_or(0, |p| p.bytes);
        prop_assert_eq!(peak, run.rows.iter().map(|r| sum(r.start)).max().unwrap_or(0));
    }

    #[test]
    fn lanes_show_every_live_row_and_no_other(run in run(), columns in 1_u32..50) {
        let rank = analyse(&run);
        let lanes = Lanes::new(&rank.run, &rank.index);
        let (from, to) = (Nanos(BASE - 7), Nanos(BASE + 600));
        let runs = lanes.window(&rank.index, 0..lanes.len(), from, to, columns);
        for lane in 0..lanes.len() {
            let of_lane: Vec<_> = runs.iter().filter(|r| r.lane as usize == lane).collect();
            prop_assert!(of_lane.windows(2).all(|w| w[0].to < w[1].from), "{:?}", of_lane);
            // The most bytes live in the window stands in some run.
            let rows = &lanes.get(lane).unwrap().rows;
            let live = |t: i64| rows.iter().map(|&r| r as usize)
                .filter(|&r| rank.index.start[r] <= t && t < rank.index.end[r]).map(|r| rank.index.size[r]).sum::<i64>();
            let most = rows.iter().map(|&r| live(rank.index.start[r as usize])).max().unwrap_or(0);
            prop_assert_eq!(of_lane.iter().map(|r| r.bytes).max().unwrap_or(0), most);
            // Every moment of every live row lies in a run.
            let column = |t: i64| ((t - from.0) as u128 * u128::from(columns) / (to.0 - from.0) as u128) as u32;
            for &r in rows {
                let (s, e) = (rank.index.start[r as usize], rank.index.end[r as usize].min(to.0));
                for t in (s..e).step_by(17) {
                    prop_assert!(of_lane.iter().any(|run| run.from <= column(t) && column(t) <= run.to), "{} at {}", lane, t - BASE);
                }
            }
        }
        for position in 0..rank.index.len() {
            let (s, e) = (rank.index.start[position], rank.index.end[position]);
            let mut expected: Vec<u32> = (0..rank.index.len()).filter(|&o| o != position
                && rank.index.name(&rank.run, o) == rank.index.name(&rank.run, position)
                && rank.index.start[o] < e && s < rank.index.end[o]
                && rank.index.end[o] > rank.index.start[o] && e > s).map(|o| o as u32).collect();
            let mut found = lanes.overlapping(&rank.run, &rank.index, position);
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
