//! Lives, curves and peak of made-up programs.

use crate::direct::direct;
use crate::programs::{Case, case, cases};
use hbmlens::model::{Action, Device, Snapshot};
use hbmlens::replay::{CurveKind, LifeFlags, LifeTable, Replay};
use hbmlens::simulate::{Totals, Truth, snapshot};
use proptest::prelude::*;

/// A life to compare: address, size, birth, pending from, death, as states.
type Life = (u64, u64, u32, u32, u32);

fn true_lives(truth: &Truth) -> Vec<Life> {
    let state = |event: Option<usize>| event.map_or(LifeTable::NEVER, |e| e as u32 + 1);
    let mut lives: Vec<Life> = truth
        .lives
        .iter()
        .map(|life| {
            let asked = match (life.pending_from_before, life.free_requested) {
                (true, _) => 0,
                // Lives that close on the asking are never pending.
                (_, asked) if asked == life.end => LifeTable::NEVER,
                (_, asked) => state(asked),
            };
            (life.address, life.requested, life.begin.map_or(0, |e| e as u32 + 1), asked, state(life.end))
        })
        .collect();
    lives.sort_unstable();
    lives
}

fn found_lives(snapshot: &Snapshot, replay: &Replay) -> Vec<Life> {
    let lives = &replay.lives;
    let mut found: Vec<Life> = lives
        .ids()
        .map(|id| {
            let (address, size) = (lives.address(snapshot, id).0, lives.size(id).0);
            (address, size, lives.birth(id), lives.pending_from(id), lives.death(id))
        })
        .collect();
    found.sort_unstable();
    found
}

fn totals_at(replay: &Replay, state: usize) -> Totals {
    let value = |kind| replay.value(kind, state as u32).0;
    Totals {
        requested: value(CurveKind::Requested),
        pending: value(CurveKind::Pending),
        allocated: value(CurveKind::Allocated),
        active: value(CurveKind::Active),
        reserved: value(CurveKind::Reserved),
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let sim = case.run();
    let truth = sim.truth(case.max_entries);
    let snapshot = direct(&snapshot(&[&sim], &case.layout()), case.writer());
    let replay = Replay::new(&snapshot, Device::Index(0));
    prop_assert_eq!(replay.events() as usize, truth.events);
    prop_assert_eq!(found_lives(&snapshot, &replay), true_lives(&truth));
    // Without a single completion lives close on the asking, whatever the snapshot says of their blocks.
    let actions = &replay.actions;
    let pending_is_told = actions.tells_completion() || actions.of(Action::FreeRequested) == 0;
    for (state, then) in truth.totals.iter().enumerate() {
        let found = totals_at(&replay, state);
        let sizes_known = |t: Totals| (t.requested, t.pending, t.reserved);
        prop_assert_eq!(sizes_known(found), sizes_known(*then), "at state {}", state);
        if case.is_complete() && pending_is_told {
            prop_assert_eq!(found, *then, "at state {}", state);
        }
    }
    let (peak, reserved) = (replay.peak(), replay.peak_reserved());
    prop_assert_eq!((peak.bytes.0, peak.event), (truth.peak_requested, truth.peak_event));
    prop_assert_eq!((reserved.bytes.0, reserved.event), (truth.peak_reserved, truth.peak_reserved_event));
    let at_peak: u64 =
        replay.lives.live((peak.event + 1) as u32).iter().map(|&id| replay.lives.size(id).0).sum();
    prop_assert_eq!(at_peak, truth.at_peak.values().map(|&(bytes, _)| bytes).sum::<u64>());
    prop_assert!(!pending_is_told || replay.anomalies.is_empty(), "{:?}", replay.anomalies.listed());
    // What is called exact is exact.
    let mut sizes: Vec<(u64, u32, u64)> = Vec::new();
    for life in &truth.lives {
        sizes.push((life.address, life.begin.map_or(0, |e| e as u32 + 1), life.block_size));
    }
    sizes.sort_unstable();
    let lives = &replay.lives;
    for id in lives.ids().filter(|&id| lives.flags(id).has(LifeFlags::EXACT)) {
        let life = (lives.address(&snapshot, id).0, lives.birth(id), lives.block_size(id).0);
        // Two lives from before the trace may have had one address.
        prop_assert!(sizes.binary_search(&life).is_ok(), "{:x?} is not exact", life);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn whole_runs_replay_to_the_truth(case in case(false)) {
        check(&case)?;
    }

    #[test]
    fn runs_that_begin_late_replay_to_the_truth(case in case(true)) {
        check(&case)?;
    }
}
