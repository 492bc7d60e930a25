//! The memory of every moment, block for block.

use crate::direct::direct;
use crate::programs::{Case, case, cases};
use hbmlens::model::{Action, Device, SegmentType, Snapshot};
use hbmlens::replay::{Cursor, Replay, State, Use};
use hbmlens::simulate::{self, SegmentThen, Simulator, snapshot};
use proptest::prelude::*;

/// A block to compare: address, size, use, requested bytes (0 for a free one).
type Block = (u64, u64, simulate::Use, u64);

#[derive(PartialEq, Eq, Debug)]
struct Segment {
    address: u64,
    size: u64,
    stream: i64,
    pool: (i64, i64),
    small: bool,
    expandable: bool,
    blocks: Vec<Block>,
}

fn then(sim: &Simulator, segments: &[SegmentThen]) -> Vec<Segment> {
    let requested = |life: Option<usize>| life.map_or(0, |life| sim.record.lives[life].requested);
    let one = |s: &SegmentThen| Segment {
        address: s.address,
        size: s.size,
        stream: s.stream,
        pool: (0, s.pool.pool.into()),
        small: s.pool.small,
        expandable: s.expandable,
        blocks: s.blocks.iter().map(|b| (b.address, b.size, b.used, requested(b.life))).collect(),
    };
    segments.iter().map(one).collect()
}

fn found(snapshot: &Snapshot, state: &State) -> Vec<Segment> {
    let used = |usage: Use| match usage {
        Use::Allocated => simulate::Use::Allocated,
        Use::Pending => simulate::Use::Pending,
        Use::Free | Use::Workspace => simulate::Use::Free,
    };
    let segments = state.segments.iter().filter(|s| !s.is_workspace);
    segments
        .map(|s| Segment {
            address: s.address.0,
            size: s.size.0,
            stream: snapshot.streams.get(s.stream),
            pool: snapshot.pools.get(s.pool),
            small: s.segment_type == SegmentType::Small,
            expandable: s.is_expandable,
            blocks: state
                .blocks_of(s)
                .iter()
                .map(|b| (b.address.0, b.size.0, used(b.usage), b.requested.0))
                .collect(),
        })
        .collect()
}

/// Without sizes of blocks: what a file that begins late still tells of every moment.
fn live(segments: &[Segment]) -> Vec<(u64, u64, simulate::Use, u64)> {
    let blocks = segments.iter().flat_map(|s| s.blocks.iter().map(|b| (s.address, *b)));
    blocks
        .filter(|(_, b)| b.2 != simulate::Use::Free)
        .map(|(segment, (address, _, used, requested))| (segment, address, used, requested))
        .collect()
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let sim = case.run();
    let truth = sim.truth(case.max_entries);
    let snapshot = direct(&snapshot(&[&sim], &case.layout()), case.writer());
    let replay = Replay::new(&snapshot, Device::Index(0));
    let count = |action| replay.actions.of(action);
    if (count(Action::FreeRequested) > 0) != (count(Action::FreeCompleted) > 0) {
        // One of the kinds is not in the file at all: what is pending cannot be told then.
        return Ok(());
    }
    let states = truth.states.as_ref().expect("the run keeps its states");
    prop_assert_eq!(states.len(), replay.last_state() as usize + 1);
    let mut cursor = Cursor::new(&snapshot, &replay, 0);
    for (at, segments) in states.iter().enumerate() {
        let state = replay.state(&snapshot, at as u32);
        prop_assert!(state.outside.is_empty(), "at state {}: {:?}", at, state.outside);
        prop_assert_eq!(&cursor.state(), &state, "stepping to state {}", at);
        cursor.forward();
        let (mut found, mut then) = (found(&snapshot, &state), then(&sim, segments));
        if !case.layout().event_notes {
            // Only the segments that last tell their pool then.
            found.iter_mut().chain(&mut then).for_each(|s| s.pool = (0, 0));
        }
        if case.is_complete() || at + 1 == states.len() {
            prop_assert_eq!(&found, &then, "at state {}", at);
            continue;
        }
        prop_assert_eq!(live(&found), live(&then), "at state {}", at);
        let spans = |segments: &[Segment]| -> Vec<(u64, u64)> {
            segments.iter().map(|s| (s.address, s.size)).collect()
        };
        prop_assert_eq!(spans(&found), spans(&then), "at state {}", at);
        let sizes: Vec<(u64, u64)> =
            then.iter().flat_map(|s| &s.blocks).map(|&(address, size, ..)| (address, size)).collect();
        for block in
            state.blocks.iter().filter(|b| b.is_exact && matches!(b.usage, Use::Allocated | Use::Pending))
        {
            let block = (block.address.0, block.size.0);
            prop_assert!(sizes.contains(&block), "at state {}: {:x?} is not exact", at, block);
        }
    }
    // Backwards to the beginning again.
    while cursor.back() {
        if cursor.at() % 16 == 0 {
            prop_assert_eq!(
                &cursor.state(),
                &replay.state(&snapshot, cursor.at()),
                "back at {}",
                cursor.at()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn whole_runs_show_every_state(case in case(false)) {
        check(&case)?;
    }

    #[test]
    fn runs_that_begin_late_show_every_state(case in case(true)) {
        check(&case)?;
    }
}
