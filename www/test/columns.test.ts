// Segments and modules as columns.

import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleRows, modulesDownTo, shownModules } from "../src/modules";
import { plainAddresses, segmentAt, segmentOf } from "../src/segment-columns";
import type { SegmentColumns } from "../src/segment-columns";

const kind = (stream: number, pool: [number, number]) => ({ stream, pool, segment_type: "large" as const, is_expandable: false, is_workspace: false });
const data: SegmentColumns = {
  kinds: [kind(7, [0, 1]), kind(0, [0, 0])],
  address: BigUint64Array.of(0x1000n, 0x2000n, 0x7fff_ffff_0000n, 0xffff_8000_0000_0001n),
  kind: Uint32Array.of(0, 1, 1, 0),
  segment_size: Float64Array.of(30, 50, 30, 40),
  segment_allocated: Float64Array.of(10, 10, 30, 0),
  segment_active: Float64Array.of(10, 20, 30, 0),
  first_block: Uint32Array.of(0, 2, 2, 5, 6),
};

test("a segment is read out of its columns, its address exact to the last bit", () => {
  assert.deepEqual(segmentAt(data, 3), { ...kind(7, [0, 1]), address: "0xffff800000000001", size: 40, allocated: 0, active: 0, free: 40 });
  assert.equal(segmentAt(data, 1)?.stream, 0);
  assert.equal(segmentAt(data, undefined), null);
  assert.equal(segmentAt(data, 4), null);
  assert.deepEqual([...plainAddresses(data.address.subarray(0, 3))], [0x1000, 0x2000, 0x7fff_ffff_0000]);
  assert.deepEqual([...plainAddresses(data.address.subarray(2, 3))], [0x7fff_ffff_0000]);
});

test("a block leads to its segment, also past one that has none", () => {
  assert.deepEqual([0, 1, 2, 4, 5].map((block) => segmentOf(data, block)), [0, 0, 2, 2, 3]);
});

const modules = {
  names: ["model.py:10", "a > b.py:5", "block.py:6"],
  name: Uint32Array.of(0, 1, 2, 2, 2),
  depth: Uint32Array.of(1, 2, 3, 2, 1),
  bytes: Float64Array.of(9, 6, 3, 2, 1),
  count: Float64Array.of(5, 4, 3, 2, 1),
  recompute_bytes: Float64Array.of(0, 1, 2, 3, 4),
};

test("modules are rows with their whole path", () => {
  assert.deepEqual(
    moduleRows(modules).map(({ module, depth, bytes, recompute_bytes }) => [module, depth, bytes, recompute_bytes]),
    [
      ["model.py:10", 1, 9, 0],
      ["model.py:10 > a > b.py:5", 2, 6, 1],
      ["model.py:10 > a > b.py:5 > block.py:6", 3, 3, 2],
      ["model.py:10 > block.py:6", 2, 2, 3],
      ["block.py:6", 1, 1, 4],
    ],
  );
});

test("of modules those in open ones are shown, and the first are made", () => {
  const names = (isOpen: (path: string, depth: number) => boolean, most = 9) => {
    const { shown, count } = shownModules(modules, isOpen, most);
    return [shown.map(({ index, isParent }) => `${index}${isParent ? "+" : ""}`).join(" "), count];
  };
  assert.deepEqual(names(() => true), ["0+ 1+ 2 3 4", 5]);
  assert.deepEqual(names(() => false), ["0+ 4", 2]);
  assert.deepEqual(names((path) => path === "model.py:10"), ["0+ 1+ 3 4", 4]);
  assert.deepEqual(names(() => true, 2), ["0+ 1+", 5]);
  assert.deepEqual([1, 2, 3].map((depth) => modulesDownTo(modules, depth)), [2, 4, 5]);
});
