//! A stack as text for people: every frame, the machinery among them marked.

use crate::analysis::attribution::Attributed;
use crate::model::{FrameId, Snapshot, StackId};
use serde::Serialize;

/// A frame as text for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct StackFrame {
    pub function: String,
    pub file: String,
    /// As text: a line may be 2^64 − 1, which a script number cannot hold.
    pub line: String,
    /// Machinery that says nothing about the program: folded away until asked for.
    pub is_noise: bool,
    /// The frame that the call site names.
    pub is_call_site: bool,
}

impl Attributed<'_> {
    /// A stack as text, innermost first.
    pub fn marked_stack(&self, stack: StackId) -> Vec<StackFrame> {
        let site = self.classes.get(stack).call_site;
        self.snapshot
            .stacks
            .get(stack)
            .iter()
            .map(|&id| {
                let frame = self.snapshot.frames.get(id);
                StackFrame {
                    function: self.snapshot.strings.get(frame.function).to_owned(),
                    file: self.snapshot.strings.get(frame.file).to_owned(),
                    line: frame.line.to_string(),
                    is_noise: self.classes.frame(id).is_noise(),
                    is_call_site: id == site,
                }
            })
            .collect()
    }

    /// A frame on one line; empty where there is none.
    pub fn frame_label(&self, id: FrameId) -> String {
        frame_label(self.snapshot, id)
    }
}

/// `function file:line`; native frames often have no line, and no file.
pub fn frame_label(snapshot: &Snapshot, id: FrameId) -> String {
    let Some(id) = id.some() else { return String::new() };
    let frame = snapshot.frames.get(id);
    let (file, function) = (snapshot.strings.get(frame.file), snapshot.strings.get(frame.function));
    match (file, frame.line) {
        ("" | "??", _) => function.to_owned(),
        (_, 0) => format!("{function} {file}"),
        (_, line) => format!("{function} {file}:{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;

    #[test]
    fn a_frame_without_a_place_is_its_function() {
        let mut snapshot = Snapshot::default();
        let mut label = |file: &str, line| {
            let (file, function) = (snapshot.strings.intern(file), snapshot.strings.intern("malloc"));
            let id = snapshot.frames.intern(Frame { file, line, function });
            frame_label(&snapshot, id)
        };
        assert_eq!(label("/a/model.py", 7), "malloc /a/model.py:7");
        assert_eq!(label("Allocator.cpp", 0), "malloc Allocator.cpp");
        assert_eq!(label("", 0), "malloc");
        assert_eq!(label("??", 0), "malloc");
        assert_eq!(frame_label(&snapshot, FrameId::NONE), "");
    }
}
