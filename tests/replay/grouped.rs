//! Curves and peaks by key: the keys' parts add up, and each part is what its own lives say.

use crate::shared::{folder, generate, read};
use hbmlens::model::{Device, Snapshot};
use hbmlens::replay::{CurveKind, Replay};

/// Checks one set of keys; `keys` holds one for each life, each below `count`.
fn check(replay: &Replay, keys: &[u16], count: usize, name: &str) {
    let curves = replay.curves_by(keys, count);
    let peaks = replay.peaks_by(keys, count);
    // Key by key, the slow way.
    let states = replay.last_state() as usize + 1;
    let mut truth = vec![vec![0_i64; states + 1]; count];
    for id in replay.lives.ids() {
        let of_key = &mut truth[usize::from(keys[id.index()])];
        let size = replay.lives.size(id).0 as i64;
        of_key[replay.lives.birth(id) as usize] += size;
        of_key[(replay.lives.death(id) as usize).min(states)] -= size;
    }
    for of_key in &mut truth {
        for state in 1..states {
            of_key[state] += of_key[state - 1];
        }
        of_key.truncate(states);
    }
    for (key, of_key) in truth.iter().enumerate() {
        let most = of_key.iter().copied().max().expect("there is a state");
        let at = of_key.iter().position(|&v| v == most).expect("it is there");
        assert_eq!(
            (peaks[key].peak.bytes.0 as i64, peaks[key].peak.state() as usize),
            (most, at),
            "{name} {key}"
        );
        assert_eq!(peaks[key].at_end.0 as i64, of_key[states - 1]);
        assert_eq!(peaks[key].at_common_peak.0 as i64, of_key[replay.peak().state() as usize]);
        for state in (0..states).step_by(states / 40 + 1) {
            assert_eq!(
                curves.value(key as u32, state as u32).0 as i64,
                of_key[state],
                "{name} {key} at {state}"
            );
            let end = (state + 1 + 3 * state % 777).min(states);
            let window = &of_key[state..end];
            let found = curves.extremes(key as u32, state as u32..end as u32).expect("it is not empty");
            assert_eq!(found.max.0 as i64, *window.iter().max().expect("it is not empty"));
            assert_eq!(found.min.0 as i64, *window.iter().min().expect("it is not empty"));
            assert_eq!((found.first.0 as i64, found.last.0 as i64), (window[0], window[window.len() - 1]));
        }
    }
    let together: u64 = peaks.iter().map(|peak| peak.at_common_peak.0).sum();
    assert_eq!(together, replay.peak().bytes.0, "{name}: the parts of the peak add up");
}

fn check_all(snapshot: &Snapshot, replay: &Replay, name: &str) {
    let streams = replay.by_stream(snapshot);
    check(replay, &streams.keys, streams.labels.len(), name);
    let pools = replay.by_pool(snapshot);
    check(replay, &pools.keys, pools.labels.len(), name);
    let types = replay.by_segment_type();
    check(replay, &types.keys, types.labels.len(), name);
    let sizes: Vec<u16> =
        replay.lives.sizes().iter().map(|size| (size.0.leading_zeros() / 8) as u16).collect();
    check(replay, &sizes, 9, name);
    let reserved = replay.reserved_by(|piece| (piece.stream, piece.segment_type));
    let at_end: u64 = reserved.iter().map(|(_, peak)| peak.at_end.0).sum();
    let at_peak: u64 = reserved.iter().map(|(_, peak)| peak.at_common_peak.0).sum();
    assert_eq!(at_end, replay.value(CurveKind::Reserved, replay.last_state()).0, "{name}");
    assert_eq!(at_peak, replay.peak_reserved().bytes.0, "{name}");
}

#[test]
fn parts_of_real_files_add_up() {
    let Some(folder) = folder() else { return };
    for name in [
        "cuda_training.pickle",
        "npu_empty_cache.pkl",
        "npu_two_devices.pkl",
        "cuda_pools_pending_no_events.pickle",
    ] {
        let snapshot = read(&folder.join("data/snapshots").join(name));
        for device in snapshot.devices() {
            check_all(&snapshot, &Replay::new(&snapshot, device), name);
        }
    }
}

#[test]
fn parts_of_generated_files_add_up() {
    let options = "--events 3000 --layers 6 --streams 3 --pools 2";
    let Some((snapshot, _)) = generate("grouped", options) else { return };
    let replay = Replay::new(&snapshot, Device::Index(0));
    assert_eq!(replay.by_stream(&snapshot).labels.len(), 3);
    assert_eq!(replay.by_pool(&snapshot).labels.len(), 3);
    check_all(&snapshot, &replay, "grouped");
    let options = format!("{options} --expandable --flavour npu");
    let Some((snapshot, _)) = generate("grouped_expandable", &options) else { return };
    check_all(&snapshot, &Replay::new(&snapshot, Device::Index(0)), "grouped_expandable");
}
