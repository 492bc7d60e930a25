// Loading something large: progress, Cancel, the budget's question. The file is made here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { longestTask, open, pick, singleFile } from "./browser.mjs";
import { browser, folder } from "./suite.mjs";
import { ready, show } from "./support.mjs";

/** A JSON snapshot of about `mib` MiB: JSON, because it is made with little code. @param {number} mib */
function largeSnapshot(mib) {
  const events = [];
  const frames = Array.from({ length: 12 }, (_, i) => ({ filename: `/job/layer_${i}.py`, line: i, name: "forward" }));
  const stack = JSON.stringify(frames);
  for (let n = 0; n < 500; n++) {
    const base = { addr: 4096 + (n >> 1) * 512, size: 512, stream: 0, time_us: 1_700_000_000_000_000 + n };
    events.push(JSON.stringify({ action: n % 2 ? "free_completed" : "alloc", ...base }).slice(0, -1) + `,"frames":${stack}}`);
  }
  const batch = events.join(",\n");
  const batches = Math.ceil((mib * 2 ** 20) / batch.length);
  return `{"segments": [], "device_traces": [[\n${Array.from({ length: batches }, () => batch).join(",\n")}\n]]}`;
}

const large = join(folder, "large.json");
writeFileSync(large, largeSnapshot(160));

test("progress is shown and Cancel ends it within 200 ms", async () => {
  const { page, close } = await open(browser, singleFile);
  await pick(page, [large]);
  await page.getByRole("progressbar").first().waitFor();
  await page.waitForFunction(() => /MiB of 1\d\d\.\d\d MiB .*\/s/.test(document.querySelector(".file-note")?.textContent ?? ""));
  const took = await page.evaluate(async () => {
    const begin = performance.now();
    /** @type {HTMLElement} */ (document.querySelector(".file-end")).click();
    while (!document.querySelector(".file.cancelled")) await new Promise((done) => setTimeout(done, 2));
    return performance.now() - begin;
  });
  assert.ok(took <= 200, `${took} ms`);
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await close();
});

test("the main thread is never blocked over 50 ms while a file loads", async () => {
  let least = Infinity;
  // What else the machine does only ever adds time.
  for (let chance = 1; chance <= 3 && least > 50; chance++) {
    const { page, close } = await open(browser, singleFile);
    await page.waitForFunction(() => performance.getEntriesByName("warm").length > 0);
    const longest = await longestTask(browser, page, async () => {
      await pick(page, [large]);
      await page.locator(".health").waitFor({ timeout: 120_000 });
      await page.waitForTimeout(500);
    });
    least = Math.min(least, longest);
    await close();
  }
  assert.ok(least <= 50, `a task of ${least.toFixed(1)} ms`);
});

test("over the memory budget the page asks, and keeps the last events as told", async () => {
  const { page, close } = await open(browser, singleFile);
  await page.evaluate(() => localStorage.setItem("hbmlens.settings", JSON.stringify({ budget: 2 ** 21 })));
  await page.reload();
  await pick(page, [large]);
  await page.getByText("This file needs more memory than allowed").waitFor({ timeout: 60_000 });
  await page.getByRole("spinbutton", { name: "Only the last events" }).fill("1000");
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await page.locator(".file.ready").waitFor({ timeout: 120_000 });
  await page.getByText(/Not all of this file is shown: [\d,]+ events were left out/).waitFor();
  // The worker that makes the tables reads the file as it was read.
  await show(page, "query");
  await page.locator(".query-result").waitFor({ timeout: 120_000 });
  const box = page.getByRole("textbox", { name: "Question in SQL" });
  await box.fill("SELECT COUNT(*) AS n, MIN(trace_index) AS first FROM traces");
  await box.press("Control+Enter");
  await page.locator(".query-result[data-sql*=COUNT]").waitFor();
  assert.deepEqual(await page.locator(".query .virtual-row [role=cell]").allInnerTexts(), ["1,000", "0"]);
  await close();
});

test("making the tables of a large file shows how far it is, and is cancelled at once", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await pick(page, [large]);
  await ready(page, 120_000);
  await show(page, "query");
  await page.getByText("Reading the file once more").waitFor();
  await page.getByText(/^[1-9]\d? %$/).waitFor();
  const took = await page.evaluate(async () => {
    const begin = performance.now();
    for (const button of document.querySelectorAll(".query button")) if (button.textContent === "Cancel") /** @type {HTMLElement} */ (button).click();
    while (!/Cancelled/.test(document.querySelector(".query [role=status]")?.textContent ?? "")) await new Promise((done) => setTimeout(done, 2));
    return performance.now() - begin;
  });
  assert.ok(took <= 200, `${took} ms`);
  // What was cancelled is begun anew, from another view as well.
  await show(page, "export");
  await page.locator("[data-export=sqlite] button").click();
  await page.locator("[data-export=sqlite]").getByText(/Reading the file once more.* [1-9]\d? %/).waitFor();
  await page.locator("[data-export=sqlite]").getByRole("button", { name: "Cancel" }).click();
  await page.locator("[data-export=sqlite]").getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("alert").count(), 0);
  await show(page, "query");
  await page.locator(".query-result").waitFor({ timeout: 120_000 });
  assert.deepEqual(complaints, []);
  await close();
});
