//! Reading snapshots: every shape, every writer, every kind of damage.
//!
//! The allocator of this test binary counts what each thread holds, so that the tests of hostile files
//! can say how much memory reading them took.

mod differential;
mod dump;
mod encode;
mod filters;
mod golden;
mod hostile;
mod memory;
mod messages;
mod samples;
mod truncated;

use hbmlens::format::{self, Document, ReadOptions};
use hbmlens::model::Snapshot;
use std::io::Read;
use std::path::PathBuf;

/// Reads a snapshot that must be one.
fn snapshot_of(bytes: &[u8]) -> Snapshot {
    read(bytes, Some(bytes.len() as u64)).expect("a snapshot")
}

fn read(source: impl Read, len: Option<u64>) -> format::Result<Snapshot> {
    read_with(source, &ReadOptions { len, ..ReadOptions::default() })
}

fn read_with(source: impl Read, options: &ReadOptions) -> format::Result<Snapshot> {
    match format::open(source, options, &mut |_| {})? {
        Document::Snapshot(snapshot) => Ok(*snapshot),
        other => panic!("not a snapshot: {other:?}"),
    }
}

/// Gives at most so many bytes at a time.
struct Dripping<'a>(&'a [u8], usize);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.1).min(self.0.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

/// The folder of files made by other people's programs; `None` where there is none.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if folder.join("data").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no folder {}", folder.display());
    None
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("written to memory");
    encoder.finish().expect("written to memory")
}
