//! Generated logs against their truth: whatever is planted must be found, and nothing else.

use hbmlens::analysis::ge::overlap::{Overlap, OverlapKind};
use hbmlens::analysis::ge::pools::pools;
use hbmlens::analysis::ge::{GeReport, GraphReport, ProcessReport, report};
use hbmlens::export::ge::FILES;
use hbmlens::format::ge_log::Reader;
use hbmlens::model::ge::GeLog;
use hbmlens::simulate::ge_log::{GeSample, GeScript, GraphTruth, Plants, ProcessTruth, Version, ge_log};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn read(sample: &GeSample) -> GeLog {
    let mut reader = Reader::default();
    for file in &sample.files {
        reader.read(file.as_bytes(), &mut |_| {}).expect("text in memory can be read");
    }
    reader.finish()
}

fn pairs(overlaps: &[Overlap], kind: OverlapKind) -> BTreeSet<(String, String)> {
    let of_kind = overlaps.iter().filter(|overlap| overlap.kind == kind);
    of_kind.map(|overlap| (overlap.first.name.clone(), overlap.second.name.clone())).collect()
}

fn check_graph(graph: &GraphReport, truth: &GraphTruth) {
    let figures = &graph.figures;
    assert_eq!((&graph.key, &graph.graph, graph.id), (&truth.key, &truth.name, truth.id));
    assert_eq!(figures.memory_size.0, truth.memory_size, "memory_size");
    assert_eq!(figures.total.0, truth.total, "total");
    assert_eq!(figures.theory_min.0, truth.theory_min, "theory_min");
    assert_eq!(figures.no_reuse.0, truth.no_reuse, "no_reuse");
    assert_eq!(figures.atomic.0, truth.atomic, "atomic");
    assert_eq!(figures.continuous.0, truth.continuous, "continuous");
    assert_eq!(figures.streams, truth.streams, "streams");
    assert_eq!(figures.operators, truth.operators, "operators");
    if truth.id.is_some() {
        assert_eq!(figures.total_size.map(|size| size.0), Some(truth.total_size), "total_size");
    }
    assert_eq!(pairs(&graph.overlaps, OverlapKind::Overlap), truth.overlaps, "overlaps");
    assert_eq!(pairs(&graph.overlaps, OverlapKind::Boundary), truth.boundaries, "boundaries");
    assert_eq!(graph.overlap_count, truth.overlaps.len() as u64);

    assert_eq!((graph.peak.bytes.0, graph.peak.moment), (truth.theory_min, truth.peak_moment), "peak");
    let cleared = graph.gap.costs.iter().filter(|cost| serde_json::json!(cost.cause) == "atomic");
    let cleared = cleared.flat_map(|cost| &cost.nodes).count();
    assert_eq!(graph.peak.count as usize, truth.peak_nodes.len() + cleared, "live at the peak");
    let listed = graph.peak.nodes.iter().filter(|node| !node.name.starts_with("cleared"));
    for node in listed {
        assert!(truth.peak_nodes.contains(&node.name), "{} is not live at the peak", node.name);
    }
    for groups in [&graph.peak.by_op_type, &graph.peak.by_scope] {
        assert_eq!(groups.iter().map(|group| group.bytes.0).sum::<u64>(), truth.theory_min);
    }

    assert_eq!(graph.gap.computed_theory_min.0, truth.theory_min);
    for &(cause, bytes) in &truth.costs {
        let found = graph.gap.costs.iter().find(|cost| serde_json::json!(cost.cause) == cause);
        assert_eq!(found.map_or(0, |cost| cost.bytes.0), bytes, "cost of {cause}");
        if let Some(cost) = found.filter(|_| cause != "placement") {
            assert!(!cost.nodes.is_empty(), "{cause} names no node");
        }
    }
}

fn check_process(log: &GeLog, process: &ProcessReport, truth: &ProcessTruth) {
    assert_eq!((process.pid, process.name.as_deref()), (truth.pid, Some("train")));
    assert_eq!(process.graphs.len(), truth.graphs.len());
    for (graph, truth) in process.graphs.iter().zip(&truth.graphs) {
        check_graph(graph, truth);
    }

    let rows = log.processes.iter().find(|rows| rows.pid == truth.pid).expect("the process was read");
    let all = pools(rows);
    assert_eq!(all.unknown_frees + all.implied_frees, 0);
    assert_eq!(process.pools.len(), truth.pools.len());
    for (report, truth) in process.pools.iter().zip(&truth.pools) {
        let pool = &report.pool;
        assert_eq!(pool.allocator.to_string(), truth.allocator);
        let figures = [pool.total.0, pool.after_reuse.0, pool.theory_min.0, pool.real_theory_min.0];
        let expected = [truth.total, truth.after_reuse, truth.theory_min, truth.real_theory_min];
        assert_eq!(figures, expected, "{}", truth.allocator);
        assert_eq!((pool.uses, pool.live_at_end), (truth.uses, truth.live_at_end), "{}", truth.allocator);
        let uses = all.uses.iter().filter(|row| row.allocator == pool.allocator);
        let asked: Vec<_> = uses.map(|row| (log.text(row.name).to_owned(), row.real_size.0)).collect();
        assert_eq!(asked, truth.asked, "{}", truth.allocator);
        // The curve reaches the peak, whatever its width.
        let most = report.curve.iter().map(|step| step.live.0).max();
        assert_eq!(most, Some(truth.theory_min));
    }

    let device = &process.device;
    assert_eq!((device.total.0, device.peak.0), (truth.device.total, truth.device.peak));
    let ge = &device.children["GE"];
    for (&class, &expected) in truth.device.by_class.iter().filter(|(class, _)| **class != "total") {
        let node = device.children.get(class).or(ge.children.get(class)).expect("the class is there");
        assert_eq!((node.sum.0, node.peak.0), expected, "{class}");
    }
    let sums = |nodes: &mut dyn Iterator<Item = u64>| nodes.sum::<u64>();
    assert_eq!(sums(&mut device.children.values().map(|node| node.sum.0)), device.total.0);
    assert_eq!(sums(&mut ge.children.values().map(|node| node.sum.0)), ge.sum.0);
    assert_eq!(device.unsized_frees, 1);

    assert_eq!(process.variables.len() as u64, truth.variables);
    let shared = process.variables.iter().filter(|row| row.reuse_of.is_some()).count() as u64;
    assert_eq!(shared, truth.shared_variables);
    let addresses = &process.addresses;
    assert_eq!((addresses.addresses, addresses.failed), (truth.addresses, truth.wrong_addresses));
    assert_eq!(addresses.passed, truth.addresses - truth.wrong_addresses);
}

fn check(script: &GeScript) -> (GeLog, GeReport) {
    let sample = ge_log(script);
    let log = read(&sample);
    let warnings: Vec<_> = log.warnings.iter().collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    let report = report(&log);
    assert_eq!(report.processes.len(), sample.processes.len());
    for (process, truth) in report.processes.iter().zip(&sample.processes) {
        check_process(&log, process, truth);
    }
    (log, report)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_generated_log_gives_its_truth(
        seed in any::<u64>(),
        of_2021 in any::<bool>(),
        nodes in 1..120u64,
        kernels in 0..150u64,
        processes in 1..3u64,
        files in 1..5u64,
        counts in proptest::array::uniform8(0..4u64),
    ) {
        let [overlaps, boundaries, continuous, streams, no_reuse, atomic, larger, refs] = counts;
        // Logs of 2021 print one end of life, so waiting for other streams does not show.
        let streams = if of_2021 { 0 } else { streams };
        let plants = Plants { overlaps, boundaries, continuous, streams, no_reuse, atomic, larger, refs };
        let version = if of_2021 { Version::Of2021 } else { Version::Now };
        let script = GeScript {
            seed, version, processes, nodes, plants, kernels, files, noise: 1, ..GeScript::default()
        };
        check(&script);
    }
}

#[test]
fn a_log_without_faults_passes_the_check() {
    let plants = Plants { overlaps: 0, ..Plants::default() };
    let (_, report) = check(&GeScript { plants, wrong_addresses: 0, ..GeScript::default() });
    assert_eq!(report.failures(), 0);
    let (_, report) = check(&GeScript::default());
    // One overlap in each of two graphs and a wrong address, in each of two processes.
    assert_eq!(report.failures(), 6);
    assert_eq!(report.missing, []);
}

#[test]
fn the_earliest_lines_give_totals() {
    let script = GeScript {
        version: Version::Early,
        plants: Plants { overlaps: 0, ..Plants::default() },
        ..GeScript::default()
    };
    let sample = ge_log(&script);
    let log = read(&sample);
    assert!(log.warnings.is_empty());
    for (process, truth) in report(&log).processes.iter().zip(&sample.processes) {
        for (graph, truth) in process.graphs.iter().zip(&truth.graphs) {
            assert_eq!((graph.figures.total.0, graph.id), (truth.total, None));
            assert_eq!(graph.figures.memory_size.0, truth.memory_size);
        }
    }
}

#[test]
fn the_graph_report_is_an_input_too() {
    let (log, first) = check(&GeScript { processes: 1, ..GeScript::default() });
    let mut csv = Vec::new();
    let (_, write) = FILES[0];
    write(&log, &mut csv).expect("memory can be written");
    let again = hbmlens::format::ge_log::read(&csv[..], &mut |_| {}).expect("it reads back");
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    let second = report(&again);
    for (a, b) in first.processes[0].graphs.iter().zip(&second.processes[0].graphs) {
        let figures = |graph: &GraphReport| {
            let f = &graph.figures;
            [f.memory_size, f.total, f.theory_min, f.no_reuse, f.atomic, f.continuous].map(|size| size.0)
        };
        assert_eq!(figures(a), figures(b));
        assert_eq!((&a.overlaps, &a.peak), (&b.overlaps, &b.peak));
    }
    let mut twice = Vec::new();
    write(&again, &mut twice).expect("memory can be written");
    assert_eq!(String::from_utf8_lossy(&csv), String::from_utf8_lossy(&twice));
}

#[test]
fn the_pool_report_has_the_cells_that_a_replay_reads() {
    let script = GeScript { processes: 1, ..GeScript::default() };
    let sample = ge_log(&script);
    let mut csv = Vec::new();
    FILES[3].1(&read(&sample), &mut csv).expect("memory can be written");
    let text = String::from_utf8(csv).expect("reports are text");
    // What a replay would count: by allocator, bytes asked for and the greatest sum of them.
    for truth in &sample.processes[0].pools {
        let mut steps = Vec::new();
        let mut total = 0;
        for line in text.lines() {
            let cells: Vec<&str> = line.split(',').collect();
            if cells[2] != truth.allocator {
                continue;
            }
            let number = |n: usize| cells[n].parse::<u64>().expect("a number");
            total += number(8);
            steps.push((number(12), number(8) as i64));
            steps.push((number(14), -(number(8) as i64)));
        }
        steps.sort_unstable();
        let (mut live, mut most) = (0, 0);
        for (_, change) in steps {
            live += change;
            most = most.max(live);
        }
        assert_eq!((total, most as u64), (truth.total, truth.real_theory_min), "{}", truth.allocator);
    }
}

/// The rules of the trace event format that viewers rely on.
#[test]
fn the_trace_is_valid() {
    let (log, report) = check(&GeScript::default());
    let mut out = Vec::new();
    FILES[4].1(&log, &mut out).expect("memory can be written");
    let trace: serde_json::Value = serde_json::from_slice(&out).expect("the trace is JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let mut lanes: std::collections::BTreeMap<(u64, u64), Vec<(u64, u64)>> = Default::default();
    let mut most: std::collections::BTreeMap<u64, u64> = Default::default();
    let mut names = BTreeSet::new();
    for event in events {
        let number = |key: &str| event[key].as_u64();
        let (pid, tid) = (number("pid").expect("pid"), number("tid").expect("tid"));
        match event["ph"].as_str() {
            Some("X") => {
                let (ts, dur) = (number("ts").expect("ts"), number("dur").expect("dur"));
                assert!(dur > 0 && event["name"].is_string() && event["args"]["size"].is_u64());
                lanes.entry((pid, tid)).or_default().push((ts, ts + dur));
            }
            Some("C") => {
                let live = event["args"]["live"].as_u64().expect("a number");
                let top = most.entry(pid).or_default();
                *top = live.max(*top);
            }
            Some("M") => {
                if event["name"] == "process_name" {
                    names.insert(event["args"]["name"].as_str().expect("a name").to_owned());
                }
            }
            other => panic!("event of kind {other:?}"),
        }
    }
    for slices in lanes.values_mut() {
        slices.sort_unstable();
        assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0), "slices of a lane cross");
    }
    let graphs: Vec<&GraphReport> = report.processes.iter().flat_map(|process| &process.graphs).collect();
    assert_eq!((names.len(), most.len()), (graphs.len(), graphs.len()));
    let slices: usize = lanes.values().map(Vec::len).sum();
    let moved = |graph: &&GraphReport| graph.figures.operators;
    assert!(slices as u64 <= graphs.iter().map(moved).sum());
}

#[test]
fn a_part_of_a_log_says_what_is_gone() {
    let sample = ge_log(&GeScript { processes: 1, graphs: 1, files: 1, noise: 0, ..GeScript::default() });
    let lines: Vec<&str> = sample.files[0].lines().collect();
    let without = |word: &str| {
        let kept: Vec<&str> = lines.iter().copied().filter(|line| !line.contains(word)).collect();
        let log = hbmlens::format::ge_log::read(kept.join("\n").as_bytes(), &mut |_| {}).expect("it reads");
        report(&log)
            .missing
            .into_iter()
            .map(|missing| (missing.marker, missing.needed_for))
            .collect::<Vec<_>>()
    };
    assert_eq!(without("no such line"), []);
    assert_eq!(without("[IMAS]AfterAssign"), [("[IMAS]AfterAssignMemory", "imas_mem_graph.csv")]);
    assert_eq!(without("AssignVarMem"), [("[IMAS]AssignVarMem", "imas_mem_variable.csv")]);
    assert_eq!(without("svm_mem_stats_show"), [("svm_mem_stats_show", "total")]);
    // The first third rolled over: the graph's lines are there in part.
    let set: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| line.contains("[IMAS]Set")).map(|(n, _)| n).collect();
    let rest = lines[set[set.len() - 3]..].join("\n");
    let log = hbmlens::format::ge_log::read(rest.as_bytes(), &mut |_| {}).expect("it reads");
    let missing = report(&log).missing;
    let gone: Vec<_> = missing.iter().filter_map(|missing| missing.graph.as_deref()).collect();
    assert_eq!(gone, ["Process_20000,train_graph_0_1"]);
    for missing in missing {
        assert_eq!(missing.how.problem(), None);
    }
}
