// What a report holds: which sections, and its data as a text that cannot leave its place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inScript } from "../src/core/in-script";
import { cut, withoutDirectories } from "../src/core/report";
import type { CallSiteRow } from "../src/core/protocol";
import type { DeviceReport, GeLogReport, ProfilerReport, Report, SnapshotReport } from "../src/report/data";
import { mergeRanks } from "../src/report/merge";
import { sectionsOf } from "../src/report/sections";

interface Facts {
  events?: number;
  requested?: number;
  fragmentation?: number;
  risk?: "low" | "medium" | "high";
  ooms?: number;
  advice?: number;
  segments?: number;
}

/** A snapshot's report of devices of which only these facts are known. */
function snapshot(devices: readonly Facts[], comparisons = 0): Report {
  const report = {
    kind: "snapshot",
    overview: { devices: devices.map((facts) => ({ events: facts.events ?? 0 })) },
    devices: devices.map((facts) => ({
      peak: { requested: facts.requested ?? 0 },
      fragment: { fragmentation: facts.fragmentation ?? 0, advice: Array.from({ length: facts.advice ?? 0 }, () => ({})) },
      growth: { risk: facts.risk ?? "low" },
      ooms: { ooms: Array.from({ length: facts.ooms ?? 0 }, () => ({ advice: [{}] })) },
      drawing: { segments: Array.from({ length: facts.segments ?? 0 }, () => ({})) } as unknown as DeviceReport["drawing"],
    })),
    comparisons: Array.from({ length: comparisons }, () => ({})),
  };
  return report as unknown as SnapshotReport;
}

test("an empty snapshot has an overview and nothing else", () => {
  assert.deepEqual(sectionsOf(snapshot([])), ["overview"]);
  assert.deepEqual(sectionsOf(snapshot([{}])), ["overview"]);
});

test("each section comes with its reason", () => {
  const usual = { events: 10, requested: 100, segments: 1 };
  const base = ["overview", "memory", "segments", "peak", "attribution"];
  const more = (facts: Facts, comparisons = 0) => sectionsOf(snapshot([{ ...usual, ...facts }], comparisons)).filter((id) => !base.includes(id));
  assert.deepEqual(sectionsOf(snapshot([usual])), base);
  assert.deepEqual(more({ fragmentation: 0.0499 }), []);
  assert.deepEqual(more({ fragmentation: 0.05 }), ["fragmentation"]);
  assert.deepEqual(more({ risk: "medium" }), ["growth"]);
  assert.deepEqual(more({ risk: "high" }), ["growth"]);
  assert.deepEqual(more({ ooms: 1 }), ["oom", "advice"]);
  assert.deepEqual(more({ advice: 1 }), ["advice"]);
  assert.deepEqual(more({}, 1), ["comparison"]);
  assert.deepEqual(sectionsOf(snapshot([usual, {}])), ["overview", "devices", "memory", "segments", "peak", "attribution"]);
  assert.deepEqual(sectionsOf(snapshot([{ requested: 5, segments: 2 }])), ["overview", "segments", "peak", "attribution"], "without a history");
});

test("the order is that of the text", () => {
  const all = sectionsOf(snapshot([{ events: 1, requested: 1, fragmentation: 1, risk: "high", ooms: 1, advice: 1, segments: 1 }, {}], 1));
  assert.deepEqual(all, ["overview", "devices", "memory", "segments", "fragmentation", "peak", "growth", "oom", "attribution", "advice", "comparison"]);
});

test("profiler folders and GE logs have sections of their own", () => {
  const rank = { components: [{}], rows: [{}] };
  const profiler = (ranks: readonly object[], groups: readonly string[]) => ({ kind: "profiler", ops: { ranks, outliers: [] }, drawings: [{ series: groups.map((group) => ({ group })) }] }) as unknown as ProfilerReport;
  assert.deepEqual(sectionsOf(profiler([rank], ["rows"])), ["overview", "curves", "components", "operators"]);
  assert.deepEqual(sectionsOf(profiler([rank, rank], [])), ["overview", "ranks", "components", "operators"]);
  assert.deepEqual(sectionsOf(profiler([{ components: [], rows: [] }], ["component"])), ["overview"]);
  const process = { graphs: [{ overlap_count: 1 }], pools: [{}], device: { allocations: 1 } };
  const ge = (processes: readonly object[], missing: number) => ({ kind: "ge_log", names: [], ge: { processes, missing: Array.from({ length: missing }, () => ({})) } }) as unknown as GeLogReport;
  assert.deepEqual(sectionsOf(ge([process], 1)), ["overview", "graphs", "pools", "device", "overlaps", "missing"]);
  assert.deepEqual(sectionsOf(ge([{ graphs: [], pools: [], device: { allocations: 0 } }], 0)), ["overview"]);
});

test("ranks are put together as the terminal puts them", () => {
  const one = (rank: number, peak: number) => ({ kind: "profiler", ops: { ranks: [{ role: "actor", rank, peak_bytes: peak }], outliers: [] }, drawings: [{ base_ns: String(rank), series: [] }] }) as unknown as ProfilerReport;
  const merged = mergeRanks([one(0, 100), one(1, 101), one(2, 150)]);
  assert.deepEqual(merged.ops.ranks.map((rank) => rank.rank), [0, 1, 2]);
  assert.deepEqual(merged.drawings.map((drawing) => drawing.base_ns), ["0", "1", "2"]);
  assert.deepEqual(merged.ops.outliers.map(({ rank, median_bytes }) => [rank, median_bytes]), [[2, 101]]);
  assert.deepEqual(mergeRanks([one(0, 1), one(1, 9)]).ops.outliers, [], "two say nothing");
});

test("names cannot leave their place in the page", () => {
  const hostile = { name: "</script><script>alert(1)</script><!--\u2028\u2029" };
  const text = inScript(JSON.stringify(hostile));
  assert.ok(!/[<\u2028\u2029]/.test(text));
  assert.deepEqual(JSON.parse(text), hostile);
});

test("a stripped report names no directory", () => {
  const side = (file: string) => ({ file, device: 0, event: 1, time_us: null });
  const report = {
    overview: { file: { name: "runs/annabelle/a.pickle" } },
    settings: [["conf", "backend:/opt/annabelle/lib.so,max_split_size_mb:5"]],
    comparisons: [{ a: side("runs/annabelle/a.pickle"), b: side("C:\\annabelle\\b.pickle"), by_call_site: [{ key: "/home/annabelle/train.py:3 step" }, { key: null }] }],
  };
  const stripped = withoutDirectories(report as unknown as SnapshotReport);
  assert.ok(!JSON.stringify(stripped).includes("annabelle"), JSON.stringify(stripped));
  assert.deepEqual(stripped.settings, [["conf", "backend:lib.so,max_split_size_mb:5"]]);
  assert.deepEqual(stripped.comparisons[0]?.by_call_site.map((row) => row.key), ["train.py:3 step", null]);
  assert.equal(stripped.comparisons[0]?.b.file, "b.pickle");
});

test("a list that is cut still adds up", () => {
  const rows = Array.from({ length: 23 }, (_, i): CallSiteRow => ({ file: `f${i}`, line: 1, function: "g", category: "other", freed_at: false, bytes: 100 - i, count: 2, inferred_bytes: i }));
  const shown = cut(rows);
  assert.equal(shown.length, 21);
  assert.deepEqual(shown[20], { file: "(rest)", line: null, function: null, category: null, freed_at: false, bytes: 80 + 79 + 78, count: 6, inferred_bytes: 20 + 21 + 22 });
  assert.deepEqual(cut(rows.slice(0, 20)), rows.slice(0, 20));
});
