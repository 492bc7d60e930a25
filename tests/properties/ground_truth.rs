//! The run of three linear layers: figures counted by hand against the whole chain.

use hbmlens::analysis::attribution::{Attribution, Category, StackClasses, UserRules};
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Device, Snapshot};
use hbmlens::replay::Replay;
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{Backend, Config, Layout, Simulator, pickle_cpython, snapshot, three_linears};
use std::collections::BTreeMap;

fn read(run: &Simulator) -> Snapshot {
    let bytes = pickle_cpython::write(&snapshot(&[run], &Layout::of(run.config.backend)), 4);
    match open(&bytes[..], &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    }
}

fn hundredths_of_mib(bytes: u64) -> u64 {
    (bytes * 100 + (1 << 19)) >> 20
}

/// Hundredths of a MiB by category, of the moment of the dump.
fn composition(snapshot: &Snapshot, replay: &Replay) -> BTreeMap<&'static str, u64> {
    let classes = StackClasses::new(snapshot, UserRules::default());
    let attribution = Attribution::new(snapshot, replay, &classes);
    let mut bytes: BTreeMap<Category, u64> = BTreeMap::new();
    for life in replay.lives.live(replay.last_state()) {
        *bytes.entry(attribution.category(life)).or_insert(0) += replay.lives.size(life).0;
    }
    bytes.into_iter().map(|(category, bytes)| (category.id(), hundredths_of_mib(bytes))).collect()
}

fn check(config: Config, shape: Shape) {
    let run = three_linears(config, shape);
    let mut after = BTreeMap::from([
        ("activation", 200),
        ("gradient", 2400),
        ("input", 200),
        ("optimizer", 4800),
        ("other", 1),
        ("parameter", 2400),
    ]);
    if shape == Shape::PythonOnly {
        // Only the native frame says that a copy to the device was made.
        after.remove("input");
        after.insert("other", 201);
    }
    let mut middle = after.clone();
    middle.insert("activation", 1200);
    middle.insert("backward", 200);
    for (dump, wanted, total) in [
        (&run.mid_backward, middle, 11201),
        (&run.after_step, after.clone(), 10001),
        (&run.after_next_step, after.clone(), 10001),
    ] {
        let snapshot = read(dump);
        let replay = Replay::new(&snapshot, Device::Index(0));
        assert_eq!(hundredths_of_mib(replay.final_requested().0), total);
        assert_eq!(composition(&snapshot, &replay), wanted, "{shape:?}");
        assert_eq!(hundredths_of_mib(replay.peak().bytes.0), 13001);
        assert!(replay.final_requested().share_of(replay.peak().bytes) < 0.98);
    }
}

#[test]
fn native_and_python_frames() {
    check(Config::default(), Shape::Torch);
}

#[test]
fn torch_npu() {
    check(Config { backend: Backend::Npu, ..Config::default() }, Shape::TorchNpu);
}

/// The engine's thread has no Python frames: all it allocates is told apart by how long it lives.
#[test]
fn python_frames_only() {
    check(Config::default(), Shape::PythonOnly);
}
