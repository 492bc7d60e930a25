//! Runs that end in an out-of-memory of a known kind.
//!
//! Each is made so that exactly the conditions of its kind hold, after a short training run that gives
//! the device a past.

use super::allocator::{Config, GIB, MIB, Simulator};
use super::program::{Program, Tensor};
use super::recorder::Category;
use super::shapes::{Python, Shape};
use super::stacks::Frame;
use super::train::Training;

/// Why the run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OomKind {
    /// A capture delays frees that would have been enough.
    Pending,
    /// The room belongs to another stream.
    Stream,
    /// The room is in pieces.
    Fragmentation,
    /// One request over half the device.
    Huge,
    /// A call site keeps something every step, until the device is full.
    Growth,
    /// Live memory fills the device.
    Capacity,
}

impl OomKind {
    pub const ALL: [OomKind; 6] = [
        OomKind::Pending,
        OomKind::Stream,
        OomKind::Fragmentation,
        OomKind::Huge,
        OomKind::Growth,
        OomKind::Capacity,
    ];

    /// The id of the verdict.
    pub fn name(self) -> &'static str {
        match self {
            OomKind::Pending => "pending",
            OomKind::Stream => "stream",
            OomKind::Fragmentation => "fragmentation",
            OomKind::Huge => "huge",
            OomKind::Growth => "growth",
            OomKind::Capacity => "capacity",
        }
    }
}

const EVALUATE: [Python; 2] =
    [("/home/user/gpt/evaluate.py", 33, "evaluate"), ("/home/user/gpt/evaluate.py", 80, "<module>")];
const SIDE: i64 = 7;

/// A run on a device of 2 GiB whose last event is an out-of-memory of this kind.
pub fn out_of_memory(kind: OomKind, shape: Shape, config: Config) -> Simulator {
    let config = Config { limit: 2 * GIB, ..config };
    if kind == OomKind::Growth {
        let training = Training { steps: 200, leak: 150 * MIB, shape, ..Training::default() };
        return training.run(config);
    }
    let past = Training { layers: 2, steps: 3, shape, ..Training::default() }.run(config);
    let mut story = Story { program: Program::on(past, shape) };
    match kind {
        OomKind::Pending => story.pending(),
        OomKind::Stream => story.stream(),
        OomKind::Fragmentation => story.fragmentation(),
        OomKind::Huge => {
            story.ask(2020 * MIB);
        }
        OomKind::Growth | OomKind::Capacity => story.fill(200 * MIB),
    }
    story.program.sim
}

struct Story {
    program: Program,
}

impl Story {
    fn frames(&self) -> Vec<Frame> {
        self.program.shape.function("empty", &EVALUATE)
    }

    fn ask(&mut self, size: u64) -> Option<Tensor> {
        let frames = self.frames();
        self.program.alloc(size, Category::Other, &frames)
    }

    fn drop(&mut self, tensor: Option<Tensor>) {
        let frames = self.program.shape.released(&EVALUATE);
        self.program.free(tensor, &frames);
    }

    /// Allocates blocks of a size until less than that (and the room for one more) is free.
    fn fill_up(&mut self, size: u64) -> Vec<Option<Tensor>> {
        let mut tensors = Vec::new();
        self.program.sim.empty_cache(None);
        while self.program.sim.device_free() >= size + 20 * MIB {
            tensors.push(self.ask(size));
        }
        tensors
    }

    fn fill(&mut self, size: u64) {
        self.fill_up(size);
        self.ask(size + 20 * MIB);
    }

    fn fragmentation(&mut self) {
        // Three blocks of 6 MiB fill a segment of 20 MiB; freeing two of them leaves no empty segment.
        let tensors = self.fill_up(6 * MIB);
        for (number, tensor) in tensors.into_iter().enumerate() {
            if number % 3 != 1 {
                self.drop(tensor);
            }
        }
        self.ask(300 * MIB);
    }

    fn stream(&mut self) {
        let own = std::mem::replace(&mut self.program.stream, SIDE);
        let large = self.ask(700 * MIB);
        self.drop(large);
        // What holds the large segment on the side stream.
        self.ask(12 * MIB);
        self.program.stream = own;
        self.fill_up(100 * MIB);
        self.ask(400 * MIB);
    }

    fn pending(&mut self) {
        let tensors = self.fill_up(100 * MIB);
        self.program.sim.begin_capture();
        for tensor in tensors.into_iter().take(5) {
            if let Some(tensor) = tensor {
                self.program.sim.record_stream(tensor, SIDE);
            }
            self.drop(tensor);
        }
        self.ask(180 * MIB);
    }
}
