import assert from "node:assert/strict";
import { test } from "node:test";

// The module looks at the address and listens to it: stand-ins for what a browser has.
Object.assign(globalThis, { location: { hash: "", pathname: "/" }, addEventListener: () => undefined });
const { formatPlace, HOME, parsePlace } = await import("../src/state/url");

test("a place survives the way through the address", () => {
  const place = { file: "run/rank 0.pickle~2", view: "timeline", device: "host", range: [10, 2_000_000], at: 418220, sel: "a=b&c#d", url: "runs/a b.pickle" } as const;
  assert.deepEqual(parsePlace(formatPlace(place)), place);
});

test("an address that makes no sense is the beginning", () => {
  assert.deepEqual(parsePlace(""), HOME);
  assert.deepEqual(parsePlace("#range=5..2&at=-1&view=overview"), HOME);
  assert.deepEqual(parsePlace("#range=..&at=1e9&%%%"), HOME);
  assert.equal(formatPlace(HOME), "");
});
