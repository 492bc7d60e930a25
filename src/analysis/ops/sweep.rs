//! The one interval question of this folder: which slice is the innermost around a moment?
//!
//! Slices come in order of start and moments in order of time, so one pass with a stack answers all: the
//! top of the stack is the slice that started last, and one that ended before this moment can
//! never serve a later one. No nesting is assumed, and the work is linear whatever a file holds.

/// A slice: both ends belong to it.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub start: i64,
    pub end: i64,
    /// What it is to the caller.
    pub id: u32,
}

/// Order in which [`innermost`] wants slices: of two that start together the shorter is further in,
/// and of two alike the later.
pub fn order(a: &Slice, b: &Slice) -> core::cmp::Ordering {
    a.start.cmp(&b.start).then(b.end.cmp(&a.end)).then(a.id.cmp(&b.id))
}

/// For each moment (in order of time) the id of the slice around it that started last.
pub fn innermost(
    slices: &[Slice],
    moments: impl Iterator<Item = i64>,
    mut found: impl FnMut(usize, Option<u32>),
) {
    let mut open: Vec<(i64, u32)> = Vec::new();
    let mut next = slices.iter().peekable();
    for (i, moment) in moments.enumerate() {
        while let Some(slice) = next.next_if(|s| s.start <= moment) {
            open.push((slice.end, slice.id));
        }
        while open.pop_if(|(end, _)| *end < moment).is_some() {}
        found(i, open.last().map(|&(_, id)| id));
    }
}

/// For each slice (in [`order`]) the slice that encloses it most closely. A slice that outlives the one it
/// started in has not that one as its parent.
pub fn parents(slices: &[Slice], mut found: impl FnMut(u32, Option<u32>)) {
    let mut open: Vec<(i64, u32)> = Vec::new();
    for slice in slices {
        while open.pop_if(|(end, _)| *end < slice.end).is_some() {}
        found(slice.id, open.last().map(|&(_, id)| id));
        open.push((slice.end, slice.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(spans: &[(i64, i64)]) -> Vec<Slice> {
        let mut slices: Vec<Slice> = spans
            .iter()
            .zip(0..)
            .map(|(&(start, length), id)| Slice { start, end: start + length, id })
            .collect();
        slices.sort_by(order);
        slices
    }

    proptest! {
        #[test]
        fn the_innermost_is_what_a_search_finds(
            spans in prop::collection::vec((0_i64..50, 0_i64..20), 0..40),
            mut moments in prop::collection::vec(-5_i64..80, 1..40),
        ) {
            moments.sort();
            let slices = sorted(&spans);
            let mut answers = Vec::new();
            innermost(&slices, moments.iter().copied(), |_, id| answers.push(id));
            for (moment, answer) in moments.iter().zip(answers) {
                let expected = slices.iter().rev().find(|s| s.start <= *moment && *moment <= s.end).map(|s| s.id);
                prop_assert_eq!(answer, expected);
            }
        }

        #[test]
        fn a_parent_encloses_and_of_nested_slices_is_the_closest(spans in prop::collection::vec((0_i64..50, 0_i64..20), 0..40)) {
            let slices = sorted(&spans);
            let nested = slices.iter().all(|a| slices.iter().all(|b| {
                a.end < b.start || b.end < a.start || (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end)
            }));
            let at = |id: u32| slices.iter().position(|s| s.id == id).unwrap();
            let mut failure = None;
            parents(&slices, |id, parent| {
                let child = slices[at(id)];
                let closest = slices[..at(id)].iter().rev().find(|s| s.end >= child.end);
                if let Some(parent) = parent {
                    let parent = slices[at(parent)];
                    if parent.start > child.start || parent.end < child.end {
                        failure = Some((parent, child));
                    }
                }
                if nested && parent != closest.map(|s| s.id) {
                    failure = Some((child, child));
                }
            });
            prop_assert!(failure.is_none(), "{:?}", failure);
        }
    }
}
