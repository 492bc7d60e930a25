// What stands behind the map of segments for those who cannot see it: every segment and every block of it, by
// keyboard, against an independent replay of the file and against the terminal's categories; smooth for any number.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launch, longestTask, open, pick, singleFile } from "./browser.mjs";
import { nameOf, number, opened, real, worked } from "./reference.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, drawn, ready, sample, show, terminal } from "./support.mjs";

/** @typedef {import("playwright-core").Page} Page @typedef {{ index: number, chosen: boolean, cells: string[], bytes: number[] }} Row */

/** The rows of a table in sight: their cells, and the exact bytes of those that are sizes. @param {Page} page @param {RegExp} name */
const rows = (page, name) =>
  page.getByRole("table", { name }).locator(".virtual-row").evaluateAll((all) =>
    all.map((row) => {
      const cells = [...row.querySelectorAll("[role=cell]")];
      return {
        index: Number(row.getAttribute("aria-rowindex")) - 2,
        chosen: row.getAttribute("aria-selected") === "true",
        cells: cells.map((cell) => cell.querySelector(".mono[title]")?.getAttribute("title") ?? cell.textContent ?? ""),
        bytes: cells.map((cell) => Number((cell.querySelector(".figure")?.getAttribute("title") ?? "-1").replace(/[^\d-]/g, ""))),
      };
    }),
  );

const BLOCKS = /^Blocks of segment/;
const SEGMENTS = /^Segments as a table$/;

/** All rows of a table, read as its keys bring them into sight. @param {Page} page @param {RegExp} name */
async function every(page, name) {
  const table = page.getByRole("table", { name });
  const total = Number(await table.getAttribute("aria-rowcount")) - 1;
  /** @type {Map<number, Row>} */
  const found = new Map();
  await table.locator(".virtual-body").evaluate((body) => (body.scrollTop = 0));
  for (let seen = -1; found.size < total; ) {
    // Call sites come when the table rests.
    await page.waitForFunction((label) => ![...document.querySelectorAll(`[role=table][aria-label^="${label}"] [role=cell]`)].some((cell) => cell.textContent === "…"), name.source.replace(/[\^$]/g, ""));
    for (const row of await rows(page, name)) found.set(row.index, row);
    assert.ok(found.size > seen, `${found.size} of ${total} rows of ${name}`);
    seen = found.size;
    if (seen === total) break;
    await table.locator(".virtual-body").evaluate((body) => (body.scrollTop += body.clientHeight));
    await page.waitForTimeout(150);
  }
  return [...found.values()].sort((a, b) => a.index - b.index);
}

/** @type {[string, number, number][]} file, device, moment */
const files = [
  [cases.pools, 0, 80],
  ...real("npu_empty_cache.pkl").map((file) => /** @type {[string, number, number]} */ ([file, 0, 60])),
];
for (const [file, device, moment] of files)
  test(`${nameOf(file)}: the tables hold every segment and block of the map`, async () => {
    const [[wanted]] = worked(file, [{ ask: "memory", device, padding: file.includes("npu") ? 32 : 0, moments: [moment] }]);
    const { page, complaints, close } = await opened(browser, file, "segments", `device=${device}&at=${moment}`);
    await page.waitForFunction((state) => /** @type {any} */ (window).answers.segments?.data.reply.state === state, moment);
    await page.locator("summary", { hasText: "Segments as a table" }).click();
    const segments = await every(page, SEGMENTS);
    assert.deepEqual(segments.map(({ cells, bytes }) => [Number(cells[0]), bytes[1]]).sort((a, b) => Number(a[0]) - Number(b[0])), wanted.segments);
    /** @type {Map<number, [number | undefined, number | undefined, string | undefined, string | undefined]>} */
    const told = new Map();
    const body = page.getByRole("table", { name: SEGMENTS }).locator(".virtual-body");
    await body.evaluate((element) => (element.scrollTop = 0));
    for (const [i, segment] of segments.entries()) {
      // Down from one to the next by the keyboard; the first is chosen by itself.
      await body.focus();
      if (i > 0) await page.keyboard.press("ArrowDown");
      const [address = "", , , , blocks = ""] = segment.cells;
      await page.getByRole("table", { name: `Blocks of segment ${address}`, exact: true }).waitFor();
      const all = await every(page, BLOCKS);
      assert.equal(all.length, number(blocks), address);
      let end = Number(address);
      for (const { cells, bytes } of all) {
        assert.equal(Number(cells[0]), end, "blocks follow one another without a hole");
        end += bytes[1] ?? 0;
        if (cells[3] !== "Free") told.set(Number(cells[0]), [bytes[1], bytes[2], cells[3], cells[5]]);
        else assert.deepEqual([cells[2], cells[4], cells[5]], ["–", "–", "–"]);
      }
      assert.equal(end - Number(address), segment.bytes[1], `blocks of ${address} fill it`);
    }
    assert.equal(told.size, wanted.blocks.length);
    for (const [i, [address, size, requested, state]] of wanted.blocks.entries()) {
      const line = told.get(address);
      const site = wanted.sites[i] === "" ? "no stack recorded" : wanted.sites[i];
      assert.deepEqual(line, [size ?? line?.[0], requested, state === "pending" ? "Pending free" : "Allocated", site], `block ${address.toString(16)}`);
    }
    assert.deepEqual(complaints, []);
    await close();
  });

test("categories of the table add up to the terminal's, and a block chosen in it is chosen everywhere", async () => {
  const { page, complaints, close } = await opened(browser, sample, "segments");
  await page.locator(".segment-map").waitFor();
  await page.locator("summary", { hasText: "Segments as a table" }).click();
  const segments = await every(page, SEGMENTS);
  /** @type {Map<string, number>} */
  const sums = new Map();
  const body = page.getByRole("table", { name: SEGMENTS }).locator(".virtual-body");
  await body.evaluate((element) => (element.scrollTop = 0));
  for (const [i, segment] of segments.entries()) {
    await body.focus();
    if (i > 0) await page.keyboard.press("ArrowDown");
    await page.getByRole("table", { name: `Blocks of segment ${segment.cells[0]}`, exact: true }).waitFor();
    for (const row of await every(page, BLOCKS)) {
      if (row.cells[3] === "Free") continue;
      const category = (row.cells[4] ?? "").replace(/ \(.*\)$/, "");
      sums.set(category, (sums.get(category) ?? 0) + (row.bytes[2] ?? 0));
    }
  }
  const [{ by_category: categories }] = terminal("peak", sample).devices;
  assert.deepEqual(
    Object.fromEntries([...sums].sort()),
    Object.fromEntries(categories.map((/** @type {any} */ each) => [`${each.category[0].toUpperCase()}${each.category.slice(1).replace("_", " ")}`, each.bytes]).sort()),
  );
  // By keyboard alone: down to a block in use, and the panel tells of the same.
  const blocks = page.getByRole("table", { name: BLOCKS });
  await body.evaluate((element) => (element.scrollTop = 0));
  await page.getByRole("table", { name: SEGMENTS }).getByText(segments.find(({ bytes }) => bytes[2] === bytes[1])?.cells[0] ?? "?").click();
  await blocks.locator(".virtual-body").focus();
  /** @type {Row | undefined} */
  let chosen;
  for (let presses = 0; presses < 20 && (!chosen || chosen.cells[3] === "Free"); presses++) {
    await page.keyboard.press("ArrowDown");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    chosen = (await rows(page, BLOCKS)).find((row) => row.chosen);
  }
  await page.getByRole("complementary", { name: "Allocation" }).getByText(chosen?.cells[0] ?? "?", { exact: true }).waitFor();
  // And the other way: what is chosen elsewhere leads the tables.
  const first = /** @type {any} */ (await page.evaluate(() => {
    const { reply } = /** @type {any} */ (window).answers.segments.data;
    const block = reply.usage.findIndex((/** @type {number} */ use) => use === 1);
    return { life: reply.life[block], address: `0x${(reply.address[0] + BigInt(reply.offset[block])).toString(16)}` };
  }));
  await show(page, "segments", `sel=life:${first.life}`);
  await blocks.locator(".virtual-row.chosen code", { hasText: first.address }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("83,000 segments and a segment of 100,000 blocks stay smooth as tables", async (context) => {
  const file = join(folder, "wide.json");
  const [many, inOne] = [83_000, 100_000];
  const frames = [{ filename: "/w/train.py", line: 7, name: "step" }];
  /** @type {any[]} */
  const segments = [];
  /** @type {any[]} */
  const events = [];
  const segment = (/** @type {number} */ address, /** @type {number} */ size, /** @type {any[]} */ blocks) => segments.push({ device: 0, address, total_size: size, allocated_size: size, active_size: size, stream: 0, segment_type: "small", frames: [], blocks });
  const block = (/** @type {number} */ address) => {
    events.push({ action: "alloc", addr: address, size: 512, stream: 0, frames });
    return { address, size: 512, requested_size: 512, state: "active_allocated", frames };
  };
  segment(1 << 20, inOne * 512, Array.from({ length: inOne }, (_, i) => block((1 << 20) + i * 512)));
  for (let i = 0; i < many - 1; i++) segment(2 ** 32 + i * 4096, 512, [block(2 ** 32 + i * 4096)]);
  writeFileSync(file, JSON.stringify({ segments, device_traces: [events] }));
  const own = await launch();
  const { page, complaints, close } = await open(own, singleFile, { viewport: { width: 1500, height: 950 } });
  await pick(page, [file]);
  await ready(page, 120_000);
  await show(page, "segments");
  await drawn(page, "segments", 120_000);
  const longest = await longestTask(own, page, async () => {
    await page.locator("summary", { hasText: "Segments as a table" }).click();
    const table = page.getByRole("table", { name: SEGMENTS });
    await table.locator(".virtual-row").first().waitFor();
    assert.equal(Number(await table.getAttribute("aria-rowcount")) - 1, many);
    const blocks = page.getByRole("table", { name: BLOCKS });
    assert.equal(Number(await blocks.getAttribute("aria-rowcount")) - 1, inOne);
    for (const each of [blocks, table]) {
      for (const share of [0.5, 1, 0.25]) {
        await each.locator(".virtual-body").evaluate((body, to) => (body.scrollTop = to * body.scrollHeight), share);
        await page.waitForTimeout(200);
      }
      await each.locator(".virtual-body").focus();
      for (const key of ["PageDown", "ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
      await page.waitForTimeout(200);
    }
    await blocks.getByText("step /w/train.py:7").first().waitFor();
  });
  context.diagnostic(`longest task ${longest.toFixed(0)} ms`);
  assert.ok(longest <= 50, `${longest} ms`);
  assert.deepEqual(complaints, []);
  await close();
  await own.close();
});

for (const file of [sample, ...real("cuda_training.pickle")])
  test(`${nameOf(file)}: the table behind the timeline tells what stands in it, and of what categories`, async () => {
    const { page, complaints, close } = await opened(browser, file, "timeline");
    await drawn(page, "timeline");
    await page.locator("summary", { hasText: "The bands as a table" }).click();
    const table = page.getByRole("table", { name: "The bands as a table" });
    for (const key of ["", "w"]) {
      if (key !== "") await page.keyboard.press(key);
      await drawn(page, "timeline");
      await page.waitForTimeout(600);
      const lines = await table.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => (cell.querySelector(".figure")?.getAttribute("title") ?? cell.textContent ?? "").replace(/[^\d]/g, "")).map(Number)));
      assert.equal(lines.length, 20);
      assert.ok((await table.locator("th").count()) > 4);
      const [wanted] = worked(file, [{ ask: "requested", moments: lines.map(([, event = 0]) => event + 1) }]);
      for (const [i, [, , bytes, ...categories]] of lines.entries()) {
        assert.equal(bytes, wanted[i], `row ${i}`);
        assert.equal(categories.reduce((sum, each) => sum + each, 0), bytes, `categories of row ${i}`);
      }
    }
    assert.deepEqual(complaints, []);
    await close();
  });
