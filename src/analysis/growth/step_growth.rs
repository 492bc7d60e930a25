//! D: live bytes of a call site rise from step to step.
//!
//! Live bytes by call site (and by full stack) are read at each step boundary. Only a site whose bytes
//! change has an entry at a boundary, so the series together are never longer than the trace.
//!
//! Valleys may be those between the layers of one pass, whose activations pile up in the same way. So
//! what is let go before the trace ends is no growth, and where the optimizer runs again and again the
//! valleys must not outnumber its runs by far.

use super::GrowthOptions;
use crate::analysis::attribution::{Attributed, Category, FrameText};
use crate::analysis::steps::{StepSource, Steps};
use crate::model::{Arrange, Bytes, FastMap, FrameId, LifeId, StackId, fast_map};
use crate::replay::{CurveKind, Step};
use crate::text::Message;
use core::cmp::Reverse;
use core::hash::Hash;
use serde::Serialize;

/// A call site, or one stack of it, that holds more after every step.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Grower {
    pub call_site: FrameText,
    /// The stack that grows, innermost first; null where only the site as a whole does.
    pub stack: Option<Vec<FrameText>>,
    pub category: Category,
    pub bytes_per_step: Bytes,
    /// Live bytes after the first two steps, and at the last boundary.
    pub first: Bytes,
    pub last: Bytes,
    /// Share of the steps after the first two in which they rise.
    pub rising_share: f64,
    /// Live bytes at each boundary.
    pub bytes_by_step: Vec<Bytes>,
    /// The step (counted like the boundaries) in which the device will be full; null without a limit.
    pub projected_oom_step: Option<u64>,
}

/// Steps at the start that say nothing: set-up and warm-up.
const SETTLE: usize = 2;
/// So many steps in a row must rise at the end.
const LAST: usize = 3;
const RISING_SHARE: f64 = 0.8;

impl Grower {
    pub(super) fn message(&self) -> Message {
        Message::new("growth.step_growth")
            .text(
                "site",
                format!("{}:{} {}", self.call_site.file, self.call_site.line, self.call_site.function),
            )
            .bytes("bytes", self.bytes_per_step)
            .bytes("first", self.first)
            .bytes("last", self.last)
            .share("share", self.rising_share)
    }
}

/// Live bytes at boundaries, of one site or stack: `(boundary, bytes)` where they changed.
type Series = Vec<(u32, u64)>;

pub(super) fn find(memory: &Attributed<'_>, steps: &Steps, options: &GrowthOptions) -> Vec<Grower> {
    let boundaries = steps.states();
    let optimizer_runs = memory.attribution.optimizer_phases().phases().len();
    let are_layers = steps.source == Some(StepSource::Valleys)
        && optimizer_runs > SETTLE
        && boundaries.len() > 2 * optimizer_runs + SETTLE;
    if boundaries.len() <= SETTLE + LAST || are_layers {
        return Vec::new();
    }
    let site_of = |life: LifeId| memory.class(life).call_site.some();
    let stack_of = |life: LifeId| memory.alloc_stack(life).some().filter(|_| site_of(life).is_some());
    let mut stacks = rising(memory, boundaries, stack_of);
    stacks.arrange_by_key(|(stack, rise)| (Reverse(rise.per_step), *stack));
    let mut found: Vec<(FrameId, Option<StackId>, Rise)> = Vec::new();
    for (site, rise) in rising(memory, boundaries, site_of) {
        let of_site = stacks.iter().find(|(stack, _)| memory.classes.get(*stack).call_site == site);
        found.push((site, of_site.map(|(stack, _)| *stack), rise));
    }
    // A stack may grow while the rest of its site hides it.
    let sites: Vec<FrameId> = found.iter().map(|&(site, ..)| site).collect();
    for (stack, rise) in stacks {
        let site = memory.classes.get(stack).call_site;
        if !sites.contains(&site) {
            found.push((site, Some(stack), rise));
        }
    }
    found.arrange_by_key(|(site, stack, rise)| (Reverse(rise.per_step), *site, *stack));
    if options.top > 0 {
        found.truncate(options.top);
    }
    let room = options.limit.map(|limit| limit - memory.replay.curves.peak(CurveKind::Active).bytes);
    found.into_iter().filter_map(|(site, stack, rise)| grower(memory, site, stack, rise, room)).collect()
}

fn grower(
    memory: &Attributed<'_>,
    site: FrameId,
    stack: Option<StackId>,
    rise: Rise,
    room: Option<Bytes>,
) -> Option<Grower> {
    let steps_left = room.and_then(|room| room.0.checked_div(rise.per_step));
    let category = match stack {
        Some(stack) => memory.classes.get(stack).category,
        None => Category::Other,
    };
    Some(Grower {
        call_site: memory.frame_text(site)?,
        stack: stack.map(|stack| memory.stack_text(stack)),
        category,
        bytes_per_step: Bytes(rise.per_step),
        first: rise.values.get(SETTLE).copied().unwrap_or_default(),
        last: rise.values.last().copied().unwrap_or_default(),
        rising_share: rise.share,
        projected_oom_step: steps_left.map(|left| left.saturating_add(rise.values.len() as u64 - 1)),
        bytes_by_step: rise.values,
    })
}

/// A series that rises.
struct Rise {
    per_step: u64,
    share: f64,
    values: Vec<Bytes>,
}

impl Rise {
    fn of(series: &Series, boundaries: usize) -> Option<Rise> {
        // Every rise has an entry: too few entries cannot be enough rises.
        let steps = boundaries.checked_sub(SETTLE + 1).filter(|&steps| steps >= LAST)?;
        if (series.len() as f64) < RISING_SHARE * steps as f64 {
            return None;
        }
        let mut values = Vec::with_capacity(boundaries);
        let mut entries = series.iter().peekable();
        let mut now = 0;
        for boundary in 0..boundaries as u32 {
            while let Some(&(_, bytes)) = entries.next_if(|(at, _)| *at <= boundary) {
                now = bytes;
            }
            values.push(Bytes(now));
        }
        let settled = values.get(SETTLE..)?;
        let rises: Vec<bool> = settled.windows(2).map(|pair| pair[1] > pair[0]).collect();
        let share = rises.iter().filter(|&&rises| rises).count() as f64 / rises.len() as f64;
        let last_rise = rises.iter().rev().take(LAST).all(|&rises| rises);
        let grown = settled.last()?.0.checked_sub(settled.first()?.0)?;
        if share < RISING_SHARE || !last_rise || grown == 0 {
            return None;
        }
        let per_step = usual_rise(settled).unwrap_or(grown / steps as u64);
        Some(Rise { per_step, share, values })
    }

    /// At least half of what was gained is still held at the end of the trace.
    fn is_kept(&self, at_end: u64) -> bool {
        let at = |i: usize| self.values.get(i).map_or(0, |bytes| bytes.0);
        let (first, last) = (at(SETTLE), at(self.values.len().saturating_sub(1)));
        at_end >= first.saturating_add(last.saturating_sub(first) / 2)
    }
}

/// The keys whose live bytes rise from step to step.
fn rising<K: Copy + Eq + Hash>(
    memory: &Attributed<'_>,
    boundaries: &[u32],
    key_of: impl Fn(LifeId) -> Option<K>,
) -> Vec<(K, Rise)> {
    let Tally { live, series, .. } = tally(memory, boundaries, key_of);
    let rises = |(key, series): (K, Series)| {
        let rise = Rise::of(&series, boundaries.len())?;
        let at_end = live.get(&key).copied().unwrap_or(0);
        rise.is_kept(at_end).then_some((key, rise))
    };
    series.into_iter().filter_map(rises).collect()
}

/// The rise that most steps show, where most show the same one. A boundary that falls now before and now
/// after the allocation moves it from one step to the next, which the mean would tell as another size.
fn usual_rise(values: &[Bytes]) -> Option<u64> {
    let mut rises: Vec<i64> = values.windows(2).map(|pair| pair[1].minus(pair[0])).collect();
    rises.sort_unstable();
    let median = *rises.get(rises.len() / 2)?;
    let same = rises.iter().filter(|&&rise| rise == median).count();
    u64::try_from(median).ok().filter(|&rise| rise > 0 && same * 3 >= rises.len() * 2)
}

/// Live bytes by key, at each boundary where they changed and at the end.
fn tally<K: Copy + Eq + Hash>(
    memory: &Attributed<'_>,
    boundaries: &[u32],
    key_of: impl Fn(LifeId) -> Option<K>,
) -> Tally<K> {
    let replay = memory.replay;
    let mut tally = Tally { live: fast_map(), changed: Vec::new(), series: fast_map() };
    let change = |tally: &mut Tally<K>, life: LifeId, opens: bool| {
        if let Some(key) = key_of(life) {
            tally.change(key, memory.size(life).0, opens);
        }
    };
    for life in (0..memory.lives().initial_len()).map(LifeId::new) {
        change(&mut tally, life, true);
    }
    let mut next = boundaries.iter().zip(0_u32..).peekable();
    for event in 0..replay.events() {
        while let Some((_, index)) = next.next_if(|(state, _)| **state <= event) {
            tally.read(index);
        }
        match replay.step(event) {
            Step::Open(id) => change(&mut tally, LifeId(id), true),
            Step::Close(id) => change(&mut tally, LifeId(id), false),
            Step::Reopen(id) => {
                if let Some(old) = replay.closed_by_reopen(event) {
                    change(&mut tally, old, false);
                }
                change(&mut tally, LifeId(id), true);
            }
            _ => {}
        }
    }
    for (_, index) in next {
        tally.read(index);
    }
    tally
}

struct Tally<K> {
    live: FastMap<K, u64>,
    /// Keys touched since the last boundary, some more than once.
    changed: Vec<K>,
    series: FastMap<K, Series>,
}

impl<K: Copy + Eq + Hash> Tally<K> {
    fn change(&mut self, key: K, size: u64, opens: bool) {
        let live = self.live.entry(key).or_insert(0);
        *live = if opens { live.saturating_add(size) } else { live.saturating_sub(size) };
        if self.changed.last() != Some(&key) {
            self.changed.push(key);
        }
    }

    fn read(&mut self, boundary: u32) {
        for key in self.changed.drain(..) {
            let live = self.live.get(&key).copied().unwrap_or(0);
            let series = self.series.entry(key).or_default();
            if series.last().map_or(0, |&(_, bytes)| bytes) != live {
                series.push((boundary, live));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise(values: &[u64]) -> Option<(u64, f64)> {
        let series: Series = (0_u32..).zip(values.iter().copied()).collect();
        Rise::of(&series, values.len()).map(|rise| (rise.per_step, rise.share))
    }

    #[test]
    fn a_leak_rises_to_the_end_and_a_cache_does_not() {
        assert_eq!(rise(&[0, 9, 10, 20, 30, 40, 50]), Some((10, 1.0)));
        assert_eq!(rise(&[0, 9, 10, 20, 30, 40, 40]), None);
        assert_eq!(rise(&[0, 9, 10, 20, 30, 40, 40, 50, 60, 70]), Some((10, 6.0 / 7.0)));
        assert_eq!(rise(&[0, 9, 10, 11, 13, 17, 22]), Some((3, 1.0)));
        assert_eq!(rise(&[0, 9, 10, 20, 15, 20, 15, 50, 60, 70]), None);
        assert_eq!(rise(&[0, 10, 20, 30]), None);
        assert_eq!(rise(&[50, 0, 10, 5, 0, 5, 6, 7]), None);
        let kept = Rise { per_step: 10, share: 1.0, values: [0, 0, 10, 20, 30, 40].map(Bytes).to_vec() };
        assert_eq!([0, 24, 25, 40, 50].map(|at_end| kept.is_kept(at_end)), [false, false, true, true, true]);
    }
}
