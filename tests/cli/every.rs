//! Every command on what it cannot use and on what is empty: a word of what is wrong, and the right exit code.

use crate::schema::assert_valid;
use crate::support::{Ran, run, scratch};
use std::path::{Path, PathBuf};

/// A command: its words, where `FILE` is the input and `OUT` a place to write to, and what it does with an
/// empty snapshot: the exit code, and the schema of its JSON (none: it prints none).
struct Case {
    words: &'static [&'static str],
    empty: i32,
    schema: Option<&'static str>,
}

const fn case(words: &'static [&'static str], empty: i32, schema: Option<&'static str>) -> Case {
    Case { words, empty, schema }
}

const COMMANDS: &[Case] = &[
    case(&["FILE"], 0, Some("overview")),
    case(&["overview", "FILE"], 0, Some("overview")),
    case(&["stats", "FILE"], 0, Some("stats")),
    case(&["check", "FILE"], 0, Some("check")),
    case(&["peak", "FILE"], 0, Some("peak")),
    case(&["fragment", "FILE"], 0, Some("fragment")),
    case(&["leak", "FILE"], 0, Some("leak")),
    case(&["oom", "FILE"], 0, Some("oom")),
    case(&["all", "FILE"], 0, Some("all")),
    case(&["folded", "FILE"], 0, None),
    case(&["convert", "FILE", "--pickle", "OUT.pickle", "--trace", "OUT.json"], 0, Some("convert")),
    case(&["convert", "FILE", "-o", "OUT.db"], 0, Some("convert")),
    case(&["convert", "FILE", "--parquet", "OUT.ranks", "--rank", "0"], 0, Some("convert")),
    case(&["convert", "FILE", "--csv", "OUT.tables"], 0, Some("convert")),
    case(&["sql", "FILE"], 0, Some("sql")),
    case(&["sql", "FILE", "SELECT COUNT(*) FROM traces"], 0, Some("sql")),
    case(&["report", "FILE", "-o", "OUT.html"], 0, Some("report")),
    // There is no device to compare, nor a rank.
    case(&["compare", "FILE", "FILE"], 1, Some("error")),
    case(&["ranks", "FILE"], 1, Some("error")),
    // An empty snapshot is no file of theirs.
    case(&["ops", "FILE"], 1, Some("error")),
    case(&["ge", "report", "FILE", "-o", "OUT"], 1, Some("error")),
    case(&["ge", "total", "FILE"], 1, Some("error")),
    case(&["ge", "check", "FILE"], 1, Some("error")),
];

/// Files that nothing can use.
fn useless(folder: &Path) -> Vec<PathBuf> {
    let files: [(&str, &[u8]); 6] = [
        ("empty.pickle", b""),
        ("text.pickle", b"a letter to somebody\n"),
        ("broken.pickle", &[0x80, 4, 0x95, 1, 2, 3]),
        ("other.pickle", b"\x80\x04K\x01."),
        ("broken.json", b"{\"segments\": [{\"device\""),
        ("pointer.pickle", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    ];
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        paths.push(path);
    }
    paths.push(folder.join("missing.pickle"));
    paths.push(folder.join("no/such/folder"));
    paths
}

fn run_case(case: &Case, file: &Path, out: &Path, json: bool) -> Ran {
    let mut words: Vec<String> = case
        .words
        .iter()
        .map(|word| match word.strip_prefix("OUT") {
            Some(ending) => format!("{}{ending}", out.display()),
            None if *word == "FILE" => file.display().to_string(),
            None => (*word).to_owned(),
        })
        .collect();
    if json {
        words.push("--json".to_owned());
    }
    run(words)
}

#[test]
fn useless_files_are_told_by_every_command() {
    let folder = scratch("every_useless");
    let files = useless(&folder);
    let before = std::fs::read_dir(&folder).expect("opens").count();
    for case in COMMANDS {
        for file in &files {
            // Some of a process's log files are empty: that is no fault.
            if case.words[0] == "ge" && file.ends_with("empty.pickle") {
                assert_valid("ge", &run_case(case, file, &scratch("every_log"), true).json()[0]);
                continue;
            }
            let what = format!("{:?} of {}", case.words, file.display());
            let ran = run_case(case, file, &folder.join("out"), true);
            assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{what}: {}", ran.out);
            let told = ran.json();
            assert!(!told.is_empty(), "{what}");
            told.iter().for_each(|object| assert_valid("error", object));
            let ran = run_case(case, file, &folder.join("out"), false);
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{what}");
            assert!(ran.err.starts_with("hbmlens: "), "{what}: {}", ran.err);
        }
    }
    assert_eq!(std::fs::read_dir(&folder).expect("opens").count(), before, "nothing was written");
}

#[test]
fn an_empty_snapshot_is_a_snapshot() {
    let folder = scratch("every_empty");
    let json = folder.join("empty.json");
    std::fs::write(&json, "{\"segments\": [], \"device_traces\": [[], []]}").expect("written");
    // The same in a pickle, which the program itself writes.
    let pickle = folder.join("empty.pickle");
    let words = ["convert".as_ref(), json.as_os_str(), "--pickle".as_ref(), pickle.as_os_str()];
    assert_eq!(run(words).code, 0);
    for file in [&json, &pickle] {
        for case in COMMANDS {
            let ran = run_case(case, file, &folder.join("out"), true);
            if case.words[0] == "report" && ran.out.contains("compiled without the page of reports") {
                continue;
            }
            assert_eq!((ran.code, ran.err.as_str()), (case.empty, ""), "{:?}: {}", case.words, ran.out);
            match case.schema {
                Some(schema) => assert_valid(schema, ran.json().last().expect("an object")),
                None => assert_eq!(ran.out, ""),
            }
            let ran = run_case(case, file, &folder.join("out"), false);
            assert_eq!(ran.code, case.empty, "{:?}: {}", case.words, ran.err);
        }
    }
}
