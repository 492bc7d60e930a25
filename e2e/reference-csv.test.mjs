// Which events are saved as CSV, against an independent program.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { nameOf, opened, real, worked } from "./reference.mjs";
import { browser } from "./suite.mjs";
import { drawn, sample } from "./support.mjs";

/** Rows of CSV, quotes and all. @param {string} text */
function parsed(text) {
  /** @type {string[][]} */
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

for (const [file, filters] of /** @type {[string, [Record<string, string>, string][]][]} */ ([
  [sample, [[{ Action: "alloc", "At least (bytes)": "100000" }, "e['action'] == 'alloc' and e['size'] >= 100000"], [{ Action: "segment_alloc" }, "e['action'] == 'segment_alloc'"]]],
  ...real("cuda_training.pickle").map((each) => [each, [[{ Action: "alloc", "Stack text": "accumulategrad", "At least (bytes)": "1000000" }, "e['action'] == 'alloc' and 'accumulategrad' in text(e) and e['size'] >= 1000000"], [{ "From event": "500", "To event": "3000", "At most (bytes)": "65536", "Stack text": "model.py" }, "500 <= i <= 3000 and e['size'] <= 65536 and 'model.py' in text(e)"]]]),
  ...real("npu_empty_cache.pkl").map((each) => [each, [[{ Action: "free_completed", Address: "0x12c" }, "e['action'] == 'free_completed' and hex(e['addr']).startswith('0x12c')"], [{ Action: "segment_free" }, "e['action'] == 'segment_free'"]]]),
]))
  test(`${nameOf(file)}: filtered events are saved as the rows that an independent program keeps`, async () => {
    const wanted = worked(file, filters.map(([, keep]) => ({ ask: "events", keep })));
    const { page, complaints, close } = await opened(browser, file, "events");
    await drawn(page, "events");
    const field = (/** @type {string} */ name) => page.locator("label.field", { hasText: name }).first().locator("input, select");
    for (const [i, [given]] of filters.entries()) {
      for (const [name, value] of Object.entries(given)) await (name === "Action" ? field(name).selectOption(value) : field(name).fill(value));
      assert.ok(wanted[i].length > 3, JSON.stringify(given));
      await page.getByRole("status").filter({ hasText: `${wanted[i].length.toLocaleString("en-US")} of` }).waitFor();
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save these rows as CSV" }).click();
      const [, ...rows] = parsed(readFileSync(await (await waiting).path(), "utf8"));
      assert.deepEqual(rows, wanted[i].map((/** @type {any[]} */ [event, action, at, size, stream, time, frames]) => [event, action, at, size, stream, time ?? "", frames.map((/** @type {any[]} */ frame) => frame.join(":")).join(";")].map(String)));
      await page.getByRole("button", { name: "Clear the filter" }).click();
    }
    assert.deepEqual(complaints, []);
    await close();
  });
