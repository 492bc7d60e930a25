//! One allocation, told in full: the answer to a hover, a click, or a search hit.

use super::stack_text::StackFrame;
use crate::analysis::attribution::Attributed;
use crate::model::{Action, Bytes, LifeId, Nanos, StringId};
use crate::replay::{LifeFlags, Origin};
use crate::text::Message;
use serde::Serialize;

/// The line a hover shows.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LifeLine {
    pub life: u32,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub size: Bytes,
    pub category: String,
    pub inferred: bool,
    /// Where it was allocated; for a life from before the trace that ends in it, where it was freed.
    pub call_site: String,
    pub stack_is_of_free: bool,
    /// Event numbers; null: before the first event, or not within the trace.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub begin_event: Option<u32>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub end_event: Option<u32>,
}

/// Everything known about a life.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LifeDetail {
    #[serde(flatten)]
    pub line: LifeLine,
    pub address: String,
    /// The name that memory_viz gives it.
    pub name: String,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Bytes"))]
    pub block_size: Bytes,
    /// The block's size is certain, not estimated by the allocator's rule.
    pub block_exact: bool,
    pub stream: i64,
    pub pool: (i64, i64),
    pub segment_type: String,
    pub workspace: bool,
    /// States: alive from `birth` to before `death` (null: outlasts the trace).
    pub birth: u32,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub death: Option<u32>,
    /// First state at which its free has been requested.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub pending_from: Option<u32>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub begin_time_us: Option<i64>,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub end_time_us: Option<i64>,
    /// The name of the rule, refinement or inference that gave the category.
    pub rule: String,
    /// The frame that the rule matched.
    pub rule_frame: String,
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Message | null"))]
    pub evidence: Option<Message>,
    pub stack: Vec<StackFrame>,
    /// The forward operator's stack, where the writer kept it.
    pub forward_stack: String,
    pub compile_context: String,
    pub user_metadata: String,
    /// The other lives at the same address, in order of birth.
    pub same_address: Vec<LifeLine>,
}

/// At most so many other lives of an address are told.
const MOST_OTHERS: usize = 200;

impl Attributed<'_> {
    /// The line of a life; `None` for a number that is none.
    pub fn life_line(&self, life: LifeId) -> Option<LifeLine> {
        let lives = &self.replay.lives;
        if life.index() >= lives.len() {
            return None;
        }
        let (site, of_free) = self.site(life);
        Some(LifeLine {
            life: life.0,
            size: lives.size(life),
            category: self.attribution.category(life).id().to_owned(),
            inferred: self.attribution.is_inferred(life),
            call_site: self.frame_label(site),
            stack_is_of_free: of_free,
            begin_event: lives.begin_event(life),
            end_event: lives.end_event(life),
        })
    }

    /// All about a life; `None` for a number that is none.
    pub fn life_detail(&self, life: LifeId) -> Option<LifeDetail> {
        let line = self.life_line(life)?;
        let (snapshot, replay, lives) = (self.snapshot, self.replay, &self.replay.lives);
        let why = self.attribution.why(snapshot, replay, self.classes, life);
        let row = match lives.origin(life) {
            Origin::Event(event) => Some(replay.row(event)),
            Origin::Block(_) => None,
        };
        let text = |id: StringId| snapshot.strings.get(id).to_owned();
        let of_row = |column: &crate::model::LazyColumn<StringId>| {
            row.map_or_else(String::new, |row| text(column.get(row)))
        };
        let forward_stack = match lives.origin(life) {
            Origin::Event(_) => of_row(&snapshot.events.forward_frames),
            Origin::Block(block) => text(snapshot.blocks.forward_frames.get(block.index())),
        };
        let time = |event: Option<u32>| {
            event.and_then(|event| snapshot.events.time_of(replay.row(event))).map(Nanos::micros)
        };
        let address = lives.address(snapshot, life);
        let flags = lives.flags(life);
        let never = |state: u32| Some(state).filter(|&s| s != crate::replay::LifeTable::NEVER);
        Some(LifeDetail {
            address: format!("0x{address}"),
            name: lives.viz_name(snapshot, life),
            block_size: lives.block_size(life),
            block_exact: flags.has(LifeFlags::EXACT),
            stream: snapshot.streams.get(lives.stream(snapshot, life)),
            pool: snapshot.pools.get(lives.pool(snapshot, &replay.pieces, life)),
            segment_type: format!("{:?}", lives.segment_type(&replay.pieces, life)).to_lowercase(),
            workspace: flags.has(LifeFlags::WORKSPACE),
            birth: lives.birth(life),
            death: never(lives.death(life)),
            pending_from: never(lives.pending_from(life)),
            begin_time_us: time(line.begin_event),
            end_time_us: time(line.end_event),
            rule: why.name,
            rule_frame: why.frame.map_or_else(String::new, |frame| self.frame_label(frame)),
            evidence: why.inference.map(|inference| inference.evidence.clone()),
            stack: self.marked_stack(lives.stack(snapshot, life)),
            forward_stack,
            compile_context: of_row(&snapshot.events.compile_context),
            user_metadata: of_row(&snapshot.events.user_metadata),
            same_address: lives
                .at_address(snapshot, address)
                .iter()
                .filter(|&&other| other != life)
                .take(MOST_OTHERS)
                .filter_map(|&other| self.life_line(other))
                .collect(),
            line,
        })
    }

    /// The life that an event is about, if it is about one: what a click on a row of events selects.
    pub fn life_of_event(&self, event: u32) -> Option<LifeId> {
        let row = self.replay.row(event);
        match self.snapshot.events.action.get(row) {
            Some(Action::Alloc | Action::FreeRequested | Action::FreeCompleted) => {
                self.replay.life_of_event(event)
            }
            _ => None,
        }
    }
}
