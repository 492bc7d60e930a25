//! Memory pools of dynamic graphs: what the kernels asked for and what the allocators did.

use crate::model::{Address, Bytes, Nanos, StringId};
use core::fmt;

/// Pools that serve graphs, and the one below them that takes from the driver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AllocatorKind {
    Ge,
    Rts,
}

/// `[allocator_N]` or `[rts_allocator_N]`; printed `ge_N` and `rts_N`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AllocatorName {
    pub kind: AllocatorKind,
    /// `None`: the log does not tell which one.
    pub id: Option<u32>,
}

impl fmt::Display for AllocatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            AllocatorKind::Ge => "ge_",
            AllocatorKind::Rts => "rts_",
        })?;
        match self.id {
            Some(id) => write!(f, "{id}"),
            None => f.write_str("unknown"),
        }
    }
}

/// What happened in a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolOp {
    /// `create caching memory allocator`, or any other line that only shows the allocator's name.
    Named,
    /// A kernel got memory (`[MEM]Alloc memory`).
    KernelAlloc { name: StringId, stream: i64, size: Bytes, tensor_size: Option<Bytes> },
    /// A kernel gave memory back (`[MEM]Free memory`).
    KernelFree { stream: i64 },
    /// The stream's pool took a block (`Expand memory pool`).
    Expand { size: Bytes },
    /// It gave one back.
    Shrink,
    /// The allocator handed out a span (`Malloc block`; prints no allocator name).
    Malloc { size: Bytes, allocated: Bytes },
    /// The allocator took it back (`Free block`).
    Free { allocated: Bytes, theory_size: Bytes, theory_min: Bytes },
    /// `Device memory   : […]`: sizes are printed rounded.
    Details { total: Bytes, theory_min: Bytes, real_theory_min: Bytes },
}

/// A row of the pools' log, in time order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolEvent {
    pub at: Nanos,
    pub thread: u64,
    pub allocator: Option<AllocatorName>,
    pub address: Address,
    pub op: PoolOp,
}
