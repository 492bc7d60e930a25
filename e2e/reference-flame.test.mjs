// Flame graphs, box by box, against an independent program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, opened, real, worked } from "./reference.mjs";
import { browser } from "./suite.mjs";
import { drawn, sample } from "./support.mjs";

/** The flame graph that shows: by path what each box weighs, and where it is drawn. @param {import("playwright-core").Page} page */
function boxes(page) {
  return page.evaluate(() => {
    const kept = /** @type {any} */ (window).answers.flame.data.reply;
    const special = new Map([[0xfffffffe, "<none>"], [0xfffffffd, "<freed>"], [0xfffffffc, "<hidden>"]]);
    const canvas = document.querySelector(".flame canvas");
    const drawn = /** @type {any} */ (canvas).boxes;
    const way = [""];
    return {
      width: canvas?.clientWidth ?? 0,
      ofAByte: kept.of_a_byte,
      above: kept.parents.length - 1,
      drawn: drawn.length,
      rows: Array.from(kept.nodes, (_, i) => {
        way.length = kept.depth[i];
        way.push(kept.depth[i] === 0 ? "" : (special.get(kept.keys[i]) ?? kept.labels[kept.label_of[i]]));
        return { path: way.join("\n"), weight: kept.weight[i], count: kept.count[i], rect: drawn[i + kept.parents.length - 1] };
      }),
    };
  });
}

for (const file of [sample, ...real("cuda_training.pickle", "npu_two_devices.pkl")])
  test(`${nameOf(file)}: every box of the flame graph has the bytes, the parent and the width that an independent program finds`, async () => {
    const device = file.includes("two_devices") ? 1 : 0;
    /** @type {[string, boolean, boolean, boolean][]} */
    const cases = [];
    for (const innermost of [false, true]) for (const native of [false, true]) for (const framework of [false, true]) cases.push(["moment", innermost, native, framework]);
    cases.push(["range", false, false, false], ["range", true, true, true]);
    if (!file.includes("npu")) cases.push(["range_time", false, true, false]);
    const [[from, to], ...wanted] = worked(file, [{ ask: "states", device, from: [0.4, 0], to: [1.1, 0] }, ...cases.map(([of, innermost, hide_native, hide_framework]) => ({ ask: "flame", device, of, moment: [1, 0], from: [0.4, 0], to: [1.1, 0], innermost, hide_native, hide_framework }))]);
    const { page, complaints, close } = await opened(browser, file, "flame", `sel=range:${from}..${to}&device=${device}`);
    await drawn(page, "flame");
    let checked = 0;
    for (const [i, [of, innermost, native, framework]] of cases.entries()) {
      await page.locator("select").filter({ hasText: "bytes" }).first().selectOption(of);
      await page.getByRole("radio", { name: innermost ? "the innermost call" : "the outermost call" }).click();
      for (const [name, on] of /** @type {const} */ ([[/C\+\+/, native], [/ramework|librar/, framework]])) await page.getByRole("checkbox", { name }).setChecked(on);
      await page.waitForFunction(
        ([kind, ...flags]) => {
          const { request } = /** @type {any} */ (window).answers.flame ?? {};
          const now = request && [request.of.of === "moment" ? "moment" : request.of.by_time ? "range_time" : "range", request.options.innermost_first, request.options.hide_native, request.options.hide_framework];
          return String(now) === String([kind, ...flags]);
        },
        [of, innermost, native, framework],
      );
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const { width, rows, above, drawn: painted } = await boxes(page);
      assert.equal(above, 0);
      assert.equal(painted, rows.length, "a box is drawn for each");
      /** @type {Map<string, [number, number]>} */
      const tree = new Map(Object.entries(wanted[i]));
      const total = tree.get("")?.[0] ?? 0;
      const what = `${of} ${innermost} ${native} ${framework}`;
      const expected = [...tree].filter(([, [weight]]) => weight / total >= 1 / width);
      assert.deepEqual(new Set(rows.map((row) => row.path)), new Set(expected.map(([path]) => path)), what);
      /** @type {Map<string, { x: number, w: number, weight: number }[]>} */
      const children = new Map();
      for (const { path, weight, count, rect } of rows) {
        const [bytes, lives] = tree.get(path) ?? [0, 0];
        assert.equal(count, lives, path);
        assert.ok(of === "range_time" || weight === bytes, `${what}: ${weight} is not ${bytes} at ${path}`);
        const [x, y, w, h] = rect;
        const wide = (bytes / total) * width;
        assert.ok(Math.abs(w - Math.max(0.6, wide - (wide > 2 ? 1 : 0))) < 0.01, `${what}: ${w} pixels for ${wide} at ${path}`);
        assert.equal(y, path.split("\n").length * 18 - 18);
        assert.equal(h, 17);
        const parent = path.slice(0, Math.max(0, path.lastIndexOf("\n")));
        if (path !== "") children.set(parent, [...(children.get(parent) ?? []), { x, w: wide, weight: bytes }]);
        checked++;
      }
      // Side by side from the parent's left edge, the widest first.
      const lefts = new Map(rows.map(({ path, rect }) => [path, rect[0]]));
      for (const [parent, own] of children) {
        let edge = lefts.get(parent) ?? NaN;
        for (const child of own.sort((a, b) => a.x - b.x)) {
          assert.ok(Math.abs(child.x - edge) < 0.01, `${what}: ${child.x} is not ${edge} under ${parent}`);
          edge += child.w;
        }
      }
    }
    assert.ok(checked > 100, `${checked} boxes`);
    assert.deepEqual(complaints, []);
    await close();
  });
