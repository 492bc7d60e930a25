//! Call stacks of the simulated program: every distinct frame once, a stack as a list of them.
//!
//! Kept apart from the tables of `model`: the simulation is the yardstick of the reader, so it must not
//! share its interning with it.

use std::collections::HashMap;

/// One frame as a writer gives it: innermost frames come first in a stack.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub file: String,
    pub line: u64,
    pub name: String,
}

impl Frame {
    pub fn new(file: &str, line: u64, name: &str) -> Frame {
        Frame { file: file.to_owned(), line, name: name.to_owned() }
    }
}

/// A stack in [`Stacks`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StackRef(pub usize);

/// All frames and stacks of a run.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    frames: Vec<Frame>,
    frame_index: HashMap<Frame, usize>,
    stacks: Vec<Vec<usize>>,
    index: HashMap<Vec<usize>, StackRef>,
}

impl Stacks {
    /// The stack of these frames, innermost first.
    pub fn add(&mut self, frames: &[Frame]) -> StackRef {
        let ids: Vec<usize> = frames.iter().map(|f| self.frame(f)).collect();
        if let Some(&stack) = self.index.get(&ids) {
            return stack;
        }
        let stack = StackRef(self.stacks.len());
        self.stacks.push(ids.clone());
        self.index.insert(ids, stack);
        stack
    }

    fn frame(&mut self, frame: &Frame) -> usize {
        if let Some(&id) = self.frame_index.get(frame) {
            return id;
        }
        self.frames.push(frame.clone());
        self.frame_index.insert(frame.clone(), self.frames.len() - 1);
        self.frames.len() - 1
    }

    /// Numbers of the frames of a stack, innermost first.
    pub fn frame_ids(&self, stack: StackRef) -> &[usize] {
        &self.stacks[stack.0]
    }

    /// The frames of a stack, innermost first.
    pub fn frames_of(&self, stack: StackRef) -> impl Iterator<Item = &Frame> {
        self.stacks[stack.0].iter().map(|&id| &self.frames[id])
    }

    /// All frames by number.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }
}
