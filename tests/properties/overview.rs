//! The figures of an overview against what the simulated allocator itself held at the end.

use crate::direct::direct;
use crate::programs::{Case, case, cases};
use hbmlens::analysis::checks::Status;
use hbmlens::analysis::overview::{Input, overview};
use hbmlens::format::counters::Counters;
use hbmlens::model::{Device, SegmentType};
use hbmlens::replay::Replay;
use hbmlens::simulate::{MIB, SegmentThen, Use, snapshot};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Figures of one pool, stream and size class: segments, reserved, allocated, active, largest free.
type Part = (u64, u64, u64, u64, u64);

fn parts(segments: &[SegmentThen]) -> BTreeMap<(u32, i64, bool), Part> {
    let mut parts: BTreeMap<_, Part> = BTreeMap::new();
    for segment in segments {
        let part = parts.entry((segment.pool.pool, segment.stream, segment.pool.small)).or_default();
        part.0 += 1;
        part.1 += segment.size;
        for block in &segment.blocks {
            match block.used {
                Use::Allocated => {
                    part.2 += block.size;
                    part.3 += block.size;
                }
                Use::Pending => part.3 += block.size,
                Use::Free => part.4 = part.4.max(block.size),
            }
        }
    }
    parts
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let sim = case.run();
    let truth = sim.truth(case.max_entries);
    let snapshot = direct(&snapshot(&[&sim], &case.layout()), case.writer());
    let replays: Vec<Replay> =
        snapshot.devices().into_iter().map(|device| Replay::new(&snapshot, device)).collect();
    let Some(end) = truth.totals.last() else { return Ok(()) };
    let counters =
        format!(r#"{{"memory_allocated": {}, "memory_reserved": {}}}"#, end.allocated, end.reserved.max(1));
    let counters = Counters::read(counters.as_bytes()).expect("counters");
    let made = overview(&Input {
        name: "made up",
        bytes: 0,
        snapshot: &snapshot,
        replays: &replays,
        counters: Some(&counters),
        growth: &[],
    });
    let Some(device) = made.devices.iter().find(|d| d.device == Device::Index(0)) else {
        prop_assert_eq!((end.reserved, truth.events), (0, 0));
        return Ok(());
    };
    let found = (device.reserved.0, device.allocated.0, device.active.0, device.events as usize);
    prop_assert_eq!(found, (end.reserved, end.allocated, end.active, truth.events));
    prop_assert_eq!(device.pending_free.0, end.active - end.allocated);
    let workspace: u64 = case.workspaces.iter().map(|size| size.next_multiple_of(2 * MIB)).sum();
    // A cut trace may have lost the entries that name the workspace.
    if case.max_entries.is_none() {
        prop_assert_eq!(device.workspace.0, workspace);
    }
    prop_assert_eq!(device.cached_free.0, end.reserved - end.active - device.workspace.0);
    let peaks =
        (device.peak_requested.0, device.peak_event, device.peak_reserved.0, device.peak_reserved_event);
    let true_peaks = (truth.peak_requested, truth.peak_event, truth.peak_reserved, truth.peak_reserved_event);
    prop_assert_eq!(peaks, true_peaks);
    let Some(states) = &truth.states else { return Err(TestCaseError::fail("the states are kept")) };
    if case.workspaces.is_empty() {
        let mine: BTreeMap<_, Part> = device
            .by_pool
            .iter()
            .map(|row| {
                let sums = &row.sums;
                let part = (
                    sums.segments,
                    sums.reserved.0,
                    sums.allocated.0,
                    sums.active.0,
                    sums.largest_free_block.0,
                );
                ((row.pool.1 as u32, row.stream, row.segment_type == SegmentType::Small), part)
            })
            .collect();
        prop_assert_eq!(mine, parts(states.last().map_or(&[][..], Vec::as_slice)));
    }
    for check in &made.checks {
        prop_assert!(check.status != Status::Fail, "{:?}", check);
        prop_assert_eq!(check.detail.problem(), None);
    }
    for message in device.summary.iter().chain(&made.health.reasons).chain(&made.notes) {
        prop_assert_eq!(message.problem(), None);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn figures_of_whole_traces_are_the_allocators(case in case(false)) {
        check(&case)?;
    }

    #[test]
    fn figures_of_cut_traces_are_the_allocators(case in case(true)) {
        check(&case)?;
    }
}
