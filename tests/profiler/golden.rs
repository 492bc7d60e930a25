//! One reviewed dump for every real file and every real rank. However a file is wrapped or cut into reads, what is
//! read is the same.

use crate::folders::analyse;
use crate::shared::shared;
use hbmlens::format::{Document, ReadOptions, open};
use std::fmt::{Debug, Write as _};
use std::io::{Read, Write as _};

/// Gives at most a hundred bytes a read.
struct Dripping<'a>(&'a [u8]);

impl Read for Dripping<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let most = out.len().min(100);
        self.0.read(&mut out[..most])
    }
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(source: impl Read) -> Document {
    open(source, &ReadOptions::default(), &mut |_| ()).unwrap()
}

/// FNV-1a over the text of every row: a changed row that is not shown shows here.
fn sum(rows: impl Iterator<Item = String>) -> u64 {
    rows.flat_map(|row| row.into_bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The first and last rows, and the sum over all.
fn table<T: Debug>(out: &mut String, name: &str, rows: &[T]) {
    let _ = writeln!(
        out,
        "{name}: {} rows, sum {:016x}",
        rows.len(),
        sum(rows.iter().map(|row| format!("{row:?}")))
    );
    let edge = 4.min(rows.len());
    for row in rows.iter().take(edge).chain(rows.iter().skip(edge.max(rows.len().saturating_sub(edge)))) {
        let _ = writeln!(out, "  {row:?}");
    }
}

fn dump(document: &Document) -> String {
    let mut out = String::new();
    match document {
        Document::OperatorMemory(t) => {
            let rows: Vec<_> = (0..t.len()).filter_map(|i| Some((t.name(i).to_owned(), t.get(i)?))).collect();
            table(&mut out, "operator_memory", &rows);
            let _ = writeln!(out, "{:?}", t.warnings);
        }
        Document::MemoryRecords(t) => {
            let rows: Vec<_> = t
                .rows
                .iter()
                .map(|row| (t.strings.get(row.component), t.strings.get(row.device), row))
                .collect();
            table(&mut out, "memory_record", &rows);
            let _ = writeln!(out, "{:?}", t.warnings);
        }
        Document::ModuleMemory(t) => {
            let rows: Vec<_> = t
                .rows
                .iter()
                .map(|row| (t.strings.get(row.module), t.strings.get(row.device), row))
                .collect();
            table(&mut out, "npu_module_mem", &rows);
            let _ = writeln!(out, "{:?}", t.warnings);
        }
        Document::StaticOps(t) => table(&mut out, "static_op_mem", &t.rows),
        Document::StepTrace(t) => {
            let _ = writeln!(out, "{:?}", t.columns);
            table(&mut out, "step_trace_time", &t.rows);
        }
        Document::Trace(t) => {
            let spans = |spans: &hbmlens::model::profile::SpanTable| -> Vec<_> {
                spans
                    .iter()
                    .map(|s| (t.strings.get(s.name).to_owned(), t.strings.get(s.thread).to_owned(), s))
                    .collect()
            };
            let _ = writeln!(out, "trace of {} events, {:?}, complete: {}", t.events, t.range, t.complete);
            table(&mut out, "operators", &spans(&t.operators));
            table(&mut out, "python", &spans(&t.python));
            table(&mut out, "enqueue", &spans(&t.enqueue));
            table(&mut out, "dequeue", &spans(&t.dequeue));
            table(&mut out, "flows", &t.flows);
            table(&mut out, "steps", &t.steps);
            table(&mut out, "memory", &t.memory);
            table(&mut out, "counters", &t.counters);
            let mut api: Vec<_> = t.api.iter().collect();
            api.sort_by_key(|(name, _)| name.as_str());
            table(&mut out, "api", &api);
            let _ = writeln!(out, "{:?}", t.warnings);
        }
        other => panic!("read as {other:.60?}"),
    }
    out
}

/// Plainly, packed, in two packed members, and a hundred bytes at a time; no name is ever given.
fn same_everywhere(bytes: &[u8]) -> String {
    let expected = dump(&read(bytes));
    let halves = bytes.split_at(bytes.len() / 2);
    assert_eq!(dump(&read(gzipped(bytes).as_slice())), expected, "gzip");
    assert_eq!(
        dump(&read([gzipped(halves.0), gzipped(halves.1)].concat().as_slice())),
        expected,
        "two members"
    );
    assert_eq!(dump(&read(Dripping(bytes))), expected, "100 bytes at a time");
    expected
}

#[test]
fn every_file_of_a_real_rank() {
    let Some(folder) = shared("data/profiler/node0_1203_20250109073723745_ascend_pt/ASCEND_PROFILER_OUTPUT")
    else {
        return;
    };
    for name in [
        "operator_memory.csv",
        "memory_record.csv",
        "npu_module_mem.csv",
        "step_trace_time.csv",
        "trace_view.json",
    ] {
        insta::assert_snapshot!(name, same_everywhere(&std::fs::read(folder.join(name)).unwrap()));
    }
}

#[test]
fn every_other_real_file() {
    let Some(folder) = shared("data/other") else { return };
    for name in [
        "operator_memory_10_columns.csv",
        "memory_record_after_excel.csv",
        "npu_module_mem_mixed_line_ends.csv",
        "static_op_mem.csv",
        "kineto_gpu_memory_events.json.gz",
    ] {
        insta::assert_snapshot!(name, same_everywhere(&std::fs::read(folder.join(name)).unwrap()));
    }
}

#[test]
fn every_real_rank() {
    let Some(folder) = shared("data/profiler") else { return };
    for rank in analyse(&folder) {
        let report = serde_json::to_string_pretty(&rank.report(6, 0)).unwrap();
        insta::assert_snapshot!(rank.run.key.folder.as_str(), report);
    }
}
