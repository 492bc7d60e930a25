//! The module view: the chain of `forward` frames of each stack, and bytes rolled up along it.
//!
//! A recorded frame knows its file, line and function, not its class, so a module is named by the place
//! in the `forward` above it: the line that calls it tells siblings apart. Chains are the nodes of one
//! tree over the distinct stacks; a node comes after its parent.

use super::attribution::{Attributed, Category, StackClasses};
use crate::model::{Arrange, Bytes, FastMap, FrameId, LifeId, Snapshot, StackId, fast_map};
use serde::Serialize;

/// A chain of `forward` frames, outermost first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    parent: u32,
    depth: u32,
    frame: FrameId,
}

/// The chains of all stacks of a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    nodes: Vec<Node>,
    of_stack: Vec<u32>,
}

/// Stands in a path between a module and what is inside it.
pub const INSIDE: &str = " > ";

/// "No module": the stack has no `forward` frame.
const OUTSIDE: u32 = u32::MAX;

/// Which `forward` frames count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    NotTorch,
    Any,
}

impl Modules {
    /// Own code's chains; where own code has no `forward` at all, those of packages other than torch;
    /// where there is none either, torch's.
    pub fn new(snapshot: &Snapshot, classes: &StackClasses) -> Modules {
        let counts = |whose: Whose, id: FrameId| {
            let traits = classes.frame(id);
            traits.is_forward()
                && match whose {
                    Whose::Own => traits.is_own(),
                    Whose::NotTorch => {
                        let file = snapshot.strings.original(snapshot.frames.get(id).file);
                        !file.contains("/torch/") && !file.contains("\\torch\\")
                    }
                    Whose::Any => true,
                }
        };
        let exists = |whose| snapshot.frames.iter().any(|(id, _)| counts(whose, id));
        let whose = [Whose::Own, Whose::NotTorch].into_iter().find(|&w| exists(w)).unwrap_or(Whose::Any);
        let mut modules = Modules::default();
        let mut index: FastMap<(u32, FrameId), u32> = fast_map();
        for stack in snapshot.stacks.ids() {
            let mut at = OUTSIDE;
            for &frame in snapshot.stacks.get(stack).iter().rev().filter(|&&id| counts(whose, id)) {
                at = *index.entry((at, frame)).or_insert_with(|| modules.add(at, frame));
            }
            modules.of_stack.push(at);
        }
        modules
    }

    fn add(&mut self, parent: u32, frame: FrameId) -> u32 {
        let depth = self.nodes.get(parent as usize).map_or(1, |p| p.depth + 1);
        self.nodes.push(Node { parent, depth, frame });
        (self.nodes.len() - 1) as u32
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The module of a stack.
    pub fn of_stack(&self, stack: StackId) -> Option<u32> {
        self.of_stack.get(stack.index()).copied().filter(|&node| node != OUTSIDE)
    }

    /// From a module outwards: itself, its parent and so on.
    pub fn chain(&self, module: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |&at: &u32| self.nodes.get(at as usize).map(|n| n.parent).filter(|&p| p != OUTSIDE);
        core::iter::successors(Some(module).filter(|&m| m != OUTSIDE), parent)
    }

    /// `model.py:212 > block.py:60`, outermost first.
    pub fn path(&self, snapshot: &Snapshot, module: u32) -> String {
        let mut parts: Vec<String> = self.chain(module).map(|m| self.name(snapshot, m)).collect();
        parts.reverse();
        parts.join(INSIDE)
    }

    fn name(&self, snapshot: &Snapshot, module: u32) -> String {
        let Some(node) = self.nodes.get(module as usize) else { return String::new() };
        let frame = snapshot.frames.get(node.frame);
        let file = snapshot.strings.get(frame.file);
        let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
        format!("{base}:{}", frame.line)
    }
}

/// A module's part of the memory at a moment, those inside it included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ModuleRow {
    /// The chain of `forward` frames, outermost first.
    pub module: String,
    /// 1 for an outermost module.
    pub depth: u32,
    pub bytes: Bytes,
    pub count: u64,
    /// What checkpointing the module would free at this moment.
    pub recompute_bytes: Bytes,
}

#[derive(Clone, Default)]
struct ModuleSums {
    bytes: Bytes,
    count: u64,
    kept: Bytes,
    inputs: Bytes,
    call: Call,
}

/// Where the scan is in a module: calls of one module are told apart by leaving it, and, in a loop over
/// modules of one line, by its first stack coming round again.
#[derive(Clone, Copy, Default)]
struct Call {
    open: bool,
    first: Option<StackId>,
    previous: Option<StackId>,
    /// The newest activation of this call that is kept: what the call hands on.
    last_kept: Bytes,
}

/// Bytes at a state by module, parents before what is inside them, largest siblings first.
///
/// For each module the estimate takes the activations that began inside its `forward`, are alive at the
/// moment and are not let go in the forward pass itself, less the inputs among them: a module that is
/// called again is given what the call before left, and that stays.
pub fn by_module(memory: &Attributed<'_>, modules: &Modules, state: u32) -> Vec<ModuleRow> {
    let mut sums = vec![ModuleSums::default(); modules.len()];
    memory.lives().alive_at(state, |life| {
        if let Some(module) = modules.of_stack(memory.alloc_stack(life)) {
            for node in modules.chain(module) {
                if let Some(sum) = sums.get_mut(node as usize) {
                    sum.bytes += memory.size(life);
                    sum.count += 1;
                }
            }
        }
    });
    estimate(memory, modules, state, &mut sums);
    rows(memory.snapshot, modules, &sums)
}

fn estimate(memory: &Attributed<'_>, modules: &Modules, state: u32, sums: &mut [ModuleSums]) {
    let lives = memory.lives();
    let mut previous: Vec<u32> = Vec::new();
    for life in lives.ids().skip(lives.initial_len()).take_while(|&life| lives.birth(life) <= state) {
        if memory.category(life) != Category::Activation {
            continue;
        }
        let stack = memory.alloc_stack(life);
        let Some(module) = modules.of_stack(stack) else { continue };
        let kept = is_kept(memory, life, state);
        let chain: Vec<u32> = modules.chain(module).collect();
        for left in previous.iter().filter(|node| !chain.contains(node)) {
            if let Some(sum) = sums.get_mut(*left as usize) {
                sum.call = Call::default();
            }
        }
        for &node in &chain {
            let Some(sum) = sums.get_mut(node as usize) else { continue };
            let call = &mut sum.call;
            if !call.open {
                *call = Call { open: true, first: Some(stack), ..Call::default() };
            } else if call.first == Some(stack) && call.previous != Some(stack) {
                sum.inputs += call.last_kept;
                call.last_kept = Bytes::ZERO;
            }
            call.previous = Some(stack);
            if kept {
                sum.kept += lives.size(life);
                call.last_kept = lives.size(life);
            }
        }
        previous = chain;
    }
}

/// Alive at the moment, and held beyond the forward pass.
fn is_kept(memory: &Attributed<'_>, life: LifeId, state: u32) -> bool {
    memory.lives().is_alive(life, state) && memory.free_class(life).category != Category::Activation
}

fn rows(snapshot: &Snapshot, modules: &Modules, sums: &[ModuleSums]) -> Vec<ModuleRow> {
    let mut children: FastMap<u32, Vec<u32>> = fast_map();
    for (index, node) in modules.nodes.iter().enumerate() {
        if sums.get(index).is_some_and(|s| s.count > 0) {
            children.entry(node.parent).or_default().push(index as u32);
        }
    }
    let bytes_of = |node: u32| sums.get(node as usize).map_or(Bytes::ZERO, |s| s.bytes);
    for siblings in children.values_mut() {
        // Popped from the back: the largest last, and of equals the one seen first.
        siblings.arrange_by_key(|&node| (bytes_of(node), core::cmp::Reverse(node)));
    }
    let mut rows = Vec::new();
    let mut open = children.remove(&OUTSIDE).unwrap_or_default();
    while let Some(node) = open.pop() {
        let (Some(sum), Some(at)) = (sums.get(node as usize), modules.nodes.get(node as usize)) else {
            continue;
        };
        rows.push(ModuleRow {
            module: modules.path(snapshot, node),
            depth: at.depth,
            bytes: sum.bytes,
            count: sum.count,
            recompute_bytes: sum.kept - sum.inputs,
        });
        open.extend(children.remove(&node).unwrap_or_default());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::attribution::{Attribution, UserRules};
    use crate::model::{Action, Address, Device, Event, Frame, StreamId, Trace};
    use crate::replay::Replay;

    /// File, line and function of a frame.
    type Place<'a> = (&'a str, u64, &'a str);
    /// An alloc (address, size, frames innermost first) or a free (address, 0, frames).
    type Happening<'a> = (u64, u64, &'a [Place<'a>]);

    fn trace(events: &[Happening<'_>]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for &(address, size, frames) in events {
            let ids: Vec<FrameId> = frames
                .iter()
                .map(|&(file, line, function)| {
                    let (file, function) = (snapshot.strings.intern(file), snapshot.strings.intern(function));
                    snapshot.frames.intern(Frame { file, function, line })
                })
                .collect();
            let stack = snapshot.stacks.intern(&ids);
            let mut push = |action| {
                let (address, size) = (Address(address), Bytes(size));
                snapshot.events.push(Event { action, address, size, stream: StreamId(0), time: None, stack })
            };
            if size > 0 {
                push(Action::Alloc);
            } else {
                push(Action::FreeRequested);
                push(Action::FreeCompleted);
            }
        }
        snapshot.streams.intern(0);
        snapshot.traces.push(Trace { device: Device::Index(0), rows: 0..snapshot.events.len() });
        snapshot
    }

    #[test]
    fn bytes_roll_up_and_a_loop_keeps_the_inputs_of_its_calls() {
        const MODEL: Place<'_> = ("m/model.py", 10, "forward");
        const HEAD: Place<'_> = ("m/model.py", 12, "forward");
        let first = [("m/block.py", 5, "forward"), MODEL, ("t.py", 1, "main")];
        let second = [("m/block.py", 6, "forward"), MODEL, ("t.py", 1, "main")];
        let head = [HEAD, ("t.py", 1, "main")];
        let engine = [("??", 0, "torch::autograd::Engine::evaluate_function()")];
        let mut events: Vec<Happening<'_>> = Vec::new();
        for call in 0..3 {
            events.push((0x1000 + call * 0x100, 100, &first));
            events.push((0x9000, 7, &first));
            events.push((0x9000, 0, &first));
            events.push((0x2000 + call * 0x100, 50, &second));
        }
        events.push((0x3000, 20, &head));
        events.push((0x3100, 1000, &head));
        events.push((0x3100, 0, &head));
        events.push((0x3000, 0, &engine));
        let snapshot = trace(&events);
        let classes = StackClasses::new(&snapshot, UserRules::default());
        let replay = Replay::new(&snapshot, Device::Index(0));
        let attribution = Attribution::new(&snapshot, &replay, &classes);
        let memory =
            Attributed { snapshot: &snapshot, replay: &replay, classes: &classes, attribution: &attribution };
        let modules = Modules::new(&snapshot, &classes);
        let rows = by_module(&memory, &modules, replay.peak().state());
        let rows: Vec<_> = rows
            .iter()
            .map(|r| (r.module.as_str(), r.depth, r.bytes.0, r.count, r.recompute_bytes.0))
            .collect();
        // At the peak the head holds 20 kept and 1,000 that its own forward lets go. Three calls at
        // model.py:10: the second and third are given the 50 of the call before, which stay.
        assert_eq!(
            rows,
            [
                ("model.py:12", 1, 1020, 2, 20),
                ("model.py:10", 1, 450, 6, 350),
                ("model.py:10 > block.py:5", 2, 300, 3, 300),
                ("model.py:10 > block.py:6", 2, 150, 3, 150),
            ]
        );
    }
}
