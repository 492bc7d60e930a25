// What a selected range tells, against an independent program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, opened, real, worked } from "./reference.mjs";
import { browser } from "./suite.mjs";
import { sample, show } from "./support.mjs";

/** The rows of a table of figures: six numbers each. @param {import("playwright-core").Locator} table */
const figures = (table) =>
  table.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("td")].slice(1).map((cell) => Number((cell.querySelector("[title]")?.getAttribute("title") ?? cell.textContent ?? "").replace(/[^\d]/g, "")))),
  );

/** Categories that only a life's end tells apart stand as one. @param {string} id */
const broad = (id) => (id === "optimizer_temporary" ? "optimizer" : ["backward", "unknown"].includes(id) ? "gradient" : id);

/** @param {Iterable<[string, number[]]>} rows */
function byBroadCategory(rows) {
  /** @type {Record<string, number[]>} */
  const sums = {};
  // What was allocated in the range and survives it: what is freed may be of lives from before the trace.
  for (const [id, row] of rows) {
    const sum = (sums[broad(id)] ??= [0, 0, 0, 0]);
    [0, 1, 4, 5].forEach((column, i) => (sum[i] = (sum[i] ?? 0) + (row[column] ?? 0)));
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum.some((value) => value !== 0)));
}

for (const file of [sample, ...real("cuda_training.pickle", "npu_expandable.pkl", "cuda_zeroth_order.pickle")])
  test(`${nameOf(file)}: a range tells what was allocated, freed and survives as an independent program does`, async () => {
    const wanted = worked(file, [[[0.3, 0], [1.05, 0]], [[1, -40], [1, 25]], [0, 300]].map(([from, to]) => ({ ask: "range", from, to })));
    const { page, complaints, close } = await opened(browser, file, "timeline");
    for (const { from, to, ...expected } of wanted) {
      await show(page, "timeline", `sel=range:${from}..${to}`);
      const table = page.getByRole("table", { name: "The range by category" });
      await page.waitForFunction((start) => /** @type {any} */ (window).answers.range_summary?.data.reply.summary.from === start, from);
      await table.waitFor();
      const ids = await page.evaluate(() => /** @type {any} */ (window).answers.range_summary.data.reply.summary.by_category.map((/** @type {any} */ row) => row.key));
      await page.waitForFunction((rows) => document.querySelectorAll('table[aria-label="The range by category"] tbody tr').length === rows, ids.length + 1);
      const [total, ...rows] = await figures(table);
      assert.deepEqual(total, expected.total, `${from} to ${to}`);
      assert.deepEqual(byBroadCategory(ids.map((/** @type {string} */ id, /** @type {number} */ k) => [id, rows[k] ?? []])), byBroadCategory(Object.entries(expected.by_category)));
      const all = page.getByRole("button", { name: /^All [\d,]+$/ });
      if ((await all.count()) > 0) await all.click();
      const sites = page.getByRole("table", { name: "The range by call site" });
      const names = await sites.locator("tbody tr td:first-child").evaluateAll((cells) => cells.map((cell) => cell.querySelector("[title]")?.getAttribute("title") || cell.textContent));
      const bySite = await figures(sites);
      const sitesExpected = Object.entries(expected.by_call_site).map(([site, row]) => [site === "" ? "no stack recorded" : site, ...row]);
      const order = (/** @type {any} */ a, /** @type {any} */ b) => (String(a) < String(b) ? -1 : 1);
      assert.deepEqual(names.map((site, k) => [site, ...(bySite[k] ?? [])]).sort(order), sitesExpected.sort(order));
    }
    assert.deepEqual(complaints, []);
    await close();
  });
