//! Where the work of a dequeue was put on the queue.
//!
//! Both slices carry the same correlation; where they do not, the arrows between them do. A counter
//! that wraps around or starts again makes ids repeat, so of several enqueues of an id the last before
//! the dequeue counts.

use crate::model::StringId;
use crate::model::profile::TraceTable;

/// The thread and the moment of an enqueue.
pub type Source = (StringId, i64);

/// `(dequeue, source)` for every dequeue that has one.
pub fn sources(trace: &TraceTable) -> Vec<(u32, Source)> {
    let slices =
        trace.enqueue.iter().zip(&trace.enqueue_id).map(|(span, &id)| (id, span.start.0, span.thread));
    let arrows = trace.flows.iter().filter(|f| !f.end).map(|f| (f.id, f.at.0, f.thread));
    let by_slice = sorted(slices.filter(|&(id, ..)| id != u64::MAX));
    let by_arrow = sorted(arrows);
    let mut ends: Vec<(StringId, i64, u64)> =
        trace.flows.iter().filter(|f| f.end).map(|f| (f.thread, f.at.0, f.id)).collect();
    ends.sort_unstable();
    let mut out = Vec::with_capacity(trace.dequeue.len());
    for ((span, &id), i) in trace.dequeue.iter().zip(&trace.dequeue_id).zip(0_u32..) {
        let arrow = || {
            let from = ends.partition_point(|&(thread, at, _)| (thread, at) < (span.thread, span.start.0));
            let &(thread, at, id) = ends.get(from)?;
            (thread == span.thread && at <= span.end.0).then_some(id)
        };
        let source = last_before(&by_slice, id, span.start.0)
            .or_else(|| last_before(&by_arrow, id, span.start.0))
            .or_else(|| last_before(&by_arrow, arrow()?, span.start.0));
        if let Some(source) = source {
            out.push((i, source));
        }
    }
    out
}

type Start = (u64, i64, StringId);

fn sorted(starts: impl Iterator<Item = Start>) -> Vec<Start> {
    let mut starts: Vec<Start> = starts.collect();
    starts.sort_unstable();
    starts
}

/// The last start of `id` not after `at`, or the first one where all are later (clocks of two threads
/// may differ by a little).
fn last_before(starts: &[Start], id: u64, at: i64) -> Option<Source> {
    let behind = starts.partition_point(|&(i, t, _)| (i, t) <= (id, at));
    let before = behind.checked_sub(1).and_then(|i| starts.get(i)).filter(|s| s.0 == id);
    let found = before.or_else(|| starts.get(behind).filter(|s| s.0 == id))?;
    Some((found.2, found.1))
}
