//! What mutation begins with: small inputs of every format.

use std::path::Path;

/// Larger files are cut: mutation wants many rounds more than long inputs.
const LARGEST: usize = 64 << 10;

/// A small snapshot as a pickle of each protocol with few events, and texts of the other formats.
pub fn generated() -> Vec<Vec<u8>> {
    let sample = hbmlens::simulate::sample();
    let mut cut = sample.clone();
    cut.truncate(LARGEST);
    let texts: [&[u8]; 16] = [
        br#"{"segments": [{"device": 0, "address": 4096, "total_size": 8192, "allocated_size": 512, "active_size": 512, "stream": 0,
            "segment_type": "small", "blocks": [{"address": 4096, "size": 8192, "requested_size": 500, "state": "active_allocated"}]}],
            "device_traces": [[{"action": "alloc", "addr": 4096, "size": 500, "stream": 0, "frames": [{"filename": "a.py", "line": 1,
            "name": "f"}]}, {"action": "free_completed", "addr": 4096, "size": 500, "stream": 0}]]}"#,
        br#"[{"ph": "X", "name": "aten::add", "cat": "cpu_op", "ts": "1.000", "dur": 2.5, "pid": 1, "tid": 2, "args": {"Call stack": "a;\r\nb"}}]"#,
        b"Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Device Type\naten::add,1.5,1.000\t,2.000\t,1.0,NPU:0\n",
        br#"{"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "name": "aten::add", "cat": "cpu_op", "ts": 1.0, "dur": 2.5, "pid": 1, "tid": 2, "args": {}},
            {"ph": "X", "name": "f", "cat": "python_function", "ts": 1.0, "dur": 2.5, "pid": 1, "tid": 2},
            {"ph": "i", "name": "[memory]", "ts": 1.5, "pid": 1, "tid": 2, "args": {"Bytes": 512, "Addr": 64, "Device Id": 0, "Device Type": 1}},
            {"ph": "i", "name": "[memory]", "ts": 2.5, "pid": 1, "tid": 2, "args": {"Bytes": -512, "Addr": 64, "Device Id": 0, "Device Type": 1}}],
            "baseTimeNanoseconds": 1751410836000000000}"#,
        br#"[{"ph": "X", "name": "aten::mm", "cat": "cpu_op", "ts": "1.000", "dur": 2.5, "pid": 1, "tid": 2, "args": {"Call stack": "a;\r\nb"}},
            {"ph": "X", "name": "Enqueue", "cat": "enqueue", "ts": "1.100", "dur": 1, "pid": 1, "tid": 2, "args": {"correlation_id": 7}},
            {"ph": "s", "name": "enqueue_to_dequeue", "id": 7, "ts": "1.100", "pid": 1, "tid": 2, "cat": "async_task_queue"},
            {"ph": "X", "name": "Dequeue", "cat": "dequeue", "ts": "1.000", "dur": 3, "pid": 1, "tid": 3, "args": {"correlation_id": 7}}]"#,
        b"Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\nPTA,1.0,2.0,3.0,NPU:0\n",
        b"Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),Allocation Total Allocated(MB),\
          Allocation Total Reserved(MB),Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),\
          Stream Ptr,Device Type\n\"aten::add\",0.5,\"1779785515596661.420\t\",,N/A,,,1,2,3,,,,7,NPU:0\ncann::x,-8,,1.69512E+15,,,,,,,1,2,,,NPU:0\n",
        b"\xef\xbb\xbfDevice_id,Component,Timestamp(us),Total Reserved(KB),Device\r\n0,HCCL,\"1.000\t\",-1,NPU:0\n0,\"SL\nOG\",2.5,12,NPU:0\r",
        b"Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n0,a,m,1,0,4294967295,8\n0,TOTAL,m,1,0,0,8\n",
        b"Device_id,Step,Computing,Communication(Not Overlapped),Free\n0,7,1.5,0,2.25\n",
        b"Component,Total Reserved(MB),Device\nHCCL,12.5,NPU:0\n",
        b"[INFO] GE(1,python):2024-01-01-00:00:00.000.001 [block_mem_assigner.cc:1]1 Assign: [IMAS]Set graph_1 name[a] optype[Add] \
          output[0] offset to [0] streamid[0] memtype[2] size[512] realsize[500] noalignsize[500] life time begin[1] life time end[2] \
          child[0:0:0:0:1] isref[0] batch[]\n",
        b"<!DOCTYPE html>\n<html><script>const local_files = [{\"name\": \"s.pickle\", \"base64\": \"gAR9lC4=\"}]</script></html>\n",
        b"(dp0\nVsegments\np1\n(lp2\nsVdevice_traces\np3\n(lp4\n(lp5\n(dp6\nVaction\np7\nValloc\np8\nsVaddr\np9\nI12\nsasas.",
        b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\x05\0\0\0\x01\0\0\0a\x80\x04]\x94.",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    ];
    let mut seeds = vec![sample, cut, b"\x80\x02}q\0(X\x08\0\0\0segmentsq\x01]q\x02u.".to_vec()];
    seeds.extend(ge_logs());
    seeds.extend(texts.iter().map(|text| text.to_vec()));
    seeds.extend(databases(&seeds));
    seeds
}

/// The small ones of the inputs as databases, with and without indexes.
fn databases(inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    use hbmlens::analysis::ops::{LifeEnd, report::Analysed};
    use hbmlens::export::{sqlite::image, tables::Source};
    use hbmlens::format::{Document, profiler::folder::add_document};
    let mut databases = Vec::new();
    for input in inputs.iter().filter(|input| input.len() < LARGEST) {
        let Ok(document) = hbmlens::format::open(&input[..], &Default::default(), &mut |_| {}) else { continue };
        if let Document::Snapshot(snapshot) = &document {
            let source = Source::of_snapshot(snapshot, &[]);
            databases.extend([true, false].into_iter().filter_map(|indexes| image(&source, indexes).ok()));
            continue;
        }
        let mut run = hbmlens::model::profile::ProfilerRun::default();
        if add_document(&mut run, document).is_none() {
            let runs = [Analysed::new(run, LifeEnd::Release)];
            databases.extend(image(&Source::of_runs(&runs), false).ok());
        }
    }
    databases
}

/// Small GE logs of each version, with every kind of line, and the row form of one.
fn ge_logs() -> Vec<Vec<u8>> {
    use hbmlens::simulate::ge_log::{GeScript, Version, ge_log};
    let mut logs = Vec::new();
    for version in [Version::Now, Version::Of2021, Version::Early] {
        let script = GeScript { version, processes: 1, graphs: 1, nodes: 12, kernels: 16, files: 1, noise: 0, ..GeScript::default() };
        logs.extend(ge_log(&script).files.into_iter().map(String::into_bytes));
    }
    let rows = logs.first().map(|log| {
        let mut out = Vec::new();
        let log = hbmlens::format::ge_log::read(&log[..], &mut |_| {});
        let _ = log.map(|log| hbmlens::export::ge::write_graphs(&log, &mut out));
        out
    });
    logs.extend(rows);
    logs
}

/// A file, or all files under a folder.
pub fn add(path: &Path, corpus: &mut Vec<Vec<u8>>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| add(path, corpus));
    } else if let Ok(mut bytes) = std::fs::read(path) {
        bytes.truncate(LARGEST);
        corpus.push(bytes);
    }
}
