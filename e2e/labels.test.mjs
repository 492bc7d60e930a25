// Nothing that is written on a drawing covers anything else written there. What a drawing's SVG holds as text is
// laid out by the browser and compared pair by pair: peak and moment close to each other, at the edges, at
// several widths, in both languages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dropPaths, open, pick, singleFile } from "./browser.mjs";
import { openSample } from "./ge-log.mjs";
import { browser } from "./suite.mjs";
import { at, cases, drawn, ready, sample, show, terminal } from "./support.mjs";

/**
 * The texts of a drawing and the pairs of them that cover one another.
 * @param {import("playwright-core").Page} page
 * @param {import("playwright-core").Page} other A page without a policy.
 * @param {string} frame
 */
async function texts(page, other, frame) {
  const chart = page.locator(frame).first();
  await chart.hover({ position: { x: 4, y: 4 } });
  const waiting = page.waitForEvent("download");
  await chart.getByRole("button", { name: /SVG/ }).click();
  const svg = readFileSync(await (await waiting).path(), "utf8");
  return other.evaluate((source) => {
    document.body.style.margin = "0";
    document.body.innerHTML = source;
    const all = [...document.querySelectorAll("text")].map((text) => {
      let { left, right, top, bottom } = text.getBoundingClientRect();
      for (let group = text.closest("[clip-path]"); group; group = group.parentElement?.closest("[clip-path]") ?? null) {
        const id = /#([^)"]+)/.exec(group.getAttribute("clip-path") ?? "")?.[1] ?? "";
        const shape = document.getElementById(id)?.firstElementChild;
        // A shape in <defs> has no box on the screen: the same one, drawn, has.
        const copy = shape?.cloneNode(true);
        if (!(copy instanceof SVGGraphicsElement)) continue;
        text.ownerSVGElement?.append(copy);
        const clip = copy.getBoundingClientRect();
        copy.remove();
        [left, right, top, bottom] = [Math.max(left, clip.left), Math.min(right, clip.right), Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
      }
      // A line of text is taller than its letters.
      return { name: text.textContent ?? "", left, right, top: top + 2, bottom: bottom - 2 };
    });
    const shown = all.filter((text) => text.right > text.left && text.bottom > text.top);
    const covered = [];
    for (const [i, a] of shown.entries())
      for (const b of shown.slice(i + 1)) if (a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom && b.top < a.bottom) covered.push(`“${a.name}” and “${b.name}”`);
    const { width } = document.querySelector("svg")?.getBoundingClientRect() ?? { width: 0 };
    const outside = shown.filter((text) => text.left < -0.5 || text.right > width + 0.5).map((text) => `“${text.name}” sticks out`);
    return { names: shown.map((text) => text.name), wrong: [...covered, ...outside] };
  }, svg);
}

for (const [locale, peakName, momentName] of /** @type {const} */ ([["en-US", "peak", "moment"], ["zh-CN", "峰值", "时刻"]]))
  test(`no label of the timeline covers another (${locale})`, async () => {
    const { page, complaints, close } = await at(browser, sample, "timeline", "", { locale, acceptDownloads: true });
    const other = await page.context().newPage();
    await page.bringToFront();
    const { events, peak_event } = terminal("overview", sample).devices[0];
    const peak = peak_event + 1;
    /** @type {string[]} */
    const wrong = [];
    for (const width of [1024, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      // Both on the same line, to either side, and close to the edges of the window.
      for (const more of [`at=${peak}&range=`, `at=${peak - 8}&range=`, `at=${peak + 8}&range=`, `at=${peak + 1}&range=${peak}..${events}`, `at=${peak - 1}&range=0..${peak + 1}`, `at=${peak}&range=${peak}..${peak + 8}`]) {
        await show(page, "timeline", more);
        await page.waitForFunction((wanted) => location.hash.includes(wanted), `at=${/at=(\d+)/.exec(more)?.[1]}`);
        await drawn(page, "timeline");
        await page.waitForTimeout(150);
        await drawn(page, "timeline");
        const found = await texts(page, other, ".bands");
        for (const name of [peakName, momentName]) if (!found.names.some((text) => text.startsWith(name))) wrong.push(`${width} ${more}: no “${name}” in ${found.names.join(", ")}`);
        for (const fault of found.wrong) wrong.push(`${width} ${more}: ${fault}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(complaints, []);
    await close();
  });

test("nor any of the curves of a profiler, the map of a graph, or two snapshots compared", async () => {
  /** @type {string[]} */
  const wrong = [];
  for (const width of [1024, 1920]) {
    const view = { viewport: { width, height: 1200 } };
    const run = await open(browser, singleFile, view);
    const other = await run.page.context().newPage();
    await run.page.bringToFront();
    await dropPaths(run.page, ["dist/samples/profiler"]);
    await run.page.waitForFunction(() => location.hash.includes("file="));
    await run.page.locator(".file.ready .file-name").first().click();
    const curves = run.page.locator('.chart[data-ready="yes"] .bands').first();
    await curves.locator("canvas").waitFor();
    const box = await curves.boundingBox();
    assert.ok(box);
    // The moment that is clicked comes closer and closer to the peak, which is the longest label.
    for (let share = 0.1; share < 1; share += 0.1) {
      await run.page.mouse.click(box.x + 196 + (box.width - 196) * share, box.y + 60);
      await run.page.locator(".kept").waitFor();
      await run.page.waitForTimeout(200);
      const found = await texts(run.page, other, '.chart[data-ready="yes"] .bands');
      if (found.names.filter((name) => /peak/.test(name)).length !== 1) wrong.push(`${width}: no peak in ${found.names.join(", ")}`);
      for (const fault of found.wrong) wrong.push(`operators ${width} ${share.toFixed(1)}: ${fault}`);
    }
    await run.close();

    const graph = await openSample(browser, view);
    const beside = await graph.page.context().newPage();
    await graph.page.bringToFront();
    for (let i = 0; i < 3; i++) {
      const found = await texts(graph.page, beside, ".ge-map");
      if (!found.names.some((name) => /peak/i.test(name))) wrong.push(`${width}: no peak in ${found.names.join(", ")}`);
      for (const fault of found.wrong) wrong.push(`graph ${width} ${i}: ${fault}`);
      await graph.page.locator(".ge-map canvas").hover({ position: { x: width / 2, y: 300 } });
      await graph.page.mouse.wheel(0, -300);
      await graph.page.waitForTimeout(400);
    }
    await graph.close();

    const pair = await open(browser, singleFile, view);
    const third = await pair.page.context().newPage();
    await pair.page.bringToFront();
    await pick(pair.page, [cases.oom, cases.pools]);
    await ready(pair.page);
    await pair.page.locator(".file.ready").nth(1).waitFor();
    await show(pair.page, "compare");
    await pair.page.locator(".diff-curves canvas").first().waitFor();
    await pair.page.waitForTimeout(300);
    const found = await texts(pair.page, third, ".diff-curves");
    for (const letter of ["A", "B"]) if (!found.names.includes(letter)) wrong.push(`${width}: no ${letter} in ${found.names.join(", ")}`);
    for (const fault of found.wrong) wrong.push(`comparison ${width}: ${fault}`);
    await pair.close();
  }
  assert.deepEqual(wrong, []);
});
