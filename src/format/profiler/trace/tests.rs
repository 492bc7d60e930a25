//! The trap list of traces: every shape of list, number, damage and cut.

use super::*;
use crate::model::{Nanos, StringId};
use std::io::Read;

const OPERATOR: &str = r#"{"ph": "X", "name": "aten::empty", "pid": 7, "tid": "8", "ts": "1736408883688177.930", "dur": 145.57, "cat": "cpu_op", "args": {"Sequence number": -1, "Input Dims": [[1, 2], []], "Call stack": "a.py(1): f;\r\nb.py(2): g"}}"#;

fn read(text: &str) -> TraceTable {
    read_trace(text.as_bytes()).unwrap()
}

/// Gives a text in pieces of `0` bytes.
struct Pieces<'a>(usize, &'a [u8]);
impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.len().min(buffer.len()).min(self.0);
        let (now, later) = self.1.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.1 = later;
        Ok(n)
    }
}

#[test]
fn an_operator_is_exact_and_complete() {
    let table = read(&format!("[{OPERATOR}]"));
    let op = table.operators.get(0).unwrap();
    assert_eq!(table.strings.get(op.name), "aten::empty");
    assert_eq!((op.start, op.end), (Nanos(1_736_408_883_688_177_930), Nanos(1_736_408_883_688_323_500)));
    assert_eq!(table.strings.get(op.stack), "a.py(1): f;\r\nb.py(2): g");
    assert_eq!(table.strings.get(op.thread), "7/8");
    assert_eq!((table.events, table.complete, op.event), (1, true, 0));
    assert_eq!(table.range, Some((op.start, op.end)));
}

#[test]
fn numbers_and_text_give_the_same_times() {
    for ts in [
        "1736408883688177.930",
        "\"1736408883688177.93\"",
        "\"1736408883688177.930\\t\"",
        "1736408883688177.93",
    ] {
        let table = read(
            &format!(r#"[{{"ph":"X","cat":"cpu_op","name":"n","ts":{ts},"dur":"1.5","pid":1,"tid":1}}]"#)
                .replace("\\t", " "),
        );
        assert_eq!(table.operators.get(0).unwrap().start, Nanos(1_736_408_883_688_177_930), "{ts}");
        assert_eq!(table.operators.get(0).unwrap().end, Nanos(1_736_408_883_688_179_430), "{ts}");
    }
}

#[test]
fn a_document_moves_its_times_by_the_base_it_tells_last() {
    let text = r#"{"schemaVersion": 1, "deviceProperties": [{"a": [1, "]}"]}, {}], "traceEvents": [
        {"ph":"X","cat":"cpu_op","name":"n","ts":1419247332972.313,"dur":1,"pid":1,"tid":1},
        {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":2.5,"args":{"Bytes":-512,"Addr":128184607182336,"Device Id":0,"Device Type":1,"Total Allocated":7}}
        ], "traceName": "x", "baseTimeNanoseconds": 1751410836000000000}"#;
    for size in [1, 7, 100, 1 << 20] {
        let table = read_trace(Pieces(size, text.as_bytes())).unwrap();
        assert_eq!(
            table.operators.get(0).unwrap().start,
            Nanos(1_751_410_836_000_000_000 + 1_419_247_332_972_313)
        );
        let memory = table.memory[0];
        assert_eq!(
            (memory.at, memory.bytes, memory.address),
            (Nanos(1_751_410_836_000_002_500), -512, Some(128_184_607_182_336))
        );
        assert_eq!((memory.total_allocated, memory.total_reserved, memory.device_type), (Some(7), None, 1));
        assert!(table.complete && table.warnings.is_empty());
    }
}

#[test]
fn an_event_cut_by_the_window_is_whole_again() {
    // Longer than a chunk, so that chunks end at any place of an event.
    for blanks in (0..OPERATOR.len()).step_by(3) {
        let filler = format!("{OPERATOR},").repeat((1 << 20) / (OPERATOR.len() + 1) + 2);
        let table = read(&format!("[{}{filler}{OPERATOR}]", " ".repeat(blanks)));
        assert!(table.warnings.is_empty(), "{blanks}: {:?}", table.warnings);
        assert_eq!(table.operators.len() as u64, table.events);
    }
}

#[test]
fn a_missing_quote_costs_what_follows_only() {
    let text = format!(r#"[{OPERATOR}, {{"ph": "X, "name": "x"}}, {OPERATOR}]"#);
    assert_eq!(read(&text).operators.get(0).unwrap().event, 0);
}

#[test]
fn a_list_that_breaks_off_keeps_what_came_before() {
    let text = format!("[{OPERATOR}, {OPERATOR}, {OPERATOR}]");
    let whole = [1, 2 + OPERATOR.len() + 1, 2 * (2 + OPERATOR.len()) + 1];
    for cut in 1..text.len() {
        let table = read(&text[..cut]);
        let complete = whole.iter().filter(|&&start| cut >= start + OPERATOR.len()).count();
        assert_eq!(table.operators.len(), complete, "cut at {cut}");
        assert!(!table.complete);
        let warning = table.warnings.get("truncated").unwrap();
        assert!(matches!(warning.position, Some(Position::Byte(at)) if at <= cut as u64));
    }
    assert!(read(&text).complete);
    assert_eq!(read_trace(&b""[..]).unwrap_err().kind, ErrorKind::Truncated);
    assert_eq!(read_trace(&b"12"[..]).unwrap_err().kind, ErrorKind::Unexpected);
}

#[test]
fn a_damaged_event_costs_itself_only() {
    let text = format!(
        r#"[{OPERATOR}, 5, null, "x", [1,2], {{"ph":"X","cat":"cpu_op","name":null,"ts":"1"}}, {{"ph" "X"}}, {{"ph":"X","name":"AscendCL@aclrtFree","ts":"x","dur":1}}, {OPERATOR}]"#
    );
    let table = read(&text);
    assert_eq!((table.operators.len(), table.events), (2, 9));
    assert_eq!(table.operators.get(1).unwrap().event, 8);
    assert_eq!(table.warnings.get("damaged_event").unwrap().count, 6);
    assert_eq!(table.warnings.get("bad_time").unwrap().count, 1);
    assert!(table.complete);
}

#[test]
fn queue_steps_counters_names_and_driver_calls_are_kept() {
    let table = read(
        r#"[{"ph":"X","name":"Enqueue@x","pid":1,"tid":1,"ts":"10.0","dur":2,"cat":"enqueue","args":{"correlation_id":9}},
        {"ph":"s","bp":"e","name":"enqueue_to_dequeue","id":9,"pid":1,"tid":1,"ts":"10.0","cat":"async_task_queue"},
        {"ph":"X","name":"Dequeue@x","pid":1,"tid":2,"ts":"20.0","dur":2,"cat":"dequeue","args":{"correlation_id":"9"}},
        {"ph":"f","bp":"e","name":"enqueue_to_dequeue","id":"9","pid":1,"tid":2,"ts":"20.0","cat":"async_task_queue"},
        {"ph":"X","name":"ProfilerStep#12","pid":1,"tid":1,"ts":"1.0","dur":30,"cat":"user_annotation"},
        {"ph":"X","name":"ProfilerStep#12","pid":0,"tid":7,"ts":"1.0","dur":30,"cat":"gpu_user_annotation"},
        {"ph":"X","name":"AscendCL@aclMallocMemInner","pid":3,"tid":1,"ts":"5.0","dur":3.5},
        {"ph":"X","name":"AscendCL@aclMallocMemInner","pid":3,"tid":1,"ts":"9.0","dur":4.5,"args":"none"},
        {"ph":"C","name":"APP/HBM","pid":5,"tid":0,"ts":"2.0","args":{"KB":2160232.5}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"Dequeue \u00e9"}},
        {"ph":"X","name":"kernel","pid":1,"tid":2,"ts":"zzz","dur":1}]"#,
    );
    assert_eq!(
        (table.enqueue_id.as_slice(), table.dequeue_id.as_slice(), table.flows.len()),
        (&[9][..], &[9][..], 2)
    );
    assert_eq!((table.steps.len(), table.steps[0].number, table.steps[0].end), (1, 12, Nanos(31_000)));
    let call = table.api["AscendCL@aclMallocMemInner"];
    assert_eq!((call.count, call.total, call.longest), (2, Nanos(8000), Nanos(4500)));
    assert_eq!(table.counters[0].bytes, 2_160_232 * 1024 + 512);
    let thread = table.strings.find("1/2").unwrap();
    assert_eq!(table.thread_names[&thread], "Dequeue \u{e9}");
    assert_eq!((table.events, table.warnings.is_empty()), (11, true));
}

#[test]
fn stacks_are_shared_and_an_empty_one_is_none() {
    let op = |stack: &str| {
        format!(r#"{{"ph":"X","cat":"cpu_op","name":"n","ts":1,"dur":1,"args":{{"Call stack":{stack}}}}}"#)
    };
    let table = read(&format!("[{},{},{},{}]", op(r#""a\u0062""#), op(r#""ab""#), op(r#""""#), op("null")));
    let stacks: Vec<StringId> = table.operators.iter().map(|o| o.stack).collect();
    assert_eq!(table.strings.get(stacks[0]), "ab");
    assert_eq!(stacks, [stacks[0], stacks[0], StringId::NONE, StringId::NONE]);
}

#[test]
fn nesting_of_any_depth_is_passed_over() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let table = read(&format!(
        r#"{{"x": {deep}, "traceEvents": [{{"ph":"X","other":{deep},"args":{deep}}}, {OPERATOR}]}}"#
    ));
    assert_eq!((table.operators.len(), table.complete), (1, true));
}

#[test]
fn a_trace_is_told_by_its_first_bytes() {
    assert!(looks_like_trace(format!(" [{OPERATOR}").as_bytes()));
    assert!(looks_like_trace(b"\xef\xbb\xbf{\"schemaVersion\": 1, \"traceEvents\": ["));
    assert!(!looks_like_trace(b"[{\"device\": 0}]"));
    assert!(!looks_like_trace(b"{\"segments\": []}"));
}
