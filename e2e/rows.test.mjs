// Walking through a long table: whatever the keys and the wheel do, each frame shows rows from edge to edge.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { address, at, drawn, sample, show } from "./support.mjs";

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
    // The rows themselves follow.
    await page.waitForFunction(() => document.querySelector(".virtual-row")?.textContent?.includes("……") === false);
  }
  assert.ok(lengths.every((length, i) => length > 40 && (i === 0 || length < (lengths[i - 1] ?? 0))), String(lengths));
  assert.deepEqual(complaints, []);
  await close();
});

test("what a field does not understand stays in it, says what would be, and does not filter", async () => {
  const { page, complaints, close } = await at(browser, sample, "events");
  await drawn(page, "events");
  const whole = (await page.getByRole("status").filter({ hasText: "events" }).innerText()).replace(/^.* of /, "");
  for (const [name, bad, expected, good] of /** @type {const} */ ([
    ["At least (bytes)", "1MiX", "64 KiB", "1MiB"],
    ["Stream", "abc", "A whole number", "0"],
    ["From event", "-5", "A whole number from 0 to", "20"],
    ["To event", "20.7", "A whole number from 0 to", "20"],
    ["Address", "zzzz", "hexadecimal", "0x7f"],
  ])) {
    const field = page.getByRole("searchbox", { name, exact: true });
    await field.pressSequentially(bad);
    assert.equal(await field.inputValue(), bad);
    assert.equal(await field.getAttribute("aria-invalid"), "true", name);
    assert.match((await page.locator(`[id="${await field.getAttribute("aria-describedby")}"]`).innerText()) ?? "", new RegExp(expected));
    await page.getByRole("status").filter({ hasText: whole.replace(" events", "") + " of " }).waitFor();
    await field.fill("");
    await field.pressSequentially(good);
    assert.equal(await field.inputValue(), good);
    assert.equal(await field.getAttribute("aria-invalid"), null, name);
    if (!["Stream", "Address"].includes(name)) await page.getByRole("status").filter({ hasNotText: whole.replace(" events", "") + " of " }).filter({ hasText: "events" }).waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
  }
  await show(page, "moment", "at=30");
  const moment = page.getByRole("spinbutton", { name: "Event" });
  await page.waitForFunction(() => /** @type {HTMLInputElement | null} */ (document.querySelector("main input[type=number]"))?.value === "29");
  for (const bad of ["20.7", "-1", "9999999"]) {
    await moment.fill(bad);
    await moment.press("Tab");
    await page.getByText("A whole number from 0 to").waitFor();
    assert.equal(await moment.inputValue(), bad);
    assert.equal((await address(page)).at, "30");
  }
  await moment.fill("20");
  await moment.press("Tab");
  await page.waitForFunction(() => /at=21\b/.test(location.hash));
  assert.equal(await page.getByText("A whole number from 0 to").count(), 0);
  await show(page, "segments");
  await page.getByRole("searchbox", { name: "Find address" }).fill("zzzz");
  await page.getByText("A hexadecimal address is expected").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a call site keeps its file and line in any room, and a row chooses its allocation", async () => {
  const { page, complaints, close } = await at(browser, sample, "events", "", { viewport: { width: 1024, height: 800 } });
  await drawn(page, "events");
  const cut = () =>
    page.locator(".virtual-row .site-line > :last-child").evaluateAll((tails) => tails.filter((tail) => {
      const frame = /** @type {Element} */ (tail.closest(".virtual")).getBoundingClientRect();
      return tail.scrollWidth > tail.clientWidth || tail.getBoundingClientRect().right > frame.right;
    }).map((tail) => tail.textContent));
  for (const width of [1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(200);
    assert.deepEqual(await cut(), [], `${width}`);
  }
  await page.locator(".virtual-row").filter({ has: page.getByRole("cell", { name: "alloc", exact: true }) }).first().click();
  await page.waitForFunction(() => /life(:|%3A)\d/.test(location.hash));
  for (const width of [1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(200);
    assert.deepEqual(await cut(), [], `${width} beside a panel`);
  }
  // The row that frees it chooses it, too, and stays where it is.
  await page.getByRole("combobox", { name: "Action" }).selectOption("free_completed");
  await page.waitForFunction(() => document.querySelector(".virtual-row > :nth-child(2)")?.textContent === "free_completed");
  const before = (await address(page)).sel;
  await page.locator(".virtual-row").nth(3).click();
  await page.waitForFunction((sel) => new URLSearchParams(location.hash.slice(1)).get("sel") !== sel, before);
  assert.match((await address(page)).sel ?? "", /^life:\d+$/);
  assert.equal(await page.locator(".virtual-row.chosen").getAttribute("aria-rowindex"), "5");
  assert.deepEqual(complaints, []);
  await close();
});
