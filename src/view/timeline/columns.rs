//! Which state a pixel column shows: the one with the most bytes among those that fall into it.

use crate::replay::{CurveKind, Replay};
use core::ops::Range;

/// The state of each column and its bytes on the curve that was asked for.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Never falling.
    pub states: Vec<u32>,
    pub bytes: Vec<u64>,
}

impl Columns {
    /// Chooses for each range of states the first one of its maximum, so that no peak is lost.
    pub fn choose(replay: &Replay, kind: CurveKind, ranges: &[Range<u32>]) -> Columns {
        let mut columns =
            Columns { states: Vec::with_capacity(ranges.len()), bytes: Vec::with_capacity(ranges.len()) };
        let mut before: Option<Range<u32>> = None;
        for range in ranges {
            let (state, bytes) =
                match (before.as_ref() == Some(range), columns.states.last(), columns.bytes.last()) {
                    (true, Some(&state), Some(&bytes)) => (state, bytes),
                    _ => replay
                        .extremes(kind, range.clone())
                        .map_or((range.start, 0), |found| (found.max_at, found.max.0)),
                };
            columns.states.push(state);
            columns.bytes.push(bytes);
            before = Some(range.clone());
        }
        columns
    }

    /// The greatest bytes of any column.
    pub fn greatest(&self) -> u64 {
        self.bytes.iter().copied().max().unwrap_or(0)
    }
}
