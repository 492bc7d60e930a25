//! Generated files with every option that changes what a replay meets, against the generator's truth.

use crate::shared::generate;
use crate::whole::check_states;
use hbmlens::model::Device;
use hbmlens::replay::{CurveKind, Replay};
use serde_json::json;

fn check(name: &str, options: &str) {
    let Some((snapshot, truth)) = generate(name, &format!("--events 4000 --layers 6 {options}")) else {
        return;
    };
    for device in truth.as_array().expect("the truth is a list of devices") {
        let number = device["device"].as_i64().expect("a device has a number") as i32;
        let replay = Replay::new(&snapshot, Device::Index(number));
        let (peak, peak_reserved) = (replay.peak(), replay.peak_reserved());
        let unseen = replay.unseen_pending.iter().map(|unseen| {
            let block = snapshot.blocks.get(unseen.block);
            snapshot.blocks.requested(block).0
        });
        let found = json!({
            "events": replay.events(),
            "initial_requested": replay.initial_requested(),
            "peak_requested": peak.bytes,
            "peak_event": peak.event,
            "final_requested": replay.final_requested(),
            "lives": replay.lives.len(),
            "reserved_start": replay.value(CurveKind::Reserved, 0),
            "peak_reserved": peak_reserved.bytes,
            "peak_reserved_event": peak_reserved.event,
            "unseen_pending_bytes": unseen.sum::<u64>(),
        });
        for (key, value) in found.as_object().expect("it is an object") {
            assert_eq!(value, &device["file"][key], "{name}: {key}");
        }
        let [_, _, reserved, allocated, active] = replay.values(replay.last_state());
        let found = json!({"reserved": reserved, "allocated": allocated, "active": active});
        for (key, value) in found.as_object().expect("it is an object") {
            assert_eq!(value, &device[key], "{name}: {key}");
        }
        if device["file"]["events"] == device["events"] && device["file"]["first_event"] == json!(0) {
            let peaks =
                [CurveKind::Allocated, CurveKind::Active].map(|kind| json!(replay.curves.peak(kind).bytes));
            assert_eq!(peaks, [device["peak_allocated"].clone(), device["peak_active"].clone()], "{name}");
        }
        assert!(replay.anomalies.is_empty(), "{name}: {:?}", replay.anomalies);
        check_states(&snapshot, &replay, name);
    }
}

#[test]
fn whole_runs() {
    check("plain", "");
    check("streams", "--streams 3");
    check("pools", "--pools 2 --streams 2");
    check("expandable", "--expandable --streams 2");
    check("two_devices", "--devices 2 --stale");
    check("categories", "--categories --leak --cache");
}

#[test]
fn npu_runs() {
    check("npu", "--flavour npu --streams 2");
    check("npu_workspace", "--flavour npu --workspace --streams 2 --stale");
    check("npu_expandable", "--flavour npu --workspace --expandable");
    check("npu_workspace_ring", "--flavour npu --workspace --ring 1500");
}

#[test]
fn runs_that_begin_late() {
    check("ring", "--ring 1700 --streams 3 --pools 1");
    check("ring_expandable", "--ring 1700 --streams 2 --expandable");
    check("drop_beginning", "--drop-beginning --streams 3");
    check("small_ring", "--ring 60 --streams 3");
}

#[test]
fn other_layouts() {
    check("history_blocks", "--history-blocks --streams 2");
    check("cpp", "--cpp --streams 2");
    check("json", "--json");
    check("list", "--list --streams 2");
    check("list_workspace", "--list --flavour npu");
}

#[test]
fn runs_that_end_in_an_oom() {
    for kind in ["capacity", "fragmentation", "stream", "pending", "huge"] {
        check(kind, &format!("--oom {kind} --limit-gib 4"));
    }
    check("oom_expandable", "--oom fragmentation --limit-gib 4 --expandable");
    check("oom_pending_expandable", "--oom pending --limit-gib 4 --expandable --pools 1");
}
