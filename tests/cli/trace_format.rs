//! The trace event format: what its importers ask of each event.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Microseconds with up to three decimals, as nanoseconds.
fn nanos(event: &Value, key: &str) -> i64 {
    let number = event[key].as_f64().unwrap_or_else(|| panic!("{key} of {event} is a number"));
    assert!(number.is_finite() && (0.0..4e12).contains(&number), "{key} of {event}");
    (number * 1000.0).round() as i64
}

/// Every event is one of the format's, with the keys that its phase needs, and no two slices of a lane
/// share a moment. Gives the events.
pub fn assert_trace(text: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_str(text).expect("a trace is JSON");
    assert!(matches!(trace["displayTimeUnit"].as_str(), Some("ms" | "ns")));
    let events = trace["traceEvents"].as_array().expect("a list of events").clone();
    let mut lanes: BTreeMap<(u64, u64), Vec<(i64, i64)>> = BTreeMap::new();
    let (mut named, mut counters) = (BTreeSet::new(), BTreeMap::new());
    for event in &events {
        let id = |key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event} is an integer"));
        let lane = (id("pid"), id("tid"));
        assert!(lane.0 <= u64::from(u32::MAX) && lane.1 <= u64::from(u32::MAX), "ids have 32 bits: {event}");
        assert!(event["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
        match event["ph"].as_str() {
            Some("X") => {
                assert!(event["cat"].is_string() && event["args"].is_object(), "{event}");
                let (ts, dur) = (nanos(event, "ts"), nanos(event, "dur"));
                assert!(dur > 0, "a slice that shows: {event}");
                lanes.entry(lane).or_default().push((ts, ts + dur));
            }
            Some("C") => {
                let args = event["args"].as_object().expect("series of a counter");
                assert!(!args.is_empty() && args.values().all(Value::is_number), "{event}");
                let key = (lane.0, event["name"].to_string());
                let ts = nanos(event, "ts");
                let before = counters.insert(key, ts);
                assert!(
                    before.is_none_or(|before| before < ts),
                    "points of a counter follow each other: {event}"
                );
            }
            Some("i") => {
                nanos(event, "ts");
                assert!(matches!(event["s"].as_str(), Some("g" | "p" | "t")), "{event}");
            }
            Some("M") => {
                let key = match event["name"].as_str() {
                    Some("process_name" | "thread_name") => "name",
                    Some("process_sort_index" | "thread_sort_index") => "sort_index",
                    other => panic!("no metadata is named {other:?}"),
                };
                let value = &event["args"][key];
                assert!(if key == "name" { value.is_string() } else { value.is_number() }, "{event}");
                if event["name"] == "thread_name" {
                    assert!(named.insert(lane), "named twice: {event}");
                }
            }
            other => panic!("no phase is {other:?}"),
        }
    }
    for (lane, mut slices) in lanes {
        assert!(named.contains(&lane), "the lane {lane:?} has a name");
        slices.sort_unstable();
        for pair in slices.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "slices of {lane:?} cross: {pair:?}");
        }
    }
    events
}
