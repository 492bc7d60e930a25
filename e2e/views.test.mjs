// The views of a snapshot in a real browser: what is read off the screen against the terminal's JSON.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, pick, sharedFolder, singleFile } from "./browser.mjs";
import { browser } from "./suite.mjs";
import { address, at as atView, cases, drawn, exact, ready, sample, show, terminal, VIEWS } from "./support.mjs";

const shared = sharedFolder();
const files = [sample, ...(shared === null ? [] : ["cuda_training.pickle", "npu_expandable.pkl"].map((name) => join(shared, "data/snapshots", name)))];

/** @param {string} file @param {string} view */
const at = (file, view, more = "", options = {}) => atView(browser, file, view, more, options);

/** @param {import("playwright-core").Page} page @param {string} view @param {string} text */
const figure = (page, view, text) => page.locator(`${view} .figure[title="${text}"]`).first().waitFor({ timeout: 15_000 });

for (const file of files) {
  test(`${file.split("/").at(-1)}: every view shows the terminal's figures`, async () => {
    const { page, complaints, close } = await at(file, "moment");
    const peak = terminal("peak", file).devices[0];
    const whole = terminal("overview", file).devices[0];

    // At a moment: the composition of the peak.
    const table = page.getByRole("table", { name: "By category and call site" });
    await table.waitFor();
    assert.equal(await page.locator("main p b .figure").first().getAttribute("title"), exact(peak.peak_requested));
    for (const row of peak.by_category) assert.ok((await table.locator(`tbody tr [title="${exact(row.bytes)}"]`).count()) >= 1, `${row.category}: ${row.bytes}`);
    const modules = page.getByRole("table", { name: "By module" });
    for (const row of peak.by_module.filter((/** @type {{ depth: number }} */ each) => each.depth === 1)) assert.ok((await modules.locator(`[title="${exact(row.bytes)}"]`).count()) >= 1, row.module);

    // Timeline: the highest column is the peak.
    await show(page, "timeline");
    await drawn(page, "timeline");
    await page.locator("summary", { hasText: "The bands as a table" }).click();
    await figure(page, 'table[aria-label="The bands as a table"]', exact(peak.peak_requested));

    // Flame graph: everything weighs the peak.
    await show(page, "flame");
    await page.locator("summary", { hasText: "widest boxes" }).click();
    const first = await page.getByRole("table", { name: "The widest boxes as a table" }).locator("tbody tr").first().innerText();
    assert.match(first, /Everything/);
    assert.match(first, /100\.00 %/);
    const shownBytes = await page.evaluate(() => document.querySelector(".flame ~ details tbody tr td:nth-child(3)")?.textContent);
    assert.equal(shownBytes, inUnits(peak.peak_requested));

    // Segments: the last moment is the snapshot, and a step back and forth leads to the same figures.
    await show(page, "segments");
    await page.getByRole("button", { name: "End" }).click();
    for (const key of ["reserved", "allocated"]) await figure(page, "main p", exact(whole[key]));
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/What changed from event/).waitFor();
    await page.keyboard.press("ArrowRight");
    for (const key of ["reserved", "allocated"]) await figure(page, "main p", exact(whole[key]));

    // Fragmentation at the end.
    await show(page, "fragmentation");
    const fragment = terminal("fragment", file).devices[0];
    for (const key of ["releasable", "largest_free_block", "reserved", "lower_bound"]) await figure(page, ".card", exact(fragment[key]));

    // Growth.
    await show(page, "growth");
    const leak = terminal("leak", file).devices[0];
    const risk = { low: "Low risk", medium: "Medium risk", high: "High risk" }[/** @type {"low"} */ (leak.risk)];
    await page.locator(".health").filter({ hasText: risk }).waitFor();
    for (const grower of leak.growth.slice(0, 20)) await figure(page, "table", exact(grower.bytes_per_step));

    // Events, counted by kind.
    await show(page, "events");
    await page.getByRole("table", { name: "Events" }).waitFor();
    for (const action of ["alloc", "free_completed", "segment_alloc"]) {
      if (!whole.actions[action]) continue;
      await page.locator("label", { hasText: "Action" }).locator("select").selectOption(action);
      await page.getByRole("status").filter({ hasText: `${whole.actions[action].toLocaleString("en-US")} of` }).waitFor();
    }
    await page.locator(".virtual-row").first().click();
    await page.getByRole("region", { name: "Call stack" }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });
}

/** @param {number} bytes */
function inUnits(bytes) {
  const unit = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)));
  return unit === 0 ? `${bytes} B` : `${(bytes / 1024 ** unit).toFixed(2)} ${["", "KiB", "MiB", "GiB"][unit]}`;
}

test("out of memory: the verdict and figures of the terminal, and the ways to the evidence", async () => {
  const { page, complaints, close } = await at(cases.oom, "oom");
  const { ooms } = terminal("oom", cases.oom).devices?.[0] ?? terminal("oom", cases.oom);
  const [oom] = ooms;
  await page.getByRole("heading", { name: /Fragmentation/ }).waitFor();
  for (const key of ["requested", "device_free", "allocated", "reserved", "cached_free", "largest_usable"]) await figure(page, ".card", exact(oom[key]));
  assert.ok(oom.by_call_site.length > 1);
  for (const row of oom.by_call_site.slice(0, 10)) await figure(page, 'table[aria-label="Live at that moment, by call site"]', exact(row.bytes));
  await page.getByRole("button", { name: "In the segments" }).click();
  await page.locator(".segment-map").waitFor();
  assert.equal((await address(page)).at, String(oom.event));
  await page.goBack();
  await page.getByRole("button", { name: "In the timeline" }).click();
  await drawn(page, "timeline");
  await page.waitForFunction(() => location.hash.includes("range="));
  assert.deepEqual(complaints, []);
  await close();
});

test("the timeline zooms to a single event and shows that event", async () => {
  const { page, requests, complaints, close } = await at(sample, "timeline");
  await page.getByRole("radio", { name: "Event", exact: true }).click();
  const events = terminal("peak", sample).devices[0];
  const wanted = events.peak_event;
  // The window of one state: the event that led to the peak.
  await show(page, "timeline", `range=${wanted + 1}..${wanted + 2}`);
  await drawn(page, "timeline");
  const box = await page.locator(".bands-canvas").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height - 40);
  const tip = page.locator(".timeline .chart-tip");
  await tip.getByText(`event ${wanted.toLocaleString("en-US")}`, { exact: true }).waitFor();
  await tip.locator(".figure", { hasText: inUnits(events.peak_requested) }).first().waitFor();
  // The event's own allocation is the topmost band there: looked for from above and below.
  let [low, high] = [50, box.height - 40];
  while (high - low > 1) {
    const y = (low + high) / 2;
    await page.mouse.move(box.x + box.width * 0.4, box.y + y);
    await page.waitForTimeout(80);
    if ((await tip.locator(".category").count()) > 0) high = y;
    else low = y;
  }
  await page.mouse.move(box.x + box.width * 0.4, box.y + high + 0.5);
  await tip.getByText(`from event ${wanted.toLocaleString("en-US")} `).waitFor();
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height - 40);
  const panel = page.getByRole("complementary", { name: "Allocation" });
  await panel.getByText("Requested", { exact: true }).waitFor();
  assert.equal((await address(page)).at, String(wanted + 1));
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("range="));
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
  await close();
});

test("a search in the timeline counts, sums, walks, and lights up elsewhere", async () => {
  const { page, close } = await at(sample, "timeline");
  await drawn(page, "timeline");
  await page.keyboard.press("/");
  await page.keyboard.type("adam");
  const status = page.getByRole("status").filter({ hasText: "in all" });
  await status.waitFor();
  const shown = Number(/([\d,]+) allocation/.exec(await status.innerText())?.[1]?.replaceAll(",", ""));
  assert.ok(shown > 0);
  await page.getByRole("button", { name: "Next match" }).click();
  await page.waitForFunction(() => location.hash.includes("sel=life"));
  const first = (await address(page)).sel;
  await page.getByRole("button", { name: "Next match" }).click();
  await page.waitForFunction((before) => new URLSearchParams(location.hash.slice(1)).get("sel") !== before, first);
  await show(page, "events");
  await page.getByRole("status").filter({ hasText: "events" }).waitFor();
  assert.equal(await page.locator("label", { hasText: "Stack text" }).locator("input").inputValue(), "adam");
  await show(page, "timeline");
  await page.getByRole("searchbox").fill("no such frame anywhere");
  await page.getByRole("status").filter({ hasText: "nothing found" }).waitFor();
  await close();
});

test("a selected range adds up to the difference of its ends, and the flame graph weighs it", async () => {
  const { page, close } = await at(sample, "timeline");
  await page.getByRole("radio", { name: "Event", exact: true }).click();
  await drawn(page, "timeline");
  const box = await page.locator(".bands-canvas").boundingBox();
  assert.ok(box);
  await page.keyboard.down("Control");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 220, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Control");
  const table = page.getByRole("table", { name: "The range by category" });
  await table.waitFor();
  const cells = (await table.locator("tbody tr").first().locator("td .figure").evaluateAll((all) => all.map((each) => Number((each.getAttribute("title") ?? "").replace(/[^\d]/g, "")))));
  const [allocated = 0, freed = 0, surviving = 0] = cells;
  const sums = await table.locator("tbody tr:not(:first-child)").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td .figure")].map((each) => Number((each.getAttribute("title") ?? "").replace(/[^\d]/g, "")))));
  for (const [i, total] of [allocated, freed, surviving].entries()) assert.equal(sums.reduce((sum, row) => sum + (row[i] ?? 0), 0), total);
  // So do the call sites, once all of them are shown.
  const sites = page.getByRole("table", { name: "The range by call site" });
  const all = page.getByRole("button", { name: /^All \d+$/ });
  if ((await all.count()) > 0) await all.click();
  const bySite = await sites.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td .figure")].map((each) => Number((each.getAttribute("title") ?? "").replace(/[^\d]/g, "")))));
  for (const [i, total] of [allocated, freed, surviving].entries()) assert.equal(bySite.reduce((sum, row) => sum + (row[i] ?? 0), 0), total);
  await page.waitForFunction(() => /range(:|%3A)\d/.test(location.hash));
  const [from, to] = (/range:(\d+)\.\.(\d+)/.exec((await address(page)).sel ?? "") ?? []).slice(1).map(Number);
  // What is requested at the two ends, read at those moments.
  const requested = [];
  for (const state of [from, to]) {
    await show(page, "moment", `at=${state}`);
    await page.waitForFunction((event) => /** @type {HTMLInputElement | null} */ (document.querySelector("input[type=number]"))?.value === event, state === 0 ? "" : String(Number(state) - 1));
    await page.locator("nav.crumbs").waitFor();
    await page.waitForTimeout(300);
    requested.push(Number(((await page.locator("main p b .figure").first().getAttribute("title")) ?? "").replace(/[^\d]/g, "")));
  }
  assert.equal(allocated - freed, Number(requested[1]) - Number(requested[0]));
  await show(page, "flame");
  await page.locator("select").first().selectOption("range");
  await page.getByText(`averages over events ${Number(from).toLocaleString("en-US")} to ${(Number(to) - 1).toLocaleString("en-US")}`).waitFor();
  await close();
});

test("private pools stand as envelopes", async () => {
  const { page, complaints, close } = await at(cases.pools, "timeline");
  await drawn(page, "timeline");
  await page.getByRole("radio", { name: "Private pools" }).click();
  await page.getByText("Kept by a private pool, idle").waitFor();
  await drawn(page, "timeline");
  // Somewhere at the end of the trace a pixel belongs to no allocation but to the pool's idle part.
  const box = await page.locator(".bands-canvas").boundingBox();
  assert.ok(box);
  let seen = false;
  for (let y = 70; y < box.height - 20 && !seen; y += 12) {
    await page.mouse.move(box.x + box.width - 12, box.y + y);
    await page.waitForTimeout(60);
    seen = (await page.locator(".timeline .chart-tip .mono", { hasText: /^\(0, [12]\)$/ }).count()) > 0;
  }
  assert.ok(seen, "no envelope under the pointer");
  assert.deepEqual(complaints, []);
  await close();
});

test("at a moment one goes from category to call site to stack, and is told why", async () => {
  const { page, complaints, close } = await at(sample, "moment");
  const table = page.getByRole("table", { name: "By category and call site" });
  await table.locator("tbody button").first().click();
  await table.locator("tr.detail summary", { hasText: "Why this category?" }).click();
  await table.locator("tr.detail li").first().waitFor();
  const sites = table.locator("tr.inner:not(.detail) button");
  await sites.first().click();
  const stack = table.locator(".drill-stack").first();
  await stack.locator(".stack li").first().waitFor();
  // The same way in the areas: one is inside a call site now.
  await page.locator("nav.crumbs .mono").waitFor();
  await stack.getByRole("button", { name: "Choose the largest" }).click();
  await page.getByRole("complementary", { name: "Allocation" }).getByText("Requested", { exact: true }).waitFor();
  // Chosen here, chosen everywhere.
  for (const view of VIEWS.slice(1)) {
    await show(page, view);
    await page.getByRole("complementary", { name: "Allocation" }).waitFor();
  }
  await show(page, "events");
  await page.locator(".virtual-row.chosen, .virtual-row.marked").first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("segments tell what a step changed, and what lay at an address before", async () => {
  const { page, complaints, close } = await at(sample, "segments", "at=40");
  await page.locator(".segment-map").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("heading", { name: "What changed from event 39 to 40" }).waitFor();
  await page.getByText("event 40", { exact: true }).waitFor();
  const changes = page.getByRole("table", { name: "Changes of the last step" });
  await page.keyboard.press(".");
  await changes.locator("tbody tr").first().waitFor();
  const code = await changes.locator("tbody code").first().innerText();
  await page.keyboard.press("/");
  await page.keyboard.type(code);
  await page.getByRole("heading", { name: `Allocations at ${code}, in order` }).waitFor();
  await page.waitForFunction(() => location.hash.includes("addr"));
  assert.deepEqual(complaints, []);
  await close();
});

test("segments are zoomed into, and what is under the pointer is told there", async () => {
  const { page, complaints, close } = await at(sample, "segments", "at=700");
  const canvas = page.locator(".segment-map canvas");
  await canvas.waitFor();
  // The parts of what is reserved add up to it.
  const figures = await page.locator("main p").filter({ hasText: "Reserved" }).locator(".figure").evaluateAll((all) => all.map((each) => Number((each.getAttribute("title") ?? "").replace(/[^\d]/g, ""))));
  assert.equal(figures.slice(1).reduce((sum, each) => sum + each, 0), figures[0]);
  const shown = async () => ((await canvas.getAttribute("data-window")) ?? "").split(" ").map(Number);
  const [, whole = 0] = await shown();
  const box = await canvas.boundingBox();
  assert.ok(box);
  const left = Number.parseFloat((await page.locator(".segment-tick").first().getAttribute("style"))?.match(/left: ([\d.]+)/)?.[1] ?? "0");
  const [x, y] = [box.x + left + (box.width - left - 16) * 0.25, box.y + 11];
  const address = async () => {
    await page.locator(".chart-tip .mono").first().waitFor();
    return Number(await page.locator(".chart-tip .mono").first().innerText());
  };
  await page.mouse.move(x, y);
  const before = await address();
  await page.locator(".chart-tip .mono").nth(1).waitFor();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await page.waitForFunction((old) => document.querySelector(".segment-map canvas")?.getAttribute("data-window") !== old, `0 ${whole}`);
  const [from = 0, to = 0] = await shown();
  // What is under the pointer stays there.
  assert.ok(Math.abs(from + (to - from) * 0.25 - whole * 0.25) < whole * 0.01, `${from} to ${to} of ${whole}`);
  await page.mouse.move(x + 1, y);
  assert.equal(await address(), before);
  // A drag pans and chooses nothing.
  await page.mouse.down();
  await page.mouse.move(x - 60, y, { steps: 4 });
  await page.mouse.up();
  const [panned = 0] = await shown();
  assert.ok(panned > from, `${panned} after ${from}`);
  assert.equal(await page.getByRole("complementary", { name: "Allocation" }).count(), 0);
  await page.getByRole("button", { name: "Show everything" }).click();
  await page.waitForFunction((all) => document.querySelector(".segment-map canvas")?.getAttribute("data-window") === all, `0 ${whole}`);
  assert.deepEqual(complaints, []);
  await close();
});

test("what is told beside the pointer is whole, however low the drawing", async () => {
  const { page, complaints, close } = await at(sample, "flame");
  await drawn(page, "flame");
  const box = await page.locator(".flame canvas").boundingBox();
  assert.ok(box);
  await page.setViewportSize({ width: 1000, height: Math.ceil(box.y + Math.min(box.height, 90)) });
  for (const share of [0.02, 0.5, 0.97]) {
    const now = await page.locator(".flame canvas").boundingBox();
    assert.ok(now);
    await page.mouse.move(now.x + now.width * share, now.y + 9);
    const tip = await page.locator(".chart-tip").boundingBox();
    assert.ok(tip && tip.x >= 0 && tip.y >= 0 && tip.x + tip.width <= 1000 && tip.y + tip.height <= (page.viewportSize()?.height ?? 0), JSON.stringify(tip));
    // Nothing lies over its corners: what is hidden by a frame would not be hit.
    const whole = await page.evaluate(([left = 0, top = 0, right = 0, bottom = 0]) => {
      const element = /** @type {HTMLElement} */ (document.querySelector(".chart-tip"));
      element.style.pointerEvents = "auto";
      const found = [[left + 8, top + 8], [right - 8, top + 8], [left + 8, bottom - 8], [right - 8, bottom - 8]].every(([x = 0, y = 0]) => element.contains(document.elementFromPoint(x, y)));
      element.style.pointerEvents = "";
      return found;
    }, [tip.x, tip.y, tip.x + tip.width, tip.y + tip.height]);
    assert.ok(whole, "the tip is covered or cut");
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a low or narrow window shows the table of a moment whole, and brings the panel into sight", async () => {
  const { page, complaints, close } = await at(sample, "moment");
  await page.setViewportSize({ width: 1024, height: 600 });
  const table = page.getByRole("table", { name: "By category and call site" });
  await table.locator("tbody button").first().click();
  await table.locator("tr.detail summary").first().click();
  await table.locator("tr.detail li").first().waitFor();
  for (const width of [1024, 1300]) {
    await page.setViewportSize({ width, height: 600 });
    const [own = 0, frame = 0] = await table.evaluate((element) => [element.scrollWidth, element.parentElement?.clientWidth ?? 0]);
    assert.ok(own <= frame, `${own} pixels in ${frame}`);
  }
  await page.setViewportSize({ width: 1024, height: 600 });
  await show(page, "timeline");
  await drawn(page, "timeline");
  const bands = await page.locator(".bands canvas").boundingBox();
  assert.ok(bands);
  await page.mouse.click(bands.x + bands.width / 2, bands.y + bands.height - 60);
  const panel = page.getByRole("complementary", { name: "Allocation" });
  await panel.getByText("Requested", { exact: true }).waitFor();
  await page.waitForFunction(() => {
    const edges = document.querySelector("aside.panel")?.getBoundingClientRect();
    return edges !== undefined && edges.bottom <= innerHeight + 1;
  });
  assert.equal(await page.evaluate(() => document.activeElement?.closest("aside")), null);
  assert.deepEqual(complaints, []);
  await close();
});

test("lines over time are named, and the pointer reads them", async () => {
  const { page, complaints, close } = await at(sample, "fragmentation");
  const chart = page.getByRole("img", { name: "Fragmentation over time" });
  await chart.scrollIntoViewIfNeeded();
  await chart.locator("canvas").waitFor();
  const legend = page.locator(".chart", { has: chart }).locator(".legend");
  assert.match(await legend.innerText(), /Reserved[\s\S]*Allocated[\s\S]*\(right axis\)/);
  const box = await chart.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
  await page.waitForFunction(() => document.querySelectorAll("[_echarts_instance_] .category-mark").length === 3);
  const inks = await chart.locator(".category-mark").evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
  assert.equal(new Set(inks).size, 3);
  assert.deepEqual(complaints, []);
  await close();
});

test("the filtered events are saved as CSV, every row of them", async () => {
  const { page, close } = await at(sample, "events");
  const whole = terminal("overview", sample).devices[0];
  await page.locator("label", { hasText: "Action" }).locator("select").selectOption("alloc");
  await page.getByRole("status").filter({ hasText: `${whole.actions.alloc.toLocaleString("en-US")} of` }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save these rows as CSV" }).click();
  const lines = readFileSync(await (await download).path(), "utf8").trim().split("\n");
  assert.equal(lines[0], "event,action,address,size,stream,time_us,stack");
  assert.equal(lines.length - 1, whole.actions.alloc);
  assert.ok(lines.slice(1).every((line) => /^\d+,alloc,0x[0-9a-f]+,\d+,/.test(line)));
  await close();
});

test("every view speaks Chinese, and the dark theme", async () => {
  const { page, complaints, close } = await open(browser, singleFile, { locale: "zh-CN", colorScheme: "dark" });
  await pick(page, [sample]);
  await ready(page);
  for (const [view, text] of [
    ["timeline", "色带表示"],
    ["moment", "按类别与调用位置"],
    ["flame", "最外层调用"],
    ["segments", "查找地址"],
    ["fragmentation", "最大空闲块"],
    ["growth", "风险"],
    ["oom", "没有失败的分配"],
    ["events", "调用栈文字"],
  ]) {
    await show(page, String(view));
    const found = page.getByText(String(text)).or(page.getByPlaceholder(String(text))).or(page.getByRole("radiogroup", { name: String(text) })).first();
    await found.waitFor({ state: "attached", timeout: 15_000 });
  }
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  assert.deepEqual(complaints, []);
  await close();
});
