// Profiler folders in a real browser: dropped as a folder, the figures on the screen against the terminal's JSON.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { card, dropPaths, longestTask, open, pick, program, sharedFolder, singleFile } from "./browser.mjs";
import { browser, folder as scratch } from "./suite.mjs";

const shared = sharedFolder();
const sample = "dist/samples/profiler";
const real = shared === null ? null : join(shared, "data/profiler");
/** HBMLENS_ROWS=200000 for a large run: its trace alone is 400 MB. */
const large = process.env["HBMLENS_ROWS"] ?? "20000";

/** @param {string[]} args */
function terminal(args) {
  assert.ok(program, "the terminal program has to be built");
  return JSON.parse(execFileSync(program, ["ops", ...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
}

/**
 * @param {import("playwright-core").Page} page
 * @param {number} count
 */
async function loaded(page, count) {
  await page.waitForFunction((n) => document.querySelectorAll(".file.ready").length === n, count, { timeout: 90_000 });
  await page.waitForFunction(() => location.hash.includes("file="));
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} view
 */
const show = (page, view) => page.evaluate((id) => void (location.hash = location.hash.replace(/view=[a-z]+/, `view=${id}`)), view);

const exact = (/** @type {number} */ bytes) => `${bytes.toLocaleString("en-US")} B`;
const count = (/** @type {number} */ n) => n.toLocaleString("en-US");

for (const folder of [sample, ...(real === null ? [] : [real])]) {
  test(`${folder}: every rank's figures are the terminal's`, async () => {
    const ranks = terminal([folder, "--top", "0"]).ranks;
    const { page, complaints, close } = await open(browser, singleFile);
    await dropPaths(page, [folder]);
    await loaded(page, ranks.length);
    for (const rank of ranks) {
      await page.locator(".file").filter({ has: page.locator(`[title$="${rank.folder}"]`) }).locator(".file-name").click();
      await page.locator(".toolbar b", { hasText: rank.rank_label === "single" ? "single card" : `rank ${rank.rank_label}` }).waitFor();
      assert.equal((await card(page, "Peak of listed rows")).exact, exact(rank.peak_bytes));
      assert.equal((await card(page, "Never released")).exact, exact(rank.unreleased_bytes));
      assert.equal((await card(page, "Rows")).text, count(rank.rows_total));
      assert.equal((await card(page, "Call stacks")).text, count(rank.rows_total - rank.matches.none));
      // The curve is drawn, and its peak is the figure: the mark says so.
      await page.locator('.chart[data-ready="yes"] canvas').first().waitFor();
      const behind = page.locator(".chart", { has: page.locator("canvas") }).first();
      await behind.locator("summary").click();
      await behind.locator("tbody tr").nth(19).waitFor();
      const most = await behind.locator("tbody tr td:nth-child(2) .figure").evaluateAll((all) => all.map((each) => Number((each.getAttribute("title") ?? "").replace(/[^\d]/g, ""))));
      assert.equal(most.length, 20);
      assert.equal(Math.max(...most), rank.peak_bytes, "the table behind the curve reaches the peak");
      await behind.locator("summary").click();
      const names = new Set(rank.rows.filter((/** @type {any} */ row) => row.size_kb > 0 && row.start_ns !== null && row.device_type === rank.device).map((/** @type {any} */ row) => row.name));
      await page.locator(`.lanes[data-lanes="${names.size}"][data-ready="yes"]`).waitFor();
      // Rows in order of start, with their sizes, as the terminal lists them.
      await page.getByText(`${count(rank.rows_total)} rows,`).waitFor();
      const first = page.getByRole("table", { name: "Rows", exact: true }).locator(".virtual-row");
      for (const [i, row] of rank.rows.slice(0, 8).entries()) {
        assert.equal((await first.nth(i).locator("[role=cell]").first().innerText()).trim(), row.name === "" ? "(unnamed)" : row.name);
        assert.equal(await first.nth(i).locator("[role=cell]").nth(1).locator("[title]").getAttribute("title"), exact(row.size_kb * 1024).replace("-", "−"));
        assert.equal((await first.nth(i).locator("[role=cell]").nth(6).innerText()).trim(), row.call_stack_top.trim());
      }
      for (const component of rank.components)
        if (component.peak_reserved) assert.ok((await page.getByRole("table", { name: "Memory by component" }).locator(`[title="${exact(component.peak_reserved.bytes)}"]`).count()) > 0, component.component);
    }
    assert.deepEqual(complaints, []);
    await close();
  });

  test(`${folder}: ranks side by side, and two of them by operator`, async () => {
    const report = terminal([folder]);
    const { page, complaints, close } = await open(browser, singleFile);
    await dropPaths(page, [folder]);
    await loaded(page, report.ranks.length);
    await show(page, "ranks");
    const table = page.getByRole("table", { name: "All ranks" });
    await table.locator("tbody tr").nth(report.ranks.length - 1).waitFor();
    for (const [i, rank] of report.ranks.entries()) {
      const row = table.locator("tbody tr").nth(i);
      assert.equal((await row.locator("td").first().innerText()).trim(), rank.role);
      assert.equal(await row.locator("td").nth(2).locator("[title]").getAttribute("title"), exact(rank.peak_bytes));
      assert.equal(await row.locator("td").nth(6).locator("[title]").getAttribute("title"), exact(rank.unreleased_bytes));
    }
    assert.equal(await table.locator("tr.outlier").count(), report.outliers.length);
    const role = report.ranks[0].role;
    const pair = report.ranks.filter((/** @type {any} */ rank) => rank.role === role).slice(0, 2);
    if (pair.length === 2) {
      const [a, b] = pair;
      const { names } = terminal([folder, "--role", role, "--rank", String(a.rank), "--against", String(b.rank)]).comparison;
      const picked = page.getByRole("combobox");
      await picked.nth(0).selectOption({ label: await picked.nth(0).locator("option", { hasText: a.folder }).innerText() });
      await picked.nth(1).selectOption({ label: await picked.nth(1).locator("option", { hasText: b.folder }).innerText() });
      const rows = page.getByRole("table", { name: "Two ranks by operator" }).locator("tbody tr");
      await rows.first().waitFor();
      for (const [i, each] of names.slice(0, 10).entries()) {
        const cells = rows.nth(i).locator("td");
        assert.equal((await cells.first().innerText()).trim(), each.name === "" ? "(unnamed)" : each.name);
        assert.equal(await cells.nth(3).locator("[title]").getAttribute("title"), exact(each.a_bytes));
        assert.equal(await cells.nth(4).locator("[title]").getAttribute("title"), exact(each.b_bytes));
      }
    }
    await table.locator("tbody tr").last().click();
    await page.getByText("Memory over time").waitFor();
    await page.waitForFunction(() => location.hash.includes("view=operators"));
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("the sample of profiler folders opens, and a row shows its stack and what overlaps it", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await page.getByRole("button", { name: "Try a profiler folder" }).click();
  await loaded(page, 3);
  const rows = page.getByRole("table", { name: "Rows", exact: true });
  await page.locator(".ops-search").fill("cat");
  await page.getByText(/8 of \d+ rows/).waitFor();
  await rows.locator(".virtual-row").nth(2).click();
  const panel = page.getByRole("complementary", { name: "Row" });
  await panel.getByText("log_metrics").first().waitFor();
  assert.equal(await panel.locator(".stack li").count(), 5);
  await panel.getByText("7 other rows of this name overlap it").waitFor();
  // A link shows the same row again.
  await page.waitForFunction(() => location.hash.includes("sel=row"));
  assert.deepEqual(complaints, []);
  await close();
});

test("what is chosen in the lanes of a low window brings its panel into sight", async () => {
  const { page, complaints, close } = await open(browser, singleFile, { viewport: { width: 1280, height: 700 } });
  await dropPaths(page, [sample]);
  await page.locator(".lanes[data-ready=yes]").waitFor();
  const lanes = page.locator(".lanes canvas").first();
  const panel = page.getByRole("complementary", { name: "Row" });
  // Its head and what follows are to be seen, beside the view and below it.
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 700 });
    if (await panel.isVisible()) await panel.getByRole("button", { name: "Close" }).click();
    await lanes.scrollIntoViewIfNeeded();
    const edge = await lanes.boundingBox();
    assert.ok(edge);
    // A lane of many has something at that place.
    for (let down = 6; down < edge.height && !(await panel.isVisible()); down += 9)
      for (let right = 0.2; right < 0.95 && !(await panel.isVisible()); right += 0.1) {
        await page.mouse.click(edge.x + edge.width * right, edge.y + down);
        await page.waitForTimeout(60);
      }
    await page.waitForFunction(() => {
      const top = document.querySelector(".panel")?.getBoundingClientRect().top ?? Infinity;
      return top >= 0 && top < innerHeight * 0.6;
    });
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("an interval keeps what was allocated and released within it", async () => {
  const { page, close } = await open(browser, singleFile);
  await page.getByRole("button", { name: "Try a profiler folder" }).click();
  await loaded(page, 3);
  const canvas = page.locator('.chart[data-ready="yes"] canvas').first();
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  assert.ok(box);
  const at = (/** @type {number} */ share) => box.x + 196 + (box.width - 196) * share;
  await page.keyboard.down("Control");
  await page.mouse.move(at(0.25), box.y + 120);
  await page.mouse.down();
  await page.mouse.move(at(0.3), box.y + 120, { steps: 4 });
  await page.mouse.move(at(0.5), box.y + 120, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Control");
  const selected = await page.getByText(/^Selected: /).innerText();
  await page.getByLabel("Within the selected interval").selectOption("both");
  await page.waitForFunction(() => /^\d+ of \d+ rows/.test([...document.querySelectorAll("[role=status]")].map((each) => each.textContent ?? "").find((text) => /rows/.test(text)) ?? ""));
  const kept = Number(/^(\d+) of/.exec((await page.locator("b[role=status]").innerText()).trim())?.[1]);
  const inside = async (/** @type {string} */ what) => {
    await page.getByLabel("Within the selected interval").selectOption(what);
    await page.waitForTimeout(200);
    return Number(/^(\d+) of/.exec((await page.locator("b[role=status]").innerText()).trim())?.[1]);
  };
  const [allocated, live] = [await inside("allocated"), await inside("live")];
  assert.ok(kept > 0 && kept <= allocated && allocated <= live, `${selected}: ${kept} ${allocated} ${live}`);
  await close();
});

test("the written pages of the ranks open by themselves and agree", async () => {
  assert.ok(program);
  const out = join(scratch, "pages");
  execFileSync(program, ["ops", sample, "-o", out]);
  const pages = readdirSync(out).sort();
  assert.deepEqual(pages, [0, 1, 2].map((rank) => `memory_timeline_actor_rank${rank}.html`));
  const ranks = terminal([sample]).ranks;
  for (const [i, name] of pages.entries()) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    /** @type {string[]} */
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(pathToFileURL(join(out, name)).href);
    await page.locator("body[data-ready=yes]").waitFor();
    const text = await page.locator("#cards").innerText();
    assert.match(text, new RegExp(count(ranks[i].rows_total)));
    const canvas = page.locator("#lanes canvas");
    const box = await canvas.boundingBox();
    assert.ok(box);
    // The parameters, which are never released, fill the first lane's end.
    await page.locator("#filter").fill("empty_strided");
    await page.waitForTimeout(200);
    await page.mouse.click(box.x + box.width - 12, box.y + 5);
    await page.locator("#detail ol li").first().waitFor();
    assert.match(await page.locator("#detail").innerText(), /aten::empty_strided[\s\S]*96 MiB[\s\S]*never released[\s\S]*init/);
    assert.ok(!/https?:\/\//.test(readFileSync(join(out, name), "utf8").replace(/<script type="text\/plain"[\s\S]*?<\/script>/, "")));
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("a snapshot of the same time shows the run's steps and the operator under the pointer", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await page.getByRole("button", { name: "Try a sample" }).click();
  await loaded(page, 1);
  await dropPaths(page, [sample]);
  await loaded(page, 4);
  await page.locator(".file-name", { hasText: "snapshot.pickle" }).click();
  await page.waitForFunction(() => location.hash.includes("snapshot"));
  await show(page, "timeline");
  await page.locator('.timeline[data-ready="yes"]').waitFor();
  const bar = page.locator(".join");
  await bar.locator("select").waitFor();
  assert.match(await bar.locator("option:checked").innerText(), /actor, rank 0/);
  const canvas = page.locator(".timeline canvas").first();
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 72 + (box.width - 72) * 0.4, box.y + 300);
  await page.locator(".joined", { hasText: /ProfilerStep#3/ }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

if (shared !== null)
  test("both generators on one clock share the axis; on two clocks the page says by how much they miss", async () => {
    const make = (/** @type {string} */ tool, /** @type {string[]} */ args) => execFileSync("python3", [join(shared, "tools", tool), ...args]);
    const [snapshot, near, far] = ["clock.pickle", "near", "far"].map((name) => join(scratch, name));
    assert.ok(snapshot && near && far);
    make("make_snapshot.py", [snapshot, "--events", "4000", "--start-us", "1779785515000000"]);
    make("make_profile.py", [near, "--ops", "300", "--start-us", "1779785515000000"]);
    make("make_profile.py", [far, "--ops", "300", "--start-us", "1779789115000000"]);
    for (const [folder, meets] of /** @type {const} */ ([[near, true], [far, false]])) {
      const { page, close } = await open(browser, singleFile);
      await pick(page, [snapshot]);
      await loaded(page, 1);
      await dropPaths(page, [folder]);
      await loaded(page, 2);
      await page.locator(".file-name", { hasText: "clock.pickle" }).click();
      await show(page, "timeline");
      const bar = page.locator(".join");
      await bar.waitFor();
      if (meets) {
        assert.match(await bar.locator("option:checked").innerText(), /actor, rank 0/);
      } else {
        assert.match(await bar.innerText(), /begins (59:5\d|1:00:0\d) .* after this snapshot's last event/);
        assert.equal(await bar.locator("option:checked").innerText(), "no run");
        await bar.getByRole("button", { name: /offset/ }).click();
        assert.match(await bar.locator("option:checked").innerText(), /actor, rank 0/);
        // An hour, less what passes before the snapshot's first event.
        assert.match(await bar.locator("input").inputValue(), /^-(3599999\.\d+|3600000)$/);
      }
      await page.locator('.timeline[data-ready="yes"]').waitFor();
      const box = await page.locator(".timeline canvas").first().boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + 76, box.y + 300);
      await page.locator(".joined", { hasText: /ProfilerStep#0/ }).waitFor();
      await close();
    }
  });

if (shared !== null)
  test(`${large} rows: lanes and table stay quick`, async () => {
    const folder = join(scratch, "large");
    execFileSync("python3", [join(shared, "tools/make_profile.py"), folder, "--ops", large]);
    const { page, close } = await open(browser, singleFile);
    await dropPaths(page, [folder]);
    await loaded(page, 1);
    const canvas = page.locator('.lanes[data-ready="yes"] canvas');
    await canvas.waitFor({ timeout: 60_000 });
    const box = await canvas.boundingBox();
    assert.ok(box);
    const longest = await longestTask(browser, page, async () => {
      for (let i = 0; i < 12; i++) {
        await page.mouse.move(box.x + 500 + i, box.y + 60);
        await page.mouse.wheel(0, i < 8 ? -400 : 300);
        await page.waitForTimeout(60);
      }
      await page.locator('.lanes[data-ready="yes"]').waitFor();
    });
    assert.ok(longest < 50, `${longest} ms`);
    rmSync(folder, { recursive: true, force: true });
    await close();
  });

test("tables without rows of operators show what they hold", async () => {
  const nodes = "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n0,conv_1,7,0,1,3,100\n0,relu_1,7,0,3,4,50\n0,add_1,7,0,4,4294967295,25.5\n0,TOTAL,7,0,1,4294967295,160\n0,mul_1,7,1,2,2,8\n";
  const modules = "Component,Timestamp(us),Total Reserved(MB),Device\nHCCL,10.000\t,2.0,NPU:0\nSLOG,10.000\t,0.0,NPU:0\nHCCL,20.000\t,5.0,NPU:0\nHCCL,30.000\t,4.0,NPU:0\n";
  const [graphs, runtime] = [join(scratch, "static_op_mem.csv"), join(scratch, "npu_module_mem.csv")];
  writeFileSync(graphs, nodes);
  writeFileSync(runtime, modules);
  const files = [graphs, runtime, ...(shared === null ? [] : [join(shared, "data/other/static_op_mem.csv"), join(shared, "data/other/npu_module_mem_mixed_line_ends.csv")])];
  for (const path of files) {
    const [rank] = terminal([path, "--top", "0"]).ranks;
    const { page, complaints, close } = await open(browser, singleFile);
    await pick(page, [path]);
    await loaded(page, 1);
    if (rank.static_graphs.length > 0) {
      const table = page.getByRole("table", { name: "Static graphs" });
      for (const [i, graph] of rank.static_graphs.entries()) {
        const cells = table.locator("tbody tr").nth(i).locator("td");
        const sizes = [[2, graph.total_bytes], [3, graph.operator_bytes], [4, graph.peak_bytes], [6, graph.never_released_bytes]].filter(([, bytes]) => bytes !== null);
        for (const [at, bytes] of sizes) assert.equal(await cells.nth(at).locator("[title]").getAttribute("title"), exact(bytes));
        assert.equal((await cells.nth(5).innerText()).trim(), count(graph.peak_node));
      }
      const [first, second] = rank.static_graphs;
      await page.getByRole("img", { name: /hold from node to node/ }).waitFor();
      await page.getByText("As a table").first().click();
      const steps = page.getByRole("table", { name: `at node ${count(first.peak_node)}` });
      // The table is made once it is unfolded.
      await steps.locator(`[title="${exact(first.peak_bytes)}"]`).first().waitFor();
      const largest = page.getByRole("table", { name: "Largest operators of the graph" });
      assert.equal((await largest.locator("tbody tr").first().locator("td").first().innerText()).trim(), first.largest[0].operator);
      if (second) {
        await page.getByRole("combobox").selectOption({ index: 1 });
        await page.getByRole("table", { name: `graph ${second.graph}` }).waitFor();
        assert.equal(await largest.locator("tbody tr").count(), second.largest.length);
      }
    } else {
      await page.locator('.chart[data-ready="yes"] canvas').first().waitFor();
      const table = page.getByRole("table", { name: "Memory by module" });
      const held = rank.modules.filter((/** @type {any} */ module) => module.peak?.bytes !== 0);
      assert.equal(await table.locator("tbody tr").count(), held.length);
      for (const module of held) assert.ok((await table.locator(`[title="${exact(module.peak.bytes)}"]`).count()) > 0, module.module);
      // The module that holds most has a curve.
      const most = held.sort((/** @type {any} */ a, /** @type {any} */ b) => b.peak.bytes - a.peak.bytes)[0];
      await page.locator(".legend-item", { hasText: most.module }).first().waitFor();
    }
    assert.equal(await page.locator(".card", { hasText: "Peak of listed rows" }).count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  }
});
