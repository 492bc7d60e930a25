//! A thin layer over the simulator in which simulated programs are written.
//!
//! A program allocates by shape of stack and category and keeps tensors by their number. Once an
//! allocation failed the program has raised: what follows does nothing, as in a process that ends.

use super::allocator::{Config, Request, Simulator};
use super::recorder::Category;
use super::shapes::Shape;
use super::stacks::{Frame, StackRef};

/// A tensor of the program: the life of its memory.
pub type Tensor = usize;

/// A running program on one device.
#[derive(Clone, Debug)]
pub struct Program {
    pub sim: Simulator,
    pub shape: Shape,
    pub stream: i64,
    pub pool: u32,
    failed: bool,
}

impl Program {
    pub fn new(config: Config, shape: Shape) -> Program {
        Program::on(Simulator::new(config), shape)
    }

    /// Goes on where another program ended.
    pub fn on(sim: Simulator, shape: Shape) -> Program {
        let stream = if shape == Shape::TorchNpu { 1_534_455_456 } else { 0 };
        Program { sim, shape, stream, pool: 0, failed: false }
    }

    /// An allocation ended in an out-of-memory.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// `None` for a stack without frames: nothing is recorded then.
    fn stack(&mut self, frames: &[Frame]) -> Option<StackRef> {
        (!frames.is_empty()).then(|| self.sim.stacks.add(frames))
    }

    pub fn alloc(&mut self, size: u64, category: Category, frames: &[Frame]) -> Option<Tensor> {
        if self.failed {
            return None;
        }
        let stack = self.stack(frames);
        let request = Request { size, stream: self.stream, pool: self.pool, stack, category };
        let tensor = self.sim.malloc(request);
        self.failed = tensor.is_none();
        tensor
    }

    pub fn free(&mut self, tensor: Option<Tensor>, frames: &[Frame]) {
        if let Some(tensor) = tensor.filter(|_| !self.failed) {
            let stack = self.stack(frames);
            self.sim.free(tensor, stack);
        }
    }

    pub fn mark(&mut self, name: &str, start: bool) {
        if !self.failed {
            self.sim.mark(name, start);
        }
    }
}
