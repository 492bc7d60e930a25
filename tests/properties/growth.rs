//! Growth: a leak is found with its place and bytes a step, a cache that stops is none.

use crate::direct::direct;
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::growth::{DeviceGrowth, GrowthOptions, growth};
use hbmlens::analysis::health::Risk;
use hbmlens::analysis::steps::Steps;
use hbmlens::model::{Device, Snapshot, Writer};
use hbmlens::replay::Replay;
use hbmlens::simulate::shapes::Shape;
use hbmlens::simulate::{Backend, Config, KIB, Layout, Training, snapshot};
use proptest::prelude::*;

fn grown(training: &Training, config: Config, ring: Option<usize>) -> DeviceGrowth {
    let run = training.run(config);
    let layout = Layout { max_entries: ring, ..Layout::of(run.config.backend) };
    let writer = if run.config.backend == Backend::Cuda { Writer::Torch } else { Writer::TorchNpu };
    let snapshot: Snapshot = direct(&snapshot(&[&run], &layout), writer);
    let replay = Replay::new(&snapshot, Device::Index(0));
    let classes = StackClasses::new(&snapshot, UserRules::default());
    let attribution = Attribution::new(&snapshot, &replay, &classes);
    let memory =
        Attributed { snapshot: &snapshot, replay: &replay, classes: &classes, attribution: &attribution };
    growth(&memory, &Steps::find(&snapshot, &replay), &GrowthOptions { limit: None, top: 10 })
}

/// File, line, function and bytes a step of what grows.
fn sites(growth: &DeviceGrowth) -> Vec<(String, u64, String, u64)> {
    let sites = growth.growth.iter();
    sites
        .map(|g| {
            let site = &g.call_site;
            (site.file.clone(), site.line, site.function.clone(), g.bytes_per_step.0)
        })
        .collect()
}

fn leak(bytes: u64) -> Vec<(String, u64, String, u64)> {
    let (file, line, function) = Training::LEAK_SITE;
    vec![(file.to_owned(), line, function.to_owned(), bytes)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn only_the_leak_grows(
        layers in 1..3u64,
        steps in 16..24u64,
        leaked in prop_oneof![Just(0u64), 300 * KIB..4096 * KIB],
        cache in prop_oneof![Just(0u64), 100 * KIB..3000 * KIB],
        annotate: bool,
        expandable: bool,
        flavour in 0..3usize,
    ) {
        let (shape, backend) =
            [(Shape::Torch, Backend::Cuda), (Shape::TorchNpu, Backend::Npu), (Shape::PythonOnly, Backend::Npu)]
                [flavour];
        let training = Training { layers, steps, leak: leaked, cache, annotate, shape, ..Training::default() };
        let found = grown(&training, Config { backend, expandable, ..Config::default() }, None);
        if leaked == 0 {
            prop_assert_eq!(sites(&found), vec![]);
            prop_assert!(found.risk != Risk::High);
            // A healthy run is of low risk; a cache may hold memory from the beginning to the end.
            prop_assert!(cache > 0 || found.risk == Risk::Low, "{:?}", found.fired);
        } else {
            prop_assert_eq!(sites(&found), leak(leaked));
            prop_assert_eq!(found.risk, Risk::High);
        }
    }
}

#[test]
fn a_leak_is_found_in_a_ring_of_the_last_steps() {
    let training = Training { layers: 1, steps: 30, leak: 1000 * KIB, ..Training::default() };
    for ring in [2500, 3333] {
        assert_eq!(sites(&grown(&training, Config::default(), Some(ring))), leak(1000 * KIB), "{ring}");
    }
}
