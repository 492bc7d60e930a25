//! Finds the few lines that matter in a log of gigabytes.
//!
//! In a real log 95 % of the lines say nothing about memory, so looking at every line is the wrong
//! loop. Instead the markers are searched for with SIMD over a block that fits the cache, and only lines
//! that hold one are ever cut out: in one pass for all markers where the machine has what that needs,
//! else each on its own, their next places merged, so that lines come in file order and once each.

use crate::format::Result;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use std::io::{ErrorKind, Read};

/// Every line kind of interest holds at least one of these.
const MARKERS: [&str; 9] = [
    "[IMAS]",
    "[MEM]",
    "allocator_",
    "lock device_id:",
    "MallocMemory",
    "FreeMemory",
    "Physical success",
    "svm_mem_stats_show",
    "reach theory rate:",
];

/// The search for all markers.
struct Markers {
    #[cfg(not(target_arch = "wasm32"))]
    at_once: Option<aho_corasick::packed::Searcher>,
    each: [Finder<'static>; MARKERS.len()],
}

impl Markers {
    fn new() -> Markers {
        Markers {
            #[cfg(not(target_arch = "wasm32"))]
            at_once: aho_corasick::packed::Searcher::new(MARKERS),
            each: MARKERS.map(Finder::new),
        }
    }

    /// Hands over the lines of a block that hold a marker.
    fn lines(&self, block: &[u8], start: usize, emit: &mut dyn FnMut(&[u8], usize)) {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(searcher) = &self.at_once {
            return lines_at_once(searcher, block, start, emit);
        }
        marked_lines(&self.each, block, start, emit);
    }
}

/// Read at a time: small enough for the second-level cache, as each block is searched once a marker.
const BLOCK: usize = 256 << 10;

/// What a file is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// Log lines: only those with a marker are handed over.
    Lines,
    /// Rows of a report: every line is handed over.
    Rows,
}

/// Hands over the lines that matter with their byte position; `layout` decides by the first block.
/// Returns the number of bytes read.
pub(super) fn scan(
    mut source: impl Read,
    progress: &mut dyn FnMut(u64),
    layout: impl FnOnce(&[u8]) -> Layout,
    mut on_line: impl FnMut(Layout, &[u8], u64),
) -> Result<u64> {
    let markers = Markers::new();
    let mut layout = Some(layout);
    let mut kind = Layout::Lines;
    let mut buffer = vec![0; BLOCK];
    let (mut filled, mut base, mut skipping) = (0, 0u64, false);
    loop {
        let end_of_file = fill(&mut source, &mut buffer, &mut filled)?;
        if let Some(layout) = layout.take() {
            kind = layout(&buffer[..filled]);
        }
        let block = &buffer[..filled];
        // Everything up to the last line end; at the end of the file everything there is; and a block
        // without any line end is one overlong line, of which the first block is enough.
        let whole = if end_of_file { filled } else { memrchr(b'\n', block).map_or(filled, |at| at + 1) };
        let mut start = 0;
        if skipping {
            start = memchr(b'\n', block).map_or(whole, |at| at + 1);
        }
        skipping = !end_of_file && whole == filled && block.last() != Some(&b'\n');
        let mut emit = |line: &[u8], at: usize| on_line(kind, line, base + at as u64);
        match kind {
            Layout::Lines => markers.lines(&block[..whole], start, &mut emit),
            Layout::Rows => all_lines(&block[..whole], start, &mut emit),
        }
        base += whole as u64;
        progress(base);
        if end_of_file {
            return Ok(base);
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
    }
}

/// Reads until the buffer is full; true at the end of the source.
fn fill(source: &mut impl Read, buffer: &mut [u8], filled: &mut usize) -> Result<bool> {
    while *filled < buffer.len() {
        match source.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(true),
            Ok(count) => *filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

#[cfg(not(target_arch = "wasm32"))]
fn lines_at_once(
    searcher: &aho_corasick::packed::Searcher,
    block: &[u8],
    start: usize,
    emit: &mut dyn FnMut(&[u8], usize),
) {
    let mut at = start;
    while let Some(found) = block.get(at..).and_then(|rest| searcher.find(rest)) {
        let hit = at + found.start();
        let line = memrchr(b'\n', &block[..hit]).map_or(0, |at| at + 1).max(start);
        let end = memchr(b'\n', &block[hit..]).map_or(block.len(), |at| hit + at);
        emit(trim_end(&block[line..end]), line);
        at = end;
    }
}

fn marked_lines(finders: &[Finder<'static>], block: &[u8], start: usize, emit: &mut dyn FnMut(&[u8], usize)) {
    const NONE: usize = usize::MAX;
    let find = |finder: &Finder<'_>, from: usize| {
        finder.find(block.get(from..).unwrap_or_default()).map_or(NONE, |at| from + at)
    };
    let mut next = [NONE; MARKERS.len()];
    for (place, finder) in next.iter_mut().zip(finders) {
        *place = find(finder, start);
    }
    loop {
        let hit = next.iter().copied().min().unwrap_or(NONE);
        if hit == NONE {
            return;
        }
        let line = memrchr(b'\n', &block[..hit]).map_or(0, |at| at + 1).max(start);
        let end = memchr(b'\n', &block[hit..]).map_or(block.len(), |at| hit + at);
        emit(trim_end(&block[line..end]), line);
        for (place, finder) in next.iter_mut().zip(finders) {
            if *place < end {
                *place = find(finder, end);
            }
        }
    }
}

fn all_lines(block: &[u8], mut start: usize, emit: &mut dyn FnMut(&[u8], usize)) {
    while start < block.len() {
        let end = memchr(b'\n', &block[start..]).map_or(block.len(), |at| start + at);
        let line = trim_end(&block[start..end]);
        if !line.is_empty() {
            emit(line, start);
        }
        start = end + 1;
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out `step` bytes at a time.
    struct Slow<'a>(&'a [u8], usize);
    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(into.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn lines(text: &[u8], step: usize) -> Vec<(Vec<u8>, u64)> {
        let mut found = Vec::new();
        let read = scan(
            Slow(text, step),
            &mut |_| {},
            |_| Layout::Lines,
            |_, line, at| {
                found.push((line.to_vec(), at));
            },
        );
        assert_eq!(read.unwrap(), text.len() as u64);
        found
    }

    #[test]
    fn only_marked_lines_come_in_order_and_once() {
        let text = b"nothing\r\na [MEM] b [IMAS] c\r\n\n[IMAS]x\nfree\nlast svm_mem_stats_show";
        let expected = [(&b"a [MEM] b [IMAS] c"[..], 9), (b"[IMAS]x", 30), (b"last svm_mem_stats_show", 43)];
        for step in [1, 7, 1000] {
            let found = lines(text, step);
            assert_eq!(found.iter().map(|(l, at)| (&l[..], *at)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn one_pass_finds_what_many_find() {
        let markers = Markers::new();
        let mut text = b"GE(1): nothing, [MEM and IMAS] and allocator\n".repeat(50);
        for (n, marker) in MARKERS.iter().enumerate() {
            text.extend_from_slice(
                format!("{}{marker} x {}\n", "-".repeat(n * 7), MARKERS[8 - n]).as_bytes(),
            );
            text.extend_from_slice(marker.as_bytes());
            text.extend_from_slice(&b"\nother\n"[..6 * (n % 2) + 1]);
        }
        for start in [0, 1, 33, 2000] {
            let (mut once, mut each) = (Vec::new(), Vec::new());
            markers.lines(&text, start, &mut |line, at| once.push((line.to_vec(), at)));
            marked_lines(&markers.each, &text, start, &mut |line, at| each.push((line.to_vec(), at)));
            assert_eq!(once, each);
            assert!(once.len() >= 2 * MARKERS.len());
        }
    }

    #[test]
    fn lines_across_blocks_and_overlong_lines_are_kept_apart() {
        let mut text = Vec::new();
        for n in 0..40_000 {
            text.extend_from_slice(format!("filler filler filler {n}\n").as_bytes());
            if n % 1000 == 0 {
                text.extend_from_slice(format!("[IMAS]number {n}\n").as_bytes());
            }
        }
        text.extend_from_slice(&vec![b'x'; 3 * BLOCK]);
        text.extend_from_slice(b"[IMAS]too far right\n[IMAS]after\n");
        let found = lines(&text, usize::MAX);
        assert_eq!(found.len(), 41);
        assert_eq!(found[40].0, b"[IMAS]after");
        for (line, at) in &found {
            assert_eq!(&text[*at as usize..][..line.len()], &line[..]);
        }
    }
}
