//! The call stack of every memory row.
//!
//! The profiler names a row by the innermost operator around the allocation on its thread, or, for the
//! thread that works the task queue off, around the moment the work was put on the queue; the row itself
//! tells neither thread nor operator event. So the event is looked for in that order, and how it was
//! found is kept with the row, since each way is worth less than the one before:
//! 1. the innermost operator of the row's name around its time (*exact*);
//! 2. else the operator around the enqueue that the dequeue around the row's time came from (*flow*);
//! 3. else the last earlier operator of that name that has a stack (*approximate*).
//!
//! An operator without a stack takes that of the closest operator around it that has one (*inherited*).

use super::sweep::{Slice, innermost, order, parents};
use crate::model::profile::{OperatorTable, Span, SpanTable, TraceTable};
use crate::model::{Arrange, FastMap, StringId, fast_map};
use serde::Serialize;

/// How the stack of a row was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum MatchKind {
    Exact,
    Flow,
    Approximate,
    Inherited,
    #[default]
    None,
}

impl MatchKind {
    pub const ALL: [MatchKind; 5] =
        [MatchKind::Exact, MatchKind::Flow, MatchKind::Approximate, MatchKind::Inherited, MatchKind::None];

    pub fn name(self) -> &'static str {
        match self {
            MatchKind::Exact => "exact",
            MatchKind::Flow => "flow",
            MatchKind::Approximate => "approximate",
            MatchKind::Inherited => "inherited",
            MatchKind::None => "none",
        }
    }
}

/// What was found for one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowMatch {
    pub kind: MatchKind,
    /// The operator in the trace's table of operators, also where its stack is another's.
    pub operator: Option<u32>,
    /// The stack's text in the trace.
    pub stack: StringId,
}

impl RowMatch {
    pub const NONE: RowMatch = RowMatch { kind: MatchKind::None, operator: None, stack: StringId::NONE };
}

/// One match a row, in the order of the rows. Rows of a trace's own memory events know their stack.
pub fn join(rows: &OperatorTable, trace: Option<&TraceTable>) -> Vec<RowMatch> {
    let mut matches = vec![RowMatch::NONE; rows.len()];
    if rows.from_trace {
        for (i, (row, slot)) in rows.rows().zip(&mut matches).enumerate() {
            if let Some(stack) = row.stack.some() {
                // A database of rows that were matched before says how.
                let name = rows.stack_match.get(i).map_or("", |&id| rows.strings.get(id));
                let kind = MatchKind::ALL.into_iter().find(|kind| kind.name() == name);
                *slot = RowMatch { kind: kind.unwrap_or(MatchKind::Exact), operator: None, stack };
            }
        }
    } else if let Some(trace) = trace {
        Join::new(trace).rows(rows, &mut matches);
    }
    matches
}

/// A moment of one row that is still looked for.
#[derive(Clone, Copy)]
struct Wanted {
    /// The row's name in the trace, `NONE` where the trace has no such name.
    name: StringId,
    at: i64,
    row: u32,
}

/// What the trace's operators answer, worked out once.
struct Join<'a> {
    trace: &'a TraceTable,
    /// By operator: its own stack or the closest one around it.
    stacks: Vec<StringId>,
    /// Operators by name, each name in order of start.
    by_name: Groups,
    by_thread: Groups,
}

/// Slices sorted by a key, and in sweep order within it.
struct Groups {
    slices: Vec<Slice>,
    of: FastMap<StringId, core::ops::Range<usize>>,
}

impl Groups {
    fn new(keyed: impl Iterator<Item = (StringId, Slice)>) -> Groups {
        let mut keyed: Vec<(StringId, Slice)> = keyed.collect();
        keyed.arrange_by(|a, b| a.0.cmp(&b.0).then_with(|| order(&a.1, &b.1)));
        let mut of = fast_map();
        let mut start = 0;
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            of.insert(group[0].0, start..start + group.len());
            start += group.len();
        }
        Groups { slices: keyed.into_iter().map(|(_, slice)| slice).collect(), of }
    }

    fn get(&self, key: StringId) -> &[Slice] {
        self.of.get(&key).and_then(|range| self.slices.get(range.clone())).unwrap_or(&[])
    }
}

fn slices(spans: &SpanTable, key: impl Fn(&Span) -> StringId) -> impl Iterator<Item = (StringId, Slice)> {
    spans
        .iter()
        .zip(0_u32..)
        .map(move |(span, id)| (key(&span), Slice { start: span.start.0, end: span.end.0, id }))
}

impl<'a> Join<'a> {
    fn new(trace: &'a TraceTable) -> Join<'a> {
        let by_thread = Groups::new(slices(&trace.operators, |s| s.thread));
        let mut stacks: Vec<StringId> = trace.operators.iter().map(|o| o.stack).collect();
        for range in by_thread.of.values() {
            // Parents come before their children, so theirs is settled.
            parents(by_thread.slices.get(range.clone()).unwrap_or(&[]), |id, parent| {
                let inherited = parent.and_then(|p| stacks.get(p as usize).copied());
                if let (Some(slot), Some(stack)) = (stacks.get_mut(id as usize), inherited)
                    && slot.is_none()
                {
                    *slot = stack;
                }
            });
        }
        Join { trace, stacks, by_name: Groups::new(slices(&trace.operators, |s| s.name)), by_thread }
    }

    fn rows(&self, rows: &OperatorTable, matches: &mut [RowMatch]) {
        let mut names: FastMap<StringId, StringId> = fast_map();
        let mut wanted: Vec<Wanted> = Vec::with_capacity(rows.len());
        for (row, i) in rows.rows().zip(0_u32..) {
            let Some(at) = row.alloc else { continue };
            let name = *names.entry(row.name).or_insert_with(|| {
                self.trace.strings.find(rows.strings.get(row.name)).unwrap_or(StringId::NONE)
            });
            wanted.push(Wanted { name, at: at.0, row: i });
        }
        wanted.arrange_by_key(|w| (w.name, w.at, w.row));
        let mut found: Vec<Option<u32>> = vec![None; rows.len()];
        for group in wanted.chunk_by(|a, b| a.name == b.name) {
            sweep(self.by_name.get(group[0].name), group, |w, operator| {
                if let Some(slot) = found.get_mut(w.row as usize) {
                    *slot = operator;
                }
            });
        }
        // A row that lies in no operator of its name may come from the queue.
        let mut rest: Vec<Wanted> = Vec::new();
        for w in &wanted {
            match found.get(w.row as usize).copied().flatten() {
                Some(operator) => self.settle(matches, w, operator, MatchKind::Exact),
                None => rest.push(*w),
            }
        }
        self.follow_queue(&mut rest, matches);
        wanted.retain(|w| matches.get(w.row as usize).is_some_and(|m| m.kind == MatchKind::None));
        self.last_earlier(&wanted, matches);
    }

    /// Takes the operator's stack, or the closest around it; with neither the row stays open.
    fn settle(&self, matches: &mut [RowMatch], w: &Wanted, operator: u32, kind: MatchKind) {
        let Some(slot) = matches.get_mut(w.row as usize) else { return };
        let own = self.trace.operators.get(operator as usize).map_or(StringId::NONE, |o| o.stack);
        let any = self.stacks.get(operator as usize).copied().unwrap_or(StringId::NONE);
        slot.operator = Some(operator);
        slot.stack = any;
        slot.kind = match (own.is_none(), any.is_none()) {
            (false, _) => kind,
            (true, false) => MatchKind::Inherited,
            (true, true) => MatchKind::None,
        };
    }

    /// Follows the dequeue around each moment to the operator that enqueued it. Of several threads that
    /// dequeue at once, one whose work is of the row's name comes first.
    fn follow_queue(&self, rest: &mut [Wanted], matches: &mut [RowMatch]) {
        let operators = self.operator_of_dequeue();
        let named = Groups::new(slices(&self.trace.dequeue, |s| s.name).filter_map(|(_, slice)| {
            let operator = (*operators.get(slice.id as usize)?)?;
            Some((self.trace.operators.get(operator as usize)?.name, slice))
        }));
        let mut found: FastMap<u32, u32> = fast_map();
        for group in rest.chunk_by(|a, b| a.name == b.name) {
            sweep(named.get(group[0].name), group, |w, dequeue| {
                if let Some(dequeue) = dequeue {
                    found.insert(w.row, dequeue);
                }
            });
        }
        let all = Groups::new(slices(&self.trace.dequeue, |_| StringId::NONE));
        rest.arrange_by_key(|w| (w.at, w.row));
        sweep(all.get(StringId::NONE), rest, |w, dequeue| {
            if let Some(dequeue) = dequeue {
                found.entry(w.row).or_insert(dequeue);
            }
        });
        for w in rest.iter() {
            let operator = found.get(&w.row).and_then(|&d| operators.get(d as usize).copied().flatten());
            if let Some(operator) = operator {
                self.settle(matches, w, operator, MatchKind::Flow);
            }
        }
    }

    /// By dequeue: the operator around the moment its work was put on the queue, on that thread.
    fn operator_of_dequeue(&self) -> Vec<Option<u32>> {
        let mut wanted: Vec<Wanted> = Vec::new();
        for (dequeue, (thread, at)) in super::queue::sources(self.trace) {
            wanted.push(Wanted { name: thread, at, row: dequeue });
        }
        wanted.arrange_by_key(|w| (w.name, w.at, w.row));
        let mut operators = vec![None; self.trace.dequeue.len()];
        for group in wanted.chunk_by(|a, b| a.name == b.name) {
            sweep(self.by_thread.get(group[0].name), group, |w, operator| {
                if let Some(slot) = operators.get_mut(w.row as usize) {
                    *slot = operator;
                }
            });
        }
        operators
    }

    /// `wanted` in order of name and time.
    fn last_earlier(&self, wanted: &[Wanted], matches: &mut [RowMatch]) {
        for group in wanted.chunk_by(|a, b| a.name == b.name) {
            let has_stack =
                |s: &&Slice| self.trace.operators.get(s.id as usize).is_some_and(|o| !o.stack.is_none());
            let mut with_stack: Vec<Slice> =
                self.by_name.get(group[0].name).iter().filter(has_stack).copied().collect();
            // Of several that start together, the last in the file.
            with_stack.arrange_by_key(|s| (s.start, s.id));
            let mut next = with_stack.iter().peekable();
            let mut last = None;
            for w in group {
                while let Some(slice) = next.next_if(|s| s.start <= w.at) {
                    last = Some(slice.id);
                }
                if let (Some(operator), Some(slot)) = (last, matches.get_mut(w.row as usize)) {
                    let stack =
                        self.trace.operators.get(operator as usize).map_or(StringId::NONE, |o| o.stack);
                    *slot = RowMatch { kind: MatchKind::Approximate, operator: Some(operator), stack };
                }
            }
        }
    }
}

fn sweep(slices: &[Slice], wanted: &[Wanted], mut found: impl FnMut(&Wanted, Option<u32>)) {
    innermost(slices, wanted.iter().map(|w| w.at), |i, id| {
        if let Some(w) = wanted.get(i) {
            found(w, id);
        }
    });
}
