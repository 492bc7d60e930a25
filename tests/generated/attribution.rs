//! Categories at the peak against what the generators know of each allocation.

use crate::run::{Folder, generate, shared};
use hbmlens::analysis::attribution::{Attribution, StackClasses, UserRules};
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Device, Snapshot};
use hbmlens::replay::Replay;
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{Backend, Config, Layout, Training, pickle_cpython, snapshot};
use std::collections::BTreeMap;

type ByCategory = BTreeMap<String, (u64, u64)>;

fn read(bytes: &[u8]) -> Snapshot {
    match open(bytes, &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    }
}

/// Bytes and count by category, of the lives open right after the peak.
fn at_peak(snapshot: &Snapshot, device: i32) -> ByCategory {
    let replay = Replay::new(snapshot, Device::Index(device));
    let classes = StackClasses::new(snapshot, UserRules::default());
    let attribution = Attribution::new(snapshot, &replay, &classes);
    let mut found = ByCategory::new();
    for life in replay.lives.live((replay.peak().event + 1) as u32) {
        let entry = found.entry(attribution.category(life).id().to_owned()).or_insert((0, 0));
        entry.0 += replay.lives.size(life).0;
        entry.1 += 1;
    }
    found
}

#[test]
fn whole_traces_are_attributed_as_the_generator_says() {
    let Some(shared) = shared() else { return };
    let folder = Folder::new("categories");
    for options in [
        "--categories",
        "--categories --flavour npu --workspace",
        "--categories --leak --cache",
        "",
        // Its peak is at the end, with the buffers that a loader copies ahead.
        "--oom stream --limit-gib 4 --streams 2",
    ] {
        let options = format!("{options} --events 3000 --layers 3");
        let generated = generate(&shared, &folder, &options);
        let snapshot = read(&std::fs::read(&generated.path).expect("the file just written"));
        for truth in generated.truth.as_array().expect("a list of devices") {
            let wanted: ByCategory = truth["file"]["categories_at_peak"]
                .as_object()
                .expect("figures by category")
                .iter()
                .map(|(category, figures)| {
                    let figure = |key: &str| figures[key].as_u64().expect("an integer");
                    (category.clone(), (figure("bytes"), figure("count")))
                })
                .filter(|(_, (_, count))| *count > 0)
                .collect();
            let device = truth["device"].as_i64().expect("an integer") as i32;
            assert_eq!(at_peak(&snapshot, device), wanted, "{options}");
        }
    }
}

#[test]
fn a_training_run_is_attributed_as_the_simulation_says() {
    for (shape, backend) in
        [(Shape::Torch, Backend::Cuda), (Shape::TorchNpu, Backend::Npu), (Shape::PythonOnly, Backend::Npu)]
    {
        let training = Training { steps: 4, leak: 1 << 20, shape, ..Training::default() };
        let run = training.run(Config { backend, ..Config::default() });
        let truth = run.truth(None);
        let bytes = pickle_cpython::write(&snapshot(&[&run], &Layout::of(backend)), 4);
        let mut wanted = ByCategory::new();
        for (category, &(bytes, count)) in &truth.at_peak {
            // Without native frames nothing says that a copy to the device was made.
            let name = match category.name() {
                "input" if shape == Shape::PythonOnly => "other",
                name => name,
            };
            let entry = wanted.entry(name.to_owned()).or_insert((0, 0));
            entry.0 += bytes;
            entry.1 += count as u64;
        }
        assert_eq!(at_peak(&read(&bytes), 0), wanted, "{shape:?}");
    }
}
