//! Keys and words that snapshots are made of, with fixed small ids.
//!
//! They are interned before anything is read, in this order, so that what a key means is a comparison
//! of small integers and "which keys has this dict" is one bit set.

use crate::model::{Action, StringId, StringTable};

macro_rules! keys {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        enum Order { $($name),* }
        $(pub const $name: u32 = Order::$name as u32;)*
        const TEXTS: &[&str] = &[$($text),*];
    };
}

keys! {
    ACTION = "action", ADDR = "addr", SIZE = "size", STREAM = "stream", TIME_US = "time_us", FRAMES = "frames",
    FILENAME = "filename", LINE = "line", NAME = "name", DEVICE_FREE = "device_free",
    COMPILE_CONTEXT = "compile_context", USER_METADATA = "user_metadata",
    INTERNAL_METADATA = "internal_metadata", POOL_ID = "pool_id", FORWARD_FRAMES = "forward_frames",
    STATE = "state", ADDRESS = "address", REQUESTED_SIZE = "requested_size", HISTORY = "history",
    REAL_SIZE = "real_size", CPP_FRAMES = "cpp_frames", DEVICE = "device", TOTAL_SIZE = "total_size",
    ALLOCATED_SIZE = "allocated_size", ACTIVE_SIZE = "active_size", SEGMENT_TYPE = "segment_type",
    SEGMENT_POOL_ID = "segment_pool_id", IS_EXPANDABLE = "is_expandable", BLOCKS = "blocks", STAGE = "stage",
    FX_NODE_OP = "fx_node_op", FX_NODE_NAME = "fx_node_name", FX_NODE_TARGET = "fx_node_target",
    FX_ORIGINAL_TRACE = "fx_original_trace",
    SEGMENTS = "segments", DEVICE_TRACES = "device_traces", HOST_SEGMENTS = "host_segments",
    HOST_TRACES = "host_traces", EXTERNAL_ANNOTATIONS = "external_annotations",
    ALLOCATOR_SETTINGS = "allocator_settings",
}

const COUNT: u32 = TEXTS.len() as u32;

/// Stores the keys and the names of the actions; the table must be empty.
pub(super) fn intern(strings: &mut StringTable) {
    for text in TEXTS {
        strings.intern(text);
    }
    for (_, name) in Action::NAMED {
        strings.intern(name);
    }
    for text in NOTHING {
        strings.intern(text);
    }
}

/// What writers put where there is nothing to say.
const NOTHING: [&str; 2] = ["", "N/A"];
const FIRST_NOTHING: u32 = COUNT + Action::NAMED.len() as u32;

/// True for a text that says something.
#[inline]
pub(super) fn says_something(id: StringId) -> bool {
    !id.is_none() && !(FIRST_NOTHING..FIRST_NOTHING + NOTHING.len() as u32).contains(&id.0)
}

/// The action named by a text; `None` for a name that is not known.
pub(super) fn action_of(id: StringId) -> Option<Action> {
    let index = id.0.checked_sub(COUNT)?;
    Action::NAMED.get(index as usize).map(|&(action, _)| action)
}

/// The bit of a key in a set of keys; 0 for a key that is not known.
#[inline]
pub(super) const fn bit(key: u32) -> u64 {
    if key < COUNT { 1 << key } else { 0 }
}

/// True for the keys of a whole snapshot, whose values are whole tables.
pub(super) const fn is_top_level(key: u32) -> bool {
    SEGMENTS <= key && key <= ALLOCATOR_SETTINGS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_constants_and_fit_into_a_bit_set() {
        let mut strings = StringTable::default();
        intern(&mut strings);
        assert_eq!(strings.find("action"), Some(StringId(ACTION)));
        assert_eq!(strings.find("allocator_settings"), Some(StringId(ALLOCATOR_SETTINGS)));
        assert_eq!(action_of(strings.find("annotate").unwrap()), Some(Action::Annotate));
        assert_eq!(action_of(StringId(ACTION)), None);
        assert!(!says_something(strings.find("").unwrap()) && !says_something(strings.find("N/A").unwrap()));
        assert!(says_something(strings.intern("0/1")) && says_something(strings.find("annotate").unwrap()));
        const { assert!(COUNT <= 64) }
    }
}
