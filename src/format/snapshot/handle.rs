//! A value while it is being read: eight bytes, copyable, never an owner.
//!
//! A tag and 56 bits. Small values are in the handle itself; text, frames, stacks and rows are
//! numbers of table rows; what has no table yet (open lists and dicts, wide integers, floats) is a
//! number of a slot of the [`Heap`](super::heap::Heap). So a million references to one frame are a
//! million copies of eight bytes, and nothing is ever cloned or expanded.

/// See the module's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(in crate::format) struct Handle(u64);

/// Tags of [`Handle`]; plain numbers so that taking one out needs no check.
pub(in crate::format) mod tag {
    pub const NONE: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    /// A signed integer of 56 bits.
    pub const INT: u8 = 3;
    /// A slot of the wide integers.
    pub const WIDE: u8 = 4;
    /// A slot of the floats.
    pub const FLOAT: u8 = 5;
    /// A text, by its id.
    pub const TEXT: u8 = 6;
    /// Bytes, kept as the text they most likely are.
    pub const BYTES: u8 = 7;
    /// A tuple of two integers.
    pub const PAIR: u8 = 8;
    /// A list, tuple or set in a slot.
    pub const LIST: u8 = 9;
    /// A dict in a slot.
    pub const DICT: u8 = 10;
    /// A list that was empty when it was put into something.
    pub const EMPTY: u8 = 11;
    /// Something the reader does not build; the payload is the text that names it.
    pub const OPAQUE: u8 = 12;
    /// A class or function by its dotted name.
    pub const GLOBAL: u8 = 13;
    /// A list of frames.
    pub const STACK: u8 = 14;
    pub const FRAME: u8 = 15;
    /// Rows of the tables; consecutive ones are kept as runs.
    pub const EVENT: u8 = 16;
    pub const SEGMENT: u8 = 17;
    pub const BLOCK: u8 = 18;
    pub const HISTORY: u8 = 19;
    pub const ANNOTATION: u8 = 20;
    /// In the body of a list: the row before it stands for so many consecutive rows.
    pub const COUNT: u8 = 21;
    /// In the memo: nothing is there.
    pub const VACANT: u8 = 22;
}

const SHIFT: u32 = 56;
const PAYLOAD: u64 = (1 << SHIFT) - 1;

impl Handle {
    pub const NONE: Handle = Handle::of(tag::NONE, 0);
    pub const FALSE: Handle = Handle::of(tag::FALSE, 0);
    pub const TRUE: Handle = Handle::of(tag::TRUE, 0);
    pub const EMPTY: Handle = Handle::of(tag::EMPTY, 0);
    pub const VACANT: Handle = Handle::of(tag::VACANT, 0);
    /// An event that the options leave out.
    pub const LEFT_OUT: Handle = Handle::of(tag::EVENT, PAYLOAD);
    /// A frame that the options leave out.
    pub const LEFT_OUT_FRAME: Handle = Handle::of(tag::FRAME, PAYLOAD);

    #[inline]
    pub const fn of(tag: u8, payload: u64) -> Handle {
        Handle((tag as u64) << SHIFT | payload & PAYLOAD)
    }

    /// The integer, where it fits into 56 bits.
    #[inline]
    pub const fn small_int(value: i64) -> Option<Handle> {
        if value << 8 >> 8 == value { Some(Handle::of(tag::INT, value as u64)) } else { None }
    }

    #[inline]
    pub const fn bool(value: bool) -> Handle {
        if value { Handle::TRUE } else { Handle::FALSE }
    }

    #[inline]
    pub const fn tag(self) -> u8 {
        (self.0 >> SHIFT) as u8
    }

    #[inline]
    pub const fn payload(self) -> u64 {
        self.0 & PAYLOAD
    }

    /// The payload as a table row or slot.
    #[inline]
    pub const fn index(self) -> usize {
        self.payload() as usize
    }

    /// The payload as a 32-bit id.
    #[inline]
    pub const fn id(self) -> u32 {
        self.0 as u32
    }

    /// The payload of a [`tag::INT`].
    #[inline]
    pub const fn int(self) -> i64 {
        (self.0 << 8) as i64 >> 8
    }

    /// True for handles of table rows, which lists keep as runs.
    #[inline]
    pub const fn is_row(self) -> bool {
        self.tag() >= tag::EVENT && self.tag() <= tag::ANNOTATION
    }

    /// True for handles whose content is still in a slot.
    #[inline]
    pub const fn is_open(self) -> bool {
        self.tag() == tag::LIST || self.tag() == tag::DICT
    }

    /// The handle `count` rows on.
    #[inline]
    pub const fn plus(self, count: u64) -> Handle {
        Handle(self.0.wrapping_add(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_sign_up_to_56_bits() {
        for value in [0, 1, -1, (1 << 55) - 1, -(1 << 55)] {
            let handle = Handle::small_int(value).unwrap();
            assert_eq!((handle.tag(), handle.int()), (tag::INT, value));
        }
        for value in [1 << 55, -(1 << 55) - 1, i64::MAX, i64::MIN] {
            assert!(Handle::small_int(value).is_none());
        }
    }
}
