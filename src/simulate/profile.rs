//! A small run under torch_npu's profiler, as the folders it leaves: the bundled sample of profiler folders.
//!
//! Three ranks train a few steps: parameters stay, activations live until their layer's backward, one buffer
//! is forgotten every step, some work is allocated by the queue's thread, and the last rank keeps a workspace that
//! the others do not have. Every total is counted from the rows, so that the files agree with one another.

use super::sample::sample_run;
use serde_json::{Value, json};
use std::fmt::Write;

const MIB: i64 = 1 << 20;
const LAYERS: i64 = 4;
const STEPS: i64 = 8;
pub const RANKS: u32 = 3;
const SEGMENT: i64 = 20 * MIB;
const WORKSPACE: i64 = 64 * MIB;
const MODULES: [(&str, i64); 3] = [("HCCL", 816 * MIB), ("RUNTIME", 48 * MIB), ("SLOG", 0)];

struct Row {
    name: &'static str,
    size: i64,
    start: i64,
    end: Option<i64>,
}

struct Rank {
    rank: u32,
    trace: Vec<Value>,
    rows: Vec<Row>,
    flow: u64,
}

/// The files of all ranks: path and content.
pub fn profile_folders() -> Vec<(String, Vec<u8>)> {
    (0..RANKS).flat_map(|rank| Rank::run(rank).files()).collect()
}

fn micros(nanos: i64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

fn stack(site: &str, layer: i64) -> String {
    let frames = [
        format!("/workspace/model/block.py({}): {site}", 40 + layer),
        format!(
            "/workspace/torch/nn/modules/module.py(1750): _call_impl;\r\n/workspace/model/model.py({}): forward",
            90 + layer
        ),
        "/workspace/train.py(88): train_step".to_owned(),
        "/workspace/train.py(131): main".to_owned(),
    ];
    frames.join(";\r\n")
}

impl Rank {
    /// On the clock of the bundled snapshot, so that the two share a time axis.
    fn run(rank: u32) -> Rank {
        let (training, config) = sample_run();
        let begin = config.start_us as i64 * 1000;
        let last = training.run(config).record.events.last().map_or(0, |event| event.time_us as i64 * 1000);
        let step = (last - begin).max(STEPS * 2_000_000) / STEPS;
        let mut out = Rank { rank, trace: Vec::new(), rows: Vec::new(), flow: 0 };
        for (tid, name) in [(1, "Thread 1"), (2, "Dequeue")] {
            out.trace.push(json!({"ph": "M", "name": "thread_name", "pid": 4000 + rank, "tid": tid, "args": {"name": name}}));
        }
        for number in 0..STEPS {
            // Each rank its own pace.
            let start = begin + number * step + i64::from(rank) * 7_000;
            out.step(number, start, step - 20_000);
        }
        out.rows.sort_by_key(|row| row.start);
        out
    }

    fn step(&mut self, number: i64, start: i64, length: i64) {
        let slot = length / (2 * LAYERS + 3);
        let mut live: Vec<Vec<usize>> = Vec::new();
        if number == 0 {
            self.operator("aten::empty_strided", "init", 0, start, slot, 96 * MIB);
            if self.rank + 1 == RANKS {
                self.operator("aten::zeros", "workspace", 0, start + slot / 2, slot / 3, 160 * MIB);
            }
        }
        for layer in 0..LAYERS {
            let at = start + (layer + 1) * slot;
            let part = slot / 5;
            let linear = self.operator("aten::addmm", "linear", layer, at, part, 18 * MIB);
            let norm = self.operator("aten::native_layer_norm", "norm", layer, at + part, part, 9 * MIB);
            let attention =
                self.operator("npu::npu_fusion_attention", "attention", layer, at + 2 * part, part, 24 * MIB);
            let queued = self.queued("aten::gelu", layer, at + 3 * part, part, 12 * MIB + layer * 512);
            live.push(vec![linear, norm, attention, queued]);
        }
        for layer in (0..LAYERS).rev() {
            let at = start + (2 * LAYERS - layer) * slot;
            let gradient = self.operator("aten::mm", "backward", layer, at, slot / 2, 15 * MIB);
            for row in live.pop().unwrap_or_default() {
                self.rows[row].end = Some(at + slot / 2 + 1_000 * row as i64 % 900);
            }
            self.rows[gradient].end = Some(start + (2 * LAYERS + 1) * slot + slot / 2);
        }
        let at = start + (2 * LAYERS + 1) * slot;
        if number == 0 {
            self.operator("aten::_foreach_add_", "optimizer", 0, at, slot / 3, 64 * MIB);
        }
        self.operator("aten::cat", "log_metrics", 0, at + slot / 2, slot / 4, 1536 * 1024);
        let driver = json!({"ph": "X", "name": "AscendCL@aclMallocMemInner", "pid": 4100, "tid": 1,
            "ts": micros(at + slot), "dur": 1900.0 + number as f64, "args": {"Thread Id": 1, "Mode": "ACL_RTS"}});
        self.trace.push(driver);
        let name = format!("ProfilerStep#{number}");
        self.slice(&name, "user_annotation", 1, start, length, json!({}));
    }

    fn slice(&mut self, name: &str, cat: &str, tid: u32, start: i64, length: i64, args: Value) {
        self.trace
            .push(json!({"ph": "X", "name": name, "pid": 4000 + self.rank, "tid": tid, "ts": micros(start),
            "dur": length as f64 / 1000.0, "cat": cat, "args": args}));
    }

    /// An operator that allocates; its row.
    fn operator(
        &mut self,
        name: &'static str,
        site: &str,
        layer: i64,
        start: i64,
        length: i64,
        size: i64,
    ) -> usize {
        self.slice(name, "cpu_op", 1, start, length, json!({"Call stack": stack(site, layer)}));
        self.rows.push(Row { name, size, start: start + length / 3, end: None });
        self.rows.len() - 1
    }

    /// An operator that puts its work on the queue, where the other thread allocates after it has ended.
    fn queued(&mut self, name: &'static str, layer: i64, start: i64, length: i64, size: i64) -> usize {
        self.flow += 1;
        let (id, put, taken) = (self.flow, start + length / 4, start + length);
        self.slice(name, "cpu_op", 1, start, length / 2, json!({"Call stack": stack("activation", layer)}));
        self.slice(&format!("Enqueue@{name}"), "enqueue", 1, put, length / 8, json!({"correlation_id": id}));
        self.slice(
            &format!("Dequeue@{name}"),
            "dequeue",
            2,
            taken,
            length / 2,
            json!({"correlation_id": id}),
        );
        for (ph, tid, at) in [("s", 1, put), ("f", 2, taken)] {
            self.trace.push(json!({"ph": ph, "bp": "e", "name": "enqueue_to_dequeue", "id": id,
                "pid": 4000 + self.rank, "tid": tid, "ts": micros(at), "cat": "async_task_queue"}));
        }
        self.rows.push(Row { name, size, start: taken + length / 4, end: None });
        self.rows.len() - 1
    }

    /// `(time, allocated, reserved)` after every event.
    fn totals(&self) -> Vec<(i64, i64, i64)> {
        let mut events: Vec<(i64, i64)> = Vec::new();
        for row in &self.rows {
            events.push((row.start, row.size));
            events.extend(row.end.map(|end| (end, -row.size)));
        }
        events.sort_unstable();
        let (mut allocated, mut reserved) = (0, 0);
        let running = events.into_iter().map(|(at, by)| {
            allocated += by;
            reserved = reserved.max((allocated + SEGMENT - 1) / SEGMENT * SEGMENT);
            (at, allocated, reserved)
        });
        running.collect()
    }

    fn files(self) -> Vec<(String, Vec<u8>)> {
        let (rank, totals) = (self.rank, self.totals());
        let mb = |bytes: i64| bytes as f64 / MIB as f64;
        let after = |at: i64| totals.iter().rev().find(|&&(t, ..)| t <= at).copied().unwrap_or_default();
        let mut rows = "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),\
            Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),Release Total Allocated(MB),\
            Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\n"
            .to_owned();
        for row in &self.rows {
            let time = |at: Option<i64>| at.map_or_else(String::new, |at| format!("{}\t", micros(at)));
            let (end, lasted) = (time(row.end), time(row.end.map(|end| end - row.start)));
            let three = |at: Option<i64>| match at.map(after) {
                Some((_, allocated, reserved)) => {
                    format!("{},{},{}", mb(allocated), mb(reserved), mb(allocated))
                }
                None => ",,".to_owned(),
            };
            let _ = writeln!(
                rows,
                "{},{},{},{end},{end},{lasted},{lasted},{},{},897357296,NPU:{rank}",
                row.name,
                row.size as f64 / 1024.0,
                time(Some(row.start)),
                three(Some(row.start)),
                three(row.end),
            );
        }
        let mut records = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\n".to_owned();
        let others: i64 = WORKSPACE + MODULES.iter().map(|module| module.1).sum::<i64>();
        for &(at, _, reserved) in totals.iter().step_by(4) {
            let _ = writeln!(records, "APP,{}\t,,{},,,NPU:{rank}", micros(at), mb(reserved + others));
        }
        if let Some((at, ..)) = totals.first() {
            let _ = writeln!(
                records,
                "WORKSPACE,{}\t,{},{},,897357296,NPU:{rank}",
                micros(*at),
                mb(WORKSPACE),
                mb(WORKSPACE)
            );
        }
        for component in ["PTA", "PTA+GE"] {
            for &(at, allocated, reserved) in &totals {
                let (allocated, reserved) = (mb(allocated), mb(reserved));
                let _ = writeln!(
                    records,
                    "{component},{}\t,{allocated},{reserved},{allocated},897357296,NPU:{rank}",
                    micros(at)
                );
            }
        }
        let mut modules = "Component,Timestamp(us),Total Reserved(MB),Device\n".to_owned();
        for (name, size) in MODULES {
            for &(at, ..) in totals.iter().step_by(16) {
                let _ = writeln!(modules, "{name},{}\t,{},NPU:{rank}", micros(at), mb(size));
            }
        }
        let folder = format!("actor/node0_{}_20260526085155{rank:03}_ascend_pt", 4000 + rank);
        let info = json!({"config": {"common_config": {"with_stack": true, "profile_memory": true}}, "rank_id": rank.to_string(), "torch_npu_version": "2.7.1"});
        let output = |name: &str| format!("{folder}/ASCEND_PROFILER_OUTPUT/{name}");
        vec![
            (format!("{folder}/profiler_info_{rank}.json"), info.to_string().into_bytes()),
            (format!("{folder}/profiler_metadata.json"), json!({"role": "actor"}).to_string().into_bytes()),
            (output("operator_memory.csv"), rows.into_bytes()),
            (output("memory_record.csv"), records.into_bytes()),
            (output("npu_module_mem.csv"), modules.into_bytes()),
            (output("trace_view.json"), Value::Array(self.trace).to_string().into_bytes()),
        ]
    }
}
