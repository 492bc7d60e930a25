import assert from "node:assert/strict";
import { test } from "node:test";
import { byteStep, placeLabels } from "../src/charts/scale";
import { clampSpan, panSpan, showsAll, zoomSpan } from "../src/charts/window";

const extent = { from: 0, to: 1000 };

test("zooming keeps what is under the pointer in its place", () => {
  const zoomed = zoomSpan(extent, 0.5, 0.25, extent, 4);
  assert.deepEqual(zoomed, { from: 125, to: 625 });
  const back = zoomSpan(zoomed, 2, 0.25, extent, 4);
  assert.ok(showsAll(back, extent));
});

test("a window never leaves the axis and never collapses", () => {
  assert.deepEqual(panSpan({ from: 900, to: 1000 }, 0.5, extent, 4), { from: 900, to: 1000 });
  assert.deepEqual(panSpan({ from: 100, to: 200 }, -5, extent, 4), { from: 0, to: 100 });
  assert.deepEqual(clampSpan({ from: 500, to: 500 }, extent, 4), { from: 498, to: 502 });
  assert.ok(showsAll(zoomSpan(extent, 9, 0.5, extent, 4), extent));
  assert.deepEqual(clampSpan({ from: 0, to: 1 }, { from: 0, to: 1 }, 4), { from: 0, to: 4 });
});

test("the axis of sizes has a few round steps", () => {
  for (const most of [1, 700, 5e5, 3 * 2 ** 20, 9.7e9, 2 ** 41]) {
    const step = byteStep(most);
    assert.ok(most / step <= 6, `${most}: ${step}`);
    assert.ok(step === 1 || most / step >= 2, `${most}: ${step}`);
  }
  assert.equal(byteStep(6 * 2 ** 30), 2 ** 30);
});

test("labels of lines stand beside their lines, and none over another", () => {
  // Apart: each to the right of its line, in the first row.
  assert.deepEqual(placeLabels([{ x: 100, width: 60 }, { x: 300, width: 60 }], 0, 600), [{ x: 105, row: 0 }, { x: 305, row: 0 }]);
  // Close to each other: one to each side, whichever is named first.
  assert.deepEqual(placeLabels([{ x: 110, width: 60 }, { x: 100, width: 60 }], 0, 600), [{ x: 115, row: 0 }, { x: 35, row: 0 }]);
  // On the same line.
  assert.deepEqual(placeLabels([{ x: 100, width: 60 }, { x: 100, width: 60 }], 0, 600), [{ x: 105, row: 0 }, { x: 35, row: 0 }]);
  // Without room to the left the second goes a row lower; without any room a label stands at the edge.
  assert.deepEqual(placeLabels([{ x: 10, width: 60 }, { x: 12, width: 60 }], 0, 600).map(({ row }) => row), [0, 1]);
  assert.deepEqual(placeLabels([{ x: 50, width: 90 }], 0, 100), [{ x: 10, row: 0 }]);
  let state = 7;
  const random = (below: number) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
  for (let run = 0; run < 2000; run++) {
    const right = 120 + random(1400);
    const marks = Array.from({ length: 1 + random(6) }, () => ({ x: random(right), width: 10 + random(100) }));
    const places = placeLabels(marks, 0, right);
    places.forEach((a, i) => {
      const wide = marks[i]?.width ?? 0;
      assert.ok(a.x >= 0 && a.x + wide <= right, `${a.x} + ${wide} of ${right}`);
      places.forEach((b, j) => assert.ok(j <= i || a.row !== b.row || a.x + wide <= b.x || b.x + (marks[j]?.width ?? 0) <= a.x, JSON.stringify({ marks, places })));
    });
  }
});
