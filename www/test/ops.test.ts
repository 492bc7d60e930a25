import assert from "node:assert/strict";
import { test } from "node:test";
import { FLOATS, IDS, OpsRun, TRACKS, valueAt, windowOf } from "../../src/export/ops_page/run.js";
import { absoluteMicros } from "../src/ops/clock";
import { sizeOf } from "../src/typed";
import { deviations, differences } from "../src/ops/ranks";

/** Numbers that look random and are the same every time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => ((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0), (state >>> 8) % below);
}

interface Row {
  name: number;
  stack: number;
  start: number;
  end: number;
  size: number;
  counts: number;
}

function made(rows: Row[]): OpsRun {
  const sorted = [...rows].sort((a, b) => a.start - b.start);
  const live: number[] = [];
  const moments = [...new Set(sorted.flatMap((row) => [row.start, row.end]))].filter((t) => t !== Infinity).sort((a, b) => a - b);
  for (const at of moments) live.push(at, sorted.reduce((sum, row) => sum + (row.counts && row.start <= at && at < row.end ? row.size : 0), 0));
  const columns = {
    ...Object.fromEntries(FLOATS.map((name) => [name, Float64Array.from(sorted, (row) => (name === "start" || name === "end" || name === "size" ? row[name] : NaN))])),
    ...Object.fromEntries(IDS.map((name) => [name, Uint32Array.from(sorted, (row) => (name === "name" || name === "stack" || name === "counts" ? row[name] : 0))])),
    series: [Float64Array.from(live)],
  } as unknown as OpsColumns;
  const texts = ["", "model.py(1): forward;\r\ntrain.py(2): main", "optim.py(9): step"];
  const head = { names: ["aten::mm", "aten::add", ""], stack_tops: texts.map((text) => text.split(";")[0]), devices: ["NPU:0"], series: [{ group: "rows", what: "live", name: "", device: "" }] } as unknown as OpsHead;
  return new OpsRun(head, columns, { stack: (id) => texts[id] ?? "", stacksWith: (text) => texts.flatMap((each, id) => (each.includes(text) ? [id] : [])) });
}

function many(seed: number, count: number): OpsRun {
  const next = random(seed);
  return made(
    Array.from({ length: count }, () => {
      const start = next(5000);
      return { name: next(3), stack: next(3), start, end: next(10) === 0 ? Infinity : start + next(400), size: 1 + next(1000), counts: next(8) === 0 ? 0 : 1 };
    }),
  );
}

test("no peak of a curve is lost at any zoom, and a window with few points has them all", () => {
  const next = random(7);
  const points: number[] = [];
  for (let i = 0, t = 0; i < 20_000; i++) points.push((t += next(5)), next(1_000_000));
  const all = Float64Array.from(points);
  const end = points[points.length - 2] ?? 0;
  for (let round = 0; round < 60; round++) {
    const from = next(end);
    const to = from + 1 + next(round % 2 === 0 ? end : 500);
    const part = windowOf(all, from, to, 100);
    let [least, most] = [valueAt(all, from) ?? Infinity, valueAt(all, from) ?? -Infinity];
    for (let i = 0; i < points.length; i += 2)
      if ((points[i] ?? 0) >= from && (points[i] ?? 0) <= to) [least, most] = [Math.min(least, points[i + 1] ?? 0), Math.max(most, points[i + 1] ?? 0)];
    const shown = part.filter((_, i) => i % 2 === 1);
    // The point before the window is there too: it is what the curve comes from.
    assert.ok(Math.max(...shown) >= most && shown.includes(most), `${from}..${to}`);
    assert.ok(shown.includes(least), `${from}..${to}`);
    assert.ok(part.length <= 8 * 101);
  }
});

test("who is live at a moment is what a search finds, the largest ten first", () => {
  const run = many(3, 800);
  const { start, end, size, counts } = run.columns;
  for (let at = 0; at < 5200; at += 97) {
    const live = Array.from(start.keys()).filter((i) => counts[i] === 1 && (start[i] ?? 0) <= at && at < (end[i] ?? 0));
    const moment = run.moment(at, 10);
    assert.equal(moment.bytes, live.reduce((sum, i) => sum + (size[i] ?? 0), 0));
    const expected = live.sort((a, b) => (size[b] ?? 0) - (size[a] ?? 0) || a - b).slice(0, 10);
    assert.deepEqual(moment.top.map((line) => line.row), expected);
  }
});

test("rows of a track but the last never overlap, and every row of a window is drawn", () => {
  const run = many(5, 600);
  const { start, end, name } = run.columns;
  for (const lane of run.lanes())
    for (let track = 0; track < TRACKS - 1; track++) {
      const own = lane.rows.filter((row) => run.trackOf[row] === track);
      own.forEach((row, i) => assert.ok(i === 0 || (end[own[i - 1] ?? 0] ?? 0) <= (start[row] ?? 0)));
    }
  const [from, to, width] = [1000, 2000, 200];
  const { lanes, runs, total } = run.laneWindow(from, to, width, 0, 10, "");
  assert.equal(total, lanes.length);
  let drawn = 0;
  for (let i = 0; i < runs.length; i += 8) drawn += runs[i + 4] ?? 0;
  const expected = run.lanes().flatMap((lane) => lane.rows).filter((row) => (start[row] ?? 0) < to && (end[row] ?? 0) > from && (end[row] ?? 0) > (start[row] ?? 0));
  assert.equal(drawn, expected.length);
  // What overlaps a row is found without the lanes too.
  for (const row of expected.slice(0, 40)) {
    const others = Array.from(start.keys()).filter((i) => i !== row && run.columns.counts[i] === 1 && name[i] === name[row] && (start[i] ?? 0) < (end[row] ?? 0) && (end[i] ?? 0) > (start[row] ?? 0));
    assert.equal(run.detail(row, 5).overlap_count, others.length);
  }
});

test("filters keep what they say and sorting is by the column", () => {
  const run = many(11, 500);
  const { start, end, size, stack, name } = run.columns;
  const none: OpsFilter = { text: "", min_size: null, max_size: null, min_duration: null, max_duration: null, match: null, never_released: false, within: null, interval: null };
  const kept = (filter: Partial<OpsFilter>) => Array.from(run.select({ ...none, ...filter }));
  const want = (test: (i: number) => boolean) => Array.from(start.keys()).filter(test);
  const inside = (t: number | undefined) => (t ?? 0) >= 1000 && (t ?? 0) < 2000;
  const interval: [number, number] = [1000, 2000];
  assert.equal(kept({}).length, 500);
  assert.deepEqual(kept({ within: "allocated", interval }), want((i) => inside(start[i])));
  assert.deepEqual(kept({ within: "released", interval }), want((i) => inside(end[i])));
  assert.deepEqual(kept({ within: "both", interval }), want((i) => inside(start[i]) && inside(end[i])));
  assert.deepEqual(kept({ within: "live", interval }), want((i) => (start[i] ?? 0) < 2000 && (end[i] ?? 0) > 1000));
  assert.deepEqual(kept({ min_size: 100, max_size: 300 }), want((i) => (size[i] ?? 0) >= 100 && (size[i] ?? 0) <= 300));
  assert.deepEqual(kept({ never_released: true }), want((i) => end[i] === Infinity));
  assert.deepEqual(kept({ text: "STEP" }), want((i) => stack[i] === 2));
  assert.deepEqual(kept({ text: "aten::mm" }), want((i) => name[i] === 0));
  const { lines, total, bytes } = run.rows(none, "size", true, 0, 500);
  assert.equal(total, 500);
  assert.equal(bytes, size.reduce((sum, each) => sum + each, 0));
  lines.forEach((line, i) => assert.ok(i === 0 || line.size <= (lines[i - 1]?.size ?? 0)));
});

test("an outlier is off the median of its role, and two ranks differ by name", () => {
  const figure = (rank: number, value: number, group = "actor") => ({ key: `${group}${rank}.${value}`, group, rank, value });
  const off = deviations([figure(0, 100), figure(1, 104), figure(2, 140), figure(2, 90), figure(0, 5, "critic"), figure(1, 50, "critic")]);
  assert.deepEqual([...off.entries()].filter(([, each]) => each.outlier).map(([key]) => key), ["actor2.140"]);
  assert.equal(off.get("actor2.140")?.median, 104);
  assert.equal(off.size, 3);
  const names = differences([{ name: "a", count: 1, bytes: 10 }, { name: "b", count: 2, bytes: 20 }], [{ name: "a", count: 3, bytes: 5 }, { name: "c", count: 1, bytes: 100 }]);
  assert.deepEqual(names.map((each) => [each.name, each.diff_bytes, each.ratio]), [["c", 100, null], ["b", -20, 0], ["a", -5, 0.5]]);
});

test("times keep every digit, sizes are read as people write them", () => {
  assert.equal(absoluteMicros("1779785515596661420", 1580), "1779785515596663.000");
  assert.deepEqual(["512", "1.5 MiB", "2GB", " 3k ", "x", ""].map(sizeOf), [512, 1.5 * 2 ** 20, 2 ** 31, 3072, null, null]);
});
