// A large trace driven through every view: the main thread is never blocked over 50 ms and the renderer
// stays within 1.5 GiB. 120,000 events are made here; HBMLENS_LARGE=FILE (or =1, where the generator of
// real-sized snapshots is at hand: five million events) drives a larger one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, longestTask, open, pick, rendererMemory, sharedFolder, singleFile } from "./browser.mjs";
import { manyEvents } from "./shapes.mjs";
import { drawn, ready, show } from "./support.mjs";

/** @type {string} */
let folder;
/** @type {string} */
let file;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "hbmlens-large-"));
  const given = process.env.HBMLENS_LARGE;
  file = join(folder, "many.json");
  if (given && given !== "1") file = given;
  else if (given) {
    file = join(folder, "5m.pickle");
    execFileSync("python3", [join(String(sharedFolder()), "tools/make_snapshot.py"), file, "--events", "5000000"], { stdio: "ignore" });
  } else writeFileSync(file, manyEvents(120_000));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Goes through every view in a browser of its own: the longest task of each view, and the renderer's memory. */
async function visit() {
  const browser = await launch();
  const { page, complaints, close } = await open(browser, singleFile, { viewport: { width: 1500, height: 950 } });
  await page.waitForFunction(() => performance.getEntriesByName("warm").length > 0);
  /** @type {Record<string, number>} */
  const longest = {};
  const watched = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ during) => {
    longest[what] = await longestTask(browser, page, during);
  };
  const patient = 240_000;
  page.setDefaultTimeout(patient);
  await watched("overview", async () => {
    await pick(page, [file]);
    await ready(page, patient);
    await page.locator(".health").waitFor();
    await drawn(page, "overview", patient);
  });
  await watched("timeline", async () => {
    await show(page, "timeline");
    await drawn(page, "timeline", patient);
    for (const key of ["w", "w", "w", "d", "a", "s", "w", "w", "w", "w", "0"]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(60);
    }
    for (const subject of ["Segments", "Private pools", "Allocations"]) {
      await page.getByRole("radio", { name: subject, exact: true }).click();
      await drawn(page, "timeline", patient);
    }
    for (const by of ["call_site", "age", "category"]) {
      await page.locator(".toolbar select").first().selectOption(by);
      await drawn(page, "timeline", patient);
    }
    await page.getByRole("searchbox").fill("forward");
    await page.getByRole("status").filter({ hasText: "in all" }).waitFor();
    await page.getByRole("button", { name: "Next match" }).click();
    await page.getByRole("complementary", { name: "Allocation" }).getByText("Requested", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.getByRole("table", { name: "The range by category" }).waitFor();
  });
  await watched("moment", async () => {
    await show(page, "moment");
    const table = page.getByRole("table", { name: "By category and call site" });
    await table.locator("tbody button").first().click();
    await table.locator("tr.inner:not(.detail) button").first().click();
    await table.locator(".drill-stack").first().waitFor();
  });
  await watched("flame", async () => {
    await show(page, "flame");
    await drawn(page, "flame", patient);
    await page.locator("select").first().selectOption("range");
    await page.getByText("averages over events").waitFor();
    await drawn(page, "flame", patient);
    await page.getByRole("searchbox").fill("forward");
    await page.getByText(/% match/).waitFor();
    await page.keyboard.press("Escape");
  });
  await watched("segments", async () => {
    await show(page, "segments");
    await page.locator(".segment-map").waitFor();
    await page.getByRole("button", { name: "End" }).click();
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press("ArrowLeft");
      await page.waitForTimeout(120);
    }
    await page.getByText(/What changed/).waitFor();
  });
  for (const view of ["fragmentation", "growth", "oom"])
    await watched(view, async () => {
      await show(page, view);
      await drawn(page, view, patient);
      await page.waitForTimeout(300);
    });
  await watched("events", async () => {
    await show(page, "events");
    await drawn(page, "events", patient);
    await page.getByRole("button", { name: /^Size/ }).click();
    await page.locator(".virtual-body").evaluate((body) => (body.scrollTop = body.scrollHeight / 2));
    await page.waitForFunction(() => !document.querySelector(".virtual-row")?.textContent?.startsWith("…"));
    await page.locator("label", { hasText: "Stack text" }).locator("input").fill("backward");
    await page.waitForTimeout(500);
  });
  const memory = await rendererMemory(browser);
  assert.deepEqual(complaints, []);
  await close();
  await browser.close();
  return { longest, memory };
}

test("no view blocks the page, and all of them fit", { timeout: 1_500_000 }, async (context) => {
  /** @type {Record<string, number>} */
  const least = {};
  // What else the machine does only ever adds time, so a view has three chances; a slow one fails all of them.
  for (let chance = 1; chance <= 3; chance++) {
    const { longest, memory } = await visit();
    for (const [view, ms] of Object.entries(longest)) least[view] = Math.min(least[view] ?? Infinity, ms);
    const words = `${Object.entries(least).map(([view, ms]) => `${view} ${ms.toFixed(0)} ms`).join(", ")}; renderer ${memory.toFixed(0)} MiB`;
    context.diagnostic(words);
    assert.ok(memory <= 1536, words);
    if (Object.values(least).every((ms) => ms <= 50)) return;
  }
  assert.fail(`a task over 50 ms: ${JSON.stringify(least)}`);
});

test("a flame graph of 103,823 distinct stacks zooms, turns and is searched without blocking the page", { timeout: 240_000 }, async (context) => {
  const [n, stacks] = [47, join(folder, "stacks.json")];
  const size = (/** @type {number[]} */ path) => 512 * (1 + (path.reduce((sum, each) => sum + each, 0) % 4));
  const frame = (/** @type {string} */ name, /** @type {number} */ i) => ({ filename: `/app/${name}.py`, line: i + 1, name: `${name}${i}` });
  const events = [];
  let [addr, ofSeven] = [4096, 0];
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++)
      for (let c = 0; c < n; c++) {
        events.push({ action: "alloc", addr, size: size([a, b, c]), stream: 0, frames: [frame("leaf", c), frame("middle", b), frame("root", a)] });
        addr += size([a, b, c]);
        if (a === 7) ofSeven += size([a, b, c]);
      }
  const segment = { device: 0, address: 4096, total_size: addr - 4096, allocated_size: addr - 4096, active_size: addr - 4096, stream: 0, segment_type: "large", frames: [], blocks: events.map((event) => ({ address: event.addr, size: event.size, requested_size: event.size, state: "active_allocated", frames: [] })) };
  writeFileSync(stacks, JSON.stringify({ segments: [segment], device_traces: [events] }));
  const browser = await launch();
  const { page, complaints, close } = await open(browser, singleFile, { viewport: { width: 1500, height: 950 } });
  await pick(page, [stacks]);
  await ready(page, 120_000);
  await show(page, "flame");
  await drawn(page, "flame");
  await page.locator("summary", { hasText: "widest boxes" }).click();
  const table = page.getByRole("table", { name: "The widest boxes as a table" });
  const longest = await longestTask(browser, page, async () => {
    // By keyboard as well: the box's row of the table zooms to it.
    await table.getByRole("button", { name: /^root7 / }).focus();
    await page.keyboard.press("Enter");
    await table.getByRole("button", { name: /^middle3 / }).waitFor();
    await page.getByRole("searchbox").fill("middle.py:4");
    await page.getByText(/% match/).waitFor();
    await page.getByRole("radio", { name: "the innermost call" }).click();
    await table.getByRole("button", { name: /^leaf3 / }).waitFor();
    await page.getByRole("radio", { name: "the outermost call" }).click();
    await page.getByRole("searchbox").fill("");
    await table.getByRole("button", { name: /^root7 / }).waitFor();
  });
  const row = table.locator("tbody tr", { has: page.getByRole("button", { name: /^root7 / }) }).first();
  const share = Number((await row.locator("td").last().innerText()).replace(/[^\d.]/g, ""));
  assert.ok(Math.abs(share - (100 * ofSeven) / (addr - 4096)) <= 0.01, `${share} %`);
  context.diagnostic(`longest task ${longest.toFixed(0)} ms`);
  assert.ok(longest <= 50, `${longest} ms`);
  assert.deepEqual(complaints, []);
  await close();
  await browser.close();
});
