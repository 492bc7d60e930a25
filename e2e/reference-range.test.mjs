// What a selected range tells, against an independent program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { made, nameOf, opened, real, worked } from "./reference.mjs";
import { browser, folder } from "./suite.mjs";
import { sample, show } from "./support.mjs";

/** The rows of a table of figures: six numbers each. @param {import("playwright-core").Locator} table */
const figures = (table) =>
  table.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("td")].slice(1).map((cell) => Number((cell.querySelector("[title]")?.getAttribute("title") ?? cell.textContent ?? "").replace(/[^\d]/g, "")))),
  );

/** Rings whose beginning is lost: much of what they free is told by what is freed like it. */
const rings = [
  ...made(folder, "ring.pickle", "--events", "9000", "--categories", "--ring", "5000"),
  ...made(folder, "npu_ring.pickle", "--events", "9000", "--flavour", "npu", "--streams", "2", "--pools", "1", "--ring", "4000"),
  ...made(folder, "workspace.pickle", "--events", "3000", "--flavour", "npu", "--workspace"),
];

for (const file of [sample, ...rings, ...real("cuda_training.pickle", "npu_expandable.pkl", "cuda_zeroth_order.pickle", "cuda_many_segments.pickle", "cuda_ring_of_10000.pickle", "npu_two_devices.pkl")])
  test(`${nameOf(file)}: a range tells what was allocated, freed and survives as an independent program does`, async () => {
    const device = nameOf(file) === "npu_two_devices.pkl" ? 1 : 0;
    const wanted = worked(file, [[[0.3, 0], [1.05, 0]], [[1, -40], [1, 25]], [0, 300], [1000, 3000]].map(([from, to]) => ({ ask: "range", from, to, device })));
    const { page, complaints, close } = await opened(browser, file, "timeline", `device=${device}`);
    for (const { from, to, ...expected } of wanted) {
      await show(page, "timeline", `sel=range:${from}..${to}`);
      const table = page.getByRole("table", { name: "The range by category" });
      await page.waitForFunction((start) => /** @type {any} */ (window).answers.range_summary?.data.reply.summary.from === start, from);
      await table.waitFor();
      const ids = await page.evaluate(() => /** @type {any} */ (window).answers.range_summary.data.reply.summary.by_category.map((/** @type {any} */ row) => row.key));
      await page.waitForFunction((rows) => document.querySelectorAll('table[aria-label="The range by category"] tbody tr').length === rows, ids.length + 1);
      const [total, ...rows] = await figures(table);
      assert.deepEqual(total, expected.total, `${from} to ${to}`);
      assert.deepEqual(Object.fromEntries(ids.map((/** @type {string} */ id, /** @type {number} */ k) => [id, rows[k] ?? []])), expected.by_category, `${from} to ${to}`);
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
