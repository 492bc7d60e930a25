//! The simulation checked against itself: counters against blocks, blocks against segments.

use super::allocator::{Backend, Config, GIB, KIB, MIB, Simulator};
use super::linears::three_linears;
use super::ops::{Op, run};
use super::pools::Use;
use super::recorder::{Category, Totals};
use super::sample::sample;
use super::shapes::Shape;
use super::stories::{OomKind, out_of_memory};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    let size = prop_oneof![1..2 * KIB, 500 * KIB..2 * MIB, MIB..30 * MIB];
    let tensor = 0..40usize;
    prop_oneof![
        10 => (tensor.clone(), size, 0..3usize, prop_oneof![4 => Just(0u32), 1 => 1..3u32], 0..20u64)
            .prop_map(|(tensor, size, stream, pool, place)| Op::Alloc { tensor, size, stream, pool, place }),
        7 => tensor.clone().prop_map(|tensor| Op::Free { tensor }),
        2 => (tensor, 0..3usize).prop_map(|(tensor, stream)| Op::RecordStream { tensor, stream }),
        1 => (0..3usize).prop_map(|stream| Op::Synchronize { stream }),
        1 => prop_oneof![
            Just(Op::EmptyCache),
            Just(Op::BeginCapture),
            Just(Op::EndCapture),
            (1..3u32).prop_map(|pool| Op::DropPool { pool })
        ],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_state_adds_up(
        ops in prop::collection::vec(op(), 1..200),
        expandable: bool,
        npu: bool,
        limit in 60 * MIB..400 * MIB,
    ) {
        let backend = if npu { Backend::Npu } else { Backend::Cuda };
        let mut sim =
            Simulator::new(Config { backend, expandable, limit, keep_states: true, ..Config::default() });
        run(&mut sim, &ops);
        let states = sim.record.states.as_ref().expect("the run keeps its states");
        prop_assert_eq!(states.len(), sim.record.totals.len());
        for (segments, totals) in states.iter().zip(&sim.record.totals) {
            let mut sums = Totals { requested: totals.requested, pending: totals.pending, ..Totals::default() };
            for segment in segments {
                let mut at = segment.address;
                for pair in segment.blocks.windows(2) {
                    // Free neighbours are merged, in one mapped range.
                    prop_assert!(pair[0].used != Use::Free || pair[1].used != Use::Free);
                }
                for block in &segment.blocks {
                    prop_assert_eq!(block.address, at);
                    at += block.size;
                    match block.used {
                        Use::Allocated => {
                            sums.allocated += block.size;
                            sums.active += block.size;
                        }
                        Use::Pending => sums.active += block.size,
                        Use::Free => {}
                    }
                }
                prop_assert_eq!(at - segment.address, segment.size);
                sums.reserved += segment.size;
            }
            prop_assert_eq!(sums, *totals);
            prop_assert!(sums.reserved <= limit);
        }
        let truth = sim.truth(None);
        if sim.record.lives.iter().any(|l| l.end.is_some()) {
            prop_assert_eq!(&truth.totals, &sim.record.totals);
        }
    }
}

#[test]
fn a_remainder_of_a_mebibyte_stays_with_a_large_block() {
    let mut sim = Simulator::new(Config { limit: GIB, ..Config::default() });
    let alloc = |tensor, size| Op::Alloc { tensor, size, stream: 0, pool: 0, place: 0 };
    // 19 MiB of a 20 MiB segment: what is left over is not split off; 18.9 MiB leaves more than that.
    run(&mut sim, &[alloc(0, 19 * MIB), alloc(1, 600), alloc(2, 9 * MIB + 512), alloc(3, 10 * MIB - 512)]);
    let sizes: Vec<u64> = sim.record.lives.iter().map(|l| l.block_size).collect();
    assert_eq!(sizes, [20 * MIB, 1024, 9 * MIB + 512, 11 * MIB - 512]);
    assert_eq!(sim.totals().reserved, 42 * MIB);
}

#[test]
fn an_npu_block_is_32_bytes_larger_before_rounding() {
    let npu = Simulator::new(Config { backend: Backend::Npu, ..Config::default() });
    let cuda = Simulator::new(Config::default());
    assert_eq!((npu.round(480), npu.round(481), cuda.round(512), cuda.round(1)), (512, 1024, 512, 512));
}

#[test]
fn the_sample_is_small_and_the_same_every_time() {
    let bytes = sample();
    assert_eq!(bytes, sample());
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zipped, &bytes).expect("memory takes it");
    let zipped = zipped.finish().expect("memory takes it").len();
    assert!(zipped < 150 * 1024, "the sample has {zipped} bytes zipped");
}

/// The figures are counted by hand, in MiB with two decimals.
#[test]
fn three_linears_come_out_at_the_counted_figures() {
    let mib = |bytes: u64| (bytes as f64 / MIB as f64 * 100.0).round() / 100.0;
    let linears = three_linears(Config::default(), Shape::Torch);
    let live = |sim: &Simulator, category: Category| -> f64 {
        let open = sim.record.lives.iter().filter(|l| l.end.is_none() && l.category == category);
        mib(open.map(|l| l.requested).sum())
    };
    let all = |sim: &Simulator| {
        let c = |category| live(sim, category);
        [
            c(Category::Parameter),
            c(Category::Gradient),
            c(Category::Optimizer),
            c(Category::Input),
            c(Category::Activation),
            c(Category::Backward),
            c(Category::Other),
            c(Category::OptimizerTemporary),
        ]
    };
    assert_eq!(all(&linears.mid_backward), [24.0, 24.0, 48.0, 2.0, 12.0, 2.0, 0.01, 0.0]);
    assert_eq!(all(&linears.after_step), [24.0, 24.0, 48.0, 2.0, 2.0, 0.0, 0.01, 0.0]);
    assert_eq!(all(&linears.after_next_step), all(&linears.after_step));
    assert_eq!(mib(linears.mid_backward.totals().allocated), 112.01);
    assert_eq!(mib(linears.after_step.totals().allocated), 100.01);
    let truth = linears.after_next_step.truth(None);
    assert_eq!(mib(truth.peak_requested), 130.01);
    assert!(linears.mid_backward.record.events.len() > truth.peak_event as usize);
}

#[test]
fn every_story_ends_in_its_out_of_memory() {
    for kind in OomKind::ALL {
        for expandable in [false, true] {
            if expandable && matches!(kind, OomKind::Fragmentation | OomKind::Stream) {
                // What is free there is given back page by page, so it stays neither in pieces nor
                // with another stream.
                continue;
            }
            let config = Config { expandable, ..Config::default() };
            let run = out_of_memory(kind, Shape::Torch, config);
            let [oom] = &run.record.ooms[..] else {
                panic!(
                    "{kind:?} {expandable}: {} times, {:?}, {} free",
                    run.record.ooms.len(),
                    run.totals(),
                    run.device_free()
                )
            };
            assert_eq!(oom.event + 1, run.record.events.len(), "{kind:?}");
            if kind == OomKind::Growth {
                let leaked = run.record.lives.iter().filter(|l| l.requested == 150 * MIB && l.end.is_none());
                assert!(leaked.count() as u64 * 150 * MIB > run.config.limit / 2);
                continue;
            }
            assert_eq!(oom.verdict(), kind.name(), "{expandable} {:?} {:?}", oom.free(), oom.totals);
        }
    }
}
