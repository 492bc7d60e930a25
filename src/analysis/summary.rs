//! What a snapshot holds, in plain sentences: the text beside the figures.

use super::overview::DeviceOverview;
use crate::model::{Action, Bytes, Snapshot};
use crate::replay::{Origin, Replay};
use crate::text::Message;

/// Trace lengths that people set as `max_entries`. A trace of just that length was most likely cut.
const RING_SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Sentences about the file as a whole.
pub fn notes(snapshot: &Snapshot) -> Vec<Message> {
    let mut notes = Vec::new();
    if !snapshot.complete {
        notes.push(Message::new("summary.incomplete"));
    }
    if let Some(left_out) = snapshot.left_out {
        if left_out.events > 0 {
            notes.push(Message::new("summary.left_out").count("events", left_out.events));
        }
        if left_out.after > 0 {
            notes.push(Message::new("summary.left_out_after").count("events", left_out.after));
        }
        if left_out.native_frames {
            notes.push(Message::new("summary.no_native"));
        }
    }
    notes
}

/// Sentences about one device, the most important first.
pub fn device(snapshot: &Snapshot, replay: &Replay, figures: &DeviceOverview) -> Vec<Message> {
    let mut says = vec![holds(figures)];
    says.push(
        Message::new("summary.requested")
            .bytes("requested", figures.requested)
            .bytes("rounding", Bytes(figures.rounding.max(0) as u64)),
    );
    if figures.pending_free > Bytes::ZERO {
        says.push(Message::new("summary.pending").bytes("pending", figures.pending_free));
    }
    if figures.cached_free > Bytes::ZERO {
        says.push(
            Message::new("summary.cached")
                .bytes("cached", figures.cached_free)
                .bytes("largest", figures.largest_free_block),
        );
    }
    match figures.events {
        0 => says.push(Message::new("summary.no_events")),
        1 => says.push(Message::new("summary.one_event")),
        _ => traced(snapshot, replay, figures, &mut says),
    }
    says
}

/// Which figures cannot be had because whole kinds of events were never recorded.
fn not_recorded(replay: &Replay) -> Vec<Message> {
    let actions = &replay.actions;
    let frees = actions.of(Action::FreeRequested);
    let kinds = [
        (!actions.tells_alloc(), "summary.no_allocs"),
        (frees > 0 && !actions.tells_completion(), "summary.no_completions"),
        (!actions.tells_request(), "summary.no_requests"),
    ];
    kinds.into_iter().filter(|&(missing, _)| missing).map(|(_, key)| Message::new(key)).collect()
}

fn holds(figures: &DeviceOverview) -> Message {
    let message = Message::new(if figures.workspace > Bytes::ZERO {
        "summary.device_workspace"
    } else {
        "summary.device"
    })
    .text("device", figures.device.to_string())
    .bytes("reserved", figures.reserved)
    .bytes("allocated", figures.allocated)
    .count("blocks", figures.blocks)
    .count("segments", figures.segments);
    if figures.workspace > Bytes::ZERO { message.bytes("workspace", figures.workspace) } else { message }
}

fn traced(snapshot: &Snapshot, replay: &Replay, figures: &DeviceOverview, says: &mut Vec<Message>) {
    let (peak, held) = (figures.peak_requested, figures.final_requested);
    if peak > held {
        says.push(
            Message::new("summary.not_at_peak")
                .bytes("held", held)
                .bytes("peak", peak)
                .event("event", figures.peak_event)
                .bytes("gap", peak - held),
        );
    } else {
        says.push(Message::new("summary.peak_now").bytes("peak", peak));
    }
    if figures.initial_requested > Bytes::ZERO {
        says.push(
            Message::new("summary.initial")
                .bytes("bytes", figures.initial_requested)
                .share("share", figures.initial_requested.share_of(peak)),
        );
    }
    says.extend(not_recorded(replay));
    if is_cut(replay, figures.events) {
        says.push(Message::new("summary.ring_cut").count("events", figures.events));
    }
    says.push(ooms(snapshot, replay).unwrap_or_else(|| Message::new("summary.no_oom")));
}

/// A trace that is most likely the end of a longer one: of a usual ring length, and it frees what it
/// never allocated.
fn is_cut(replay: &Replay, events: u64) -> bool {
    let frees_unknown = || {
        (0..replay.lives.initial_len())
            .map(crate::model::LifeId::new)
            .any(|id| matches!(replay.lives.origin(id), Origin::Event(_)))
    };
    RING_SIZES.contains(&events) && frees_unknown()
}

fn ooms(snapshot: &Snapshot, replay: &Replay) -> Option<Message> {
    let actions = snapshot.events.action.get(replay.rows.clone())?;
    let mut at = actions.iter().enumerate().filter(|&(_, &action)| action == Action::Oom).map(|(i, _)| i);
    let first = at.next()?;
    let size = snapshot.events.get(replay.rows.start + first).size;
    Some(
        Message::new("summary.oom")
            .count("count", 1 + at.count() as u64)
            .event("event", first as i64)
            .bytes("requested", size),
    )
}
