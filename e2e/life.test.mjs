// All that is told of an allocation, and of the memory it lies in, where the writer of the file told it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { talkative } from "./shapes.mjs";
import { browser, folder } from "./suite.mjs";
import { address, at as atView, drawn, show, VIEWS } from "./support.mjs";

const shape = talkative();
const trace = /** @type {Record<string, any>[]} */ (shape.device_traces[0]);
writeFileSync(join(folder, "told.json"), JSON.stringify(shape));
const at = (/** @type {string} */ view, more = "", options = {}) => atView(browser, join(folder, "told.json"), view, more, options);

/** @param {import("playwright-core").Page} page @param {string} name */
const fact = async (page, name) => (await page.locator(".panel .facts > div").filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).locator("dd").innerText()).trim();

test("the panel tells what the writer told: contexts, stacks, the name of memory_viz, the life and its neighbours in time", async () => {
  const { page, complaints, close } = await at("timeline", "sel=life:0");
  const panel = page.getByRole("complementary", { name: "Allocation" });
  await panel.getByText("Requested", { exact: true }).waitFor();
  assert.equal(await fact(page, "Requested"), "8.00 MiB");
  assert.equal(await panel.locator(".facts .figure").first().getAttribute("title"), "8,388,608 B");
  assert.equal(await fact(page, "Compile context"), "[3/1]");
  assert.equal(await fact(page, "Metadata"), "epoch=2");
  assert.match(await fact(page, "Address"), /0x7f0000000000[\s\S]*b'7f0000000000_0'/);
  assert.match(await fact(page, "Where"), /large segment · pool \(0, 0\) · stream 0/);
  assert.equal(await fact(page, "Lived"), "from event 1 to event 8");
  assert.equal(await fact(page, "Free pending from event"), "7");
  // The bar lies where the life lies in the trace, and its pending part at the end of it.
  const share = (/** @type {string} */ which) => panel.locator(`.facts .life-bar > div${which}`).evaluate((bar) => {
    const [own, all] = [bar.getBoundingClientRect(), /** @type {Element} */ (bar.parentElement).getBoundingClientRect()];
    return [(own.left - all.left) / all.width, own.width / all.width];
  });
  const near = (/** @type {number[]} */ found, /** @type {number[]} */ wanted) => assert.ok(found.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) < 0.012), `${found} is not ${wanted}`);
  const states = trace.length + 1;
  near(await share(":first-child"), [2 / states, 7 / states]);
  near(await share(".pending"), [8 / states, 1 / states]);
  const stacks = await panel.locator(".stack").allInnerTexts();
  assert.match(stacks[0] ?? "", /forward[\s\S]*model\.py:42[\s\S]*step[\s\S]*train\.py:7/);
  await panel.getByRole("heading", { name: "Stack of the forward operator" }).waitFor();
  assert.match(await panel.locator("pre.code").innerText(), /File "\/job\/model\.py", line 42, in forward\s+return self\.proj\(x\)/);
  // Forty small ones and the last came after it at the address.
  await panel.locator("summary", { hasText: "41 other lives at this address" }).click();
  const others = panel.locator(".same-address li");
  assert.equal(await others.count(), 41);
  assert.equal(await others.locator(".life-bar").count(), 41);
  await others.last().getByRole("button").click();
  await page.waitForFunction(() => /life(:|%3A)44/.test(location.hash));
  await panel.getByText("from event 132 to the end").first().waitFor();
  assert.match(await fact(page, "Address"), /b'7f0000000000_41'/);
  assert.deepEqual(complaints, []);
  await close();
});

test("an allocation chosen in one view is chosen in all of them", async () => {
  const { page, complaints, close } = await at("events");
  await drawn(page, "events");
  await page.locator(".virtual-row").filter({ hasText: "alloc" }).filter({ hasText: "12.00 MiB" }).first().click();
  await page.waitForFunction(() => /life(:|%3A)1(&|$)/.test(location.hash));
  for (const view of VIEWS) {
    await show(page, view);
    await drawn(page, view);
    assert.equal(await fact(page, "Requested"), "12.00 MiB", view);
  }
  await show(page, "moment", "at=5");
  const table = page.getByRole("table", { name: "By category and call site" });
  await table.locator("tbody button").first().click();
  await table.locator("tr.chosen").first().waitFor();
  await show(page, "events");
  await page.locator(".virtual-row.chosen, .virtual-row.marked").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".panel .facts").waitFor({ state: "detached" });
  assert.deepEqual(complaints, []);
  await close();
});

test("segments grow and shrink with the steps, and each step tells what it changed", async () => {
  const { page, complaints, close } = await at("segments", "at=3");
  await drawn(page, "segments");
  const changes = page.getByRole("table", { name: "Changes of the last step" });
  const rows = async () => (await changes.locator("tbody tr").allInnerTexts()).map((row) => row.split("\t").slice(0, 3).map((cell) => cell.trim()).join(" "));
  const reserved = async () => (await page.locator("main p .figure").first().getAttribute("title")) ?? "";
  assert.equal(await reserved(), "20,971,520 B");
  /** @type {[string, number, string[], string][]} */
  const steps = [
    ["ArrowRight", 3, ["segment grown 20.00 MiB 0x7f0000000000"], "41,943,040 B"],
    ["ArrowRight", 4, ["allocated 4.00 MiB 0x7f0001400000"], "41,943,040 B"],
    ["ArrowRight", 5, ["new segment 20.00 MiB 0x7f8000000000"], "62,914,560 B"],
    ["ArrowRight", 6, ["allocated 1.00 MiB 0x7f8000000000"], "62,914,560 B"],
    ["ArrowRight", 7, ["free pending 8.00 MiB 0x7f0000000000"], "62,914,560 B"],
    ["ArrowRight", 8, ["freed 8.00 MiB 0x7f0000000000"], "62,914,560 B"],
    ["ArrowRight", 9, ["free pending 4.00 MiB 0x7f0001400000"], "62,914,560 B"],
    ["ArrowRight", 10, ["freed 4.00 MiB 0x7f0001400000"], "62,914,560 B"],
    ["ArrowRight", 11, ["segment shrunk 20.00 MiB 0x7f0000000000"], "41,943,040 B"],
    ["ArrowLeft", 11, ["segment grown 20.00 MiB 0x7f0000000000"], "62,914,560 B"],
  ];
  for (const [key, event, wanted, bytes] of steps) {
    await page.keyboard.press(key);
    await page.getByText(`event ${event}`, { exact: true }).waitFor();
    await page.locator(`main p .figure[title="${bytes}"]`).first().waitFor();
    await page.waitForFunction((text) => document.querySelector('table[aria-label="Changes of the last step"] tbody')?.textContent?.includes(text), (wanted[0] ?? "").split(" ").at(-1) ?? "");
    assert.deepEqual(await rows(), wanted, `event ${event}`);
  }
  await page.locator("summary", { hasText: "Segments as a table" }).click();
  const table = page.getByRole("table", { name: "Segments as a table" });
  await table.getByText("large segment · expandable").first().waitFor();
  assert.equal(await table.locator(".virtual-row").count(), 2);
  // In the end both are of one size, and the second has more to spare.
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page.locator('main p .figure[title="41,943,040 B"]').first().waitFor();
  for (const [order, first] of [["Free bytes", "0x7f8000000000"], ["Size", "0x7f0000000000"], ["Free bytes", "0x7f8000000000"], ["Pool, stream, type", "0x7f0000000000"]]) {
    await page.getByRole("radio", { name: order ?? "", exact: true }).click();
    await page.waitForFunction(([text]) => document.querySelector('[role=table][aria-label="Segments as a table"] .virtual-row code')?.textContent === text, [first]);
  }
  assert.deepEqual(complaints, []);
  await close();
});

/** Rows of CSV, quotes and all. @param {string} text */
function parsed(text) {
  const rows = [];
  for (const line of text.trimEnd().split("\n")) rows.push([...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, 7).map(([, cell = ""]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)));
  return rows;
}

test("each filter keeps the events it should, sorted, and CSV holds those and no others", async () => {
  const { page, complaints, close } = await at("events");
  await drawn(page, "events");
  const text = (/** @type {any} */ event) => event.frames.map((/** @type {any} */ f) => `${f.name} ${f.filename}:${f.line}`).join("\n");
  /** @typedef {(event: any, i: number) => boolean} Keeps */
  /** @type {[Record<string, string>, Keeps][]} */
  const filters = [
    [{ Action: "alloc" }, (event) => event.action === "alloc"],
    [{ Action: "segment_map" }, (event) => event.action === "segment_map"],
    [{ "Stack text": "CONV.PY" }, (event) => text(event).includes("conv.py")],
    [{ Address: "0x7f8" }, (event) => event.addr.toString(16).startsWith("7f8")],
    [{ "At least (bytes)": "1048576" }, (event) => event.size >= 1048576],
    [{ "At most (bytes)": "40960" }, (event) => event.size <= 40960],
    [{ Stream: "7" }, (event) => event.stream === 7],
    [{ "From event": "20", "To event": "60" }, (_, i) => i >= 20 && i <= 60],
    [{ Action: "alloc", "Stack text": "scalar \"x\"", "At least (bytes)": "8192", "At most (bytes)": "81920", Stream: "0", "From event": "13", "To event": "100" }, (event, i) => event.action === "alloc" && text(event).toLowerCase().includes('scalar "x"') && event.size >= 8192 && event.size <= 81920 && event.stream === 0 && i >= 13 && i <= 100],
  ];
  const field = (/** @type {string} */ name) => page.locator("label.field", { hasText: name }).first().locator("input, select");
  for (const [given, keeps] of filters) {
    for (const [name, value] of Object.entries(given)) {
      if (name === "Action") await field(name).selectOption(value);
      else await field(name).fill(value);
    }
    /** @type {any[]} */
    const wanted = trace.flatMap((event, i) => (keeps(event, i) ? [{ ...event, i }] : []));
    assert.ok(wanted.length > 0 && wanted.length < trace.length, JSON.stringify(given));
    await page.getByRole("status").filter({ hasText: `${wanted.length} of ${trace.length} events` }).waitFor();
    for (const [column, key, descending] of /** @type {const} */ ([["Event", "i", false], ["Size", "size", false], ["Size", "size", true]])) {
      if (!(column === "Event")) await page.getByRole("columnheader").getByRole("button", { name: new RegExp(`^${column}`) }).click();
      const order = wanted.toSorted((a, b) => a[key] - b[key] || a.i - b.i);
      if (descending) order.reverse();
      await page.waitForFunction((event) => document.querySelector('.virtual-row [role="cell"]')?.textContent === event, order[0]?.i.toLocaleString("en-US"));
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save these rows as CSV" }).click();
      const [head, ...rows] = parsed(readFileSync(await (await waiting).path(), "utf8"));
      assert.deepEqual(head, ["event", "action", "address", "size", "stream", "time_us", "stack"]);
      assert.deepEqual(rows, order.map((event) => [event.i, event.action, `0x${event.addr.toString(16)}`, event.size, event.stream, event.time_us, event.frames.map((/** @type {any} */ f) => `${f.filename}:${f.line}:${f.name}`).join(";")].map(String)), `${JSON.stringify(given)} by ${column}`);
    }
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("status").filter({ hasText: `${trace.length} of ${trace.length} events` }).waitFor();
  }
  // The range that the timeline shows, taken over: between its states 11 and 30 happen 19 events.
  await show(page, "events", "range=11..31");
  await page.getByRole("button", { name: "Range of the timeline" }).click();
  await page.getByRole("status").filter({ hasText: `19 of ${trace.length} events` }).waitFor();
  assert.equal((await address(page)).range, "11..31");
  assert.deepEqual(complaints, []);
  await close();
});
