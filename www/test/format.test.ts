import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, count, exactBytes, middle, percent, roundBytes, span } from "../src/format";

test("sizes print as the core prints them", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1024), "1.00 KiB");
  assert.equal(bytes(2 ** 20 - 1), "1.00 MiB");
  assert.equal(bytes(1_610_612_736), "1.50 GiB");
  assert.equal(bytes(-2048), "−2.00 KiB");
  assert.equal(roundBytes(100 * 2 ** 20), "100 MiB");
  assert.equal(roundBytes(1.5 * 2 ** 30), "1.5 GiB");
  assert.equal(roundBytes(100), "100 B");
  assert.equal(exactBytes(1_610_612_736), "1,610,612,736 B");
});

test("counts, shares and spans", () => {
  assert.equal(count(418220), "418,220");
  assert.equal(count(-1), "−1");
  assert.equal(count(100), "100");
  assert.equal(percent(0.1234), "12.3 %");
  assert.equal(span(999), "999 ns");
  assert.equal(span(12_340_000), "12.3 ms");
  assert.equal(span(3_725e9), "1:02:05 h");
  assert.equal(span(150e9), "2:30 min");
});

test("a long name keeps both ends", () => {
  assert.equal(middle("short", 10), "short");
  const cut = middle("/very/long/path/to/some/model.py", 16);
  assert.equal(cut.length, 16);
  assert.ok(cut.startsWith("/very") && cut.endsWith("model.py"));
});
