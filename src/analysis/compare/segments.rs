//! Segments that came, went, grew, shrank, or are the same at another address.

use super::minus;
use super::side::SEGMENT;
use crate::model::{Address, Arrange, FastMap, fast_map};
use serde::Serialize;

/// A segment in both sides; of one that only one side has, the other's fields are null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SegmentRow {
    pub a_address: Option<Address>,
    pub b_address: Option<Address>,
    pub a_bytes: u64,
    pub b_bytes: u64,
    pub stream: i64,
    pub segment_type: &'static str,
}

/// One kind of change.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SegmentChange {
    pub count: u64,
    /// By how much reserved bytes differ.
    pub diff_bytes: i64,
    /// The largest change first.
    pub rows: Vec<SegmentRow>,
}

/// How the segments differ. The differences add up to that of reserved bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SegmentChanges {
    pub new: SegmentChange,
    pub gone: SegmentChange,
    pub grown: SegmentChange,
    pub shrunk: SegmentChange,
    /// Of the same size, stream and size class at another address, as in another process.
    pub moved: SegmentChange,
    /// At the same address with the same size.
    pub same: u64,
}

type One = [u64; SEGMENT];

/// Compares two lists of segments, each in order of address.
pub(super) fn changes(a: &[u64], b: &[u64], top: usize) -> SegmentChanges {
    let mut there: FastMap<u64, One> = fast_map();
    for &segment in b.as_chunks::<SEGMENT>().0 {
        there.insert(segment[0], segment);
    }
    let mut changes = SegmentChanges::default();
    let mut gone = Vec::new();
    for &left in a.as_chunks::<SEGMENT>().0 {
        match there.remove(&left[0]) {
            None => gone.push(left),
            Some(right) if right[1] == left[1] => changes.same += 1,
            Some(right) if right[1] > left[1] => changes.grown.add(Some(left), Some(right)),
            Some(right) => changes.shrunk.add(Some(left), Some(right)),
        }
    }
    let mut new: Vec<One> = there.into_values().collect();
    new.sort_unstable();
    // What is alike is paired in order of addresses.
    let alike = |&[_, size, stream, kind]: &One| [size, stream, kind];
    let mut free: FastMap<[u64; 3], Vec<One>> = fast_map();
    for &segment in new.iter().rev() {
        free.entry(alike(&segment)).or_default().push(segment);
    }
    for left in gone {
        match free.get_mut(&alike(&left)).and_then(Vec::pop) {
            Some(right) => changes.moved.add(Some(left), Some(right)),
            None => changes.gone.add(Some(left), None),
        }
    }
    let mut left_over: Vec<One> = free.into_values().flatten().collect();
    left_over.sort_unstable();
    for right in left_over {
        changes.new.add(None, Some(right));
    }
    for change in
        [&mut changes.new, &mut changes.gone, &mut changes.grown, &mut changes.shrunk, &mut changes.moved]
    {
        change.finish(top);
    }
    changes
}

impl SegmentChange {
    fn add(&mut self, a: Option<One>, b: Option<One>) {
        let Some([_, _, stream, kind]) = a.or(b) else { return };
        let bytes = |side: Option<One>| side.map_or(0, |[_, bytes, ..]| bytes);
        let address = |side: Option<One>| side.map(|[address, ..]| Address(address));
        self.count += 1;
        self.diff_bytes = self.diff_bytes.saturating_add(minus(bytes(b), bytes(a)));
        self.rows.push(SegmentRow {
            a_address: address(a),
            b_address: address(b),
            a_bytes: bytes(a),
            b_bytes: bytes(b),
            stream: stream as i64,
            segment_type: match kind {
                0 => "large",
                1 => "small",
                _ => "unknown",
            },
        });
    }

    fn finish(&mut self, top: usize) {
        self.rows.arrange_by_key(|row| core::cmp::Reverse((row.a_bytes.abs_diff(row.b_bytes), row.a_bytes)));
        if top > 0 {
            self.rows.truncate(top);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_segment_is_in_one_class_and_the_bytes_add_up() {
        let a =
            [[16, 100, 0, 0], [32, 200, 0, 0], [64, 300, 0, 1], [128, 50, 0, 1], [256, 70, 1, 0]].concat();
        let b =
            [[16, 100, 0, 0], [32, 260, 0, 0], [64, 250, 0, 1], [512, 50, 0, 1], [1024, 70, 0, 0]].concat();
        let changes = changes(&a, &b, 0);
        let counts = [&changes.new, &changes.gone, &changes.grown, &changes.shrunk, &changes.moved];
        assert_eq!(counts.map(|c| (c.count, c.diff_bytes)), [(1, 70), (1, -70), (1, 60), (1, -50), (1, 0)]);
        assert_eq!(changes.same, 1);
        assert_eq!(changes.moved.rows[0].b_address, Some(Address(512)));
    }
}
