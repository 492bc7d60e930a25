//! Real files through the one entrance, with figures counted by a few lines of Python.

use crate::shared::shared;
use hbmlens::format::{Document, ReadOptions, open};
use hbmlens::model::Nanos;
use std::io::Read;
use std::path::PathBuf;

const RANK_0: &str = "data/profiler/node0_1203_20250109073723745_ascend_pt/ASCEND_PROFILER_OUTPUT";

fn read(path: PathBuf) -> Document {
    open(std::fs::File::open(path).unwrap(), &ReadOptions::default(), &mut |_| ()).unwrap()
}

macro_rules! document {
    ($path:expr, $kind:ident) => {
        match read($path) {
            Document::$kind(table) => table,
            other => panic!("read as {other:.60?}"),
        }
    };
}

#[test]
fn a_real_trace_keeps_what_is_needed() {
    let Some(path) = shared(&format!("{RANK_0}/trace_view.json")) else { return };
    let trace = document!(path, Trace);
    assert_eq!((trace.events, trace.operators.len(), trace.python.len()), (10112, 860, 1282));
    assert_eq!((trace.enqueue.len(), trace.dequeue.len(), trace.flows.len()), (159, 159, 318));
    assert_eq!(trace.operators.iter().filter(|o| !o.stack.is_none()).count(), 316);
    assert_eq!((trace.steps.len(), trace.steps[0].number, trace.counters.len()), (1, 50, 28));
    assert_eq!(trace.operators.get(0).unwrap().start, Nanos(1_736_408_883_688_177_930));
    assert!(trace.complete && trace.warnings.is_empty(), "{:?}", trace.warnings);
}

#[test]
fn a_gpu_trace_is_unpacked_and_moved_by_its_base() {
    let Some(path) = shared("data/other/kineto_gpu_memory_events.json.gz") else { return };
    let trace = document!(path, Trace);
    assert_eq!(
        (trace.events, trace.memory.len(), trace.operators.len(), trace.python.len()),
        (2551, 236, 479, 1385)
    );
    let first = trace.memory[0];
    assert_eq!(first.at, Nanos(1_751_410_836_000_000_000 + 1_419_247_333_400_919));
    assert_eq!(
        (first.bytes, first.address, first.total_allocated),
        (144_384, Some(128_184_607_182_336), Some(91_505_152))
    );
}

#[test]
fn real_tables_of_every_generation() {
    let (Some(folder), Some(other)) = (shared(RANK_0), shared("data/other")) else { return };
    let rows = document!(folder.join("operator_memory.csv"), OperatorMemory);
    let first = rows.get(0).unwrap();
    assert_eq!((rows.len(), rows.name(0), first.size), (184, "aten::empty_strided", 18816 * 1024 + 512));
    assert_eq!((first.alloc, first.release), (Some(Nanos(1_736_408_883_694_624_810)), None));
    let old = document!(other.join("operator_memory_10_columns.csv"), OperatorMemory);
    assert_eq!(old.get(0).unwrap().alloc, Some(Nanos(1_695_115_378_723_902_500)));
    assert_eq!(old.get(0).unwrap().duration, Some(Nanos(36_730)));
    assert!(old.warnings.is_empty(), "{:?}", old.warnings);
    let records = document!(folder.join("memory_record.csv"), MemoryRecords);
    assert_eq!(records.rows[0].reserved, Some((21096015625 * 1048576_i64) / 10_000_000));
    let excel = document!(other.join("memory_record_after_excel.csv"), MemoryRecords);
    assert!(excel.warnings.get("precision_lost").unwrap().count > 0);
    let modules = document!(other.join("npu_module_mem_mixed_line_ends.csv"), ModuleMemory);
    assert_eq!(modules.strings.get(modules.rows[0].module), "SLOG");
    assert_eq!(modules.rows[0].at, Some(Nanos(1_724_670_453_385_978_290)));
    let ops = document!(other.join("static_op_mem.csv"), StaticOps);
    let last = ops.rows.last().unwrap();
    assert_eq!((last.bytes, last.is_total, last.node_end), (19910 * 1024 + 512, true, None));
    let steps = document!(folder.join("step_trace_time.csv"), StepTrace);
    assert_eq!((steps.columns[0].as_str(), steps.rows[0][0].as_str()), ("step", "50"));
}

#[test]
fn a_trace_reads_the_same_in_small_pieces_and_gzipped() {
    let Some(path) = shared(&format!("{RANK_0}/trace_view.json")) else { return };
    struct Small<R>(R);
    impl<R: Read> Read for Small<R> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = buffer.len().min(100);
            self.0.read(&mut buffer[..n])
        }
    }
    let spans = |document: Document| match document {
        Document::Trace(trace) => trace.operators.iter().map(|o| format!("{o:?}")).collect::<Vec<_>>(),
        other => panic!("read as {other:.60?}"),
    };
    let whole = spans(read(path.clone()));
    let file = std::fs::File::open(&path).unwrap();
    assert_eq!(spans(open(Small(file), &ReadOptions::default(), &mut |_| ()).unwrap()), whole);
    let mut packed =
        flate2::read::GzEncoder::new(std::fs::File::open(&path).unwrap(), flate2::Compression::fast());
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes).unwrap();
    assert_eq!(spans(open(&bytes[..], &ReadOptions::default(), &mut |_| ()).unwrap()), whole);
    // A gzip stream that breaks off gives what came before.
    match open(&bytes[..bytes.len() / 2], &ReadOptions::default(), &mut |_| ()).unwrap() {
        Document::Trace(trace) => assert!(!trace.complete && !trace.operators.is_empty()),
        other => panic!("read as {other:.60?}"),
    }
}
