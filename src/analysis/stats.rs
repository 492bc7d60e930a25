//! The totals as PyTorch's own `_memory_viz.py stats` defines them.
//!
//! They differ from ours on purpose: everything that is not `active_allocated` is free there (pending
//! frees and workspace too), "allocated" means requested bytes, and devices are merged.

use crate::model::{BlockState, Bytes, Device, Snapshot};
use serde::Serialize;

/// `hbmlens.stats/1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Stats {
    pub schema: &'static str,
    pub total_reserved: Bytes,
    /// Σ requested bytes of allocated blocks.
    pub total_allocated: Bytes,
    /// `internal + external`.
    pub total_free: i64,
    /// Rounding inside allocated blocks; negative where a writer's requested sizes exceed its blocks.
    pub internal: i64,
    /// Σ size of all other blocks.
    pub external: Bytes,
}

impl Stats {
    /// 100 · internal / (internal + external), as the tool prints it; `None` when nothing is free.
    pub fn internal_percent(&self) -> Option<f64> {
        (self.total_free != 0).then(|| 100.0 * self.internal as f64 / self.total_free as f64)
    }
}

/// The figures over all devices of the file; the host's segments are not part of that tool's input.
pub fn stats(snapshot: &Snapshot) -> Stats {
    let mut stats = Stats {
        schema: "hbmlens.stats/1",
        total_reserved: Bytes::ZERO,
        total_allocated: Bytes::ZERO,
        total_free: 0,
        internal: 0,
        external: Bytes::ZERO,
    };
    for segment in snapshot.segments.iter().filter(|s| s.device != Device::Host) {
        stats.total_reserved += segment.total_size;
        for id in segment.block_ids() {
            let block = snapshot.blocks.get(id);
            if block.state == BlockState::ActiveAllocated {
                let requested = snapshot.blocks.requested(block);
                stats.total_allocated += requested;
                stats.internal = stats.internal.saturating_add(block.size.minus(requested));
            } else {
                stats.external += block.size;
            }
        }
    }
    stats.total_free = stats.external.minus(Bytes::ZERO).saturating_add(stats.internal);
    stats
}
