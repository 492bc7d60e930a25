//! What handles refer to while it has no table row: open containers, wide integers, floats, the memo.
//!
//! A container lives in a slot until it is *sealed*, that is, turned into a row, a stack or a run of
//! rows; then its slot is used again, so that a million events need a handful of slots. A slot whose
//! handle was copied in the meantime (a memo read, DUP) is kept and remembers what it became.

use super::handle::{Handle, tag};
use crate::model::{FastMap, fast_map};

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::format) enum Kind {
    Vacant,
    /// Items, runs of rows shortened (see [`append`]).
    List,
    /// Key, value, key, value.
    Dict,
    /// It was sealed while somebody else held its handle: the body is the one new handle.
    Sealed,
}

#[derive(Debug)]
pub(in crate::format) struct Slot {
    pub body: Vec<Handle>,
    /// The place in the memo that holds this slot's handle.
    memo_at: u32,
    pub kind: Kind,
    /// The handle was copied, so the slot must outlive its sealing.
    pub escaped: bool,
    /// Looked at when it was put into something, and found to be nothing but a list.
    pub plain: bool,
}

const NOWHERE: u32 = u32::MAX;
/// Bodies larger than this are given back instead of being used again.
const KEEP: usize = 4096;
/// The memo may be sparse up to this many places, and up to four for each value stored in it.
const SPARSE: usize = 1 << 12;

#[derive(Debug, Default)]
pub(in crate::format) struct Heap {
    slots: Vec<Slot>,
    free: Vec<u32>,
    wide: Vec<i128>,
    floats: Vec<f64>,
    memo: Vec<Handle>,
    /// How often a numbered place was stored.
    puts: usize,
    /// Memo places far beyond the others, as a hostile or sparse writer gives them.
    memo_far: FastMap<u64, Handle>,
    /// Changes whenever a place of the memo that was in use gets another value.
    pub memo_epoch: u64,
}

impl Heap {
    /// A new empty container.
    pub fn open(&mut self, kind: Kind) -> Handle {
        let tag = if kind == Kind::Dict { tag::DICT } else { tag::LIST };
        if let Some(index) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(index as usize)
        {
            slot.kind = kind;
            slot.plain = false;
            return Handle::of(tag, u64::from(index));
        }
        self.slots.push(Slot { body: Vec::new(), memo_at: NOWHERE, kind, escaped: false, plain: false });
        Handle::of(tag, self.slots.len() as u64 - 1)
    }

    /// The slot of an open container; `None` for any other handle.
    #[inline]
    pub fn slot(&self, handle: Handle) -> Option<&Slot> {
        if handle.is_open() { self.slots.get(handle.index()) } else { None }
    }

    #[inline]
    pub fn slot_mut(&mut self, handle: Handle) -> Option<&mut Slot> {
        if handle.is_open() { self.slots.get_mut(handle.index()) } else { None }
    }

    /// What the handle stands for now: itself, or what its slot became.
    #[inline]
    pub fn resolve(&self, handle: Handle) -> Handle {
        match self.slot(handle) {
            Some(slot) if slot.kind == Kind::Sealed => slot.body.first().copied().unwrap_or(Handle::NONE),
            _ => handle,
        }
    }

    /// Takes the body out, to look at it while other parts change; give it back with [`Heap::put_back`].
    pub fn take_body(&mut self, handle: Handle) -> Vec<Handle> {
        self.slot_mut(handle).map(|slot| std::mem::take(&mut slot.body)).unwrap_or_default()
    }

    pub fn put_back(&mut self, handle: Handle, body: Vec<Handle>) {
        if let Some(slot) = self.slot_mut(handle) {
            slot.body = body;
        }
    }

    /// The container became `sealed`: its memo place says so from now on, and its slot is free again
    /// unless its handle was copied.
    pub fn seal(&mut self, handle: Handle, sealed: Handle) {
        let index = handle.index();
        let Some(slot) = self.slot_mut(handle) else { return };
        slot.body.clear();
        if slot.body.capacity() > KEEP {
            slot.body = Vec::new();
        }
        let memo_at = std::mem::replace(&mut slot.memo_at, NOWHERE);
        if slot.escaped {
            slot.kind = Kind::Sealed;
            slot.body.push(sealed);
        } else {
            slot.kind = Kind::Vacant;
            self.free.push(index as u32);
        }
        if let Some(place) = self.memo.get_mut(memo_at as usize)
            && *place == handle
        {
            *place = sealed;
        }
    }

    /// A copy of the handle goes somewhere.
    #[inline]
    pub fn escape(&mut self, handle: Handle) {
        if let Some(slot) = self.slot_mut(handle) {
            slot.escaped = true;
        }
    }

    pub fn int(&mut self, value: i64) -> Handle {
        match Handle::small_int(value) {
            Some(handle) => handle,
            None => self.wide_int(value.into()),
        }
    }

    /// An integer of up to 128 bits.
    pub fn wide_int(&mut self, value: i128) -> Handle {
        if let Some(handle) = i64::try_from(value).ok().and_then(Handle::small_int) {
            return handle;
        }
        // Address and size columns repeat values often enough for this to be worth it.
        if self.wide.last() != Some(&value) {
            self.wide.push(value);
        }
        Handle::of(tag::WIDE, self.wide.len() as u64 - 1)
    }

    pub fn float(&mut self, value: f64) -> Handle {
        self.floats.push(value);
        Handle::of(tag::FLOAT, self.floats.len() as u64 - 1)
    }

    /// The integer a handle stands for; booleans count as 0 and 1, whole floats as themselves.
    #[inline]
    pub fn as_int(&self, handle: Handle) -> Option<i128> {
        match handle.tag() {
            tag::INT => Some(handle.int().into()),
            tag::WIDE => self.wide.get(handle.index()).copied(),
            tag::TRUE => Some(1),
            tag::FALSE => Some(0),
            tag::FLOAT => self.as_float(handle).filter(|f| f.is_finite()).map(|f| f as i128),
            _ => None,
        }
    }

    /// The integer modulo 2^64.
    #[inline]
    pub fn as_u64(&self, handle: Handle) -> Option<u64> {
        if handle.tag() == tag::INT {
            Some(handle.int() as u64)
        } else {
            self.as_int(handle).map(|v| v as u64)
        }
    }

    pub fn as_float(&self, handle: Handle) -> Option<f64> {
        if handle.tag() == tag::FLOAT { self.floats.get(handle.index()).copied() } else { None }
    }

    /// The next place of the memo, as MEMOIZE counts.
    #[inline]
    pub fn memoize(&mut self, handle: Handle) {
        let at = self.memo.len();
        if let Some(slot) = self.slot_mut(handle) {
            remember(slot, at as u64);
        }
        self.memo.push(handle);
    }

    /// Gives a place that was taken with a vacant handle its value.
    #[inline]
    pub fn settle(&mut self, at: usize, handle: Handle) {
        if let Some(slot) = self.slot_mut(handle) {
            remember(slot, at as u64);
        }
        if let Some(place) = self.memo.get_mut(at) {
            *place = handle;
        }
    }

    /// Stores at a place of the memo that the file names.
    pub fn put(&mut self, at: u64, handle: Handle) {
        if let Some(slot) = self.slot_mut(handle) {
            remember(slot, at);
        }
        let index = usize::try_from(at).unwrap_or(usize::MAX);
        self.puts += 1;
        if let Some(place) = self.memo.get_mut(index) {
            if *place != handle && *place != Handle::VACANT {
                self.memo_epoch += 1;
            }
            *place = handle;
        } else if index < self.puts.saturating_mul(4).saturating_add(SPARSE).max(self.memo.len() + 1) {
            self.memo.resize(index, Handle::VACANT);
            self.memo.push(handle);
        } else {
            if self.memo_far.capacity() == 0 {
                self.memo_far = fast_map();
            }
            if self.memo_far.insert(at, handle).is_some() {
                self.memo_epoch += 1;
            }
            // A place that sealing could not find again must not be sealed behind its back.
            self.escape(handle);
        }
    }

    /// What is at a place of the memo.
    #[inline]
    pub fn get(&mut self, at: u64) -> Option<Handle> {
        let handle = match self.memo.get(at as usize).copied() {
            Some(handle) if handle != Handle::VACANT && at <= usize::MAX as u64 => handle,
            _ => *self.memo_far.get(&at)?,
        };
        if handle.is_open() {
            self.escape(handle);
            return Some(self.resolve(handle));
        }
        Some(handle)
    }

    /// What is at a place of the memo, without taking a copy of it.
    #[inline]
    pub fn peek(&self, at: u64) -> Option<Handle> {
        self.memo.get(usize::try_from(at).ok()?).copied()
    }

    /// Makes room in the memo for what the file's length lets expect.
    pub fn reserve_memo(&mut self, total: usize) {
        self.memo.reserve_exact(total.saturating_sub(self.memo.len()));
    }

    pub fn memo_len(&self) -> usize {
        self.memo.len()
    }

    /// Bytes of memory everything here takes, but for the bodies and the room made in the memo.
    pub fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.free.capacity() * 4
            + self.wide.capacity() * 16
            + (self.floats.capacity() + self.memo.len()) * 8
            + self.memo_far.capacity() * 17
    }
}

fn remember(slot: &mut Slot, at: u64) {
    if slot.memo_at == NOWHERE && at < u64::from(NOWHERE) {
        slot.memo_at = at as u32;
    } else {
        slot.escaped = true;
    }
}

/// Appends to the body of a list: consecutive rows become one row and a count, and events that the
/// options leave out are not kept.
#[inline]
pub(in crate::format) fn append(body: &mut Vec<Handle>, item: Handle) {
    if item.is_row() {
        if item == Handle::LEFT_OUT {
            return;
        }
        if let [.., first, last] = body.as_mut_slice()
            && last.tag() == tag::COUNT
        {
            if first.plus(last.payload()) == item {
                *last = last.plus(1);
                return;
            }
        } else if let Some(last) = body.last()
            && last.plus(1) == item
        {
            body.push(Handle::of(tag::COUNT, 2));
            return;
        }
    }
    body.push(item);
}

/// The items of a list's body with their counts: `(handle, 1)`, or `(first row, n)` for a run.
pub(in crate::format) fn runs(body: &[Handle]) -> impl Iterator<Item = (Handle, u64)> + '_ {
    body.iter().enumerate().filter(|(_, h)| h.tag() != tag::COUNT).map(|(i, &handle)| {
        let count = body.get(i + 1).filter(|next| next.tag() == tag::COUNT).map_or(1, |next| next.payload());
        (handle, count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_as_runs() {
        let mut body = Vec::new();
        let row = |n| Handle::of(tag::EVENT, n);
        for n in [5, 6, 7, 9, 9, 10] {
            append(&mut body, row(n));
        }
        append(&mut body, Handle::LEFT_OUT);
        append(&mut body, Handle::NONE);
        let got: Vec<_> = runs(&body).collect();
        assert_eq!(got, [(row(5), 3), (row(9), 1), (row(9), 2), (Handle::NONE, 1)]);
    }

    #[test]
    fn a_copied_slot_remembers_what_it_became() {
        let mut heap = Heap::default();
        let (a, b) = (heap.open(Kind::Dict), heap.open(Kind::Dict));
        heap.memoize(a);
        heap.memoize(b);
        assert_eq!(heap.get(0), Some(a));
        heap.seal(a, Handle::TRUE);
        heap.seal(b, Handle::FALSE);
        assert_eq!(heap.resolve(a), Handle::TRUE);
        assert_eq!((heap.get(0), heap.get(1)), (Some(Handle::TRUE), Some(Handle::FALSE)));
        assert_eq!(heap.open(Kind::List).index(), b.index());
    }

    #[test]
    fn a_far_memo_place_costs_nothing() {
        let mut heap = Heap::default();
        heap.put(u64::from(u32::MAX), Handle::TRUE);
        assert_eq!((heap.get(u64::from(u32::MAX)), heap.get(7)), (Some(Handle::TRUE), None));
        assert!(heap.heap_bytes() < 4096);
    }
}
