//! What the views draw, against figures worked out the long way from the same lives.

use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses};
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{PoolId, Snapshot};
use hbmlens::replay::{CurveKind, OUTLINED, Outliner, Replay};
use hbmlens::view::axis::{Axis, Grid, Window};
use hbmlens::view::live_flame::FlameOptions;
use hbmlens::view::timeline::{Ink, Scene, Subject, View};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A program that uses two private pools and leaves half of what they took idle.
fn with_pools() -> Vec<u8> {
    use hbmlens::simulate::{Config, Layout, MIB, Simulator, ops, ops::Op, pickle_cpython};
    let tensor = |n: usize| Op::Alloc {
        tensor: n,
        size: (1 + n as u64 % 7) * MIB,
        stream: 0,
        pool: n as u32 % 3,
        place: n as u64,
    };
    let made = (0..60).map(tensor);
    let freed = (0..60).filter(|n| n % 2 == 1).map(|n| Op::Free { tensor: n });
    let program: Vec<Op> = made.chain(freed).chain((60..75).map(tensor)).collect();
    let config = Config::default();
    let layout = Layout::of(config.backend);
    let mut run = Simulator::new(config);
    ops::run(&mut run, &program);
    pickle_cpython::write(&hbmlens::simulate::snapshot(&[&run], &layout), 4)
}

/// The generated sample, and real snapshots where they are at hand.
fn inputs() -> Vec<(String, Snapshot)> {
    let mut files =
        vec![("sample".to_owned(), hbmlens::simulate::sample()), ("pools".to_owned(), with_pools())];
    let shared = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    match std::fs::read_dir(shared.join("data/snapshots")) {
        Ok(entries) => {
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.push((name, std::fs::read(entry.path()).unwrap()));
            }
        }
        Err(_) => eprintln!("no real snapshots here: only the generated sample is tested"),
    }
    files
        .into_iter()
        .map(|(name, bytes)| match open(bytes.as_slice(), &ReadOptions::default(), &mut |_| {}) {
            Ok(Document::Snapshot(snapshot)) => (name, *snapshot),
            other => panic!("{name}: {other:?}"),
        })
        .collect()
}

/// A small generator of numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

fn each_device(mut test: impl FnMut(&str, &Snapshot, &Replay)) {
    for (name, snapshot) in inputs() {
        for device in snapshot.devices() {
            test(&name, &snapshot, &Replay::new(&snapshot, device));
        }
    }
}

#[test]
fn columns_of_the_timeline_sum_to_the_curve() {
    each_device(|name, snapshot, replay| {
        let axis = Axis::events(replay.rows.clone());
        for (subject, curve) in
            [(Subject::Allocations, CurveKind::Requested), (Subject::Segments, CurveKind::Reserved)]
        {
            let ranges = axis.columns(&snapshot.events, axis.whole(), 97);
            let mut scene = Scene::default();
            let view = View {
                subject,
                ranges: &ranges,
                grid: Grid::default(),
                bytes: None,
                rows: 300,
                curves: false,
            };
            let bytes = scene.look(replay, &view);
            let mut pixels = Vec::new();
            scene.paint(snapshot, replay, Ink::in_turn(&[0xffff_ffff]), &[], true, &mut pixels);
            for x in 0..97 {
                let state = scene.state_of(x).unwrap();
                let painted: Vec<bool> = (0..300).map(|y| pixels[y * 97 + x as usize] != 0).collect();
                let bands = scene.bands_at(snapshot, replay, x);
                assert!(painted.iter().zip(&bands).all(|(&painted, band)| painted == band.is_some()));
                let covered = bands.iter().flatten().count() as f64;
                let expected = replay.value(curve, state).0 as f64 / bytes.top as f64 * 300.0;
                assert!(
                    (covered - expected).abs() <= 1.0,
                    "{name} {subject:?} column {x}: {covered} for {expected}"
                );
                // No state of the column has more.
                let most = ranges[x as usize].clone().map(|s| replay.value(curve, s)).max().unwrap();
                assert_eq!(replay.value(curve, state), most);
            }
        }
    });
}

#[test]
fn curves_outlined_together_are_what_each_is_alone() {
    each_device(|name, snapshot, replay| {
        let axis = Axis::events(replay.rows.clone());
        let states = axis.whole().to;
        let windows = [(0.0, states, 7), (0.0, states, 97), (states / 3.0, states / 2.0, 300)];
        for (stacked, (from, to, width)) in OUTLINED.into_iter().cycle().zip(windows) {
            let mut outliner = Outliner::new(replay, stacked);
            for range in axis.columns(&snapshot.events, Window { from, to }, width) {
                let found = outliner.column(range.clone());
                for (kind, span) in OUTLINED.into_iter().zip(found.spans) {
                    let alone = replay.extremes(kind, range.clone()).unwrap();
                    assert_eq!((span.min, span.max), (alone.min, alone.max), "{name}: {kind:?} in {range:?}");
                    if kind == stacked {
                        assert_eq!(found.max_at, alone.max_at, "{name}: {kind:?} in {range:?}");
                    }
                }
            }
        }
    });
}

#[test]
fn private_pools_stand_as_envelopes_of_what_they_hold() {
    let mut private = 0;
    each_device(|name, snapshot, replay| {
        let axis = Axis::events(replay.rows.clone());
        let ranges = axis.columns(&snapshot.events, axis.whole(), 61);
        let view = View {
            subject: Subject::Pools,
            ranges: &ranges,
            grid: Grid::default(),
            bytes: None,
            rows: 400,
            curves: true,
        };
        let mut scene = Scene::default();
        let bytes = scene.look(replay, &view);
        scene.paint(snapshot, replay, Ink::in_turn(&[0xffff_ffff]), &[], true, &mut Vec::new());
        let pool_of = |pair: PoolId| snapshot.pools.get(pair);
        let rows_of = |bytes_: u64| bytes_ as f64 / bytes.top as f64 * 400.0;
        for x in 0..61 {
            let state = scene.state_of(x).unwrap();
            // The long way: what lives and what is kept, by pool.
            let mut held: BTreeMap<(i64, i64), (u64, u64)> = BTreeMap::new();
            for id in replay.lives.ids().filter(|&id| replay.lives.is_alive(id, state)) {
                held.entry(pool_of(replay.lives.pool(snapshot, &replay.pieces, id))).or_default().0 +=
                    replay.lives.size(id).0;
            }
            for segment in replay.state(snapshot, state).segments {
                held.entry(pool_of(segment.pool)).or_default().1 += segment.size.0;
            }
            let (plain, _) = held.remove(&(0, 0)).unwrap_or_default();
            let all = plain + held.values().map(|&(live, kept)| kept.max(live)).sum::<u64>();
            let idle: u64 = held.values().map(|&(live, kept)| kept.saturating_sub(live)).sum();
            let column = scene.bands_at(snapshot, replay, x);
            let covered = column.iter().flatten().count() as f64;
            assert!((covered - rows_of(all)).abs() <= 1.0, "{name} column {x}: {covered} for {all} bytes");
            let envelopes = column.iter().flatten().filter(|&&band| scene.envelope(band).is_some()).count();
            let slack = 1.0 + held.len() as f64;
            assert!((envelopes as f64 - rows_of(idle)).abs() <= slack, "{name} column {x}: idle {idle}");
            assert_eq!(scene.columns().bytes[x as usize], all, "{name} column {x}");
            private += held.len();
        }
    });
    assert!(private > 0, "no input has a private pool");
}

#[test]
fn ten_thousand_hits_name_the_life_that_is_there() {
    let mut numbers = Numbers(42);
    each_device(|name, snapshot, replay| {
        if replay.lives.is_empty() {
            return;
        }
        let axis = Axis::events(replay.rows.clone());
        let mut scene = Scene::default();
        let whole = axis.whole();
        for _ in 0..20 {
            let from = numbers.below(whole.to as u64) as f64;
            let to = from + 1.0 + numbers.below((whole.to - from) as u64) as f64;
            let ranges = axis.columns(&snapshot.events, Window { from, to }, 200);
            let top = replay.peak().bytes.0.max(200);
            let bottom = numbers.below(top / 2);
            let (rows, span) = (200_u32, 1 + numbers.below(top - bottom));
            let view = View {
                subject: Subject::Allocations,
                ranges: &ranges,
                grid: Grid::default(),
                bytes: Some((bottom, bottom + span)),
                rows,
                curves: true,
            };
            scene.look(replay, &view);
            for _ in 0..500 {
                let (x, y) = (numbers.below(200) as u32, numbers.below(200) as u32);
                let state = scene.state_of(x).unwrap();
                let centre = bottom as f64 + (f64::from(rows - 1 - y) + 0.5) * span as f64 / f64::from(rows);
                // The long way: every life in order of birth, without the index.
                let (mut offset, mut expected, mut edge) = (0.0, None, false);
                for id in replay.lives.ids() {
                    if replay.lives.birth(id) <= state && state < replay.lives.death(id) {
                        let end = offset + replay.lives.size(id).0 as f64;
                        if offset <= centre && centre < end {
                            expected = Some(id.0);
                        }
                        edge |= (offset - centre).abs() < 0.5 || (end - centre).abs() < 0.5;
                        offset = end;
                    }
                }
                assert!(
                    edge || scene.band_at(snapshot, replay, x, y) == expected,
                    "{name}: column {x} row {y}"
                );
                if let Some(life) = expected.filter(|_| !edge) {
                    assert!(scene.lives_in_pixel(replay, x, y, usize::MAX).contains(&life));
                }
            }
        }
    });
}

#[test]
fn flame_graphs_and_ranges_lose_no_byte() {
    each_device(|name, snapshot, replay| {
        let classes = StackClasses::new(snapshot, Default::default());
        let attribution = Attribution::new(snapshot, replay, &classes);
        let memory = Attributed { snapshot, replay, classes: &classes, attribution: &attribution };
        let last = replay.last_state();
        for options in [
            FlameOptions::default(),
            FlameOptions { innermost_first: true, hide_native: true, hide_framework: true },
        ] {
            for state in [0, last / 3, replay.peak().state(), last] {
                let graph = memory.flame_at(state, options);
                assert_eq!(
                    graph.nodes()[0].total,
                    replay.value(CurveKind::Requested, state).0,
                    "{name} {state}"
                );
            }
            let area: u64 = (last / 4..last / 2).map(|s| replay.value(CurveKind::Requested, s).0).sum();
            assert_eq!(
                memory.flame_over(last / 4..last / 2, None, options).0.nodes()[0].total,
                area,
                "{name}"
            );
        }
        let range = memory.range_summary(last / 4..last / 2, usize::MAX);
        let change =
            replay.value(CurveKind::Requested, last / 2).minus(replay.value(CurveKind::Requested, last / 4));
        assert_eq!(range.total.allocated.minus(range.total.freed), change, "{name}");
        for rows in [&range.by_category, &range.by_call_site] {
            assert_eq!(
                rows.iter().map(|r| r.surviving).sum::<hbmlens::model::Bytes>(),
                range.total.surviving
            );
            assert_eq!(rows.iter().map(|r| r.freed).sum::<hbmlens::model::Bytes>(), range.total.freed);
        }
    });
}

#[test]
fn a_life_is_told_with_everything_known_of_it() {
    each_device(|name, snapshot, replay| {
        let classes = StackClasses::new(snapshot, Default::default());
        let attribution = Attribution::new(snapshot, replay, &classes);
        let memory = Attributed { snapshot, replay, classes: &classes, attribution: &attribution };
        for id in replay.lives.ids().step_by(97) {
            let detail = memory.life_detail(id).unwrap();
            assert_eq!(detail.line.size, replay.lives.size(id), "{name}");
            assert!(detail.block_size >= detail.line.size, "{name} {id:?}: a block smaller than its life");
            assert!(detail.same_address.iter().all(|other| other.life != id.0));
            if let Some(event) = detail.line.begin_event {
                assert_eq!(memory.life_of_event(event), Some(id), "{name}");
            }
        }
    });
}

#[test]
fn a_drawing_after_a_pan_is_the_one_that_is_made_anew() {
    const WIDTH: u32 = 120;
    let mut numbers = Numbers(7);
    let mut kept = 0;
    each_device(|name, snapshot, replay| {
        let axis = Axis::events(replay.rows.clone());
        let (whole, colours) = (axis.whole(), [0xff00_00ff, 0xff00_ff00, 0xffff_0000]);
        let (mut scene, mut pixels) = (Scene::default(), Vec::new());
        let (mut from, mut span) = (0.0, whole.to);
        for turn in 0..40 {
            if turn % 8 == 0 {
                span = whole.to / (1 + numbers.below(200)) as f64;
            }
            // By whole pixels and by parts of them, to both sides and beyond both ends.
            from += span * (numbers.below(300) as f64 - 150.0) / 180.0 + numbers.below(2) as f64 * 0.3;
            from = from.clamp(0.0, whole.to - span);
            let window = Window { from, to: from + span };
            let ranges = axis.columns(&snapshot.events, window, WIDTH);
            let view = View {
                subject: if turn < 20 { Subject::Allocations } else { Subject::Segments },
                ranges: &ranges,
                grid: Grid::new(window, WIDTH),
                // Fitted now and then: the same top for long is what a drag has.
                bytes: (turn % 5 > 0).then(|| (0, replay.peak().bytes.0 + 1)),
                rows: 80,
                curves: turn % 16 < 12,
            };
            let before = pixels.clone();
            scene.look(replay, &view);
            scene.paint(snapshot, replay, Ink::in_turn(&colours), &[1, 2, 3], false, &mut pixels);
            let (mut other, mut anew) = (Scene::default(), Vec::new());
            other.look(replay, &View { grid: Grid::default(), ..view });
            other.paint(snapshot, replay, Ink::in_turn(&colours), &[1, 2, 3], true, &mut anew);
            assert!(pixels == anew, "{name}, drawing {turn}");
            assert_eq!(scene.columns().states, other.columns().states, "{name}, drawing {turn}");
            assert_eq!(scene.columns().bytes, other.columns().bytes, "{name}, drawing {turn}");
            kept += usize::from(scene.kept_columns() > 0 && before != pixels);
        }
    });
    assert!(kept > 20, "hardly any drawing kept something: {kept}");
}
