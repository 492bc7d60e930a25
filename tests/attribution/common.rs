//! Reading files, attributing them, and making files with the script beside them.

use hbmlens::analysis::attribution::{Attributed, Attribution, Category, StackClasses, UserRules};
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Device, LifeId, Snapshot};
use hbmlens::replay::Replay;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the real files are; `None`, with a line on stderr, where they are not.
pub fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if path.join("data/snapshots").is_dir() {
        return Some(path);
    }
    eprintln!("left out: no files at {}", path.display());
    None
}

/// The snapshot in a file.
pub fn read(path: &Path) -> Snapshot {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    match open(file, &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        Ok(_) => panic!("{}: not a snapshot", path.display()),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// A real snapshot by name.
pub fn real(shared: &Path, name: &str) -> Snapshot {
    read(&shared.join("data/snapshots").join(name))
}

/// Runs the script that makes snapshots; `None` where there is no Python. The file is gone with the guard.
pub fn made(shared: &Path, name: &str, options: &[&str]) -> Option<(Snapshot, serde_json::Value)> {
    let folder = std::env::temp_dir().join(format!("hbmlens-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let file = folder.join("made.pickle");
    let outcome =
        Command::new("python3").arg(shared.join("tools/make_snapshot.py")).arg(&file).args(options).output();
    let made = match outcome {
        Ok(output) if output.status.success() => {
            let truth = std::fs::read_to_string(folder.join("made.pickle.truth.json")).unwrap_or_default();
            Some((read(&file), serde_json::from_str(&truth).unwrap_or_default()))
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            eprintln!("left out: python3 does not run ({error})");
            None
        }
    };
    let _ = std::fs::remove_dir_all(&folder);
    made
}

/// A device with its replay and attribution, owned.
pub struct Owned {
    pub snapshot: Snapshot,
    pub replay: Replay,
    pub classes: StackClasses,
    pub attribution: Attribution,
}

impl Owned {
    pub fn new(snapshot: Snapshot, device: Device) -> Owned {
        let classes = StackClasses::new(&snapshot, UserRules::default());
        let replay = Replay::new(&snapshot, device);
        let attribution = Attribution::new(&snapshot, &replay, &classes);
        Owned { snapshot, replay, classes, attribution }
    }

    pub fn memory(&self) -> Attributed<'_> {
        Attributed {
            snapshot: &self.snapshot,
            replay: &self.replay,
            classes: &self.classes,
            attribution: &self.attribution,
        }
    }

    /// Lives alive at the peak.
    pub fn at_peak(&self) -> Vec<LifeId> {
        self.replay.lives.live(self.replay.peak().state())
    }

    /// Bytes of the lives at the peak that fit.
    pub fn bytes_at_peak(&self, fits: impl Fn(LifeId) -> bool) -> u64 {
        self.at_peak().into_iter().filter(|&life| fits(life)).map(|life| self.replay.lives.size(life).0).sum()
    }

    /// Bytes at the peak in one category, without and with inference.
    pub fn category_at_peak(&self, category: Category) -> (u64, u64) {
        (
            self.bytes_at_peak(|life| self.attribution.plain_category(life) == category),
            self.bytes_at_peak(|life| self.attribution.category(life) == category),
        )
    }
}
