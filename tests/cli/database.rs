//! Databases: every row against the pickle by Python's own means, the same answers from a database as from
//! its source, questions in SQL, and nothing left behind by a failure.

use crate::schema::assert_valid;
use crate::support::{Ran, finish, program, python, run, scratch, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn convert(file: &Path, more: &[&str]) -> Ran {
    let mut args = vec!["convert".as_ref(), file.as_os_str()];
    args.extend(more.iter().map(std::ffi::OsStr::new));
    run(args)
}

fn sql(file: &Path, query: &str, more: &[&str]) -> Ran {
    let mut args = vec!["sql".as_ref(), file.as_os_str(), query.as_ref()];
    args.extend(more.iter().map(std::ffi::OsStr::new));
    run(args)
}

fn database_of(file: &Path, folder: &Path) -> PathBuf {
    let name = format!("{}.db", file.file_name().expect("a name").to_string_lossy());
    let target = folder.join(name);
    let ran = convert(file, &["-o", &target.to_string_lossy(), "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_valid("convert", &ran.json()[0]);
    assert_eq!(ran.json()[0]["written"][0]["bytes"], std::fs::metadata(&target).expect("written").len());
    target
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn is_pickle(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "pickle" || ending == "pkl")
}

#[test]
fn every_row_is_that_of_the_pickle() {
    let Some(shared) = shared() else { return };
    let folder = scratch("database_rows");
    for file in snapshots(&shared).iter().filter(|path| is_pickle(path)) {
        let database = database_of(file, &folder);
        let Some(told) = python("database.py", &[file, &database]) else { return };
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let overview = run(["overview".as_ref(), file.as_os_str(), "--json".as_ref()]).json().remove(0);
        let sum = |key: &str| -> i64 {
            overview["devices"].as_array().expect("devices").iter().filter_map(|d| d[key].as_i64()).sum()
        };
        for key in ["segments", "blocks", "events", "lives"] {
            assert_eq!(told[key], sum(key), "{}: {key}", file.display());
        }
        let bare = folder.join("bare.db");
        assert_eq!(convert(file, &["--no-indexes", "-o", &bare.to_string_lossy()]).code, 0);
        python("database.py", &[file, &bare, Path::new("bare")]);
        assert!(
            std::fs::metadata(&bare).expect("there").len()
                <= std::fs::metadata(&database).expect("there").len()
        );
    }
}

/// What a command says, without the name and the length of the file.
fn answer(command: &str, file: &Path) -> String {
    let args: &[&str] = if command == "folded" { &[] } else { &["--json"] };
    let ran = finish(program().arg(command).arg(file).args(args));
    if command == "folded" {
        return ran.out;
    }
    let mut value = ran.json().remove(0);
    strip(&mut value);
    value.to_string()
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            match map.get_mut("file") {
                Some(Value::Object(file)) => {
                    file.remove("name");
                    file.remove("bytes");
                }
                Some(Value::String(name)) => name.clear(),
                _ => {}
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn a_database_answers_like_its_source() {
    let folder = scratch("database_round_trip");
    let mut files: Vec<PathBuf> = shared().map(|shared| snapshots(&shared)).unwrap_or_default();
    files.push(tiny::write_with_oom("database_round_trip_tiny"));
    for file in files {
        let database = database_of(&file, &folder);
        for command in ["overview", "all", "stats", "folded", "peak", "leak", "oom", "fragment"] {
            let (from_source, from_database) = (answer(command, &file), answer(command, &database));
            assert!(from_source == from_database, "{command} {}", file.display());
        }
        // And once more: a database of a database is the same.
        let again = database_of(&database, &folder);
        assert_eq!(answer("all", &again), answer("all", &file));
    }
}

/// Counters of the process lie beside the snapshot, and forward stacks are of few blocks and segments; a database has them.
#[test]
fn counters_and_forward_stacks_come_along() {
    let folder = scratch("database_along");
    let (file, database) = (folder.join("a.json"), folder.join("elsewhere.db"));
    let snapshot = r#"{"segments": [{"device": 0, "address": 4096, "total_size": 8192, "allocated_size": 1024, "active_size": 1024,
        "stream": 0, "segment_type": "small", "forward_frames": ["s.py:3:h", "t.py:4:i"], "blocks": [
        {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": [], "forward_frames": ["a.py:1:f", "b.py:2:g"]},
        {"address": 4608, "size": 512, "requested_size": 512, "state": "active_allocated", "frames": []},
        {"address": 5120, "size": 7168, "requested_size": 0, "state": "inactive", "frames": []}]}], "device_traces": [[]]}"#;
    std::fs::write(&file, snapshot).expect("written");
    let counters = r#"{"memory_allocated": 1024, "max_memory_allocated": 4096, "memory_reserved": [8192], "limit": 65536}"#;
    std::fs::write(folder.join("a.json.counters.json"), counters).expect("written");
    assert_eq!(convert(&file, &["-o", &database.to_string_lossy()]).code, 0);
    for command in ["overview", "all"] {
        assert_eq!(answer(command, &file), answer(command, &database), "{command}");
    }
    let told = run(["overview".as_ref(), database.as_os_str(), "--json".as_ref()]).out;
    assert!(told.contains("4096"), "{told}");
    for (table, frames) in [("block", "a.py:1:f\nb.py:2:g"), ("segment", "s.py:3:h\nt.py:4:i")] {
        let query = format!("SELECT {table}_id, forward_frames FROM {table}_details");
        let rows = sql(&database, &query, &["--json"]).json();
        assert_eq!(rows[0]["rows"], serde_json::json!([[1, frames]]));
    }
    let pickle = |of: &Path, name: &str| {
        let target = folder.join(name);
        assert_eq!(convert(of, &["--pickle", &target.to_string_lossy()]).code, 0);
        std::fs::read(target).expect("written")
    };
    assert!(pickle(&file, "source.pickle") == pickle(&database, "database.pickle"));
    // Counters that cannot be read are told, and the rest is there.
    let mut bytes = std::fs::read(&database).expect("written");
    let text = b"{\"memory_allocated\":";
    let at = bytes.windows(text.len()).position(|part| part == text).expect("the counters");
    bytes[at] = b'?';
    let damaged = folder.join("damaged.db");
    std::fs::write(&damaged, bytes).expect("written");
    let told = run(["overview".as_ref(), damaged.as_os_str()]);
    assert!(
        told.code == 0 && told.out.contains("the counters in the database cannot be read"),
        "{}",
        told.out
    );
}

#[test]
fn an_empty_snapshot_is_a_database_too() {
    let folder = scratch("database_empty");
    let file = folder.join("empty.json");
    std::fs::write(&file, r#"{"segments": [], "device_traces": [[], []]}"#).expect("written");
    let ran = convert(&file, &[]);
    assert_eq!(
        (ran.code, names(&folder)),
        (0, vec!["empty.db".to_owned(), "empty.json".to_owned()]),
        "{}",
        ran.err
    );
    let database = folder.join("empty.db");
    assert_eq!(sql(&database, "PRAGMA integrity_check", &["--csv"]).out, "integrity_check\nok\n");
    assert_eq!(sql(&database, "SELECT device_index FROM devices", &["--csv"]).out, "device_index\n0\n1\n");
    assert_eq!(sql(&database, "SELECT COUNT(*) AS n FROM traces", &["--csv"]).out, "n\n0\n");
    for view in
        ["device_overview", "block_state_dist", "segment_type_dist", "expansion_timeline", "top_allocations"]
    {
        assert_eq!(sql(&database, &format!("SELECT * FROM {view}"), &[]).code, 0, "{view}");
    }
    assert_eq!(run(["overview".as_ref(), database.as_os_str()]).code, 0);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let file = tiny::write("database_failure");
    let folder = file.parent().expect("a folder").to_owned();
    let broken = folder.join("broken.pickle");
    std::fs::write(&broken, b"\x80\x04not a pickle").expect("written");
    assert_eq!(convert(&broken, &[]).code, 1);
    assert_eq!(convert(&folder.join("missing.pickle"), &[]).code, 1);
    let nowhere = folder.join("no/such/folder.db");
    assert_eq!(convert(&file, &["-o", &nowhere.to_string_lossy()]).code, 1);
    // Over itself it would be gone.
    let ran = convert(&file, &["-o", &file.to_string_lossy()]);
    assert_eq!((ran.code, ran.err.contains("itself")), (1, true), "{}", ran.err);
    assert_eq!(names(&folder), ["broken.pickle", "tiny.json"]);
    // What was there before stays when the disk is full.
    if cfg!(unix) {
        let target = folder.join("tiny.db");
        std::fs::write(&target, "before").expect("written");
        let script = "trap '' XFSZ; ulimit -f 20; exec \"$0\" convert \"$1\"";
        let mut shell = std::process::Command::new("sh");
        let ran = finish(shell.args(["-c", script, env!("CARGO_BIN_EXE_hbmlens")]).arg(&file));
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        assert_eq!(std::fs::read_to_string(&target).expect("there"), "before");
        assert_eq!(names(&folder), ["broken.pickle", "tiny.db", "tiny.json"]);
    }
}

#[test]
fn sql_answers_about_a_file_and_changes_nothing() {
    let file = tiny::write("database_sql");
    let folder = file.parent().expect("a folder").to_owned();
    let before = std::fs::read(&file).expect("there");
    assert_eq!(convert(&file, &[]).code, 0);
    let database = folder.join("tiny.db");
    let image = std::fs::read(&database).expect("there");
    for input in [&file, &database] {
        let ran = sql(input, "SELECT COUNT(*) AS n, SUM(size) AS bytes FROM blocks", &["--json"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let answer = &ran.json()[0];
        assert_valid("sql", answer);
        assert_eq!(answer["schema"], "hbmlens.sql/1");
        assert_eq!(answer["columns"], serde_json::json!(["n", "bytes"]));
        let overview = run(["overview".as_ref(), file.as_os_str(), "--json".as_ref()]).json().remove(0);
        let blocks: i64 = overview["devices"]
            .as_array()
            .expect("devices")
            .iter()
            .filter_map(|d| d["blocks"].as_i64())
            .sum();
        assert_eq!(answer["rows"][0][0], blocks);
        for statement in [
            "DELETE FROM blocks",
            "CREATE TEMP TABLE t AS SELECT 1",
            "ATTACH 'stray.db' AS stray",
            "VACUUM INTO 'stray.db'",
            "PRAGMA query_only = OFF",
            "PRAGMA journal_mode = WAL",
        ] {
            let ran = finish(program().current_dir(&folder).args([
                "sql".as_ref(),
                input.as_os_str(),
                statement.as_ref(),
            ]));
            assert_eq!(ran.code, 1, "{statement}: {}{}", ran.out, ran.err);
        }
    }
    assert_eq!(names(&folder), ["tiny.db", "tiny.json"]);
    assert!(
        before == std::fs::read(&file).expect("there") && image == std::fs::read(&database).expect("there")
    );
}

#[test]
fn an_error_in_sql_is_told_with_its_place() {
    let file = tiny::write("database_sql_errors");
    let folder = file.parent().expect("a folder").to_owned();
    let query = "SELECT id,\n  adress FROM blocks";
    let ran = sql(&file, query, &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("no such column: adress") && ran.err.contains("\n    adress FROM blocks\n    ^"),
        "{}",
        ran.err
    );
    let ran = sql(&file, "SELECT * FORM blocks", &["--json"]);
    let error = &ran.json()[0]["error"];
    assert_eq!(
        (error["kind"].as_str(), &error["position"]["byte"]),
        (Some("sql"), &serde_json::json!(9)),
        "{error}"
    );
    assert_eq!(sql(&folder.join("none.db"), "SELECT 1", &[]).code, 1);
    std::fs::write(folder.join("cut.db"), b"SQLite format 3\0 and no more").expect("written");
    assert_eq!(sql(&folder.join("cut.db"), "SELECT 1", &[]).code, 1);
    assert_eq!(run(["overview".as_ref(), folder.join("cut.db").as_os_str()]).code, 1);
}

#[test]
fn two_files_are_asked_together() {
    let file = tiny::write("database_attach");
    let folder = file.parent().expect("a folder").to_owned();
    assert_eq!(convert(&file, &[]).code, 0);
    let query = "SELECT (SELECT SUM(size) FROM blocks) - (SELECT SUM(size) FROM ref.blocks) AS more";
    for other in ["tiny.json", "tiny.db"] {
        let attach = format!("ref={}", folder.join(other).display());
        let ran = sql(&file, query, &["--attach", &attach, "--csv"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "more\n0\n"), "{}", ran.err);
    }
}

#[test]
fn a_profiler_run_becomes_a_database_and_comes_back() {
    let Some(shared) = shared() else { return };
    let folder = scratch("database_run");
    let run_folder = shared.join("data/profiler/actor/20260526_085155_ascend_pt");
    let target = folder.join("run.db");
    assert_eq!(convert(&run_folder, &["-o", &target.to_string_lossy()]).code, 0);
    assert_eq!(sql(&target, "PRAGMA integrity_check", &["--csv"]).out, "integrity_check\nok\n");
    let ops = |path: &Path| {
        run(["ops".as_ref(), path.as_os_str(), "--json".as_ref(), "--top".as_ref(), "0".as_ref()])
            .json()
            .remove(0)
    };
    let (source, database) = (ops(&run_folder), ops(&target));
    for key in [
        "role",
        "rank",
        "peak_mb",
        "peak_ns",
        "unreleased_bytes",
        "unreleased_count",
        "matches",
        "rows",
        "components",
    ] {
        assert_eq!(source["ranks"][0][key], database["ranks"][0][key], "{key}");
    }
    assert!(source["ranks"][0]["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    // Without a command, too.
    assert_eq!(run(["overview".as_ref(), target.as_os_str()]).code, 0);
}

#[test]
fn a_database_of_the_ascend_profiler_is_read_like_its_folder() {
    let Some(shared) = shared() else { return };
    let file = shared.join("data/other/ascend_pytorch_profiler_0.db");
    let args = ["ops".as_ref(), file.as_os_str(), "--json".as_ref(), "--top".as_ref(), "0".as_ref()];
    let ran = run(args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rank = &ran.json()[0]["ranks"][0];
    let Some(told) = python("ascend_db.py", &[&file]) else { return };
    let told: Value = serde_json::from_str(&told).expect("JSON");
    for (key, value) in told.as_object().expect("an object") {
        assert_eq!(&rank[key], value, "{key}");
    }
    let rows = sql(&file, "SELECT COUNT(*) AS n FROM OP_MEMORY", &["--csv"]);
    assert_eq!(rows.out, format!("n\n{}\n", told["rows_total"]));
}
