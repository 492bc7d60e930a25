// Reports that the page writes are the terminal's; profiler folders and GE logs have sections of their own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, pick, program, sharedFolder, singleFile } from "./browser.mjs";
import { chart, dataIn, read, write } from "./reports.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, drawn, ready, show } from "./support.mjs";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

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
  assert.ok(around(readFileSync(path, "utf8")) === around(readFileSync(join(folder, "of-terminal.html"), "utf8")), "another page around the data");
  assert.deepEqual(opened.complaints, []);
  await opened.close();
  const report = await read(browser, path);
  await chart(report.page, "oom");
  report.quiet();
  await report.close();
});

test("the page's report knows the device's memory from the side-car, as the terminal's does", async () => {
  const counters = join(folder, "oom.pickle.counters.json");
  writeFileSync(counters, JSON.stringify({ total_memory: 2 ** 31, memory_reserved: 2 ** 30 }));
  const opened = await open(browser, singleFile);
  await pick(opened.page, [cases.oom, counters]);
  await ready(opened.page);
  await show(opened.page, "oom");
  await opened.page.locator(".card").filter({ hasText: "Free on the device" }).waitFor();
  const byPage = dataIn(readFileSync(await save(opened.page, "Report", "limit-of-page"), "utf8")).report.devices;
  const byTerminal = dataIn(readFileSync(write("limit-of-terminal", [cases.oom, "--sidecar", counters]), "utf8")).report.devices;
  assert.equal(byPage[0].ooms.ooms[0].limit, 2 ** 31);
  assert.deepEqual(byPage, byTerminal);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
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
  const report = await read(browser, path);
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
  const ofLog = await read(browser, write("ge", [log]));
  const expected = JSON.parse(execFileSync(program, ["ge", "total", log, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  assert.equal(ofLog.data.ge.processes.length, expected.processes.length);
  const graphs = await chart(ofLog.page, "graphs");
  assert.equal(graphs.points[0], Math.min(20, expected.processes[0].graphs.length));
  assert.equal(await ofLog.page.locator("#graphs table").first().locator("tbody tr").count(), expected.processes[0].graphs.length);
  ofLog.quiet();
  await ofLog.close();
  const shared = sharedFolder();
  if (!shared) return t.skip("no real profiler folders here");
  const ofFolder = await read(browser, write("profiler", [`${shared}/data/profiler`]));
  const ops = JSON.parse(execFileSync(program, ["ops", `${shared}/data/profiler`, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  const ranks = await chart(ofFolder.page, "ranks");
  assert.deepEqual(ranks.points, [ops.ranks.length, ops.ranks.length]);
  assert.deepEqual(ofFolder.data.ops.ranks.map((/** @type {any} */ rank) => rank.peak_bytes), ops.ranks.map((/** @type {any} */ rank) => rank.peak_bytes));
  const curves = await chart(ofFolder.page, "operators");
  assert.ok(curves.points.every((n) => n > 0 && n <= 2000));
  ofFolder.quiet();
  await ofFolder.close();
});

for (const scheme of /** @type {const} */ (["light", "dark"]))
  test(`axe finds no violation in a report (${scheme})`, async () => {
    const opened = await read(browser, write("access", [cases.oom, "--compare", cases.oom]), { colorScheme: scheme });
    for (const name of ["memory", "segments", "sites", "oom", "comparison"]) await chart(opened.page, name);
    await opened.page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    await opened.page.evaluate(axe);
    const found = await opened.page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
      return violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.target.join(" ")} ${node.any?.[0]?.message ?? ""}`).join(" | ")}`);
    });
    assert.deepEqual(found, []);
    await opened.close();
  });
