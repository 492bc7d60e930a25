//! What stays of the events after a range.
//!
//! What is live in a range is known from its two ends: from the snapshot and from what happened between
//! the range and it. So of the later events those stay that lead from the range to the snapshot: frees of
//! what was live, allocations that are still there, everything that happened to segments. What was both
//! allocated and freed after the range changes nothing in it, and goes.

use crate::model::{Action, Address, Event, EventTable, FastMap};

/// Rows of dead events are taken out only when at least so many have gathered.
const SLACK: usize = 1 << 14;

/// Events after the range of one list, and the table's rows from `start` on.
#[derive(Debug, Default)]
pub(super) struct Tail {
    start: usize,
    /// The number of each row's event; rising.
    numbers: Vec<u64>,
    dead: Vec<bool>,
    dead_count: usize,
    /// Allocations after the range that are not freed so far: their rows, counted from `start`, and
    /// those of the requests to free them.
    born: FastMap<Address, (usize, Option<usize>)>,
}

impl Tail {
    /// Adds an event, unless it says nothing of the range; events dropped by it, itself included.
    pub fn push(&mut self, table: &mut EventTable, event: Event, number: u64) -> Dropped {
        match event.action {
            Action::Alloc => {
                self.born.insert(event.address, (self.numbers.len(), None));
            }
            Action::FreeRequested => {
                if let Some((_, request)) = self.born.get_mut(&event.address) {
                    *request = Some(self.numbers.len());
                }
            }
            Action::FreeCompleted => {
                if let Some((alloc, request)) = self.born.remove(&event.address) {
                    let killed = 1 + u64::from(request.is_some());
                    self.kill(alloc);
                    request.into_iter().for_each(|row| self.kill(row));
                    self.compact(table, SLACK);
                    return Dropped { itself: true, count: killed + 1 };
                }
            }
            Action::SegmentAlloc
            | Action::SegmentFree
            | Action::SegmentMap
            | Action::SegmentUnmap
            | Action::WorkspaceSnapshot => {}
            Action::Oom | Action::Snapshot | Action::UserDefined | Action::Annotate | Action::Other => {
                return Dropped { itself: true, count: 1 };
            }
        }
        let row = table.push(event);
        if self.numbers.is_empty() {
            self.start = row;
        }
        self.numbers.push(number);
        self.dead.push(false);
        Dropped { itself: false, count: 0 }
    }

    fn kill(&mut self, index: usize) {
        if let Some(dead) = self.dead.get_mut(index).filter(|dead| !**dead) {
            *dead = true;
            self.dead_count += 1;
        }
    }

    /// Takes the dead out once they are many, so that each event is moved a few times at most.
    fn compact(&mut self, table: &mut EventTable, slack: usize) {
        let alive = self.dead.len() - self.dead_count;
        if self.dead_count == 0 || self.dead_count < alive.max(slack) && slack > 0 {
            return;
        }
        let mut places = Vec::with_capacity(self.dead.len());
        let mut next = 0;
        for &dead in &self.dead {
            places.push(next);
            next += usize::from(!dead);
        }
        table.keep(self.start, |index| !self.dead.get(index).copied().unwrap_or(false));
        for (alloc, request) in self.born.values_mut() {
            *alloc = places.get(*alloc).copied().unwrap_or(0);
            *request = request.and_then(|row| places.get(row).copied());
        }
        let mut dead = core::mem::take(&mut self.dead).into_iter();
        self.numbers.retain(|_| !dead.next().unwrap_or(false));
        self.dead = vec![false; self.numbers.len()];
        self.dead_count = 0;
    }

    /// The list is over: what is left of its events after the range, as numbers and rows.
    pub fn end(&mut self, table: &mut EventTable) -> impl Iterator<Item = (u64, usize)> + use<> {
        self.compact(table, 0);
        let Tail { start, numbers, .. } = core::mem::take(self);
        numbers.into_iter().zip(start..)
    }

    /// The row of the event of that number, if it is one of these.
    pub fn row_of(&self, number: u64) -> Option<usize> {
        let index = self.numbers.binary_search(&number).ok()?;
        (!self.dead.get(index).copied()?).then_some(self.start + index)
    }
}

/// What came of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropped {
    pub itself: bool,
    /// Events that went, it and others.
    pub count: u64,
}
