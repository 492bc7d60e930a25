//! `hbmlens convert`: what is written is what Python finds in the snapshot, and reads as it did.

use crate::schema::assert_valid;
use crate::support::{python, run, scratch, shared, snapshots};
use crate::tiny;
use crate::trace_format::assert_trace;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

fn convert<'a>(file: &'a Path, more: impl IntoIterator<Item = &'a OsStr>) {
    let ran = run([OsStr::new("convert"), file.as_os_str()].into_iter().chain(more));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", file.display());
}

fn arg(text: &str) -> &OsStr {
    OsStr::new(text)
}

/// Real files whose events can be counted by a few lines: those with events.
fn with_events() -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let mut files = snapshots(&shared);
    files.retain(|path| path.metadata().is_ok_and(|m| m.len() < 8 << 20));
    assert!(files.len() > 5);
    files
}

/// Lists in one order: rows of equal size stand in the order in which the reader met them.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            items.sort_by_cached_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(entries) => entries.into_iter().map(|(key, inner)| (key, sorted(inner))).collect(),
        other => other,
    }
}

/// What is said of a file, without its name and size.
fn analyses(file: &Path, more: &[&str]) -> Vec<Value> {
    let mut all = Vec::new();
    for command in ["overview", "stats", "peak", "fragment", "leak", "oom"] {
        let mut args = vec![arg(command), file.as_os_str(), arg("--json")];
        if !matches!(command, "overview" | "stats") {
            args.extend([arg("--top"), arg("0")]);
        }
        let ran = run(args.into_iter().chain(more.iter().map(OsStr::new)));
        assert_eq!(ran.code, 0, "{command} {}: {}", file.display(), ran.out);
        all.extend(ran.json());
    }
    for object in &mut all {
        let object = object.as_object_mut().expect("an object");
        object.remove("warnings");
        // Of what was left out only the reader that left it out can tell.
        object.remove("notes");
        match object.get_mut("file") {
            Some(Value::Object(file)) => {
                for key in ["name", "bytes", "left_out"] {
                    file.remove(key);
                }
            }
            _ => {
                object.remove("file");
            }
        }
    }
    all
}

#[test]
fn a_pickle_is_what_python_finds_in_the_original() {
    let folder = scratch("convert_pickle");
    let written = folder.join("all.pickle");
    for file in with_events() {
        convert(&file, [arg("--pickle"), written.as_os_str()]);
        let Some(said) = python("selection.py", &[&file, &written]) else { return };
        assert!(said.trim_end().ends_with("ok"));
        assert_eq!(analyses(&written, &[]), analyses(&file, &[]), "{}", file.display());
        for (prefix, more) in [("folded", None), ("folded", Some("--segments"))] {
            let of = |path: &Path| {
                run([arg(prefix), path.as_os_str()].into_iter().chain(more.map(OsStr::new))).out
            };
            assert_eq!(of(&written), of(&file), "{}", file.display());
        }
    }
}

#[test]
fn a_range_is_read_as_the_original_is_with_that_range() {
    let folder = scratch("convert_range");
    let written = folder.join("range.pickle");
    for file in with_events() {
        for range in ["100..900", "2000..2500"] {
            let pickle = [arg("--pickle"), written.as_os_str(), arg("--range"), arg(range)];
            convert(&file, pickle);
            let (from, to) = range.split_once("..").expect("a range");
            let Some(_) = python("selection.py", &[&file, &written, Path::new(from), Path::new(to)]) else {
                return;
            };
            assert_eq!(
                analyses(&written, &[]).into_iter().map(sorted).collect::<Vec<_>>(),
                analyses(&file, &["--range", range]).into_iter().map(sorted).collect::<Vec<_>>(),
                "{} {range}",
                file.display()
            );
        }
    }
}

#[test]
fn one_device_is_the_same_device() {
    let Some(shared) = shared() else { return };
    let file = shared.join("data/snapshots/npu_two_devices.pkl");
    let written = scratch("convert_device").join("one.pickle");
    let whole: Value = run([arg("overview"), file.as_os_str(), arg("--json")]).json().remove(0);
    let device = whole["devices"][1]["device"].to_string();
    convert(&file, [arg("--pickle"), written.as_os_str(), arg("--device"), arg(&device)]);
    let one = run([arg("overview"), written.as_os_str(), arg("--json")]).json().remove(0);
    assert_eq!(one["devices"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["devices"][0], whole["devices"][1]);
    let peak = |path: &Path| {
        let args = [arg("peak"), path.as_os_str(), arg("--json"), arg("--device"), arg(&device)];
        run(args).json().remove(0)["devices"].clone()
    };
    assert_eq!(peak(&written), peak(&file));
    let ran = run([
        arg("convert"),
        file.as_os_str(),
        arg("--pickle"),
        written.as_os_str(),
        arg("--device"),
        arg("77"),
    ]);
    assert_eq!(ran.code, 1);
}

#[test]
fn a_trace_is_of_the_format_and_counts_as_python_does() {
    let folder = scratch("convert_trace");
    let written = folder.join("trace.json");
    for file in with_events() {
        convert(&file, [arg("--trace"), written.as_os_str()]);
        let events = assert_trace(&std::fs::read_to_string(&written).expect("it was written"));
        let overview = run([arg("overview"), file.as_os_str(), arg("--json")]).json().remove(0);
        let Some(counted) = python("trace_recount.py", &[&file, &written]) else { return };
        let devices = overview["devices"].as_array().expect("devices");
        assert_eq!(counted.lines().count(), devices.len());
        for (line, device) in counted.lines().zip(devices) {
            let counted: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(counted["device"], device["device"]);
            assert_eq!(counted["peak_requested"], device["peak_requested"], "{}", file.display());
            assert_eq!(counted["slices"], device["lives"], "{}", file.display());
        }
        let greatest = |name: &str| {
            let points = events.iter().filter(|e| e["ph"] == "C" && e["name"] == name && e["pid"] == 1);
            points.filter_map(|e| e["args"]["bytes"].as_u64()).max()
        };
        assert_eq!(greatest("reserved"), devices[0]["peak_reserved"].as_u64(), "{}", file.display());
    }
}

#[test]
fn what_was_written_is_told() {
    let file = tiny::write("convert_told");
    let (trace, pickle) = (file.with_file_name("t.json"), file.with_file_name("p.pickle"));
    let args = [
        arg("convert"),
        file.as_os_str(),
        arg("--json"),
        arg("--trace"),
        trace.as_os_str(),
        arg("--pickle"),
        pickle.as_os_str(),
    ];
    let ran = run(args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let told = ran.json().remove(0);
    assert_valid("convert", &told);
    for written in told["written"].as_array().expect("a list") {
        let path = Path::new(written["path"].as_str().expect("a path"));
        assert_eq!(Some(path.metadata().expect("it is there").len()), written["bytes"].as_u64());
    }
    let events = assert_trace(&std::fs::read_to_string(&trace).expect("written"));
    assert!(events.iter().any(|e| e["name"] == "OOM" || e["ph"] == "X"));
    // To standard output, without a word beside it.
    let ran = run([arg("convert"), file.as_os_str(), arg("--trace"), arg("-")]);
    assert_eq!(ran.out, std::fs::read_to_string(&trace).expect("written"));
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let file = tiny::write("convert_failure");
    let folder = file.with_file_name("out");
    std::fs::create_dir(&folder).expect("made");
    // A directory cannot be replaced by a file.
    let ran = run([arg("convert"), file.as_os_str(), arg("--pickle"), folder.as_os_str()]);
    assert_eq!(ran.code, 1);
    let left: Vec<_> = std::fs::read_dir(file.parent().expect("a folder")).expect("opens").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
