//! Which state a pixel column shows: the one with the most bytes among those that fall into it; and what
//! the curves do there.

use crate::replay::{CurveKind, Extremes, Replay, Walk};
use core::ops::Range;

/// The state of each column and the bytes of its bands.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Never falling.
    pub states: Vec<u32>,
    pub bytes: Vec<u64>,
}

impl Columns {
    /// Takes for each column the first state of its maximum, so that no peak is lost.
    pub fn of(outline: &Outline) -> Columns {
        Columns {
            states: outline.0.iter().map(|found| found.max_at).collect(),
            bytes: outline.0.iter().map(|found| found.max.0).collect(),
        }
    }
}

/// First, least, greatest and last value of a curve in each column.
#[derive(Clone, Debug, Default)]
pub struct Outline(pub Vec<Extremes>);

/// The outlines of some curves over `ranges`, the states of each column, none of them empty. Where a maximum
/// is first reached is told of `placed` alone.
pub fn outlines<const N: usize>(
    replay: &Replay,
    kinds: [CurveKind; N],
    placed: CurveKind,
    ranges: &[Range<u32>],
) -> [Outline; N] {
    let mut outlines: [Outline; N] = core::array::from_fn(|_| Outline(Vec::with_capacity(ranges.len())));
    let mut walk = Walk::new(kinds, kinds.map(|kind| kind == placed));
    let mut last: Option<(&Range<u32>, [Extremes; N])> = None;
    for range in ranges {
        // Where columns are narrower than events, neighbours show the same states.
        let found = match last {
            Some((same, found)) if same == range => found,
            _ => replay
                .extremes_of(&mut walk, range.clone())
                .unwrap_or_else(|| [Extremes { max_at: range.start, ..Extremes::default() }; N]),
        };
        last = Some((range, found));
        for (outline, values) in outlines.iter_mut().zip(found) {
            outline.0.push(values);
        }
    }
    outlines
}

impl Outline {
    /// The greatest value of any column.
    pub fn greatest(&self) -> u64 {
        self.0.iter().map(|found| found.max.0).max().unwrap_or(0)
    }
}
