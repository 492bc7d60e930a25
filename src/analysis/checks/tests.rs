//! The checks on one segment made by hand.

use super::*;
use crate::analysis::totals::device_totals;
use crate::model::{Address, Block, BlockState, SegmentId, SegmentType, StackId};

const DEVICE: Device = Device::Index(0);

/// One segment of 1000 bytes with blocks of those sizes and states.
fn snapshot(blocks: &[(u64, BlockState)]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let (pool, stream) = (snapshot.pools.intern((0, 0)), snapshot.streams.intern(0));
    let size_of = |active: &dyn Fn(BlockState) -> bool| {
        Bytes(blocks.iter().filter(|(_, state)| active(*state)).map(|(size, _)| size).sum())
    };
    let mut address = 4096;
    for &(size, state) in blocks {
        snapshot.blocks.rows.push(Block {
            address: Address(address),
            size: Bytes(size),
            requested_size: Some(Bytes(size - size / 10)),
            state,
            stack: StackId::NONE,
            segment: SegmentId(0),
            history: (0, 0),
        });
        address += size;
    }
    snapshot.segments.push(Segment {
        device: DEVICE,
        address: Address(4096),
        total_size: Bytes(1000),
        allocated_size: size_of(&|s| s == BlockState::ActiveAllocated),
        active_size: size_of(&|s| s != BlockState::Inactive),
        requested_size: None,
        stream,
        segment_type: SegmentType::Large,
        pool,
        is_expandable: false,
        stack: StackId::NONE,
        forward_frames: crate::model::StringId::NONE,
        blocks: 0..blocks.len() as u32,
    });
    snapshot
}

const WHOLE: [(u64, BlockState); 3] =
    [(500, BlockState::ActiveAllocated), (200, BlockState::ActivePendingFree), (300, BlockState::Inactive)];

fn statuses(snapshot: &Snapshot, counters: DeviceCounters, replayed: Option<Replayed>) -> Vec<Status> {
    let totals = device_totals(snapshot, DEVICE);
    let checks = checks(snapshot, &[Facts { totals: &totals, counters, replayed }]);
    for check in &checks {
        assert_eq!(check.detail.problem(), None);
    }
    checks.iter().map(|check| check.status).collect()
}

#[test]
fn a_device_that_is_not_used_makes_nothing_unknown() {
    let snapshot = snapshot(&WHOLE);
    let totals = [DEVICE, Device::Index(1)].map(|device| device_totals(&snapshot, device));
    let facts =
        totals.each_ref().map(|totals| Facts { totals, counters: DeviceCounters::default(), replayed: None });
    let status_of = |devices: &[Facts<'_>]| checks(&snapshot, devices)[0].status;
    assert_eq!(status_of(&facts), Status::Pass);
    assert_eq!(status_of(&facts[1..]), Status::Unknown);
}

#[test]
fn what_cannot_be_checked_is_unknown() {
    use Status::{Pass, Unknown};
    let found = statuses(&snapshot(&WHOLE), DeviceCounters::default(), None);
    assert_eq!(found, [Pass, Pass, Unknown, Unknown, Unknown, Unknown]);
    let totals = device_totals(&Snapshot::default(), DEVICE);
    let empty = checks(
        &Snapshot::default(),
        &[Facts { totals: &totals, counters: DeviceCounters::default(), replayed: None }],
    );
    assert!(empty.iter().all(|check| check.status == Unknown));
}

#[test]
fn counters_and_replay_are_compared() {
    use Status::{Fail, Pass};
    let replayed = |contradictions| Replayed {
        peak: Bytes(510),
        last: Bytes(450),
        contradictions,
        kind: Some(AnomalyKind::Overlap),
    };
    let counters = DeviceCounters {
        allocated: Some(Bytes(500)),
        max_allocated: Some(Bytes(510)),
        reserved: Some(Bytes(1000)),
        ..DeviceCounters::default()
    };
    assert_eq!(statuses(&snapshot(&WHOLE), counters, Some(replayed(0))), [Pass; 6]);
    let off = DeviceCounters {
        allocated: Some(Bytes(501)),
        max_allocated: Some(Bytes(511)),
        reserved: Some(Bytes(0)),
        ..DeviceCounters::default()
    };
    let found = statuses(&snapshot(&WHOLE), off, Some(replayed(1)));
    assert_eq!(found, [Pass, Pass, Fail, Fail, Fail, Fail]);
}

#[test]
fn holes_and_wrong_totals_fail() {
    let mut holed = snapshot(&WHOLE);
    holed.blocks.rows[1].address = Address(4097 + 500);
    holed.segments[0].active_size = Bytes(1);
    let found = statuses(&holed, DeviceCounters::default(), None);
    assert_eq!(&found[..2], [Status::Fail, Status::Fail]);
    let mut short = snapshot(&WHOLE);
    short.segments[0].total_size = Bytes(1001);
    assert_eq!(statuses(&short, DeviceCounters::default(), None)[0], Status::Fail);
}
