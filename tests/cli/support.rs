//! Running the program, and finding real files where there are any.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the program left behind.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The program, in an environment that does not depend on the machine.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hbmlens"));
    for name in ["LC_ALL", "LC_MESSAGES", "LC_CTYPE"] {
        command.env_remove(name);
    }
    command.env("LANG", "en_US.UTF-8").stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub fn run<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    finish(program().args(args))
}

pub fn finish(command: &mut Command) -> Ran {
    let output = command.output().expect("the program starts");
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

impl Ran {
    /// The objects it printed, one a line.
    pub fn json(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }
}

/// The folder of real files; `None`, said once a test, where it is not there.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if folder.join("data/snapshots").is_dir() {
        Some(folder)
    } else {
        eprintln!("skipped: no real files here");
        None
    }
}

/// The real snapshots, sorted by name.
pub fn snapshots(shared: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(shared.join("data/snapshots"))
        .expect("the folder opens")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A folder of this test's own, empty at first.
pub fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder is made");
    folder
}

/// Runs Python on a script; `None` where there is none.
pub fn python(script: &str, args: &[&Path]) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli").join(script);
    let Ok(output) = Command::new("python3").arg(path).args(args).output() else {
        eprintln!("skipped: no python3");
        return None;
    };
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}
