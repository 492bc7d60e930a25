// GE logs on the page: the figures on the screen are those of the terminal program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { card } from "./browser.mjs";
import { SAMPLE, cells, exact, needsProgram, openSample, part, percent, terminal } from "./ge-log.mjs";
import { browser } from "./suite.mjs";

test("the graphs' figures are the terminal's", needsProgram, async () => {
  const report = terminal(["report", "--json", SAMPLE]);
  const { page, complaints, close } = await openSample(browser);
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
      const named = await overlapRows.nth(i).locator("button").evaluateAll((all) => all.map((each) => each.getAttribute("title")));
      assert.deepEqual(named, [overlap.first, overlap.second].map((party) => `${party.name} (${party.op_type})`));
      assert.equal((await cells(overlapRows.nth(i)))[2], exact(overlap.to - overlap.from));
    }
  }
  // A name of a list shows its output on the map.
  const party = report.processes[0].graphs.at(-1).overlaps[0].first;
  await page.getByRole("table", { name: "Outputs that overwrite each other" }).locator("button").first().click();
  await page.getByRole("region", { name: party.name, exact: true }).getByText("overlap", { exact: false }).first().waitFor();
  const failures = report.processes[0].graphs.reduce((/** @type {number} */ sum, /** @type {{ overlap_count: number }} */ graph) => sum + graph.overlap_count, 0);
  assert.equal(await page.locator(".health").getAttribute("data-overlaps"), String(failures));
  assert.equal(await page.locator(".health").getAttribute("data-faults"), String(report.processes[0].addresses.failed));
  assert.deepEqual(complaints, []);
  await close();
});

test("pools, device memory, variables and addresses are the terminal's", needsProgram, async () => {
  const process = terminal(["report", "--json", SAMPLE]).processes[0];
  const { page, complaints, close } = await openSample(browser);
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
