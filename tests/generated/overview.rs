//! The overview against the generator's truth and against the independent count.

use crate::run::{Folder, counted_in_python, generate, has_python, program, shared};
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{
    Backend, Config, GIB, KIB, Layout, Simulator, Training, pickle_cpython, pickle_torch, sample, snapshot,
    three_linears,
};
use serde_json::Value;
use std::path::Path;

/// Every figure of the count stands in the program's overview.
fn agrees_with_the_count(path: &Path) {
    let ours = program(&["overview"], path);
    let counted = counted_in_python(path);
    let counted = counted.as_array().expect("a list of devices");
    let devices = ours["devices"].as_array().expect("the overview lists devices");
    let numbers: Vec<&Value> = devices.iter().map(|d| &d["device"]).filter(|d| d.is_number()).collect();
    assert_eq!(numbers, counted.iter().map(|d| &d["device"]).collect::<Vec<_>>(), "{}", path.display());
    for (found, counted) in devices.iter().zip(counted) {
        for (key, value) in counted.as_object().expect("an object for each device") {
            assert_eq!(&found[key], value, "{} of {}", key, path.display());
        }
    }
}

/// What the truth says of the file stands in the overview.
fn agrees_with_the_truth(options: &str, path: &Path, truth: &Value) {
    let ours = program(&["overview"], path);
    for truth in truth.as_array().expect("a list of devices") {
        let device = ours["devices"]
            .as_array()
            .and_then(|devices| devices.iter().find(|d| d["device"] == truth["device"]))
            .unwrap_or_else(|| panic!("{options}: no device {}", truth["device"]));
        for key in ["requested", "allocated", "active", "reserved", "pending_free", "segments", "cached_free"]
        {
            assert_eq!(device[key], truth[key], "{options}: {key}");
        }
        let workspace = truth["workspace"]["bytes"].as_u64().unwrap_or(0);
        assert_eq!(device["workspace"], workspace, "{options}: workspace");
        if options.contains("--list") {
            continue;
        }
        for key in [
            "events",
            "initial_requested",
            "peak_requested",
            "peak_event",
            "final_requested",
            "peak_reserved",
            "peak_reserved_event",
            "lives",
        ] {
            assert_eq!(device[key], truth["file"][key], "{options}: {key} in the file");
        }
        let anomalies = device["anomalies"].as_object().expect("anomalies by kind");
        assert!(anomalies.values().all(|n| n == 0), "{options}: {anomalies:?}");
    }
    let failed: Vec<&Value> =
        ours["checks"].as_array().into_iter().flatten().filter(|c| c["status"] == "fail").collect();
    let damaged = failed.iter().any(|c| c["name"] != "snapshot_is_peak");
    assert!(!damaged, "{options}: {failed:?}");
}

#[test]
fn every_option_of_the_generator_meets_its_truth() {
    let Some(shared) = shared() else { return };
    let folder = Folder::new("options");
    for options in [
        "",
        "--leak --cache",
        "--categories",
        "--streams 3",
        "--pools 2",
        "--streams 2 --pools 2 --expandable",
        "--expandable --leak",
        "--flavour npu",
        "--flavour npu --workspace",
        "--flavour npu --workspace --expandable --streams 2",
        "--flavour npu --workspace --ring 1200",
        "--ring 700",
        "--ring 701 --streams 3",
        "--drop-beginning",
        "--drop-beginning --drop-frames",
        "--devices 3",
        "--cpp",
        "--cpp --base 0xff00000000000000",
        "--protocol 2",
        "--protocol 5",
        "--json",
        "--history-blocks",
        "--list",
        "--stale --pools 1",
        "--no-time-us --no-steps",
        "--oom capacity --limit-gib 4",
        "--oom fragmentation --limit-gib 4",
        "--oom stream --limit-gib 4",
        "--oom pending --limit-gib 4",
        "--oom huge --limit-gib 4",
        "--oom capacity --leak --limit-gib 4",
        "--oom capacity --limit-gib 4 --ring 500 --cpp",
    ] {
        let options = format!("{options} --events 1500 --layers 2");
        let generated = generate(&shared, &folder, &options);
        agrees_with_the_truth(&options, &generated.path, &generated.truth);
        agrees_with_the_count(&generated.path);
    }
}

#[test]
fn every_real_file_agrees_with_the_count() {
    let Some(shared) = shared() else { return };
    let folder = std::fs::read_dir(shared.join("data/snapshots")).expect("the folder of real files");
    for entry in folder {
        let path = entry.expect("an entry of the folder").path();
        if path.extension().is_some_and(|e| e == "pickle" || e == "pkl") {
            agrees_with_the_count(&path);
        }
    }
}

#[test]
fn every_simulated_file_agrees_with_the_count() {
    if !has_python() {
        eprintln!("skipped: no python3 here");
        return;
    }
    let folder = Folder::new("simulated");
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.file(name);
        std::fs::write(&path, bytes).expect("the folder takes a file");
        agrees_with_the_count(&path);
    };
    write("sample.pickle", sample());
    let run = three_linears(Config::default(), Shape::Torch);
    for (name, dump) in [("middle", &run.mid_backward), ("after", &run.after_step)] {
        write(name, pickle_cpython::write(&snapshot(&[dump], &Layout::of(Backend::Cuda)), 5));
    }
    let training =
        Training { layers: 2, steps: 3, record_after: 1, shape: Shape::TorchNpu, ..Training::default() };
    let config = Config { backend: Backend::Npu, expandable: true, limit: GIB, ..Config::default() };
    let mut npu: Simulator = training.run(config);
    npu.add_workspace(5000 * KIB, 1_534_455_456);
    let layout = Layout { max_entries: Some(300), ..Layout::of(Backend::Npu) };
    let tree = snapshot(&[&npu], &layout);
    write("npu.pickle", pickle_cpython::write(&tree, 4));
    write("npu-cpp.pickle", pickle_torch::write(&tree));
    write("npu.json", tree.to_json().to_string().into_bytes());
}
