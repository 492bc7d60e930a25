//! Every shared file: its published figures, its last state, and stepping through all of it.

use crate::shared::{folder, read};
use hbmlens::model::{BlockState, Device, Snapshot};
use hbmlens::replay::{AnomalyKind, Cursor, CurveKind, Replay, Use};
use serde_json::{Value, json};

/// (address, size, state) of every block, in order.
type Blocks = Vec<(u64, u64, BlockState)>;

fn blocks_of_file(snapshot: &Snapshot, device: Device) -> Blocks {
    let ids = snapshot.segments_of(device).flat_map(|(_, segment)| segment.block_ids());
    let mut blocks: Blocks = ids
        .map(|id| {
            let block = snapshot.blocks.get(id);
            (block.address.0, block.size.0, block.state)
        })
        .collect();
    blocks.sort_unstable_by_key(|b| b.0);
    blocks
}

fn blocks_at_end(snapshot: &Snapshot, replay: &Replay) -> Blocks {
    let state = replay.state(snapshot, replay.last_state());
    let state_of = |usage| match usage {
        Use::Allocated => BlockState::ActiveAllocated,
        Use::Pending => BlockState::ActivePendingFree,
        // The writer calls workspaces inactive although they are in use.
        Use::Free | Use::Workspace => BlockState::Inactive,
    };
    state.blocks.iter().map(|b| (b.address.0, b.size.0, state_of(b.usage))).collect()
}

/// The last state is the snapshot; forwards and backwards come by the same states, which tile their
/// segments and add up to the curves.
pub fn check_states(snapshot: &Snapshot, replay: &Replay, name: &str) {
    assert_eq!(
        blocks_at_end(snapshot, replay),
        blocks_of_file(snapshot, replay.device),
        "{name}: last state"
    );
    let mut segments: Vec<(u64, u64)> =
        snapshot.segments_of(replay.device).map(|(_, s)| (s.address.0, s.total_size.0)).collect();
    segments.sort_unstable();
    let last = replay.state(snapshot, replay.last_state());
    let found: Vec<(u64, u64)> = last.segments.iter().map(|s| (s.address.0, s.size.0)).collect();
    assert_eq!(found, segments, "{name}: last segments");

    let stride = (replay.events() / 150).max(1);
    let mut cursor = Cursor::new(snapshot, replay, 0);
    loop {
        if cursor.at().is_multiple_of(stride) {
            let state = replay.state(snapshot, cursor.at());
            assert_eq!(cursor.state(), state, "{name}: stepping and seeking agree at {}", cursor.at());
            let [_, _, reserved, allocated, active] = replay.values(cursor.at());
            assert_eq!(
                (state.reserved(), state.allocated(), state.active()),
                (reserved, allocated, active),
                "{name}: state and curves agree at {}",
                cursor.at()
            );
            for segment in &state.segments {
                let mut filled = segment.address.0;
                for block in state.blocks_of(segment) {
                    assert_eq!(block.address.0, filled, "{name}: blocks tile their segment");
                    filled += block.size.0;
                }
                assert_eq!(filled, segment.address.0 + segment.size.0);
            }
            assert!(state.outside.is_empty(), "{name}: {:?}", state.outside);
        }
        if !cursor.forward() {
            break;
        }
    }
    assert_eq!(cursor.at(), replay.last_state());
    while cursor.back() {
        if cursor.at().is_multiple_of(stride) {
            assert_eq!(cursor.state(), replay.state(snapshot, cursor.at()), "{name}: going back");
        }
    }
    assert_eq!(cursor.at(), 0);
}

/// First, minimum, maximum and last of random windows, against the values one by one.
fn check_windows(replay: &Replay, name: &str) {
    let states = replay.events() + 1;
    let mut seed = 12345_u64;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((seed >> 33) % u64::from(below)) as u32
    };
    for kind in CurveKind::ALL {
        let all: Vec<u64> = (0..states).map(|state| replay.value(kind, state).0).collect();
        for _ in 0..20 {
            let start = random(states);
            let end = start + 1 + random((states - start).min(5000));
            let window = &all[start as usize..(end as usize).min(all.len())];
            let found = replay.extremes(kind, start..end).expect("the window is not empty");
            let max = window.iter().copied().max().expect("the window is not empty");
            let max_at = start + window.iter().position(|&v| v == max).expect("it is there") as u32;
            let got = (found.first.0, found.min.0, found.max.0, found.last.0, found.max_at);
            let min = window.iter().copied().min().expect("the window is not empty");
            assert_eq!(got, (window[0], min, max, window[window.len() - 1], max_at), "{name} {kind:?}");
        }
    }
}

#[test]
fn shared_files_have_the_published_figures() {
    let Some(folder) = folder() else { return };
    let expected = std::fs::read_to_string(folder.join("data/expected/overview.jsonl")).expect("it is there");
    let mut devices = 0;
    for line in expected.lines() {
        let file: Value = serde_json::from_str(line).expect("a line is JSON");
        let name = file["file"].as_str().expect("a line names its file");
        let snapshot = read(&folder.join("data/snapshots").join(name));
        for expected in file["devices"].as_array().expect("a line has devices") {
            devices += 1;
            let number = expected["device"].as_i64().expect("a device has a number") as i32;
            let replay = Replay::new(&snapshot, Device::Index(number));
            let (peak, peak_reserved) = (replay.peak(), replay.peak_reserved());
            let found = json!({
                "events": replay.events(),
                "initial_requested": replay.initial_requested(),
                "peak_requested": peak.bytes,
                "peak_event": peak.event,
                "final_requested": replay.final_requested(),
                "lives": replay.lives.len(),
                "initial_lives": replay.lives.initial_len(),
                "live_at_peak": replay.lives.live(peak.state()).len(),
                "reserved_start": replay.value(CurveKind::Reserved, 0),
                "reserved": replay.value(CurveKind::Reserved, replay.last_state()),
                "peak_reserved": peak_reserved.bytes,
                "peak_reserved_event": peak_reserved.event,
                "realloc_live": replay.anomalies.count(AnomalyKind::ReallocOfLive),
            });
            for (key, value) in found.as_object().expect("it is an object") {
                assert_eq!(value, &expected[key], "{name}: {key}");
            }
            check_windows(&replay, name);
            if replay.events() >= 1000 {
                assert!(replay.heap_bytes() <= 40 * replay.events() as usize, "{name}: bytes an event");
            }
            if name == "cuda_mini.pickle" {
                // Its authors cut blocks out of the snapshot: the lives stay, and are said to be missing.
                assert_eq!(replay.anomalies.count(AnomalyKind::MissingInSnapshot), 24);
                assert_eq!(replay.anomalies.total(), 24);
                let allocated = |state| replay.value(CurveKind::Allocated, state).0;
                assert_eq!(
                    [allocated(replay.last_state() - 1), allocated(replay.last_state())],
                    [402_720_768, 0]
                );
            } else {
                assert!(replay.anomalies.is_empty(), "{name}: {:?}", replay.anomalies);
            }
            assert_eq!(expected["allocated"], json!(replay.values(replay.last_state())[3]), "{name}");
            assert_eq!(expected["active"], json!(replay.values(replay.last_state())[4]), "{name}");
            if !expected["requested"].is_null() {
                assert_eq!(expected["requested"], json!(replay.final_requested()), "{name}");
            }
            check_states(&snapshot, &replay, name);
        }
    }
    assert_eq!(devices, 13);
}
