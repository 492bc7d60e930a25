//! Figures of real files, as a Python program of its own gives them (`tests/reference/attribution.py`).

use crate::common::{Owned, real, shared};
use hbmlens::analysis::attribution::Category;
use hbmlens::analysis::modules::Modules;
use hbmlens::analysis::peak::{PeakOptions, explained, peak};
use hbmlens::analysis::steps::Steps;
use hbmlens::model::Device;

/// One decimal, as the figures are given.
fn mib(bytes: u64) -> f64 {
    (bytes as f64 / (1 << 20) as f64 * 10.0).round() / 10.0
}

#[test]
fn a_training_run_at_its_peak() {
    let Some(shared) = shared() else { return };
    let run = Owned::new(real(&shared, "cuda_training.pickle"), Device::Index(0));
    let plain = |category| mib(run.category_at_peak(category).0);
    assert_eq!(mib(run.replay.peak().bytes.0), 6688.4);
    let optimizer = |(a, b): (u64, u64), (c, d): (u64, u64)| (mib(a + c), mib(b + d));
    let (without, with) = optimizer(
        run.category_at_peak(Category::Optimizer),
        run.category_at_peak(Category::OptimizerTemporary),
    );
    assert_eq!(without, 195.3);
    assert_eq!(plain(Category::Gradient), 1575.1);
    assert_eq!(plain(Category::Backward), 39.3);
    assert_eq!(plain(Category::Activation), 19.5);
    assert_eq!(plain(Category::Unknown), 4859.3);
    let unknown = |life| run.attribution.plain_category(life) == Category::Unknown;
    let freed = |life| run.replay.lives.stack_is_of_free(life);
    assert_eq!(mib(run.bytes_at_peak(|life| unknown(life) && !freed(life))), 1630.6);
    assert_eq!(mib(run.bytes_at_peak(|life| unknown(life) && freed(life))), 3228.6);
    assert_eq!(with, 3423.9);
    let by = |name: &str| mib(run.bytes_at_peak(|life| run.memory().why(life).name == name));
    assert_eq!(by("gradient_match_1"), 1536.0);
    assert_eq!(by("gradient_match_split"), 78.1);
}

#[test]
fn helpers_called_from_a_forward_are_activations() {
    let Some(shared) = shared() else { return };
    let mut found = [0_u64; 2];
    for name in ["cuda_many_segments.pickle", "cuda_training.pickle", "cuda_forward.pickle"] {
        let run = Owned::new(real(&shared, name), Device::Index(0));
        let memory = run.memory();
        for life in run.replay.lives.ids() {
            let class = memory.class(life);
            let Some(site) = memory.frame_text(class.call_site) else { continue };
            if let Some(at) = ["softmax", "silu"].iter().position(|&helper| site.function.contains(helper)) {
                let stack = memory.stack_text(memory.alloc_stack(life));
                if stack.iter().any(|frame| frame.function == "forward") {
                    assert_eq!(class.category, Category::Activation, "{name} {site:?}");
                    found[at] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&n| n > 0), "{found:?}");
}

#[test]
fn most_of_most_peaks_is_explained() {
    let Some(shared) = shared() else { return };
    let mut shares = Vec::new();
    let folder = shared.join("data/snapshots");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let snapshot = real(&shared, &name);
        for device in snapshot.devices() {
            if snapshot.rows_of(device).len() >= 100 {
                let run = Owned::new(snapshot.clone(), device);
                let share = explained(&run.memory(), &run.at_peak());
                eprintln!(
                    "{name} device {device}: {:.3} plain, {:.3} with inference",
                    share.plain, share.inferred
                );
                assert!(share.plain <= share.inferred);
                shares.push(share.inferred);
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    assert_eq!(shares.len(), 9);
    assert!(shares[4] >= 0.9, "median {:.3}", shares[4]);
}

#[test]
fn every_list_adds_up_to_the_peak() {
    let Some(shared) = shared() else { return };
    for name in ["cuda_training.pickle", "npu_two_devices.pkl", "cuda_old_history_blocks.pickle"] {
        let snapshot = real(&shared, name);
        for device in snapshot.devices() {
            let run = Owned::new(snapshot.clone(), device);
            let modules = Modules::new(&run.snapshot, &run.classes);
            let steps = Steps::find(&run.snapshot, &run.replay);
            for (key, _) in hbmlens::analysis::grouping::GroupKey::ALL {
                let options = PeakOptions { top: 3, by: Some(key), ..PeakOptions::default() };
                let peak = peak(&run.memory(), &modules, &steps, &options);
                let sum = |bytes: &mut dyn Iterator<Item = u64>| bytes.sum::<u64>();
                let whole = peak.peak_requested.0;
                assert_eq!(sum(&mut peak.by_category.iter().map(|r| r.sums.bytes.0)), whole, "{name}");
                assert_eq!(sum(&mut peak.by_call_site.iter().map(|r| r.sums.bytes.0)), whole, "{name}");
                let rows = peak.by.map(|by| by.rows).unwrap_or_default();
                assert_eq!(sum(&mut rows.iter().map(|r| r.sums.bytes.0)), whole, "{name} {key:?}");
                assert!(rows.len() <= 4 && peak.by_call_site.len() <= 4);
            }
        }
    }
}
