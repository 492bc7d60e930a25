// The memory of a moment, segment by segment and block by block, against an independent replay of the allocator.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { sharedFolder } from "./browser.mjs";
import { nameOf, opened, real, worked } from "./reference.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, sample, show } from "./support.mjs";

/** @typedef {[number, number, number, string]} Block  Address, bytes, bytes requested, state. */

/** What the view was told of the moment that it shows. @param {import("playwright-core").Page} page */
const shown = (page) =>
  page.evaluate(() => {
    const { reply } = /** @type {any} */ (window).answers.segments.data;
    const starts = Array.from(reply.address, Number);
    /** @type {Block[]} */
    const blocks = [];
    for (const [s, start] of starts.entries()) for (let b = reply.first_block[s]; b < reply.first_block[s + 1]; b++) if (reply.usage[b] !== 0) blocks.push([start + reply.offset[b], reply.size[b], reply.requested[b], ["", "allocated", "pending"][reply.usage[b]] ?? "workspace"]);
    const segments = starts.map((start, s) => [start, reply.segment_size[s]]);
    const order = Array.from(reply.order, (/** @type {number} */ index) => starts[index]);
    return { segments: segments.sort((a, b) => a[0] - b[0]), blocks: blocks.sort((a, b) => a[0] - b[0]), order, boxes: /** @type {any} */ (document.querySelector(".segment-map canvas")).boxes };
  });

/** Goes to a moment and waits for its answer. @param {import("playwright-core").Page} page @param {number} moment */
async function at(page, moment) {
  await show(page, "segments", `at=${moment}`);
  await page.waitForFunction((state) => /** @type {any} */ (window).answers.segments?.data.reply.state === state, moment);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** @param {{ segments: number[][], blocks: Block[] }} from @param {{ segments: number[][], blocks: Block[] }} to */
function changes(from, to) {
  /** @type {string[]} */
  const rows = [];
  const [old, now] = [new Map(from.segments.map(([at_ = 0, size = 0]) => [at_, size])), new Map(to.segments.map(([at_ = 0, size = 0]) => [at_, size]))];
  for (const [start, size] of old) if (!now.has(start)) rows.push(`segment given back ${size} 0x${start.toString(16)}`);
  for (const [start, size] of now) {
    const more = size - (old.get(start) ?? 0);
    if (!old.has(start)) rows.push(`new segment ${size} 0x${start.toString(16)}`);
    else if (more !== 0) rows.push(`${more > 0 ? "segment grown" : "segment shrunk"} ${Math.abs(more)} 0x${start.toString(16)}`);
  }
  const [were, are] = [from, to].map(({ blocks }) => new Map(blocks.map((block) => [block[0], block])));
  for (const [start, [, size]] of were ?? []) if (!are?.has(start)) rows.push(`freed ${size} 0x${start.toString(16)}`);
  for (const [start, [, size, , state]] of are ?? []) {
    const before_ = were?.get(start);
    if (!before_) rows.push(`allocated ${size} 0x${start.toString(16)}`);
    else if (before_[3] !== state) rows.push(`${state === "pending" ? "free pending" : "free not asked for yet"} ${size} 0x${start.toString(16)}`);
  }
  return rows.sort();
}

/** @type {[string, number, number, (number | number[])[], number[]][]} file, device, padding, moments, moment to step on from */
const files = [
  [sample, 0, 0, [600, [1, 0], 4600], [1, -6]],
  [cases.pools, 0, 0, [20, 80, 150], [0, 70]],
];
for (const file of real("npu_expandable.pkl")) files.push([file, 0, 32, [406, [1, 0], 8092], [0, 20]]);
for (const file of real("npu_two_devices.pkl")) files.push([file, 1, 32, [406, 5000, 9000], [0, 7600]]);
if (sharedFolder() !== null)
  for (const [name, ...more] of [["growing", "--expandable"], ["pools"]]) {
    const file = join(folder, `${name}.pickle`);
    execFileSync("python3", [join(String(sharedFolder()), "tools/make_snapshot.py"), file, "--events", "6000", "--pools", "2", "--streams", "2", ...more], { stdio: "ignore" });
    files.push([file, 0, 0, [500, 3000, 5999], [0, 2990]]);
  }

for (const [file, device, padding, moments, first] of files)
  test(`${nameOf(file)}: segments and blocks are those of an independent replay, as drawn and step by step`, async () => {
    const steps = Array.from({ length: 9 }, (_, i) => [first[0] ?? 0, (first[1] ?? 0) + i]);
    const [wanted] = worked(file, [{ ask: "memory", device, padding, moments: [...moments, ...steps] }]);
    const { page, complaints, close } = await opened(browser, file, "segments", `device=${device}`);
    await page.locator(".segment-map").waitFor();
    let [drawn, states] = [0, new Set()];
    for (const memory of wanted.slice(0, moments.length)) {
      await at(page, memory.moment);
      const found = await shown(page);
      assert.deepEqual(found.segments, memory.segments, `segments of ${memory.moment}`);
      // What was there before the trace and is gone at its end is of a size that nobody knows.
      assert.deepEqual(found.blocks, memory.blocks.map((/** @type {Block} */ block, /** @type {number} */ i) => (block[1] === null ? [block[0], found.blocks[i]?.[1], ...block.slice(2)] : block)), `blocks of ${memory.moment}`);
      for (const [, , , state] of found.blocks) states.add(state);
      // To scale: each row a segment, in it each block where it lies, its requested part and its pending mark.
      /** @type {Map<number, number[][]>} */
      const rows = new Map();
      for (const box of found.boxes) if (box[3] === 14) rows.set(box[1], [...(rows.get(box[1]) ?? []), box]);
      const sizes = new Map(found.segments.map(([start = 0, size = 0]) => [start, size]));
      let scale = 0;
      for (const [y, [ground = [], ...boxes]] of rows) {
        const start = found.order[Math.round((y - 4) / 22)] ?? 0;
        const size = sizes.get(start) ?? 0;
        const [left = 0, , wide = 0] = ground;
        scale ||= Math.max(...[...rows.values()].map(([first_]) => first_?.[2] ?? 0)) / Math.max(...[...rows.keys()].map((row) => sizes.get(found.order[Math.round((row - 4) / 22)]) ?? 0));
        assert.ok(Math.abs(wide - Math.max(1, size * scale)) < 0.01, `segment ${start.toString(16)} is ${wide} wide`);
        for (const [address, bytes, requested, state] of found.blocks) {
          if (address < start || address >= start + size || bytes * scale < 0.75) continue;
          const x = left + (address - start) * scale;
          const own = boxes.filter(([at_ = 0]) => Math.abs(at_ - x) < 0.01).map(([, , w]) => w ?? 0);
          const whole = bytes * scale;
          assert.ok(own.some((w) => Math.abs(w - whole) < 0.01), `block ${address.toString(16)} of ${whole} pixels among ${own}`);
          const part = Math.max(0.75, Math.min(whole, requested * scale) - (whole > 4 ? 0.75 : 0));
          assert.ok(own.some((w) => Math.abs(w - part) < 0.01), `its requested part of ${part} pixels among ${own}`);
          const marks = found.boxes.filter((/** @type {number[]} */ [at_ = 0, top, , tall]) => tall === 4 && top === y + 10 && Math.abs(at_ - x) < 0.01);
          assert.equal(marks.length, state === "pending" ? 1 : 0);
          drawn++;
        }
      }
    }
    assert.ok(drawn > 30, `${drawn} blocks drawn`);
    if (file.startsWith(folder)) assert.ok(states.has("pending"));

    const stepped = wanted.slice(moments.length);
    await at(page, stepped[0].moment);
    const told = async (/** @type {number} */ from, /** @type {number} */ to) => {
      await page.getByRole("heading", { name: `What changed from event ${(from - 1).toLocaleString("en-US")} to ${(to - 1).toLocaleString("en-US")}` }).waitFor();
      const rows = await page.getByRole("table", { name: "Changes of the last step" }).locator("tbody tr").evaluateAll((all) => all.map((row) => [row.querySelector("td")?.textContent, (row.querySelector("[title]")?.getAttribute("title") ?? "").replace(/[^\d]/g, ""), row.querySelector("code")?.textContent].join(" ")));
      return rows.sort();
    };
    for (let i = 1; i < stepped.length; i++) {
      await page.keyboard.press("ArrowRight");
      assert.deepEqual(await told(stepped[i - 1].moment, stepped[i].moment), changes(stepped[i - 1], stepped[i]));
    }
    for (let i = stepped.length - 1; i > 4; i--) {
      await page.keyboard.press("ArrowLeft");
      assert.deepEqual(await told(stepped[i].moment, stepped[i - 1].moment), changes(stepped[i], stepped[i - 1]));
    }
    assert.deepEqual(complaints, []);
    await close();
  });
