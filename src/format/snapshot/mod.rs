//! Memory snapshots of PyTorch and torch_npu: what the values of a pickle or JSON file mean.
//!
//! [`builder`] puts values together, [`tables`] turns finished entries into rows at once, [`finish`]
//! says in the end which rows are whose. [`handle`] and [`heap`] are the values themselves.

mod backend;
mod budget;
pub(in crate::format) mod builder;
mod events;
mod finish;
pub(in crate::format) mod handle;
pub(in crate::format) mod heap;
pub(in crate::format) mod json;
mod keep;
mod keys;
pub(in crate::format) mod render;
mod segments;
mod tables;
mod tail;
mod unwind;

pub use keep::kept;

use super::{Error, ReadOptions, Result};
use crate::model::Snapshot;
use builder::Builder;

/// The hint for a file that is readable but no snapshot.
const EXPECTED: &str = "expected what torch.cuda.memory._dump_snapshot() or torch_npu.npu.memory._dump_snapshot() \
                        writes: a dict with \"segments\" and \"device_traces\", or a list of segments";

/// The file broke with `damage`: what was read before it, or the error if that is nothing.
pub(in crate::format) fn salvage(
    mut builder: Builder,
    options: &ReadOptions,
    damage: Error,
) -> Result<Snapshot> {
    let Some(top) = builder.unwind() else { return Err(damage) };
    let Ok(mut snapshot) = builder.finish(top, options.native_frames) else { return Err(damage) };
    if snapshot.events.is_empty() && snapshot.segments.is_empty() {
        return Err(damage);
    }
    snapshot.complete = false;
    let kind = if damage.kind == super::ErrorKind::Truncated { "truncated" } else { "damaged" };
    snapshot
        .warnings
        .add(kind, damage.position, || format!("{}; everything before it was used", damage.message));
    Ok(snapshot)
}
