//! The composition at the peak: sums that add up, moments, and the figures known of real files.

use crate::schema::assert_valid;
use crate::support::{run, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::ffi::OsStr;

fn peak(args: &[&OsStr]) -> Value {
    let ran = run([OsStr::new("peak"), OsStr::new("--json")].iter().chain(args));
    assert_eq!(ran.code, 0, "{}", ran.out);
    ran.json().remove(0)
}

fn sum(rows: &Value) -> u64 {
    rows.as_array().expect("rows").iter().map(|row| row["bytes"].as_u64().expect("bytes")).sum()
}

#[test]
fn every_list_adds_up_to_the_peak_of_the_overview() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let overview = run([path.as_os_str(), "--json".as_ref()]).json().remove(0);
        let peak =
            peak(&[path.as_os_str(), "--top".as_ref(), "3".as_ref(), "--by".as_ref(), "stream".as_ref()]);
        let pairs = peak["devices"]
            .as_array()
            .expect("devices")
            .iter()
            .zip(overview["devices"].as_array().expect("devices"));
        for (device, seen) in pairs {
            for key in ["peak_requested", "peak_event", "peak_time_us"] {
                assert_eq!(device[key], seen[key], "{}", path.display());
            }
            assert_eq!(device["lives"], seen["live_at_peak"]);
            for rows in [&device["by_category"], &device["by_call_site"], &device["by"]["rows"]] {
                assert_eq!(Some(sum(rows)), device["peak_requested"].as_u64(), "{}", path.display());
            }
            // Every inferred byte rests on some evidence.
            let categories = device["by_category"].as_array().expect("rows");
            let inferred: u64 = categories.iter().filter_map(|row| row["inferred_bytes"].as_u64()).sum();
            assert_eq!(sum(&device["inferences"]), inferred, "{}", path.display());
            // The parts of each key make up the peak of all, and none is less than its part.
            let own = device["own_peaks"].as_array().expect("rows");
            for key in ["category", "stream", "pool", "segment_type"] {
                let of_key = || own.iter().filter(|row| row["key"] == key);
                let parts: u64 = of_key().filter_map(|row| row["at_common_peak"].as_u64()).sum();
                assert_eq!(Some(parts), device["peak_requested"].as_u64(), "{} {key}", path.display());
                assert!(of_key().all(|row| row["peak"].as_u64() >= row["at_common_peak"].as_u64()));
            }
        }
    }
}

#[test]
fn a_moment_can_be_named_in_every_way() {
    let path = tiny::write("moments");
    let at = |suffix: &str, args: &[&str]| {
        let file = format!("{}{suffix}", path.display());
        let mut all = vec![OsStr::new(&file)];
        all.extend(args.iter().map(OsStr::new));
        let peak = peak(&all);
        assert_valid("peak", &peak);
        let device = &peak["devices"][0];
        (device["event"].as_i64().expect("a number"), device["requested"].as_i64().expect("a number"))
    };
    let mib = 1 << 20;
    assert_eq!(at("", &[]), (3, 7 * mib - 100));
    assert_eq!(at("@peak", &[]), (3, 7 * mib - 100));
    assert_eq!(at("@end", &[]), (6, 5 * mib - 100));
    assert_eq!(at("@1", &[]), (1, 4 * mib - 100));
    assert_eq!(at("", &["--at", "-1"]), (-1, 0));
    assert_eq!(at("", &["--at-time", "1000025"]), (2, 5 * mib - 100));
    let beyond =
        run([OsStr::new("peak"), path.as_os_str(), "--at".as_ref(), "7".as_ref(), "--json".as_ref()]);
    assert_eq!(beyond.code, 1);
    assert_valid("error", &beyond.json()[0]);
}

#[test]
fn own_rules_come_first() {
    let path = tiny::write("rules");
    let rules = path.with_file_name("rules.txt");
    std::fs::write(&rules, "kv_cache file train\\.py$\n").expect("written");
    let peak = peak(&[path.as_os_str(), "--rules".as_ref(), rules.as_os_str()]);
    assert_eq!(peak["devices"][0]["by_category"][0]["category"], "kv_cache");
    std::fs::write(&rules, "kv_cache file (\n").expect("written");
    let ran = run([OsStr::new("peak"), path.as_os_str(), "--rules".as_ref(), rules.as_os_str()]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("line 1"), "{}", ran.err);
}

#[test]
fn words_name_categories_and_places() {
    let path = tiny::write("peak_words");
    let english = run([OsStr::new("peak"), path.as_os_str()]);
    for words in ["peak 7.00 MiB", "activation", "/app/train.py:7 forward"] {
        assert!(english.out.contains(words), "{words:?} is not in:\n{}", english.out);
    }
    let chinese = run([OsStr::new("peak"), path.as_os_str(), "--lang".as_ref(), "zh".as_ref()]);
    assert!(
        chinese.out.contains("激活") && chinese.out.contains("/app/train.py:7 forward"),
        "{}",
        chinese.out
    );
}

/// Counted from the unpickled file: what was allocated while an annotation was open.
#[test]
fn memory_is_told_by_annotation() {
    let Some(shared) = shared() else { return };
    let path = shared.join("data/snapshots/cuda_ring_of_10000.pickle");
    let peak =
        peak(&[path.as_os_str(), "--at".as_ref(), "3000".as_ref(), "--by".as_ref(), "annotation".as_ref()]);
    assert_valid("peak", &peak);
    let rows = peak["devices"][0]["by"]["rows"].as_array().expect("rows");
    let rows: Vec<_> =
        rows.iter().map(|row| (&row["key"], row["bytes"].as_u64(), row["count"].as_u64())).collect();
    let step = Value::from("Optimizer.step#AdamW.step");
    assert_eq!(
        rows,
        [(&Value::Null, Some(13_943_181_316), Some(1173)), (&step, Some(1_730_314_240), Some(146)),]
    );
}

/// The analyses take the same arguments, whether or not each of them matters.
#[test]
fn one_set_of_arguments_serves_all_analyses() {
    let path = tiny::write("arguments");
    let rules = path.with_file_name("rules.txt");
    std::fs::write(&rules, "kv_cache file train\\.py$\n").expect("written");
    for command in ["peak", "fragment", "leak", "oom", "check", "all"] {
        let ran = run([
            command.as_ref(),
            path.as_os_str(),
            "--device".as_ref(),
            "0".as_ref(),
            "--at".as_ref(),
            "3".as_ref(),
            "--by".as_ref(),
            "category".as_ref(),
            "--top".as_ref(),
            "3".as_ref(),
            "--rules".as_ref(),
            rules.as_os_str(),
            "--lang".as_ref(),
            "zh".as_ref(),
        ]);
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
    }
}

/// What is inferred is told with its numbers, and the events around the moment are shown.
#[test]
fn the_text_says_why_and_when() {
    let Some(shared) = shared() else { return };
    let path = shared.join("data/snapshots/cuda_training.pickle");
    let ran = run(["peak".as_ref(), path.as_os_str()]);
    let evidence = "96 lives of 4.00 MiB (4,194,304) last from before the first event to the end";
    assert!(ran.out.contains(evidence), "{}", ran.out);
    let around = ran.out.split("Events around event 9,966").nth(1).unwrap_or_default();
    assert!(around.lines().any(|line| line.trim_start().starts_with("9,966 ")), "{}", ran.out);
}
