//! `--strip-paths`: no directory of an input's paths, and no user, in anything that leaves the program.

use crate::support::{run, scratch, shared, snapshots};
use hbmlens::export::tables::TABLES;
use hbmlens::format::{Document, ReadOptions, open};
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The directories of a path with any separators, each with its separator, where they are telling.
fn directories(path: &str, into: &mut BTreeSet<String>) {
    if let Some(end) = path.rfind(['/', '\\'])
        && end >= 3
    {
        into.insert(path[..=end].to_owned());
    }
}

/// The directories that frames of a snapshot name.
fn directories_of(file: &Path) -> BTreeSet<String> {
    let source = std::fs::File::open(file).expect("it opens");
    let Ok(Document::Snapshot(snapshot)) = open(source, &ReadOptions::default(), &mut |_| {}) else {
        panic!("{} is a snapshot", file.display());
    };
    let mut found = BTreeSet::new();
    for (_, frame) in snapshot.frames.iter() {
        directories(snapshot.strings.get(frame.file), &mut found);
    }
    found
}

/// Runs a command with `--strip-paths` and gives everything that it printed and wrote.
fn stripped(args: &[&OsStr], written: &[PathBuf]) -> String {
    let all = args.iter().map(|&arg| arg.to_owned()).chain([OsString::from("--strip-paths")]);
    let ran = run(all);
    assert!(ran.code == 0 || ran.code == 2, "{args:?}: {} {}", ran.out, ran.err);
    let mut text = ran.out + &ran.err;
    for path in written {
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    text
}

fn assert_without(text: &str, directories: &BTreeSet<String>, what: &str) {
    for directory in directories {
        // As it stands, and as JSON has it.
        for form in [directory.clone(), directory.replace('\\', "\\\\")] {
            if let Some(at) = text.find(&form) {
                let around: String = text[at..].chars().take(160).collect();
                panic!("{what} has {form}: {around}");
            }
        }
    }
}

/// Every command for snapshots, in words and as JSON, and every file that can be written.
fn check_snapshot(file: &Path, others: &[&str]) {
    let folder = scratch("strip_written");
    let (trace, pickle) = (folder.join("t.json"), folder.join("p.pickle"));
    let (database, tables) = (folder.join("d.db"), folder.join("tables"));
    let files = TABLES.iter().map(|table| tables.join(format!("{}.csv", table.name)));
    let files: Vec<PathBuf> = files.chain([trace.clone(), pickle.clone(), database.clone()]).collect();
    let mut hidden = directories_of(file);
    directories(&file.to_string_lossy(), &mut hidden);
    let path = file.as_os_str();
    let mut texts = vec![
        ("folded", stripped(&["folded".as_ref(), path], &[])),
        (
            "convert",
            stripped(
                &[
                    "convert".as_ref(),
                    path,
                    "--trace".as_ref(),
                    trace.as_os_str(),
                    "--pickle".as_ref(),
                    pickle.as_os_str(),
                    "-o".as_ref(),
                    database.as_os_str(),
                    "--csv".as_ref(),
                    tables.as_os_str(),
                ],
                &files,
            ),
        ),
    ];
    // A program may be built without the page of reports.
    let report: [&OsStr; 4] = ["report".as_ref(), path, "-o".as_ref(), "-".as_ref()];
    if !run(report).err.contains("without the page") {
        texts.push(("report", stripped(&report, &[])));
    }
    for command in
        ["overview", "stats", "check", "peak", "fragment", "leak", "oom", "all", "ranks", "compare"]
    {
        for json in [true, false] {
            let mut args: Vec<&OsStr> = vec![command.as_ref(), path];
            if command == "compare" {
                args.push(path);
            }
            if !matches!(command, "overview" | "stats" | "check") {
                args.extend::<[&OsStr; 2]>(["--top".as_ref(), "0".as_ref()]);
            }
            if json {
                args.push("--json".as_ref());
            }
            texts.push((command, stripped(&args, &[])));
        }
    }
    for (what, text) in texts {
        assert!(!text.is_empty());
        assert_without(&text, &hidden, &format!("{what} of {}", file.display()));
        for other in others {
            assert!(!text.contains(other), "{what} of {} names {other}", file.display());
        }
    }
}

#[test]
fn nothing_of_a_path_is_left_of_real_snapshots() {
    let Some(shared) = shared() else { return };
    for file in snapshots(&shared) {
        check_snapshot(&file, &[]);
    }
}

#[test]
fn neither_people_nor_paths_in_metadata_are_told() {
    let frames = json!([
        {"filename": "/home/annabelle/secret project/model.py", "line": 3, "name": "forward"},
        {"filename": "C:\\Users\\annabelle\\run.py", "line": 9, "name": "main"},
    ]);
    let event = |action: &str, addr: i64, note: &str| {
        json!({"action": action, "addr": addr, "size": 512, "stream": 0, "time_us": 1_000_000 + addr,
               "frames": frames, "user_metadata": note, "compile_context": "at /home/annabelle/cache/7"})
    };
    let snapshot = json!({
        "segments": [{"device": 0, "address": 4096, "total_size": 8192, "allocated_size": 512, "active_size": 512,
                      "stream": 0, "segment_type": "small", "frames": frames,
                      "blocks": [{"address": 4096, "size": 8192, "requested_size": 512, "state": "active_allocated", "frames": frames}]}],
        "device_traces": [[
            event("alloc", 4096, "of annabelle in /mnt/annabelle/job.yaml"),
            event("alloc", 8192, "layer/1"),
        ]],
        "external_annotations": [{"name": "load ~/annabelle/w.bin", "stage": "START", "device": 0, "time_us": 1_000_000}],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "backend:/opt/annabelle/lib.so"},
    });
    let file = scratch("strip_people").join("made.json");
    std::fs::write(&file, snapshot.to_string()).expect("written");
    check_snapshot(&file, &["annabelle", "secret project"]);
    // The words that are no paths are still there.
    let by =
        ["peak".as_ref(), file.as_os_str(), "--by".as_ref(), "user_metadata".as_ref(), "--json".as_ref()];
    let text = stripped(&by, &[]);
    assert!(text.contains("layer/1") && text.contains("of user in job.yaml"), "{text}");
}

#[test]
fn what_paths_mean_stays_known() {
    let Some(shared) = shared() else { return };
    for file in snapshots(&shared) {
        let of = |more: &[&OsStr]| {
            let args = ["peak".as_ref(), file.as_os_str(), "--json".as_ref()];
            let mut json = run(args.into_iter().chain(more.iter().copied())).json().remove(0);
            let devices = json["devices"].as_array_mut().expect("devices");
            devices
                .iter()
                .map(|device| (device["by_category"].clone(), device["explained"].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&["--strip-paths".as_ref()]), of(&[]), "{}", file.display());
    }
}

#[test]
fn nothing_of_a_path_is_left_of_profiler_folders() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("data/profiler");
    let out = scratch("strip_ops");
    let csv = out.join("rows.csv");
    let pages = out.join("pages");
    let mut hidden =
        BTreeSet::from(["torch/nn/".to_owned(), "rl_insight/".to_owned(), "site-packages".to_owned()]);
    directories(&folder.join("x").to_string_lossy(), &mut hidden);
    let path = folder.as_os_str();
    let json: [&OsStr; 5] = ["ops".as_ref(), path, "--json".as_ref(), "--top".as_ref(), "0".as_ref()];
    let words: [&OsStr; 6] =
        ["ops".as_ref(), path, "--csv".as_ref(), csv.as_os_str(), "-o".as_ref(), pages.as_os_str()];
    let mut text = stripped(&json, &[]);
    assert!(text.contains("module.py(") && text.contains("train.py("), "stacks are there");
    // What is said of the files that were written names the folder that was asked for.
    stripped(&words, &[]);
    text.push_str(&std::fs::read_to_string(&csv).expect("written"));
    for page in std::fs::read_dir(&pages).expect("it opens") {
        text.push_str(&std::fs::read_to_string(page.expect("an entry").path()).expect("text"));
    }
    assert_without(&text, &hidden, "ops");
}

#[test]
fn errors_name_no_directory() {
    let folder = scratch("strip_errors");
    let missing = folder.join("missing.pickle");
    for json in [true, false] {
        let mut args = vec![missing.as_os_str(), "--strip-paths".as_ref()];
        if json {
            args.push("--json".as_ref());
        }
        let ran = run(args);
        assert_eq!(ran.code, 1);
        let text = ran.out + &ran.err;
        assert!(text.contains("missing.pickle") && !text.contains("strip_errors"), "{text}");
    }
}
