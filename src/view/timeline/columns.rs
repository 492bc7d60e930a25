//! Which state a pixel column shows: the one with the most bytes among those that fall into it; and what
//! the curves do there.

use crate::replay::{CurveKind, OUTLINED, Outlined, Outliner, Replay, Span};
use core::ops::Range;

/// The state of each column and the bytes of its bands.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Never falling.
    pub states: Vec<u32>,
    pub bytes: Vec<u64>,
}

/// Least and greatest value of a curve in each column.
#[derive(Clone, Debug, Default)]
pub struct Outline(pub Vec<Span>);

/// The columns of `ranges`, the states of each, none of them empty: each shows the first state at which
/// `stacked` is greatest, so that no peak is lost. With them the outlines of [`OUTLINED`].
pub fn outlines(
    replay: &Replay,
    stacked: CurveKind,
    ranges: &[Range<u32>],
) -> (Columns, [Outline; OUTLINED.len()]) {
    let mut columns = Columns::default();
    let mut outlines = OUTLINED.map(|_| Outline(Vec::with_capacity(ranges.len())));
    let place = OUTLINED.iter().position(|&kind| kind == stacked).unwrap_or_default();
    let mut outliner = Outliner::new(replay, stacked);
    let mut last: Option<(&Range<u32>, Outlined)> = None;
    for range in ranges {
        // Where columns are narrower than events, neighbours show the same states.
        let found = match last {
            Some((same, found)) if same == range => found,
            _ => outliner.column(range.clone()),
        };
        last = Some((range, found));
        columns.states.push(found.max_at);
        columns.bytes.push(found.spans[place].max.0);
        for (outline, span) in outlines.iter_mut().zip(found.spans) {
            outline.0.push(span);
        }
    }
    (columns, outlines)
}

impl Outline {
    /// The greatest value of any column.
    pub fn greatest(&self) -> u64 {
        self.0.iter().map(|span| span.max.0).max().unwrap_or(0)
    }
}
