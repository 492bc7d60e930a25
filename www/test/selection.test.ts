import assert from "node:assert/strict";
import { test } from "node:test";

// The address is read when the module is loaded.
Object.assign(globalThis, { location: { hash: "", pathname: "/" }, addEventListener: () => undefined });
const { eventsBetween, formatSelection, NOTHING, parseSelection, statesShown } = await import("../src/state/selection");

test("a selection survives the address", () => {
  for (const selection of [
    NOTHING,
    { ...NOTHING, life: 12 },
    { life: 0, range: [5, 90] as const, find: "a,b:c %2C 层.py:7", address: "7f00" },
  ])
    assert.deepEqual(parseSelection(formatSelection(selection)), selection);
  assert.equal(formatSelection(NOTHING), null);
});

test("what is no selection selects nothing", () => {
  for (const text of [null, "", "life:-1", "life:x", "range:9..5", "range:5", "addr:zz", "find:%E0%A4%A", "nonsense"]) assert.deepEqual(parseSelection(text), NOTHING);
});

test("the events of a range are those between its states", () => {
  assert.deepEqual(eventsBetween([5, 12]), [5, 11]);
  assert.deepEqual(eventsBetween([0, 1]), [0, 0]);
  // A selected range that is zoomed to is the same range.
  assert.deepEqual(statesShown([5, 13]), [5, 12]);
  assert.deepEqual(statesShown([5, 6]), [5, 6]);
});
