//! Writes the bundled samples: the snapshot of a small training run in which a buffer leaks, and that run's
//! profiler folders.
//!
//! `cargo run --features simulate --example make_sample -- FOLDER`. The same bytes every time.

use hbmlens::simulate;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: make_sample FOLDER");
        std::process::exit(1);
    };
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("snapshot.pickle"), simulate::sample())?;
    for (path, content) in simulate::profile::profile_folders() {
        let path = folder.join("profiler").join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, content)?;
    }
    Ok(())
}
