//! Reports: what is written, that its figures are those of the other commands, and its reduced curves.
//!
//! Where the page of reports was not built, the program says so; then only that is tested.

use crate::support::{python, run, scratch, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const TEMPLATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/export/report/template/report.html");

/// Writes a report of `args` and gives its data; `None` where the program has no page for it.
fn report(test: &str, args: &[&OsStr]) -> Option<Value> {
    let path = scratch(test).join("report.html");
    let mut all = vec![OsStr::new("report"), OsStr::new("-o"), path.as_os_str()];
    all.extend(args);
    let ran = run(all);
    if ran.err.contains("compiled without the page of reports") {
        assert_eq!(ran.code, 1);
        assert!(!path.exists() && ran.err.contains("make program"), "{}", ran.err);
        // A page that came after the program was compiled would have made it anew.
        assert!(!Path::new(TEMPLATE).exists(), "there is a page, but the program has none");
        return None;
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    let page = std::fs::read_to_string(&path).expect("a report");
    let names: Vec<_> = std::fs::read_dir(path.parent()?).expect("the folder").flatten().collect();
    assert_eq!(names.len(), 1, "nothing else is left behind");
    Some(data(&page))
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("its data");
    let (text, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(text).expect("JSON")
}

fn json(command: &str, path: &Path, more: &[&str]) -> Value {
    let mut args = vec![OsStr::new(command), path.as_os_str(), OsStr::new("--json")];
    args.extend(more.iter().map(OsStr::new));
    run(args).json().remove(0)
}

/// A value without the sentences that a report adds to messages.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(map) => {
            let message = map.contains_key("key") && map.contains_key("params");
            let kept = map.iter().filter(|(key, _)| !message || !matches!(key.as_str(), "en" | "zh"));
            Value::Object(kept.map(|(key, value)| (key.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

/// Every figure of a report is that of the command which prints it.
fn compare_with_commands(report: &Value, path: &Path) {
    let report = &report["report"];
    assert_eq!(report["kind"], "snapshot");
    assert_eq!(plain(&report["overview"]), json("overview", path, &[]), "{}", path.display());
    let top = ["--top", "20"];
    let (peak, leak, oom) = (json("peak", path, &top), json("leak", path, &top), json("oom", path, &top));
    let fragment = json("fragment", path, &["--top", "50"]);
    let devices = report["devices"].as_array().expect("devices");
    assert_eq!(devices.len(), peak["devices"].as_array().map_or(0, Vec::len));
    for (i, device) in devices.iter().enumerate() {
        let mut expected = peak["devices"][i].clone();
        expected["top_lives"] = Value::Array(Vec::new());
        // Lists that the command alone prints: no section of a report draws them.
        for key in ["inferences", "own_peaks"] {
            assert!(expected.as_object_mut().is_some_and(|device| device.remove(key).is_some()), "{key}");
        }
        assert_eq!(plain(&device["peak"]), expected);
        assert_eq!(plain(&device["fragment"]), fragment["devices"][i]);
        assert_eq!(plain(&device["growth"]), leak["devices"][i]);
        assert_eq!(plain(&device["ooms"]), oom["devices"][i]);
        check_drawing(device);
    }
}

fn sum(rows: &Value, key: &str) -> u64 {
    rows.as_array().expect("rows").iter().map(|row| row[key].as_u64().expect("a number")).sum()
}

fn check_drawing(device: &Value) {
    let drawing = &device["drawing"];
    for line in drawing["curves"].as_array().expect("curves") {
        let values: Vec<i64> =
            line["value"].as_array().expect("values").iter().filter_map(Value::as_i64).collect();
        let of = line["of"].as_u64().expect("a number") as usize;
        assert_eq!(values.len(), of.min(2000));
        assert_eq!(line["event"].as_array().map(Vec::len), Some(values.len()));
        let peak = match line["name"].as_str() {
            Some("requested") => &device["peak"]["peak_requested"],
            Some("reserved") => &device["fragment"]["peak_reserved"],
            _ => &device["fragment"]["lower_bound"],
        };
        assert_eq!(values.iter().max().copied(), peak.as_i64(), "the maximum of {}", line["name"]);
    }
    let fragment = &device["fragment"];
    let (shown, rest) = (&drawing["segments"], &drawing["rest"]);
    for (key, total) in [("size", "reserved"), ("allocated", "allocated"), ("free", "cached_free")] {
        let all = sum(shown, key) + rest[key].as_u64().expect("a number");
        assert_eq!(Some(all), fragment[total].as_u64(), "{key}");
    }
    assert!(shown.as_array().expect("segments").len() <= 20);
    let sites = drawing["sites"].as_array().expect("call sites");
    let rows = device["peak"]["by_call_site"].as_array().expect("call sites");
    assert_eq!(sites.len(), rows.iter().filter(|row| row["file"] != "(rest)").count().min(10));
    for (site, row) in sites.iter().zip(rows) {
        assert_eq!((&site["bytes"], &site["count"]), (&row["bytes"], &row["count"]));
        assert_eq!(site["site"]["file"], row["file"]);
        assert!(site["stack_bytes"].as_u64() <= site["bytes"].as_u64());
    }
}

#[test]
fn figures_are_those_of_the_commands() {
    let path = tiny::write_with_oom("report_tiny");
    let Some(report) = report("report_figures", &[path.as_os_str()]) else { return };
    assert!(report["language"].is_null(), "the reader's browser decides");
    compare_with_commands(&report, &path);
    let reason = &report["report"]["overview"]["health"]["reasons"][0];
    assert!(reason["en"].as_str().is_some_and(|text| !text.is_empty()) && reason["zh"].is_string());
    assert_eq!(report["report"]["devices"][0]["ooms"]["ooms"][0]["before"].as_array().map(Vec::len), Some(7));
}

#[test]
fn real_snapshots_give_the_same_figures() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let Some(report) = report("report_real", &[path.as_os_str(), "--lang".as_ref(), "zh".as_ref()])
        else {
            return;
        };
        assert_eq!(report["language"], "zh");
        compare_with_commands(&report, &path);
    }
}

#[test]
fn reduced_curves_are_those_of_an_independent_reduction() {
    let Some(shared) = shared() else { return };
    let path = shared.join("data/snapshots/cuda_ring_of_10000.pickle");
    let Some(report) = report("report_curves", &[path.as_os_str()]) else { return };
    let found = scratch("report_lttb").join("report.json");
    std::fs::write(&found, report["report"]["devices"].to_string()).expect("written");
    if let Some(said) = python("lttb.py", &[&path, &found]) {
        assert!(said.starts_with("the same: "), "{said}");
    }
}

#[test]
fn two_snapshots_are_compared() {
    let (a, b) = (tiny::write("report_a"), tiny::write_with_oom("report_b"));
    let args = [a.as_os_str(), "--compare".as_ref(), b.as_os_str()];
    let Some(report) = report("report_compare", &args) else { return };
    let found = plain(&report["report"]["comparisons"]);
    let expected = run([
        OsStr::new("compare"),
        a.as_os_str(),
        b.as_os_str(),
        "--json".as_ref(),
        "--curves".as_ref(),
        "event".as_ref(),
    ])
    .json();
    assert_eq!(found, Value::Array(expected));
}

#[test]
fn an_empty_snapshot_has_a_report() {
    let path = scratch("report_empty").join("empty.json");
    std::fs::write(&path, "{\"segments\": [], \"device_traces\": []}").expect("written");
    let Some(report) = report("report_of_empty", &[path.as_os_str()]) else { return };
    assert_eq!(report["report"]["devices"], Value::Array(Vec::new()));
    assert_eq!(report["report"]["overview"]["health"]["reasons"][0]["key"], "health.no_devices");
}

#[test]
fn profiler_folders_and_logs_have_reports_of_their_own() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("data/profiler");
    let Some(of_folder) = report("report_profiler", &[folder.as_os_str()]) else { return };
    assert_eq!(of_folder["report"]["kind"], "profiler");
    assert_eq!(plain(&of_folder["report"]["ops"]), json("ops", &folder, &[]));
    let ranks = of_folder["report"]["ops"]["ranks"].as_array().expect("ranks");
    let drawings = of_folder["report"]["drawings"].as_array().expect("drawings");
    assert_eq!(ranks.len(), drawings.len());
    for (rank, drawing) in ranks.iter().zip(drawings) {
        let live =
            drawing["series"].as_array().and_then(|all| all.iter().find(|line| line["what"] == "live"));
        let most = live.and_then(|line| line["value"].as_array()?.iter().filter_map(Value::as_i64).max());
        assert_eq!(most.unwrap_or(0), rank["peak_bytes"].as_i64().expect("a number"));
    }
    let compared = run([OsStr::new("report"), folder.as_os_str(), "--compare".as_ref(), folder.as_os_str()]);
    assert!(compared.code == 1 && compared.err.contains("two snapshots"), "{}", compared.err);
    let log = shared.join("data/other/imas_mem_graph.csv");
    if log.exists() {
        let of_log = report("report_log", &[log.as_os_str()]).expect("a page");
        assert_eq!(
            plain(&of_log["report"]["ge"]),
            run([OsStr::new("ge"), "total".as_ref(), log.as_os_str(), "--json".as_ref()]).json().remove(0)
        );
    }
}

#[test]
fn stripped_paths_are_in_no_report() {
    let path = tiny::write_with_oom("report_strip_annabelle");
    let text = std::fs::read_to_string(&path).expect("text");
    let mut snapshot: Value = serde_json::from_str(&text).expect("JSON");
    snapshot["allocator_settings"] =
        serde_json::json!({"PYTORCH_CUDA_ALLOC_CONF": "backend:/opt/annabelle/lib.so"});
    std::fs::write(&path, snapshot.to_string()).expect("written");
    let Some(found) = report("report_stripped", &[path.as_os_str(), "--strip-paths".as_ref()]) else {
        return;
    };
    let text = found.to_string();
    assert!(
        text.contains("big.py") && text.contains("backend:lib.so"),
        "what is no directory is still there"
    );
    for hidden in ["/app/", "annabelle", "report_strip", "/opt/"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    let log = scratch("report_strip_log").join("plog-1.log");
    let line = "[INFO] GE(7,train):2026-03-04-10:00:00.000.001 [f.cc:1]9 F:[IMAS]AfterAssignMemory : g_1 memoffset[1024], memtype[2], theory_min[1024], zero_copy[0], total_size[1536], no_reuse[0], streams[1], topo_mode[BFS], mop[], io_reuse[0:0], smp[0]\n";
    std::fs::write(&log, line).expect("written");
    let found = report("report_stripped_log", &[log.as_os_str(), "--strip-paths".as_ref()]).expect("a page");
    assert_eq!(found["report"]["names"], serde_json::json!(["plog-1.log"]));
}

#[test]
fn bad_input_leaves_nothing_behind() {
    let folder = scratch("report_bad");
    let out = folder.join("report.html");
    let broken = folder.join("broken.pickle");
    std::fs::write(&broken, b"\x80\x04not a pickle").expect("written");
    let tiny = tiny::write("report_bad_b");
    let cases: [(&[&Path], &str); 4] = [
        (&[Path::new("nowhere.pickle")], "no such file"),
        (&[&broken], "broken.pickle"),
        (&[&folder], ""),
        (&[&tiny, Path::new("--compare"), Path::new("nowhere.pickle")], "no such file"),
    ];
    for (inputs, words) in cases {
        let mut args = vec![OsStr::new("report"), "-o".as_ref(), out.as_os_str()];
        args.extend(inputs.iter().map(|path| path.as_os_str()));
        let ran = run(args);
        assert_eq!(ran.code, 1, "{inputs:?}");
        let unbuilt = ran.err.contains("compiled without");
        assert!(unbuilt || ran.err.contains(words), "{inputs:?}: {}", ran.err);
        assert!(!out.exists(), "{inputs:?}");
    }
    let nowhere: PathBuf = folder.join("no/such/folder/report.html");
    let ran = run([OsStr::new("report"), tiny.as_os_str(), "-o".as_ref(), nowhere.as_os_str()]);
    assert!(
        ran.code == 1 && (ran.err.contains("could not be written") || ran.err.contains("compiled without"))
    );
}
