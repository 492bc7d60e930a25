//! Two outputs in one place at one time: memory that one operator overwrites while another needs it.
//!
//! Lives are swept in order of their begin over an index of what is live by offset. Pieces are kept
//! apart by the power of two of their length, so that one long piece does not make every search walk
//! far to the left: a search looks at what is near in each class, and the sweep stays near n log n.
//!
//! Not every shared place is an error. A reference lives in its input's memory; members of one
//! continuous block share its first line's place; zero-copy input and output may be one buffer of the
//! caller; branches of a multi-batch graph never run together.
//! Where the life of one ends at the operator that begins the other, that operator reads one and writes
//! the other in place: it is listed apart as a shared boundary.

use super::blocks::{Block, GraphBlocks};
use crate::model::Arrange;
use crate::model::ge::Placement;
use serde::Serialize;
use std::collections::{BTreeMap, BinaryHeap};

/// How sure it is that two pieces harm each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OverlapKind {
    /// Both are needed at the same time.
    Overlap,
    /// The last reader of one writes the other.
    Boundary,
}

/// One of the two.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Party {
    /// `NODE:output_0`.
    pub name: String,
    pub op_type: String,
    pub offset: u64,
    pub bytes: u64,
    pub begin: u64,
    /// `null`: never released.
    pub end: Option<u64>,
    pub stream: i64,
    pub child_level: i32,
    pub zero_copy: bool,
    pub is_ref: bool,
    pub continuous: bool,
}

/// Two pieces that share a place.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overlap {
    pub kind: OverlapKind,
    pub first: Party,
    pub second: Party,
    /// The shared bytes: from, to.
    pub from: u64,
    pub to: u64,
    /// The shared moments: from, to (`null`: for good).
    pub since: u64,
    pub until: Option<u64>,
    /// They run on different streams, whose order the moments do not tell.
    pub cross_stream: bool,
}

/// What the check found.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct OverlapReport {
    pub overlaps: u64,
    pub boundaries: u64,
    /// More pairs exist than were looked at.
    pub stopped: bool,
    /// Real overlaps first, then by the order of execution; the first thousand.
    pub listed: Vec<Overlap>,
}

const LISTED: usize = 1000;
/// A damaged log can make every pair overlap; nobody reads more than this.
const LOOKED_AT: u64 = 1_000_000;

/// Checks one graph.
pub fn overlaps(graph: &GraphBlocks<'_>) -> OverlapReport {
    let mut order: Vec<usize> = (0..graph.blocks.len()).filter(|&n| graph.blocks[n].bytes > 0).collect();
    order.arrange_by_key(|&n| (graph.blocks[n].begin, graph.blocks[n].end, n));
    let mut live = Live::default();
    let mut report = OverlapReport::default();
    let mut found = Vec::new();
    for n in order {
        let block = &graph.blocks[n];
        live.release_before(block.begin, &graph.blocks);
        let mut stop = false;
        live.near(block, &graph.blocks, &mut |other| {
            report.stopped |= report.overlaps + report.boundaries >= LOOKED_AT;
            stop = report.stopped;
            if !stop && let Some(kind) = judge(graph, &graph.blocks[other], block) {
                match kind {
                    OverlapKind::Overlap => report.overlaps += 1,
                    OverlapKind::Boundary => report.boundaries += 1,
                }
                if kind == OverlapKind::Overlap || found.len() < LISTED {
                    found.push((kind, other, n));
                }
            }
            !stop
        });
        if stop {
            break;
        }
        live.add(n, block);
        if found.len() > 4 * LISTED {
            found.arrange_by_key(|found| found.0);
            found.truncate(2 * LISTED);
        }
    }
    found.arrange_by_key(|found| found.0);
    report.listed = found.iter().take(LISTED).map(|&(kind, a, b)| describe(graph, kind, a, b)).collect();
    report
}

/// `earlier` and `later` share bytes and moments: is that a problem?
fn judge(graph: &GraphBlocks<'_>, earlier: &Block, later: &Block) -> Option<OverlapKind> {
    let (a, b) = (graph.row(earlier), graph.row(later));
    // The same piece printed twice, or a reference to it.
    if (a.name, a.slot, a.index) == (b.name, b.slot, b.index) {
        return None;
    }
    if (earlier.is_ref || later.is_ref) && earlier.offset == later.offset {
        return None;
    }
    // Members of one continuous block whose own places the log does not print, and the block itself.
    if earlier.continuous && later.continuous && a.offset == b.offset && a.size == b.size {
        return None;
    }
    if holds(a, earlier, later) || holds(b, later, earlier) {
        return None;
    }
    // Input and output that the caller gave the same buffer.
    if a.child.zero_copy() && b.child.zero_copy() && earlier.offset == later.offset {
        return None;
    }
    let (first, second) = (graph.log.text(a.batch), graph.log.text(b.batch));
    if !first.is_empty() && !second.is_empty() && first != second {
        return None;
    }
    let boundary = earlier.end == later.begin && earlier.begin < later.begin;
    Some(if boundary { OverlapKind::Boundary } else { OverlapKind::Overlap })
}

/// `member` was moved into the continuous block that `block` opens.
fn holds(row: &Placement, block: &Block, member: &Block) -> bool {
    let end = row.offset.saturating_add(row.size.0);
    row.child.continuous()
        && member.moved
        && block.row != member.row
        && (row.offset..end).contains(&member.offset)
        && member.offset.saturating_add(member.bytes) <= end
}

fn describe(graph: &GraphBlocks<'_>, kind: OverlapKind, earlier: usize, later: usize) -> Overlap {
    let (a, b) = (&graph.blocks[earlier], &graph.blocks[later]);
    let party = |block: &Block| {
        let row = graph.row(block);
        Party {
            name: graph.label(block),
            op_type: graph.log.text(row.op_type).to_owned(),
            offset: block.offset,
            bytes: block.bytes,
            begin: block.begin,
            end: finite(block.end),
            stream: row.stream.stream,
            child_level: row.child.level(),
            zero_copy: row.child.zero_copy(),
            is_ref: block.is_ref,
            continuous: block.continuous,
        }
    };
    let (first, second) = (party(a), party(b));
    Overlap {
        kind,
        from: a.offset.max(b.offset),
        to: a.offset.saturating_add(a.bytes).min(b.offset.saturating_add(b.bytes)),
        since: a.begin.max(b.begin),
        until: finite(a.end.min(b.end)),
        cross_stream: first.stream != second.stream,
        first,
        second,
    }
}

fn finite(end: u64) -> Option<u64> {
    (end < crate::model::ge::NEVER).then_some(end)
}

/// What is live, by the power of two of its length and by offset.
#[derive(Default)]
struct Live {
    classes: BTreeMap<u32, BTreeMap<(u64, usize), u64>>,
    /// Next to end first.
    ends: BinaryHeap<core::cmp::Reverse<(u64, usize)>>,
}

impl Live {
    fn add(&mut self, n: usize, block: &Block) {
        let end = block.offset.saturating_add(block.bytes);
        self.classes.entry(block.bytes.ilog2()).or_default().insert((block.offset, n), end);
        self.ends.push(core::cmp::Reverse((block.end, n)));
    }

    fn release_before(&mut self, moment: u64, blocks: &[Block]) {
        while let Some(&core::cmp::Reverse((end, n))) = self.ends.peek()
            && end < moment
        {
            self.ends.pop();
            if let Some(class) = self.classes.get_mut(&blocks[n].bytes.ilog2()) {
                class.remove(&(blocks[n].offset, n));
            }
        }
    }

    /// Every live piece that shares a byte with `block`, until `each` says stop.
    fn near(&self, block: &Block, blocks: &[Block], each: &mut dyn FnMut(usize) -> bool) {
        let to = block.offset.saturating_add(block.bytes);
        for (&class, pieces) in &self.classes {
            let longest = 2u64.checked_pow(class + 1).unwrap_or(u64::MAX);
            let from = block.offset.saturating_sub(longest);
            for (&(_, n), &end) in pieces.range((from, 0)..(to, 0)) {
                debug_assert!(blocks[n].offset < to);
                if end > block.offset && !each(n) {
                    return;
                }
            }
        }
    }
}
