//! Frames and stacks of several sides, made one by content.
//!
//! Two runs number their stacks differently, so each side's frames go into one table by file, line and
//! function. On request line numbers count for nothing, and neither does where a checkout lies: a file of
//! one side is the same as the one of the other that shares the longest end of the path, if each is the
//! other's only best.

use super::side::{Content, NONE, SAID};
use crate::model::{
    FastMap, Frame, FrameId, FrameTable, StackId, StackTable, StringId, StringTable, fast_map,
};
use std::collections::BTreeSet;

/// The tables that sides share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub strings: StringTable,
    pub frames: FrameTable,
    pub stacks: StackTable,
}

/// Where a side's own stacks stand in the shared tables, by their number.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub stack: Vec<StackId>,
    pub site: Vec<FrameId>,
    pub module: Vec<StringId>,
}

/// Other names of a side's files; a file that is not here keeps its own.
pub(crate) type Renames = FastMap<String, String>;

impl Shared {
    /// Takes a side's stacks in.
    pub fn place(&mut self, content: &Content, renames: &Renames, ignore_lines: bool) -> Placed {
        let mut frames = Vec::with_capacity(content.frames.len() / 3);
        let mut files: FastMap<u64, StringId> = fast_map();
        for number in 0..(content.frames.len() / 3) as u64 {
            let Some([file, line, function]) = content.frame(number) else { break };
            let file = *files.entry(file).or_insert_with(|| {
                let own = content.text(file);
                self.strings.intern(renames.get(own).map_or(own, String::as_str))
            });
            let function = self.strings.intern(content.text(function));
            let line = if ignore_lines { 0 } else { line };
            frames.push(self.frames.intern(Frame { file, function, line }));
        }
        let frame = |number: u64| usize::try_from(number).ok().and_then(|n| frames.get(n)).copied();
        let mut placed = Placed::default();
        let mut stack = Vec::new();
        for number in 0..content.stack_count() {
            stack.clear();
            stack.extend(content.stack(number).iter().filter_map(|&number| frame(number)));
            placed.stack.push(self.stacks.intern(&stack));
            let [site, module]: [u64; SAID] = content.said(number);
            placed.site.push(frame(site).unwrap_or(FrameId::NONE));
            placed.module.push(match module {
                NONE => StringId::NONE,
                text if ignore_lines => self.strings.intern(&without_lines(content.text(text))),
                text => self.strings.intern(content.text(text)),
            });
        }
        placed
    }
}

/// `model.py:212 > block.py:60` → `model.py > block.py`.
fn without_lines(path: &str) -> String {
    let part = |part: &str| match part.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|b| b.is_ascii_digit()) => file.to_owned(),
        _ => part.to_owned(),
    };
    path.split(" > ").map(part).collect::<Vec<String>>().join(" > ")
}

/// The files that frames of a side name.
fn files(content: &Content) -> BTreeSet<&str> {
    content.frames.as_chunks::<3>().0.iter().map(|&[file, ..]| content.text(file)).collect()
}

/// Names for the files of two sides under which a file of one is that of the other: the end of the path
/// that both share.
pub(crate) fn align(a: &Content, b: &Content) -> (Renames, Renames) {
    let (left, right) = (files(a), files(b));
    let alone = |own: &BTreeSet<&str>, other: &BTreeSet<&str>| -> Vec<String> {
        own.difference(other).map(|&file| file.to_owned()).collect()
    };
    let (left, right) = (alone(&left, &right), alone(&right, &left));
    let (mut of_a, mut of_b) = (fast_map(), fast_map());
    let (to_b, to_a) = (best(&left, &right), best(&right, &left));
    for (i, found) in to_b.iter().enumerate() {
        let Some((j, parts)) = *found else { continue };
        if to_a.get(j).copied().flatten().is_some_and(|(back, _)| back == i)
            && let (Some(file), Some(other)) = (left.get(i), right.get(j))
        {
            let end = ending(file, parts);
            of_a.insert(file.clone(), end.clone());
            of_b.insert(other.clone(), end);
        }
    }
    (of_a, of_b)
}

/// For each file the only one of the others that shares the longest end of its path, and how many parts
/// that are; none where no name fits or two fit as well.
fn best(files: &[String], others: &[String]) -> Vec<Option<(usize, usize)>> {
    let mut by_name: FastMap<&str, Vec<usize>> = fast_map();
    for (i, other) in others.iter().enumerate() {
        by_name.entry(parts(other).next().unwrap_or("")).or_default().push(i);
    }
    let best_of = |file: &String| {
        let candidates = by_name.get(parts(file).next().unwrap_or(""))?;
        let shared = |other: &str| parts(file).zip(parts(other)).take_while(|(a, b)| a == b).count();
        let mut best: Option<(usize, usize)> = None;
        let mut tie = false;
        for &i in candidates {
            let count = others.get(i).map_or(0, |other| shared(other));
            let most = best.map_or(0, |(_, most)| most);
            tie = if count == most { true } else { tie && count < most };
            if count > most {
                best = Some((i, count));
            }
        }
        best.filter(|_| !tie)
    };
    files.iter().map(best_of).collect()
}

/// The parts of a path, the file's name first.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit(['/', '\\']).filter(|part| !part.is_empty())
}

fn ending(path: &str, count: usize) -> String {
    let mut ends: Vec<&str> = parts(path).take(count).collect();
    ends.reverse();
    format!("\u{2026}/{}", ends.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(files: &[&str]) -> Content {
        let texts = files.iter().map(|&file| file.to_owned()).collect();
        Content {
            texts,
            frames: (0..files.len() as u64).flat_map(|i| [i, 1, i]).collect(),
            ..Content::default()
        }
    }

    #[test]
    fn files_of_two_checkouts_are_one_by_the_end_of_their_path() {
        let a =
            content(&["/home/a/job/train.py", "/home/a/job/nn/util.py", "/home/a/job/io/util.py", "<stdin>"]);
        let b = content(&[
            r"C:\src\job2\train.py",
            r"C:\src\job2\io\util.py",
            r"C:\src\job2\nn\util.py",
            "<stdin>",
        ]);
        let (of_a, of_b) = align(&a, &b);
        assert_eq!(of_a.get("/home/a/job/nn/util.py"), of_b.get(r"C:\src\job2\nn\util.py"));
        assert_eq!(of_a.get("/home/a/job/train.py").map(String::as_str), Some("\u{2026}/train.py"));
        assert_eq!((of_a.len(), of_b.len()), (3, 3));
    }

    #[test]
    fn what_fits_two_files_fits_none() {
        let (of_a, of_b) = align(&content(&["x/util.py"]), &content(&["y/util.py", "z/util.py"]));
        assert!(of_a.is_empty() && of_b.is_empty());
        assert_eq!(without_lines("model.py:212 > block.py:60"), "model.py > block.py");
    }
}
