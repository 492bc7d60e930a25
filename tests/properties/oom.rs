//! Out-of-memories: the figures of the moment before, and the verdict.

use crate::direct::direct;
use crate::programs::{case, cases};
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::oom::{DeviceOoms, OomOptions, ooms};
use hbmlens::model::{Bytes, Device, Snapshot, Writer};
use hbmlens::replay::Replay;
use hbmlens::simulate::ops::Op;
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{Backend, Config, Layout, OomKind, Simulator, out_of_memory, snapshot};
use proptest::prelude::*;

fn judge(snapshot: &Snapshot, limit: u64) -> DeviceOoms {
    let replay = Replay::new(snapshot, Device::Index(0));
    let classes = StackClasses::new(snapshot, UserRules::default());
    let attribution = Attribution::new(snapshot, &replay, &classes);
    let memory = Attributed { snapshot, replay: &replay, classes: &classes, attribution: &attribution };
    ooms(&memory, &OomOptions { limit: Some(Bytes(limit)), growing: &[], top: 10 })
}

fn verdicts(run: &Simulator, writer: Writer) -> Vec<String> {
    let snapshot = direct(&snapshot(&[run], &Layout::of(run.config.backend)), writer);
    let found = judge(&snapshot, run.config.limit);
    found.ooms.iter().map(|oom| format!("{:?}", oom.verdict).to_lowercase()).collect()
}

#[test]
fn every_story_gets_its_verdict() {
    for kind in OomKind::ALL.into_iter().filter(|&k| k != OomKind::Growth) {
        for (shape, backend, writer) in
            [(Shape::Torch, Backend::Cuda, Writer::Torch), (Shape::TorchNpu, Backend::Npu, Writer::TorchNpu)]
        {
            let run = out_of_memory(kind, shape, Config { backend, ..Config::default() });
            assert_eq!(verdicts(&run, writer), [kind.name()], "{backend:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn made_up_programs_get_the_verdict_of_the_rules(case in case(false)) {
        let mut case = case;
        case.config.backend = Backend::Cuda;
        case.workspaces.clear();
        // A file does not tell that a private pool's owner is gone.
        case.ops.retain(|op| !matches!(op, Op::DropPool { .. }));
        let run = case.run();
        let truth = run.truth(None);
        let snapshot = direct(&snapshot(&[&run], &case.layout()), Writer::Torch);
        let found = judge(&snapshot, case.config.limit);
        prop_assert_eq!(found.ooms.len(), truth.ooms.len());
        for (found, truth) in found.ooms.iter().zip(&truth.ooms) {
            let free = truth.free();
            let totals = truth.totals;
            let figures = [
                ("event", u64::from(found.event), truth.event as u64),
                ("requested", found.requested.0, truth.size),
                ("device_free", found.device_free.0, truth.device_free),
                ("reserved", found.reserved.0, totals.reserved),
                ("allocated", found.allocated.0, totals.allocated),
                ("active", found.active.0, totals.active),
                ("pending", found.pending.0, totals.active - totals.allocated),
                ("cached_free", found.cached_free.0, free.cached),
                ("largest_usable", found.largest_usable.0, free.largest_usable),
                ("largest_any", found.largest_any.0, free.largest_any),
            ];
            for (name, found, truth) in figures {
                prop_assert_eq!(found, truth, "{}", name);
            }
            if case.config.expandable && found.pending > Bytes::ZERO {
                // Nor how far an expandable range can grow after a free that completes.
                continue;
            }
            let verdict = format!("{:?}", found.verdict).to_lowercase();
            prop_assert_eq!(verdict, truth.verdict(), "{:?} {:?} of {}", free, totals, truth.size);
        }
    }
}
