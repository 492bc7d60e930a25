// What a pointer and the keys do in the timeline: boxes, wheels, the minimap, focus and search.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser } from "./suite.mjs";
import { address, at, drawn, sample, show, terminal } from "./support.mjs";

/** The sample's timeline over events, and where its bands lie in the window. */
async function bands() {
  const opened = await at(browser, sample, "timeline");
  await opened.page.getByRole("radio", { name: "Event", exact: true }).click();
  await drawn(opened.page, "timeline");
  const edge = await opened.page.locator(".bands-canvas").boundingBox();
  // The lines that follow the pointer tell the left, top and height of the bands.
  assert.ok(edge);
  await opened.page.mouse.move(edge.x + edge.width / 2, edge.y + edge.height / 2);
  const cross = await opened.page.locator(".timeline .chart-cross").boundingBox();
  const level = await opened.page.locator(".timeline .chart-level").boundingBox();
  assert.ok(cross && level);
  const at_ = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {const} */ ([level.x + level.width * x, cross.y + cross.height * y]);
  return { ...opened, at: at_, width: level.width, height: cross.height };
}

/** @param {import("playwright-core").Page} page */
const range = async (page) => ((await address(page)).range ?? "").split("..").map(Number);

/** The bytes that the vertical axis tells beside the pointer. @param {import("playwright-core").Page} page */
async function reading(page) {
  const text = await page.locator(".timeline .chart-reading").innerText();
  const [, value, unit] = /([\d.,]+)\s*(B|KiB|MiB|GiB)/.exec(text) ?? [];
  return Number(value?.replaceAll(",", "")) * 1024 ** ["B", "KiB", "MiB", "GiB"].indexOf(unit ?? "");
}

test("a box drawn with Shift, or in zoom mode, is what is shown then, in events and in bytes", async () => {
  const { page, at, complaints, close } = await bands();
  const events = terminal("overview", sample).devices[0].events;
  for (const mode of ["Shift", "Zoom"]) {
    if (mode === "Zoom") await page.getByRole("radio", { name: "Zoom", exact: true }).click();
    await page.mouse.move(...at(0.25, 0.5));
    const low = await reading(page);
    await page.mouse.move(...at(0.5, 0.25));
    const high = await reading(page);
    if (mode === "Shift") await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(...at(0.25, 0.5), { steps: 4 });
    assert.equal(await page.locator(".timeline .chart-tip").count(), 0, "the tip lies over the box");
    assert.ok(await page.locator(".timeline .chart-brush").isVisible());
    await page.mouse.up();
    if (mode === "Shift") await page.keyboard.up("Shift");
    await page.waitForFunction(() => location.hash.includes("range="));
    await drawn(page, "timeline");
    const [from = 0, to = 0] = await range(page);
    assert.ok(Math.abs(from - events * 0.25) <= events * 0.01 && Math.abs(to - events * 0.5) <= events * 0.01, `${from} to ${to} of ${events}`);
    await page.mouse.move(...at(0.5, 0));
    assert.ok(Math.abs((await reading(page)) - high) <= high * 0.02, "the top is the upper edge of the box");
    await page.mouse.move(...at(0.5, 0.999));
    assert.ok(Math.abs((await reading(page)) - low) <= high * 0.02, "the bottom is its lower edge");
    await page.mouse.dblclick(...at(0.5, 0.5));
    await page.waitForFunction(() => !location.hash.includes("range="));
    await page.keyboard.press("Escape");
    await drawn(page, "timeline");
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("wheels: events around the pointer, with Alt its bytes, with Shift sideways", async () => {
  const { page, at, close } = await bands();
  await page.mouse.move(...at(0.5, 0));
  const top = await reading(page);
  await page.mouse.move(...at(0.5, 0.5));
  const middle = await reading(page);
  await page.keyboard.down("Alt");
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Alt");
  await drawn(page, "timeline");
  await page.mouse.move(...at(0.5, 0.501));
  assert.ok(Math.abs((await reading(page)) - middle) <= middle * 0.02, "the bytes under the pointer stay there");
  await page.mouse.move(...at(0.5, 0));
  assert.ok((await reading(page)) < top * 0.75);
  assert.equal((await address(page)).range, undefined);
  await page.keyboard.press("0");
  await drawn(page, "timeline");
  await page.mouse.move(...at(0.5, 0.001));
  assert.ok(Math.abs((await reading(page)) - top) <= top * 0.02);

  await page.mouse.move(...at(0.25, 0.5));
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -200);
  await page.waitForFunction(() => location.hash.includes("range="));
  const [from = 0, to = 0] = await range(page);
  const events = terminal("overview", sample).devices[0].events;
  assert.ok(Math.abs(from + (to - from) / 4 - events / 4) <= events * 0.02, `${from} to ${to}`);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 200);
  await page.keyboard.up("Shift");
  await page.waitForFunction((before) => !location.hash.includes(before), `range=${from}.`);
  const [moved = 0, end = 0] = await range(page);
  assert.ok(moved > from && Math.abs(end - moved - (to - from)) <= 2);
  await close();
});

test("the brush of the minimap: a new window, moved, and pulled wider at its edge", async () => {
  const { page, close } = await bands();
  const map = await page.locator(".minimap canvas").boundingBox();
  assert.ok(map);
  const events = terminal("overview", sample).devices[0].events;
  const drag = async (/** @type {number} */ from, /** @type {number} */ to) => {
    await page.mouse.move(map.x + map.width * from, map.y + 20);
    await page.mouse.down();
    await page.mouse.move(map.x + map.width * to, map.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(300);
    return (await range(page)).map((state) => state / events);
  };
  const near = (/** @type {number[]} */ found, /** @type {number[]} */ wanted) => assert.ok(found.every((share, i) => Math.abs(share - (wanted[i] ?? 0)) < 0.01), `${found} is not ${wanted}`);
  near(await drag(0.3, 0.5), [0.3, 0.5]);
  near(await drag(0.4, 0.6), [0.5, 0.7]);
  near(await drag(0.7, 0.9), [0.5, 0.9]);
  await page.mouse.dblclick(map.x + map.width * 0.2, map.y + 20);
  await page.waitForFunction(() => !location.hash.includes("range="));
  await close();
});

test("matches are walked through by key, and F shows the life of the one chosen, or the range", async () => {
  const { page, close } = await bands();
  await page.keyboard.press("/");
  await page.keyboard.type("forward");
  await page.getByRole("status").filter({ hasText: "in all" }).waitFor();
  const life = async () => Number(/life:(\d+)/.exec((await address(page)).sel ?? "")?.[1]);
  await page.keyboard.press("Enter");
  const first = await life();
  await page.keyboard.press("Enter");
  const second = await life();
  assert.ok(second > first, `${second} after ${first}`);
  await page.keyboard.press("Shift+Enter");
  assert.equal(await life(), first);
  await page.locator("h1").first().click();
  await page.keyboard.press("n");
  assert.equal(await life(), second);
  await page.keyboard.press("p");
  assert.equal(await life(), first);
  // The life as the panel tells it lies within what F shows.
  const told = await page.getByRole("complementary", { name: "Allocation" }).locator("dd", { hasText: /from event/ }).first().innerText();
  const [birth = 0, death = 0] = (/from event ([\d,]+) to event ([\d,]+)/.exec(told) ?? []).slice(1).map((text) => Number(text.replaceAll(",", "")));
  assert.ok(death > birth, told);
  await page.keyboard.press("f");
  await page.waitForFunction(() => location.hash.includes("range="));
  const [from = 0, to = 0] = await range(page);
  assert.ok(from <= birth + 1 && to >= death && to - from <= 3 * (death - birth) + 8, `${from} to ${to} for ${birth} to ${death}`);
  // A range that is selected comes before.
  await show(page, "timeline", "range=&sel=range:40..90");
  await page.getByRole("table", { name: "The range by category" }).waitFor();
  await page.keyboard.press("f");
  await page.waitForFunction(() => /range=40\.\.91/.test(location.hash));
  await close();
});

test("the lanes tell what is under the pointer: names with their stretch, and moments in words", async () => {
  const { page, complaints, close } = await bands();
  const edge = await page.locator(".bands-canvas").boundingBox();
  assert.ok(edge);
  /** What the tip says anywhere along a lane. @param {number} y */
  const along = async (y) => {
    const told = new Set();
    for (let x = 80; x < edge.width - 100; x += 6) {
      await page.mouse.move(edge.x + x, edge.y + y);
      for (const text of await page.locator(".timeline .chart-tip").allInnerTexts()) told.add(text);
    }
    return [...told].join("\n");
  };
  assert.match(await along(20), /ProfilerStep#\d+\s+[\d,]+ – [\d,]+/);
  assert.match(await along(34), /^Segment allocated or mapped$/m);
  // Below the lanes the bands have the word again.
  await page.mouse.move(edge.x + edge.width / 2, edge.y + edge.height / 2);
  await page.locator(".timeline .tip-figures").waitFor();
  assert.doesNotMatch((await page.locator(".timeline .chart-tip").allInnerTexts()).join(), /Segment allocated/);
  assert.deepEqual(complaints, []);
  await close();
});
