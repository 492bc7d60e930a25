// Comparing on the page: two files, two moments of one, and the ranks of a job.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drop, open, pick, rendererMemory, singleFile } from "./browser.mjs";
import { base64, pickle, snapshot } from "./shapes.mjs";
import { browser, folder } from "./suite.mjs";

/** The cells of a table's rows. @param {import("playwright-core").Page} page @param {string} label */
async function cells(page, label) {
  const rows = page.getByRole("table", { name: label, exact: true }).locator("tbody tr");
  await rows.first().waitFor();
  return (await rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim()))));
}

const shapes = [
  { name: "before.pickle", base64: base64(snapshot({ blocks: 4 })) },
  { name: "after.pickle", base64: base64(snapshot({ blocks: 7, leaks: 2 })) },
];

test("two files: what the second holds more, in words, figures, curves, a flame graph and a table", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await drop(page, shapes);
  await page.locator(".file.ready").nth(1).waitFor();
  await page.getByRole("button", { name: "after.pickle", exact: true }).click();
  await page.locator(".view-link", { hasText: "Compare" }).click();
  await page.getByText("B holds 7.00 MiB (7,340,032), A 4.00 MiB (4,194,304): +3.00 MiB.").waitFor();
  await page.getByText("More in B, the most first: +2.00 MiB /job/cache.py:41 remember; +1.00 MiB /job/model.py:42 forward.").waitFor();

  const rows = await cells(page, "Differences");
  assert.deepEqual(rows[0]?.slice(0, 6), ["+2.00 MiB", "0 B", "2.00 MiB", "0", "2", "only B"]);
  assert.deepEqual(rows[1]?.slice(0, 6), ["+1.00 MiB", "4.00 MiB", "5.00 MiB", "4", "5", "both"]);
  assert.match(rows[0]?.at(-1) ?? "", /cache\.py:41 remember/);
  const totals = Object.fromEntries((await cells(page, "Totals")).map(([name, ...figures]) => [name, figures]));
  assert.deepEqual(totals["Requested"], ["4.00 MiB", "7.00 MiB", "+3.00 MiB"]);
  assert.deepEqual(totals["Allocations"], ["4", "7", "+3"]);
  assert.deepEqual(totals["Reserved"], ["20.00 MiB", "20.00 MiB", "+0 B"]);
  assert.deepEqual((await cells(page, "Stacks")).map((row) => row[1]), ["1", "1", "0", "0", "1"]);
  await page.getByText("A peaks at 7.00 MiB after event 5, B at 10.00 MiB after event 8: +3.00 MiB.").waitFor();

  // Filters, groupings and sorting.
  await page.getByRole("combobox", { name: "Show", exact: true }).selectOption("only_b");
  assert.equal((await cells(page, "Differences")).length, 1);
  await page.getByText("1 of 2 rows, +2.00 MiB").waitFor();
  await page.getByRole("searchbox", { name: "Contains" }).fill("model.py");
  await page.getByText("No row fits.").waitFor();
  await page.getByRole("searchbox", { name: "Contains" }).fill("");
  await page.getByRole("radio", { name: "Stack", exact: true }).click();
  await page.getByRole("button", { name: /cache\.py:41 remember/ }).click();
  await page.locator(".differences .stack li", { hasText: "/job/cache.py:41 remember" }).waitFor();

  // The curves: a pointer reads both, on each axis.
  const curve = page.getByRole("img", { name: /Requested bytes of both traces/ });
  await curve.scrollIntoViewIfNeeded();
  const box = await curve.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width - 12, box.y + 60);
  const tip = page.locator(".diff-curves .chart-tip");
  await tip.getByText("+3.00 MiB").waitFor();
  // The table behind the drawing: what each reaches at most in each part.
  await page.locator(".diff-curves + details summary").click();
  const parts = await cells(page, "Requested – As a table");
  assert.equal(parts.length, 20);
  for (const [column, peak] of [[1, "7.00 MiB"], [2, "10.00 MiB"]]) assert.ok(parts.some((row) => row[Number(column)] === peak), String(peak));
  assert.deepEqual(parts.at(-1)?.slice(1), ["7.00 MiB", "10.00 MiB", "+3.00 MiB"]);
  await page.getByRole("radio", { name: "Time since the start" }).click();
  await page.waitForFunction(() => !document.querySelector(".compared.stale"));
  await curve.hover({ position: { x: box.width - 12, y: 60 } });
  // The trace of A has ended by then.
  await tip.getByText("–").waitFor();
  await page.getByRole("radio", { name: "Step", exact: true }).click();
  await page.getByText("There is no such axis in one of the two traces: step.").waitFor();

  // The flame graph of the difference names what differs; its table is the same.
  await page.getByText("The widest boxes as a table").click();
  const boxes = await cells(page, "The widest boxes as a table");
  assert.deepEqual(boxes.map((row) => [row[0], row[4]]), [
    ["Everything", "+3.00 MiB"],
    ["/job/cache.py:41 remember", "+2.00 MiB"],
    ["/job/model.py:42 forward", "+1.00 MiB"],
  ]);

  // Turned round, and in Chinese; the address keeps both sides.
  await page.getByRole("button", { name: "Swap A and B" }).click();
  await page.getByText("B holds 4.00 MiB (4,194,304), A 7.00 MiB (7,340,032): −3.00 MiB.").waitFor();
  await page.waitForFunction(() => location.hash.includes("sel="));
  await page.getByRole("radio", { name: "中文" }).click();
  await page.getByText("B 占用 4.00 MiB (4,194,304)，A 占用 7.00 MiB (7,340,032)：−3.00 MiB。").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("two moments of one file, one of them pinned in another view", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot({ blocks: 4 })) }]);
  await page.locator(".file.ready").waitFor();
  await page.locator(".view-link", { hasText: "At a moment" }).click();
  await page.getByRole("spinbutton", { name: "Event" }).fill("2");
  await page.getByRole("spinbutton", { name: "Event" }).press("Tab");
  await page.getByRole("button", { name: "Pin for comparison" }).click();
  await page.locator(".view-link", { hasText: "Compare" }).click();
  // Alone, its peak against its end.
  await page.getByText("B holds 4.00 MiB (4,194,304), A 7.00 MiB (7,340,032): −3.00 MiB.").waitFor();
  await page.getByRole("combobox", { name: "File A" }).selectOption({ label: "run.pickle · event 2" });
  await page.getByText("B holds 4.00 MiB (4,194,304), A 2.00 MiB (2,097,152): +2.00 MiB.").waitFor();
  await page.getByRole("combobox", { name: "Moment B" }).selectOption("event");
  await page.getByRole("spinbutton", { name: "event B" }).fill("2");
  await page.getByRole("spinbutton", { name: "event B" }).press("Tab");
  await page.getByText("No category differs.").waitFor();
  await page.getByText("Nothing differs.").first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a folder of eight ranks: figures of each, the odd one with its line, compared with the median", async () => {
  for (let rank = 0; rank < 8; rank++) {
    mkdirSync(join(folder, "job", `rank_${rank}`), { recursive: true });
    writeFileSync(join(folder, "job", `rank_${rank}`, "mem.pickle"), pickle(snapshot({ blocks: rank === 5 ? 12 : 5 + (rank % 3), leaks: rank === 5 ? 6 : 0 })));
  }
  const { page, complaints, close } = await open(browser, singleFile);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a folder" }).click();
  await (await chooser).setFiles(join(folder, "job"));
  await page.locator(".file.ready").nth(7).waitFor();
  await page.locator(".view-link", { hasText: "Ranks" }).click();
  await page.getByText(/Rank 5 peaks at 15\.00 MiB, \+6\.00 MiB from the median of 9\.00 MiB/).waitFor();
  const rows = await cells(page, "All ranks");
  assert.deepEqual(rows.map((row) => row[0]), ["0", "1", "2", "3", "4", "5", "6", "7"]);
  assert.match(rows[5]?.[3] ?? "", /^15\.00 MiB\s+\+6\.00 MiB$/);
  assert.equal(rows.filter((row) => /median/.test(row[3] ?? "")).length, 1);
  const odd = await cells(page, "Ranks that are odd");
  assert.match(odd[0]?.[4] ?? "", /\+6\.00 MiB\s+.*\/job\/cache\.py:41 remember/s);
  await page.getByRole("button", { name: "Compare with the median rank" }).first().click();
  await page.getByText(/More in B, the most first: \+6\.00 MiB \/job\/cache\.py:41 remember/).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("snapshots of one process over time: the leak lies on a line", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [1, 2, 3, 4].map((n) => ({ name: `rank0_step${n}00.pickle`, base64: base64(snapshot({ blocks: 4 + 2 * n, leaks: 2 * n })) })));
  await page.locator(".file.ready").nth(3).waitFor();
  await page.locator(".view-link", { hasText: "Ranks" }).click();
  await page.getByText("/job/cache.py:41 remember grows by +2.00 MiB a snapshot, on a straight line (100.0 %).").waitFor();
  const rows = await cells(page, "Growth over the snapshots");
  assert.deepEqual(rows[1]?.slice(0, 4), ["+6.00 MiB", "+2.00 MiB", "100.0 %", "straight: a leak"]);
  assert.equal(rows[1]?.[6], "2.00 MiB → 4.00 MiB → 6.00 MiB → 8.00 MiB");
  await close();
});

/** A JSON snapshot of about 4 MiB. @param {number} rank */
function large(rank) {
  const events = [];
  const frames = (/** @type {number} */ n) => Array.from({ length: 16 }, (_, i) => ({ filename: `/job/layer_${i}.py`, line: i + n, name: "forward" }));
  for (let n = 0; n < 3900; n++) {
    const base = { addr: 4096 + (n >> 1) * 512, size: 512 + rank, stream: 0, time_us: 1_700_000_000_000_000 + n, frames: frames(n % 50) };
    events.push({ action: n % 2 && n < 3000 ? "free_completed" : "alloc", ...base, addr: n < 3000 ? base.addr : 4096 + n * 512 });
  }
  return JSON.stringify({ segments: [], device_traces: [events] });
}

test("64 files of 4 MB: the first is shown at once, few workers stay, and each can be looked at again", async () => {
  const paths = [];
  for (let rank = 0; rank < 64; rank++) {
    const path = join(folder, `large_rank${rank}.json`);
    const text = large(rank);
    assert.ok(text.length > 3.5e6, `${text.length}`);
    writeFileSync(path, text);
    paths.push(path);
  }
  const { page, complaints, close } = await open(browser, singleFile);
  const began = Date.now();
  await pick(page, paths);
  await page.locator(".health").waitFor();
  const first = Date.now() - began;
  let most = 0;
  while ((await page.locator(".file.ready").count()) < 64) {
    most = Math.max(most, page.workers().length);
    assert.ok(Date.now() - began < 150_000, "64 files take too long");
    await page.waitForTimeout(100);
  }
  const all = Date.now() - began;
  most = Math.max(most, page.workers().length);
  const memory = await rendererMemory(browser);
  if (process.env.VERBOSE) console.error({ first, all, most, memory });
  assert.ok(first < all / 3, `the first came after ${first} of ${all} ms`);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  // Those kept, those that read, and one at hand.
  const bound = Math.max(6, Math.min(16, cores)) + cores + 1;
  assert.ok(most <= bound, `${most} workers of at most ${bound}`);
  // MiB at the most: what 64 files together would take is several times that.
  assert.ok(memory < 1500, `${memory} MiB`);
  await page.locator(".view-link", { hasText: "Ranks" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".job-ranks tbody tr").length === 64, null, { timeout: 60_000 });
  await page.getByText("No rank is more than three median absolute deviations from its peers.").waitFor();
  // One whose worker was let go is read again.
  await page.locator(".view-link", { hasText: "Overview" }).click();
  for (const name of ["large_rank3.json", "large_rank60.json"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.locator(".health").waitFor();
  }
  assert.deepEqual(complaints, []);
  await close();
});
