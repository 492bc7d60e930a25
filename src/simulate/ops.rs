//! Programs as data: a list of operations on numbered tensors, so that a test can make any of them up.
//!
//! Whatever does not apply (freeing what is not there, a request that fails) is skipped, so every list
//! is a program. Each tensor's stack is one of a few places in a made-up source file.

use super::allocator::{Request, Simulator};
use super::recorder::Category;
use super::stacks::{Frame, StackRef};

/// One operation. Tensors are numbered by the program; a live number is not allocated again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Alloc { tensor: usize, size: u64, stream: usize, pool: u32, place: u64 },
    Free { tensor: usize },
    RecordStream { tensor: usize, stream: usize },
    Synchronize { stream: usize },
    EmptyCache,
    BeginCapture,
    EndCapture,
    DropPool { pool: u32 },
    StartRecording,
}

/// The raw values of the streams a program names 0, 1, 2 …
pub const STREAMS: [i64; 4] = [0, 1_534_455_456, 94_012_345_678_912, 7];

/// Runs a list of operations on the simulator.
pub fn run(sim: &mut Simulator, ops: &[Op]) {
    let mut tensors: Vec<Option<usize>> = Vec::new();
    let stream = |number: usize| STREAMS[number % STREAMS.len()];
    for &op in ops {
        let live = |tensors: &[Option<usize>], tensor: usize| tensors.get(tensor).copied().flatten();
        match op {
            Op::Alloc { tensor, size, stream: number, pool, place: at } => {
                if size == 0 || live(&tensors, tensor).is_some() {
                    continue;
                }
                let stack = place(sim, at, "make");
                let category = Category::Other;
                let made = sim.malloc(Request { size, stream: stream(number), pool, stack, category });
                if tensors.len() <= tensor {
                    tensors.resize(tensor + 1, None);
                }
                tensors[tensor] = made;
            }
            Op::Free { tensor } => {
                if let Some(life) = live(&tensors, tensor) {
                    let stack = place(sim, tensor as u64 % 5, "drop");
                    sim.free(life, stack);
                    tensors[tensor] = None;
                }
            }
            Op::RecordStream { tensor, stream: number } => {
                if let Some(life) = live(&tensors, tensor) {
                    sim.record_stream(life, stream(number));
                }
            }
            Op::Synchronize { stream: number } => sim.synchronize(stream(number)),
            Op::EmptyCache => {
                let stack = place(sim, 3, "empty");
                sim.empty_cache(stack);
            }
            Op::BeginCapture => sim.begin_capture(),
            Op::EndCapture => sim.end_capture(),
            Op::DropPool { pool } => sim.drop_pool(pool),
            Op::StartRecording => sim.start_recording(),
        }
    }
}

/// A stack of that place; every seventh has none, as of a thread without Python.
fn place(sim: &mut Simulator, at: u64, name: &str) -> Option<StackRef> {
    if at % 7 == 6 {
        return None;
    }
    let frames =
        [Frame::new("/home/user/made_up.py", at, name), Frame::new("/home/user/run.py", 12, "<module>")];
    Some(sim.stacks.add(&frames))
}
