//! From a replayed device to the [`Side`] of one moment.

use super::side::{Content, Figures, NONE, Side};
use super::{CurveAxis, lines};
use crate::analysis::attribution::{Attributed, Category};
use crate::analysis::grouping::{GroupKey, GroupSums, Grouping};
use crate::analysis::modules::Modules;
use crate::analysis::peak::by_category;
use crate::analysis::steps::Steps;
use crate::model::{Arrange, FastMap, FrameId, LifeId, StackId, StringId, fast_map};
use crate::replay::{CurveKind, State, Use};

/// How much of a moment to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideOptions {
    pub state: u32,
    /// Without: every stack is only its call site, which is all that comparing many ranks needs.
    pub stacks: bool,
    pub curves: Option<CurveAxis>,
    /// A grouping that stacks do not tell (stream, pool, size class …).
    pub by: Option<GroupKey>,
}

impl Side {
    /// What a device holds at a state.
    pub fn new(
        file: &str,
        memory: &Attributed<'_>,
        modules: &Modules,
        steps: &Steps,
        options: &SideOptions,
    ) -> Side {
        let replay = memory.replay;
        let state = options.state.min(replay.last_state());
        let peak = replay.peak();
        let live = memory.lives().live(state);
        let now = replay.state(memory.snapshot, state);
        let end = if state == replay.last_state() {
            figures(memory, &now)
        } else {
            figures(memory, &replay.state(memory.snapshot, replay.last_state()))
        };
        let mut peak_categories = vec![0; Category::COUNT * 2];
        for row in by_category(memory, memory.lives().live(peak.state())) {
            let at = row.category as usize * 2;
            if let Some(pair) = peak_categories.get_mut(at..at + 2) {
                pair.copy_from_slice(&[row.sums.bytes.0, row.sums.count]);
            }
        }
        let events = &memory.snapshot.events;
        let last_time = replay.rows.clone().rev().find_map(|row| events.time_of(row));
        let named = options.by.map(|key| {
            let rows = Grouping::new(*memory, modules, steps, key).rows(live.iter().copied(), 0);
            let sums =
                rows.iter().flat_map(|row| [row.sums.bytes.0, row.sums.count, row.sums.inferred_bytes.0]);
            (rows.iter().map(|row| row.key.clone()).collect(), sums.collect())
        });
        Side {
            file: file.to_owned(),
            device: replay.device,
            event: i64::from(state) - 1,
            time_us: memory.time_us(i64::from(state) - 1),
            figures: figures(memory, &now),
            end,
            peak: peak.bytes.0,
            peak_event: peak.event,
            peak_time_us: memory.time_us(peak.event),
            end_time_us: last_time.map(crate::model::Nanos::micros),
            peak_categories,
            content: content(memory, modules, &live, options.stacks),
            segments: segments(memory, &now),
            curves: options.curves.and_then(|axis| lines::of_side(memory, steps, axis, state)),
            named,
        }
    }
}

/// The figures of a state, in the order of [`super::side::FIGURES`].
fn figures(memory: &Attributed<'_>, state: &State) -> Figures {
    let (mut allocated, mut active, mut pending, mut reserved, mut free, mut workspace, mut largest) =
        (0_u64, 0_u64, 0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for segment in &state.segments {
        let add = |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes);
        add(&mut reserved, segment.size.0);
        add(&mut allocated, segment.allocated.0);
        add(&mut active, segment.active.0);
        if segment.is_workspace {
            add(&mut workspace, segment.size.0);
        } else {
            add(&mut free, segment.free().0);
        }
    }
    for block in &state.blocks {
        match block.usage {
            Use::Pending => pending = pending.saturating_add(block.size.0),
            Use::Free => largest = largest.max(block.size.0),
            Use::Allocated | Use::Workspace => {}
        }
    }
    let requested = memory.replay.value(CurveKind::Requested, state.at).0;
    let mut lives = 0;
    memory.lives().alive_at(state.at, |_| lives += 1);
    let segments = state.segments.len() as u64;
    vec![requested, lives, allocated, active, pending, reserved, free, workspace, segments, largest]
}

fn segments(memory: &Attributed<'_>, state: &State) -> Vec<u64> {
    let of = |segment: &crate::replay::SegmentNow| {
        let stream = memory.snapshot.streams.get(segment.stream) as u64;
        [segment.address.0, segment.size.0, stream, segment.segment_type as u64]
    };
    state.segments.iter().flat_map(of).collect()
}

/// Numbers the texts, frames and stacks that are met, in order of appearance.
struct Taker<'a> {
    memory: &'a Attributed<'a>,
    content: Content,
    texts: FastMap<StringId, u64>,
    frames: FastMap<FrameId, u64>,
    modules: FastMap<u32, u64>,
}

impl Taker<'_> {
    fn text(&mut self, id: StringId) -> u64 {
        *self.texts.entry(id).or_insert_with(|| {
            self.content.texts.push(self.memory.snapshot.strings.get(id).to_owned());
            self.content.texts.len() as u64 - 1
        })
    }

    fn frame(&mut self, id: FrameId) -> u64 {
        if id.is_none() {
            return NONE;
        }
        if let Some(&known) = self.frames.get(&id) {
            return known;
        }
        let frame = self.memory.snapshot.frames.get(id);
        let (file, function) = (self.text(frame.file), self.text(frame.function));
        let number = self.frames.len() as u64;
        self.content.frames.extend([file, frame.line, function]);
        self.frames.insert(id, number);
        number
    }

    fn module(&mut self, modules: &Modules, stack: StackId) -> u64 {
        let Some(module) = modules.of_stack(stack) else { return NONE };
        let path = || modules.path(self.memory.snapshot, module);
        *self.modules.entry(module).or_insert_with(|| {
            self.content.texts.push(path());
            self.content.texts.len() as u64 - 1
        })
    }
}

fn content(memory: &Attributed<'_>, modules: &Modules, live: &[LifeId], stacks: bool) -> Content {
    let mut groups: FastMap<(u32, bool, Category), GroupSums> = fast_map();
    for &life in live {
        let stack = memory.lives().stack(memory.snapshot, life);
        let site = memory.classes.get(stack).call_site;
        // A stack without frames says as much as none.
        let key = match () {
            () if memory.snapshot.stacks.get(stack).is_empty() => u32::MAX,
            () if stacks => stack.0,
            () => site.0,
        };
        let freed = key != u32::MAX && memory.lives().stack_is_of_free(life);
        groups.entry((key, freed, memory.category(life))).or_default().add(memory, life);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.arrange_by_key(|&(key, _)| key);
    let mut taker = Taker {
        memory,
        content: Content::default(),
        texts: fast_map(),
        frames: fast_map(),
        modules: fast_map(),
    };
    let mut last = None;
    for ((key, freed, category), sums) in groups {
        if key != u32::MAX && last != Some(key) {
            let alone = [FrameId(key)];
            let frames = if stacks { memory.snapshot.stacks.get(StackId(key)) } else { &alone[..] };
            for &frame in frames {
                let frame = taker.frame(frame);
                taker.content.stacks.push(frame);
            }
            taker.content.ends.push(taker.content.stacks.len() as u64);
            let said = if stacks {
                let site = taker.frame(memory.classes.get(StackId(key)).call_site);
                [site, taker.module(modules, StackId(key))]
            } else {
                [taker.frame(FrameId(key)), NONE]
            };
            taker.content.said.extend(said);
            last = Some(key);
        }
        let stack = if key == u32::MAX { NONE } else { taker.content.ends.len() as u64 - 1 };
        let (bytes, inferred) = (sums.bytes.0, sums.inferred_bytes.0);
        taker.content.rows.extend([stack, freed.into(), category as u64, bytes, sums.count, inferred]);
    }
    taker.content
}
