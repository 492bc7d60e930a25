//! The beginning of a log line: who wrote it and when.
//!
//! `[LEVEL] GE(pid,process):YYYY-MM-DD-HH:MM:SS.mmm.uuu [file.cc:line]tid Function:`. A line cut by
//! rotation has none; two processes that write to one file can leave two in a line.

use super::text::{find, number, split_number};
use crate::model::Nanos;
use crate::model::ge::{AllocatorKind, AllocatorName};

/// What stands before the message.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Prefix<'a> {
    pub pid: Option<u64>,
    pub process: &'a [u8],
    pub at: Option<Nanos>,
    pub thread: u64,
}

/// Calls `each` with the records of a line, each with what follows its time, and returns how many have
/// a prefix: usually one; none where the line lost its beginning; several where a process wrote into
/// the middle of another's line.
pub(super) fn records<'a>(line: &'a [u8], mut each: impl FnMut(Prefix<'a>, &'a [u8])) -> usize {
    let mut open: Option<(Prefix<'a>, usize)> = None;
    let mut count = 0;
    for at in memchr::memchr_iter(b'(', line) {
        let Some((prefix, rest)) = at_parenthesis(line, at) else { continue };
        // The record begins at `[LEVEL]`.
        let start = memchr::memrchr(b'[', &line[..at]).unwrap_or(at);
        match open.take() {
            Some((before, from)) => each(before, line.get(from..start).unwrap_or_default()),
            None if start > 0 => each(Prefix::default(), &line[..start]),
            None => {}
        }
        count += 1;
        open = Some((prefix, line.len() - rest.len()));
    }
    match open {
        Some((prefix, from)) => each(prefix, &line[from..]),
        None => each(Prefix::default(), line),
    }
    count
}

fn at_parenthesis(line: &[u8], open: usize) -> Option<(Prefix<'_>, &[u8])> {
    let (pid, rest) = split_number(line.get(open + 1..)?)?;
    let rest = rest.strip_prefix(b",")?;
    let close = find(rest, b"):")?;
    let (process, rest) = (&rest[..close], &rest[close + 2..]);
    let at = time(rest.get(..27)?)?;
    let rest = &rest[27..];
    // ` [file.cc:line]tid `
    let thread = memchr::memchr(b']', rest).and_then(|at| number(leading_digits(&rest[at + 1..])));
    let prefix = Prefix { pid: Some(pid), process, at: Some(at), thread: thread.unwrap_or(0) };
    Some((prefix, rest))
}

fn leading_digits(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

/// `YYYY-MM-DD-HH:MM:SS.mmm.uuu`. The log prints local time and no zone, so it counts as UTC.
fn time(text: &[u8]) -> Option<Nanos> {
    const SHAPE: &[u8; 27] = b"0000-00-00-00:00:00.000.000";
    if text.len() != 27 {
        return None;
    }
    for (&byte, &shape) in text.iter().zip(SHAPE) {
        let fits = if shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
        if !fits {
            return None;
        }
    }
    let part = |from: usize, to: usize| number(&text[from..to]).and_then(|n| i64::try_from(n).ok());
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1970-01-01 in the Gregorian calendar, counting years from March.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let micros = part(20, 23)? * 1000 + part(24, 27)?;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(Nanos::from_micros(seconds * 1_000_000 + micros))
}

/// `[allocator_N]` or `[rts_allocator_N]` anywhere in the text.
pub(super) fn allocator(text: &[u8]) -> Option<AllocatorName> {
    let at = find(text, b"allocator_")?;
    let (id, rest) = split_number(&text[at + b"allocator_".len()..])?;
    if rest.first() != Some(&b']') {
        return None;
    }
    let before = &text[..at];
    let kind = match before {
        _ if before.ends_with(b"[rts_") => AllocatorKind::Rts,
        _ if before.ends_with(b"[") => AllocatorKind::Ge,
        _ => return None,
    };
    Some(AllocatorName { kind, id: u32::try_from(id).ok() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &[u8]) -> Vec<(Prefix<'_>, &[u8])> {
        let mut all = Vec::new();
        let count = records(line, |prefix, rest| all.push((prefix, rest)));
        assert_eq!(count, all.iter().filter(|(prefix, _)| prefix.pid.is_some()).count());
        all
    }

    #[test]
    fn a_prefix_gives_process_time_and_thread() {
        let line = b"[INFO] GE(1311101,python3.9):2024-02-29-23:59:59.123.456 [block_mem_assigner.cc:77]1311355 SetOffsetSize:[IMAS]Set g";
        let all = split(line);
        let (prefix, rest) = all[0];
        assert_eq!((all.len(), prefix.pid), (1, Some(1_311_101)));
        assert_eq!(prefix.process, b"python3.9");
        // python3: calendar.timegm((2024,2,29,23,59,59))
        assert_eq!(prefix.at, Some(Nanos(1_709_251_199_123_456_000)));
        assert_eq!(prefix.thread, 1_311_355);
        assert!(rest.starts_with(b" [block_mem_assigner.cc:77]"));
        assert_eq!(time(b"1970-01-01-00:00:00.000.001"), Some(Nanos(1000)));
        assert_eq!(time(b"1970-13-01-00:00:00.000.001"), None);
    }

    #[test]
    fn a_line_can_hold_parts_of_several() {
        let line = b"cut[INFO] GE(1,a):2024-01-01-00:00:00.000.000 [x.cc:1]5 Set[INFO] GE(2,b):2024-01-01-00:00:00.000.001 [y.cc:2]6 F:(7,x)";
        let all = split(line);
        let pids: Vec<_> = all.iter().map(|(prefix, _)| (prefix.pid, prefix.thread)).collect();
        assert_eq!(pids, [(None, 0), (Some(1), 5), (Some(2), 6)]);
        let texts: Vec<_> = all.iter().map(|(_, rest)| *rest).collect();
        assert_eq!(texts, [&b"cut"[..], b" [x.cc:1]5 Set", b" [y.cc:2]6 F:(7,x)"]);
        assert_eq!(split(b"ze[512] realsize[3]"), [(Prefix::default(), &b"ze[512] realsize[3]"[..])]);
    }

    #[test]
    fn allocator_names_are_told_apart() {
        let name = |text: &[u8]| allocator(text).map(|name| name.to_string());
        assert_eq!(name(b"7 [allocator_3] Free:").as_deref(), Some("ge_3"));
        assert_eq!(name(b"7 [rts_allocator_1] Free:").as_deref(), Some("rts_1"));
        assert_eq!(name(b"[my_allocator_1]"), None);
        assert_eq!(name(b"[allocator_1"), None);
    }
}
