import assert from "node:assert/strict";
import { test } from "node:test";
import { axisBytes, bytes, count, exactBytes, middle, percent, span } from "../src/format";

test("sizes print as the core prints them", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1024), "1.00 KiB");
  assert.equal(bytes(2 ** 20 - 1), "1.00 MiB");
  assert.equal(bytes(1_610_612_736), "1.50 GiB");
  assert.equal(bytes(-2048), "−2.00 KiB");
  assert.equal(axisBytes(100 * 2 ** 20, 20 * 2 ** 20), "100 MiB");
  assert.equal(axisBytes(1.5 * 2 ** 30, 2 ** 29), "1.5 GiB");
  assert.equal(axisBytes(100, 20), "100 B");
  assert.equal(axisBytes(0, 2 ** 30), "0 B");
  assert.notEqual(axisBytes(5 * 2 ** 30, 2 ** 20), axisBytes(5 * 2 ** 30 + 2 ** 20, 2 ** 20));
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
  assert.equal(span(45_612_000, 1000), "45.612 ms");
  assert.equal(span(150.25e9, 1e7), "2:30.25 min");
});

test("a long name keeps both ends", () => {
  assert.equal(middle("short", 10), "short");
  const cut = middle("/very/long/path/to/some/model.py", 16);
  assert.equal(cut.length, 16);
  assert.ok(cut.startsWith("/very") && cut.endsWith("model.py"));
});
