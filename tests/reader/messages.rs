//! Files that are no snapshots: the message says what they are and what to do.

use crate::{read, shared};
use hbmlens::format::{ErrorKind, ReadOptions, open, pickle_to_json};
use std::io::{self, Read};

fn message(bytes: &[u8]) -> (ErrorKind, String) {
    let error = read(bytes, Some(bytes.len() as u64)).expect_err("no snapshot");
    assert!(error.hint.is_some(), "no hint: {error}");
    (error.kind, error.to_string())
}

#[test]
fn what_it_looks_like_is_said() {
    let cases: [(&[u8], ErrorKind, &str); 9] = [
        (b"", ErrorKind::Truncated, "empty"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
            ErrorKind::Unexpected,
            "Git LFS",
        ),
        (b"hello world\n", ErrorKind::UnknownFormat, "no known format"),
        (b"\x7fELF\x02\x01\x01", ErrorKind::UnknownFormat, "ELF"),
        (b"\x28\xb5\x2f\xfd\0\0", ErrorKind::UnknownFormat, "Zstandard"),
        (b"<!DOCTYPE html><html><body>hello</body></html>", ErrorKind::UnknownFormat, "web page"),
        (b"PK\x05\x06\0\0\0\0\0\0", ErrorKind::UnknownFormat, "zip"),
        (
            b"\x80\x04}\x94(X\x05\0\0\0modelK\x01X\x05\0\0\0optimK\x02u.",
            ErrorKind::Unexpected,
            "model, optim",
        ),
        (b"{\"segments\": 7, \"x\": \"action\"}", ErrorKind::Unexpected, ""),
    ];
    for (bytes, kind, word) in cases {
        if word.is_empty() {
            // Nothing in it, but a snapshot's keys: an empty snapshot.
            assert!(read(bytes, None).is_ok());
            continue;
        }
        let (found, text) = message(bytes);
        assert_eq!(found, kind, "{text}");
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_damaged_pickle_names_the_byte() {
    let (kind, text) = message(b"\x80\x04}\x94(X\x08\0\0\0segments\xffu.");
    assert_eq!(kind, ErrorKind::Malformed);
    assert!(text.contains("0xff") && text.contains("byte 18"), "{text}");
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "no"))
    }
}

#[test]
fn a_file_that_cannot_be_read() {
    let error = open(Failing, &ReadOptions::default(), &mut |_| {}).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Io);
    assert!(error.source.is_some());
}

#[test]
fn progress_counts_the_bytes_of_the_file() {
    let bytes = crate::encode::pickle(&crate::samples::long(3000), crate::encode::Style::Cpp);
    for file in [bytes.clone(), crate::gzipped(&bytes)] {
        let mut seen = Vec::new();
        let options = ReadOptions { len: Some(file.len() as u64), ..ReadOptions::default() };
        open(&file[..], &options, &mut |at| seen.push(at)).unwrap();
        assert!(seen.is_sorted());
        assert_eq!(seen.last(), Some(&(file.len() as u64)));
    }
}

#[test]
fn odd_files_of_other_programs() {
    let Some(folder) = shared() else { return };
    let bytes = std::fs::read(folder.join("data/other/git_lfs_pointer.pickle")).unwrap();
    let (kind, text) = message(&bytes);
    assert_eq!(kind, ErrorKind::Unexpected);
    assert!(text.contains("Git LFS"), "{text}");
    assert!(pickle_to_json(&bytes[..], None, 100).is_err());
}
