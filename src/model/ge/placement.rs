//! Where the compiler put each output and workspace of a static graph: one row a line.

use crate::model::{Bytes, Nanos, StringId};
use serde::Serialize;

/// Life ends from here on mean "never released" (4294967294 and 4294967295 in the logs).
pub const NEVER: u64 = 4_294_967_294;

/// Which line placed the memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementKind {
    /// The allocator's own `[IMAS]Set`.
    Set,
    /// Inputs that must lie side by side.
    ContinuousInput,
    /// Outputs that must lie side by side.
    ContinuousOutput,
    /// An output that is cleared together with others.
    AtomicOutput,
    /// A workspace that is cleared together with others.
    AtomicWorkspace,
    /// The same, of a fused operator.
    FusionWorkspace,
    /// What the clearing operator itself covers; no memory of its own.
    MemSet,
}

impl PlacementKind {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            PlacementKind::Set => "set",
            PlacementKind::ContinuousInput => "continuous_input",
            PlacementKind::ContinuousOutput => "continuous_output",
            PlacementKind::AtomicOutput => "atomic_output",
            PlacementKind::AtomicWorkspace => "atomic_workspace",
            PlacementKind::FusionWorkspace => "fusion_workspace",
            PlacementKind::MemSet => "mem_set",
        }
    }

    /// Continuous input or output.
    pub fn is_continuous(self) -> bool {
        matches!(self, PlacementKind::ContinuousInput | PlacementKind::ContinuousOutput)
    }

    /// Memory that is cleared before the graph runs, outside the allocator's reuse.
    pub fn is_atomic(self) -> bool {
        matches!(
            self,
            PlacementKind::AtomicOutput | PlacementKind::AtomicWorkspace | PlacementKind::FusionWorkspace
        )
    }
}

/// What of the operator the memory is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Slot {
    #[default]
    Output,
    Workspace,
    OutputDesc,
    Input,
}

impl Slot {
    /// The word the logs use.
    pub fn word(self) -> &'static str {
        match self {
            Slot::Output => "output",
            Slot::Workspace => "workspace",
            Slot::OutputDesc => "outputdesc",
            Slot::Input => "input",
        }
    }
}

/// The stream, and the other number of `a--b` where the log prints two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StreamPair {
    pub stream: i64,
    pub other: Option<i64>,
}

/// Begin and end in the graph's own order of execution. A text `a--b` gives several numbers: the
/// smallest begin and the largest end count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Lifetime {
    pub begin: u64,
    pub end: u64,
    /// The smallest number of the end's text: where it would end were there no other stream.
    pub end_own_stream: u64,
    /// The texts as printed, where they are not the plain numbers.
    pub begin_text: Option<StringId>,
    pub end_text: Option<StringId>,
}

impl Lifetime {
    /// Held for as long as the model is loaded.
    pub fn is_forever(self) -> bool {
        self.end >= NEVER
    }
}

/// `child[level:reuse:continuous:zero copy:same stream]`; older logs print one or four of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Child {
    pub parts: [i32; 5],
    pub count: u8,
}

impl Child {
    /// How deep the block lies inside blocks whose memory it reuses.
    pub fn level(self) -> i32 {
        self.parts[0]
    }

    /// May share memory with others over time. A log that does not say so is taken to mean yes.
    pub fn reusable(self) -> bool {
        self.count < 2 || self.parts[1] != 0
    }

    /// Part of a block whose members must lie side by side.
    pub fn continuous(self) -> bool {
        self.count >= 3 && self.parts[2] != 0
    }

    /// Lives in the user's own buffer. The four-part form has the "deleted" mark in this place.
    pub fn zero_copy(self) -> bool {
        self.count >= 5 && self.parts[3] != 0
    }

    /// Four-part form: the block was dropped before memory was given out.
    pub fn deleted(self) -> bool {
        self.count == 4 && self.parts[3] != 0
    }
}

/// One output, workspace or output description and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    pub at: Nanos,
    pub kind: PlacementKind,
    pub slot: Slot,
    pub index: u32,
    pub name: StringId,
    /// `NONE` in the oldest logs.
    pub op_type: StringId,
    pub offset: u64,
    pub stream: StreamPair,
    pub mem_type: Option<i64>,
    /// Size of the block, a multiple of 512; 0 where the line only moves an output inside a block.
    pub size: Bytes,
    /// What the operator needs, a multiple of 32.
    pub real_size: Bytes,
    /// Elements times element size.
    pub no_align_size: Option<Bytes>,
    /// `None` on lines that print none.
    pub life: Option<Lifetime>,
    pub child: Child,
    /// Shares the memory of the operator's input.
    pub is_ref: Option<bool>,
    pub no_padding: Option<bool>,
    /// Branch of a dynamic multi-batch graph; only one of them runs at a time.
    pub batch: StringId,
    pub block_type: StringId,
    pub scope: Option<i64>,
}

impl Placement {
    /// Takes memory of its own: not a reference, not a move inside a block, not dropped.
    pub fn owns_memory(&self) -> bool {
        self.is_ref != Some(true)
            && self.size.0 > 0
            && !self.child.deleted()
            && self.kind != PlacementKind::MemSet
    }
}

/// `io_reuse[inputs:outputs]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ReuseInput {
    pub inputs: u64,
    pub outputs: u64,
}

/// What GE says of a graph when memory is given out (`AfterAssignMemory`), or the closing row of an
/// imas_mem_graph.csv.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    pub at: Nanos,
    pub mem_type: i64,
    /// After reuse.
    pub memory_size: Bytes,
    /// Sum without reuse, 512-aligned.
    pub total_size: Option<Bytes>,
    /// Sum without reuse of the operator lines, 32-aligned: only a report that is read back has it.
    pub operator_total: Option<Bytes>,
    pub theory_min: Option<Bytes>,
    pub zero_copy: Option<Bytes>,
    pub no_reuse: Option<Bytes>,
    pub atomic: Option<Bytes>,
    pub continuous: Option<Bytes>,
    pub streams: Option<u64>,
    pub topo_mode: StringId,
    pub mop: StringId,
    pub io_reuse: Option<ReuseInput>,
    pub alloc_mode: StringId,
    pub smp: StringId,
}

impl Summary {
    /// A summary of which only the two figures that every log has are known.
    pub fn new(at: Nanos, mem_type: i64, memory_size: Bytes) -> Summary {
        Summary {
            at,
            mem_type,
            memory_size,
            total_size: None,
            operator_total: None,
            theory_min: None,
            zero_copy: None,
            no_reuse: None,
            atomic: None,
            continuous: None,
            streams: None,
            topo_mode: StringId::NONE,
            mop: StringId::NONE,
            io_reuse: None,
            alloc_mode: StringId::NONE,
            smp: StringId::NONE,
        }
    }
}
