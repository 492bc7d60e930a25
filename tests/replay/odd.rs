//! Traces that contradict themselves: counted, skipped, never fatal.

use hbmlens::model::{
    Action, Address, Block, BlockState, Bytes, Device, Event, PoolId, Segment, SegmentId, SegmentType,
    Snapshot, StackId, Trace, Writer,
};
use hbmlens::replay::{AnomalyKind, Cursor, CurveKind, Replay, Use};
use proptest::prelude::*;

type Row = (Action, u64, u64);
/// (address, sizes and states of its blocks)
type SegmentRow = (u64, Vec<(u64, BlockState)>);

fn snapshot(events: &[Row], segments: &[SegmentRow]) -> Snapshot {
    let mut snapshot = Snapshot { writer: Writer::Torch, complete: true, ..Snapshot::default() };
    let stream = snapshot.streams.intern(0);
    for &(action, address, size) in events {
        let (address, size) = (Address(address), Bytes(size));
        snapshot.events.push(Event { action, address, size, stream, time: None, stack: StackId::NONE });
    }
    for (address, blocks) in segments {
        let first = snapshot.blocks.rows.len() as u32;
        let mut at = *address;
        for &(size, state) in blocks {
            snapshot.blocks.rows.push(Block {
                address: Address(at),
                size: Bytes(size),
                requested_size: Some(Bytes(size)),
                state,
                stack: StackId::NONE,
                segment: SegmentId::new(snapshot.segments.len()),
                history: (0, 0),
            });
            at = at.wrapping_add(size);
        }
        let sum = |wanted: &[BlockState]| {
            let sizes = blocks.iter().filter(|b| wanted.contains(&b.1)).map(|b| Bytes(b.0));
            sizes.sum::<Bytes>()
        };
        snapshot.segments.push(Segment {
            device: Device::Index(0),
            address: Address(*address),
            total_size: blocks.iter().map(|b| Bytes(b.0)).sum(),
            allocated_size: sum(&[BlockState::ActiveAllocated]),
            active_size: sum(&[BlockState::ActiveAllocated, BlockState::ActivePendingFree]),
            requested_size: None,
            stream,
            segment_type: SegmentType::Small,
            pool: PoolId::NONE,
            is_expandable: false,
            stack: StackId::NONE,
            forward_frames: hbmlens::model::StringId::NONE,
            blocks: first..snapshot.blocks.rows.len() as u32,
        });
    }
    snapshot.traces.push(Trace { device: Device::Index(0), rows: 0..events.len() });
    snapshot
}

const MIB2: u64 = 2 << 20;
const A: u64 = 0x1000_0000;

/// One small segment at `A` with these blocks; the rest of it is free.
fn segment(blocks: &[(u64, BlockState)]) -> Vec<SegmentRow> {
    let used: u64 = blocks.iter().map(|b| b.0).sum();
    let mut blocks = blocks.to_vec();
    if used < MIB2 {
        blocks.push((MIB2 - used, BlockState::Inactive));
    }
    vec![(A, blocks)]
}

fn replay(events: &[Row], segments: &[SegmentRow]) -> (Snapshot, Replay) {
    let snapshot = snapshot(events, segments);
    let replay = Replay::new(&snapshot, Device::Index(0));
    (snapshot, replay)
}

#[test]
fn an_alloc_at_a_live_address_ends_the_life_there() {
    let events = [(Action::Alloc, A, 512), (Action::Alloc, A, 1024), (Action::FreeCompleted, A, 1024)];
    let (_, replay) = replay(&events, &segment(&[]));
    assert_eq!(replay.anomalies.count(AnomalyKind::ReallocOfLive), 1);
    let requested: Vec<u64> = (0..=3).map(|state| replay.value(CurveKind::Requested, state).0).collect();
    assert_eq!(requested, [0, 512, 1024, 0]);
    assert_eq!(replay.lives.deaths(), [2, 3]);
}

#[test]
fn double_frees_and_repeated_requests_change_nothing() {
    let events = [
        (Action::Alloc, A, 512),
        (Action::FreeRequested, A, 512),
        (Action::FreeRequested, A, 512),
        (Action::FreeCompleted, A, 512),
        (Action::FreeCompleted, A, 512),
        (Action::FreeRequested, A, 512),
    ];
    let (_, replay) = replay(&events, &segment(&[]));
    assert_eq!(replay.anomalies.count(AnomalyKind::RequestedTwice), 1);
    assert_eq!(replay.anomalies.count(AnomalyKind::DoubleFree), 2);
    assert_eq!(replay.anomalies.listed().len(), 3);
    assert_eq!((replay.lives.len(), replay.final_requested()), (1, Bytes(0)));
    assert_eq!(replay.value(CurveKind::Pending, 3), Bytes(512));
}

#[test]
fn without_completions_lives_close_on_the_request() {
    let events =
        [(Action::Alloc, A, 512), (Action::FreeRequested, A, 512), (Action::FreeRequested, A + 512, 100)];
    let (_, replay) = replay(&events, &segment(&[]));
    assert!(!replay.actions.tells_completion());
    assert_eq!(replay.lives.deaths(), [3, 2]);
    assert_eq!(replay.initial_requested(), Bytes(100));
    assert!((0..=3).all(|state| replay.value(CurveKind::Pending, state) == Bytes(0)));
    assert!(replay.anomalies.is_empty());
}

#[test]
fn without_completions_a_pending_block_counts_once() {
    let events = [
        (Action::Alloc, A, 512),
        (Action::FreeRequested, A, 512),
        (Action::Alloc, A + 512, 1024),
        (Action::FreeRequested, A + 1536, 512),
    ];
    let pending = BlockState::ActivePendingFree;
    let blocks = [(512, pending), (1024, BlockState::ActiveAllocated), (512, pending)];
    let (snapshot, replay) = replay(&events, &segment(&blocks));
    let curve = |kind| (0..=4).map(|state| replay.value(kind, state).0).collect::<Vec<u64>>();
    assert_eq!(curve(CurveKind::Active), [512, 1024, 1024, 2048, 2048]);
    assert_eq!(curve(CurveKind::Allocated), [512, 1024, 512, 1536, 1024]);
    assert_eq!(curve(CurveKind::Requested), [512, 1024, 512, 1536, 1024]);
    let mut cursor = Cursor::new(&snapshot, &replay, 0);
    for at in 0..=4 {
        let state = replay.state(&snapshot, at);
        assert_eq!(cursor.state(), state);
        assert_eq!(state.active(), replay.value(CurveKind::Active, at));
        assert_eq!(state.allocated(), replay.value(CurveKind::Allocated, at));
        assert!(state.outside.is_empty());
        cursor.forward();
    }
    while cursor.back() {
        assert_eq!(cursor.state(), replay.state(&snapshot, cursor.at()));
    }
    assert_eq!(replay.anomalies.count(AnomalyKind::SnapshotSizeDiffers), 0);
}

#[test]
fn without_requests_nothing_is_pending() {
    let events =
        [(Action::FreeCompleted, A + 512, 100), (Action::Alloc, A, 512), (Action::FreeCompleted, A, 512)];
    let (_, replay) = replay(&events, &segment(&[]));
    assert!(!replay.actions.tells_request());
    assert!((0..=3).all(|state| replay.value(CurveKind::Pending, state) == Bytes(0)));
    assert!(replay.anomalies.is_empty());
}

#[test]
fn a_pending_block_that_no_event_explains_is_no_life() {
    let blocks = segment(&[(512, BlockState::ActivePendingFree), (1024, BlockState::ActivePendingFree)]);
    let events = [
        (Action::FreeRequested, A + 512, 1000),
        (Action::Alloc, A + 4096, 7),
        (Action::FreeCompleted, A + 4096, 7),
    ];
    let (snapshot, replay) = replay(&events, &blocks);
    assert_eq!((replay.lives.len(), replay.unseen_pending.len()), (1, 2));
    assert_eq!(replay.peak().bytes, Bytes(7));
    let uses = |state: u32| -> Vec<Use> {
        replay.state(&snapshot, state).blocks.iter().map(|b| b.usage).take(2).collect()
    };
    assert_eq!(uses(0), [Use::Pending, Use::Allocated]);
    assert_eq!(uses(1), [Use::Pending, Use::Pending]);
    assert_eq!(replay.value(CurveKind::Allocated, 0), Bytes(1024));
    assert_eq!(
        (replay.value(CurveKind::Allocated, 1), replay.value(CurveKind::Active, 1)),
        (Bytes(0), Bytes(1536))
    );
}

#[test]
fn a_map_that_failed_half_way_is_skipped() {
    let far = A + (1 << 30);
    let events = [(Action::SegmentMap, far, MIB2), (Action::Oom, 0, MIB2), (Action::SegmentAlloc, A, MIB2)];
    let (_, replay) = replay(&events, &segment(&[]));
    assert_eq!(replay.anomalies.count(AnomalyKind::SegmentNeverThere), 1);
    let reserved: Vec<u64> = (0..=3).map(|state| replay.value(CurveKind::Reserved, state).0).collect();
    assert_eq!(reserved, [0, 0, 0, MIB2]);
}

#[test]
fn a_workspace_never_closes() {
    let events = [
        (Action::WorkspaceSnapshot, A, MIB2),
        (Action::SegmentAlloc, A, MIB2),
        (Action::Alloc, A, MIB2),
        (Action::FreeRequested, A, MIB2),
        (Action::FreeCompleted, A, MIB2),
    ];
    let (snapshot, replay) = replay(&events, &segment(&[]));
    assert_eq!(replay.anomalies.count(AnomalyKind::FreeOfWorkspace), 2);
    assert_eq!((replay.final_requested(), replay.peak().event), (Bytes(MIB2), 2));
    assert_eq!(replay.value(CurveKind::Allocated, 5), Bytes(0));
    let state = replay.state(&snapshot, 5);
    assert_eq!(
        (state.blocks.len(), state.blocks[0].usage, state.cached_free()),
        (1, Use::Workspace, Bytes(0))
    );
    assert_eq!(replay.value(CurveKind::Reserved, 1), Bytes(0));
}

#[test]
fn an_address_has_a_history_and_memory_viz_names() {
    let events = [
        (Action::Alloc, A, 512),
        (Action::FreeCompleted, A, 512),
        (Action::Alloc, A, 256),
        (Action::FreeCompleted, A, 256),
        (Action::Alloc, A, 300),
    ];
    let (snapshot, replay) = replay(&events, &segment(&[(512, BlockState::ActiveAllocated)]));
    let history = replay.lives.at_address(&snapshot, Address(A));
    let names: Vec<String> = history.iter().map(|&id| replay.lives.viz_name(&snapshot, id)).collect();
    assert_eq!(names, ["b'10000000_0'", "b'10000000_1'", "b'10000000_2'"]);
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => Just(Action::Alloc),
        4 => Just(Action::FreeRequested),
        4 => Just(Action::FreeCompleted),
        1 => Just(Action::SegmentAlloc),
        1 => Just(Action::SegmentFree),
        1 => Just(Action::SegmentMap),
        1 => Just(Action::SegmentUnmap),
        1 => Just(Action::WorkspaceSnapshot),
        1 => Just(Action::Oom),
    ]
}

fn any_address() -> impl Strategy<Value = u64> {
    prop_oneof![9 => (0..40_u64).prop_map(|n| A + n * 512), 1 => Just(u64::MAX - 511), 1 => Just(0_u64), 1 => any::<u64>()]
}

fn any_size() -> impl Strategy<Value = u64> {
    prop_oneof![9 => 0..4096_u64, 2 => Just(MIB2), 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn any_state() -> impl Strategy<Value = BlockState> {
    prop_oneof![
        Just(BlockState::ActiveAllocated),
        Just(BlockState::ActivePendingFree),
        Just(BlockState::Inactive),
        Just(BlockState::Unknown)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nonsense_never_stops_the_replay(
        events in prop::collection::vec((any_action(), any_address(), any_size()), 0..120),
        segments in prop::collection::vec((any_address(), prop::collection::vec((any_size(), any_state()), 0..6)), 0..4),
    ) {
        let (snapshot, replay) = replay(&events, &segments);
        let mut cursor = Cursor::new(&snapshot, &replay, 0);
        let mut requested = Vec::new();
        loop {
            prop_assert_eq!(cursor.state(), replay.state(&snapshot, cursor.at()));
            let live: u64 = replay.lives.live(cursor.at()).iter().fold(0, |sum, &id| sum.wrapping_add(replay.lives.size(id).0));
            requested.push(live);
            prop_assert_eq!(replay.value(CurveKind::Requested, cursor.at()).0, (live as i64).max(0) as u64);
            if !cursor.forward() {
                break;
            }
        }
        while cursor.back() {
            prop_assert_eq!(cursor.state(), replay.state(&snapshot, cursor.at()));
        }
        let peak = requested.iter().map(|&v| (v as i64).max(0) as u64).max().unwrap_or(0);
        prop_assert_eq!(replay.peak().bytes.0, peak);
        let mut keyed = replay.by_segment_type();
        keyed.labels.push(SegmentType::Unknown);
        let sum = replay.peaks_by(&keyed.keys, keyed.labels.len());
        prop_assert_eq!(sum.len(), keyed.labels.len());
    }
}
