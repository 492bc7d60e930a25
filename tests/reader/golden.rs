//! One reviewed dump an input; every way of writing and wrapping an input must give the same.

use crate::dump::dump;
use crate::encode::{STYLES, V, json, pickle};
use crate::{Dripping, gzipped, read, samples, shared, snapshot_of};
use std::io::Write;

fn zipped(bytes: &[u8], deflate: bool) -> Vec<u8> {
    let mut archive = zip_header("readme.bin", b"\0\x01\x02 nothing to see", false, false);
    archive.extend(zip_header("archive/data.pkl", bytes, deflate, deflate));
    archive.extend(b"PK\x01\x02 and a directory");
    archive
}

/// One member; with a trailer the header does not know the sizes.
fn zip_header(name: &str, bytes: &[u8], deflate: bool, trailer: bool) -> Vec<u8> {
    let data = if deflate {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    } else {
        bytes.to_vec()
    };
    let size = if trailer { 0 } else { data.len() as u32 };
    let mut out = b"PK\x03\x04\x14\0".to_vec();
    out.extend([if trailer { 8 } else { 0 }, 0, if deflate { 8 } else { 0 }, 0]);
    out.extend([0; 8]);
    out.extend(size.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend((name.len() as u16).to_le_bytes());
    out.extend([0, 0]);
    out.extend(name.bytes());
    out.extend(data);
    if trailer {
        out.extend(b"PK\x07\x08");
        out.extend([0; 12]);
    }
    out
}

/// A `trace_plot` page as `_memory_viz.py` writes it.
fn page(bytes: &[u8]) -> Vec<u8> {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!(
        "\n<!DOCTYPE html>\n<html><body><script type=\"module\">\nconst local_files = [{{\"name\": \"snapshot.pickle\", \
         \"base64\": \"{text}\"}}]\nadd_local_files(local_files, \"Active Memory Timeline\")\n</script></body></html>\n"
    )
    .into_bytes()
}

/// Reads the bytes plainly and in every wrapping; all must agree.
fn same_everywhere(bytes: &[u8], edge: usize) -> String {
    let expected = dump(&snapshot_of(bytes), edge);
    let halves = bytes.split_at(bytes.len() / 2);
    let members = [gzipped(halves.0), gzipped(halves.1)].concat();
    let wrapped = [
        ("gzip", gzipped(bytes)),
        ("gzip of two members", members),
        ("zip, stored", zipped(bytes, false)),
        ("zip, deflated", zipped(bytes, true)),
        ("gzip in zip", zipped(&gzipped(bytes), false)),
    ];
    for (name, wrapped) in wrapped {
        assert_eq!(dump(&snapshot_of(&wrapped), edge), expected, "{name}");
    }
    if bytes.first() != Some(&b'\n') {
        assert_eq!(dump(&snapshot_of(&page(bytes)), edge), expected, "page");
    }
    let dripping = read(Dripping(bytes, 100), None).unwrap();
    assert_eq!(dump(&dripping, edge), expected, "100 bytes at a time");
    expected
}

/// Every writer's pickle and the JSON of a value give one and the same dump.
fn same_for_every_writer(value: &V) -> String {
    let expected = same_everywhere(json(value).as_bytes(), 4);
    for style in STYLES {
        let bytes = pickle(value, style);
        assert_eq!(same_everywhere(&bytes, 4), expected, "{style:?}");
    }
    expected
}

#[test]
fn everything_torch_writes_today() {
    insta::assert_snapshot!(same_for_every_writer(&samples::modern()));
}

#[test]
fn a_list_of_segments_with_history() {
    insta::assert_snapshot!(same_for_every_writer(&samples::old_list()));
}

#[test]
fn torch_npu() {
    insta::assert_snapshot!(same_for_every_writer(&samples::npu()));
}

#[test]
fn odd_but_legal() {
    insta::assert_snapshot!(same_for_every_writer(&samples::odd()));
}

#[test]
fn more_than_one_batch() {
    insta::assert_snapshot!(same_for_every_writer(&samples::long(2345)));
}

/// Keys in another order change nothing but the order in which names are first seen.
#[test]
fn the_order_of_keys_does_not_matter() {
    fn reversed(value: V) -> V {
        match value {
            V::Dict(pairs) => {
                V::Dict(pairs.into_iter().rev().map(|(key, value)| (key, reversed(value))).collect())
            }
            V::List(items) => V::List(items.into_iter().map(reversed).collect()),
            other => other,
        }
    }
    for value in [samples::modern(), samples::npu(), samples::odd()] {
        let turned = reversed(value.clone());
        let plain = |value: &V| {
            let dump = dump(&snapshot_of(&pickle(value, crate::encode::Style::Python(4))), 4);
            let mut lines: Vec<String> = dump.lines().map(str::to_owned).collect();
            lines.retain(|line| !line.starts_with("setting") && !line.contains("internal"));
            lines
        };
        assert_eq!(plain(&turned), plain(&value));
    }
}

#[test]
fn files_of_other_programs() {
    let Some(folder) = shared() else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder.join("data/snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.push(folder.join("data/other/trace_plot_page.html"));
    files.sort();
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        insta::assert_snapshot!(name, same_everywhere(&bytes, 2));
    }
}
