//! Running the generator, the independent count and the program.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with real files and the generator; `None`, said once a test, where it is not there.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if folder.join("tools/make_snapshot.py").is_file() && has_python() {
        return Some(folder);
    }
    eprintln!("skipped: no generator here");
    None
}

pub fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success())
}

/// A folder for the files of one test, emptied when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("hbmlens-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A generated file and its truth, a list with one object for each device.
pub struct Generated {
    pub path: PathBuf,
    pub truth: Value,
}

/// Runs the generator with these options, separated by blanks.
pub fn generate(shared: &Path, folder: &Folder, options: &str) -> Generated {
    let name: String = options.chars().filter(|c| !c.is_whitespace()).collect();
    let path = folder.file(&format!("{name}.pickle"));
    let output = Command::new("python3")
        .arg(shared.join("tools/make_snapshot.py"))
        .arg(&path)
        .args(options.split_whitespace())
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    let truth = std::fs::read(format!("{}.truth.json", path.display())).expect("a truth file");
    Generated { path, truth: serde_json::from_slice(&truth).expect("the truth is JSON") }
}

/// What the program prints with `--json`.
pub fn program(arguments: &[&str], path: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_hbmlens"))
        .args(arguments)
        .arg(path)
        .arg("--json")
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{}: {error}\n{text}\n{}", path.display(), String::from_utf8_lossy(&output.stderr))
    })
}

/// The figures by the few lines of Python in `tests/reference`.
pub fn counted_in_python(path: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/overview.py");
    let output = Command::new("python3").arg(script).arg(path).output().expect("python3 runs");
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}
