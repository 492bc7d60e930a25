// Modules and what recomputing them would free, against an independent program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, number, opened, real, worked } from "./reference.mjs";
import { browser } from "./suite.mjs";
import { sample, show } from "./support.mjs";

for (const [file, moments] of /** @type {[string, (number | null)[]][]} */ ([[sample, [null]], ...real("cuda_training.pickle").map((each) => [each, [null, 2774]]), ...real("npu_expandable.pkl").map((each) => [each, [null, 406]]), ...real("cuda_zeroth_order.pickle").map((each) => [each, [null, 4152]])]))
  test(`${nameOf(file)}: modules hold what an independent program finds, and recomputing frees it`, async () => {
    const wanted = worked(file, moments.map((moment) => (moment === null ? { ask: "modules" } : { ask: "modules", moment })));
    const { page, complaints, close } = await opened(browser, file, "moment");
    const table = page.getByRole("table", { name: "By module" });
    for (const [i, moment] of moments.entries()) {
      await show(page, "moment", moment === null ? "" : `at=${moment}`);
      if (moment !== null) await page.waitForFunction((event) => /** @type {HTMLInputElement | null} */ (document.querySelector("input[type=number]"))?.value === event, moment === 0 ? "" : String(moment - 1));
      await table.waitFor();
      await page.waitForTimeout(400);
      for (;;) {
        const more = page.getByRole("button", { name: /^Show [\d,]+ (of [\d,]+ )?more$/ });
        const folded = table.locator("button[aria-expanded=false]");
        if ((await folded.count()) > 0) await folded.first().click();
        else if ((await more.count()) > 0) await more.first().click();
        else break;
      }
      const rows = await table.locator("tbody tr").evaluateAll((all) => all.map((row) => [row.querySelector("td")?.title, ...[...row.querySelectorAll("td.number")].map((cell) => cell.querySelector("[title]")?.getAttribute("title") ?? cell.textContent)]));
      const found = rows.map(([name, ...cells]) => [name, ...cells.map(number)]);
      const order = (/** @type {any[]} */ a, /** @type {any[]} */ b) => (String(a) < String(b) ? -1 : 1);
      assert.deepEqual(found.sort(order), wanted[i].map((/** @type {any[]} */ [name, , bytes, count, recompute]) => [name, bytes, count, recompute]).sort(order), `moment ${moment}`);
    }
    assert.deepEqual(complaints, []);
    await close();
  });
