//! The one place that chooses the hasher.
//!
//! Every table that finds a value by content goes through [`hash_of`]; the keys are our own column
//! contents, so a fast hasher with a fixed seed is right: results must not differ from run to run.

use core::hash::{BuildHasher, Hash};
use foldhash::fast::FixedState;

const STATE: FixedState = FixedState::with_seed(0x4842_4d4c_656e_7331);

/// A map keyed by small ids or text, with the crate's hasher.
pub type FastMap<K, V> = hashbrown::HashMap<K, V, FixedState>;
/// A set with the crate's hasher.
pub type FastSet<K> = hashbrown::HashSet<K, FixedState>;

/// The hash of a value, the same in every run and on every target of the same word size.
#[inline]
pub fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    STATE.hash_one(value)
}

/// An empty map with the crate's hasher.
pub fn fast_map<K, V>() -> FastMap<K, V> {
    FastMap::with_hasher(STATE)
}

/// An empty set with the crate's hasher.
pub fn fast_set<K>() -> FastSet<K> {
    FastSet::with_hasher(STATE)
}
