import assert from "node:assert/strict";
import { test } from "node:test";
import { seriesRows } from "../src/charts/series-rows";

test("a short series is told point by point, where series have points of their own, too", () => {
  const rows = seriesRows(
    [
      { kind: "step", points: [[0, 5], [2, 9], [4, 1]] },
      { kind: "bar", points: [[1, 7], [2, 8]] },
    ],
    10,
  );
  assert.deepEqual(rows, [
    [0, [5, null]],
    [1, [5, 7]],
    [2, [9, 8]],
    [4, [1, null]],
  ]);
});

test("a long series keeps its peaks", () => {
  const points = Array.from({ length: 1000 }, (_, i) => [i, i === 777 ? 1e9 : i % 7] as const);
  for (const kind of ["line", "step", "bar"] as const) {
    const rows = seriesRows([{ kind, points }], 40);
    assert.equal(rows.length, 40);
    for (const [row, [x, [value]]] of rows.entries()) {
      const part = points.slice(row * 25, row * 25 + 25);
      assert.equal(x, part[0]?.[0]);
      assert.equal(value, Math.max(...part.map((point) => point[1])));
    }
  }
});

test("a step holds through the parts in which nothing changes", () => {
  const dense = Array.from({ length: 100 }, (_, i) => [i, 0] as const);
  const rows = seriesRows([{ kind: "line", points: dense }, { kind: "step", points: [[0, 3], [55, 8], [56, 2]] }], 10);
  assert.deepEqual(rows.map(([, values]) => values[1]), [3, 3, 3, 3, 3, 8, 2, 2, 2, 2]);
  assert.deepEqual(seriesRows([], 10), []);
});
