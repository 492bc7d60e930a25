//! Files that a command writes: whole, or not at all.

use crate::cli::error::{Failure, Stop};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and moves it there once it is complete, so that neither a failure nor a
/// reader of the same path meets half a file.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = path.with_file_name(name);
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
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = path.with_file_name(name);
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
