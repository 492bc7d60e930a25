//! The call stacks and figures of real runs, as a few lines of Python over the same files give them.

use crate::folders::analyse;
use crate::shared::shared;
use hbmlens::analysis::ops::report::MatchCounts;

/// Kinds by a search without any index: for each row the innermost operator of its name, else the enqueue
/// behind the dequeue around it, else the last earlier operator of its name with a stack.
const SCRIPT: &str = r#"
import collections, csv, json, sys
from decimal import Decimal
folder = sys.argv[1] + "/ASCEND_PROFILER_OUTPUT/"
ns = lambda s: int(Decimal(str(s)) * 1000)
trace = json.load(open(folder + "trace_view.json"))
span = lambda e: (ns(e["ts"]), ns(e["ts"]) + ns(e.get("dur", 0)))
ops = [(*span(e), e["name"], e["tid"], e.get("args", {}).get("Call stack", "")) for e in trace if e.get("cat") == "cpu_op"]
enqueues = {e["args"]["correlation_id"]: e for e in trace if e.get("cat") == "enqueue"}
dequeues = [(*span(e), e["args"]["correlation_id"]) for e in trace if e.get("cat") == "dequeue"]
inside = lambda t, of: [o for o in of if o[0] <= t <= o[1]]

def found(operator, kind):
    if operator[4]:
        return kind, operator[4]
    around = [o for o in ops if o[3] == operator[3] and o[0] <= operator[0] and o[1] >= operator[1] and o[4]]
    return ("inherited", max(around)[4]) if around else None

def match(name, time):
    exact = [o for o in inside(time, ops) if o[2] == name]
    result = exact and found(max(exact), "exact")
    if not exact:
        for dequeue in inside(time, dequeues)[-1:]:
            enqueue = enqueues[dequeue[2]]
            around = inside(ns(enqueue["ts"]), [o for o in ops if o[3] == enqueue["tid"]])
            result = around and found(max(around), "flow")
    if not result:
        earlier = [o for o in ops if o[2] == name and o[0] <= time and o[4]]
        result = ("approximate", max(earlier, key=lambda o: o[0])[4]) if earlier else ("none", "")
    return result

rows = []
for row in csv.DictReader(open(folder + "operator_memory.csv", newline="")):
    time = row["Allocation Time(us)"].strip()
    rows.append(match(row["Name"], ns(time)) if time else ("none", ""))
print(json.dumps(rows))
"#;

fn by_script(folder: &std::path::Path) -> Option<Vec<(String, String)>> {
    let output = std::process::Command::new("python3").arg("-c").arg(SCRIPT).arg(folder).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn an_independent_search_finds_the_same_stacks() {
    let Some(folder) = shared("data/profiler") else { return };
    let ranks = analyse(&folder);
    assert_eq!(ranks.len(), 3);
    for rank in &ranks {
        let role = if rank.run.key.role == "actor" { "actor/" } else { "" };
        let Some(expected) = by_script(&folder.join(format!("{role}{}", rank.run.key.folder))) else {
            return;
        };
        assert_eq!(rank.index.len(), expected.len());
        for (position, &row) in rank.index.row.iter().enumerate() {
            let (kind, stack) = &expected[row as usize];
            let found = (rank.index.matches[position].kind.name(), rank.index.stack(&rank.run, position));
            assert_eq!(found, (kind.as_str(), stack.as_str()), "row {row} of {}", rank.run.key.folder);
        }
    }
}

#[test]
fn kinds_and_peaks_of_the_real_ranks() {
    let Some(folder) = shared("data/profiler") else { return };
    let ranks = analyse(&folder);
    let actor = ranks.iter().find(|r| r.run.key.role == "actor").unwrap();
    assert_eq!((actor.run.key.rank, actor.run.key.timestamp.as_str()), (Some(0), "20260526085155000"));
    let counts = MatchCounts::of(&actor.index);
    assert_eq!(counts.approximate, 49);
    assert_eq!(counts.approximate + counts.none, actor.index.len() as u64);
    let pair: Vec<_> = ranks.iter().filter(|r| r.run.key.role != "actor").collect();
    assert_eq!((pair[0].run.key.rank, pair[1].run.key.rank), (Some(0), Some(1)));
    for rank in pair {
        let counts = MatchCounts::of(&rank.index);
        assert_eq!(counts, MatchCounts { exact: 69, flow: 15, approximate: 7, inherited: 0, none: 93 });
    }
}

#[test]
fn a_gpu_trace_gives_rows_of_its_own() {
    let Some(file) = shared("data/other/kineto_gpu_memory_events.json.gz") else { return };
    let folder = std::env::temp_dir().join(format!("hbmlens-kineto-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(file, folder.join("trace_view.json.gz")).unwrap();
    let ranks = analyse(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let rank = &ranks[0];
    let table = rank.run.operators.as_ref().unwrap();
    assert_eq!(table.strings.get(rank.index.device), "CUDA:0");
    let report = rank.report(0, 0);
    let of = |device: &str| report.rows.iter().filter(|r| r.device_type.starts_with(device)).count();
    let allocated = report.rows.iter().filter(|r| r.size_kb > 0.0).count();
    // As many allocations as the file has events of positive bytes; every free finds its own.
    assert_eq!((of("CUDA"), of("CPU"), allocated), (109, 9, 118));
    assert_eq!((report.peak_bytes, report.unreleased_count, report.matches.exact), (9_944_576, 0, 118));
    let first = &report.rows[0];
    assert_eq!(
        (first.name.as_str(), first.size_kb, first.total_allocated_mb),
        ("aten::resize_", 141.0, Some(87.26611328125))
    );
    assert_eq!(
        (first.start_time_ms.as_str(), first.duration_ms.as_str()),
        ("1752830083333.400919", "0.258584")
    );
    assert!(first.call_stack.contains("torch/nn/functional.py(2437): embedding;\r\n"));
}
