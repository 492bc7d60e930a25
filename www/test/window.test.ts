import assert from "node:assert/strict";
import { test } from "node:test";
import { byteStep } from "../src/charts/scale";
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
