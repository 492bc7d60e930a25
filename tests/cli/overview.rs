//! Figures of real files against an independent program's, and against a recount in Python.

use crate::support::{python, run, shared, snapshots};
use serde_json::Value;

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or_else(|| panic!("{key} is missing in {value}"))
}

fn state_bytes(device: &Value, states: &[&str]) -> i64 {
    let rows = device["by_state"].as_array().expect("rows");
    rows.iter()
        .filter(|row| states.contains(&row["state"].as_str().expect("a name")))
        .map(|row| number(row, "bytes"))
        .sum()
}

#[test]
fn every_figure_of_every_real_file_is_the_independent_one() {
    let Some(shared) = shared() else { return };
    let expected = std::fs::read_to_string(shared.join("data/expected/overview.jsonl")).expect("readable");
    let mut compared = 0;
    for line in expected.lines() {
        let expected: Value = serde_json::from_str(line).expect("JSON");
        let name = expected["file"].as_str().expect("a name");
        let path = shared.join("data/snapshots").join(name);
        let ours = run(["overview".as_ref(), path.as_os_str(), "--json".as_ref()]).json().remove(0);
        let stats = run(["stats".as_ref(), path.as_os_str(), "--json".as_ref()]).json().remove(0);
        for (key, value) in expected["stats"].as_object().expect("an object") {
            assert_eq!(&stats[key], value, "{name}: stats {key}");
        }
        let devices = expected["devices"].as_array().expect("devices");
        assert_eq!(devices.len(), ours["devices"].as_array().expect("devices").len(), "{name}");
        for (theirs, mine) in devices.iter().zip(ours["devices"].as_array().expect("devices")) {
            for (key, value) in theirs.as_object().expect("an object") {
                compared += 1;
                let found = match key.as_str() {
                    "block_total" => {
                        state_bytes(mine, &["active_allocated", "active_pending_free", "inactive"])
                    }
                    "block_allocated" => state_bytes(mine, &["active_allocated"]),
                    "block_active" => state_bytes(mine, &["active_allocated", "active_pending_free"]),
                    "reserved_start" => number(mine, "initial_reserved"),
                    "realloc_live" => mine["anomalies"]["realloc_of_live"].as_i64().unwrap_or(0),
                    _ => {
                        assert_eq!(&mine[key], value, "{name}, device {}: {key}", theirs["device"]);
                        continue;
                    }
                };
                assert_eq!(found, value.as_i64().expect("a number"), "{name}: {key}");
            }
        }
    }
    assert!(compared > 250, "only {compared} figures were there");
}

#[test]
fn every_device_ends_with_what_the_snapshot_requested() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let overview = run([path.as_os_str(), "--json".as_ref()]).json().remove(0);
        for device in overview["devices"].as_array().expect("devices") {
            let same = device["final_requested"] == device["requested"];
            if name == "cuda_mini.pickle" {
                assert!(!same);
                assert!(number(&device["anomalies"], "missing_in_snapshot") > 0);
            } else {
                assert!(same, "{name}: {} and {}", device["final_requested"], device["requested"]);
                assert_eq!(device["anomalies"], serde_json::json!({}), "{name}");
            }
        }
        let replay = overview["checks"].as_array().expect("checks").iter().find(|c| c["name"] == "replay");
        let events: i64 =
            overview["devices"].as_array().expect("devices").iter().map(|d| number(d, "events")).sum();
        let status = match name.as_str() {
            "cuda_mini.pickle" => "fail",
            _ if events == 0 => "unknown",
            _ => "pass",
        };
        assert_eq!(replay.expect("a check")["status"], status, "{name}");
    }
}

#[test]
fn totals_by_pool_and_state_are_those_of_a_recount() {
    let Some(shared) = shared() else { return };
    for path in snapshots(&shared) {
        let Some(recount) = python("recount.py", &[&path]) else { return };
        let recount: Value = serde_json::from_str(&recount).expect("JSON");
        let overview = run([path.as_os_str(), "--json".as_ref()]).json().remove(0);
        for device in overview["devices"].as_array().expect("devices") {
            let theirs = &recount[device["device"].to_string()];
            for key in
                ["by_pool", "by_state", "largest_free_block", "pending_free", "cached_free", "workspace"]
            {
                compare(&device[key], &theirs[key], &format!("{}: {key}", path.display()));
            }
        }
    }
}

/// Every value of the recount stands in ours (which may say more).
fn compare(ours: &Value, theirs: &Value, place: &str) {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            assert_eq!(ours.len(), theirs.len(), "{place}");
            for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
                compare(a, b, &format!("{place}[{i}]"));
            }
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, b) in theirs {
                compare(ours.get(key).unwrap_or(&Value::Null), b, &format!("{place}.{key}"));
            }
        }
        (a, b) => assert_eq!(a, b, "{place}"),
    }
}
