//! Allocator events of all devices, one column a field, in the order of the file.
//!
//! 33 bytes an event while no optional key appears. One device's trace is a run of rows, so a trace is
//! a [`Trace`] with its first and last row, and event `n` of a device is row `first + n`.

use super::ids::{PoolId, StackId, StreamId, StringId};
use super::lazy_column::LazyColumn;
use super::units::{Address, Bytes, Nanos};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// What happened. The names are those of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Action {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    Oom,
    Snapshot,
    WorkspaceSnapshot,
    UserDefined,
    Annotate,
    /// An action this program does not know; its name is in `EventTable::other_action`.
    Other,
}

impl Action {
    /// All actions that have a name of their own, in the order of the enum.
    pub const NAMED: [(Action, &'static str); 12] = [
        (Action::Alloc, "alloc"),
        (Action::FreeRequested, "free_requested"),
        (Action::FreeCompleted, "free_completed"),
        (Action::SegmentAlloc, "segment_alloc"),
        (Action::SegmentFree, "segment_free"),
        (Action::SegmentMap, "segment_map"),
        (Action::SegmentUnmap, "segment_unmap"),
        (Action::Oom, "oom"),
        (Action::Snapshot, "snapshot"),
        (Action::WorkspaceSnapshot, "workspace_snapshot"),
        (Action::UserDefined, "user_defined"),
        (Action::Annotate, "annotate"),
    ];

    /// The name in the file; "other" for [`Action::Other`].
    pub fn name(self) -> &'static str {
        Action::NAMED.get(self as usize).map_or("other", |&(_, name)| name)
    }

    /// The action of that name, [`Action::Other`] for a name not known.
    pub fn from_name(name: &str) -> Action {
        Action::NAMED.iter().find(|&&(_, n)| n == name).map_or(Action::Other, |&(action, _)| action)
    }
}

/// One event, read out of the columns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    pub action: Action,
    /// For [`Action::Oom`] this is `device_free` in bytes, not an address.
    pub address: Address,
    /// Requested bytes of alloc and free events, the segment's bytes of segment events.
    pub size: Bytes,
    pub stream: StreamId,
    pub time: Option<Nanos>,
    pub stack: StackId,
}

/// All events. Columns are public to read; [`EventTable::push`] keeps them the same length.
#[derive(Clone, Debug)]
pub struct EventTable {
    pub action: Vec<Action>,
    pub address: Vec<Address>,
    pub size: Vec<Bytes>,
    pub stream: Vec<StreamId>,
    /// [`EventTable::NO_TIME`] where the entry had none.
    pub time: Vec<Nanos>,
    pub stack: Vec<StackId>,
    /// Memory pool (torch 2.12 on).
    pub pool: LazyColumn<PoolId>,
    pub compile_context: LazyColumn<StringId>,
    pub user_metadata: LazyColumn<StringId>,
    pub internal_metadata: LazyColumn<StringId>,
    /// The stack of the forward operator (torch 2.11 on); its frames are texts, joined by newlines.
    pub forward_frames: LazyColumn<StringId>,
    /// The name of an [`Action::Other`].
    pub other_action: LazyColumn<StringId>,
}

impl Default for EventTable {
    fn default() -> Self {
        EventTable {
            action: Vec::new(),
            address: Vec::new(),
            size: Vec::new(),
            stream: Vec::new(),
            time: Vec::new(),
            stack: Vec::new(),
            pool: LazyColumn::new(PoolId::NONE),
            compile_context: LazyColumn::new(StringId::NONE),
            user_metadata: LazyColumn::new(StringId::NONE),
            internal_metadata: LazyColumn::new(StringId::NONE),
            forward_frames: LazyColumn::new(StringId::NONE),
            other_action: LazyColumn::new(StringId::NONE),
        }
    }
}

impl EventTable {
    /// Stands in the time column for "no time recorded".
    pub const NO_TIME: Nanos = Nanos(i64::MIN);

    /// Appends an event and returns its row.
    #[inline]
    pub fn push(&mut self, event: Event) -> usize {
        let row = self.action.len();
        self.action.push(event.action);
        self.address.push(event.address);
        self.size.push(event.size);
        self.stream.push(event.stream);
        self.time.push(event.time.unwrap_or(EventTable::NO_TIME));
        self.stack.push(event.stack);
        row
    }

    /// The event of `row`. Rows come from a [`Trace`], so they are within the table.
    #[inline]
    pub fn get(&self, row: usize) -> Event {
        Event {
            action: self.action[row],
            address: self.address[row],
            size: self.size[row],
            stream: self.stream[row],
            time: self.time_of(row),
            stack: self.stack[row],
        }
    }

    /// Replaces the event of `row`.
    pub fn set(&mut self, row: usize, event: Event) {
        self.action[row] = event.action;
        self.address[row] = event.address;
        self.size[row] = event.size;
        self.stream[row] = event.stream;
        self.time[row] = event.time.unwrap_or(EventTable::NO_TIME);
        self.stack[row] = event.stack;
    }

    /// Appends a copy of `row` of another table, optional columns included.
    pub fn push_from(&mut self, other: &EventTable, row: usize) {
        let to = self.push(other.get(row));
        self.pool.set(to, other.pool.get(row));
        self.compile_context.set(to, other.compile_context.get(row));
        self.user_metadata.set(to, other.user_metadata.get(row));
        self.internal_metadata.set(to, other.internal_metadata.get(row));
        self.forward_frames.set(to, other.forward_frames.get(row));
        self.other_action.set(to, other.other_action.get(row));
    }

    /// Takes rows out; later ones move up.
    pub fn remove(&mut self, rows: Range<usize>) {
        self.action.drain(rows.clone());
        self.address.drain(rows.clone());
        self.size.drain(rows.clone());
        self.stream.drain(rows.clone());
        self.time.drain(rows.clone());
        self.stack.drain(rows.clone());
        self.pool.remove(rows.clone());
        self.compile_context.remove(rows.clone());
        self.user_metadata.remove(rows.clone());
        self.internal_metadata.remove(rows.clone());
        self.forward_frames.remove(rows.clone());
        self.other_action.remove(rows);
    }

    /// Of the rows from `start` on keeps those whose distance to it `wanted` says yes to.
    pub fn keep(&mut self, start: usize, wanted: impl Fn(usize) -> bool) {
        let mut to = start;
        for row in start..self.len() {
            if !wanted(row - start) {
                continue;
            }
            if to < row {
                self.set(to, self.get(row));
                self.pool.set(to, self.pool.get(row));
                self.compile_context.set(to, self.compile_context.get(row));
                self.user_metadata.set(to, self.user_metadata.get(row));
                self.internal_metadata.set(to, self.internal_metadata.get(row));
                self.forward_frames.set(to, self.forward_frames.get(row));
                self.other_action.set(to, self.other_action.get(row));
            }
            to += 1;
        }
        self.remove(to..self.len());
    }

    #[inline]
    pub fn time_of(&self, row: usize) -> Option<Nanos> {
        Some(self.time[row]).filter(|&t| t != EventTable::NO_TIME)
    }

    /// Makes room for `more` events beyond the present ones, exactly.
    pub fn reserve_exact(&mut self, more: usize) {
        self.action.reserve_exact(more);
        self.address.reserve_exact(more);
        self.size.reserve_exact(more);
        self.stream.reserve_exact(more);
        self.time.reserve_exact(more);
        self.stack.reserve_exact(more);
    }

    pub fn len(&self) -> usize {
        self.action.len()
    }

    pub fn is_empty(&self) -> bool {
        self.action.is_empty()
    }

    /// Bytes of memory that the rows so far take, without the room made for more.
    pub fn used_bytes(&self) -> usize {
        self.len() * 33 + self.heap_bytes() - self.reserved_bytes()
    }

    /// Bytes of memory of the columns that every event has, with the room made for more.
    pub fn reserved_bytes(&self) -> usize {
        self.action.capacity()
            + (self.address.capacity() + self.size.capacity() + self.time.capacity()) * 8
            + (self.stream.capacity() + self.stack.capacity()) * 4
    }

    /// Bytes of memory the table takes.
    pub fn heap_bytes(&self) -> usize {
        self.reserved_bytes()
            + self.pool.heap_bytes()
            + self.compile_context.heap_bytes()
            + self.user_metadata.heap_bytes()
            + self.internal_metadata.heap_bytes()
            + self.forward_frames.heap_bytes()
            + self.other_action.heap_bytes()
    }
}
