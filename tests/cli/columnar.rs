//! Parquet and CSV: every row against the database of the same file and sums against the file itself, by
//! DuckDB's, SQLite's and Python's own means; folders by rank, and nothing left behind by a failure.

use crate::schema::assert_valid;
use crate::support::{Ran, finish, python, run, scratch, shared, snapshots};
use crate::tiny;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

fn convert(input: &Path, more: &[&OsStr]) -> Ran {
    let mut args = vec![OsStr::new("convert"), input.as_os_str()];
    args.extend(more);
    run(args)
}

/// All files below a folder, with the folders between.
fn names(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Snapshots named as ranks of one job: real ones where there are any, and one with addresses beyond 2^63.
fn dumps(test: &str) -> (PathBuf, Vec<PathBuf>) {
    let folder = scratch(test).join("dumps");
    std::fs::create_dir(&folder).expect("made");
    let mut files: Vec<PathBuf> = shared().map(|shared| snapshots(&shared)).unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "pickle" || ending == "pkl"));
    let tiny = tiny::write_with_oom(&format!("{test}_tiny"));
    let mut snapshot = serde_json::from_str(&std::fs::read_to_string(&tiny).expect("there")).expect("JSON");
    lift(&mut snapshot);
    std::fs::write(&tiny, snapshot.to_string()).expect("written");
    files.push(tiny);
    let ranks = files.iter().enumerate().map(|(rank, file)| {
        let ending = file.extension().expect("an ending").to_string_lossy();
        let named = folder.join(format!("mem_rank{rank}.{ending}"));
        std::fs::copy(file, &named).expect("copied");
        named
    });
    let ranks = ranks.collect();
    (folder, ranks)
}

/// Moves every address by 2^63.
fn lift(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(lift),
        Value::Object(entries) => {
            for (key, inner) in entries {
                match inner.as_u64().filter(|_| key.starts_with("addr")) {
                    Some(address) => *inner = (address + (1 << 63)).into(),
                    None => lift(inner),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn parquet_folders_hold_what_the_databases_and_the_snapshots_do() {
    let (_, ranks) = dumps("columnar_parquet");
    let out = scratch("columnar_parquet_out");
    let mut args: Vec<&OsStr> = vec!["convert".as_ref()];
    args.extend(ranks.iter().map(|rank| rank.as_os_str()));
    args.extend(["--parquet".as_ref(), out.as_os_str(), "--json".as_ref()]);
    let ran = run(args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let told = ran.json();
    assert_eq!(told.len(), ranks.len());
    for (rank, told) in told.iter().enumerate() {
        assert_valid("convert", told);
        let folder = out.join(format!("rank={rank}"));
        assert_eq!(told["written"][0]["path"], folder.to_string_lossy().as_ref());
        let files = names(&folder);
        let bytes = |name: &String| folder.join(name).metadata().expect("there").len();
        let parquet = files.iter().filter(|name| name.ends_with(".parquet"));
        assert_eq!(told["written"][0]["bytes"], parquet.map(bytes).sum::<u64>());
    }
    for rank in &ranks {
        assert_eq!(convert(rank, &["-o".as_ref(), rank.with_extension("db").as_os_str()]).code, 0);
    }
    let folders: Vec<PathBuf> = (0..ranks.len()).map(|rank| out.join(format!("rank={rank}"))).collect();
    for (folder, rank) in folders.iter().zip(&ranks) {
        let Some(said) = python("parquet.py", &[folder, &rank.with_extension("db"), rank]) else { return };
        if said.starts_with("skipped: ") {
            return eprint!("{said}");
        }
        assert!(said.starts_with("the same: "), "{said}");
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/columnar.md");
    let mut args = vec![docs.as_path(), out.as_path()];
    args.extend(ranks.iter().map(PathBuf::as_path));
    let said = python("duckdb_docs.py", &args).expect("python3 was there");
    assert!(said.starts_with("the same: "), "{said}");
}

#[test]
fn csv_files_hold_what_the_database_does() {
    let (_, ranks) = dumps("columnar_csv");
    for rank in &ranks {
        let (database, out) = (rank.with_extension("db"), rank.with_extension("csv"));
        let args: [&OsStr; 5] =
            ["-o".as_ref(), database.as_os_str(), "--csv".as_ref(), out.as_os_str(), "--json".as_ref()];
        let ran = convert(rank, &args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert_valid("convert", &ran.json()[0]);
        assert_eq!(names(&out).len(), hbmlens::export::tables::TABLES.len());
        let Some(said) = python("csv_tables.py", &[&database, &out]) else { return };
        assert!(said.starts_with("the same: "), "{said}");
    }
}

#[test]
fn a_profiler_run_becomes_a_folder_and_csv_files() {
    let Some(shared) = shared() else { return };
    let input = shared.join("data/profiler/actor/20260526_085155_ascend_pt");
    let folder = scratch("columnar_run");
    let (out, csv, database) = (folder.join("out"), folder.join("csv"), folder.join("run.db"));
    let args: [&OsStr; 6] = [
        "--parquet".as_ref(),
        out.as_os_str(),
        "--csv".as_ref(),
        csv.as_os_str(),
        "-o".as_ref(),
        database.as_os_str(),
    ];
    let ran = convert(&input, &args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(python("csv_tables.py", &[&database, &csv]).is_none_or(|said| said.starts_with("the same: ")));
    let made = names(&out);
    let partition = made[0].rsplit_once('/').expect("a folder").0;
    assert!(partition.starts_with("role=actor/rank="), "{partition}");
    // The tables, and where they come from.
    assert_eq!(made.len(), hbmlens::export::tables::TABLES.len() + 1, "{made:?}");
    if let Some(said) = python("parquet.py", &[&out.join(partition), &database]) {
        assert!(said.starts_with("skipped: ") || said.starts_with("the same: "), "{said}");
    }
}

#[test]
fn folders_are_named_by_role_step_and_rank() {
    let file = tiny::write("columnar_names");
    let folder = file.parent().expect("a folder").to_owned();
    let copies = |names: &[&str]| {
        let dumps = folder.join("dumps");
        let _ = std::fs::remove_dir_all(&dumps);
        for name in names {
            let path = dumps.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::copy(&file, path).expect("copied");
        }
        std::fs::write(dumps.join("notes.txt"), "no snapshot").expect("written");
        let out = folder.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let ran = convert(&dumps, &["--parquet".as_ref(), out.as_os_str()]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let mut found = names_of_folders(&out);
        found.sort();
        found
    };
    assert_eq!(copies(&["rank0.json", "rank1.json"]), ["rank=0", "rank=1"]);
    assert_eq!(
        copies(&["actor/rank0.json", "critic/rank0.json"]),
        ["role=actor/rank=0", "role=critic/rank=0"]
    );
    assert_eq!(copies(&["rank0_step5.json", "rank0_step10.json"]), ["step=10/rank=0", "step=5/rank=0"]);
    assert_eq!(copies(&["a/rank3.json", "b/rank3.json"]), ["role=a/rank=3", "role=b/rank=3"]);
}

/// Folders with tables in them.
fn names_of_folders(out: &Path) -> Vec<String> {
    let tables =
        names(out).into_iter().filter_map(|name| name.strip_suffix("/traces.parquet").map(str::to_owned));
    tables.collect()
}

#[test]
fn one_rank_is_never_written_over_another() {
    let first = tiny::write("columnar_ranks");
    let folder = first.parent().expect("a folder").to_owned();
    let second = folder.join("second.json");
    std::fs::copy(&first, &second).expect("copied");
    let out = folder.join("out");
    let to = [OsStr::new("--parquet"), out.as_os_str()];
    assert_eq!(convert(&first, &to).code, 0);
    // The same once more.
    assert_eq!(convert(&first, &to).code, 0);
    let ran = convert(&second, &to);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("tiny.json") && ran.err.contains("--rank"), "{}", ran.err);
    assert_eq!(convert(&second, &[to[0], to[1], "--rank".as_ref(), "7".as_ref()]).code, 0);
    assert_eq!(convert(&second, &[to[0], to[1], "--rank".as_ref(), "0".as_ref()]).code, 0);
    let mut found = names_of_folders(&out);
    found.sort();
    assert_eq!(found, ["rank=0", "rank=7"]);
    // A folder that is somebody's own stays.
    std::fs::create_dir(out.join("rank=9")).expect("made");
    std::fs::write(out.join("rank=9/notes.txt"), "mine").expect("written");
    assert_eq!(convert(&second, &[to[0], to[1], "--rank".as_ref(), "9".as_ref()]).code, 1);
    assert_eq!(names(&out.join("rank=9")), ["notes.txt"]);
    // Two files cannot have one rank, nor one folder of CSV files.
    for more in [["--csv", "x"], ["--trace", "x"]] {
        let args = [second.as_os_str(), to[0], to[1], more[0].as_ref(), more[1].as_ref()];
        assert_eq!(convert(&first, &args).code, 1);
    }
    assert_eq!(convert(&first, &[second.as_os_str(), to[0], to[1], "--rank".as_ref(), "1".as_ref()]).code, 1);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let file = tiny::write("columnar_failure");
    let folder = file.parent().expect("a folder").to_owned();
    for option in ["--parquet", "--csv"] {
        // A file cannot be a folder.
        let inside = file.join("out");
        assert_eq!(convert(&file, &[option.as_ref(), inside.as_os_str()]).code, 1);
        if cfg!(unix) {
            let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" convert \"$1\" \"$2\" \"$3\"";
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", script, env!("CARGO_BIN_EXE_hbmlens")]).arg(&file).arg(option);
            let ran = finish(shell.arg(folder.join("new/out")));
            assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
            assert!(ran.err.contains("could not be written"), "{}", ran.err);
        }
        let left: Vec<_> = std::fs::read_dir(&folder).expect("readable").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

/// A program that is killed leaves what looks like no result, and the next of the same result removes it.
#[test]
fn what_a_killed_program_left_is_removed() {
    if !Path::new("/proc/self").exists() {
        return;
    }
    let file = tiny::write("columnar_killed");
    let (ranks, tables) = (file.with_file_name("ranks"), file.with_file_name("tables"));
    // No process has such a number.
    let left = [
        (&ranks, ".rank=0.4294967295.part"),
        (&ranks, ".rank=0.4294967294.old"),
        (&ranks, ".rank=1.4294967295.part"),
        (&tables, ".tables.4294967295.part"),
    ];
    let to = [OsStr::new("--parquet"), ranks.as_os_str(), OsStr::new("--csv"), tables.as_os_str()];
    for _ in 0..2 {
        assert_eq!(convert(&file, &to).code, 0);
        for (folder, name) in &left {
            std::fs::create_dir_all(folder.join(name)).expect("made");
            std::fs::write(folder.join(name).join("traces.csv"), "half").expect("written");
        }
    }
    assert_eq!(convert(&file, &to).code, 0);
    let mut of_ranks = names(&ranks);
    of_ranks.retain(|name| !name.starts_with("rank=0/"));
    assert_eq!(of_ranks, [".rank=1.4294967295.part/traces.csv"]);
    let of_tables = names(&tables);
    assert!(of_tables.iter().all(|name| name.ends_with(".csv") && !name.contains('/')), "{of_tables:?}");
}
