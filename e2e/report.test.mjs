// Reports: written by the terminal and by the page, opened from the disk; charts with their points counted, figures
// against the terminal's JSON.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, pick, sharedFolder, singleFile } from "./browser.mjs";
import { cases, drawn, ready, sample, show, terminal } from "./support.mjs";

const program = ["release", "quick", "debug"].map((profile) => join("target", profile, "hbmlens")).find((path) => existsSync(path)) ?? "";
const folder = mkdtempSync(join(tmpdir(), "hbmlens-report-"));
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a report with the terminal. @param {string} name @param {string[]} args */
function write(name, args) {
  const path = join(folder, `${name}.html`);
  execFileSync(program, ["report", "-o", path, "--lang", "en", ...args]);
  return path;
}

/** @param {string} html */
const dataIn = (html) => JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(html)?.[1] ?? "null");

/**
 * A report opened from the disk.
 * @param {string} path
 * @param {import("playwright-core").BrowserContextOptions} options
 */
async function read(path, options = {}) {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => (complaints.push(dialog.message()), void dialog.dismiss()));
  const url = pathToFileURL(resolve(path)).href;
  await page.goto(url);
  await page.locator("#overview h2").waitFor();
  return {
    page,
    data: dataIn(readFileSync(path, "utf8")).report,
    /** Nothing was asked for and nothing went wrong. */
    quiet: () => {
      assert.deepEqual(requests.filter((each) => each !== url && !each.startsWith("data:")), []);
      assert.deepEqual(complaints, []);
    },
    close: () => context.close(),
  };
}

/**
 * A chart once it is drawn, with the points of each of its series.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
async function chart(page, name) {
  const element = page.locator(`[data-chart="${name}"]`).first();
  await element.scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => document.querySelector(`[data-chart="${id}"]`)?.hasAttribute("data-points"), name);
  return { element, points: ((await element.getAttribute("data-points")) ?? "").split(" ").map(Number) };
}

/** Corners of the longest drawn line of a chart. @param {import("playwright-core").Locator} element */
const corners = (element) => element.locator("path[fill=none], path[fill=transparent]").evaluateAll((paths) => Math.max(0, ...paths.map((path) => (path.getAttribute("d") ?? "").split(/[MLCHV]/).length - 1)));

test("a report of a snapshot draws what it holds, and its figures are the terminal's", async () => {
  const opened = await read(write("sample", [sample]));
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
  // A stepped line turns twice at each point: every point is really in the drawing.
  const longest = Math.max(...lines.map((/** @type {any} */ line) => line.value.length));
  assert.ok((await corners(memory.element)) >= longest, `${await corners(memory.element)} corners of ${longest} points`);
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

test("a click on a call site's bar opens its stack", async () => {
  const opened = await read(write("click", [sample]));
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
  const opened = await read(write("oom", [cases.oom]));
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
  assert.equal(await bars(colours[0]), count((action) => action === "alloc") + 1, "allocations are red");
  assert.equal(await bars(colours[1]), count((action) => action.startsWith("free")) + 1, "frees are green");
  assert.equal(await bars(colours[2]), 2, "the trigger is marked");
  opened.quiet();
  await opened.close();
});

test("a comparison lays both curves over one another", async () => {
  const opened = await read(write("compare", [sample, "--compare", cases.oom]));
  const expected = JSON.parse(execFileSync(program, ["compare", sample, cases.oom, "--json", "--curves", "event"], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
  const drawing = await chart(opened.page, "comparison");
  assert.deepEqual(drawing.points, [600, 600, 600, 600]);
  assert.deepEqual(opened.data.comparisons[0].totals, expected.totals);
  const text = await opened.page.locator("#comparison table").first().innerText();
  assert.match(text, /Requested/);
  opened.quiet();
  await opened.close();
});

test("both languages and both themes are complete, wide and narrow", async () => {
  const path = write("languages", [cases.oom]);
  for (const width of [1400, 700]) {
    const opened = await read(path, { viewport: { width, height: 900 } });
    const { page } = opened;
    await page.getByRole("radio", { name: "中文" }).click();
    assert.match(await page.locator("#overview h2").innerText(), /概览/);
    await page.getByRole("radio", { name: "深色" }).click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wider <= 0, `${wider} pixels wider than the window of ${width}`);
    // Headings and labels of the report itself hold no English.
    const headings = await page.locator("h2, h4, summary").allInnerTexts();
    const english = headings.filter((text) => !/[\u4e00-\u9fff]/.test(text) && !/\.(py|cpp|h):|^\S+ (B|KiB|MiB|GiB)/.test(text));
    assert.deepEqual(english, []);
    opened.quiet();
    await opened.close();
  }
});

test("it prints with every chart drawn", async () => {
  const opened = await read(write("print", [cases.oom]));
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
  await opened.close();
});

test("a snapshot of nothing has a report, bad input has none", async () => {
  const empty = join(folder, "empty.json");
  writeFileSync(empty, JSON.stringify({ segments: [], device_traces: [] }));
  const opened = await read(write("empty", [empty]));
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
  const opened = await read(write("hostile", [path]));
  await chart(opened.page, "sites");
  const { element } = await chart(opened.page, "sites");
  await element.hover({ position: { x: 320, y: 30 } });
  await opened.page.waitForTimeout(200);
  assert.equal(await opened.page.locator("img").count(), 0);
  assert.ok((await opened.page.locator("#attribution").innerText()).includes("onerror"));
  opened.quiet();
  await opened.close();
});

/**
 * What a button of the page saves.
 * @param {import("playwright-core").Page} page
 * @param {string | RegExp} button
 * @param {string} name
 */
async function save(page, button, name) {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).click();
  const path = join(folder, `${name}.html`);
  await (await saved).saveAs(path);
  return path;
}

test("the page writes the terminal's report", async () => {
  const opened = await open(browser, singleFile);
  await pick(opened.page, [cases.oom]);
  await ready(opened.page);
  await show(opened.page, "overview");
  await drawn(opened.page, "overview");
  const path = await save(opened.page, "Report", "of-page");
  const byPage = dataIn(readFileSync(path, "utf8"));
  const byTerminal = dataIn(readFileSync(write("of-terminal", [cases.oom]), "utf8"));
  byTerminal.report.overview.file.name = byPage.report.overview.file.name;
  assert.deepEqual(byPage, byTerminal);
  // Around the data it is the same page.
  const around = (/** @type {string} */ html) => html.replace(/(id="data">)[^]*?<\/script>/, "$1");
  assert.equal(around(readFileSync(path, "utf8")), around(readFileSync(join(folder, "of-terminal.html"), "utf8")));
  assert.deepEqual(opened.complaints, []);
  await opened.close();
  const report = await read(path);
  await chart(report.page, "oom");
  report.quiet();
  await report.close();
});

test("the page's reports of comparisons and logs have the terminal's figures", async () => {
  const opened = await open(browser, singleFile);
  const { page } = opened;
  await pick(page, [cases.oom]);
  await ready(page);
  await show(page, "compare");
  const path = await save(page, "Report with this comparison", "compared");
  const expected = JSON.parse(execFileSync(program, ["compare", `${cases.oom}@peak`, `${cases.oom}@end`, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
  const [found] = dataIn(readFileSync(path, "utf8")).report.comparisons;
  assert.deepEqual(found.totals, expected.totals);
  const figures = (/** @type {any[]} */ rows) => rows.map((row) => [row.key, row.a_bytes, row.b_bytes, row.diff_bytes]).sort();
  assert.deepEqual(figures(found.by_category), figures(expected.by_category));
  const report = await read(path);
  assert.ok((await chart(report.page, "comparison")).points.every((n) => n === 600));
  report.quiet();
  await report.close();
  const log = "dist/samples/plog-sample.log";
  await pick(page, [log]);
  await page.locator(".file.ready").nth(1).locator(".file-name").click();
  const ofLog = dataIn(readFileSync(await save(page, "Report", "log"), "utf8"));
  const ge = dataIn(readFileSync(write("log-terminal", [log]), "utf8"));
  assert.deepEqual(ofLog.report.ge, ge.report.ge);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

test("profiler folders and GE logs have sections of their own", async (t) => {
  const log = "dist/samples/plog-sample.log";
  const ofLog = await read(write("ge", [log]));
  const expected = JSON.parse(execFileSync(program, ["ge", "total", log, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  assert.equal(ofLog.data.ge.processes.length, expected.processes.length);
  const graphs = await chart(ofLog.page, "graphs");
  assert.equal(graphs.points[0], Math.min(20, expected.processes[0].graphs.length));
  assert.equal(await ofLog.page.locator("#graphs table").first().locator("tbody tr").count(), expected.processes[0].graphs.length);
  ofLog.quiet();
  await ofLog.close();
  const shared = sharedFolder();
  if (!shared) return t.skip("no real profiler folders here");
  const ofFolder = await read(write("profiler", [`${shared}/data/profiler`]));
  const ops = JSON.parse(execFileSync(program, ["ops", `${shared}/data/profiler`, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  const ranks = await chart(ofFolder.page, "ranks");
  assert.deepEqual(ranks.points, [ops.ranks.length, ops.ranks.length]);
  assert.deepEqual(ofFolder.data.ops.ranks.map((/** @type {any} */ rank) => rank.peak_bytes), ops.ranks.map((/** @type {any} */ rank) => rank.peak_bytes));
  const curves = await chart(ofFolder.page, "operators");
  assert.ok(curves.points.every((n) => n > 0 && n <= 2000));
  ofFolder.quiet();
  await ofFolder.close();
});
