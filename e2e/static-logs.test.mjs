// Several log files: read as one, compared, and the report files that are saved of them.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drop, open, pick, program, singleFile } from "./browser.mjs";
import { SAMPLE, cells, exact, needsProgram, openSample, part, percent, sample, terminal } from "./ge-log.mjs";
import { browser, folder } from "./suite.mjs";

test("the report files are the terminal's, byte for byte", needsProgram, async () => {
  execFileSync(program, ["ge", "report", SAMPLE, "-o", join(folder, "report")]);
  const { page, close } = await openSample(browser);
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
  const total = spawnSync(program, ["ge", "total", SAMPLE], { encoding: "utf8" });
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
  await page.locator(".ge-map canvas[data-window]").waitFor();
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
