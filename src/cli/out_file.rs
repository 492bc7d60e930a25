//! Files that a command writes: whole, or not at all.

use crate::cli::error::{Failure, Stop};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a file is written until it is whole: beside its place, hidden, so that a program that is killed
/// leaves nothing that looks like a result. What killed ones left of the same file is removed.
fn part_of(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    remove_leftovers(path, &name.to_string_lossy());
    name.push(format!("{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Parts whose process is gone; where that cannot be told, they stay.
fn remove_leftovers(path: &Path, prefix: &str) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(".part"));
        let process = process.filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        if process.is_some_and(|id| !processes.join(id).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file beside its place and moves it there once it is complete, so that neither a failure nor a
/// reader of the same path meets half a file.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let part = part_of(path);
    let written = (|| {
        let mut sink = BufWriter::with_capacity(1 << 18, File::create(&part)?);
        fill(&mut sink)?;
        sink.into_inner().map_err(io::IntoInnerError::into_error)?;
        fs::rename(&part, path)
    })();
    written.map_err(|e| {
        // Where it was never made there is nothing to remove.
        let _ = fs::remove_file(&part);
        Failure::new("io", format!("{} could not be written: {e}", path.display()))
    })
}

/// The same for a file whose beginning is written last; returns its bytes.
pub fn write_seekable(
    path: &Path,
    fill: impl FnOnce(BufWriter<File>) -> Result<BufWriter<File>, Stop>,
) -> Result<u64, Stop> {
    let unwritable =
        |e: io::Error| Failure::new("io", format!("{} could not be written: {e}", path.display()));
    let part = part_of(path);
    let written = (|| {
        let file = File::create(&part).map_err(unwritable)?;
        let sink = fill(BufWriter::with_capacity(1 << 20, file))?;
        let file = sink.into_inner().map_err(|e| unwritable(e.into_error()))?;
        let bytes = file.metadata().map_err(unwritable)?.len();
        fs::rename(&part, path).map_err(unwritable)?;
        Ok(bytes)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_program_left_is_removed_by_the_next() {
        let folder = std::env::temp_dir().join(format!("hbmlens-parts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        // No process has such a number.
        let names =
            [".run.db.4294967295.part", ".other.db.4294967295.part", ".run.db.x.part", "run.db.7.part"];
        names.iter().for_each(|name| fs::write(folder.join(name), "half").unwrap());
        write_file(&folder.join("run.db"), |sink| sink.write_all(b"whole")).unwrap();
        let mut left: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        let gone = Path::new("/proc/self").exists();
        let wanted = [
            ".other.db.4294967295.part",
            ".run.db.4294967295.part",
            ".run.db.x.part",
            "run.db",
            "run.db.7.part",
        ];
        let wanted: Vec<&str> = wanted.into_iter().filter(|name| !(gone && *name == names[0])).collect();
        assert_eq!(left, wanted);
        fs::remove_dir_all(&folder).unwrap();
    }
}
