// Reports of the terminal, opened from the disk: charts with their points counted, figures against the terminal's JSON,
// both languages and themes, paper, nothing at all, bad input, hostile names.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { program } from "./browser.mjs";
import { chart, read, write } from "./reports.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, sample, terminal } from "./support.mjs";

/** Corners of the longest drawn line of a chart. @param {import("playwright-core").Locator} element */
const corners = (element) => element.locator("path[fill=none], path[fill=transparent]").evaluateAll((paths) => Math.max(0, ...paths.map((path) => (path.getAttribute("d") ?? "").split(/[MLCHV]/).length - 1)));

test("a report of a snapshot draws what it holds, and its figures are the terminal's", async () => {
  const opened = await read(browser, write("sample", [sample]));
  const { page, data } = opened;
  const overview = terminal("overview", sample);
  const device = data.devices[0];
  const [peak] = terminal("peak", sample).devices;
  // Lazily: what is far below is not drawn yet.
  assert.equal(await page.locator('[data-chart="sites"]').getAttribute("data-points"), null);
  const memory = await chart(page, "memory");
  const lines = device.drawing.curves;
  assert.deepEqual(memory.points.slice(0, 3), lines.map((/** @type {any} */ line) => line.value.length));
  assert.ok(lines.every((/** @type {any} */ line) => line.value.length <= 2000 && line.value.length === Math.min(2000, overview.devices[0].events + 1)));
  assert.equal(Math.max(...lines.find((/** @type {any} */ line) => line.name === "requested").value), peak.peak_requested);
  // What lies within a pixel is drawn once; of a small trace, below, every corner is counted.
  assert.ok((await corners(memory.element)) > 1000, `${await corners(memory.element)} corners`);
  assert.equal((await chart(page, "segments")).points[0], device.drawing.segments.length);
  const expansion = await chart(page, "expansion");
  assert.equal(expansion.points.slice(0, -1).reduce((a, b) => a + b), device.fragment.expansions.length);
  assert.equal(expansion.points.at(-1), device.drawing.segment_counts.value.length);
  const sites = await chart(page, "sites");
  assert.deepEqual(sites.points, [device.drawing.sites.length]);
  const card = page.locator("#overview .card").filter({ hasText: "Peak requested" }).locator("[title]");
  assert.equal(await card.first().getAttribute("title"), `${overview.devices[0].peak_requested.toLocaleString("en-US")} B`);
  assert.equal(data.overview.devices[0].peak_requested, overview.devices[0].peak_requested);
  const rows = await page.locator("#peak table").first().locator("tbody tr").count();
  assert.equal(rows, peak.by_category.length);
  assert.match(await page.locator("footer").innerText(), /2,000 points.*20.*10 largest/s);
  opened.quiet();
  await opened.close();
});

test("every point of a small trace is drawn", async () => {
  const path = join(folder, "small.json");
  const events = Array.from({ length: 40 }, (_, i) => ({ action: "alloc", addr: 4096 * (i + 1), size: 512 * (1 + (i % 3)), stream: 0, time_us: 1_000_000 + i * 10, frames: [] }));
  const blocks = [...events.map(({ addr, size }) => ({ address: addr, size: 4096, requested_size: size, state: "active_allocated", frames: [] }))];
  const segment = { device: 0, address: 4096, total_size: 4096 * 40, allocated_size: 4096 * 40, active_size: 4096 * 40, stream: 0, segment_type: "small", blocks, frames: [] };
  writeFileSync(path, JSON.stringify({ segments: [segment], device_traces: [events] }));
  const opened = await read(browser, write("small", [path]));
  const { element, points } = await chart(opened.page, "memory");
  assert.deepEqual(points.slice(0, 3), [41, 41, 41]);
  // A stepped line begins at its first point and turns twice on its way to each other one.
  assert.equal(await corners(element), 1 + 2 * 40);
  opened.quiet();
  await opened.close();
});

test("a click on a call site's bar opens its stack", async () => {
  const opened = await read(browser, write("click", [sample]));
  const { element } = await chart(opened.page, "sites");
  const frames = opened.data.devices[0].drawing.sites[0].stack;
  const details = opened.page.locator("#attribution details").first();
  assert.equal(await details.getAttribute("open"), null);
  const box = await element.boundingBox();
  assert.ok(box);
  // The first bar is the longest and begins right of the names.
  await opened.page.mouse.click(box.x + 300, box.y + 14 + (box.height - 58) / opened.data.devices[0].drawing.sites.length / 2);
  await opened.page.waitForFunction(() => document.querySelector("#attribution details")?.hasAttribute("open"));
  assert.equal(await details.locator(".stack li").count(), frames.length);
  await opened.close();
});

test("an out-of-memory shows the events before it, newest first", async () => {
  const opened = await read(browser, write("oom", [cases.oom]));
  const { page, data } = opened;
  const [oom] = terminal("oom", cases.oom).devices[0].ooms;
  assert.deepEqual(data.devices[0].ooms.ooms[0].before.map((/** @type {any} */ row) => row.event), oom.before.map((/** @type {any} */ row) => row.event));
  const drawing = await chart(page, "oom");
  assert.ok(drawing.points.every((n) => n === oom.before.length + 1));
  assert.ok(oom.before.every((/** @type {any} */ row, /** @type {number} */ i) => i === 0 || row.event < oom.before[i - 1].event));
  const colours = await page.evaluate(() => ["oom-allocation", "oom-free", "chosen"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()));
  const bars = (/** @type {string | undefined} */ colour) => drawing.element.locator(`path[fill="${colour}"]`).count();
  const count = (/** @type {(action: string) => boolean} */ of) => oom.before.filter((/** @type {any} */ row) => of(row.action)).length;
  // One path a bar, and one in the legend.
  const expected = (/** @type {number} */ n) => (n > 0 ? n + 1 : 0);
  assert.equal(await bars(colours[0]), expected(count((action) => action === "alloc")), "allocations are red");
  assert.equal(await bars(colours[1]), expected(count((action) => action.startsWith("free"))), "frees are green");
  assert.equal(await bars(colours[2]), 2, "the trigger is marked");
  opened.quiet();
  await opened.close();
});

test("allocations are red, frees are green, and the failed request is cut off where it would dwarf them", async () => {
  const path = join(folder, "red.json");
  const at = (/** @type {number} */ i) => 4096 * (i + 1);
  const events = [
    ...Array.from({ length: 8 }, (_, i) => ({ action: "alloc", addr: at(i), size: 1024 * (i + 1), stream: 0, frames: [] })),
    ...[1, 3].flatMap((i) => ["free_requested", "free_completed"].map((action) => ({ action, addr: at(i), size: 1024 * (i + 1), stream: 0, frames: [] }))),
    { action: "oom", device_free: 1024, size: 2 ** 30, stream: 0, frames: [] },
  ];
  const blocks = Array.from({ length: 8 }, (_, i) => ({ address: at(i), size: 4096, requested_size: 1024 * (i + 1), state: i === 1 || i === 3 ? "inactive" : "active_allocated", frames: [] }));
  const segment = { device: 0, address: 4096, total_size: 32768, allocated_size: 24576, active_size: 24576, stream: 0, segment_type: "small", blocks, frames: [] };
  writeFileSync(path, JSON.stringify({ segments: [segment], device_traces: [events] }));
  const opened = await read(browser, write("red", [path]));
  const drawing = await chart(opened.page, "oom");
  assert.deepEqual(drawing.points, [13, 13, 13]);
  const [red, green, mark] = await opened.page.evaluate(() => ["oom-allocation", "oom-free", "chosen"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()));
  const bars = (/** @type {string | undefined} */ colour) => drawing.element.locator(`path[fill="${colour}"]`).count();
  assert.deepEqual([await bars(red), await bars(green), await bars(mark)], [8 + 1, 4 + 1, 1 + 1]);
  assert.match(await drawing.element.innerText(), /OOM 1\.00 GiB/);
  assert.match(await opened.page.locator("#oom figcaption").innerText(), /cut off: 1\.00 GiB/);
  const listed = await opened.page.locator("#oom table[aria-label='The same events as a list'] tbody tr").evaluateAll((rows) => rows.map((row) => row.querySelector("td")?.textContent));
  assert.deepEqual(listed, ["12", "11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"], "newest first");
  opened.quiet();
  await opened.close();
});

test("a comparison lays both curves over one another", async () => {
  const opened = await read(browser, write("compare", [sample, "--compare", cases.oom]));
  const expected = JSON.parse(execFileSync(program, ["compare", sample, cases.oom, "--json", "--curves", "event"], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
  const drawing = await chart(opened.page, "comparison");
  assert.deepEqual(drawing.points, [600, 600, 600, 600]);
  assert.deepEqual(opened.data.comparisons[0].totals, expected.totals);
  const cells = await opened.page.locator("#comparison table[aria-label=Totals] tr", { hasText: "Requested" }).locator("[title]").evaluateAll((all) => all.map((each) => each.getAttribute("title")));
  const exact = (/** @type {number} */ n) => `${n < 0 ? "−" : ""}${Math.abs(n).toLocaleString("en-US")} B`;
  assert.deepEqual(cells, [expected.totals.requested.a, expected.totals.requested.b, expected.totals.requested.diff].map(exact));
  opened.quiet();
  await opened.close();
});

test("both languages and both themes are complete, wide and narrow", async () => {
  const path = write("languages", [cases.oom]);
  for (const width of [1400, 700]) {
    const opened = await read(browser, path, { viewport: { width, height: 900 } });
    const { page } = opened;
    await page.getByRole("radio", { name: "中文" }).click();
    assert.match(await page.locator("#overview h2").innerText(), /总览/);
    await page.getByRole("radio", { name: "深色" }).click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wider <= 0, `${wider} pixels wider than the window of ${width}`);
    // Headings and labels of the report itself hold no English.
    const headings = await page.locator("h2, h3, summary").allInnerTexts();
    const english = headings.filter((text) => !/[\u4e00-\u9fff]/.test(text) && !/\.(py|cpp|h):|^\S+ (B|KiB|MiB|GiB)/.test(text));
    assert.deepEqual(english, []);
    opened.quiet();
    await opened.close();
  }
});

test("it prints with every chart drawn", async () => {
  const opened = await read(browser, write("print", [cases.oom]));
  const pdf = await opened.page.pdf({ format: "A4" });
  assert.ok(pdf.length > 20_000);
  await opened.page.emulateMedia({ media: "print" });
  await opened.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const undrawn = await opened.page.locator(".report-chart:not([data-points])").count();
  assert.equal(undrawn, 0);
  assert.equal(await opened.page.locator("details:not([open]):not(.chart-table)").count(), 0);
  assert.equal(await opened.page.evaluate(() => document.documentElement.dataset["theme"]), "light");
  const wider = await opened.page.locator(".report-chart svg").evaluateAll((all) => Math.max(...all.map((svg) => svg.getBoundingClientRect().width)));
  assert.ok(wider <= 705, `${wider} pixels`);
  // Of stacks that lead through Python its frames are printed, in their places, and how many others there are.
  const stacks = await opened.page.locator(".stack").evaluateAll((all) =>
    all.map((stack) => ({ native: stack.querySelectorAll("li.native").length, shown: [...stack.querySelectorAll("li")].filter((line) => getComputedStyle(line).display !== "none").length, said: Number(/\d+/.exec(stack.parentElement?.querySelector("p.on-paper")?.textContent ?? "0")?.[0]) })),
  );
  assert.ok(stacks.length > 0 && stacks.every(({ shown }) => shown > 0), JSON.stringify(stacks));
  for (const { native, said } of stacks) if (native > 0) assert.ok(said > 0);
  await opened.close();
});

test("a snapshot of nothing has a report, bad input has none", async () => {
  const empty = join(folder, "empty.json");
  writeFileSync(empty, JSON.stringify({ segments: [], device_traces: [] }));
  const opened = await read(browser, write("empty", [empty]));
  assert.equal(await opened.page.locator("main section").count(), 1);
  assert.match(await opened.page.locator("#overview").innerText(), /holds no device/);
  opened.quiet();
  await opened.close();
  const broken = join(folder, "broken.pickle");
  writeFileSync(broken, "not a snapshot");
  for (const input of [broken, join(folder, "nowhere.pickle")]) {
    const out = join(folder, "none.html");
    const { status, stderr } = spawnSync(program, ["report", input, "-o", out], { encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /broken\.pickle|there is no such file/);
    assert.ok(!existsSync(out));
  }
});

test("names of a file cannot do anything", async () => {
  const hostile = "</script><img src=x onerror=alert(1)><script>alert(2)</script>\u2028";
  const frames = [{ filename: `/${hostile}.py`, line: 1, name: `forward${hostile}` }];
  const path = join(folder, "hostile.json");
  const block = { address: 4096, size: 2097152, requested_size: 2097152, state: "active_allocated", frames };
  const segment = { device: 0, address: 4096, total_size: 2097152, allocated_size: 2097152, active_size: 2097152, stream: 0, segment_type: "large", blocks: [block], frames };
  writeFileSync(path, JSON.stringify({ segments: [segment], device_traces: [[{ action: "alloc", addr: 4096, size: 2097152, stream: 0, frames }]] }));
  const opened = await read(browser, write("hostile", [path]));
  await chart(opened.page, "sites");
  const { element } = await chart(opened.page, "sites");
  await element.hover({ position: { x: 320, y: 30 } });
  await opened.page.waitForTimeout(200);
  assert.equal(await opened.page.locator("img").count(), 0);
  assert.ok((await opened.page.locator("#attribution").innerText()).includes("onerror"));
  opened.quiet();
  await opened.close();
});
