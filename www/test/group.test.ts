import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "../src/core/protocol";
import { group, identified } from "../src/state/group";

const source = (path: string): Source => ({ name: path.split("/").pop() ?? path, path, blob: new Blob([]) });
const shape = (paths: string[]) => group(paths.map(source)).map((each) => [each.path, each.sources.map((s) => s.name), each.counters?.name ?? null]);

test("a side-car goes with its snapshot, whichever comes first", () => {
  assert.deepEqual(shape(["a.pickle.counters.json", "a.pickle", "b.pickle"]), [
    ["a.pickle", ["a.pickle"], "a.pickle.counters.json"],
    ["b.pickle", ["b.pickle"], null],
  ]);
  assert.deepEqual(shape(["alone.pickle.counters.json"]), [["alone.pickle.counters.json", ["alone.pickle.counters.json"], null]]);
});

test("the files of one profiler folder are one entry, its other files are left aside", () => {
  const output = "run/actor/host_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/";
  assert.deepEqual(shape([output + "trace_view.json", output + "kernel_details.csv", output + "operator_memory.csv", "run/snapshot.pickle", "run/critic/host_2_ascend_pt/memory_record.csv"]), [
    ["run/actor/host_1_2026_ascend_pt", ["operator_memory.csv", "trace_view.json"], null],
    ["run/snapshot.pickle", ["snapshot.pickle"], null],
    ["run/critic/host_2_ascend_pt", ["memory_record.csv"], null],
  ]);
});

test("a folder without a file that can be read makes no entry", () => {
  assert.deepEqual(shape(["x_ascend_pt/logs/run.log"]), []);
});

test("single files of a profiler are one run; a second of a kind begins another", () => {
  assert.deepEqual(shape(["trace_view.json.gz", "operator_memory.csv", "memory_record_20250101.csv", "operator_memory_2.csv", "notes.csv"]), [
    ["trace_view.json.gz", ["operator_memory.csv", "memory_record_20250101.csv", "trace_view.json.gz"], null],
    ["operator_memory_2.csv", ["operator_memory_2.csv"], null],
    ["notes.csv", ["notes.csv"], null],
  ]);
});

test("a database of a profiler is a run of its own, or says what the tables beside it say", () => {
  const output = "host_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/";
  assert.deepEqual(shape(["ascend_pytorch_profiler_3.db", "snapshot.db"]), [
    ["ascend_pytorch_profiler_3.db", ["ascend_pytorch_profiler_3.db"], null],
    ["snapshot.db", ["snapshot.db"], null],
  ]);
  assert.deepEqual(shape([output + "ascend_pytorch_profiler_3.db", output + "operator_memory.csv", output + "analysis.db"]), [["host_1_2026_ascend_pt", ["operator_memory.csv"], null]]);
  assert.deepEqual(shape([output + "ascend_pytorch_profiler_3.db", output + "trace_view.json"]), [["host_1_2026_ascend_pt", ["trace_view.json", "ascend_pytorch_profiler_3.db"], null]]);
});

test("runs are known by role, rank and time, as the terminal knows them", async () => {
  const text = (path: string, content: string): Source => ({ name: path.split("/").pop() ?? path, path, blob: new Blob([content]) });
  const groups = await identified(
    group([
      text("job/actor/n_2_20260526085155001_ascend_pt/profiler_info_1.json", '{"rank_id": 9}'),
      text("job/actor/n_2_20260526085155001_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv", ""),
      text("job/actor/z_1_20260526085155000_ascend_pt/profiler_info_0.json", "{broken"),
      text("job/actor/z_1_20260526085155000_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json.gz", ""),
      text("job/actor/a_1_20260526_085156_ascend_pt/profiler_info_0.json", "{}"),
      text("job/actor/a_1_20260526_085156_ascend_pt/ASCEND_PROFILER_OUTPUT/memory_record.csv", ""),
      text("job/critic/c_20260526085155000_ascend_pt/profiler_info.json", '{"rank_id": -1}'),
      text("job/critic/c_20260526085155000_ascend_pt/profiler_metadata.json", '{"role": "aaa"}'),
      text("job/critic/c_20260526085155000_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv", ""),
      text("x/ASCEND_PROFILER_OUTPUT/memory_record.csv", ""),
      text("x/profiler_info.json", '{"rank_id": "4"}'),
      text("y/ascend_pytorch_profiler_12.db", ""),
    ]),
  );
  assert.deepEqual(
    groups.map(({ profile }) => [profile?.role, profile?.rank, profile?.timestamp]),
    [
      ["", 4, ""],
      ["", 12, ""],
      ["aaa", null, "20260526085155000"],
      ["actor", 0, "20260526085155000"],
      ["actor", 0, "20260526085156000"],
      ["actor", 1, "20260526085155001"],
    ],
  );
});

test("log files given together are one log, those of several folders are several", () => {
  const joined = (paths: string[]) => group(paths.map(source)).map((each) => [each.path, each.sources.length, each.joined]);
  assert.deepEqual(joined(["plog-1_2.log"]), [["plog-1_2.log", 1, false]]);
  assert.deepEqual(joined(["plog-1_1.log", "a.pickle", "plog-1_2.log.gz", "plog-2_1.log"]), [
    ["plog-1_1.log +2", 3, true],
    ["a.pickle", 1, false],
  ]);
  assert.deepEqual(joined(["a/debug/plog/plog-1.log", "a/run/plog/plog-1.log", "b/plog-2.log", "b/plog-3.log"]), [
    ["a", 2, true],
    ["b", 2, true],
  ]);
  // A report that is read back is a log of its own.
  assert.deepEqual(joined(["plog-1.log", "imas_mem_graph.csv"]), [
    ["plog-1.log", 1, false],
    ["imas_mem_graph.csv", 1, false],
  ]);
});
