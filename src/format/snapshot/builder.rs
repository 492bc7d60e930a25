//! The stack on which values are put together, shared by the pickle and the JSON reader.
//!
//! Containers under construction are a mark on the stack and the items above it, eight bytes each, so
//! a writer that puts a million events between one MARK and its APPENDS costs eight megabytes.

use super::budget::Budget;
use super::handle::{Handle, tag};
use super::heap::{Heap, Kind, append, runs};
use super::keys;
use super::tables::Tables;
use crate::format::ReadOptions;
use crate::format::source::FilePosition;

/// Python fills lists in batches of this many items; a shorter one is a whole list.
const BATCH: usize = 1000;

#[derive(Debug)]
pub(in crate::format) struct Builder {
    pub stack: Vec<Handle>,
    pub marks: Vec<usize>,
    pub heap: Heap,
    pub tables: Tables,
    pub(super) budget: Budget,
}

/// Why a step could not be done: what was expected.
pub(in crate::format) type Step<T = ()> = Result<T, &'static str>;

impl Builder {
    pub fn new(options: &ReadOptions, file: FilePosition) -> Builder {
        Builder {
            stack: Vec::new(),
            marks: Vec::new(),
            heap: Heap::default(),
            tables: Tables::new(options, true),
            budget: Budget::new(options.budget, file),
        }
    }

    /// A builder that leaves dicts as they are.
    pub fn plain() -> Builder {
        let options = ReadOptions::default();
        let tables = Tables::new(&options, false);
        Builder { tables, ..Builder::new(&options, FilePosition::default()) }
    }

    #[inline]
    pub fn push(&mut self, handle: Handle) {
        self.stack.push(handle);
    }

    pub fn pop(&mut self) -> Step<Handle> {
        if self.stack.len() <= self.floor() {
            return Err("a value on the stack");
        }
        self.stack.pop().ok_or("a value on the stack")
    }

    pub fn top(&self) -> Step<Handle> {
        self.stack.last().copied().ok_or("a value on the stack")
    }

    /// Nothing below the last mark may be taken away.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    #[inline]
    pub fn mark(&mut self) {
        self.marks.push(self.stack.len());
    }

    #[inline]
    pub fn pop_mark(&mut self) -> Step<usize> {
        self.marks.pop().filter(|&mark| mark <= self.stack.len()).ok_or("a mark on the stack")
    }

    /// An empty list on the stack. It may be the start of the next device's events.
    #[inline]
    pub fn open_list(&mut self) {
        let below = self.stack.last().copied().unwrap_or(Handle::NONE);
        if below.tag() == tag::LIST || below.tag() == tag::TEXT && keys::is_top_level(below.id()) {
            self.maybe_next_trace(below);
        }
        let list = self.heap.open(Kind::List);
        self.push(list);
    }

    #[cold]
    fn maybe_next_trace(&mut self, below: Handle) {
        // The list before this one lies below it, or was put into the list of lists already.
        let begins_with_event = |list| {
            self.heap.slot(list).is_some_and(|s| s.body.first().is_some_and(|h| h.tag() == tag::EVENT))
        };
        let has_events = || {
            let last = self.heap.slot(below).and_then(|slot| slot.body.last().copied());
            begins_with_event(below) || last.is_some_and(begins_with_event)
        };
        if self.tables.window.cuts() && (below.tag() == tag::TEXT || has_events()) {
            self.tables.window.end_list(&mut self.tables.snapshot.events);
        }
    }

    /// What is above `mark` becomes a list (also tuple or set) and takes its place.
    pub fn list_from(&mut self, mark: usize) {
        if mark == self.stack.len() {
            return self.open_list();
        }
        let list = self.heap.open(Kind::List);
        self.consume_from(mark, 0, 1);
        if let Some(slot) = self.heap.slot_mut(list) {
            for &item in self.stack.get(mark..).unwrap_or(&[]) {
                append(&mut slot.body, item);
            }
        }
        self.stack.truncate(mark);
        self.push(list);
    }

    /// What is above `mark` becomes a dict and takes its place.
    pub fn dict_from(&mut self, mark: usize) -> Step {
        if !(self.stack.len() - mark).is_multiple_of(2) {
            return Err("a value for every key");
        }
        self.consume_from(mark, 1, 2);
        let pairs = self.stack.get(mark..).unwrap_or(&[]);
        let dict = match self.tables.row_of(&self.heap, pairs) {
            Some(row) => row,
            None => {
                let dict = self.heap.open(Kind::Dict);
                if let Some(slot) = self.heap.slot_mut(dict) {
                    slot.body.extend_from_slice(pairs);
                }
                dict
            }
        };
        self.stack.truncate(mark);
        self.push(dict);
        Ok(())
    }

    /// A tuple of the items above `mark`; two integers are kept as a pair.
    pub fn tuple_from(&mut self, mark: usize) {
        if let [a, b] = *self.stack.get(mark..).unwrap_or(&[])
            && let (Some(a), Some(b)) = (self.small(a), self.small(b))
        {
            let pair = self.tables.snapshot.pools.intern((a, b));
            self.stack.truncate(mark);
            self.push(Handle::of(tag::PAIR, u64::from(pair.0)));
        } else {
            self.list_from(mark);
        }
    }

    /// For formats without tuples: a list of two integers (opened below `mark`, all its items above)
    /// becomes a pair.
    pub fn tuple_in_place(&mut self, mark: usize) -> bool {
        let is_pair = match *self.stack.get(mark..).unwrap_or(&[]) {
            [a, b] => self.small(a).is_some() && self.small(b).is_some(),
            _ => false,
        };
        let list = mark.checked_sub(1).and_then(|below| self.stack.get(below)).copied();
        let Some(list) =
            list.filter(|&list| is_pair && self.heap.slot(list).is_some_and(|s| s.body.is_empty()))
        else {
            return false;
        };
        self.tuple_from(mark);
        if let Some(pair) = self.stack.pop() {
            self.heap.seal(list, pair);
            self.replace(mark - 1, pair);
        }
        true
    }

    fn small(&self, handle: Handle) -> Option<i64> {
        if handle.tag() == tag::INT { Some(handle.int()) } else { None }
    }

    /// Puts the items above `mark` into the list below it. `batch`: the writer gives many at once, so
    /// the first time may be the whole list.
    pub fn append_from(&mut self, mark: usize, batch: bool) -> Step {
        let below = mark.checked_sub(1).ok_or("a list below the mark")?;
        let Some(&target) = self.stack.get(below) else { return Err("a list below the mark") };
        let target = self.heap.resolve(target);
        self.consume_from(mark, 0, 1);
        let target = match target.tag() {
            tag::LIST => target,
            tag::STACK | tag::EMPTY => self.reopen(target),
            // A list of a class that is not known.
            tag::OPAQUE => {
                self.stack.truncate(mark);
                return Ok(());
            }
            _ => return Err("a list to append to"),
        };
        let items = self.stack.get(mark..).unwrap_or(&[]);
        let Some(slot) = self.heap.slot_mut(target) else { return Err("a list to append to") };
        // A whole list of frames at once is a stack, without a stop in between.
        if batch
            && slot.body.is_empty()
            && items.len() < BATCH
            && let Some(stack) = self.tables.stack_of(items)
        {
            self.heap.seal(target, stack);
            self.replace(below, stack);
        } else {
            for &item in items {
                append(&mut slot.body, item);
            }
            self.replace(below, target);
        }
        self.stack.truncate(mark);
        Ok(())
    }

    fn replace(&mut self, at: usize, handle: Handle) {
        if let Some(place) = self.stack.get_mut(at) {
            *place = handle;
        }
    }

    /// A list that was sealed goes on after all.
    #[cold]
    fn reopen(&mut self, sealed: Handle) -> Handle {
        let list = self.heap.open(Kind::List);
        if let Some(slot) = self.heap.slot_mut(list)
            && sealed.tag() == tag::STACK
        {
            let frames = self.tables.snapshot.stacks.get(crate::model::StackId(sealed.id()));
            slot.body.extend(frames.iter().map(|frame| Handle::of(tag::FRAME, u64::from(frame.0))));
        }
        list
    }

    /// Puts the keys and values above `mark` into the dict below it. `batch`: the writer gives all it
    /// has at once, so an entry is complete after the first time.
    #[inline]
    pub fn set_from(&mut self, mark: usize, batch: bool) -> Step {
        let below = mark.checked_sub(1).ok_or("a dict below the mark")?;
        let Some(&target) = self.stack.get(below) else { return Err("a dict below the mark") };
        if !(self.stack.len() - mark).is_multiple_of(2) {
            return Err("a value for every key");
        }
        let target = self.heap.resolve(target);
        self.consume_from(mark, 1, 2);
        let pairs = self.stack.get(mark..).unwrap_or(&[]);
        if let Some(slot) = self.heap.slot(target).filter(|slot| slot.kind == Kind::Dict) {
            let row =
                if batch && slot.body.is_empty() { self.tables.row_of(&self.heap, pairs) } else { None };
            if let Some(row) = row {
                self.heap.seal(target, row);
                self.replace(below, row);
            } else if let Some(slot) = self.heap.slot_mut(target) {
                slot.body.extend_from_slice(pairs);
            }
        } else if target.tag() >= tag::FRAME {
            self.tables.amend(&self.heap, target, pairs);
        } else if target.tag() != tag::OPAQUE {
            return Err("a dict to fill");
        }
        self.stack.truncate(mark);
        Ok(())
    }

    /// The items from `mark + offset` in steps are put into something.
    #[inline]
    fn consume_from(&mut self, mark: usize, offset: usize, step: usize) {
        for place in self.stack.get_mut(mark + offset..).unwrap_or(&mut []).iter_mut().step_by(step) {
            if place.is_open() {
                *place = self.tables.consume(&mut self.heap, *place);
            }
        }
    }

    /// The value of a key in an open dict; the last one where a key stands twice.
    pub fn value_of(&self, dict: Handle, key: u32) -> Option<Handle> {
        let slot = self.heap.slot(dict).filter(|slot| slot.kind == Kind::Dict)?;
        let pair = slot.body.chunks_exact(2).rfind(|p| p[0].tag() == tag::TEXT && p[0].id() == key)?;
        Some(self.heap.resolve(pair[1]))
    }

    /// The first item of a list.
    pub fn first_item(&self, list: Handle) -> Option<Handle> {
        let slot = self.heap.slot(list).filter(|slot| slot.kind == Kind::List)?;
        slot.body.first().map(|&item| self.heap.resolve(item))
    }

    /// The items of a list, runs of rows shortened.
    pub fn items_of(&self, list: Handle) -> Vec<(Handle, u64)> {
        let slot = self.heap.slot(list).filter(|slot| slot.kind == Kind::List);
        slot.map(|slot| runs(&slot.body).map(|(h, n)| (self.heap.resolve(h), n)).collect())
            .unwrap_or_default()
    }
}
