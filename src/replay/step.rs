//! What one event does to the replayed state, in four bytes.
//!
//! The replay decides once what an event means (which life it opens, asks to free or closes, which
//! segment change it makes) and keeps only that. Curves, seeks and cursors run over these steps and
//! never look an address up again.

/// The meaning of an event. Ids index the life table, or the list of segment changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing that changes the state: OOM, snapshot, annotation, a contradiction that was skipped.
    None,
    /// The life begins.
    Open(u32),
    /// The life begins at an address where another still lived, which ends here.
    Reopen(u32),
    /// `free_requested`: the life is pending from here on.
    Ask(u32),
    /// The life ends.
    Close(u32),
    /// The segment change of this index.
    Segment(u32),
    /// `free_requested` of a block that is pending in the snapshot and no life (its place in
    /// [`Replay::unseen_pending`](super::Replay::unseen_pending)).
    AskUnseen(u32),
}

/// A [`Step`] in three bits of kind and 29 bits of id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedStep(u32);

/// Ids end here: half a billion lives of one device is more than any memory holds.
pub const MAX_ID: u32 = (1 << 29) - 1;

impl PackedStep {
    #[inline]
    pub fn new(step: Step) -> PackedStep {
        let (kind, id) = match step {
            Step::None => (0, 0),
            Step::Open(id) => (1, id),
            Step::Reopen(id) => (2, id),
            Step::Ask(id) => (3, id),
            Step::Close(id) => (4, id),
            Step::Segment(id) => (5, id),
            Step::AskUnseen(id) => (6, id),
        };
        PackedStep((kind << 29) | (id & MAX_ID))
    }

    #[inline]
    pub fn get(self) -> Step {
        let id = self.0 & MAX_ID;
        match self.0 >> 29 {
            1 => Step::Open(id),
            2 => Step::Reopen(id),
            3 => Step::Ask(id),
            4 => Step::Close(id),
            5 => Step::Segment(id),
            6 => Step::AskUnseen(id),
            _ => Step::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_kind_and_id() {
        for id in [0, 1, MAX_ID] {
            for step in [
                Step::Open(id),
                Step::Reopen(id),
                Step::Ask(id),
                Step::Close(id),
                Step::Segment(id),
                Step::None,
            ] {
                assert_eq!(PackedStep::new(step).get(), step);
            }
        }
    }
}
