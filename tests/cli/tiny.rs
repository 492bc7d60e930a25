//! A small snapshot made by hand, so that every figure can be told by looking at it.

use crate::schema::assert_valid;
use crate::support::{finish, program, run, scratch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const MIB: i64 = 1 << 20;
const BASE: i64 = 0x1000_0000;

/// One segment of 20 MiB with 4 MiB allocated, 1 MiB pending and 15 MiB free; seven events.
fn snapshot() -> Value {
    let frames = json!([{"filename": "/app/train.py", "line": 7, "name": "forward"}]);
    let event = |action: &str, addr: i64, size: i64, time: i64| json!({"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time, "frames": frames});
    json!({
        "segments": [{
            "device": 0, "address": BASE, "total_size": 20 * MIB, "allocated_size": 4 * MIB,
            "active_size": 5 * MIB, "requested_size": 4 * MIB - 100, "stream": 0, "segment_type": "large",
            "segment_pool_id": [0, 0], "is_expandable": false, "frames": frames,
            "blocks": [
                {"address": BASE, "size": 4 * MIB, "requested_size": 4 * MIB - 100,
                 "state": "active_allocated", "frames": frames},
                {"address": BASE + 4 * MIB, "size": MIB, "requested_size": MIB,
                 "state": "active_pending_free", "frames": frames},
                {"address": BASE + 5 * MIB, "size": 15 * MIB, "requested_size": 0,
                 "state": "inactive", "frames": []},
            ],
        }],
        "device_traces": [[
            event("segment_alloc", BASE, 20 * MIB, 1_000_000),
            event("alloc", BASE, 4 * MIB - 100, 1_000_010),
            event("alloc", BASE + 4 * MIB, MIB, 1_000_020),
            event("alloc", BASE + 5 * MIB, 2 * MIB, 1_000_030),
            event("free_requested", BASE + 5 * MIB, 2 * MIB, 1_000_040),
            event("free_completed", BASE + 5 * MIB, 2 * MIB, 1_000_050),
            event("free_requested", BASE + 4 * MIB, MIB, 1_000_060),
        ]],
    })
}

/// Writes the snapshot into the test's folder.
pub fn write(test: &str) -> PathBuf {
    let path = scratch(test).join("tiny.json");
    std::fs::write(&path, snapshot().to_string()).expect("written");
    path
}

/// The same with an allocation of 30 MiB that fails at its end.
pub fn write_with_oom(test: &str) -> PathBuf {
    let mut snapshot = snapshot();
    let oom = json!({"action": "oom", "device_free": MIB, "size": 30 * MIB, "stream": 0, "time_us": 1_000_070,
                     "frames": [{"filename": "/app/big.py", "line": 3, "name": "grow"}]});
    snapshot["device_traces"][0].as_array_mut().expect("a trace").push(oom);
    let path = scratch(test).join("tiny.json");
    std::fs::write(&path, snapshot.to_string()).expect("written");
    path
}

fn json_of(args: &[&str], path: &Path) -> (i32, Value) {
    let ran = run(args.iter().map(|a| a.as_ref()).chain([path.as_os_str(), "--json".as_ref()]));
    (ran.code, ran.json().remove(0))
}

#[test]
fn figures_are_those_one_can_see() {
    let path = write("figures");
    let (code, overview) = json_of(&[], &path);
    assert_eq!(code, 0);
    assert_valid("overview", &overview);
    let device = &overview["devices"][0];
    for (key, value) in [
        ("reserved", 20 * MIB),
        ("allocated", 4 * MIB),
        ("active", 5 * MIB),
        ("requested", 4 * MIB - 100),
        ("rounding", 100),
        ("pending_free", MIB),
        ("cached_free", 15 * MIB),
        ("largest_free_block", 15 * MIB),
        ("initial_requested", 0),
        ("peak_requested", 7 * MIB - 100),
        ("peak_event", 3),
        ("peak_time_us", 1_000_030),
        ("final_requested", 5 * MIB - 100),
        ("peak_reserved", 20 * MIB),
        ("peak_reserved_event", 0),
        ("lives", 3),
        ("initial_lives", 0),
        ("live_at_peak", 3),
    ] {
        assert_eq!(device[key].as_i64(), Some(value), "{key}");
    }
    assert_eq!(device["fragmentation"], 0.8);
    assert_eq!(device["anomalies"], json!({}));
    assert_eq!(overview["health"]["grade"], "bad");
    assert_eq!(overview["file"]["complete"], true);
    let (_, stats) = json_of(&["stats"], &path);
    assert_eq!(
        stats,
        json!({"schema": "hbmlens.stats/1", "total_reserved": 20 * MIB, "total_allocated": 4 * MIB - 100,
               "total_free": 16 * MIB + 100, "internal": 100, "external": 16 * MIB})
    );
}

fn status(checks: &Value, name: &str) -> String {
    let check = checks["checks"].as_array().expect("checks").iter().find(|c| c["name"] == name);
    check.expect("the check is there")["status"].as_str().expect("a status").to_owned()
}

#[test]
fn the_side_car_is_found_and_decides() {
    let path = write("side_car");
    let (code, checks) = json_of(&["check"], &path);
    assert_eq!(code, 0);
    assert_valid("check", &checks);
    assert_eq!(status(&checks, "block_tiling"), "pass");
    assert_eq!(status(&checks, "replay"), "pass");
    for unknown in ["reserved_counter", "allocated_counter", "snapshot_is_peak"] {
        assert_eq!(status(&checks, unknown), "unknown");
    }
    let beside = path.with_file_name("tiny.json.counters.json");
    let good =
        json!({"memory_allocated": 4 * MIB, "memory_reserved": 20 * MIB, "max_memory_allocated": 4 * MIB});
    std::fs::write(&beside, good.to_string()).expect("written");
    let (code, checks) = json_of(&["check"], &path);
    assert_eq!(code, 0);
    assert!(checks["checks"].as_array().expect("checks").iter().all(|c| c["status"] == "pass"), "{checks}");
    let other = path.with_file_name("other.json");
    let bad = json!({"allocated_bytes.all.current": 4 * MIB, "reserved_bytes.all.current": 20 * MIB,
                     "allocated_bytes.all.peak": 7 * MIB});
    std::fs::write(&other, bad.to_string()).expect("written");
    let (code, checks) = json_of(&["check", "--sidecar", other.to_str().expect("UTF-8")], &path);
    assert_eq!((code, status(&checks, "snapshot_is_peak").as_str()), (2, "fail"));
    let (code, _) = json_of(&["overview", "--sidecar", other.to_str().expect("UTF-8")], &path);
    assert_eq!(code, 0, "the overview shows checks and does not judge");
}

#[test]
fn words_are_in_the_language_asked_for() {
    let path = write("words");
    let english = run([path.as_os_str()]);
    assert_eq!((english.code, english.err.as_str()), (0, ""));
    for words in ["Bad: ", "20.00 MiB (20,971,520)", "event 3", "blocks tile their segments"] {
        assert!(english.out.contains(words), "{words:?} is not in:\n{}", english.out);
    }
    let chinese = run([path.as_os_str(), "--lang".as_ref(), "zh".as_ref()]);
    for words in ["较差：", "20.00 MiB (20,971,520)", "事件 3", "块恰好铺满所属内存段"] {
        assert!(chinese.out.contains(words), "{words:?} is not in:\n{}", chinese.out);
    }
    let by_locale = finish(program().arg(&path).env("LANG", "zh_CN.UTF-8"));
    assert_eq!(by_locale.out, chinese.out);
    let bare = finish(program().arg(&path).env("LANG", "C"));
    assert!(bare.out.is_ascii(), "{}", bare.out);
}

#[test]
fn a_device_can_be_chosen() {
    let path = write("device");
    let (code, overview) = json_of(&["overview", "--device", "0"], &path);
    assert_eq!((code, overview["devices"].as_array().map(Vec::len)), (0, Some(1)));
    let (code, error) = json_of(&["overview", "--device", "5"], &path);
    assert_eq!(code, 1);
    assert_valid("error", &error);
}

#[test]
fn events_can_be_left_out() {
    let path = write("left_out");
    let (code, overview) = json_of(&["overview", "--last", "2"], &path);
    assert_eq!(code, 0);
    assert_eq!(overview["devices"][0]["events"], 2);
    assert!(overview["notes"].to_string().contains("summary.left_out"), "{}", overview["notes"]);
}
