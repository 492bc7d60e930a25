import assert from "node:assert/strict";
import { test } from "node:test";
import { typedAddress, typedNumber, typedSize, typedWhole } from "../src/typed";

test("sizes are read as people write them", () => {
  const sizes: [string, number | null | undefined][] = [
    ["", null],
    ["  ", null],
    ["1024", 1024],
    ["39,845,888", 39845888],
    ["12 B", 12],
    ["12 bytes", 12],
    ["1MiB", 1 << 20],
    ["1 mib", 1 << 20],
    ["1 MB", 1 << 20],
    ["1.5 GiB", 1.5 * 2 ** 30],
    ["64k", 65536],
    ["1.3 KiB", 1331],
    ["-5", undefined],
    ["1.2.3", undefined],
    ["MiB", undefined],
    ["zzzz", undefined],
    ["99999999 TiB", undefined],
  ];
  for (const [text, size] of sizes) assert.equal(typedSize(text), size, text);
});

test("whole numbers are whole and within their bounds", () => {
  const read = (text: string) => typedWhole(text, 0, 19_135);
  assert.deepEqual(["0", " 19,135 ", "", "19136", "-1", "20.7", "1e3", "abc"].map(read), [0, 19_135, null, undefined, undefined, undefined, undefined, undefined]);
  assert.equal(typedWhole("94355077352448", 0, Number.MAX_SAFE_INTEGER), 94355077352448);
  assert.deepEqual(["", "2.5", "-1", "x"].map((text) => typedNumber(text, 0)), [null, 2.5, undefined, undefined]);
});

test("addresses are read with and without what stands around them", () => {
  assert.deepEqual(["", "0x7F00", "7f00", "b'7f00_12'", "zzzz", "0x"].map(typedAddress), [null, "7f00", "7f00", "7f00", undefined, undefined]);
});
