import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween } from "../src/segments-diff";
import type { Moment } from "../src/segments-diff";

/** Segments as [address, size], blocks as [segment, offset, size, use, life]. */
function moment(segments: [bigint, number][], blocks: [number, number, number, number, number][]): Moment {
  const column = (of: number) => blocks.map((block) => block[of] ?? 0);
  const first = Array.from({ length: segments.length + 1 }, () => 0);
  for (const [segment] of blocks) first[segment + 1] = (first[segment + 1] ?? 0) + 1;
  for (let i = 1; i < first.length; i++) first[i] = (first[i] ?? 0) + (first[i - 1] ?? 0);
  return {
    address: BigUint64Array.from(segments, ([address]) => address),
    segment_size: Float64Array.from(segments, ([, size]) => size),
    first_block: Uint32Array.from(first),
    offset: Float64Array.from(column(1)),
    size: Float64Array.from(column(2)),
    usage: Uint8Array.from(column(3)),
    life: Uint32Array.from(column(4)),
  };
}

const told = (before: Moment, after: Moment) => changesBetween(before, after).first.map(({ what, address, bytes, life }) => `${what} ${address.toString(16)} ${bytes} ${life}`);

test("what came, went, waits and grew is told by address", () => {
  const before = moment([[0x1000n, 100], [0x2000n, 50]], [[0, 0, 10, 1, 1], [0, 10, 90, 0, 9], [1, 0, 50, 1, 2]]);
  const after = moment([[0x1000n, 120], [0x3000n, 5]], [[0, 0, 10, 2, 1], [0, 10, 20, 1, 3], [0, 30, 90, 0, 9], [1, 0, 5, 1, 4]]);
  assert.deepEqual(told(before, after), ["segment_grown 1000 20 null", "segment_gone 2000 50 null", "segment_new 3000 5 null", "pending 1000 10 1", "allocated 100a 20 3", "freed 2000 50 2", "allocated 3000 5 4"]);
  assert.deepEqual(changesBetween(before, after).blocks, [0, 1, 3]);
  assert.deepEqual(told(after, before), ["segment_shrunk 1000 20 null", "segment_new 2000 50 null", "segment_gone 3000 5 null", "unpended 1000 10 1", "freed 100a 20 3", "allocated 2000 50 2", "freed 3000 5 4"]);
  assert.deepEqual(changesBetween(after, after), { first: [], count: 0, blocks: [] });
  // The same address given to another is a free and an allocation.
  const other = moment([[0x1000n, 120], [0x3000n, 5]], [[0, 0, 10, 1, 7], [0, 10, 20, 1, 3], [0, 30, 90, 0, 9], [1, 0, 5, 1, 4]]);
  assert.deepEqual(told(after, other), ["freed 1000 10 1", "allocated 1000 10 7"]);
});

test("of many changes the first are told, and all are counted", () => {
  const count = 100_000;
  const all = (usage: number) => moment(Array.from({ length: count }, (_, i): [bigint, number] => [BigInt(i) << 21n, 1 << 21]), Array.from({ length: count }, (_, i) => [i, 0, 1 << 21, usage, i]));
  const [full, empty] = [all(1), all(0)];
  const changes = changesBetween(empty, full);
  assert.deepEqual([changes.first.length, changes.count, changes.blocks.length], [60, count, count]);
  assert.equal(changes.first[59]?.address, 59 * 2 ** 21);
  assert.equal(changesBetween(full, empty).count, count);
});

test("an empty moment, and a segment without blocks", () => {
  const none = moment([], []);
  const one = moment([[0x1000n, 8], [0x2000n, 8]], [[1, 0, 8, 1, 5]]);
  assert.deepEqual(told(none, one), ["segment_new 1000 8 null", "segment_new 2000 8 null", "allocated 2000 8 5"]);
  assert.deepEqual(told(one, none), ["segment_gone 1000 8 null", "segment_gone 2000 8 null", "freed 2000 8 5"]);
});
