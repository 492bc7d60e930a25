//! What the figures say, and what to do about them.
//!
//! Each piece of advice follows from a rule with its figures, and knows what it cannot be combined
//! with: torch_npu refuses some settings together, and sleep modes own their pools.

use super::DeviceFragment;
use crate::analysis::health::Grade;
use crate::model::{Bytes, Snapshot, Writer};
use crate::replay::Rounding;
use crate::text::Message;

/// Above this share of the idle memory, pending frees are the story.
const MOSTLY_PENDING: f64 = 0.5;
/// So much of the reserved memory is worth giving back.
const WORTH_RELEASING: f64 = 0.1;
const MANY_SEGMENTS: u64 = 100;

pub(super) fn summary(f: &DeviceFragment, rounding: Rounding) -> Vec<Message> {
    let grade = match f.grade {
        Grade::Good => "fragment.good",
        Grade::Watch => "fragment.watch",
        Grade::Bad => "fragment.bad",
    };
    let mut summary = vec![
        Message::new(grade)
            .share("share", f.fragmentation)
            .bytes("idle", f.idle)
            .bytes("reserved", f.reserved),
    ];
    let mut say = |holds: bool, message: Message| {
        if holds {
            summary.push(message);
        }
    };
    say(
        f.missing_in_snapshot > 0,
        Message::new("fragment.missing")
            .count("count", f.missing_in_snapshot)
            .bytes("bytes", f.missing_bytes),
    );
    say(
        f.pending > Bytes::ZERO,
        Message::new(if f.pending_share > MOSTLY_PENDING {
            "fragment.mostly_pending"
        } else {
            "fragment.pending"
        })
        .bytes("bytes", f.pending)
        .share("share", f.pending_share),
    );
    say(f.releasable > Bytes::ZERO, Message::new("fragment.releasable").bytes("bytes", f.releasable));
    say(f.workspace > Bytes::ZERO, Message::new("fragment.workspace").bytes("bytes", f.workspace));
    if let Some(first) = f.pinned.first() {
        let gain = f.pinned.iter().map(|pin| pin.gain).sum();
        say(
            true,
            Message::new("fragment.pinned")
                .bytes("gain", first.gain)
                .bytes("block", first.block_size)
                .count("count", f.pinned.len() as u64)
                .bytes("all", gain),
        );
    }
    if let Some(requests) = f.requests {
        let fits = f.largest_free_block >= rounding.rounded(requests.largest);
        say(
            f.free_blocks > 0,
            Message::new(if fits { "fragment.largest_fits" } else { "fragment.largest_too_small" })
                .bytes("largest", f.largest_free_block)
                .bytes("median", requests.median)
                .bytes("p95", requests.p95)
                .bytes("most", requests.largest),
        );
    }
    if let Some(reuse) = f.reuse_rate {
        say(
            true,
            Message::new("fragment.reuse")
                .share("share", reuse)
                .bytes("all", f.allocated_in_all)
                .bytes("reserved", f.peak_reserved),
        );
    }
    say(
        f.peak_reserved > f.lower_bound,
        Message::new("fragment.lower_bound").bytes("peak", f.peak_reserved).bytes("bound", f.lower_bound),
    );
    if let Some(burst) = f.bursts.first() {
        say(
            true,
            Message::new("fragment.burst")
                .count("count", burst.count)
                .bytes("bytes", burst.bytes)
                .event("first", burst.first_event.into())
                .event("last", burst.last_event.into()),
        );
    }
    summary
}

/// The allocator settings that matter here.
struct Settings {
    expandable: bool,
    max_split: bool,
    gc_threshold: bool,
}

impl Settings {
    fn of(snapshot: &Snapshot, f: &DeviceFragment) -> Settings {
        let get = |wanted: &str| {
            let found = snapshot.allocator_settings.iter().find(|(key, _)| key == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let configured = |option: &str| {
            let texts = snapshot.allocator_settings.iter().filter(|(key, _)| key.ends_with("ALLOC_CONF"));
            texts.into_iter().any(|(_, text)| text.contains(option))
        };
        let number = |key: &str| get(key).and_then(|text| text.trim().parse::<f64>().ok());
        Settings {
            expandable: f.segments.iter().any(|s| s.is_expandable)
                || get("expandable_segments").is_some_and(|text| text.eq_ignore_ascii_case("true")),
            max_split: configured("max_split_size_mb") || number("max_split_size").is_some_and(|n| n > 0.0),
            gc_threshold: configured("garbage_collection_threshold")
                || number("garbage_collection_threshold").is_some_and(|n| n > 0.0),
        }
    }
}

pub(super) fn advice(snapshot: &Snapshot, f: &DeviceFragment) -> Vec<Message> {
    let settings = Settings::of(snapshot, f);
    let mut advice = Vec::new();
    if f.pending_share > MOSTLY_PENDING {
        advice.push(
            Message::new("fragment.advice.pending").bytes("bytes", f.pending).share("share", f.pending_share),
        );
    }
    if let Some(pin) = f.pinned.first().filter(|pin| pin.gain.share_of(f.reserved) >= 0.01) {
        advice.push(
            Message::new("fragment.advice.pinned").bytes("gain", pin.gain).bytes("block", pin.block_size),
        );
    }
    if f.releasable.share_of(f.reserved) >= WORTH_RELEASING {
        advice.push(Message::new("fragment.advice.release").bytes("bytes", f.releasable));
    }
    let holes = f.idle - f.pending - f.releasable - f.workspace;
    if f.grade == Grade::Bad && holes.share_of(f.reserved) > 0.05 {
        let share = holes.share_of(f.reserved);
        advice.extend(against_holes(snapshot, f, &settings, holes, share));
    }
    if f.segment_count > MANY_SEGMENTS && f.grade > Grade::Good && !settings.expandable {
        advice.push(
            Message::new("fragment.advice.many_segments")
                .count("segments", f.segment_count)
                .share("share", f.fragmentation),
        );
    }
    advice
}

fn against_holes(
    snapshot: &Snapshot,
    f: &DeviceFragment,
    settings: &Settings,
    holes: Bytes,
    share: f64,
) -> Vec<Message> {
    if settings.expandable {
        return vec![
            Message::new("fragment.advice.already_expandable").bytes("bytes", holes).share("share", share),
        ];
    }
    let mut advice =
        vec![Message::new("fragment.advice.expandable").bytes("bytes", holes).share("share", share)];
    match snapshot.writer {
        // torch_npu refuses the combinations; what is set there stands in no file.
        Writer::TorchNpu => advice.push(Message::new("fragment.advice.npu_excludes")),
        _ if settings.max_split || settings.gc_threshold => {
            advice.push(Message::new("fragment.advice.remove_split"));
        }
        _ => advice.push(Message::new("fragment.advice.or_split")),
    }
    let private = f.segments.iter().filter(|segment| segment.pool != (0, 0)).count() as u64;
    if private > 0 {
        advice.push(Message::new("fragment.advice.sleep_mode").count("segments", private));
    }
    advice
}
