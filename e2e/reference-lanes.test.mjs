// Where marks, steps and annotations stand in the lanes of the timeline, against an independent program.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { made, nameOf, opened, real, worked } from "./reference.mjs";
import { browser, folder } from "./suite.mjs";
import { cases, drawn, sample, show } from "./support.mjs";

const generated = [
  ...made(folder, "taken.pickle", "--events", "6000"),
  ...made(folder, "two_devices.pickle", "--events", "6000", "--devices", "2"),
  ...made(folder, "ring.pickle", "--events", "12000", "--ring", "5000"),
  ...made(folder, "valleys.pickle", "--events", "8000", "--no-steps"),
  ...made(folder, "npu_valleys.pickle", "--events", "8000", "--flavour", "npu"),
];

/** The steps that the lane is to show: told by whom, and how many at the least. @type {Record<string, [string | null, number]>} */
const STEPS = {
  "snapshot.pickle": ["profiler", 8],
  "oom.pickle": ["profiler", 3],
  "taken.pickle": ["profiler", 4],
  "two_devices.pickle": ["profiler", 4],
  "ring.pickle": ["profiler", 4],
  "valleys.pickle": ["valleys", 4],
  "npu_valleys.pickle": ["valleys", 4],
  "cuda_forward.pickle": ["valleys", 12],
  "npu_two_devices.pkl": ["valleys", 5],
  "cuda_zeroth_order.pickle": [null, 0],
  "cuda_ring_of_10000.pickle": [null, 0],
};

for (const file of [sample, cases.oom, ...generated, ...real("cuda_zeroth_order.pickle", "npu_two_devices.pkl", "cuda_ring_of_10000.pickle", "cuda_forward.pickle")])
  test(`${nameOf(file)}: lanes have their marks and spans where an independent program finds them`, async () => {
    const device = nameOf(file)?.includes("two_devices") ? 1 : 0;
    const [wanted, events] = worked(file, [{ ask: "lanes", device }, { ask: "events", keep: "True", device }]);
    const [told, least] = STEPS[nameOf(file) ?? ""] ?? [null, 0];
    assert.equal(wanted.steps.source, told);
    assert.ok(wanted.steps.begin.length >= least);
    if (told === "valleys" && existsSync(`${file}.truth.json`)) {
      // Where the generator began its steps.
      const begun = JSON.parse(readFileSync(`${file}.truth.json`, "utf8"))[device].file.steps.map((/** @type {number[]} */ [first]) => first);
      assert.deepEqual(wanted.steps.begin.filter((/** @type {number} */ event) => !begun.includes(event)), []);
    }
    const { page, complaints, close } = await opened(browser, file, "timeline", `device=${device}`);
    await drawn(page, "timeline");
    const timed = events.some((/** @type {any[]} */ row) => row[5] !== null);
    // As the axis has it: the latest time so far, in nanoseconds after the first.
    const clock = [0];
    for (const row of events) clock.push(Math.max(clock.at(-1) ?? 0, (row[5] - events[0][5]) * 1000));
    const looked = async (/** @type {"Event" | "Time"} */ axis) => {
      const { from, to, lanes, words } = await page.evaluate(() => {
        const { reply } = /** @type {any} */ (window).answers.timeline.data;
        const canvas = /** @type {any} */ (document.querySelector(".bands-canvas"));
        return { from: reply.from, to: reply.to, lanes: canvas.boxes.filter((/** @type {number[]} */ box) => (box[1] ?? 99) < 46), words: canvas.words };
      });
      const width = await page.locator(".bands-canvas").evaluate((canvas) => canvas.clientWidth - 72);
      const xOf = (/** @type {number} */ position) => 72 + ((position - from) / (to - from)) * width;
      const position = (/** @type {number} */ state) => (axis === "Time" ? (clock[state] ?? 0) : state);
      /** Top, width and height of the marks of each kind. @type {Record<string, number[]>} */
      const looks = { oom: [29, 3, 14], snapshot: [29, 1, 11], grown: [29, 1, 5.5], shrunk: [34.5, 1, 5.5] };
      let marks = 0;
      for (const [kind, [top, wide, tall]] of Object.entries(looks)) {
        const found = lanes.filter((/** @type {number[]} */ [, y, w, h]) => y === top && w === wide && h === tall).map((/** @type {number[]} */ [x]) => x);
        const stands = wanted[kind].map((/** @type {number} */ state) => xOf(position(state))).filter((/** @type {number} */ x) => x >= 72 && x < 72 + width);
        // At the right edge a mark wider than a pixel stands within the frame.
        const expected = stands.map((/** @type {number} */ x) => Math.min(x, 72 + width - (wide > 1 ? wide : 0)));
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
      const cuts = wanted.steps.begin.map((/** @type {number} */ event) => xOf(position(event + 1)));
      const end = xOf(axis === "Time" ? (clock.at(-1) ?? 0) * 1.001 + 1 : events.length + 1);
      /** Number and edges of each step. @type {[string, number, number][]} */
      const steps = [];
      for (const [i, x0] of cuts.entries()) {
        const x1 = cuts[i + 1] ?? end;
        if (x1 - x0 >= 1 && x1 > 72 && x0 < 72 + width) steps.push([String(i), Math.max(72, x0), Math.min(72 + width, x1)]);
      }
      const shown = lanes.filter((/** @type {number[]} */ [, y, , h]) => y === 1 && h === 11);
      assert.equal(shown.length, steps.length, `steps (${axis})`);
      for (const [i, [name, x0, x1]] of steps.entries()) {
        const [x = 0, , w = 0] = shown[i] ?? [];
        assert.ok(Math.abs(x - x0) < 0.6 && Math.abs(w - Math.max(1, x1 - x0 - 1)) < 0.6, `step ${name} from ${x0} to ${x1} stands from ${x} over ${w} (${axis})`);
        const said = words.filter((/** @type {any[]} */ [, at_, y]) => y === 10 && at_ >= x0 && at_ < x1).map((/** @type {any[]} */ [text]) => text);
        if (x1 - x0 > 27 || x1 - x0 < 25) assert.deepEqual(said, x1 - x0 > 26 ? [name] : [], `the number of step ${name} (${axis})`);
      }
      stepsSeen += steps.length;
      return marks + spans.length;
    };
    let stepsSeen = 0;
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
    assert.ok(seen > 3 || stepsSeen > 3, `${seen} marks and spans, ${stepsSeen} steps`);
    assert.ok(stepsSeen >= least, `${stepsSeen} steps`);
    assert.deepEqual(complaints, []);
    await close();
  });
