//! Which state a pixel column shows: the one with the most bytes among those that fall into it; and what
//! the curves do there.

use super::kept::Kept;
use crate::replay::{CurveKind, OUTLINED, Outlined, Outliner, Replay, Span};
use core::ops::Range;

/// Least and greatest value of a curve in each column.
#[derive(Clone, Debug, Default)]
pub struct Outline(pub Vec<Span>);

/// The state of each column, the bytes of its bands and the outlines of [`OUTLINED`].
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Never falling.
    pub states: Vec<u32>,
    pub bytes: Vec<u64>,
    pub outlines: [Outline; OUTLINED.len()],
}

impl Columns {
    /// The columns of `ranges`, the states of each, none of them empty: each shows the first state at which
    /// `stacked` is greatest, so that no peak is lost.
    pub fn new(replay: &Replay, stacked: CurveKind, ranges: &[Range<u32>]) -> Columns {
        let mut columns = Columns::default();
        columns.add(replay, stacked, ranges);
        columns
    }

    /// The same, where some of the columns were known before.
    pub fn keeping(
        &self,
        kept: &Kept,
        replay: &Replay,
        stacked: CurveKind,
        ranges: &[Range<u32>],
    ) -> Columns {
        let mut columns = Columns::default();
        columns.add(replay, stacked, &ranges[..kept.now.start]);
        columns.states.extend_from_slice(&self.states[kept.before.clone()]);
        columns.bytes.extend_from_slice(&self.bytes[kept.before.clone()]);
        for (outline, known) in columns.outlines.iter_mut().zip(&self.outlines) {
            outline.0.extend_from_slice(&known.0[kept.before.clone()]);
        }
        columns.add(replay, stacked, &ranges[kept.now.end..]);
        columns
    }

    fn add(&mut self, replay: &Replay, stacked: CurveKind, ranges: &[Range<u32>]) {
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
            self.states.push(found.max_at);
            self.bytes.push(found.spans[place].max.0);
            for (outline, span) in self.outlines.iter_mut().zip(found.spans) {
                outline.0.push(span);
            }
        }
    }
}

impl Outline {
    /// The greatest value of any column.
    pub fn greatest(&self) -> u64 {
        self.0.iter().map(|span| span.max.0).max().unwrap_or(0)
    }
}
