import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween } from "../src/segments-diff";
import type { Moment } from "../src/segments-diff";

/** Segments as [address, size], blocks as [segment, offset, size, use, life]. */
function moment(segments: [string, number][], blocks: [number, number, number, number, number][]): Moment {
  const rows = segments.map(([address, size], i) => ({ address, size, first_block: blocks.findIndex(([segment]) => segment === i), blocks: blocks.filter(([segment]) => segment === i).length }));
  const column = (of: number) => blocks.map((block) => block[of] ?? 0);
  return { segments: rows, offset: Float64Array.from(column(1)), size: Float64Array.from(column(2)), usage: Uint8Array.from(column(3)), life: Uint32Array.from(column(4)) } as unknown as Moment;
}

test("what came, went, waits and grew is told by address", () => {
  const before = moment([["0x1000", 100], ["0x2000", 50]], [[0, 0, 10, 1, 1], [0, 10, 90, 0, 9], [1, 0, 50, 1, 2]]);
  const after = moment([["0x1000", 120], ["0x3000", 5]], [[0, 0, 10, 2, 1], [0, 10, 20, 1, 3], [0, 30, 90, 0, 9], [1, 0, 5, 1, 4]]);
  const told = changesBetween(before, after).map(({ what, address, bytes, life }) => `${what} ${address.toString(16)} ${bytes} ${life}`);
  assert.deepEqual(told, ["segment_grown 1000 20 null", "segment_new 3000 5 null", "segment_gone 2000 50 null", "pending 1000 10 1", "allocated 100a 20 3", "freed 2000 50 2", "allocated 3000 5 4"]);
  assert.deepEqual(changesBetween(after, after), []);
  // The same address given to another is a free and an allocation.
  const other = moment([["0x1000", 120], ["0x3000", 5]], [[0, 0, 10, 1, 7], [0, 10, 20, 1, 3], [0, 30, 90, 0, 9], [1, 0, 5, 1, 4]]);
  assert.deepEqual(changesBetween(after, other).map(({ what, life }) => `${what} ${life}`), ["freed 1", "allocated 7"]);
});
