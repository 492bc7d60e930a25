import assert from "node:assert/strict";
import { test } from "node:test";
import { hit, layOut, memTypesOf } from "../src/charts/ge-layout";
import { C, IS_REF, NEVER, Outputs, REUSABLE, compareReports, liveCurve } from "../src/core/ge";
import type { GeGraph, GeReport } from "../src/core/ge";

// The module looks at the address and listens to it: stand-ins for what a browser has.
Object.assign(globalThis, { location: { hash: "", pathname: "/" }, addEventListener: () => undefined });
const { parse } = await import("../src/views/ge/place");

const WIDTH = 30;
const texts = ["a", "b", "c", "Add", "MatMul", ""];

function outputs(rows: { memType?: number; offset: number; bytes: number; begin: number; end: number; flags?: number; name?: number; opType?: number; stream?: number }[]): Outputs {
  const cells = new Float64Array(rows.length * WIDTH);
  rows.forEach((row, n) => {
    const set = (column: number, value: number) => (cells[n * WIDTH + column] = value);
    set(C.memType, row.memType ?? 2);
    set(C.offset, row.offset);
    set(C.bytes, row.bytes);
    set(C.begin, row.begin);
    set(C.end, row.end);
    set(C.flags, row.flags ?? REUSABLE);
    set(C.name, row.name ?? 0);
    set(C.opType, row.opType ?? 3);
    set(C.stream, row.stream ?? 0);
    set(C.beginText, -1);
    set(C.endText, -1);
  });
  return new Outputs(cells, texts);
}

test("both ends of a life are live, references add nothing, what may not be shared is held throughout", () => {
  const all = outputs([
    { offset: 0, bytes: 512, begin: 1, end: 3 },
    { offset: 512, bytes: 500, begin: 3, end: 4 },
    { offset: 0, bytes: 512, begin: 3, end: 9, flags: REUSABLE | IS_REF },
    { offset: 2048, bytes: 1, begin: 2, end: NEVER, flags: 0 },
    { offset: 4096, bytes: 1000, begin: 4, end: NEVER },
  ]);
  const curve = liveCurve(all, () => true);
  assert.equal(curve.fixed, 512);
  assert.deepEqual([...curve.moments], [1, 3, 4, 5]);
  assert.deepEqual([...curve.live], [1024, 1536, 2048, 1536]);
  assert.deepEqual([curve.peak, curve.peakMoment], [2048, 4]);
  assert.equal(all.last, 9);
});

test("kinds of memory lie one above the other and each is found where it is drawn", () => {
  const all = outputs([
    { offset: 1024, bytes: 1024, begin: 0, end: 4, opType: 4 },
    { offset: 1024, bytes: 512, begin: 2, end: NEVER },
    { memType: 17, offset: 0, bytes: 512, begin: 1, end: 1 },
  ]);
  assert.deepEqual(memTypesOf(all), [2, 17]);
  const one = layOut(all, 2, "op", "others");
  assert.deepEqual([...one.rows].sort(), [0, 1]);
  assert.deepEqual([...one.box.slice(0, 8)], [0, 5, 1024, 2048, 2, 5, 1024, 1536]);
  assert.equal(hit(one, 3, 1100), 1, "the smaller one lies on top");
  assert.equal(hit(one, 1, 1100), 0);
  assert.equal(hit(one, 5, 1100), null);
  assert.deepEqual(one.classes.map((each) => [each.name, each.bytes]), [["MatMul", 1024], ["Add", 512]]);
  const both = layOut(all, null, "memory", "others");
  const [first, second] = both.spaces;
  assert.ok(first && second && second.from > first.to);
  assert.equal(hit(both, 1, second.from + 1), 2);
  assert.deepEqual(both.classes.map((each) => each.name).sort(), ["17", "2"]);
});

test("what has no colour of its own is among the others", () => {
  const all = outputs(Array.from({ length: 40 }, (_, n) => ({ offset: n * 512, bytes: 512 * (n + 1), begin: n, end: n, stream: n })));
  const layout = layOut(all, 2, "stream", "others");
  assert.equal(layout.classes.length, 12);
  assert.deepEqual([layout.classes[0]?.name, layout.classes.at(-1)?.name], ["39", "others"]);
  assert.equal(layout.classes.reduce((sum, each) => sum + each.bytes, 0), (512 * 40 * 41) / 2);
});

test("logs compare graph by graph: the last compilation counts, the first log is the base", () => {
  const graph = (key: string, memory_size: number, memtype = 2) => ({ key, memory_size, memtype }) as GeGraph;
  const report = (...graphs: GeGraph[]) => ({ processes: [{ graphs }] }) as unknown as GeReport;
  const rows = compareReports([report(graph("g_1", 99), graph("g_1", 10), graph("h", 5)), report(graph("g_1", 10), graph("g_1", 7, 17)), report(graph("g_1", 8))]);
  assert.deepEqual(
    rows.map((row) => [row.graph, row.memtype, row.best, row.logs.map((cell) => cell && cell.afterReuseDiff)]),
    [
      ["g_1", 2, 2, [0, 0, -2]],
      ["g_1", 17, 1, [null, 0, null]],
      ["h", 2, 0, [0, null, null]],
    ],
  );
});

test("the address keeps part, graph and output", () => {
  assert.deepEqual(parse(null), { part: "graphs", graph: null, row: null });
  assert.deepEqual(parse("pools"), { part: "pools", graph: null, row: null });
  assert.deepEqual(parse("graphs:0.3:15"), { part: "graphs", graph: [0, 3], row: 15 });
  assert.deepEqual(parse("nothing:x:-1"), { part: "graphs", graph: null, row: null });
});
