//! What was asked of the driver, and what it counted at exit.

use crate::model::{Address, Bytes, Nanos, StringId};

/// One call to the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriverOp {
    /// `MallocMemory, func=…, size=N, purpose=T[, ptr=X, device_id=N, module_id=N]`.
    Malloc { purpose: StringId, function: StringId, pointer: Option<Address>, module: Option<u32> },
    /// `rtMallocPhysical success`: the malloc before it on the same thread was this page.
    PhysicalPage { page: u64, current: Bytes },
    /// `rtFreePhysical success`.
    FreePhysical { page: u64, current: Bytes },
    /// `MemoryAllocator::MallocMemory device_id = N, size= N`: printed before the purpose line, and
    /// alone for 1024 bytes and less.
    MallocDevice,
    /// A free; most print no address, so that its size cannot be told.
    Free { pointer: Option<Address> },
}

/// A row of the driver's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverEvent {
    pub at: Nanos,
    pub thread: u64,
    pub device: Option<u32>,
    /// 0 on frees.
    pub size: Bytes,
    pub op: DriverOp,
}

/// One line of the driver's statistics at exit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExitStat {
    pub at: Nanos,
    /// `HOST_MEM`, `MEM_DEV_HUGE_HBM`, …
    pub memory: StringId,
    pub device: u32,
    /// `NONE` on the line of the driver's own cache.
    pub module: StringId,
    pub module_id: Option<u32>,
    pub current: Bytes,
    pub peak: Bytes,
    pub alloc_count: u64,
    pub free_count: u64,
    /// Only on the cache's line.
    pub cached: Option<Bytes>,
}
