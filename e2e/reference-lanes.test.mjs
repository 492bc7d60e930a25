// Where marks and spans stand in the lanes of the timeline, against an independent program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { sharedFolder } from "./browser.mjs";
import { nameOf, opened, real, worked } from "./reference.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, drawn, sample, show } from "./support.mjs";

/** A trace that ends with the taking of its snapshot, where the generator of real-sized ones is at hand. */
function withSnapshot() {
  const shared = sharedFolder();
  if (shared === null) return [];
  const file = join(folder, "taken.pickle");
  execFileSync("python3", [join(shared, "tools/make_snapshot.py"), file, "--events", "6000"], { stdio: "ignore" });
  return [file];
}

for (const file of [sample, cases.oom, ...withSnapshot(), ...real("cuda_zeroth_order.pickle", "npu_two_devices.pkl", "cuda_ring_of_10000.pickle")])
  test(`${nameOf(file)}: lanes have their marks and spans where an independent program finds them`, async () => {
    const device = file.includes("two_devices") ? 1 : 0;
    const [wanted, events] = worked(file, [{ ask: "lanes", device }, { ask: "events", keep: "True", device }]);
    const { page, complaints, close } = await opened(browser, file, "timeline", `device=${device}`);
    await drawn(page, "timeline");
    const timed = events.some((/** @type {any[]} */ row) => row[5] !== null);
    // As the axis has it: the latest time so far, in nanoseconds after the first.
    const clock = [0];
    for (const row of events) clock.push(Math.max(clock.at(-1) ?? 0, (row[5] - events[0][5]) * 1000));
    const looked = async (/** @type {"Event" | "Time"} */ axis) => {
      const { from, to, lanes } = await page.evaluate(() => {
        const { reply } = /** @type {any} */ (window).answers.timeline.data;
        const canvas = /** @type {any} */ (document.querySelector(".bands-canvas"));
        return { from: reply.from, to: reply.to, lanes: canvas.boxes.filter((/** @type {number[]} */ box) => (box[1] ?? 99) < 46), width: canvas.clientWidth };
      });
      const width = await page.locator(".bands-canvas").evaluate((canvas) => canvas.clientWidth - 72);
      const xOf = (/** @type {number} */ position) => 72 + ((position - from) / (to - from)) * width;
      const position = (/** @type {number} */ state) => (axis === "Time" ? (clock[state] ?? 0) : state);
      /** Top, width and height of the marks of each kind. @type {Record<string, number[]>} */
      const looks = { oom: [29, 2, 14], snapshot: [29, 1, 11], grown: [29, 1, 5.5], shrunk: [34.5, 1, 5.5] };
      let marks = 0;
      for (const [kind, [top, wide, tall]] of Object.entries(looks)) {
        const found = lanes.filter((/** @type {number[]} */ [, y, w, h]) => y === top && w === wide && h === tall).map((/** @type {number[]} */ [x]) => x);
        const expected = wanted[kind].map((/** @type {number} */ state) => xOf(position(state))).filter((/** @type {number} */ x) => x >= 72 && x < 72 + width);
        for (const x of expected) assert.ok(found.some((/** @type {number} */ drawn_) => Math.abs(drawn_ - x) <= 1.51), `${kind} is missing at ${x} (${axis}) among ${found}, window ${from} to ${to} over ${width}`);
        for (const x of found) assert.ok(expected.some((/** @type {number} */ at_) => Math.abs(at_ - x) <= 1.51), `${kind} stands at ${x} (${axis})`);
        marks += found.length;
      }
      const spans = lanes.filter((/** @type {number[]} */ [, y, , h]) => y === 15 && h === 11);
      const first = events[0]?.[5] ?? 0;
      const expected = wanted.annotations
        .map((/** @type {[string, number, number]} */ [, begin, end]) => [begin, end].map((time) => (axis === "Time" ? (time - first) * 1000 : events.filter((/** @type {any[]} */ row) => row[5] <= time).length)))
        .map((/** @type {number[]} */ ends) => ends.map(xOf))
        .filter((/** @type {number[]} */ [x0 = 0, x1 = 0]) => x1 - x0 >= 1 && x1 > 72 && x0 < 72 + width)
        .map((/** @type {number[]} */ [x0 = 0, x1 = 0]) => [Math.max(72, x0), Math.min(72 + width, x1)]);
      assert.equal(spans.length, expected.length, `annotations (${axis})`);
      for (const [x0, x1] of expected) assert.ok(spans.some((/** @type {number[]} */ [x = 0, , w = 0]) => Math.abs(x - x0) < 0.6 && Math.abs(w - Math.max(1, x1 - x0 - 1)) < 0.6), `an annotation from ${x0} to ${x1}`);
      return marks + spans.length;
    };
    let seen = 0;
    for (const axis of /** @type {("Time" | "Event")[]} */ (timed ? ["Time", "Event"] : ["Event"])) {
      if (timed) {
        await page.getByRole("radio", { name: axis, exact: true }).click();
        await page.waitForFunction((kind) => /** @type {any} */ (window).answers.timeline?.request.axis === kind, axis.toLowerCase());
        await drawn(page, "timeline");
      }
      seen += await looked(axis);
      for (const part of [0.1, 0.5]) {
        const from = Math.floor(events.length * part);
        await show(page, "timeline", `range=${from}..${from + Math.ceil(events.length / 20)}`);
        await page.waitForTimeout(300);
        await drawn(page, "timeline");
        seen += await looked(axis);
      }
      await page.keyboard.press("0");
      await drawn(page, "timeline");
    }
    assert.ok(seen > 3, `${seen} marks and spans`);
    assert.deepEqual(complaints, []);
    await close();
  });
