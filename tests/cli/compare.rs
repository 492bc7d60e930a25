//! `compare`: figures against an independent count, exit codes, words, and a golden file of all of it.

use crate::schema::assert_valid;
use crate::support::{Ran, python, run, scratch, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

fn compare(a: &str, b: &str, more: &[&str]) -> Ran {
    run(["compare", a, b].iter().chain(more))
}

fn json(a: &str, b: &str, more: &[&str]) -> Value {
    let ran = compare(a, b, &[&["--json"], more].concat());
    assert!(ran.code == 0 || more.contains(&"--fail-if-growth"), "{}{}", ran.out, ran.err);
    let value = ran.json().remove(0);
    assert_valid("compare", &value);
    value
}

fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn real_files_are_compared_as_the_schema_says_and_add_up() {
    let Some(shared) = shared() else { return };
    let files = snapshots(&shared);
    for pair in files.windows(2) {
        let found =
            json(&text(&pair[0]), &text(&pair[1]), &["--top", "3", "--by", "stream", "--curves", "event"]);
        let total = &found["totals"]["requested"]["diff"];
        let by = &found["by"]["rows"];
        for rows in ["by_category", "by_call_site", "by_module", "by_file", "by_stack"]
            .map(|k| &found[k])
            .iter()
            .chain([&by])
        {
            let sum: i64 =
                rows.as_array().expect("rows").iter().filter_map(|row| row["diff_bytes"].as_i64()).sum();
            assert_eq!(Some(sum), total.as_i64(), "{}", pair[1].display());
        }
        let same = json(&text(&pair[0]), &text(&pair[0]), &[]);
        assert_eq!(same["totals"]["requested"]["diff"], 0);
        assert!(same["by_stack"].as_array().expect("rows").iter().all(|row| row["diff_bytes"] == 0));
    }
}

#[test]
fn stacks_of_two_real_files_differ_as_python_counts() {
    let Some(shared) = shared() else { return };
    let data = shared.join("data/snapshots");
    for (a, b) in [
        ("cuda_training.pickle", "cuda_ring_of_10000.pickle"),
        ("cuda_forward.pickle", "cuda_many_segments.pickle"),
        ("npu_expandable.pkl", "cuda_zeroth_order.pickle"),
    ] {
        let (a, b) = (data.join(a), data.join(b));
        let Some(counted) = python("compare.py", &[&a, &b]) else { return };
        let counted: Value = serde_json::from_str(&counted).expect("JSON");
        let found = json(
            &text(&a),
            &text(&b),
            &[
                "--top",
                "0",
                "--device-a",
                &counted["a_device"].to_string(),
                "--device-b",
                &counted["b_device"].to_string(),
            ],
        );
        assert_eq!(found["totals"]["requested"]["diff"], counted["diff"], "{}", b.display());
        let mut rows: Vec<(i64, i64, String)> = found["by_stack"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| {
                let number = |key: &str| row[key].as_i64().expect("a number");
                (number("a_bytes"), number("b_bytes"), row["key"].as_str().unwrap_or("").to_owned())
            })
            .collect();
        rows.sort();
        let wanted: Vec<(i64, i64, String)> =
            serde_json::from_value(counted["stacks"].clone()).expect("rows of the script");
        assert_eq!(rows, wanted, "{} {}", a.display(), b.display());
    }
}

#[test]
fn growth_beyond_the_limit_is_exit_code_two() {
    let path = text(&tiny::write("compare_growth"));
    let (before, after) = (format!("{path}@1"), format!("{path}@3"));
    for (limit, code) in [("3MiB", 0), ("2MiB", 2), ("0", 2)] {
        let ran = compare(&before, &after, &["--fail-if-growth", limit]);
        assert_eq!(ran.code, code, "{limit}: {}", ran.out);
        let found = compare(&before, &after, &["--fail-if-growth", limit, "--json"]);
        assert_eq!((found.code, &found.json()[0]["growth"]["exceeded"]), (code, &Value::Bool(code == 2)));
        assert_valid("compare", &found.json()[0]);
    }
    assert_eq!(compare(&after, &before, &["--fail-if-growth", "0"]).code, 0, "it shrank");
    assert_eq!(compare(&before, "no such file", &[]).code, 1);
    assert_eq!(compare(&before, &format!("{path}@99"), &[]).code, 1);
    assert_eq!(run(["compare", &before]).code, 1);
    assert_eq!(compare(&before, &after, &["--fail-if-growth", "much"]).code, 1);
}

#[test]
fn a_moment_of_the_small_file_is_known() {
    let path = text(&tiny::write("compare_moments"));
    let found =
        json(&format!("{path}@1"), &format!("{path}@peak"), &["--curves", "time", "--by", "size_class"]);
    let mib = 1 << 20;
    assert_eq!(found["totals"]["requested"]["diff"], 3 * mib);
    assert_eq!(found["totals"]["lives"], serde_json::json!({"a": 1, "b": 3, "diff": 2}));
    assert_eq!(found["totals"]["reserved"]["diff"], 0);
    assert_eq!((&found["a"]["event"], &found["b"]["event"]), (&Value::from(1), &Value::from(3)));
    assert_eq!(found["segments"]["same"], 1);
    assert_eq!(found["curves"]["end"], 60.0);
    assert_eq!(found["by"]["rows"].as_array().map(Vec::len), Some(3));
    let by_time = json(&format!("{path}@1000012us"), &format!("{path}@1000035us"), &[]);
    assert_eq!(by_time["totals"], found["totals"]);
}

/// The same text as in the golden file, wherever the files lie.
fn readable(out: &str, folder: &Path) -> String {
    out.replace(&text(folder), "FOLDER")
}

#[test]
fn the_text_of_a_comparison() {
    let path = tiny::write("compare_text");
    let (a, b) = (format!("{}@1", text(&path)), format!("{}@end", text(&path)));
    for language in ["en", "zh"] {
        let ran = compare(&a, &b, &["--lang", language, "--fail-if-growth", "1GiB"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        for broken in ["column.", "heading.", "row.", "compare.", "category.", "?:", "(?"] {
            assert!(!ran.out.contains(broken), "{broken:?} in:\n{}", ran.out);
        }
        insta::assert_snapshot!(
            format!("compare_{language}"),
            readable(&ran.out, path.parent().expect("a folder"))
        );
    }
    let found = compare(&a, &b, &["--json"]);
    let pretty = serde_json::to_string_pretty(&found.json()[0]).expect("JSON");
    insta::assert_snapshot!("compare_json", readable(&pretty, path.parent().expect("a folder")));
}

/// Eight ranks of a generated job, of which one leaks; `None` without Python or the generator.
fn job(shared: &Path, test: &str) -> Option<PathBuf> {
    let folder = scratch(test);
    for rank in 0..8 {
        let mut args = vec![
            "--events".to_owned(),
            "4000".into(),
            "--layers".into(),
            "2".into(),
            "--seed".into(),
            rank.to_string(),
        ];
        if rank == 3 {
            args.push("--leak".to_owned());
        }
        let made = std::process::Command::new("python3")
            .arg(shared.join("tools/make_snapshot.py"))
            .arg(folder.join(format!("mem_rank{rank}.pickle")))
            .args(&args)
            .output()
            .ok()?;
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    Some(folder)
}

#[test]
fn the_leaking_rank_of_eight_is_named_with_its_line() {
    let Some(shared) = shared() else { return };
    let Some(folder) = job(&shared, "ranks_of_eight") else { return };
    let ran = run([OsStr::new("ranks"), folder.as_os_str(), "--json".as_ref()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report = ran.json().remove(0);
    assert_valid("ranks", &report);
    let ranks: Vec<i64> =
        report["ranks"].as_array().expect("ranks").iter().filter_map(|r| r["rank"].as_i64()).collect();
    assert_eq!(ranks, [0, 1, 2, 3, 4, 5, 6, 7]);
    for row in report["ranks"].as_array().expect("ranks") {
        let overview = run(["overview", row["file"].as_str().expect("a name"), "--json"]).json().remove(0);
        let device = &overview["devices"][0];
        assert_eq!((&row["peak"], &row["peak_event"]), (&device["peak_requested"], &device["peak_event"]));
        assert_eq!(
            (&row["reserved"], &row["fragmentation"]),
            (&device["reserved"], &device["fragmentation"])
        );
    }
    let outlier = &report["outliers"][0];
    assert_eq!((&outlier["rank"], &outlier["figure"]), (&Value::from(3), &Value::from("peak")));
    let causes = outlier["because"].as_array().expect("causes");
    assert!(causes.iter().any(|b| b["key"] == "/workspace/cache.py:41 remember"), "{causes:?}");
    let above = |o: &&Value| o["diff_bytes"].as_i64().is_some_and(|diff| diff > 0);
    assert!(report["outliers"].as_array().expect("outliers").iter().filter(above).all(|o| o["rank"] == 3));
    for language in ["en", "zh"] {
        let ran = run([OsStr::new("ranks"), folder.as_os_str(), "--lang".as_ref(), language.as_ref()]);
        assert!(ran.out.contains("/workspace/cache.py:41 remember"), "{}", ran.out);
        for broken in ["column.", "ranks.", "category.", "compare.", "(?"] {
            assert!(!ran.out.contains(broken), "{broken:?} in:\n{}", ran.out);
        }
    }
}

#[test]
fn a_series_of_one_process_shows_the_leak_on_a_line() {
    let Some(shared) = shared() else { return };
    let folder = scratch("ranks_series");
    for events in [3000, 6000, 9000, 12000] {
        let made = std::process::Command::new("python3")
            .arg(shared.join("tools/make_snapshot.py"))
            .arg(folder.join(format!("snap_step{events}.pickle")))
            .args(["--events", &events.to_string(), "--layers", "2", "--leak", "--cache"])
            .output();
        let Ok(made) = made else { return };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let ran = run([OsStr::new("ranks"), folder.as_os_str(), "--json".as_ref()]);
    let report = ran.json().remove(0);
    assert_valid("ranks", &report);
    let series = &report["series"][0];
    assert_eq!(
        (&series["unit"], series["snapshots"].as_array().map(Vec::len)),
        (&Value::from("name"), Some(4))
    );
    let straight: Vec<&str> = series["growth"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["straight"] == true)
        .filter_map(|row| row["call_site"].as_str())
        .collect();
    assert_eq!(straight, ["/workspace/cache.py:41 remember"]);
    for (row, snapshot) in series["growth"][0]["bytes"]
        .as_array()
        .expect("bytes")
        .iter()
        .zip(series["snapshots"].as_array().expect("snapshots"))
    {
        let truth =
            std::fs::read_to_string(format!("{}.truth.json", snapshot["file"].as_str().expect("a name")))
                .expect("the truth");
        let truth: Value = serde_json::from_str(&truth).expect("JSON");
        assert_eq!(row, &truth[0]["leak"]["bytes"]);
    }
}

#[test]
fn ranks_of_nothing_and_of_bad_files() {
    let folder = scratch("ranks_bad");
    assert_eq!(run([OsStr::new("ranks"), folder.as_os_str()]).code, 1);
    let good = tiny::write("ranks_good");
    let bad = folder.join("rank1.pickle");
    std::fs::write(&bad, "no snapshot").expect("written");
    let ran = run([OsStr::new("ranks"), good.as_os_str(), bad.as_os_str(), "--json".as_ref()]);
    assert_eq!(ran.code, 1);
    let lines = ran.json();
    assert_valid("error", &lines[0]);
    assert_valid("ranks", &lines[1]);
    assert_eq!(lines[1]["ranks"].as_array().map(Vec::len), Some(1));
}
