//! Every kind of out-of-memory the generator can build, against its verdict and its figures.

use crate::shared::generate;
use hbmlens::analysis::attribution::{Attributed, Attribution, StackClasses, UserRules};
use hbmlens::analysis::growth::{GrowthOptions, growth};
use hbmlens::analysis::oom::{OomOptions, Verdict, growing_sites, ooms};
use hbmlens::analysis::steps::Steps;
use hbmlens::model::{Bytes, Device};
use hbmlens::replay::Replay;
use hbmlens::text::Language;
use serde_json::{Value, json};

fn check(name: &str, options: &str) {
    let options = format!("--events 4000 --layers 6 --limit-gib 4 {options}");
    let Some((snapshot, truth)) = generate(name, &options) else { return };
    for device in truth.as_array().expect("the truth is a list of devices") {
        let number = device["device"].as_i64().expect("a device has a number") as i32;
        let replay = Replay::new(&snapshot, Device::Index(number));
        let classes = StackClasses::new(&snapshot, UserRules::default());
        let attribution = Attribution::new(&snapshot, &replay, &classes);
        let memory =
            Attributed { snapshot: &snapshot, replay: &replay, classes: &classes, attribution: &attribution };
        let expected = device["ooms"].as_array().expect("it ran out of memory");
        let steps = Steps::find(&snapshot, &replay);
        let growing = growing_sites(&memory, &growth(&memory, &steps, &GrowthOptions::default()));
        assert_eq!(growing.is_empty(), device["leak"].is_null(), "{name}: {growing:?}");
        let limit = expected[0]["limit"].as_u64().map(Bytes);
        let found = ooms(&memory, &OomOptions { limit, growing: &growing, top: 10 });
        assert_eq!(found.ooms.len(), expected.len(), "{name}");
        for (found, expected) in found.ooms.iter().zip(expected) {
            let json: Value = serde_json::to_value(found).expect("a report is JSON");
            for (key, of_truth) in [
                ("event", "event_in_file"),
                ("verdict", "verdict"),
                ("requested", "request"),
                ("device_free", "device_free"),
                ("limit", "limit"),
                ("allocated", "allocated"),
                ("active", "active"),
                ("pending", "pending"),
                ("reserved", "reserved"),
                ("workspace", "workspace"),
                ("cached_free", "cached_free"),
                ("cached_free_usable", "cached_free_usable"),
                ("largest_usable", "largest_usable"),
                ("largest_any", "largest_any"),
                ("stream", "stream"),
                ("pool", "pool"),
                ("segment_type", "segment_type"),
            ] {
                assert_eq!(json[key], expected[of_truth], "{name}: {key}");
            }
            assert_eq!(json["others"], json!(0), "{name}: the simulated device has no other users");
            let requested: u64 = found.by_category.iter().map(|row| row.sums.bytes.0).sum();
            assert_eq!(requested, replay.value(hbmlens::replay::CurveKind::Requested, found.event).0);
            let by_site: u64 = found.by_call_site.iter().map(|row| row.sums.bytes.0).sum();
            assert_eq!(by_site, requested, "{name}");
            assert_eq!(found.before.len(), 50, "{name}");
            assert!(found.before.windows(2).all(|pair| pair[0].event == pair[1].event + 1));
            assert_eq!(found.before[0].event + 1, found.event);
            assert!(found.repeated.iter().all(|stack| stack.count >= 3 && !stack.stack.is_empty()));
            let messages = found.evidence.iter().chain(&found.advice);
            for message in messages.chain(found.contributing.iter().map(|c| &c.evidence)) {
                assert_eq!(message.problem(), None);
                assert!(!message.render(Language::Chinese).contains('?'));
            }
            assert!(found.contributing.iter().all(|c| c.verdict != found.verdict));
        }
    }
}

#[test]
fn every_kind_gets_its_verdict() {
    check("oom_capacity", "--oom capacity");
    check("oom_fragmentation", "--oom fragmentation");
    check("oom_stream", "--oom stream");
    check("oom_pending", "--oom pending");
    check("oom_huge", "--oom huge");
}

#[test]
fn the_verdict_is_the_same_in_other_shapes() {
    check("oom_growth", "--events 9000 --oom capacity --leak");
    check("oom_expandable", "--oom fragmentation --expandable");
    check("oom_npu", "--oom capacity --flavour npu --workspace --streams 2");
    check("oom_pools", "--oom pending --pools 2");
    check("oom_ring", "--oom huge --ring 900");
    check("oom_two", "--oom stream --devices 2");
}

#[test]
fn without_the_limit_huge_is_not_said() {
    let Some((snapshot, _)) = generate("oom_no_limit", "--events 3000 --layers 6 --limit-gib 4 --oom huge")
    else {
        return;
    };
    let replay = Replay::new(&snapshot, Device::Index(0));
    let classes = StackClasses::new(&snapshot, UserRules::default());
    let attribution = Attribution::new(&snapshot, &replay, &classes);
    let memory =
        Attributed { snapshot: &snapshot, replay: &replay, classes: &classes, attribution: &attribution };
    let found = ooms(&memory, &OomOptions { limit: None, growing: &[], top: 0 });
    assert_eq!(found.ooms[0].verdict, Verdict::Capacity);
    assert_eq!(found.ooms[0].others, None);
    assert!(found.ooms[0].evidence.iter().any(|message| message.key() == "oom.no_limit"));
}
