//! A stack as text for people: every frame, the machinery among them marked.

use crate::analysis::attribution::Attributed;
use crate::model::{FrameId, StackId};
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

    /// `function file:line` of a frame; empty where there is none.
    pub fn frame_label(&self, id: FrameId) -> String {
        match id.some() {
            None => String::new(),
            Some(id) => {
                let frame = self.snapshot.frames.get(id);
                let file = self.snapshot.strings.get(frame.file);
                format!("{} {file}:{}", self.snapshot.strings.get(frame.function), frame.line)
            }
        }
    }
}
