//! How much memory reading comes to: room made in time, and a limit asked about before it is passed.
//!
//! After 64 MiB the memory for the whole file is estimated. A little later, so that whoever measures the
//! process at that moment sees only what was used, room is made for as many events as the length of
//! the file lets expect, so that the columns of large files grow once instead of doubling.

use super::builder::Builder;
use crate::format::options::{ESTIMATE_AT, estimate};
use crate::format::source::FilePosition;
use crate::format::{Error, ErrorKind};
use crate::model::Bytes;

/// Bytes of the file after which room is made.
const RESERVE_AT: u64 = ESTIMATE_AT + (8 << 20);
/// No real file has an event or a memo place in fewer bytes: what is reserved stays below the file.
const LEAST_EVENT: u64 = 100;
const LEAST_MEMO: u64 = 25;

#[derive(Debug, Default)]
pub(super) struct Budget {
    limit: Option<u64>,
    file: FilePosition,
    next_check: u64,
    /// What the whole file would need, once that is known to be too much.
    needed: Option<u64>,
}

impl Budget {
    pub fn new(limit: Option<u64>, file: FilePosition) -> Budget {
        Budget { limit, file, next_check: ESTIMATE_AT, needed: None }
    }

    #[inline]
    fn is_due(&self) -> bool {
        self.file.bytes_read() >= self.next_check
    }
}

impl Builder {
    /// To be asked now and then; true once reading on would pass the limit.
    #[inline]
    pub fn over_budget(&mut self) -> bool {
        self.budget.is_due() && self.look_at_budget()
    }

    #[cold]
    fn look_at_budget(&mut self) -> bool {
        let read = self.budget.file.bytes_read();
        let Some(whole) = self.budget.file.len.filter(|&len| len >= read) else {
            self.budget.next_check = u64::MAX;
            return false;
        };
        self.budget.next_check = if read < RESERVE_AT { RESERVE_AT } else { u64::MAX };
        if let Some(limit) = self.budget.limit {
            let needed = self.memory_for(read, whole);
            if needed > limit {
                self.budget.needed = Some(needed);
                return true;
            }
        }
        let events = self.tables.snapshot.events.len();
        if read >= RESERVE_AT && events > 1000 && !self.tables.is_cut() {
            let room = |so_far: usize, least: u64| {
                let expected = estimate(read, so_far as u64, whole);
                usize::try_from((expected + expected / 64).min(whole / least)).unwrap_or(0)
            };
            self.tables.snapshot.events.reserve_exact(room(events, LEAST_EVENT).saturating_sub(events));
            self.heap.reserve_memo(room(self.heap.memo_len(), LEAST_MEMO));
        }
        false
    }

    /// Bytes of memory for the whole file, from what its beginning took. Only what is in use counts,
    /// not the room that was made; events that are cut to the last ones do not grow.
    fn memory_for(&self, read: u64, whole: u64) -> u64 {
        let snapshot = &self.tables.snapshot;
        let events = snapshot.events.used_bytes() as u64;
        let tables = (snapshot.heap_bytes() as u64).saturating_sub(snapshot.events.heap_bytes() as u64);
        let values = (self.heap.heap_bytes() + (self.stack.capacity() + self.marks.capacity()) * 8) as u64;
        if self.tables.is_cut() {
            return estimate(read, tables + values, whole).saturating_add(events);
        }
        estimate(read, tables + values + events, whole)
    }

    /// The error that ends the reading once [`Builder::over_budget`] was true.
    pub fn budget_error(&self) -> Option<Error> {
        let needed = self.budget.needed?;
        let limit = self.budget.limit.unwrap_or(0);
        let message = format!(
            "reading the whole file would need about {} of memory, the limit is {}",
            Bytes(needed),
            Bytes(limit)
        );
        Some(Error::new(ErrorKind::TooLarge, message).hint(
            "keep only the last events, a range of events, or stacks without native frames; or raise the limit",
        ))
    }
}
