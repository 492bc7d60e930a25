//! A leak is found with its stack and its bytes a step; what is healthy is not called one.

use crate::common::{Owned, made, real, shared};
use hbmlens::analysis::growth::{DeviceGrowth, GrowthOptions, GrowthRule, growth};
use hbmlens::analysis::health::Risk;
use hbmlens::analysis::steps::{StepSource, Steps};
use hbmlens::model::{Bytes, Device, Snapshot};

fn growth_of(snapshot: Snapshot, device: Device, limit: Option<Bytes>) -> DeviceGrowth {
    let run = Owned::new(snapshot, device);
    let steps = Steps::find(&run.snapshot, &run.replay);
    let found = growth(&run.memory(), &steps, &GrowthOptions { limit, ..GrowthOptions::default() });
    for reason in &found.reasons {
        assert_eq!(reason.problem(), None);
    }
    found
}

const LEAKING: [(&str, &[&str], StepSource); 4] = [
    ("leak", &["--events", "9000", "--layers", "2", "--leak", "--cache"], StepSource::Profiler),
    (
        "leak-valleys",
        &["--events", "12000", "--layers", "6", "--leak", "--cache", "--no-steps", "--categories"],
        StepSource::Valleys,
    ),
    ("leak-npu", &["--events", "9000", "--layers", "6", "--leak", "--flavour", "npu"], StepSource::Valleys),
    (
        "leak-streams",
        &[
            "--events",
            "15000",
            "--layers",
            "6",
            "--leak",
            "--streams",
            "3",
            "--expandable",
            "--drop-beginning",
        ],
        StepSource::Profiler,
    ),
];

#[test]
fn a_leak_is_found_with_stack_and_bytes() {
    let Some(shared) = shared() else { return };
    let mut fast = 0;
    for (name, options, source) in LEAKING {
        let Some((snapshot, truth)) = made(&shared, name, options) else { return };
        let limit = Bytes(64 << 30);
        let found = growth_of(snapshot, Device::Index(0), Some(limit));
        eprintln!("{name}: {:?} {:?} {} steps", found.risk, found.fired, found.steps.boundaries.len());
        assert_eq!(found.steps.source, Some(source), "{name}");
        let bytes = leak_bytes(&truth);
        let is_fast = bytes * 1000 >= truth[0]["file"]["peak_requested"].as_u64().unwrap_or(0);
        assert_eq!(found.risk, if is_fast { Risk::High } else { Risk::Medium }, "{name}");
        fast += u32::from(is_fast);
        assert!(found.fired.contains(&GrowthRule::StepGrowth));
        let [grower] = found.growth.as_slice() else { panic!("{name}: {:?}", found.growth) };
        let leak = &truth[0]["leak"];
        let site = &grower.call_site;
        assert_eq!(leak["call_site"], format!("{}:{}:{}", site.file, site.line, site.function), "{name}");
        assert_eq!(grower.bytes_per_step.0, bytes, "{name}");
        assert!(grower.rising_share >= if source == StepSource::Profiler { 1.0 } else { 0.8 });
        let stack = grower.stack.clone().unwrap_or_default();
        assert!(stack.contains(site));
        let steps = grower.projected_oom_step.unwrap_or_default();
        assert!(steps > found.steps.boundaries.len() as u64);
    }
    assert!(fast > 0 && fast < LEAKING.len() as u32, "both risks are met");
}

fn leak_bytes(truth: &serde_json::Value) -> u64 {
    truth[0]["leak"]["bytes_per_step"].as_u64().unwrap_or(0)
}

#[test]
fn a_cache_that_stops_growing_is_no_leak() {
    let Some(shared) = shared() else { return };
    for (name, options) in [
        ("cache", &["--events", "12000", "--layers", "6", "--cache"][..]),
        ("cache-valleys", &["--events", "12000", "--layers", "6", "--cache", "--no-steps", "--categories"]),
    ] {
        let Some((snapshot, _)) = made(&shared, name, options) else { return };
        let found = growth_of(snapshot, Device::Index(0), None);
        assert!(found.growth.is_empty(), "{name}: {:?}", found.growth);
        assert_ne!(found.risk, Risk::High);
    }
}

#[test]
fn healthy_runs_come_out_low() {
    let Some(shared) = shared() else { return };
    let made = |name: &str, options: &[&str]| made(&shared, name, options).map(|(snapshot, _)| snapshot);
    let generated = [
        ("sound", made("sound", &["--events", "12000", "--layers", "6"])),
        (
            "sound-full",
            made("sound-full", &["--events", "12000", "--layers", "6", "--categories", "--streams", "3"]),
        ),
        (
            "sound-npu",
            made("sound-npu", &["--events", "9000", "--flavour", "npu", "--workspace", "--layers", "5"]),
        ),
    ];
    let names = [
        "cuda_training.pickle",
        "cuda_many_segments.pickle",
        "cuda_ring_of_10000.pickle",
        "cuda_forward.pickle",
        "cuda_mini.pickle",
        "cuda_zeroth_order.pickle",
        "cuda_no_history.pickle",
        "cuda_pools_pending_no_events.pickle",
        "cuda_old_history_blocks.pickle",
        "npu_expandable.pkl",
        "npu_empty_cache.pkl",
        "npu_two_devices.pkl",
    ];
    let files = names.map(|name| (name, Some(real(&shared, name))));
    for (name, snapshot) in generated.into_iter().chain(files) {
        let Some(snapshot) = snapshot else { continue };
        for device in snapshot.devices() {
            let found = growth_of(snapshot.clone(), device, None);
            let (source, steps) = (found.steps.source, found.steps.boundaries.len());
            eprintln!(
                "{name} device {device}: {:?} {:?}, {steps} steps by {source:?}",
                found.risk, found.fired
            );
            assert_eq!(found.risk, Risk::Low, "{name} device {device}: {:?}", found.growth);
        }
    }
}
