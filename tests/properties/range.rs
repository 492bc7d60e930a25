//! A range of the events shows every moment in it just as the whole file does.

use crate::programs::{case, cases};
use hbmlens::format::{Document, Keep, ReadOptions, open};
use hbmlens::model::{Action, Bytes, Device, Nanos, Snapshot};
use hbmlens::replay::{CurveKind, Replay, Use};
use hbmlens::simulate::{pickle_cpython, snapshot};
use proptest::prelude::*;

fn read(bytes: &[u8], keep: Keep) -> Snapshot {
    match open(bytes, &ReadOptions { keep, ..ReadOptions::default() }, &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    }
}

type Spans = Vec<(u64, u64)>;

/// What is live at a state, and which segments there are.
fn moment(snapshot: &Snapshot, replay: &Replay, at: u32) -> (Vec<(u64, u64, Use)>, Spans) {
    let state = replay.state(snapshot, at);
    let used = state.blocks.iter().filter(|block| block.usage != Use::Free);
    (
        used.map(|block| (block.address.0, block.requested.0, block.usage)).collect(),
        state.segments.iter().map(|segment| (segment.address.0, segment.size.0)).collect(),
    )
}

/// Where one of the kinds of free is not in the file at all, what is pending cannot be told.
fn has_both_kinds(replay: &Replay) -> bool {
    (replay.actions.of(Action::FreeRequested) > 0) == (replay.actions.of(Action::FreeCompleted) > 0)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_range_shows_its_moments_as_the_whole_does(case in case(true), from in 0.0..1.0, to in 0.0..1.0) {
        let bytes = pickle_cpython::write(&snapshot(&[&case.run()], &case.layout()), 4);
        let whole = read(&bytes, Keep::All);
        let all = Replay::new(&whole, Device::Index(0));
        if !has_both_kinds(&all) {
            return Ok(());
        }
        let events = all.events();
        let (from, to) = ((f64::from(events) * from) as u32, (f64::from(events) * to) as u32);
        // The entries of workspace blocks stay at the front, so the range begins after them.
        let front = 3 * case.workspaces.len() as u32;
        let (from, to) = (from.min(to).max(front), from.max(to).max(front));
        if from == to {
            return Ok(());
        }
        if all.value(CurveKind::Pending, from) > Bytes::ZERO {
            // What was asked to be freed before the range cannot be told from what was not.
            return Ok(());
        }
        let mut ranges = vec![Keep::Range(from.into()..to.into())];
        let times: Vec<Option<Nanos>> = all.rows.clone().map(|row| whole.events.time_of(row)).collect();
        if times.iter().all(Option::is_some) && times.windows(2).all(|pair| pair[0] < pair[1]) {
            let end = times.get(to as usize).copied().flatten().unwrap_or(Nanos(i64::MAX));
            ranges.push(Keep::Time(times[from as usize].unwrap_or(Nanos(0))..end));
        }
        for keep in ranges {
            let part = read(&bytes, keep.clone());
            let some = Replay::new(&part, Device::Index(0));
            // A pending block whose allocation is left out is no life: there is none to compare.
            if !has_both_kinds(&some) || some.unseen_pending.len() != all.unseen_pending.len() {
                continue;
            }
            let left_out = part.left_out.expect("a range leaves something out, or says zero");
            prop_assert_eq!(u64::from(some.events()), u64::from(front + to - from) + left_out.after, "{:?}", keep);
            prop_assert_eq!(left_out.events + u64::from(some.events()), u64::from(events), "{:?}", keep);
            for at in from..=to {
                for kind in [CurveKind::Requested, CurveKind::Reserved, CurveKind::Pending] {
                    let (found, wanted) = (some.value(kind, at - from + front), all.value(kind, at));
                    prop_assert_eq!(found, wanted, "{:?} at state {} of {:?}", kind, at, keep);
                }
                let (found, wanted) =
                    (moment(&part, &some, at - from + front), moment(&whole, &all, at));
                prop_assert_eq!(found, wanted, "at state {} of {:?}", at, keep);
            }
        }
    }
}
