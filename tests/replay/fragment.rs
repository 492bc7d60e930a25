//! Fragmentation of generated and of real files, against their truth and against counts of its own.

use crate::shared::{folder, generate, read};
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::fragment::{DeviceFragment, FragmentOptions, fragment};
use hbmlens::model::{Action, BlockState, Bytes, Device, Snapshot};
use hbmlens::replay::{CurveKind, Replay};
use hbmlens::text::Language;
use serde_json::Value;

fn analyse(snapshot: &Snapshot, device: Device, options: &FragmentOptions) -> (Replay, DeviceFragment) {
    let replay = Replay::new(snapshot, device);
    let classes = StackClasses::new(snapshot, UserRules::default());
    let attribution = Attribution::new(snapshot, &replay, &classes);
    let memory = Attributed { snapshot, replay: &replay, classes: &classes, attribution: &attribution };
    let found = fragment(&memory, options);
    (replay, found)
}

/// Sums and texts that hold for any file.
fn consistent(found: &DeviceFragment, replay: &Replay, name: &str) {
    let free: u64 = found.free_by_size.iter().map(|class| class.bytes.0).sum();
    assert_eq!(free, found.cached_free.0, "{name}: classes add up");
    let count: u64 = found.free_by_size.iter().map(|class| class.count).sum();
    assert_eq!(count, found.free_blocks, "{name}");
    assert_eq!(found.idle, found.reserved - found.allocated);
    let of_segments: u64 = found.segments.iter().map(|s| s.size.0 - s.allocated.0).sum();
    assert_eq!(of_segments + found.workspace.0, found.idle.0, "{name}: segments add up");
    let of_segments: u64 = found.segments.iter().map(|s| s.free.0).sum();
    assert_eq!(of_segments, found.cached_free.0, "{name}");
    assert!(found.segments.is_sorted_by(|a, b| a.fragmentation >= b.fragmentation), "{name}: worst first");
    assert!(found.releasable <= found.cached_free && found.releasable <= found.releasable_with_pending);
    let worst = (0..=replay.last_state()).map(|state| {
        let [_, _, reserved, allocated, _] = replay.values(state);
        reserved - allocated
    });
    let most = found.over_time.iter().map(|p| p.reserved - p.allocated).max();
    assert_eq!(most, worst.max(), "{name}: the worst moment is among the points");
    for pair in found.over_time.windows(2) {
        assert!(pair[0].event < pair[1].event);
    }
    for expansion in &found.expansions {
        let after = replay.value(CurveKind::Reserved, expansion.event + 1);
        assert_eq!(after, expansion.reserved, "{name}: reserved after event {}", expansion.event);
    }
    for pin in &found.pinned {
        assert!(pin.gain.0 >= 8 * pin.block_size.0, "{name}");
        assert!(pin.gain <= pin.segment_size);
    }
    for message in found.summary.iter().chain(&found.advice) {
        assert_eq!(message.problem(), None, "{name}");
        assert!(!message.render(Language::English).is_empty());
    }
}

const ALL: FragmentOptions = FragmentOptions { state: None, top: 0, points: 97 };

#[test]
fn generated_files_have_the_figures_of_the_truth() {
    for (name, options) in [
        ("fragment_plain", ""),
        ("fragment_streams", "--streams 3 --pools 1"),
        ("fragment_expandable", "--expandable --streams 2"),
        ("fragment_npu", "--flavour npu --workspace --streams 2"),
        ("fragment_oom", "--oom fragmentation --limit-gib 4"),
    ] {
        let Some((snapshot, truth)) = generate(name, &format!("--events 4000 --layers 6 {options}")) else {
            return;
        };
        let (replay, found) = analyse(&snapshot, Device::Index(0), &ALL);
        consistent(&found, &replay, name);
        let json: Value = serde_json::to_value(&found).expect("a report is JSON");
        let truth = &truth[0];
        for (key, of_truth) in [
            ("reserved", "reserved"),
            ("allocated", "allocated"),
            ("active", "active"),
            ("pending", "pending_free"),
            ("free_blocks", "free_blocks"),
            ("largest_free_block", "largest_free"),
            ("cached_free", "cached_free"),
            ("segment_count", "segments"),
            ("peak_reserved", "peak_reserved"),
            ("lower_bound", "peak_active"),
        ] {
            assert_eq!(json[key], truth[of_truth], "{name}: {key}");
        }
        // What programs asked for, as the events say it.
        let events = &snapshot.events;
        let asked = replay.rows.clone().filter(|&row| events.action[row] == Action::Alloc);
        let asked: Vec<Bytes> = asked.map(|row| events.size[row]).collect();
        assert_eq!(found.allocated_in_all, asked.iter().copied().sum(), "{name}");
        assert_eq!(found.requests.map(|r| r.largest), asked.iter().copied().max(), "{name}");
        let reuse = 1.0 - found.peak_reserved.0 as f64 / found.allocated_in_all.0 as f64;
        assert_eq!(found.reuse_rate, Some(reuse), "{name}");
    }
}

#[test]
fn a_fragmented_device_is_told_so() {
    let options = "--events 4000 --layers 6 --limit-gib 4 --oom fragmentation";
    let Some((snapshot, _)) = generate("fragment_bad", options) else { return };
    let (_, found) = analyse(&snapshot, Device::Index(0), &ALL);
    assert!(found.fragmentation > 0.15, "{}", found.fragmentation);
    assert!(found.advice.iter().any(|m| m.key() == "fragment.advice.expandable"), "{:?}", found.advice);
    let options = format!("{options} --expandable");
    let Some((snapshot, _)) = generate("fragment_bad_expandable", &options) else { return };
    let (_, found) = analyse(&snapshot, Device::Index(0), &ALL);
    assert!(found.advice.iter().all(|m| m.key() != "fragment.advice.expandable"), "{:?}", found.advice);
}

#[test]
fn shared_files_are_consistent() {
    let Some(folder) = folder() else { return };
    for entry in std::fs::read_dir(folder.join("data/snapshots")).expect("it is there").flatten() {
        let snapshot = read(&entry.path());
        let name = entry.file_name().to_string_lossy().into_owned();
        for device in snapshot.devices() {
            let (replay, found) = analyse(&snapshot, device, &ALL);
            consistent(&found, &replay, &name);
            // Segments without a live block, counted from the file.
            let empty = snapshot.segments_of(device).filter(|(_, segment)| {
                let idle = |id| snapshot.blocks.get(id).state == BlockState::Inactive;
                !segment.is_expandable
                    && segment.block_ids().all(idle)
                    && snapshot.pools.get(segment.pool) == (0, 0)
            });
            let empty: Bytes = empty.map(|(_, segment)| segment.total_size).sum();
            if !snapshot.segments.iter().any(|s| s.is_expandable) {
                assert_eq!(found.releasable, empty, "{name}");
            }
        }
    }
}
