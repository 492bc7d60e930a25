//! Folded stacks, line for line as PyTorch's `_memory_viz.py` writes them for a flame graph.
//!
//! Everything that tool does is kept, oddities included (stale sizes of free blocks, negative gaps,
//! the empty text where all frames were dropped), because people compare the two outputs.

use crate::model::{Device, Frame, Snapshot, StackId};
use std::io::{self, Write};

/// Parts of function names whose frames that tool drops.
const DROPPED_NAMES: [&str; 8] = [
    "unwind::unwind",
    "CapturedTraceback::gather",
    "gather_with_cpp",
    "_start",
    "__libc_start_main",
    "PyEval_",
    "PyObject_",
    "PyFunction_",
];

/// Parts of file names whose frames it drops.
const DROPPED_FILES: [&str; 10] = [
    "core/boxing",
    "/Register",
    "/Redispatch",
    "pythonrun.c",
    "Modules/main.c",
    "Objects/call.c",
    "Objects/methodobject.c",
    "pycore_ceval.h",
    "ceval.c",
    "cpython/abstract.h",
];

/// Which of the tool's two commands to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// `memory`: `stream_S;…`
    Stream,
    /// `segments`: `stream_S;seg_ADDR;…`
    Segment,
}

/// Writes one line per block (and per history entry), devices merged, in the order of the file. The
/// host's segments are left out: that tool does not read them.
pub fn write_folded(snapshot: &Snapshot, prefix: Prefix, out: &mut dyn Write) -> io::Result<()> {
    let mut stacks = StackTexts { snapshot, dropped: dropped_frames(snapshot), texts: Vec::new() };
    stacks.texts.resize(snapshot.stacks.len(), None);
    let mut head = String::new();
    for segment in snapshot.segments.iter().filter(|s| s.device != Device::Host) {
        let stream = snapshot.streams.get(segment.stream);
        for id in segment.block_ids() {
            let block = snapshot.blocks.get(id);
            head.clear();
            head.push_str(&format!("stream_{stream}"));
            if prefix == Prefix::Segment {
                head.push_str(&format!(";seg_{}", segment.address.0));
            }
            head.push(';');
            head.push_str(block.state.name());
            let history = snapshot.blocks.history_of(block);
            let mut accounted: i128 = 0;
            if history.is_empty() {
                let size = block.requested_size.unwrap_or(block.size);
                accounted += i128::from(size.0);
                writeln!(out, "{head};{} {}", stacks.text(block.stack), size.0)?;
            }
            for entry in history {
                accounted += i128::from(entry.real_size.0);
                let text = match entry.stack.some() {
                    Some(stack) => stacks.text(stack),
                    None => "<no-context>",
                };
                writeln!(out, "{head};{text} {}", entry.real_size.0)?;
            }
            let rest = i128::from(block.size.0) - accounted;
            if rest != 0 {
                writeln!(out, "{head};<gaps> {rest}")?;
            }
        }
    }
    Ok(())
}

/// By frame id: whether it is dropped.
fn dropped_frames(snapshot: &Snapshot) -> Vec<bool> {
    let dropped = |frame: Frame| {
        let (name, file) = (snapshot.strings.get(frame.function), snapshot.strings.get(frame.file));
        DROPPED_NAMES.iter().any(|part| name.contains(part))
            || DROPPED_FILES.iter().any(|part| file.contains(part))
    };
    snapshot.frames.iter().map(|(_, frame)| dropped(frame)).collect()
}

/// The text of each stack, made once.
struct StackTexts<'a> {
    snapshot: &'a Snapshot,
    dropped: Vec<bool>,
    texts: Vec<Option<String>>,
}

impl StackTexts<'_> {
    fn text(&mut self, stack: StackId) -> &str {
        const NONE: &str = "<non-python>";
        let frames = self.snapshot.stacks.get(stack);
        if frames.is_empty() {
            return NONE;
        }
        let Some(slot) = self.texts.get_mut(stack.index()) else { return NONE };
        slot.get_or_insert_with(|| {
            let mut text = String::new();
            for &id in frames.iter().rev().filter(|id| !self.dropped.get(id.index()).is_some_and(|&d| d)) {
                let frame = self.snapshot.frames.get(id);
                let file = self.snapshot.strings.get(frame.file);
                let base = file.rsplit('/').next().unwrap_or(file);
                if !text.is_empty() {
                    text.push(';');
                }
                text.push_str(&format!(
                    "{base}:{}:{}",
                    frame.line,
                    self.snapshot.strings.get(frame.function)
                ));
            }
            text
        })
    }
}
