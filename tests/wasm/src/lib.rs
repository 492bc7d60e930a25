//! The boundary to the page, in a real worker of a real browser: what goes in as a Blob comes out as
//! plain objects, and what goes wrong comes out as plain objects too.
#![cfg(all(test, target_arch = "wasm32"))]

use hbmlens::wasm::Session;
use js_sys::{Array, Float64Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const MIB: u64 = 1 << 20;

/// One segment of 8 MiB; two allocations of 1 MiB that stay, one of 3 MiB that goes.
fn snapshot() -> String {
    let event = |n: u64, action: &str, addr: u64, size: u64| {
        let frames = r#"[{"filename": "/job/model.py", "line": 7, "name": "forward"}]"#;
        let time = 1_700_000_000_000_000 + n * 10;
        format!(
            r#"{{"action": "{action}", "addr": {addr}, "size": {size}, "stream": 0, "time_us": {time}, "frames": {frames}}}"#
        )
    };
    let base = 1 << 32;
    let events = [
        event(0, "segment_alloc", base, 8 * MIB),
        event(1, "alloc", base, MIB),
        event(2, "alloc", base + MIB, MIB),
        event(3, "alloc", base + 2 * MIB, 3 * MIB),
        event(4, "free_requested", base + 2 * MIB, 3 * MIB),
        event(5, "free_completed", base + 2 * MIB, 3 * MIB),
    ];
    let block = |addr: u64, size: u64, state: &str| {
        format!(
            r#"{{"address": {addr}, "size": {size}, "requested_size": {size}, "state": "{state}", "frames": []}}"#
        )
    };
    let blocks = [
        block(base, MIB, "active_allocated"),
        block(base + MIB, MIB, "active_allocated"),
        block(base + 2 * MIB, 6 * MIB, "inactive"),
    ];
    format!(
        r#"{{"segments": [{{"device": 0, "address": {base}, "total_size": {}, "allocated_size": {}, "active_size": {},
            "requested_size": {}, "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": false,
            "frames": [], "blocks": [{}]}}], "device_traces": [[{}]]}}"#,
        8 * MIB,
        2 * MIB,
        2 * MIB,
        2 * MIB,
        blocks.join(", "),
        events.join(", ")
    )
}

fn blob(text: &str) -> web_sys::Blob {
    web_sys::Blob::new_with_str_sequence(&Array::of1(&text.into())).unwrap()
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value).unwrap();
    }
    object.into()
}

fn options(fields: &[(&str, JsValue)]) -> JsValue {
    let mut all = vec![("native_frames", JsValue::TRUE)];
    all.extend_from_slice(fields);
    object(&all)
}

/// The value at a path such as `overview.devices.0.reserved`.
fn at(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, name| match name.parse::<u32>() {
        Ok(index) => Reflect::get_u32(&value, index).unwrap_or(JsValue::UNDEFINED),
        Err(_) => Reflect::get(&value, &name.into()).unwrap_or(JsValue::UNDEFINED),
    })
}

fn number(value: &JsValue, path: &str) -> f64 {
    at(value, path).as_f64().unwrap_or_else(|| panic!("{path} is no number"))
}

fn text(value: &JsValue, path: &str) -> String {
    at(value, path).as_string().unwrap_or_else(|| panic!("{path} is no text"))
}

/// The answer of the document `doc`, or the error.
fn ask(session: &Session, doc: u32, fields: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    session.query(doc, object(fields), None)
}

fn opened(session: &mut Session, content: &str) -> JsValue {
    session.open(blob(content), "run.json", options(&[]), &JsValue::NULL).unwrap()
}

#[wasm_bindgen_test]
fn a_snapshot_gives_its_summary_and_figures() {
    let mut session = Session::new();
    let summary = opened(&mut session, &snapshot());
    assert_eq!((text(&summary, "kind"), number(&summary, "doc")), ("snapshot".to_owned(), 0.0));
    assert_eq!(number(&summary, "devices.0.events"), 6.0);
    assert_eq!(at(&summary, "devices.0.has_time"), JsValue::TRUE);

    let reply = ask(&session, 0, &[("type", "overview".into()), ("growth", true.into())]).unwrap();
    assert_eq!(text(&reply, "type"), "overview");
    let device = at(&reply, "overview.devices.0");
    assert_eq!(number(&device, "reserved"), (8 * MIB) as f64);
    assert_eq!(number(&device, "peak_requested"), (5 * MIB) as f64);
    assert_eq!(number(&device, "peak_event"), 3.0);
    let reason = session.say(at(&device, "summary.0"), "zh").unwrap();
    assert!(reason.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{reason}");

    let stats = ask(&session, 0, &[("type", "stats".into())]).unwrap();
    assert_eq!(number(&stats, "stats.total_allocated"), (2 * MIB) as f64);
}

#[wasm_bindgen_test]
fn curves_come_as_typed_arrays() {
    let mut session = Session::new();
    opened(&mut session, &snapshot());
    let request = |axis: &str| {
        object(&[
            ("type", "curves".into()),
            ("device", 0.into()),
            ("axis", axis.into()),
            ("width", 800.into()),
        ])
    };
    let reply = session.query(0, request("event"), None).unwrap();
    let lines: Array = at(&reply, "lines").unchecked_into();
    let requested = lines.iter().find(|line| text(line, "kind") == "requested").unwrap();
    let points: Float64Array = at(&requested, "points").dyn_into().expect("a Float64Array");
    let (x, y): (Vec<f64>, Vec<f64>) = points.to_vec().chunks(2).map(|p| (p[0], p[1] / MIB as f64)).unzip();
    assert_eq!(x, [0.0, 2.0, 3.0, 4.0, 6.0, 7.0]);
    assert_eq!(y, [0.0, 1.0, 2.0, 5.0, 2.0, 2.0]);
    assert_eq!((number(&reply, "peak_state"), number(&reply, "peak_position")), (4.0, 4.0));

    let reply = session.query(0, request("time"), None).unwrap();
    assert_eq!(
        (number(&reply, "peak_position"), number(&reply, "origin_ms")),
        (30_000.0, 1_700_000_000_000.0)
    );

    let moment = object(&[
        ("type", "moment".into()),
        ("device", 0.into()),
        ("axis", "event".into()),
        ("from", 3.9.into()),
        ("to", 4.1.into()),
    ]);
    let reply = session.query(0, moment, None).unwrap();
    assert_eq!((number(&reply, "event"), text(&reply, "action")), (3.0, "alloc".to_owned()));
    assert_eq!(number(&reply, "requested"), (5 * MIB) as f64);
}

#[wasm_bindgen_test]
fn progress_is_told_and_a_listener_that_throws_does_no_harm() {
    let mut session = Session::new();
    let seen = Function::new_with_args("n", "self.lastRead = n");
    session.open(blob(&snapshot()), "a", options(&[]), &seen).unwrap();
    assert_eq!(number(&js_sys::global(), "lastRead"), snapshot().len() as f64);
    let throws = Function::new_no_args("throw new Error('no')");
    session.open(blob(&snapshot()), "b", options(&[]), &throws).unwrap();
    assert_eq!(
        number(&ask(&session, 1, &[("type", "stats".into())]).unwrap(), "stats.total_free"),
        (6 * MIB) as f64
    );
}

#[wasm_bindgen_test]
fn errors_are_plain_objects() {
    let mut session = Session::new();
    let error = session.open(blob("hello\n"), "a.txt", options(&[]), &JsValue::NULL).unwrap_err();
    assert_eq!(text(&error, "kind"), "unknown_format");
    assert!(text(&error, "hint").contains("snapshots"));
    let error = session.open(blob(""), "a", options(&[]), &JsValue::NULL).unwrap_err();
    assert_eq!(text(&error, "kind"), "truncated");
    // The page takes this for the sign to ask the module with databases.
    let error = session.open(blob("SQLite format 3\0"), "a.db", options(&[]), &JsValue::NULL).unwrap_err();
    assert_eq!(text(&error, "kind"), "database");

    opened(&mut session, &snapshot());
    for (doc, request) in [
        (7, object(&[("type", "stats".into())])),
        (0, object(&[("type", "no_such_thing".into())])),
        (0, JsValue::NULL),
        (
            0,
            object(&[
                ("type", "curves".into()),
                ("device", 9.into()),
                ("axis", "event".into()),
                ("width", 10.into()),
            ]),
        ),
    ] {
        let error = session.query(doc, request, None).unwrap_err();
        assert_eq!(text(&error, "kind"), "request", "{}", text(&error, "message"));
    }
}

#[wasm_bindgen_test]
fn only_what_was_asked_for_is_kept() {
    let mut session = Session::new();
    let summary =
        session.open(blob(&snapshot()), "a", options(&[("last", 2.into())]), &JsValue::NULL).unwrap();
    assert_eq!((number(&summary, "devices.0.events"), number(&summary, "left_out.events")), (2.0, 4.0));
}

#[wasm_bindgen_test]
fn integers_beyond_what_a_number_holds_do_not_lose_the_reply() {
    let mut session = Session::new();
    let hostile =
        snapshot().replace(&format!("\"total_size\": {}", 8 * MIB), "\"total_size\": 18446744073709551615");
    opened(&mut session, &hostile);
    let reply = ask(&session, 0, &[("type", "overview".into()), ("growth", true.into())]).unwrap();
    let reserved = at(&reply, "overview.devices.0.reserved");
    assert!(reserved.is_bigint() || reserved.as_f64().is_some());
}

#[wasm_bindgen_test]
fn counters_of_a_side_car_decide_the_checks() {
    let mut session = Session::new();
    opened(&mut session, &snapshot());
    let counters = format!("{{\"memory_reserved\": {}, \"memory_allocated\": {}}}", 8 * MIB, 2 * MIB);
    session.set_counters(0, counters.as_bytes()).unwrap();
    let reply = ask(&session, 0, &[("type", "overview".into()), ("growth", true.into())]).unwrap();
    let checks: Array = at(&reply, "overview.checks").unchecked_into();
    let status =
        |name: &str| checks.iter().find(|c| text(c, "name") == name).map(|c| text(&c, "status")).unwrap();
    assert_eq!(
        (status("reserved_counter"), status("allocated_counter")),
        ("pass".to_owned(), "pass".to_owned())
    );
    assert_eq!(text(&session.set_counters(0, b"{").unwrap_err(), "kind"), "malformed");
}

#[wasm_bindgen_test]
fn a_side_of_a_comparison_is_text() {
    let mut session = Session::new();
    opened(&mut session, &snapshot());
    let side = |moment: &str, curves: &str| {
        js_sys::JSON::parse(&session.side(0, "0", moment, true, curves).unwrap()).unwrap()
    };
    let (end, peak) = (side("end", ""), side("peak", "event"));
    assert_eq!(number(&end, "figures.0"), (2 * MIB) as f64);
    assert_eq!(number(&peak, "figures.0"), (5 * MIB) as f64);
    assert_eq!((number(&peak, "event"), number(&end, "peak_event")), (3.0, 3.0));
    assert_eq!(number(&peak, "curves.end"), 1.0);
    assert!(at(&end, "curves").is_null());
    for wrong in [session.side(1, "0", "end", true, ""), session.side(0, "0", "noon", true, "")] {
        assert_eq!(text(&wrong.unwrap_err(), "kind"), "request");
    }
}
