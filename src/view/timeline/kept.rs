//! What of the last drawing stands in the next one too: while somebody drags, most of its columns.

use core::ops::Range;

/// Neighbouring columns that are as they were, only elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Where they are now.
    pub now: Range<usize>,
    /// Where they were.
    pub before: Range<usize>,
}

impl Kept {
    /// What two drawings of the same width have in common, told by the states of their columns, when the second
    /// begins `by` columns after the first. The first of them is not kept: its curves are joined to the column on
    /// its left.
    pub fn find(last: &[Range<u32>], now: &[Range<u32>], by: i64) -> Option<Kept> {
        let by = isize::try_from(by).ok()?;
        let was = |x: usize| x.checked_add_signed(by).and_then(|x| last.get(x));
        let same = |x: usize| now.get(x).is_some_and(|states| was(x) == Some(states));
        let from = (0..now.len()).find(|&x| same(x))? + 1;
        let to = (from..now.len()).find(|&x| !same(x)).unwrap_or(now.len());
        let before = from.checked_add_signed(by)?..to.checked_add_signed(by)?;
        // A few of them are not worth the moving.
        ((to - from) * 4 >= now.len()).then_some(Kept { now: from..to, before })
    }

    /// Moves the pixels of a drawing where they are now.
    pub fn shift(&self, pixels: &mut [u32], width: usize) {
        for row in pixels.chunks_exact_mut(width.max(1)) {
            row.copy_within(self.before.clone(), self.now.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_as_it_was_and_so_is_what_is_left_of_it() {
        let last: Vec<Range<u32>> = (0..20).map(|x| x * 10..x * 10 + 10).collect();
        let now: Vec<Range<u32>> = (5..25).map(|x| x * 10..x * 10 + 10).collect();
        let right = Kept { now: 1..15, before: 6..20 };
        assert_eq!(Kept::find(&last, &now, 5), Some(right));
        let left = Kept { now: 6..20, before: 1..15 };
        assert_eq!(Kept::find(&now, &last, -5), Some(left));
        assert_eq!(Kept::find(&last, &last, 0).map(|kept| kept.now), Some(1..20));
        assert_eq!((Kept::find(&last, &now, 4), Kept::find(&last, &now, -5)), (None, None));
        assert_eq!(Kept::find(&last, &now, i64::MAX), None);
        // What differs ends it: the last column of a window ends with the window.
        let mut cut = last.clone();
        cut[19] = 190..193;
        assert_eq!(Kept::find(&cut, &now, 5).map(|kept| kept.now), Some(1..14));
        // Little in common is nothing in common.
        assert_eq!(Kept::find(&last, &(18..38).map(|x| x * 10..x * 10 + 10).collect::<Vec<_>>(), 18), None);
    }

    #[test]
    fn pixels_move_within_their_rows() {
        let mut pixels: Vec<u32> = (0..10).collect();
        Kept { now: 1..4, before: 2..5 }.shift(&mut pixels, 5);
        assert_eq!(pixels, vec![0, 2, 3, 4, 4, 5, 7, 8, 9, 9]);
    }
}
