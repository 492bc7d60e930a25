//! The six rules, in order, with the words for each.

use super::{Attributed, GrowingSite, OomOptions, Room};
use crate::model::{Arrange, Bytes, SegmentType};
use crate::replay::{CurveKind, Replay};
use crate::text::Message;
use serde::Serialize;

/// Why it failed; the order is that of the rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Verdict {
    /// Pending frees, completed, would let it fit.
    Pending,
    /// A free block of the size belongs to another stream, pool or size class.
    Stream,
    /// Enough is free, in pieces too small.
    Fragmentation,
    /// The request is over half the device.
    Huge,
    /// A call site grows from step to step.
    Growth,
    /// Live memory fills the device.
    Capacity,
}

impl Verdict {
    /// The name in JSON and in text keys.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pending => "pending",
            Verdict::Stream => "stream",
            Verdict::Fragmentation => "fragmentation",
            Verdict::Huge => "huge",
            Verdict::Growth => "growth",
            Verdict::Capacity => "capacity",
        }
    }
}

/// A rule that holds beside the verdict.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Contribution {
    pub verdict: Verdict,
    pub evidence: Message,
}

pub(super) struct Judged {
    pub verdict: Verdict,
    pub contributing: Vec<Contribution>,
    pub evidence: Vec<Message>,
    pub advice: Vec<Message>,
}

/// Below this share of reserved memory, holes are too small to be the reason.
const SMALL_HOLES_PERCENT: u64 = 3;

pub(super) fn judge(memory: &Attributed<'_>, room: &Room, options: &OomOptions<'_>) -> Judged {
    let mut rules = Vec::new();
    let mut rule = |verdict, evidence: Option<Message>| {
        if let Some(evidence) = evidence {
            rules.push(Contribution { verdict, evidence });
        }
    };
    rule(Verdict::Pending, pending(room));
    rule(Verdict::Stream, stream(room));
    rule(Verdict::Fragmentation, fragmentation(room));
    rule(Verdict::Huge, options.limit.and_then(|limit| huge(room, limit)));
    let largest_growth = options.growing.iter().max_by_key(|site| site.held);
    rule(Verdict::Growth, largest_growth.and_then(|site| growth(memory, site)));
    let fills = room.cached_free + room.device_free < room.requested;
    let full = Contribution { verdict: Verdict::Capacity, evidence: capacity(room) };
    let mut rules = rules.into_iter().chain(fills.then(|| full.clone()));
    let first = rules.next().unwrap_or(full);
    let mut contributing: Vec<Contribution> = rules.collect();
    // Growth is said first where it explains more than the request.
    if largest_growth.is_some_and(|site| site.held > room.requested) {
        contributing.arrange_by_key(|c| (c.verdict != Verdict::Growth, c.verdict));
    }
    let mut evidence = vec![first.evidence];
    if first.verdict == Verdict::Capacity && room.cached_free >= room.requested {
        evidence.push(small_holes(room));
    }
    match options.limit {
        None => evidence.push(Message::new("oom.no_limit")),
        Some(limit) => {
            let others = limit - room.device_free - room.reserved;
            if others > Bytes::ZERO {
                evidence.push(
                    Message::new("oom.others").bytes("bytes", others).share("share", others.share_of(limit)),
                );
            }
        }
    }
    if room.workspace > Bytes::ZERO {
        evidence.push(Message::new("oom.workspace").bytes("bytes", room.workspace));
    }
    let advice = advice(memory, room, first.verdict, options);
    Judged { verdict: first.verdict, contributing, evidence, advice }
}

fn pending(room: &Room) -> Option<Message> {
    let holds = room.pending >= room.requested && room.after_pending >= room.requested;
    holds.then(|| {
        Message::new("oom.pending")
            .bytes("pending", room.pending)
            .bytes("fits", room.after_pending)
            .bytes("requested", room.requested)
    })
}

fn stream(room: &Room) -> Option<Message> {
    let (stream, pool, segment_type) = room.largest_home?;
    if room.largest_any < room.requested || room.largest_usable >= room.requested {
        return None;
    }
    let message = if stream != room.stream {
        Message::new("oom.other_stream")
            .text("owner", stream.to_string())
            .text("own", room.stream.to_string())
    } else if pool != room.pool {
        let pool_text = |(a, b): (i64, i64)| format!("({a}, {b})");
        Message::new("oom.other_pool").text("owner", pool_text(pool)).text("own", pool_text(room.pool))
    } else if segment_type == SegmentType::Small {
        Message::new("oom.other_class_small")
    } else {
        Message::new("oom.other_class_large")
    };
    Some(
        message
            .bytes("largest", room.largest_any)
            .bytes("usable", room.largest_usable)
            .bytes("requested", room.requested),
    )
}

fn fragmentation(room: &Room) -> Option<Message> {
    let enough = room.cached_free >= room.requested && room.largest_any < room.requested;
    let counts = u128::from(room.cached_free.0) * 100
        >= u128::from(SMALL_HOLES_PERCENT) * u128::from(room.own_reserved().0);
    (enough && counts).then(|| {
        Message::new("oom.fragmentation")
            .bytes("cached", room.cached_free)
            .share("share", room.cached_free.share_of(room.own_reserved()))
            .count("holes", room.holes)
            .bytes("largest", room.largest_any)
            .bytes("requested", room.requested)
    })
}

fn huge(room: &Room, limit: Bytes) -> Option<Message> {
    let over_half = u128::from(room.requested.0) * 2 > u128::from(limit.0);
    over_half.then(|| {
        Message::new("oom.huge")
            .bytes("requested", room.requested)
            .share("share", room.requested.share_of(limit))
            .bytes("limit", limit)
    })
}

fn growth(memory: &Attributed<'_>, site: &GrowingSite) -> Option<Message> {
    let frame = memory.frame_text(site.site)?;
    Some(
        Message::new("oom.growth")
            .text("site", format!("{}:{} {}", frame.file, frame.line, frame.function))
            .bytes("bytes", site.bytes_per_step)
            .bytes("held", site.held),
    )
}

fn capacity(room: &Room) -> Message {
    Message::new("oom.capacity")
        .bytes("active", room.active)
        .bytes("reserved", room.own_reserved())
        .bytes("free", room.cached_free + room.device_free)
        .bytes("requested", room.requested)
}

fn small_holes(room: &Room) -> Message {
    Message::new("oom.small_holes")
        .bytes("cached", room.cached_free)
        .share("share", room.cached_free.share_of(room.own_reserved()))
}

fn advice(memory: &Attributed<'_>, room: &Room, verdict: Verdict, options: &OomOptions<'_>) -> Vec<Message> {
    let expandable = memory.replay.pieces.rows().iter().any(|piece| piece.is_expandable);
    let mut advice = vec![match verdict {
        Verdict::Pending => Message::new("oom.advice.pending").bytes("pending", room.pending),
        Verdict::Stream => Message::new("oom.advice.stream").bytes("largest", room.largest_any),
        Verdict::Fragmentation if expandable => {
            Message::new("oom.advice.fragmentation_expandable").bytes("cached", room.cached_free)
        }
        Verdict::Fragmentation => Message::new("oom.advice.fragmentation").bytes("cached", room.cached_free),
        Verdict::Huge => Message::new("oom.advice.huge").bytes("requested", room.requested),
        Verdict::Growth => Message::new("oom.advice.growth"),
        Verdict::Capacity => Message::new("oom.advice.capacity").bytes("missing", missing(room)),
    }];
    if let Some(limit) = options.limit {
        let others = limit - room.device_free - room.reserved;
        if others >= room.requested {
            advice.push(Message::new("oom.advice.others").bytes("bytes", others));
        }
    }
    if is_at_peak(memory.replay, room.event) && matches!(verdict, Verdict::Capacity | Verdict::Huge) {
        advice.push(Message::new("oom.advice.at_peak"));
    }
    advice
}

/// By how much the request exceeded what was free anywhere.
fn missing(room: &Room) -> Bytes {
    room.requested - room.cached_free - room.device_free
}

/// Whether the program holds at least 98 % of its peak when it fails.
fn is_at_peak(replay: &Replay, event: u32) -> bool {
    let now = replay.value(CurveKind::Requested, event);
    u128::from(now.0) * 100 >= u128::from(replay.peak().bytes.0) * 98
}
