//! Made-up programs, and the devices they run on.

use hbmlens::model::Writer;
use hbmlens::simulate::ops::{Op, run};
use hbmlens::simulate::{Backend, Config, KIB, Layout, MIB, Simulator};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    let size = prop_oneof![1..2 * KIB, 2 * KIB..600 * KIB, 900 * KIB..2 * MIB, MIB..30 * MIB];
    let tensor = 0..60usize;
    prop_oneof![
        12 => (tensor.clone(), size, 0..3usize, prop_oneof![5 => Just(0u32), 1 => 1..3u32], 0..20u64)
            .prop_map(|(tensor, size, stream, pool, place)| Op::Alloc { tensor, size, stream, pool, place }),
        9 => tensor.clone().prop_map(|tensor| Op::Free { tensor }),
        2 => (tensor, 0..3usize).prop_map(|(tensor, stream)| Op::RecordStream { tensor, stream }),
        1 => (0..3usize).prop_map(|stream| Op::Synchronize { stream }),
        1 => prop_oneof![
            3 => Just(Op::EmptyCache),
            1 => Just(Op::BeginCapture),
            2 => Just(Op::EndCapture),
            1 => (1..3u32).prop_map(|pool| Op::DropPool { pool }),
        ],
    ]
}

/// A program, its device and how its file is cut.
#[derive(Clone, Debug)]
pub struct Case {
    pub config: Config,
    pub workspaces: Vec<u64>,
    pub ops: Vec<Op>,
    /// Switch the history on before this operation.
    pub record_from: Option<usize>,
    pub max_entries: Option<usize>,
}

impl Case {
    /// The run; its states are kept.
    pub fn run(&self) -> Simulator {
        let mut sim = Simulator::new(Config { keep_states: true, ..self.config.clone() });
        for &size in &self.workspaces {
            sim.add_workspace(size, 7);
        }
        let (before, after) = self.ops.split_at(self.record_from.unwrap_or(0).min(self.ops.len()));
        run(&mut sim, before);
        sim.start_recording();
        run(&mut sim, after);
        sim
    }

    pub fn layout(&self) -> Layout {
        Layout { max_entries: self.max_entries, ..Layout::of(self.config.backend) }
    }

    pub fn writer(&self) -> Writer {
        match self.config.backend {
            Backend::Cuda => Writer::Torch,
            Backend::Npu => Writer::TorchNpu,
        }
    }

    /// Every event from the process's start is in the file.
    pub fn is_complete(&self) -> bool {
        self.record_from.is_none() && self.max_entries.is_none()
    }
}

/// A device and a program; `cut` allows for files that begin late.
pub fn case(cut: bool) -> impl Strategy<Value = Case> {
    let config = (any::<bool>(), any::<bool>(), 80 * MIB..500 * MIB, 1..u64::MAX).prop_map(
        |(npu, expandable, limit, seed)| {
            let backend = if npu { Backend::Npu } else { Backend::Cuda };
            Config { backend, expandable, limit, seed, ..Config::default() }
        },
    );
    let workspaces = prop::collection::vec(MIB..6 * MIB, 0..3);
    let ops = prop::collection::vec(op(), 1..250);
    let late = prop::option::of(1..150usize);
    let ring = prop::option::of(1..250usize);
    (config, workspaces, ops, late, ring).prop_map(move |(config, workspaces, ops, late, ring)| {
        let npu = config.backend == Backend::Npu;
        Case {
            config,
            workspaces: if npu { workspaces } else { Vec::new() },
            ops,
            record_from: late.filter(|_| cut),
            max_entries: ring.filter(|_| cut),
        }
    })
}

/// How many cases a property runs: a number that keeps the tests short, or what `PROPTEST_CASES` says.
pub fn cases(few: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(few))
}

/// The programs reach every kind of event and of trouble; else the properties would prove little.
#[test]
fn programs_reach_everything() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut actions = std::collections::BTreeMap::new();
    let (mut pending, mut late, mut initial_peaks) = (0, 0, 0);
    for _ in 0..120 {
        let case = case(true).new_tree(&mut runner).expect("the strategy makes a case").current();
        let truth = case.run().truth(case.max_entries);
        let run = case.run();
        for entry in &run.record.events {
            *actions.entry(entry.action).or_insert(0) += 1;
        }
        pending += usize::from(truth.unseen_pending > 0);
        late += truth.lives.iter().filter(|l| l.begin.is_none()).count();
        initial_peaks += usize::from(truth.peak_event < 0);
    }
    let rare: Vec<_> = actions.iter().filter(|&(_, &n)| n < 20).collect();
    assert!(actions.len() == 8 && rare.is_empty(), "{actions:?}");
    assert!(pending > 3 && late > 50 && initial_peaks > 3, "{pending} {late} {initial_peaks}");
}
