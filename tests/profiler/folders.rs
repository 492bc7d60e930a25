//! Reads folders from disk as the terminal does.

use hbmlens::analysis::ops::LifeEnd;
use hbmlens::analysis::ops::report::Analysed;
use hbmlens::format::profiler::folder::{add_document, group_runs};
use hbmlens::format::{ReadOptions, open};
use std::path::{Path, PathBuf};

/// Every file under `folder`, as paths that begin with the folder's own name.
fn files_under(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files_under(&entry, out) } else { out.push(entry) }
    }
}

/// All runs under a folder.
pub fn analyse(folder: &Path) -> Vec<Analysed> {
    let mut files = Vec::new();
    files_under(folder, &mut files);
    let names: Vec<String> = files.iter().map(|f| f.to_string_lossy().into_owned()).collect();
    group_runs(&names, |i| std::fs::read(&files[i]))
        .iter()
        .map(|group| {
            let mut run = group.start();
            for i in group.to_open() {
                let file = std::fs::File::open(&files[i]).unwrap();
                let document = open(file, &ReadOptions::default(), &mut |_| ()).unwrap();
                assert!(add_document(&mut run, document).is_none());
            }
            Analysed::new(run, LifeEnd::Release)
        })
        .collect()
}
