//! A graph's placements as pieces of memory with a life: what all questions about a graph start from.
//!
//! A log line is not a piece of memory: a continuous line moves an output that another line placed, a
//! reference has none of its own, and cleared memory has no life of its own. This is the one place
//! where that is sorted out.

use crate::model::ge::{GeLog, Graph, NEVER, Placement, Slot};
use crate::model::{Arrange, FastMap, StringId, fast_map};
use std::collections::BTreeMap;

/// GE gives out memory in multiples of this.
pub const ALIGN: u64 = 512;

/// Up to the next multiple of 512.
pub fn aligned(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGN).unwrap_or(u64::MAX)
}

/// A piece of a graph's memory.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Row in the graph's placements.
    pub row: usize,
    /// Where it really begins, moves inside continuous blocks included.
    pub offset: u64,
    /// What is written there.
    pub bytes: u64,
    pub begin: u64,
    pub end: u64,
    /// Where its life would end if no other stream had to be waited for.
    pub end_own_stream: u64,
    /// May share its place with others over time; false: for the whole run.
    pub reusable: bool,
    /// Shares the memory of the operator's input, so it adds nothing.
    pub is_ref: bool,
    pub continuous: bool,
    /// A line of size 0 gave it its place inside a continuous block.
    pub moved: bool,
}

impl Block {
    /// What it takes when memory is given out in multiples of 512.
    pub fn aligned(&self) -> u64 {
        aligned(self.bytes)
    }

    /// Live at that moment of the graph's order of execution; both ends belong to the life.
    pub fn live_at(&self, moment: u64) -> bool {
        self.begin <= moment && moment <= self.end
    }
}

/// The pieces of one graph in one kind of memory.
#[derive(Clone, Debug)]
pub struct GraphBlocks<'a> {
    pub log: &'a GeLog,
    pub graph: &'a Graph,
    pub mem_type: i64,
    pub blocks: Vec<Block>,
}

/// The kind of memory that lines without one belong to: high-bandwidth memory.
pub const HBM: i64 = 2;

/// The kinds of memory a graph uses, smallest number first.
pub fn mem_types(graph: &Graph) -> Vec<i64> {
    let placed = graph.placements.iter().map(|row| row.mem_type.unwrap_or(HBM));
    let mut types: Vec<i64> = graph.summaries.iter().map(|row| row.mem_type).chain(placed).collect();
    types.sort_unstable();
    types.dedup();
    types
}

impl<'a> GraphBlocks<'a> {
    /// Works out the pieces.
    pub fn new(log: &'a GeLog, graph: &'a Graph, mem_type: i64) -> GraphBlocks<'a> {
        let of_type = |row: &Placement| row.mem_type.unwrap_or(HBM) == mem_type;
        // Continuous lines of size 0 move an output inside the block that holds it.
        let mut moved: FastMap<(StringId, Slot, u32), u64> = fast_map();
        for row in graph.placements.iter().filter(|row| row.kind.is_continuous() && row.size.0 == 0) {
            moved.insert((row.name, row.slot, row.index), row.offset);
        }
        let mut blocks = Vec::new();
        for (index, row) in graph.placements.iter().enumerate() {
            let is_ref = row.is_ref == Some(true);
            if !of_type(row) || !(row.owns_memory() || (is_ref && row.size.0 > 0)) {
                continue;
            }
            // Without a life it was placed outside the allocator's reuse and stays.
            let (begin, end, own) =
                row.life.map_or((0, NEVER, NEVER), |life| (life.begin, life.end, life.end_own_stream));
            let place = moved.get(&(row.name, row.slot, row.index)).copied();
            blocks.push(Block {
                row: index,
                offset: place.unwrap_or(row.offset),
                bytes: row.real_size.0,
                begin,
                end: end.max(begin),
                end_own_stream: own.max(begin),
                reusable: row.life.is_some() && row.child.reusable(),
                is_ref,
                continuous: row.child.continuous() || row.kind.is_continuous() || place.is_some(),
                moved: place.is_some(),
            });
        }
        GraphBlocks { log, graph, mem_type, blocks }
    }

    /// The line the piece comes from.
    pub fn row(&self, block: &Block) -> &'a Placement {
        &self.graph.placements[block.row]
    }

    /// Pieces that take memory.
    pub fn owners(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| !block.is_ref)
    }

    /// Continuous blocks. Lines of one block print the same offset and the block's size; one place can
    /// hold several blocks one after the other, which their lives tell apart.
    pub(super) fn continuous(&self) -> Vec<Continuous<'_>> {
        let mut places: BTreeMap<(u64, u64), Vec<&Block>> = BTreeMap::new();
        for block in self.owners() {
            let row = self.row(block);
            if row.child.continuous() {
                places.entry((row.offset, row.size.0)).or_default().push(block);
            }
        }
        let mut all: Vec<Continuous<'_>> = Vec::new();
        for ((_, size), mut members) in places {
            members.arrange_by_key(|block| block.begin);
            let first = all.len();
            for member in members {
                match all.get_mut(first..).and_then(<[_]>::last_mut) {
                    Some(open) if member.begin <= open.end => {
                        open.end = open.end.max(member.end);
                        open.members.push(member);
                    }
                    _ => {
                        let (begin, end) = (member.begin, member.end);
                        all.push(Continuous { begin, end, size, members: vec![member] });
                    }
                }
            }
        }
        all
    }

    /// `NODE:output_0`, as messages and reports name a piece.
    pub fn label(&self, block: &Block) -> String {
        let row = self.row(block);
        format!("{}:{}_{}", self.log.text(row.name), row.slot.word(), row.index)
    }
}

/// Pieces that must lie side by side, from the first's begin to the last's end.
#[derive(Clone, Debug)]
pub(super) struct Continuous<'b> {
    pub begin: u64,
    pub end: u64,
    /// Of the whole block.
    pub size: u64,
    pub members: Vec<&'b Block>,
}

/// The greatest sum of pieces that live together, and the first moment at which it is reached. A piece
/// is `(begin, end, bytes)`, both ends included.
pub fn peak(pieces: impl Iterator<Item = (u64, u64, u64)>) -> (u64, u64) {
    let pieces: Vec<_> = pieces.filter(|piece| piece.2 > 0).collect();
    let mut begins: Vec<(u64, u64)> = pieces.iter().map(|&(begin, _, bytes)| (begin, bytes)).collect();
    let mut ends: Vec<(u64, u64)> = pieces.iter().map(|&(_, end, bytes)| (end, bytes)).collect();
    begins.sort_unstable();
    ends.sort_unstable();
    let (mut live, mut best, mut moment) = (0u64, 0u64, 0u64);
    let mut ended = 0;
    let mut at = 0;
    while at < begins.len() {
        let now = begins[at].0;
        while let Some(&(end, bytes)) = ends.get(ended)
            && end < now
        {
            live = live.saturating_sub(bytes);
            ended += 1;
        }
        while let Some(&(begin, bytes)) = begins.get(at)
            && begin == now
        {
            live = live.saturating_add(bytes);
            at += 1;
        }
        if live > best {
            (best, moment) = (live, now);
        }
    }
    (best, moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_counts_both_ends_of_a_life() {
        assert_eq!(peak([(1, 3, 10), (3, 4, 5), (5, 9, 12)].into_iter()), (15, 3));
        assert_eq!(peak([(1, 3, 10), (4, 4, 5), (5, 9, 12)].into_iter()), (12, 5));
        assert_eq!(peak([(2, 2, 7), (2, NEVER, 1)].into_iter()), (8, 2));
        assert_eq!(peak(core::iter::empty()), (0, 0));
        assert_eq!((aligned(0), aligned(1), aligned(512), aligned(u64::MAX)), (0, 512, 512, u64::MAX));
    }
}
