//! Comparing: nothing differs from itself, B against A is A against B turned round, and every grouping
//! adds up to the whole; three linear layers, steady steps, odd ranks and series have the figures that
//! were put into them.

use crate::direct::direct;
use crate::programs::{Case, case, cases};
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::compare::{
    CompareOptions, Comparison, CurveAxis, DiffRow, Pair, Side, SideOptions, compare, figure,
};
use hbmlens::analysis::grouping::GroupKey;
use hbmlens::analysis::modules::Modules;
use hbmlens::analysis::ranks::{Figure, RankSide, RanksOptions, RanksReport, ranks};
use hbmlens::analysis::steps::Steps;
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::{Device, Snapshot, Writer};
use hbmlens::replay::Replay;
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{Backend, Config, KIB, Layout, MIB, Simulator, Training, snapshot, three_linears};
use proptest::prelude::*;

/// A snapshot of one device, analysed.
struct Analysed {
    name: String,
    snapshot: Snapshot,
    replay: Replay,
    classes: StackClasses,
    attribution: Attribution,
    modules: Modules,
    steps: Steps,
}

impl Analysed {
    fn new(name: &str, snapshot: Snapshot) -> Analysed {
        let device = snapshot.devices().first().copied().unwrap_or(Device::Index(0));
        let replay = Replay::new(&snapshot, device);
        let classes = StackClasses::new(&snapshot, UserRules::default());
        let attribution = Attribution::new(&snapshot, &replay, &classes);
        let modules = Modules::new(&snapshot, &classes);
        let steps = Steps::find(&snapshot, &replay);
        Analysed { name: name.to_owned(), snapshot, replay, classes, attribution, modules, steps }
    }

    fn of(name: &str, run: &Simulator) -> Analysed {
        let writer = if run.config.backend == Backend::Cuda { Writer::Torch } else { Writer::TorchNpu };
        Analysed::new(name, direct(&snapshot(&[run], &Layout::of(run.config.backend)), writer))
    }

    fn side_with(&self, options: SideOptions) -> Side {
        let memory = Attributed {
            snapshot: &self.snapshot,
            replay: &self.replay,
            classes: &self.classes,
            attribution: &self.attribution,
        };
        Side::new(&self.name, &memory, &self.modules, &self.steps, &options)
    }

    fn side(&self, state: u32) -> Side {
        self.side_with(SideOptions {
            state,
            stacks: true,
            curves: Some(CurveAxis::Event),
            by: Some(GroupKey::SizeClass),
        })
    }

    fn end(&self) -> Side {
        self.side(self.replay.last_state())
    }
}

const ALL: CompareOptions =
    CompareOptions { ignore_lines: false, top: 0, by: Some(GroupKey::SizeClass), paths: true };

/// Every grouping of a comparison.
fn groupings(of: &Comparison) -> [&[DiffRow]; 6] {
    let by = of.by.as_ref().map_or(&[][..], |by| &by.rows);
    [&of.by_category, &of.by_call_site, &of.by_module, &of.by_file, &of.by_stack, by]
}

fn check_sums(of: &Comparison) -> Result<(), TestCaseError> {
    let (total, lives) = (of.totals.get(figure::REQUESTED), of.totals.get(figure::LIVES));
    for rows in groupings(of) {
        let sum = |value: fn(&DiffRow) -> i64| rows.iter().map(value).sum::<i64>();
        prop_assert_eq!(sum(|row| row.diff_bytes), total.diff);
        prop_assert_eq!(sum(|row| row.a_bytes as i64), total.a as i64);
        prop_assert_eq!(sum(|row| row.b_bytes as i64), total.b as i64);
        prop_assert_eq!(sum(|row| row.diff_count), lives.diff);
    }
    let paths = of.paths.as_ref().expect("paths were asked for");
    prop_assert_eq!(
        paths.stacks.iter().map(|row| row.b_bytes as i64 - row.a_bytes as i64).sum::<i64>(),
        total.diff
    );
    let s = &of.segments;
    let segments = [&s.new, &s.gone, &s.grown, &s.shrunk, &s.moved];
    let reserved = of.totals.get(figure::RESERVED);
    prop_assert_eq!(segments.iter().map(|change| change.diff_bytes).sum::<i64>(), reserved.diff);
    prop_assert_eq!(
        s.new.count + s.grown.count + s.shrunk.count + s.moved.count + s.same,
        of.totals.get(8).b
    );
    Ok(())
}

fn check_zero(of: &Comparison) -> Result<(), TestCaseError> {
    for (name, Pair { a, b, diff }) in of.totals.iter() {
        prop_assert_eq!((a, diff), (b, 0), "{}", name);
    }
    for row in groupings(of).into_iter().flatten().chain(&of.peaks.by_category) {
        prop_assert_eq!((row.diff_bytes, row.diff_count), (0, 0), "{:?}", row.key);
    }
    let s = &of.segments;
    prop_assert_eq!([&s.new, &s.gone, &s.grown, &s.shrunk, &s.moved].map(|change| change.count), [0; 5]);
    prop_assert_eq!((of.stacks.only_a, of.stacks.only_b, of.stacks.grown, of.stacks.shrunk), (0, 0, 0, 0));
    prop_assert!(of.summary.iter().any(|message| message.key() == "compare.steady"));
    Ok(())
}

fn check_turned(of: &Comparison, turned: &Comparison) -> Result<(), TestCaseError> {
    for ((_, one), (_, other)) in of.totals.iter().zip(turned.totals.iter()) {
        prop_assert_eq!((one.a, one.b, one.diff), (other.b, other.a, -other.diff));
    }
    for (rows, others) in groupings(of).into_iter().zip(groupings(turned)) {
        prop_assert_eq!(rows.len(), others.len());
        for (row, other) in rows.iter().zip(others) {
            prop_assert_eq!(
                (&row.key, row.freed_at, row.category),
                (&other.key, other.freed_at, other.category)
            );
            prop_assert_eq!(
                (row.a_bytes, row.b_bytes, row.diff_bytes),
                (other.b_bytes, other.a_bytes, -other.diff_bytes)
            );
            prop_assert_eq!(
                (row.a_count, row.b_count, row.diff_count),
                (other.b_count, other.a_count, -other.diff_count)
            );
        }
    }
    let (s, t) = (&of.segments, &turned.segments);
    prop_assert_eq!(
        (s.new.count, s.grown.count, s.moved.count),
        (t.gone.count, t.shrunk.count, t.moved.count)
    );
    prop_assert_eq!((s.gone.diff_bytes, s.shrunk.diff_bytes), (-t.new.diff_bytes, -t.grown.diff_bytes));
    prop_assert_eq!((of.stacks.only_a, of.stacks.only_b), (turned.stacks.only_b, turned.stacks.only_a));
    prop_assert_eq!(of.stacks.common_diff_bytes, -turned.stacks.common_diff_bytes);
    prop_assert_eq!(of.merged_stacks, turned.merged_stacks);
    Ok(())
}

fn check_messages(of: &Comparison) -> Result<(), TestCaseError> {
    for message in &of.summary {
        prop_assert_eq!(message.problem(), None);
    }
    Ok(())
}

fn read(case: &Case) -> Analysed {
    Analysed::new("made", direct(&snapshot(&[&case.run()], &case.layout()), case.writer()))
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn the_laws_of_a_difference_hold(
        one in case(true),
        other in case(true),
        from in 0.0..1.0f64,
        to in 0.0..1.0f64,
        ignore_lines: bool,
    ) {
        let options = CompareOptions { ignore_lines, ..ALL };
        let (one, other) = (read(&one), read(&other));
        let at = |of: &Analysed, share: f64| of.side((f64::from(of.replay.last_state()) * share) as u32);
        let (early, late, foreign) = (at(&one, from), at(&one, to), at(&other, to));
        for (a, b) in [(&early, &late), (&early, &foreign)] {
            let there = compare(a, b, &options);
            check_sums(&there)?;
            check_turned(&there, &compare(b, a, &options))?;
            check_messages(&there)?;
        }
        for side in [&early, &foreign] {
            let same = compare(side, side, &options);
            check_sums(&same)?;
            check_zero(&same)?;
            prop_assert_eq!(same.merged_stacks.unwrap_or(0) == 0 || ignore_lines, true);
        }
        // A short list closes with the rest, so it adds up as well.
        check_sums(&Comparison { paths: compare(&early, &foreign, &options).paths, ..compare(&early, &foreign, &CompareOptions { top: 2, ..options }) })?;
        // What crosses from worker to worker comes out the same.
        let text = serde_json::to_string(&foreign).expect("a side is JSON");
        let mut back = serde_json::from_str::<Side>(&text).expect("it reads back");
        if let (Some(back), Some(sent)) = (&mut back.curves, &foreign.curves) {
            // A position may lose its last bit.
            prop_assert!((back.at - sent.at).abs() < 1e-9);
            back.at = sent.at;
        }
        prop_assert_eq!(&back, &foreign);
    }

    #[test]
    fn the_curves_of_a_side_lose_no_peak(case in case(true)) {
        let run = read(&case);
        if run.replay.events() == 0 {
            return Ok(());
        }
        let side = run.end();
        let both = compare(&side, &side, &ALL);
        let curves = both.curves.expect("the trace has events");
        let requested = &curves.curves[0];
        let most = requested.a_max.iter().flatten().max().copied();
        prop_assert_eq!(most, Some(run.replay.peak().bytes.0));
        prop_assert_eq!(requested.a_max.last().copied().flatten() >= Some(run.replay.final_requested().0), true);
        prop_assert_eq!(&requested.a_min, &requested.b_min);
    }
}

/// Hundredths of a MiB.
fn hundredths(bytes: i64) -> i64 {
    (bytes * 100 + (1 << 19)).div_euclid(1 << 20)
}

fn by_category(of: &Comparison) -> Vec<(&str, i64)> {
    let rows = of.by_category.iter().filter(|row| row.diff_bytes != 0);
    rows.map(|row| (row.key.as_deref().unwrap_or(""), hundredths(row.diff_bytes))).collect()
}

#[test]
fn in_the_middle_of_a_backward_pass_three_linears_hold_ten_and_two_mebibytes_more() {
    for (backend, shape) in
        [(Backend::Cuda, Shape::Torch), (Backend::Npu, Shape::TorchNpu), (Backend::Cuda, Shape::PythonOnly)]
    {
        let run = three_linears(Config { backend, ..Config::default() }, shape);
        let [middle, after, next] = [&run.mid_backward, &run.after_step, &run.after_next_step]
            .map(|run| Analysed::of("linears", run).end());
        let found = compare(&after, &middle, &ALL);
        assert_eq!(by_category(&found), [("activation", 1000), ("backward", 200)], "{shape:?}");
        let steady = compare(&after, &next, &ALL);
        assert_eq!(by_category(&steady), [], "{shape:?}");
        assert_eq!(steady.totals.get(figure::REQUESTED).diff, 0);
    }
}

#[test]
fn one_step_apart_a_steady_run_differs_by_nothing() {
    for (annotate, shape) in [(true, Shape::Torch), (false, Shape::Torch), (true, Shape::PythonOnly)] {
        let training = Training { layers: 2, steps: 9, annotate, shape, ..Training::default() };
        let run = Analysed::of("steady", &training.run(Config::default()));
        let states = run.steps.states();
        assert!(states.len() >= 6, "{states:?}");
        for pair in states[3..].windows(2) {
            let (a, b) = (run.side(pair[0]), run.side(pair[1]));
            let found = compare(&a, &b, &ALL);
            assert_eq!(by_category(&found), [], "{annotate} {shape:?} {pair:?}");
            assert_eq!(found.totals.get(figure::REQUESTED).diff, 0);
        }
        let leaks = Training { leak: 300 * KIB, ..training };
        let run = Analysed::of("leaks", &leaks.run(Config::default()));
        let states = run.steps.states();
        let (a, b) = (run.side(states[3]), run.side(states[5]));
        let found = compare(&a, &b, &ALL);
        assert_eq!(found.totals.get(figure::REQUESTED).diff, 600 * KIB as i64);
        let (file, line, function) = Training::LEAK_SITE;
        let first = &found.by_call_site[0];
        assert_eq!(first.key.as_deref(), Some(format!("{file}:{line} {function}").as_str()));
        assert_eq!((first.diff_bytes, first.diff_count), (600 * KIB as i64, 2));
        // Common stacks grow, too: here it is the only one.
        assert_eq!((found.stacks.grown, found.stacks.grown_bytes), (1, 600 * KIB));
    }
}

#[test]
fn a_real_run_of_equal_steps_differs_by_nothing() {
    let shared = std::env::var_os("HBMLENS_SHARED")
        .map_or_else(|| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), Into::into);
    let path = shared.join("data/snapshots").join(STEADY);
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: no real files here");
        return;
    };
    let snapshot = match open(file, &ReadOptions::default(), &mut |_| {}) {
        Ok(Document::Snapshot(snapshot)) => *snapshot,
        other => panic!("not a snapshot: {other:?}"),
    };
    let run = Analysed::new(STEADY, snapshot);
    let event = |event: u32| run.snapshot.events.get(run.replay.row(event));
    for pair in STEPS.windows(2) {
        let (first, second) = (event(pair[0]), event(pair[1]));
        assert_eq!((first.action, first.size, first.stack), (second.action, second.size, second.stack));
        let found = compare(&run.side(pair[0] + 1), &run.side(pair[1] + 1), &ALL);
        assert!(found.totals.get(figure::REQUESTED).a > 900 * MIB);
        assert_eq!(by_category(&found), []);
        assert_eq!(found.totals.get(figure::REQUESTED).diff, 0);
        assert!(found.by_stack.iter().all(|row| row.diff_bytes == 0));
        let within = compare(&run.side(pair[0] + 1), &run.side((pair[0] + pair[1]) / 2), &ALL);
        assert_ne!(within.totals.get(figure::REQUESTED).diff, 0, "inside a step memory comes and goes");
    }
}

/// A real training run whose steps repeat: events at which its gradient estimator begins anew.
const STEADY: &str = "cuda_zeroth_order.pickle";
const STEPS: [u32; 4] = [20_381, 20_537, 20_693, 20_861];

#[test]
fn two_checkouts_are_one_when_lines_and_paths_are_ignored() {
    let run = Training { layers: 1, steps: 3, ..Training::default() }.run(Config::default());
    let a = Analysed::of("a", &run).end();
    let mut b = a.clone();
    for text in &mut b.content.texts {
        *text = text.replace("/home/user/gpt/", "C:\\jobs\\7\\gpt\\");
    }
    for (i, number) in b.content.frames.iter_mut().enumerate() {
        *number += u64::from(i % 3 == 1) * 5;
    }
    let exact = compare(&a, &b, &ALL);
    assert!(exact.stacks.only_a > 0 && exact.stacks.only_a == exact.stacks.only_b);
    assert_eq!(exact.merged_stacks, None);
    let ignored = compare(&a, &b, &CompareOptions { ignore_lines: true, ..ALL });
    assert_eq!((ignored.stacks.only_a, ignored.stacks.only_b), (0, 0));
    assert!(ignored.by_call_site.iter().all(|row| row.diff_bytes == 0));
    let stacks = a.content.ends.len() as u64;
    assert!(
        ignored.merged_stacks.is_some_and(|merged| merged >= stacks),
        "{:?} of {stacks}",
        ignored.merged_stacks
    );
}

fn rank_side(of: &Analysed, rank: i64, order: Option<i64>) -> RankSide {
    let options = SideOptions { state: of.replay.peak().state(), stacks: false, curves: None, by: None };
    let end = SideOptions { state: of.replay.last_state(), stacks: true, ..options };
    RankSide {
        role: String::new(),
        rank: Some(rank),
        order,
        peak: of.side_with(options),
        end: order.map(|_| of.side_with(end)),
    }
}

fn report(sides: &[RankSide]) -> RanksReport {
    let report = ranks(sides, &RanksOptions { ignore_lines: false, top: 0 });
    for message in &report.summary {
        assert_eq!(message.problem(), None);
    }
    report
}

#[test]
fn a_planted_outlier_is_named_with_its_planted_cause() {
    let training = Training { layers: 1, steps: 4, ..Training::default() };
    let mut sides: Vec<RankSide> = (0..8)
        .map(|rank| {
            // Ranks differ a little, as sequences do.
            let own = Training {
                sequence: 256 + rank % 3,
                leak: if rank == 5 { 4 * MIB } else { 0 },
                ..training.clone()
            };
            rank_side(&Analysed::of("rank", &own.run(Config::default())), rank as i64, None)
        })
        .collect();
    let found = report(&sides);
    let peaks: Vec<_> = found.outliers.iter().filter(|outlier| outlier.figure == Figure::Peak).collect();
    assert_eq!(peaks.iter().map(|outlier| outlier.rank).collect::<Vec<_>>(), [Some(5)]);
    let (file, line, function) = Training::LEAK_SITE;
    let because: Vec<_> = peaks[0].because.iter().map(|b| (b.kind, b.key.as_str(), b.diff_bytes)).collect();
    let leaked = because[0].2;
    assert!(leaked >= 8 * MIB as i64, "{because:?}");
    assert_eq!(
        because,
        [("category", "other", leaked), ("call_site", format!("{file}:{line} {function}").as_str(), leaked),]
    );
    assert!(peaks[0].deviation > 3.0);
    assert_ne!(found.median_rank, Some(5));
    assert_eq!(found.ranks.iter().filter(|row| row.is_median).count(), 1);
    // Without the leak nobody is odd.
    sides.remove(5);
    assert_eq!(report(&sides).outliers, []);
}

#[test]
fn in_a_series_the_leak_lies_on_a_line_and_the_cache_does_not() {
    let snapshots: Vec<RankSide> = [4_u64, 8, 12, 16, 20]
        .into_iter()
        .map(|steps| {
            let training =
                Training { layers: 1, steps, leak: 300 * KIB, cache: 200 * KIB, ..Training::default() };
            rank_side(&Analysed::of("series", &training.run(Config::default())), 0, Some(steps as i64))
        })
        .collect();
    let found = report(&snapshots);
    assert_eq!((found.ranks.len(), found.series.len()), (1, 1));
    let series = &found.series[0];
    assert_eq!(series.snapshots.iter().map(|s| s.at).collect::<Vec<_>>(), [4, 8, 12, 16, 20]);
    let name = |(file, line, function): (&str, u64, &str)| format!("{file}:{line} {function}");
    let row = |site: &str| {
        series.growth.iter().find(|row| row.call_site.as_deref() == Some(site)).expect("it grows")
    };
    let leak = row(&name(Training::LEAK_SITE));
    assert!(leak.straight && leak.fit > 0.999_999);
    assert_eq!(
        (leak.bytes_per_unit.round(), leak.bytes_per_snapshot.round()),
        (300.0 * 1024.0, 1200.0 * 1024.0)
    );
    assert_eq!(leak.bytes, [4, 8, 12, 16, 20].map(|steps| steps * 300 * KIB));
    let cache = row(&name(Training::CACHE_SITE));
    assert!(!cache.straight, "{cache:?}");
    assert_eq!(series.growth.iter().filter(|row| row.straight).count(), 1);
}
