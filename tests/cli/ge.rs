//! `hbmlens ge`: reports, totals and checks of GE logs.

use crate::schema::assert_valid;
use crate::support::{Ran, run};
use std::path::PathBuf;

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hbmlens-ge-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn line(n: u32, text: &str) -> String {
    format!("[INFO] GE(4711,train):2026-03-04-10:00:00.000.{n:03} [f.cc:1]9 F:{text}\n")
}

fn set(n: u32, name: &str, offset: u64, begin: u64, end: u64) -> String {
    line(
        n,
        &format!(
            "[IMAS]Set g_1 name[{name}] optype[Add] output[0] offset to [{offset}] streamid[0] memtype[2] size[512] realsize[512] noalignsize[500] life time begin[{begin}] life time end[{end}] child[0:1:0:0:1] isref[0] batch[], block_type[x]"
        ),
    )
}

fn after(n: u32, memory: u64, topo: &str) -> String {
    line(
        n,
        &format!(
            "[IMAS]AfterAssignMemory : g_1 memoffset[{memory}], memtype[2], theory_min[1024], zero_copy[0], total_size[1536], no_reuse[0], streams[1], topo_mode[{topo}], mop[], io_reuse[0:0], smp[0]"
        ),
    )
}

fn clean() -> String {
    set(1, "a", 0, 1, 3) + &set(2, "b", 512, 2, 5) + &set(3, "c", 0, 4, 6) + &after(4, 1024, "BFS")
}

fn ge(args: &[&str]) -> Ran {
    run(["ge"].iter().chain(args))
}

#[test]
fn report_writes_the_five_files_and_prints_figures() {
    let dir = folder("report");
    let log = dir.join("plog-4711.log");
    std::fs::write(&log, clean()).expect("the log is written");
    let to = dir.join("mem_report");
    let (log, to_text) = (log.display().to_string(), to.display().to_string());
    let ran = ge(&["report", &log, "-o", &to_text]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Process 4711 (train)"), "{}", ran.out);
    assert!(ran.out.contains("g_1"), "{}", ran.out);
    let mut names: Vec<String> = std::fs::read_dir(&to)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected = [
        "imas_graph_perfetto.json",
        "imas_mem_addr.csv",
        "imas_mem_graph.csv",
        "imas_mem_pool.csv",
        "imas_mem_variable.csv",
    ];
    assert_eq!(names, expected);
    let graph = std::fs::read_to_string(to.join("imas_mem_graph.csv")).expect("the report is there");
    assert_eq!(
        graph.lines().next_back(),
        Some(
            "Process_4711,g_1,memtype,2,memory_size,1024(1.00K),reuse rate:33.33% detail[reach_theory_rate:100.00% total:1536(1.50K) after_reuse:1024(1.00K) theory_min:1024(1.00K) io:0 no_reuse:0 atomic:0 continuous:0 streams:1 topo:BFS mop: smp:0]"
        )
    );
    // The report is an input too, and as JSON nothing is written.
    let again = ge(&["total", "--json", &to.join("imas_mem_graph.csv").display().to_string()]);
    assert_eq!(again.json()[0]["processes"][0]["graphs"][0]["memory_size"], 1024);
    assert_valid("ge", &again.json()[0]);
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn check_ends_with_2_where_outputs_overlap() {
    let dir = folder("check");
    let (good, bad) = (dir.join("good.log"), dir.join("bad.log"));
    std::fs::write(&good, clean()).expect("the log is written");
    std::fs::write(&bad, set(0, "d", 256, 2, 2) + &clean()).expect("the log is written");
    let ran = ge(&["check", &good.display().to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let bad = bad.display().to_string();
    let ran = ge(&["check", &bad]);
    assert_eq!(ran.code, 2);
    assert!(ran.out.contains("a:output_0 and d:output_0"), "{}", ran.out);
    let ran = ge(&["check", "--json", &bad]);
    assert_eq!(ran.code, 2);
    let report = &ran.json()[0];
    assert_valid("ge", report);
    assert_eq!(report["processes"][0]["graphs"][0]["overlap_count"], 2);
    assert_eq!(report["schema"], "hbmlens.ge/1");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_log_without_the_lines_says_which_and_how() {
    let dir = folder("missing");
    let log = dir.join("plog.log");
    std::fs::write(&log, line(1, "nothing about memory")).expect("the log is written");
    let log = log.display().to_string();
    let ran = ge(&["report", "--json", &log]);
    assert_eq!(ran.code, 0);
    let missing = ran.json()[0]["missing"].as_array().expect("a list").clone();
    let markers: Vec<&str> = missing.iter().filter_map(|missing| missing["marker"].as_str()).collect();
    assert!(markers.contains(&"[IMAS]Set") && markers.contains(&"svm_mem_stats_show"), "{markers:?}");
    let ran = ge(&["total", &log]);
    assert!(ran.out.contains("ASCEND_GLOBAL_LOG_LEVEL=1"), "{}", ran.out);
    assert!(ran.out.contains("ASCEND_HOST_LOG_FILE_NUM=1000"), "{}", ran.out);
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn logs_compare_graph_by_graph() {
    let dir = folder("compare");
    let (a, b) = (dir.join("a.log"), dir.join("b.log"));
    std::fs::write(&a, after(1, 2048, "BFS")).expect("the log is written");
    std::fs::write(&b, after(1, 1024, "DFS")).expect("the log is written");
    let (a, b) = (a.display().to_string(), b.display().to_string());
    let ran = ge(&["report", "--compare", "--json", &a, &b]);
    let comparison = &ran.json()[0];
    assert_valid("ge.compare", comparison);
    let row = &comparison["graphs"][0];
    assert_eq!((&row["best"], &row["logs"][1]["after_reuse_diff"]), (&1.into(), &(-1024).into()));
    let ran = ge(&["report", "--compare", &a, &b]);
    assert!(ran.out.contains("DFS") && ran.out.contains("* 1.00 KiB"), "{}", ran.out);
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn what_is_no_log_is_told() {
    let dir = folder("other");
    let file = dir.join("text.txt");
    std::fs::write(&file, "hello world\n").expect("the file is written");
    let ran = ge(&["total", &file.display().to_string()]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("not a GE log"), "{}", ran.err);
    assert_eq!(ge(&["total", "/there/is/no/such.log"]).code, 1);
    let _ = std::fs::remove_dir_all(dir);
}
