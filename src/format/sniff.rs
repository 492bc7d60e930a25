//! Which format a file is of, by its first bytes and never by its name.

/// What the beginning of a file looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Empty,
    Pickle,
    /// JSON that may be a snapshot.
    Json,
    Gzip,
    Zip,
    Html,
    GitLfsPointer,
    Sqlite,
    /// `trace_view.json` or a Kineto trace.
    Trace,
    /// An operator_memory, memory_record or other profiler table.
    Csv,
    GeLog,
    /// Something known that is not read: its name.
    Other(&'static str),
    Unknown,
}

const MAGIC: &[(&[u8], Kind)] = &[
    (b"\x1f\x8b", Kind::Gzip),
    (b"PK\x03\x04", Kind::Zip),
    (b"SQLite format 3\0", Kind::Sqlite),
    (b"version https://git-lfs", Kind::GitLfsPointer),
    (b"PK\x05\x06", Kind::Other("an empty zip archive")),
    (b"\x28\xb5\x2f\xfd", Kind::Other("a Zstandard archive (unpack it with: zstd -d FILE)")),
    (b"\xfd7zXZ\0", Kind::Other("an xz archive (unpack it with: xz -d FILE)")),
    (b"BZh", Kind::Other("a bzip2 archive (unpack it with: bzip2 -d FILE)")),
    (b"7z\xbc\xaf\x27\x1c", Kind::Other("a 7-Zip archive")),
    (b"\x7fELF", Kind::Other("a program (ELF)")),
    (b"PAR1", Kind::Other("a Parquet file")),
    (b"\x89PNG", Kind::Other("an image (PNG)")),
    (b"%PDF", Kind::Other("a PDF document")),
    (b"\x93NUMPY", Kind::Other("a NumPy array")),
    (b"\x89HDF", Kind::Other("an HDF5 file")),
];

/// Looks at the first bytes of a file.
pub(super) fn sniff(head: &[u8]) -> Kind {
    if head.is_empty() {
        return Kind::Empty;
    }
    if let Some(&(_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return kind;
    }
    if head.get(257..262) == Some(b"ustar") {
        return Kind::Other("a tar archive (unpack it first)");
    }
    // Protocol 2 and later say so; 6 and more do not exist.
    if let [0x80, 0..=5, ..] = head {
        return Kind::Pickle;
    }
    let text = text_start(head);
    match text.first() {
        Some(b'{' | b'[') if looks_like_json(text) => return json_kind(text),
        Some(b'<') => {
            let start: Vec<u8> = text.iter().take(512).map(u8::to_ascii_lowercase).collect();
            if [&b"<!doctype html"[..], b"<html", b"<head", b"<script", b"<!--"]
                .iter()
                .any(|t| start.starts_with(t))
            {
                return Kind::Html;
            }
        }
        None => return Kind::Other("a file of blanks"),
        _ => {}
    }
    if is_text(text) {
        if contains(text, b"[IMAS]") || contains(text, b"] GE(") || super::ge_log::is_ge_log(text) {
            return Kind::GeLog;
        }
        let line = text.split(|&b| b == b'\n').next().unwrap_or(&[]);
        let header = [&b"Name"[..], b"Component", b"Device_id", b"Device", b"Op Name", b"Timestamp"];
        let columns = line.iter().filter(|&&b| b == b',').count();
        let bare = line.strip_prefix(b"\"").unwrap_or(line);
        if columns >= 2 && header.iter().any(|name| bare.starts_with(name)) {
            return Kind::Csv;
        }
        if looks_like_old_pickle(head) {
            return Kind::Pickle;
        }
        return if columns >= 2 { Kind::Csv } else { Kind::Unknown };
    }
    if looks_like_old_pickle(head) { Kind::Pickle } else { Kind::Unknown }
}

/// Without byte order mark and leading blanks.
fn text_start(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}

/// `[` and `{` may also begin other texts, such as `[INFO] GE(…`.
fn looks_like_json(text: &[u8]) -> bool {
    let rest = text.get(1..).unwrap_or(&[]).trim_ascii_start();
    match rest.first() {
        None => true,
        Some(b'"') => true,
        Some(b'}') => text.starts_with(b"{"),
        Some(b'{' | b'[' | b']' | b'0'..=b'9' | b'-' | b'n' | b't' | b'f') => text.starts_with(b"["),
        _ => false,
    }
}

fn json_kind(text: &[u8]) -> Kind {
    let snapshot =
        [&b"\"segments\""[..], b"\"device_traces\"", b"\"total_size\"", b"\"blocks\"", b"\"action\""];
    if snapshot.iter().any(|key| contains(text, key)) {
        return Kind::Json;
    }
    let trace = [&b"\"traceEvents\""[..], b"\"ph\"", b"\"schemaVersion\"", b"\"deviceProperties\""];
    if trace.iter().any(|key| contains(text, key)) { Kind::Trace } else { Kind::Json }
}

fn is_text(bytes: &[u8]) -> bool {
    let sample = bytes.get(..1024).unwrap_or(bytes);
    !sample.iter().any(|&b| b < 9 || (14..32).contains(&b) && b != 0x1b)
}

/// Protocols 0 and 1 have no mark of their own: they begin by opening a dict or list, or with a class.
fn looks_like_old_pickle(head: &[u8]) -> bool {
    let mut lines = head.split(|&b| b == b'\n');
    let mut is_name = || {
        let name = lines.next().unwrap_or(&[]);
        name.len() > 1 && name.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
    };
    match head {
        [b'(', b'd' | b'l' | b't' | b'S' | b'V' | b'U' | b'X', ..] => true,
        [b'}' | b']', b'q' | b'r' | b'(' | b'.' | b'p', ..] => true,
        [b'c', ..] => is_name() && is_name(),
        _ => false,
    }
}

pub(super) fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        let cases: [(&[u8], Kind); 14] = [
            (b"", Kind::Empty),
            (b"\x80\x04\x95", Kind::Pickle),
            (b"(dp0\nS'segments'\n", Kind::Pickle),
            (b"}q\x00(X", Kind::Pickle),
            (b"\xef\xbb\xbf {\"segments\": []}", Kind::Json),
            (b"[{\"ph\": \"X\"}]", Kind::Trace),
            (b"\x1f\x8b\x08", Kind::Gzip),
            (b"version https://git-lfs.github.com/spec/v1\n", Kind::GitLfsPointer),
            (b"\n<!DOCTYPE html>", Kind::Html),
            (b"SQLite format 3\0....", Kind::Sqlite),
            (b"Name,Size(KB),Allocation Time(us)\n", Kind::Csv),
            (b"[INFO] GE(1,a):2024-01-01 [x.cc:1]1 F: [IMAS]Set", Kind::GeLog),
            (b"\x7fELF\x02", Kind::Other("a program (ELF)")),
            (b"hello world", Kind::Unknown),
        ];
        for (head, kind) in cases {
            assert_eq!(sniff(head), kind, "{}", String::from_utf8_lossy(head));
        }
    }
}
