//! Which events stay: all, the last ones of each device, or those of a range.
//!
//! A trace is one list a device, and its events come one after another. So the window counts from
//! where the list began; for the last N it drops the older ones whenever twice as many have gathered,
//! which moves every event at most twice and keeps memory bounded while the file streams by. Of the events
//! after a range some stay, see [`super::tail`].

use super::tail::Tail;
use crate::format::Keep;
use crate::model::{Action, Address, Event, EventTable};
use core::ops::Range;

/// Which events of a trace the reader would keep, were it asked to keep so much of it.
pub fn kept(events: &EventTable, rows: Range<usize>, keep: &Keep) -> Vec<bool> {
    let mut window = Window::new(keep);
    let mut table = EventTable::default();
    let count = rows.len() as u64;
    for row in rows {
        window.push(&mut table, events.get(row));
    }
    window.end_list(&mut table);
    (0..count).map(|number| window.row_of(number).is_some()).collect()
}

/// Rows of one device's list that are still in the table.
#[derive(Clone, Debug, Default)]
struct Run {
    /// Number of the first kept event, counted over all events of the file.
    first: u64,
    /// Its row in the table.
    row: usize,
    len: usize,
}

#[derive(Debug)]
pub(super) struct Window {
    keep: Keep,
    runs: Vec<Run>,
    /// Events seen, kept or not.
    seen: u64,
    /// Number of the first event of the present list.
    list_start: u64,
    pub left_out: u64,
    /// Events after the range that stay.
    pub after: u64,
    tail: Tail,
    leading: Leading,
}

/// torch_npu puts three entries for each workspace block before all others, whenever it was allocated.
/// Nothing else tells of these blocks, so the entries stay whatever is left out.
#[derive(Debug, Default)]
struct Leading {
    /// Something else has come in this list.
    is_over: bool,
    block: Option<Address>,
}

impl Leading {
    /// True for the next of these entries.
    fn takes(&mut self, event: Event) -> bool {
        match event.action {
            _ if self.is_over => false,
            Action::WorkspaceSnapshot => {
                self.block = Some(event.address);
                true
            }
            Action::SegmentAlloc | Action::Alloc if self.block == Some(event.address) => true,
            _ => {
                self.is_over = true;
                false
            }
        }
    }
}

/// Where an event lies to the range that is kept.
#[derive(Clone, Copy)]
enum Place {
    Before,
    Within,
    After,
}

impl Place {
    fn of(within: bool) -> Place {
        if within { Place::Within } else { Place::After }
    }
}

/// The last N are cut only when at least so many more have gathered.
const SLACK: usize = 1 << 16;

impl Window {
    pub fn new(keep: &Keep) -> Window {
        Window {
            keep: keep.clone(),
            runs: vec![Run::default()],
            seen: 0,
            list_start: 0,
            left_out: 0,
            after: 0,
            tail: Tail::default(),
            leading: Leading::default(),
        }
    }

    /// Adds an event; its number, or `None` if it is left out at once.
    #[inline]
    pub fn push(&mut self, table: &mut EventTable, event: Event) -> Option<u64> {
        let number = self.seen;
        self.seen += 1;
        if self.keep == Keep::All {
            table.push(event);
            return Some(number);
        }
        if self.leading.takes(event) {
            self.add(table, event, number);
            // A run of its own: only the last run is ever cut.
            self.runs.push(Run { first: number + 1, row: table.len(), len: 0 });
            return Some(number);
        }
        match &self.keep {
            Keep::All => None,
            Keep::Range(range) => {
                let at = number - self.list_start;
                let place = if at < range.start { Place::Before } else { Place::of(at < range.end) };
                self.place(table, event, number, place)
            }
            Keep::Time(range) => {
                let place = match event.time {
                    Some(time) if time >= range.start => Place::of(time < range.end),
                    // Without a time there is no saying where it belongs.
                    _ => Place::Before,
                };
                self.place(table, event, number, place)
            }
            &Keep::Last(count) => {
                self.add(table, event, number);
                self.cut(table, usize::try_from(count).unwrap_or(usize::MAX), SLACK);
                Some(number)
            }
        }
    }

    fn place(&mut self, table: &mut EventTable, event: Event, number: u64, place: Place) -> Option<u64> {
        match place {
            Place::Before => {
                self.left_out += 1;
                None
            }
            Place::Within => {
                self.add(table, event, number);
                Some(number)
            }
            Place::After => {
                let dropped = self.tail.push(table, event, number);
                self.left_out += dropped.count;
                (!dropped.itself).then_some(number)
            }
        }
    }

    fn add(&mut self, table: &mut EventTable, event: Event, number: u64) {
        let row = table.push(event);
        self.run(number, row);
    }

    fn run(&mut self, number: u64, row: usize) {
        match self.runs.last_mut() {
            Some(run) if run.len > 0 && run.first + run.len as u64 == number && run.row + run.len == row => {
                run.len += 1;
            }
            _ => self.runs.push(Run { first: number, row, len: 1 }),
        }
    }

    /// Drops what is older than the last `count` events of the present list, if that is worth it.
    fn cut(&mut self, table: &mut EventTable, count: usize, slack: usize) {
        let Some(run) = self.runs.last_mut() else { return };
        if run.len > count.saturating_add(count.max(slack)) || slack == 0 && run.len > count {
            let drop = run.len - count;
            table.remove(run.row..run.row + drop);
            run.first += drop as u64;
            run.len = count;
            self.left_out += drop as u64;
        }
    }

    /// The list of a device is over, or the next one begins.
    pub fn end_list(&mut self, table: &mut EventTable) {
        if let &Keep::Last(count) = &self.keep {
            self.cut(table, usize::try_from(count).unwrap_or(usize::MAX), 0);
            if self.runs.last().is_some_and(|run| run.len > 0) {
                self.runs.push(Run { first: self.seen, row: table.len(), len: 0 });
            }
        }
        for (number, row) in self.tail.end(table) {
            self.after += 1;
            self.run(number, row);
        }
        self.list_start = self.seen;
        self.leading = Leading::default();
    }

    /// The row of the event of that number, if it is still there.
    pub fn row_of(&self, number: u64) -> Option<usize> {
        if self.keep == Keep::All {
            return usize::try_from(number).ok();
        }
        if let Some(row) = self.tail.row_of(number) {
            return Some(row);
        }
        let after = self.runs.partition_point(|run| run.first <= number);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let offset = number - run.first;
        if offset < run.len as u64 { Some(run.row + offset as usize) } else { None }
    }

    /// The rows of `count` events from a number on, as far as they are there.
    pub fn rows_of(&self, number: u64, count: u64, out: &mut Vec<Range<usize>>) {
        if self.keep == Keep::All {
            let start = number as usize;
            out.push(start..start.saturating_add(count as usize));
            return;
        }
        let end = number.saturating_add(count);
        for run in &self.runs {
            let from = run.first.max(number);
            let to = (run.first + run.len as u64).min(end);
            if from < to {
                let start = run.row + (from - run.first) as usize;
                out.push(start..start + (to - from) as usize);
            }
        }
    }

    pub fn cuts(&self) -> bool {
        self.keep != Keep::All
    }
}
