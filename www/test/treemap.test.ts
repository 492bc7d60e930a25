import assert from "node:assert/strict";
import { test } from "node:test";
import { squarify } from "../src/charts/treemap-layout";

test("areas are as the weights, within the room, and do not overlap", () => {
  const weights = [60, 30, 30, 20, 8, 5, 3, 1, 1, 0];
  const room = { x: 10, y: 20, width: 300, height: 100 };
  const boxes = squarify(weights, room);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  assert.equal(boxes.length, weights.length);
  for (const [i, { x, y, width, height }] of boxes.entries()) {
    assert.ok(Math.abs(width * height - (room.width * room.height * (weights[i] ?? 0)) / total) < 1e-6);
    assert.ok(x >= room.x - 1e-9 && y >= room.y - 1e-9 && x + width <= room.x + room.width + 1e-6 && y + height <= room.y + room.height + 1e-6);
    for (const other of boxes.slice(i + 1)) {
      const wide = Math.min(x + width, other.x + other.width) - Math.max(x, other.x);
      const high = Math.min(y + height, other.y + other.height) - Math.max(y, other.y);
      assert.ok(wide < 1e-6 || high < 1e-6);
    }
  }
  // Squares rather than slivers.
  assert.ok(boxes.slice(0, 5).every(({ width, height }) => Math.max(width / height, height / width) < 4));
  assert.deepEqual(squarify([], room), []);
  assert.equal(squarify([0, 0], room).length, 2);
});
