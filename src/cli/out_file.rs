//! Files and folders that a command writes: whole, or not at all.

use crate::cli::aside::Aside;
use crate::cli::error::{Failure, Stop};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let aside = Aside::of(path);
    let write = || {
        let mut sink = BufWriter::with_capacity(1 << 18, File::create(aside.path())?);
        fill(&mut sink)?;
        sink.into_inner().map_err(io::IntoInnerError::into_error)?;
        aside.settle()
    };
    write().map_err(|error| unwritable(path, &error))
}

/// Writes a file whose beginning is written last; returns its bytes.
pub fn write_seekable(path: &Path, fill: impl FnOnce(File) -> Result<File, Stop>) -> Result<u64, Stop> {
    let failed = |error: io::Error| Stop::from(unwritable(path, &error));
    let aside = Aside::of(path);
    let file = fill(File::create(aside.path()).map_err(failed)?)?;
    let bytes = file.metadata().map_err(failed)?.len();
    drop(file);
    aside.settle().map_err(failed)?;
    Ok(bytes)
}

/// Makes a folder of files, in the place of one that may be there; returns what `fill` does.
pub fn write_folder(folder: &Path, fill: impl FnOnce(&Path) -> Result<u64, Stop>) -> Result<u64, Stop> {
    let failed = |error: io::Error| Stop::from(unwritable(folder, &error));
    let mut aside = Aside::of(folder);
    aside.make_folder().map_err(failed)?;
    let bytes = fill(aside.path())?;
    aside.settle().map_err(failed)?;
    Ok(bytes)
}

/// Makes files aside and moves each into a folder that may hold others; returns what `fill` does.
pub fn write_into(folder: &Path, fill: impl FnOnce(&Path) -> Result<u64, Stop>) -> Result<u64, Stop> {
    let failed = |error: io::Error| Stop::from(unwritable(folder, &error));
    let mut aside = Aside::of(&folder.join("tables"));
    aside.make_folder().map_err(failed)?;
    let bytes = fill(aside.path())?;
    aside.settle_each().map_err(failed)?;
    Ok(bytes)
}

pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new("io", format!("{} could not be written: {error}", path.display()))
}
