import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "../src/core/protocol";
import { group } from "../src/state/group";

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
