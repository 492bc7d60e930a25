//! Where the real files are, if they are.

use std::path::PathBuf;

/// `path` under the folder of shared files; `None` (with a line on stderr) where there is none.
pub fn shared(path: &str) -> Option<PathBuf> {
    let base = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let file = base.join(path);
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: {} is not here", file.display());
    None
}
