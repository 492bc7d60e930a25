//! Which events stay: all, the last ones of each device, or those of a range.
//!
//! A trace is one list a device, and its events come one after another. So the window counts from
//! where the list began; for the last N it drops the older ones whenever twice as many have gathered,
//! which moves every event at most twice and keeps memory bounded while the file streams by.

use crate::format::Keep;
use crate::model::{Event, EventTable};
use core::ops::Range;

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
}

/// The last N are cut only when at least so many more have gathered.
const SLACK: usize = 1 << 16;

impl Window {
    pub fn new(keep: &Keep) -> Window {
        Window { keep: keep.clone(), runs: vec![Run::default()], seen: 0, list_start: 0, left_out: 0 }
    }

    /// Adds an event; its number, or `None` if it is left out at once.
    #[inline]
    pub fn push(&mut self, table: &mut EventTable, event: Event) -> Option<u64> {
        let number = self.seen;
        self.seen += 1;
        match &self.keep {
            Keep::All => {
                table.push(event);
                Some(number)
            }
            Keep::Range(range) => {
                if !range.contains(&(number - self.list_start)) {
                    self.left_out += 1;
                    return None;
                }
                self.add(table, event, number);
                Some(number)
            }
            Keep::Time(range) => {
                if !event.time.is_some_and(|time| range.contains(&time)) {
                    self.left_out += 1;
                    return None;
                }
                self.add(table, event, number);
                Some(number)
            }
            &Keep::Last(count) => {
                self.add(table, event, number);
                self.cut(table, usize::try_from(count).unwrap_or(usize::MAX), SLACK);
                Some(number)
            }
        }
    }

    fn add(&mut self, table: &mut EventTable, event: Event, number: u64) {
        let row = table.push(event);
        match self.runs.last_mut() {
            Some(run) if run.len > 0 && run.first + run.len as u64 == number => run.len += 1,
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
        self.list_start = self.seen;
    }

    /// The row of the event of that number, if it is still there.
    pub fn row_of(&self, number: u64) -> Option<usize> {
        if self.keep == Keep::All {
            return usize::try_from(number).ok();
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
