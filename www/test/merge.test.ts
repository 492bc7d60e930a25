// Two sides put together, ranks and series on the page: the same rules and figures as the terminal's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRanks, growthRow } from "../src/compare/job";
import type { RankSide } from "../src/compare/job";
import { compareSides, segmentChanges } from "../src/compare/merge";
import { readNames } from "../src/compare/names";
import type { Side } from "../src/compare/side";

const NONE = 2 ** 64;

/** A side of stacks of one frame: [file, line, bytes, category]. */
function side(rows: readonly (readonly [string, number, number, number])[], more: Partial<Side> = {}): Side {
  const files = [...new Set(rows.map(([file]) => file))];
  const bytes = rows.reduce((sum, row) => sum + row[2], 0);
  return {
    file: "a.pickle",
    device: 0,
    event: 1,
    time_us: null,
    figures: [bytes, rows.length, bytes, bytes, 0, 1000, 1000 - bytes, 0, 1, 1000 - bytes],
    end: [bytes, rows.length, bytes, bytes, 0, 1000, 1000 - bytes, 0, 1, 1000 - bytes],
    peak: bytes,
    peak_event: 1,
    peak_time_us: null,
    end_time_us: null,
    peak_categories: Array.from({ length: 24 }, (_, i) => rows.filter((row) => row[3] === i >> 1).reduce((sum, row) => sum + (i % 2 === 0 ? row[2] : 1), 0)),
    content: {
      texts: [...files, "f"],
      frames: rows.flatMap(([file, line]) => [files.indexOf(file), line, files.length]),
      stacks: rows.map((_, i) => i),
      ends: rows.map((_, i) => i + 1),
      said: rows.flatMap((_, i) => [i, NONE]),
      rows: rows.flatMap(([, , size, category], i) => [i, 0, category, size, 1, 0]),
    },
    segments: [16, 1000, 0, 0],
    curves: { axis: "event", end: 1, at: 1, values: Array.from({ length: 3600 }, (_, i) => (i === 7 ? 900 : bytes)) },
    ...more,
  };
}

const a = side([["/x/job/train.py", 7, 100, 8], ["/x/job/model.py", 3, 50, 8]]);
const b = side([["/y/job/train.py", 9, 160, 8], ["/y/job/cache.py", 41, 30, 10]]);

test("nothing differs from itself, and B against A is A against B turned round", () => {
  const same = compareSides(a, a, false);
  assert.ok(Object.values(same.totals).every((pair) => pair.diff === 0));
  assert.deepEqual([same.stacks.common, same.stacks.only_a, same.stacks.only_b, same.segments.same], [2, 0, 0, 1]);
  assert.equal(same.summary[1]?.key, "compare.steady");
  const [there, back] = [compareSides(a, b, false), compareSides(b, a, false)];
  for (const [name, pair] of Object.entries(there.totals)) assert.equal(pair.diff + (back.totals[name]?.diff ?? NaN), 0, name);
  assert.deepEqual(there.by_category.map((row) => [row.key, row.diff_bytes]), back.by_category.map((row) => [row.key, -row.diff_bytes]));
  assert.equal(there.by_category.reduce((sum, row) => sum + row.diff_bytes, 0), there.totals["requested"]?.diff);
  assert.deepEqual([there.stacks.only_a, there.stacks.only_b, there.merged_stacks], [2, 2, null]);
});

test("two checkouts are one when lines and paths count for nothing", () => {
  const found = compareSides(a, b, true);
  assert.deepEqual([found.stacks.common, found.stacks.grown_bytes, found.stacks.only_a, found.stacks.only_b, found.merged_stacks], [1, 60, 1, 1, 1]);
});

test("the overlaid curves keep every peak", () => {
  const curve = compareSides(a, side([], { curves: { ...(a.curves as NonNullable<Side["curves"]>), end: 3 } }), false).curves?.curves[0];
  assert.equal(Math.max(...(curve?.a_max ?? []).map((value) => value ?? 0)), 900);
  // The shorter trace ends at a third.
  assert.equal(curve?.a_max.filter((value) => value !== null).length, 200);
});

test("every segment is in one class and the bytes add up", () => {
  const left = [[16, 100, 0, 0], [32, 200, 0, 0], [64, 300, 0, 1], [128, 50, 0, 1], [256, 70, 1, 0]].flat();
  const right = [[16, 100, 0, 0], [32, 260, 0, 0], [64, 250, 0, 1], [512, 50, 0, 1], [1024, 70, 0, 0]].flat();
  const found = segmentChanges(left, right);
  assert.deepEqual((["new", "gone", "grown", "shrunk", "moved"] as const).map((kind) => [found[kind].count, found[kind].diff_bytes]), [[1, 70], [1, -70], [1, 60], [1, -50], [1, 0]]);
  assert.equal(found.moved.rows[0]?.b_address, 512);
});

test("the odd rank is named with its cause", () => {
  const rank = (n: number, leaked: number): RankSide => ({ role: "", rank: n, order: null, end: null, peak: side([["/job/model.py", 3, 1000 + (n % 3), 8], ...(leaked > 0 ? [["/job/cache.py", 41, leaked, 10] as const] : [])]) });
  const found = compareRanks([0, 1, 2, 3, 4, 5, 6, 7].map((n) => rank(n, n === 5 ? 400 : 0)), false);
  const [odd] = found.outliers.filter((each) => each.figure === "peak");
  assert.deepEqual([odd?.rank, odd?.because.map((cause) => [cause.kind, cause.key, cause.diff_bytes])], [5, [["category", "other", 400], ["call_site", "/job/cache.py:41 f", 400]]]);
  assert.equal(found.ranks.filter((row) => row.is_median).length, 1);
  assert.deepEqual(compareRanks([0, 1, 2].map((n) => rank(n, 0)), false).outliers, []);
});

test("a leak is straight, a cache or a jump is not", () => {
  const straight = (bytes: number[], at = bytes.map((_, i) => i)) => growthRow(null, null, null, bytes, at).straight;
  assert.ok(straight([100, 110, 120, 130, 140, 150]));
  assert.ok(straight([100, 200, 400], [10, 20, 40]));
  assert.ok(!straight([100, 150, 180, 180, 180, 180]));
  assert.ok(!straight([100, 100, 100, 200, 200, 200]));
  assert.ok(!straight([100, 110]));
});

test("names tell ranks, steps and times, as in the terminal", () => {
  const read = (...paths: string[]) => readNames(paths).map(({ role, rank, order, series }) => [role, rank, order, series]);
  assert.deepEqual(read("mem_rank3.pickle", "mem_rank-10.pickle"), [["", 3, null, false], ["", 10, null, false]]);
  assert.deepEqual(read("job/actor/rank_0/a.pickle", "job\\critic\\rank_0\\a.pickle").map((each) => each.slice(0, 2)), [["actor", 0], ["critic", 0]]);
  assert.deepEqual(read("snap_0.pickle", "snap_1.pickle").map((each) => each[1]), [0, 1]);
  assert.deepEqual(read("mem_100.pkl", "mem_200.pkl"), [["", null, 100, true], ["", null, 200, true]]);
  assert.deepEqual(read("rank0_step1.pkl", "rank0_step2.pkl", "rank1_step1.pkl").map((each) => each[3]), [true, true, false]);
  assert.deepEqual(read("x/rank0.pkl", "y/rank0.pkl").map((each) => each[0]), ["x", "y"]);
  assert.deepEqual(read("a.pkl", "b.pkl"), [["", null, null, false], ["", null, null, false]]);
});
