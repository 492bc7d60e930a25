// GE logs on the page: the figures on the screen are those of the terminal program.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { card, drop, launch, open, pick, singleFile } from "./browser.mjs";

const SAMPLE = "dist/samples/plog-sample.log";
const sample = readFileSync(SAMPLE, "utf8");

/** The newest build of the terminal program, or null. */
const program = ["release", "quick", "debug"]
  .map((profile) => `target/${profile}/hbmlens`)
  .filter((path) => existsSync(path))
  .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
const needsProgram = { skip: program === undefined && "the terminal program is not built" };

/** @param {string[]} args */
function terminal(args) {
  const { status, stdout, stderr } = spawnSync(program ?? "", ["ge", ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(status === 0 || status === 2, stderr);
  return JSON.parse(stdout);
}

const exact = (/** @type {number} */ n) => `${String(n).replace(/\B(?=(\d{3})+$)/g, ",")} B`;
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(2)} %`;

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {string} */
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "hbmlens-ge-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** @param {import("playwright-core").BrowserContextOptions} [options] */
async function openSample(options) {
  const opened = await open(browser, singleFile, options);
  await opened.page.getByRole("button", { name: /GE log of static graphs|静态图的 GE 日志/ }).click();
  await opened.page.locator(".ge-map canvas[data-ready]").waitFor();
  return opened;
}

/** @param {import("playwright-core").Page} page @param {string} name */
const part = (page, name) => page.getByRole("radio", { name, exact: true }).click();

/**
 * The exact figures of a row of a table: the text of a hover where there is one, else the text.
 * @param {import("playwright-core").Locator} row
 */
const cells = (row) => row.locator("td, [role=cell]").evaluateAll((all) => all.map((cell) => (cell.querySelector(".figure[title]")?.getAttribute("title") ?? cell.textContent ?? "").trim()));

test("the graphs' figures are the terminal's", needsProgram, async () => {
  const report = terminal(["report", "--json", SAMPLE]);
  const { page, complaints, close } = await openSample();
  const graphs = report.processes[0].graphs;
  assert.ok(graphs.length >= 2);
  const table = page.getByRole("table", { name: "Static graphs" });
  for (const [n, graph] of graphs.entries()) {
    const row = table.locator("[role=row][aria-rowindex]").nth(n);
    const [, pid, memory, total, rate, theory, reach, gap, streams, lines, overlaps] = await cells(row);
    assert.deepEqual(
      [pid, memory, total, rate, theory, reach, gap, streams, lines, overlaps],
      [String(report.processes[0].pid), exact(graph.memory_size), exact(graph.total), percent(graph.reuse_rate), exact(graph.theory_min), percent(graph.reach_theory_rate), exact(graph.gap.bytes), String(graph.streams), String(graph.operators), String(graph.overlap_count)],
    );
    await row.click();
    assert.equal((await card(page, "Memory after reuse")).exact, exact(graph.memory_size));
    assert.equal((await card(page, "Total without reuse")).exact, exact(graph.total));
    assert.equal((await card(page, "no_reuse")).exact, exact(graph.no_reuse));
    assert.equal((await card(page, "atomic")).exact, exact(graph.atomic));
    assert.equal((await card(page, "continuous")).exact, exact(graph.continuous));
    assert.equal((await card(page, "zero_copy")).exact, exact(graph.zero_copy));
    assert.equal((await card(page, "Reuse rate")).text, percent(graph.reuse_rate));
    await page.getByText("sum of the operators' realsize, 32-aligned").first().waitFor();
    await page.locator(`[data-peak-bytes="${graph.peak.bytes}"]`).waitFor();
    // Who is live at the peak, by operator type.
    const first = page.getByRole("table", { name: "Live at the peak" }).locator("tbody tr").first();
    const [type, bytes, , pieces] = await cells(first);
    assert.deepEqual([type, bytes, pieces], [graph.peak.by_op_type[0].key, exact(graph.peak.by_op_type[0].bytes), String(graph.peak.by_op_type[0].count)]);
    // Each cost of the gap by its bytes.
    const costs = await page.getByRole("region", { name: "Why it is not less" }).locator("tbody tr td:nth-child(2) .figure").evaluateAll((all) => all.map((each) => each.getAttribute("title")));
    assert.deepEqual(costs, graph.gap.costs.map((/** @type {{ bytes: number }} */ cost) => exact(cost.bytes)));
    const overlapRows = page.getByRole("table", { name: "Outputs that overwrite each other" }).locator("tbody tr");
    const listed = graph.overlaps.filter((/** @type {{ kind: string }} */ overlap) => overlap.kind === "overlap");
    assert.equal(await overlapRows.count(), Math.min(100, listed.length));
    for (const [i, overlap] of listed.slice(0, 3).entries()) {
      const text = (await overlapRows.nth(i).locator("td").nth(0).innerText()) + (await overlapRows.nth(i).locator("td").nth(0).locator("[title]").first().getAttribute("title").catch(() => ""));
      assert.ok(text.includes(overlap.first.op_type), text);
      assert.equal((await cells(overlapRows.nth(i)))[2], exact(overlap.to - overlap.from));
    }
  }
  const failures = report.processes[0].graphs.reduce((/** @type {number} */ sum, /** @type {{ overlap_count: number }} */ graph) => sum + graph.overlap_count, 0);
  assert.equal(await page.locator(".health").getAttribute("data-overlaps"), String(failures));
  assert.equal(await page.locator(".health").getAttribute("data-faults"), String(report.processes[0].addresses.failed));
  assert.deepEqual(complaints, []);
  await close();
});

test("an output is found by its node, hovered with every field, and zoomed to", needsProgram, async () => {
  const graph = terminal(["report", "--json", SAMPLE]).processes[0].graphs.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.memory_size > a.memory_size ? b : a));
  const node = graph.peak.nodes.find((/** @type {any} */ each) => each.end !== null && each.end < 4294967294) ?? graph.peak.nodes[0];
  const name = node.name.replace(/:(output|workspace|outputdesc)_\d+$/, "");
  const { page, close } = await openSample();
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  await page.locator(".ge-found").waitFor();
  const line = sample.split("\n").find((each) => each.includes(`[IMAS]Set ${graph.key} name[${name}]`) && each.includes(`offset to [${node.offset}]`));
  await page.keyboard.press("Enter");
  const panel = page.getByRole("region", { name: new RegExp(`^${name.replace(/[/.*+?^${}()|[\]\\]/g, "\\$&")}:`) });
  await panel.waitFor();
  // To the very output of the list.
  const rows = page.getByRole("table", { name: "Outputs" }).locator("[role=row][aria-rowindex]").filter({ hasText: node.name });
  await rows.first().click();
  await page.locator("h1").click();
  await page.keyboard.press("f");
  const facts = Object.fromEntries(await panel.locator("dl div").evaluateAll((all) => all.map((each) => [each.querySelector("dt")?.textContent, each.querySelector("dd")?.textContent])));
  assert.equal(facts["name"], name);
  if (line) {
    const field = (/** @type {string} */ key) => new RegExp(` ${key}\\[([^\\]]*)\\]`).exec(line)?.[1] ?? "";
    assert.equal(facts["optype"], field("optype"));
    assert.equal(facts["memtype"], field("memtype"));
    assert.equal(facts["batch"] ?? "", field("batch"));
    assert.equal(facts["isref"], field("isref"));
    assert.equal(facts["block_type"] ?? "", field("block_type"));
    assert.equal(facts["streamid"], field("streamid"));
    assert.equal(facts["life time begin"], field("life time begin"));
    assert.equal(facts["life time end"]?.split(" (")[0], field("life time end"));
    assert.equal(facts["child[level:reuse:continuous:zero copy:same stream]"], field("child"));
    for (const key of ["size", "realsize", "noalignsize"]) assert.equal(facts[key]?.split(" (")[0]?.replaceAll(",", ""), field(key));
  }
  // The output fills the middle of the map now.
  const canvas = await page.locator(".ge-map canvas").boundingBox();
  assert.ok(canvas);
  await page.mouse.move(canvas.x + 84 + (canvas.width - 92) / 2, canvas.y + 96 + (canvas.height - 118) / 2);
  const tip = page.locator(".ge-tip");
  await tip.waitFor();
  const tipText = await tip.innerText();
  for (const key of ["optype", "offset", "streamid", "memtype", "size", "realsize", "life time begin", "life time end"]) assert.ok(tipText.includes(key), tipText);
  assert.ok(tipText.includes(name), tipText);
  await page.keyboard.press("0");
  await page.keyboard.press("Escape");
  assert.equal(await panel.count(), 0);
  assert.ok(page.url().includes("view=ge"));
  await close();
});

test("the map zooms and pans by key, wheel and drag, and colours three ways", async () => {
  const { page, complaints, close } = await openSample();
  const canvas = page.locator(".ge-map canvas");
  const picture = () => canvas.evaluate((element) => /** @type {HTMLCanvasElement} */ (element).toDataURL());
  let before = await picture();
  const changes = async (/** @type {() => Promise<unknown>} */ act, /** @type {string} */ what) => {
    await act();
    await page.waitForFunction((old) => /** @type {HTMLCanvasElement | null} */ (document.querySelector(".ge-map canvas"))?.toDataURL() !== old, before, { timeout: 5000 }).catch(() => assert.fail(`${what} changed nothing`));
    before = await picture();
  };
  await changes(() => page.keyboard.press("w"), "W");
  await changes(() => page.keyboard.press("d"), "D");
  await changes(() => page.keyboard.press("ArrowUp"), "up");
  await changes(() => page.keyboard.press("s"), "S");
  await changes(() => page.keyboard.press("0"), "0");
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await changes(() => page.mouse.wheel(0, -300), "the wheel");
  await changes(async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 80, box.y + box.height / 2 + 40, { steps: 4 });
    await page.mouse.up();
  }, "a drag");
  await changes(() => page.getByRole("button", { name: "Everything" }).click(), "everything");
  await changes(() => page.getByRole("radio", { name: "Stream" }).click(), "colour by stream");
  await changes(() => page.getByRole("radio", { name: "Memory type" }).click(), "colour by memory type");
  assert.deepEqual(complaints, []);
  await close();
});

test("pools, device memory, variables and addresses are the terminal's", needsProgram, async () => {
  const process = terminal(["report", "--json", SAMPLE]).processes[0];
  const { page, complaints, close } = await openSample();
  await part(page, "Memory pools");
  const pools = page.getByRole("table", { name: "Memory pools of dynamic graphs" }).locator("tbody tr");
  for (const [n, pool] of process.pools.entries()) {
    const [name, pid, total, after_, rate, theory, , real, uses, live] = await cells(pools.nth(n));
    assert.deepEqual([name, pid, total, after_, rate, theory, real, uses, live], [pool.allocator, String(process.pid), exact(pool.total), exact(pool.after_reuse), percent(pool.reuse_rate), exact(pool.theory_min), exact(pool.real_theory_min), String(pool.uses), String(pool.live_at_end)]);
  }
  await page.getByRole("button", { name: process.pools.at(-1).allocator }).click();
  await page.getByText("The curve as a table").click();
  const curve = process.pools.at(-1).curve;
  const steps = page.getByRole("table", { name: "The curve as a table" }).locator("tbody tr");
  assert.equal(await steps.count(), curve.length);
  assert.deepEqual(await cells(steps.last()), [String(curve.at(-1).moment), exact(curve.at(-1).live), exact(curve.at(-1).held)]);

  await part(page, "Device memory");
  const tree = await page.getByRole("table", { name: "Taken from the device" }).locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.querySelector(".figure")?.getAttribute("title") ?? cell.firstChild?.textContent ?? "")));
  assert.equal(tree[0]?.[1], exact(process.device.total));
  assert.equal(tree[0]?.[3], exact(process.device.peak));
  const flat = Object.entries(process.device.children).flatMap(([, node]) => [node, ...Object.values(node.children ?? {})]);
  assert.deepEqual(tree.slice(1).map((row) => row[1]), flat.map((node) => exact(node.sum)));
  assert.equal(Object.values(process.device.children).reduce((/** @type {number} */ sum, /** @type {any} */ node) => sum + node.sum, 0), process.device.total);
  const bar = page.getByRole("img", { name: /^total:/ }).locator("div");
  assert.equal(await bar.count(), Object.values(process.device.children).filter((/** @type {any} */ node) => node.sum > 0).length);
  await page.getByRole("table", { name: "The driver's account at exit" }).waitFor();

  await part(page, "Variables and addresses");
  const variables = page.getByRole("table", { name: "Variables and constants" });
  assert.equal(await variables.locator("[role=row][aria-rowindex]").count(), process.variables.length);
  const shared = process.variables.find((/** @type {any} */ row) => row.reuse_of !== null);
  await variables.getByRole("button", { name: shared.reuse_of }).click();
  await variables.locator("[role=row][aria-selected=true]").filter({ hasText: shared.reuse_of }).waitFor();
  const { passed, failed } = process.addresses;
  await page.getByText(new RegExp(`^${passed} fit, ${failed} `)).waitFor();
  assert.equal(await page.getByRole("table", { name: "Addresses of loaded graphs" }).locator("tbody tr").count(), process.addresses.faults.length);
  assert.deepEqual(complaints, []);
  await close();
});

test("the report files are the terminal's, byte for byte", needsProgram, async () => {
  execFileSync(program ?? "", ["ge", "report", SAMPLE, "-o", join(folder, "report")]);
  const { page, close } = await openSample();
  await part(page, "Report files");
  const save = async (/** @type {string} */ name) => {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save ${name}` }).click();
    const download = await waiting;
    assert.equal(download.suggestedFilename(), name);
    return readFileSync(await download.path());
  };
  for (const name of ["imas_mem_graph.csv", "imas_mem_addr.csv", "imas_mem_variable.csv", "imas_mem_pool.csv", "imas_graph_perfetto.json"]) {
    const saved = await save(name);
    assert.ok(saved.length > 200, name);
    assert.ok(saved.equals(readFileSync(join(folder, "report", name))), name);
  }
  const trace = JSON.parse((await save("imas_graph_perfetto.json")).toString("utf8"));
  assert.ok(trace.traceEvents.length > 100);
  const total = spawnSync(program ?? "", ["ge", "total", SAMPLE], { encoding: "utf8" });
  assert.equal((await save("total.txt")).toString("utf8").trim(), total.stdout.trim());
  assert.deepEqual(JSON.parse((await save("report.json")).toString("utf8")), terminal(["report", "--json", SAMPLE]));
  await close();
});

test("files of one drop are one log in any order; as logs of their own they compare", needsProgram, async () => {
  const lines = sample.split("\n");
  const third = Math.ceil(lines.length / 3);
  const pieces = [lines.slice(0, third), lines.slice(third, 2 * third), lines.slice(2 * third)].map((some) => some.join("\n") + "\n");
  const { page, complaints, close } = await open(browser, singleFile);
  await drop(page, [
    { name: "plog-3.log", text: pieces[2] ?? "" },
    { name: "plog-1.log", text: pieces[0] ?? "" },
    { name: "plog-2.log", text: pieces[1] ?? "" },
  ]);
  await page.locator(".ge-map canvas[data-ready]").waitFor();
  assert.equal(await page.locator(".file").count(), 1);
  await page.getByText("3 log files read as one").waitFor();
  const graphs = terminal(["report", "--json", SAMPLE]).processes[0].graphs;
  const table = page.getByRole("table", { name: "Static graphs" });
  for (const [n, graph] of graphs.entries()) {
    const [, , memory, total] = await cells(table.locator("[role=row][aria-rowindex]").nth(n));
    assert.deepEqual([memory, total], [exact(graph.memory_size), exact(graph.total)]);
  }
  await part(page, "Compare logs");
  await page.getByText("Open a second GE log").waitFor();
  await page.getByRole("button", { name: "Take the 3 files as logs of their own" }).click();
  await page.locator(".file.ready").nth(2).waitFor();
  await page.getByRole("button", { name: "Read all 3 logs as one" }).waitFor();
  await page.getByRole("button", { name: "Read all 3 logs as one" }).click();
  await page.getByText("3 log files read as one").waitFor();
  assert.equal(await page.locator(".file").count(), 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("two logs stand side by side as in the terminal", needsProgram, async () => {
  const { page, close } = await open(browser, singleFile);
  const other = sample.replace(/(AfterAssignMemory : \S+ memoffset\[)(\d+)/g, (_, head, n) => head + (Number(n) + 4096));
  const { writeFileSync } = await import("node:fs");
  const [a, b] = [join(folder, "a.log"), join(folder, "b.log")];
  writeFileSync(a, sample);
  writeFileSync(b, other);
  await pick(page, [a]);
  await page.locator(".file.ready").waitFor();
  await pick(page, [b]);
  await page.locator(".file.ready").nth(1).waitFor();
  await part(page, "Compare logs");
  const comparison = terminal(["report", "--compare", "--json", a, b]);
  const rows = page.getByRole("table", { name: "Logs side by side" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), comparison.graphs.length * 2);
  for (const [g, graph] of comparison.graphs.entries())
    for (const [n, cell] of graph.logs.entries()) {
      const found = await cells(rows.nth(g * 2 + n));
      const [, total, after_, diff, rate, theory, , fixed, streams, topo] = found;
      assert.deepEqual([total, after_, rate, theory, fixed, streams, topo], [exact(cell.total), exact(cell.after_reuse), percent(cell.reuse_rate), exact(cell.theory_min), exact(cell.atomic_and_continuous), String(cell.streams), cell.topo_mode ?? ""]);
      assert.equal(diff === "0", cell.after_reuse_diff === 0);
      assert.equal((await rows.nth(g * 2 + n).locator(".least").count()) === 1, graph.best === n);
    }
  await close();
});

test("a log without the lines says which and how to record them", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "plog-9.log", text: "[INFO] GE(9,train):2026-03-04-10:00:00.000.001 [f.cc:1]9 F:nothing about memory\n" }]);
  for (const words of ["Nothing to check", "[IMAS]Set", "AfterAssignMemory", "imas_mem_pool.csv", "ASCEND_GLOBAL_LOG_LEVEL=1"]) await page.getByText(words).first().waitFor();
  await part(page, "Device memory");
  await page.getByText("The log does not hold the lines that this needs").waitFor();
  await page.getByText("MallocMemory, func=").first().waitFor();
  await close();
});

test("the view speaks Chinese and draws in the dark", async () => {
  const { page, complaints, close } = await openSample({ locale: "zh-CN", colorScheme: "dark" });
  await page.getByText("互相踩踏的输出").waitFor();
  for (const name of ["内存池", "设备内存", "变量与地址", "日志对比", "报告文件", "图"]) await part(page, name);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  const words = await page.locator("main").innerText();
  assert.doesNotMatch(words, /undefined|NaN|\[object/);
  assert.deepEqual(complaints, []);
  await close();
});
