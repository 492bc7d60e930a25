//! The Spark job on 64 simulated ranks of a training run, a series of snapshots and profiler folders.
//!
//! What it must give is in tests/cluster; this makes its input and runs it, where PySpark and Java are there.

use crate::run::Folder;
use hbmlens::simulate::profile::profile_folders;
use hbmlens::simulate::{Config, Layout, MIB, Training, pickle_cpython, snapshot};
use std::path::Path;
use std::process::{Command, Stdio};

const RANKS: u64 = 64;
/// The rank that keeps something.
const ODD: u64 = 17;

fn has(command: &str, args: &[&str]) -> bool {
    let ran = Command::new(command).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

fn write(path: &Path, training: &Training, config: Config) {
    let layout = Layout::of(config.backend);
    let run = training.run(config);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, pickle_cpython::write(&snapshot(&[&run], &layout), 4)).expect("written");
}

#[test]
fn spark_makes_one_dataset_with_the_figures_of_ranks() {
    if !has("python3", &["-c", "import pyspark"]) || !has("java", &["-version"]) {
        eprintln!("skipped: no PySpark, or no Java");
        return;
    }
    let dumps = Folder::new("spark");
    let small = Training { layers: 2, hidden: 64, sequence: 64, vocabulary: 1024, ..Training::default() };
    for rank in 0..RANKS {
        let training = Training {
            vocabulary: 1024 + rank % 5,
            leak: if rank == ODD { 2 * MIB } else { 0 },
            ..small.clone()
        };
        let config = Config { seed: rank + 1, ..Config::default() };
        write(&dumps.file(&format!("ranks/mem_rank{rank}.pickle")), &training, config);
    }
    for steps in [4, 8, 12] {
        let training = Training { steps, leak: MIB, cache: MIB / 2, ..small.clone() };
        write(&dumps.file(&format!("series/mem_rank5_step{steps}.pickle")), &training, Config::default());
    }
    for (path, content) in profile_folders() {
        let path = dumps.file("profile").join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, content).expect("written");
    }
    let ran = Command::new("python3")
        .args(["-m", "unittest", "discover", "-s", "tests/cluster"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("HBMLENS_PROGRAM", env!("CARGO_BIN_EXE_hbmlens"))
        .env("HBMLENS_DUMPS", dumps.file("."))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 runs");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && told.contains("OK") && !told.contains("skipped"), "{told}");
}
