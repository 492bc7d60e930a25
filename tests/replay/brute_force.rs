//! Random moments of the shared files, as a brute-force replay in Python sees them.

use crate::shared::{folder, read};
use hbmlens::model::Device;
use hbmlens::replay::{CurveKind, Replay};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

#[test]
fn random_moments_are_what_brute_force_finds() {
    let Some(folder) = folder() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/brute_force.py");
    let files = [
        ("cuda_forward.pickle", 0),
        ("cuda_many_segments.pickle", 0),
        ("cuda_old_history_blocks.pickle", 0),
        ("cuda_ring_of_10000.pickle", 0),
        ("cuda_training.pickle", 0),
        ("cuda_zeroth_order.pickle", 0),
        ("npu_empty_cache.pkl", 0),
        ("npu_expandable.pkl", 0),
        ("npu_two_devices.pkl", 0),
        ("npu_two_devices.pkl", 1),
    ];
    for (name, device) in files {
        let path = folder.join("data/snapshots").join(name);
        let snapshot = read(&path);
        let replay = Replay::new(&snapshot, Device::Index(device));
        let events = u64::from(replay.events());
        let states: Vec<u32> = (0..9).map(|i| ((i * 7919 * events / 60_000) % (events + 1)) as u32).collect();
        let states = states.into_iter().chain([replay.last_state()]);
        let states: Vec<String> = states.map(|s| s.to_string()).collect();
        let run =
            Command::new("python3").arg(&script).arg(&path).arg(device.to_string()).args(&states).output();
        let Ok(run) = run else {
            eprintln!("skipped: no python3");
            return;
        };
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let answers = String::from_utf8(run.stdout).expect("JSON is text");
        assert_eq!(answers.lines().count(), states.len());
        for (answer, state) in answers.lines().zip(&states) {
            let expected: Value = serde_json::from_str(answer).expect("a line is JSON");
            let at: u32 = state.parse().expect("it is a number");
            let lives = replay.lives.live(at).into_iter();
            let mut live: Vec<(u64, u64)> =
                lives.map(|id| (replay.lives.address(&snapshot, id).0, replay.lives.size(id).0)).collect();
            live.sort_unstable();
            let found = json!({
                "requested": replay.value(CurveKind::Requested, at),
                "reserved": replay.value(CurveKind::Reserved, at),
                "live": live,
            });
            assert_eq!(found, expected, "{name} device {device} at state {at}");
        }
    }
}
