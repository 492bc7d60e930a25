//! The trace for Perfetto against the trace event format: what its importer asks of each event.

use hbmlens::analysis::ge::report;
use hbmlens::export::ge::write_perfetto;
use hbmlens::format::ge_log::Reader;
use hbmlens::model::ge::GeLog;
use hbmlens::simulate::ge_log::{GeScript, Version, ge_log, ge_sample};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn read(files: &[String]) -> GeLog {
    let mut reader = Reader::default();
    for file in files {
        reader.read(file.as_bytes(), &mut |_| {}).expect("memory can be read");
    }
    reader.finish()
}

fn events(log: &GeLog) -> Vec<Value> {
    let mut out = Vec::new();
    write_perfetto(log, &mut out).expect("memory can be written");
    let trace: Value = serde_json::from_slice(&out).expect("the trace is JSON");
    let object = trace.as_object().expect("the JSON object format");
    // https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: "displayTimeUnit"
    // is "ms" or "ns", and other keys are metadata.
    assert!(matches!(object["displayTimeUnit"].as_str(), Some("ms" | "ns")));
    object["traceEvents"].as_array().expect("a list of events").clone()
}

fn number(event: &Value, key: &str) -> f64 {
    let number = event[key].as_f64().unwrap_or_else(|| panic!("{key} of {event} is a number"));
    assert!(number.is_finite() && number >= 0.0, "{key} of {event}");
    number
}

/// Every event is one of the format's, with the keys that its phase needs, and slices of a lane nest.
fn validate(events: &[Value]) {
    let mut lanes: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for event in events {
        let id = |key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event} is an integer"));
        let lane = (id("pid"), id("tid"));
        assert!(lane.0 <= u64::from(u32::MAX) && lane.1 <= u64::from(u32::MAX), "ids have 32 bits: {event}");
        assert!(event["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
        match event["ph"].as_str() {
            Some("X") => {
                assert!(event["cat"].is_string() && event["args"].is_object(), "{event}");
                let (ts, dur) = (number(event, "ts"), number(event, "dur"));
                assert!(dur > 0.0, "a slice that shows: {event}");
                lanes.entry(lane).or_default().push((ts, ts + dur));
            }
            Some("C") => {
                number(event, "ts");
                let args = event["args"].as_object().expect("series of a counter");
                assert!(!args.is_empty() && args.values().all(Value::is_number), "{event}");
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
        slices.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        for pair in slices.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "slices of {lane:?} cross: {pair:?}");
        }
    }
}

#[test]
fn every_event_is_of_the_trace_event_format() {
    for version in [Version::Now, Version::Of2021, Version::Early] {
        for seed in 0..4 {
            let log = read(&ge_log(&GeScript { seed, version, ..GeScript::default() }).files);
            validate(&events(&log));
        }
    }
}

#[test]
fn slices_are_the_outputs_and_the_counter_is_what_lives() {
    let log = read(&[ge_sample()]);
    let events = events(&log);
    validate(&events);
    let report = report(&log);
    let graphs: Vec<_> = report.processes.iter().flat_map(|process| &process.graphs).collect();
    let processes: Vec<_> = events.iter().filter(|event| event["name"] == "process_name").collect();
    assert_eq!(processes.len(), graphs.len());
    for (process, graph) in processes.iter().zip(&graphs) {
        let name = process["args"]["name"].as_str().expect("a name");
        assert!(name.contains(&graph.key), "{name} is {}", graph.key);
        let own = |phase: &'static str| {
            let pid = process["pid"].clone();
            events.iter().filter(move |event| event["ph"] == phase && event["pid"] == pid)
        };
        // Counted anew from the slices: what lives at a step, in multiples of 512.
        let slices: Vec<(f64, f64, u64)> = own("X")
            .filter(|slice| slice["args"]["isref"] != true)
            .map(|slice| {
                let bytes = slice["args"]["realsize"].as_u64().expect("a size");
                let ts = number(slice, "ts");
                (ts, ts + number(slice, "dur"), bytes.div_ceil(512) * 512)
            })
            .collect();
        assert!(slices.len() > 50, "{name}");
        let ends = slices.iter().map(|slice| slice.1).fold(0.0, f64::max);
        let mut counted = 0;
        for counter in own("C") {
            let at = number(counter, "ts");
            // At its end the last step keeps what is never released.
            if at >= ends - 1.0 {
                continue;
            }
            let live: u64 = slices.iter().filter(|s| s.0 <= at && at < s.1).map(|s| s.2).sum();
            assert_eq!(counter["args"]["live"].as_u64(), Some(live), "{name} at {at}");
            counted += 1;
        }
        assert!(counted > 20, "{name}");
        // Every field of a line is there.
        let slice = own("X").next().expect("a slice");
        for key in ["optype", "offset", "streamid", "memory_type", "size", "realsize", "noalignsize", "isref"]
        {
            assert!(!slice["args"][key].is_null(), "{key} of {slice}");
        }
    }
}

#[test]
fn names_of_any_bytes_are_texts() {
    let name = "a\\b\"c\t\u{1}</script>\u{e9}";
    let line = format!(
        "[INFO] GE(1,t):2026-03-04-10:00:00.000.001 [f.cc:1]9 F:[IMAS]Set g_1 name[{name}] optype[Add] output[0] offset to [0] streamid[0] memtype[2] size[512] realsize[512] noalignsize[500] life time begin[1] life time end[2] child[0:1:0:0:1] isref[0] batch[], block_type[x]\n"
    );
    let events = events(&read(&[line]));
    validate(&events);
    let slice = events.iter().find(|event| event["ph"] == "X").expect("a slice");
    assert_eq!(slice["name"], format!("{name}:output_0"));
}
