// Walking through a long table: whatever the keys and the wheel do, each frame shows rows from edge to edge.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { at, drawn, sample } from "./support.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("events scroll by key and by wheel without a blank frame", async () => {
  const { page, complaints, close } = await at(browser, sample, "events");
  await drawn(page, "events");
  await page.evaluate(() => {
    const seen = /** @type {any} */ (window);
    [seen.frames_, seen.blank] = [0, []];
    const look = () => {
      const body = /** @type {Element} */ (document.querySelector(".virtual-body"));
      const room = body.getBoundingClientRect();
      const rows = [...body.querySelectorAll(".virtual-row")].map((row) => row.getBoundingClientRect());
      const [top, bottom] = [Math.min(...rows.map((row) => row.top)), Math.max(...rows.map((row) => row.bottom))];
      // A bar that scrolls sideways may lie over the lower edge.
      if (top > room.top + 1 || bottom < room.bottom - 20) seen.blank.push([body.scrollTop, top - room.top, bottom - room.bottom]);
      seen.frames_++;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.locator(".virtual-row").first().click();
  for (let i = 0; i < 40; i++) await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 20; i++) await page.keyboard.press("PageDown");
  for (let i = 0; i < 8; i++) await page.keyboard.press("PageUp");
  const chosen = Number((await page.locator(".virtual-row.chosen [role=cell]").first().innerText()).replaceAll(",", ""));
  assert.equal(chosen > 40 && (chosen - 40) % 12, 0, `${chosen} is not twelve pages below 40`);
  await page.locator(".virtual-body").hover();
  for (let i = 0; i < 20; i++) await page.mouse.wheel(0, i % 5 === 4 ? -2000 : 700);
  await page.waitForTimeout(300);
  const { frames, blank } = await page.evaluate(() => ({ frames: /** @type {any} */ (window).frames_, blank: /** @type {any} */ (window).blank }));
  assert.ok(frames > 40, `${frames} frames`);
  assert.deepEqual(blank, []);
  assert.deepEqual(complaints, []);
  await close();
});

test("a filter that shortens a list scrolled far down shows its first rows", async () => {
  const { page, complaints, close } = await at(browser, sample, "events");
  await drawn(page, "events");
  const body = page.locator(".virtual-body");
  const gaps = () =>
    body.evaluate((element) => {
      const room = element.getBoundingClientRect();
      const rows = [...element.querySelectorAll(".virtual-row")].map((row) => row.getBoundingClientRect());
      return [Math.min(...rows.map((row) => row.top)) - room.top, room.bottom - Math.max(...rows.map((row) => row.bottom))];
    });
  /** @type {number[]} */
  const lengths = [];
  for (const [name, value] of /** @type {const} */ ([["Stack text", ".py"], ["At least (bytes)", "100000"], ["Action", "alloc"]])) {
    await body.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await page.waitForFunction(() => Number(document.querySelector(".virtual-row")?.getAttribute("aria-rowindex")) > 30);
    const before = await page.getByRole("table", { name: "Events" }).getAttribute("aria-rowcount");
    const field = page.locator(".field", { hasText: name }).first().locator("input, select");
    if (name === "Action") await field.selectOption(value);
    else await field.fill(value);
    await page.waitForFunction((count) => document.querySelector(".virtual")?.getAttribute("aria-rowcount") !== count, before);
    await page.waitForFunction(() => document.querySelector(".virtual-row")?.getAttribute("aria-rowindex") === "2");
    lengths.push(Number(await page.getByRole("table", { name: "Events" }).getAttribute("aria-rowcount")));
    const [above, below] = await gaps();
    assert.ok(Math.abs(above ?? 99) < 2 && (below ?? 99) < 20, `${name}: ${above} above, ${below} below`);
    assert.ok(!(await page.locator(".virtual-row").first().innerText()).includes("…\n…"));
  }
  assert.ok(lengths.every((length, i) => length > 40 && (i === 0 || length < (lengths[i - 1] ?? 0))), String(lengths));
  assert.deepEqual(complaints, []);
  await close();
});
