//! The columns of the life table, grown and cut together so that they stay the same length.

use super::lives::{LifeFlags, LifeTable};
use crate::model::Bytes;

impl LifeTable {
    pub(super) fn reserve(&mut self, more: usize) {
        self.birth.reserve_exact(more);
        self.death.reserve_exact(more);
        self.pending_from.reserve_exact(more);
        self.size.reserve_exact(more);
        self.block_size.reserve_exact(more);
        self.source.reserve_exact(more);
        self.piece.reserve_exact(more);
        self.flags.reserve_exact(more);
    }

    #[inline]
    pub(super) fn push(&mut self, birth: u32, size: Bytes, source: u32, flags: LifeFlags) {
        self.birth.push(birth);
        self.death.push(LifeTable::NEVER);
        self.pending_from.push(LifeTable::NEVER);
        self.size.push(size);
        self.block_size.push(Bytes::ZERO);
        self.source.push(source);
        self.piece.push(u32::MAX);
        self.flags.push(flags);
    }

    /// Drops the rows for which `keeps` is false.
    pub(super) fn keep(&mut self, keeps: impl Fn(usize) -> bool) {
        fn filter<T>(column: &mut Vec<T>, keeps: &impl Fn(usize) -> bool) {
            let mut row = 0;
            column.retain(|_| {
                row += 1;
                keeps(row - 1)
            });
        }
        filter(&mut self.birth, &keeps);
        filter(&mut self.death, &keeps);
        filter(&mut self.pending_from, &keeps);
        filter(&mut self.size, &keeps);
        filter(&mut self.block_size, &keeps);
        filter(&mut self.source, &keeps);
        filter(&mut self.piece, &keeps);
        filter(&mut self.flags, &keeps);
    }

    pub(super) fn append(&mut self, mut other: LifeTable) {
        self.reserve(other.len());
        self.birth.append(&mut other.birth);
        self.death.append(&mut other.death);
        self.pending_from.append(&mut other.pending_from);
        self.size.append(&mut other.size);
        self.block_size.append(&mut other.block_size);
        self.source.append(&mut other.source);
        self.piece.append(&mut other.piece);
        self.flags.append(&mut other.flags);
    }
}
