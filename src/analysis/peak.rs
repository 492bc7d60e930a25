//! Who held the memory at the peak, or at any other moment: `hbmlens.peak/1`.
//!
//! The lives alive at the moment are the composition; every list adds up to the requested bytes of that
//! moment, so a list that is cut ends in a row for the rest.

use super::attribution::{Attributed, Category, FrameText};
use super::grouping::{GroupKey, GroupRow, GroupSums, Grouping, REST};
use super::modules::{ModuleRow, Modules, by_module};
use super::steps::Steps;
use crate::model::{Action, Address, Arrange, Bytes, Device, FastMap, FrameId, LifeId, fast_map};
use crate::text::Message;
use core::cmp::Reverse;
use serde::Serialize;

/// How much of a composition to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PeakOptions {
    /// The state to look at; `None` for the peak.
    pub state: Option<u32>,
    /// Rows of each list, 0 for all.
    pub top: usize,
    /// A grouping of the reader's choice, beside the fixed ones.
    pub by: Option<GroupKey>,
    /// Events shown before and after the moment.
    pub around: u32,
}

impl Default for PeakOptions {
    fn default() -> PeakOptions {
        PeakOptions { state: None, top: 20, by: None, around: 10 }
    }
}

/// The composition of one device's memory at a moment.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct DevicePeak {
    pub device: Device,
    pub peak_requested: Bytes,
    /// −1: the state before the first event.
    pub peak_event: i64,
    pub peak_time_us: Option<i64>,
    /// The moment that is shown: the peak unless another was asked for.
    pub event: i64,
    pub time_us: Option<i64>,
    /// Requested bytes at the moment: the sum of every list below.
    pub requested: Bytes,
    /// Lives alive at the moment.
    pub lives: u64,
    pub explained: Explained,
    pub by_category: Vec<CategoryRow>,
    pub by_call_site: Vec<CallSiteRow>,
    pub by_module: Vec<ModuleRow>,
    /// The grouping that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<GroupedBy>,
    pub top_lives: Vec<LifeRow>,
    pub events_around: Vec<EventRow>,
}

/// Shares of the bytes whose category says what they are for.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Explained {
    pub plain: f64,
    pub inferred: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct GroupedBy {
    pub key: GroupKey,
    pub rows: Vec<GroupRow>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CategoryRow {
    pub category: Category,
    #[serde(flatten)]
    pub sums: GroupSums,
}

/// What one call site holds in one category.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CallSiteRow {
    /// Null where no stack was recorded; `(rest)` closes a cut list.
    pub file: Option<String>,
    pub line: Option<u64>,
    pub function: Option<String>,
    pub category: Option<Category>,
    /// The place is that of the free: of the allocation nothing is known.
    pub freed_at: bool,
    #[serde(flatten)]
    pub sums: GroupSums,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LifeRow {
    pub address: Address,
    pub bytes: Bytes,
    /// −1: from before the first event.
    pub begin_event: i64,
    /// Null: it lasts to the end.
    pub end_event: Option<u32>,
    pub category: Category,
    pub inferred: bool,
    /// The name of the rule, refinement or inference.
    pub rule: String,
    /// The frame that the rule fitted.
    pub frame: Option<FrameText>,
    /// What an inference rests on.
    pub evidence: Option<Message>,
    /// Innermost first.
    pub stack: Vec<FrameText>,
    /// The stack is that of the free: of the allocation nothing is known.
    pub stack_of_free: bool,
}

/// An event near the moment.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct EventRow {
    pub event: u32,
    pub action: &'static str,
    pub address: Address,
    pub bytes: Bytes,
    pub time_us: Option<i64>,
    /// The category of the life it belongs to.
    pub category: Option<Category>,
    pub call_site: Option<FrameText>,
}

/// The composition of a device's memory at its peak, or at `options.state`.
pub fn peak(memory: &Attributed<'_>, modules: &Modules, steps: &Steps, options: &PeakOptions) -> DevicePeak {
    let replay = memory.replay;
    let peak = replay.peak();
    let state = options.state.unwrap_or(peak.state()).min(replay.last_state());
    let event = i64::from(state) - 1;
    let live = memory.lives().live(state);
    let requested = live.iter().map(|&life| memory.size(life)).sum();
    let by = options.by.map(|key| GroupedBy {
        key,
        rows: Grouping::new(*memory, modules, steps, key).rows(live.iter().copied(), options.top),
    });
    DevicePeak {
        device: replay.device,
        peak_requested: peak.bytes,
        peak_event: peak.event,
        peak_time_us: memory.time_us(peak.event),
        event,
        time_us: memory.time_us(event),
        requested,
        lives: live.len() as u64,
        explained: explained(memory, &live),
        by_category: by_category(memory, live.iter().copied()),
        by_call_site: by_call_site(memory, live.iter().copied(), options.top),
        by_module: by_module(memory, modules, state),
        by,
        top_lives: top_lives(memory, &live, options.top),
        events_around: events_around(memory, state, options.around),
    }
}

/// The share of bytes with a category that explains, without and with inference.
pub fn explained(memory: &Attributed<'_>, live: &[LifeId]) -> Explained {
    let (mut all, mut plain, mut inferred) = (Bytes::ZERO, Bytes::ZERO, Bytes::ZERO);
    for &life in live {
        let size = memory.size(life);
        all += size;
        if memory.category(life).explains() {
            inferred += size;
            plain += if memory.attribution.is_inferred(life) { Bytes::ZERO } else { size };
        }
    }
    Explained { plain: plain.share_of(all), inferred: inferred.share_of(all) }
}

/// Sums by category, largest first; categories without a life are left out.
pub fn by_category(memory: &Attributed<'_>, lives: impl IntoIterator<Item = LifeId>) -> Vec<CategoryRow> {
    let mut sums = [GroupSums::default(); Category::COUNT];
    for life in lives {
        if let Some(sum) = sums.get_mut(memory.category(life) as usize) {
            sum.add(memory, life);
        }
    }
    let rows = Category::ALL.into_iter().zip(sums).filter(|(_, sums)| sums.count > 0);
    let mut rows: Vec<CategoryRow> = rows.map(|(category, sums)| CategoryRow { category, sums }).collect();
    rows.arrange_by_key(|row| Reverse(row.sums.bytes));
    rows
}

/// A place that holds memory: the frame, whether it is that of the free, and for what.
pub type SiteKey = (FrameId, bool, Category);

/// Sums by call site and category, largest first.
pub fn call_sites(
    memory: &Attributed<'_>,
    lives: impl IntoIterator<Item = LifeId>,
) -> Vec<(SiteKey, GroupSums)> {
    let mut groups: FastMap<_, GroupSums> = fast_map();
    for life in lives {
        let (site, freed_at) = memory.site(life);
        groups.entry((site, freed_at, memory.category(life))).or_default().add(memory, life);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.arrange_by_key(|&(key, sums)| (Reverse(sums.bytes), key));
    groups
}

/// The same as rows, at most `top` (0: all) and one for the rest.
pub fn by_call_site(
    memory: &Attributed<'_>,
    lives: impl IntoIterator<Item = LifeId>,
    top: usize,
) -> Vec<CallSiteRow> {
    let groups = call_sites(memory, lives);
    let shown = if top == 0 { groups.len() } else { top.min(groups.len()) };
    let (first, rest) = groups.split_at(shown);
    let row = |&((site, freed_at, category), sums): &(SiteKey, GroupSums)| {
        let frame = memory.frame_text(site);
        let (file, function) = frame.as_ref().map(|f| (f.file.clone(), f.function.clone())).unzip();
        let line = frame.map(|f| f.line);
        CallSiteRow { file, line, function, category: Some(category), freed_at, sums }
    };
    let mut rows: Vec<CallSiteRow> = first.iter().map(row).collect();
    if !rest.is_empty() {
        let mut sums = GroupSums::default();
        for (_, one) in rest {
            sums.merge(one);
        }
        let file = Some(REST.to_owned());
        rows.push(CallSiteRow { file, line: None, function: None, category: None, freed_at: false, sums });
    }
    rows
}

fn top_lives(memory: &Attributed<'_>, live: &[LifeId], top: usize) -> Vec<LifeRow> {
    let mut largest = live.to_vec();
    largest.arrange_by_key(|&life| (Reverse(memory.size(life)), life));
    if top > 0 {
        largest.truncate(top);
    }
    largest.into_iter().map(|life| life_row(memory, life)).collect()
}

/// A life with everything that is known of it.
pub fn life_row(memory: &Attributed<'_>, life: LifeId) -> LifeRow {
    let why = memory.why(life);
    let lives = memory.lives();
    LifeRow {
        address: memory.address(life),
        bytes: memory.size(life),
        begin_event: memory.begin_event(life),
        end_event: lives.end_event(life),
        category: why.category,
        inferred: why.inferred,
        frame: why.frame.and_then(|frame| memory.frame_text(frame)),
        evidence: why.inference.map(|inference| inference.evidence.clone()),
        rule: why.name,
        stack: memory.stack_text(lives.stack(memory.snapshot, life)),
        stack_of_free: lives.stack_is_of_free(life),
    }
}

/// The events before and after a state, oldest first.
fn events_around(memory: &Attributed<'_>, state: u32, around: u32) -> Vec<EventRow> {
    let (first, last) =
        (state.saturating_sub(around), state.saturating_add(around).min(memory.replay.events()));
    (first..last).map(|event| event_row(memory, event)).collect()
}

/// One event with the category of its life.
pub fn event_row(memory: &Attributed<'_>, event: u32) -> EventRow {
    let read = memory.snapshot.events.get(memory.replay.row(event));
    EventRow {
        event,
        action: read.action.name(),
        // The address column of an OOM holds what the device had free.
        address: if read.action == Action::Oom { Address(0) } else { read.address },
        bytes: read.size,
        time_us: read.time.map(crate::model::Nanos::micros),
        category: memory.replay.life_of_event(event).map(|life| memory.category(life)),
        call_site: memory.frame_text(memory.classes.get(read.stack).call_site),
    }
}
