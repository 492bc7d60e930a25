//! Files made to hurt: each ends within two seconds and 200 MB, with a result or a clear error.

use crate::encode::{Style, pickle};
use crate::memory::peak_of;
use crate::{gzipped, read, samples};
use hbmlens::format::{ErrorKind, Result};
use hbmlens::model::Snapshot;
use std::time::{Duration, Instant};

const LIMIT: usize = 200 << 20;

fn within_bounds(name: &str, bytes: &[u8]) -> Result<Snapshot> {
    let mut last = None;
    for len in [Some(bytes.len() as u64), None] {
        let start = Instant::now();
        let (result, peak) = peak_of(|| read(bytes, len));
        assert!(start.elapsed() < Duration::from_secs(2), "{name} took {:?}", start.elapsed());
        assert!(peak < LIMIT, "{name} took {peak} bytes");
        last = Some(result);
    }
    last.unwrap()
}

fn kind(result: Result<Snapshot>) -> ErrorKind {
    result.expect_err("an error").kind
}

/// `inner` inside a list twice, that list inside a list twice, and so on.
fn doubling(levels: usize) -> Vec<u8> {
    let mut out = b"]q\x00K\x01a".to_vec();
    for level in 0..levels as u8 {
        out.extend(b"0]");
        out.extend([b'q', level + 1, b'(', b'h', level, b'h', level, b'e']);
    }
    out
}

#[test]
fn a_billion_laughs() {
    let mut bytes = b"\x80\x02".to_vec();
    bytes.extend(doubling(100));
    bytes.push(b'.');
    assert_eq!(kind(within_bounds("doubling", &bytes)), ErrorKind::Unexpected);

    // The same where any value is taken: among the settings, as metadata, as frames.
    for key in ["allocator_settings", "segments", "device_traces", "external_annotations", "host_traces"] {
        let mut bytes = b"\x80\x04".to_vec();
        bytes.extend(doubling(100));
        bytes.extend(b"0}(X\x08\0\0\0segments]X");
        bytes.extend((key.len() as u32).to_le_bytes());
        bytes.extend(key.bytes());
        bytes.extend(b"h\x64u.");
        let _ = within_bounds(key, &bytes);
    }
    for key in ["frames", "user_metadata", "forward_frames", "addr", "action"] {
        let mut bytes = b"\x80\x04".to_vec();
        bytes.extend(doubling(100));
        bytes.extend(b"0}X\x0d\0\0\0device_traces](](}(X\x06\0\0\0action");
        bytes.extend(b"X\x05\0\0\0allocX");
        bytes.extend((key.len() as u32).to_le_bytes());
        bytes.extend(key.bytes());
        bytes.extend(b"h\x64ueees.");
        let snapshot = within_bounds(key, &bytes).expect("one event");
        assert_eq!(snapshot.events.len(), 1, "{key}");
    }
}

/// One trace of a thousand events in a hundred thousand places.
#[test]
fn shared_traces_are_not_expanded() {
    let mut bytes = b"\x80\x04}(X\x0d\0\0\0device_traces]q\x00(]q\x01(".to_vec();
    for _ in 0..1000 {
        bytes.extend(b"}(X\x06\0\0\0actionX\x05\0\0\0allocX\x04\0\0\0addrK\x01u");
    }
    bytes.push(b'e');
    for _ in 0..100_000 {
        bytes.extend(b"h\x01");
    }
    bytes.extend(b"eu.");
    let snapshot = within_bounds("shared traces", &bytes).expect("a snapshot");
    assert_eq!(snapshot.events.len(), 1000);
    assert_eq!(snapshot.traces.iter().map(|t| t.rows.len()).sum::<usize>(), 1000);
    assert!(snapshot.warnings.get("shared_rows").is_some());
}

#[test]
fn shared_lists_are_looked_at_once() {
    // A long list of frames that is no stack, and a long dict that is no entry, used over and over.
    let mut bytes = b"\x80\x04]q\x00(".to_vec();
    for _ in 0..20_000 {
        bytes.extend(b"}(X\x08\0\0\0filenameX\x01\0\0\0aX\x04\0\0\0lineK\x01u");
    }
    bytes.extend(b"Ne0}q\x01(");
    for key in 0..20_000_u32 {
        bytes.extend(b"X\x04\0\0\0");
        bytes.extend(format!("{key:04x}").bytes().take(4));
        bytes.push(b'N');
    }
    bytes.extend(b"u0](");
    for _ in 0..200_000 {
        bytes.extend(b"h\x00h\x01");
    }
    bytes.extend(b"e.");
    assert_eq!(kind(within_bounds("shared lists", &bytes)), ErrorKind::Unexpected);
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 200_000;
    let nested = |open: &[u8], close: &[u8]| {
        [b"\x80\x04", &open.repeat(DEPTH)[..], &close.repeat(DEPTH - 1), b"."].concat()
    };
    assert_eq!(kind(within_bounds("lists", &nested(b"]", b"a"))), ErrorKind::Unexpected);
    assert_eq!(kind(within_bounds("marked lists", &nested(b"](", b"e"))), ErrorKind::Unexpected);
    let mut tuples = b"\x80\x04N".to_vec();
    tuples.extend([0x85].repeat(300_000));
    tuples.push(b'.');
    assert_eq!(kind(within_bounds("tuples", &tuples)), ErrorKind::Unexpected);
    let mut dicts = b"\x80\x04".to_vec();
    dicts.extend(b"}X\x01\0\0\0a".repeat(DEPTH));
    dicts.push(b'N');
    dicts.extend(b"s".repeat(DEPTH));
    dicts.push(b'.');
    assert_eq!(kind(within_bounds("dicts", &dicts)), ErrorKind::Unexpected);
    assert!(within_bounds("JSON lists", "[".repeat(DEPTH).as_bytes()).is_err());
    assert!(within_bounds("JSON objects", "{\"a\":".repeat(DEPTH).as_bytes()).is_err());
    assert!(within_bounds("unclosed", &nested(b"](", b"")).is_err());
}

#[test]
fn lengths_beyond_the_file() {
    let huge = (1_u64 << 63).to_le_bytes();
    for opcode in [0x8d_u8, 0x8e, 0x96] {
        let bytes = [&b"\x80\x05"[..], &[opcode], &huge, b"abc."].concat();
        assert_eq!(kind(within_bounds("a length of 2^63", &bytes)), ErrorKind::Truncated);
        assert_eq!(kind(within_bounds("the same in gzip", &gzipped(&bytes))), ErrorKind::Truncated);
    }
    for opcode in [b'X', b'B', b'T', 0x8b] {
        for length in [u32::MAX, i32::MAX as u32] {
            let bytes = [&b"\x80\x05"[..], &[opcode], &length.to_le_bytes(), b"abc."].concat();
            assert!(within_bounds("a length of 2^32", &bytes).is_err());
        }
    }
    let frame = [&b"\x80\x04\x95"[..], &huge, b"]."].concat();
    assert_eq!(kind(within_bounds("a frame of 2^63", &frame)), ErrorKind::Unexpected);
}

#[test]
fn memo_numbers_far_away() {
    for put in
        [&b"r\xff\xff\xff\xff"[..], b"p4294967295\n", b"p18446744073709551615\n", b"p99999999999999999999\n"]
    {
        let bytes = [b"\x80\x02]", put, b"."].concat();
        assert!(within_bounds("a far memo number", &bytes).is_err());
    }
    // Places that lie ever further apart.
    let mut bytes = b"\x80\x02]".to_vec();
    for at in 0..60_000_u32 {
        bytes.push(b'r');
        bytes.extend((at * 65_536).to_le_bytes());
    }
    bytes.push(b'.');
    assert_eq!(kind(within_bounds("a sparse memo", &bytes)), ErrorKind::Unexpected);
    let far = b"\x80\x02K\x07r\xff\xff\xff\xff0]j\xff\xff\xff\xffa.";
    assert_eq!(hbmlens::format::pickle_to_json(&far[..], None, 100).unwrap(), "[7]");
}

#[test]
fn nothing_is_executed() {
    let marker = std::env::temp_dir().join(format!("hbmlens-executed-{}", std::process::id()));
    let command = format!("touch {}", marker.display());
    let mut bytes = b"cos\nsystem\n(S'".to_vec();
    bytes.extend(command.bytes());
    bytes.extend(b"'\ntR.");
    let error = within_bounds("os.system", &bytes).expect_err("no snapshot");
    assert!(error.message.contains("os.system"), "{error}");
    assert!(!marker.exists());

    // Beside good data the rest is read, and the warning names what was ignored.
    let good = pickle(&samples::npu(), Style::Bare);
    let mut bytes =
        b"\x80\x04}(X\x04\0\0\0evilcposix\nsystem\n(X\x02\0\0\0lstRX\x0d\0\0\0device_traces".to_vec();
    bytes.extend(
        b"](](}(X\x06\0\0\0actionX\x05\0\0\0allocX\x04\0\0\0addrcbuiltins\neval\n(X\x01\0\0\0ttRueeu.",
    );
    let snapshot = within_bounds("eval", &bytes).expect("one event");
    assert_eq!(snapshot.events.len(), 1);
    let warning = snapshot.warnings.get("opaque_value").expect("a warning");
    assert!(
        warning.detail.contains("posix.system") && warning.detail.contains("builtins.eval"),
        "{warning:?}"
    );
    assert!(read(&good[..], None).unwrap().warnings.is_empty());
}

#[test]
fn archives_that_grow() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(b"\x80\x05\x8d\0\0\0\x40\0\0\0\0").unwrap();
    let zeros = vec![b'a'; 1 << 20];
    for _ in 0..150 {
        encoder.write_all(&zeros).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert_eq!(kind(within_bounds("a text of 150 MB in 150 KB", &bomb)), ErrorKind::Truncated);
    let mut nested = pickle(&samples::npu(), Style::Bare);
    for _ in 0..10 {
        nested = gzipped(&nested);
    }
    assert_eq!(kind(within_bounds("gzip in gzip in gzip", &nested)), ErrorKind::UnknownFormat);
}

#[test]
fn values_that_hold_themselves() {
    for bytes in [
        &b"\x80\x04]\x94h\x00a."[..],
        b"\x80\x04}\x94X\x08\0\0\0segmentsh\x00s.",
        b"\x80\x04}\x94(X\x0d\0\0\0device_traces]\x94h\x01aX\x08\0\0\0segmentsh\x00u.",
        b"\x80\x04}\x94X\x06\0\0\0actionh\x00sX\x06\0\0\0framesh\x00s.",
        b"\x80\x04]\x94(h\x00h\x00h\x00e(h\x00h\x00e.",
    ] {
        let _ = within_bounds("itself", bytes);
        let text = hbmlens::format::pickle_to_json(bytes, None, 1000).unwrap();
        assert!(text.len() < 10_000);
    }
}

/// Every opcode at every depth of an empty and of a small stack: an error at most.
#[test]
fn every_opcode_out_of_place() {
    for start in
        [&b""[..], b"N", b"]", b"}", b"(", b"(N", b"](", b"}(", b"}(N", b"cos\nsystem\n", b")", b"]\x94"]
    {
        for opcode in 0..=255_u8 {
            for tail in
                [&b""[..], b"\0\0\0\0\0\0\0\0\n\n.", b"\xff\xff\xff\xff\xff\xff\xff\xff\n.", b"1\n1\n."]
            {
                let bytes = [b"\x80\x04", start, &[opcode], tail].concat();
                let _ = read(&bytes[..], Some(bytes.len() as u64));
                let _ = hbmlens::format::pickle_to_json(&bytes[..], None, 1000);
            }
        }
    }
}
