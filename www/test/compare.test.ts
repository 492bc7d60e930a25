// The arithmetic of a comparison: groups, filters, and the flame graph of a difference.

import assert from "node:assert/strict";
import { test } from "node:test";
import { build, layout } from "../src/compare/flame";
import type { FlameNode, FlameOptions } from "../src/compare/flame";
import { group, keep } from "../src/compare/rows";
import type { Paths, PathRow } from "../src/compare/types";

const texts = ["/app/train.py", "main", "/app/model.py", "forward", "??", "at::empty", "model.py:2"];
const row = (frames: number[], a: number, b: number, more: Partial<PathRow> = {}): PathRow => ({
  frames,
  site: frames.find((frame) => frame < 2) ?? null,
  module: frames.includes(1) ? 6 : null,
  freed_at: false,
  category: "activation",
  a_bytes: a,
  b_bytes: b,
  a_count: a > 0 ? 1 : 0,
  b_count: b > 0 ? 1 : 0,
  ...more,
});
// Frames: 0 main, 1 forward, 2 a native one.
const paths: Paths = {
  texts,
  frames: [
    [0, 7, 1],
    [2, 2, 3],
    [4, 0, 5],
  ],
  stacks: [row([2, 1, 0], 100, 160), row([1, 0], 50, 0), row([0], 0, 10), row([], 5, 5, { category: "unknown", site: null }), row([1, 0], 20, 30, { category: "backward" })],
};
const whole: FlameOptions = { weigh: "difference", innermost: false, hideNative: false, hideFramework: false };

test("every grouping adds up to the same difference, the largest first", () => {
  for (const by of ["category", "call_site", "module", "file", "stack"] as const) {
    const rows = group(paths, by);
    assert.equal(rows.reduce((sum, each) => sum + each.diff_bytes, 0), 30, by);
    assert.equal(rows.reduce((sum, each) => sum + each.a_bytes, 0), 175, by);
    const sizes = rows.map((each) => Math.abs(each.diff_bytes));
    assert.deepEqual(sizes, [...sizes].sort((x, y) => y - x), by);
  }
  const sites = group(paths, "call_site");
  assert.deepEqual(
    sites.map((each) => [each.key, each.diff_bytes, each.presence]),
    [
      ["/app/model.py:2 forward", 20, "both"],
      ["/app/train.py:7 main", 10, "only_b"],
      [null, 0, "both"],
    ],
  );
});

test("filters keep what they say", () => {
  const rows = group(paths, "stack");
  const kept = (show: Parameters<typeof keep>[1], text = "") => rows.filter((each) => keep(each, show, text)).map((each) => each.diff_bytes);
  assert.deepEqual(kept("changed"), [60, -40, 10]);
  assert.deepEqual(kept("all"), [60, -40, 10, 0]);
  assert.deepEqual(kept("only_b"), [10]);
  assert.deepEqual(kept("common_grown"), [60]);
  assert.deepEqual(kept("shrunk"), [-40]);
  assert.deepEqual(kept("changed", "AT::EMPTY"), [60]);
  assert.deepEqual(kept("changed", "nothing like it"), []);
});

test("a box holds its children, and both sides add up", () => {
  for (const weigh of ["difference", "larger"] as const)
    for (const innermost of [false, true]) {
      const nodes = build(paths, { ...whole, weigh, innermost });
      const root = nodes[0] as FlameNode;
      assert.equal(root.weight, weigh === "difference" ? 110 : 160 + 70 + 10 + 5);
      assert.equal(root.b - root.a, 30);
      for (const node of nodes) {
        const inside = node.children.map((id) => nodes[id] as FlameNode);
        assert.ok(inside.reduce((sum, each) => sum + each.weight, 0) <= node.weight);
        let left = node.start;
        for (const each of inside) {
          assert.equal(each.start, left);
          left += each.weight;
        }
      }
    }
});

test("what is hidden leaves no gap, and a zoom fills the width", () => {
  const nodes = build(paths, { ...whole, hideNative: true });
  assert.ok(nodes.every((node) => node.label !== "at::empty"));
  const forward = nodes.findIndex((node) => node.label === "/app/model.py:2 forward");
  // Two stacks look the same now: +60 and −40 of them are +20.
  assert.equal((nodes[forward] as FlameNode).weight, 20);
  const boxes = layout(nodes, forward, 0);
  assert.equal(boxes.find((box) => box.node === forward)?.width, 1);
  assert.ok(boxes.filter((box) => box.row < 2).every((box) => box.x === 0 && box.width === 1));
  assert.equal(layout(nodes, 0, 0.5).length, 3, "root, main, forward");
  assert.equal(layout(nodes, 0, 0.7).length, 2, "root, main");
});

test("nothing that differs is no graph", () => {
  const same: Paths = { ...paths, stacks: paths.stacks.map((each) => ({ ...each, b_bytes: each.a_bytes })) };
  assert.equal(build(same, whole).length, 1);
});
