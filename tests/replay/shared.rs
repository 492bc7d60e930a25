//! Where the shared data lies, if it is there at all; tests pass without it.

use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::Snapshot;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of shared data and tools.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("HBMLENS_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let found = named.into_iter().chain([beside]).find(|path| path.join("data").is_dir());
    if found.is_none() {
        eprintln!("skipped: no shared data");
    }
    found
}

/// Reads a snapshot.
pub fn read(path: &Path) -> Snapshot {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    match open(file, &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("{}: {other:?}", path.display()),
    }
}

/// Makes a snapshot with its truth; `None` without the generator or without Python.
pub fn generate(name: &str, options: &str) -> Option<(Snapshot, serde_json::Value)> {
    let tool = folder()?.join("tools/make_snapshot.py");
    let out = std::env::temp_dir().join(format!("hbmlens-replay-{}-{name}.pickle", std::process::id()));
    let made = Command::new("python3").arg(&tool).arg(&out).args(options.split_whitespace()).output();
    let Ok(made) = made else {
        eprintln!("skipped: no python3");
        return None;
    };
    assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
    let truth_path = PathBuf::from(format!("{}.truth.json", out.display()));
    let truth = std::fs::read_to_string(&truth_path).expect("the truth lies beside the snapshot");
    let snapshot = read(&out);
    let _ = std::fs::remove_file(out);
    let _ = std::fs::remove_file(truth_path);
    Some((snapshot, serde_json::from_str(&truth).expect("the truth is JSON")))
}
