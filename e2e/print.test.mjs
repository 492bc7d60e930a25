// On paper a heading stands on the sheet of what it heads. Columns break like sheets, and where a box came to
// stand in them can be asked: so the print style is laid out in columns of many heights.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { dropPaths, open, pick, singleFile } from "./browser.mjs";
import { read } from "./reports.mjs";
import { browser, folder } from "./suite.mjs";
import { at, cases, drawn, ready, sample, show, VIEWS as ALL } from "./support.mjs";

const VIEWS = /** @type {const} */ ([["overview", sample], ["moment", sample], ["fragmentation", sample], ["growth", sample], ["oom", cases.oom]]);

for (const locale of ["en-US", "zh-CN"])
  test(`no heading is left behind on its sheet (${locale})`, async () => {
    /** @type {string[]} */
    const wrong = [];
    let headings = 0;
    let sheets = 0;
    for (const [view, file] of VIEWS) {
      const { page, close } = await at(browser, file, view, "", { locale, viewport: { width: 1024, height: 900 } });
      await drawn(page, view);
      await page.waitForTimeout(300);
      await page.emulateMedia({ media: "print" });
      for (let height = 420; height <= 1020; height += 75) {
        const found = await page.evaluate((tall) => {
          const paper = /** @type {HTMLElement} */ (document.querySelector(".page"));
          // Columns of their own heights beside one another; what is laid out may leave them only downwards.
          Object.assign(paper.style, { columnWidth: "680px", columnGap: "20px", columnFill: "auto", width: "680px", height: `${tall}px` });
          const origin = paper.getBoundingClientRect().left;
          const column = (/** @type {DOMRect} */ box) => Math.floor((box.left - origin + 1) / 700);
          const shown = (/** @type {Element | null} */ element) => element !== null && element.getClientRects().length > 0;
          /** The first box after a heading that is no heading itself and no words that belong to one. @param {Element} heading */
          const next = (heading) => {
            let at = heading.nextElementSibling;
            while (at && (!shown(at) || /^H\d$/.test(at.tagName) || (at.tagName === "P" && at.nextElementSibling && shown(at.nextElementSibling)))) at = at.nextElementSibling;
            return at;
          };
          const left = [];
          let count = 0;
          for (const heading of paper.querySelectorAll("h2, h3, summary, thead, .section-head")) {
            if (!shown(heading) || (heading.tagName === "H2" && heading.parentElement?.className === "section-head")) continue;
            const body = next(heading);
            if (!body || !shown(body)) continue;
            count++;
            const first = body.querySelector("tbody tr, canvas, svg, li") ?? body;
            const [mine, its] = [heading.getClientRects()[0], first.getClientRects()[0]];
            if (mine && its && column(mine) !== column(its)) left.push(`“${heading.textContent?.trim().slice(0, 40)}” on ${column(mine)}, what it heads on ${column(its)}`);
          }
          return { left, count, sheets: Math.round(paper.scrollWidth / 700) };
        }, height);
        headings += found.count;
        sheets += found.sheets;
        for (const each of found.left) wrong.push(`${view} at ${height}: ${each}`);
      }
      await close();
    }
    assert.ok(headings > 100 && sheets > 60, `${headings} headings on ${sheets} sheets`);
    assert.deepEqual(wrong, []);
  });

/**
 * What would be missing on a sheet of A4, 186 millimetres between its margins: what reaches over its edge, what is cut within
 * it, and what only a screen has use for. @param {string} within
 */
const faults = (within) => {
  const paper = /** @type {HTMLElement} */ (document.querySelector(within));
  paper.style.width = "703px";
  // Asked at once: on paper, too, nothing is told that its room has changed.
  const edge = paper.getBoundingClientRect().right + 1;
  const found = [];
  const name = (/** @type {Element} */ element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> “${(element.textContent ?? "").trim().slice(0, 40)}”`;
  for (const element of paper.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || element.closest("svg")) continue;
    const parent = element.parentElement?.getBoundingClientRect();
    if (box.right > edge && !(parent && parent.right > edge && element.parentElement !== paper)) found.push(`${name(element)} reaches ${Math.round(box.right - edge)} over the edge`);
    if (getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1) found.push(`${name(element)} is cut by ${element.scrollWidth - element.clientWidth}`);
    if (element.matches("input, textarea, .toolbar, .choice, [role=radio], .picture, .hint, summary + *:not(details[open] > *)")) found.push(`${name(element)} is on paper`);
    // What is left of buttons reads as a name: of a row, a column, a line of a legend.
    if (element.matches("button") && getComputedStyle(element).borderTopColor !== "rgba(0, 0, 0, 0)" && getComputedStyle(element).borderTopWidth !== "0px") found.push(`${name(element)} is a button`);
  }
  paper.style.width = "";
  return found;
};

for (const locale of ["en-US", "zh-CN"])
  test(`nothing is cut on paper, and no control stands on it (${locale})`, async () => {
    /** @type {string[]} */
    const wrong = [];
    let looked = 0;
    /** @param {import("playwright-core").Page} page @param {string} what */
    const look = async (page, what, within = ".page") => {
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      await page.evaluate(() => new Promise((done) => setTimeout(done)));
      for (const each of await page.evaluate(faults, within)) wrong.push(`${what}: ${each}`);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.emulateMedia({ media: "screen" });
      looked++;
    };
    const options = { locale, viewport: { width: 1600, height: 1000 } };
    const { page, close } = await at(browser, sample, "overview", "", options);
    for (const view of ALL) {
      await show(page, view, view === "timeline" ? "sel=life:60,range:100..200" : "sel=");
      await drawn(page, view);
      await page.waitForTimeout(250);
      if (view === "events") await page.locator(".virtual-row").nth(3).click();
      await look(page, view);
      if (view === "overview") assert.equal(await page.locator(".chart-canvas canvas").evaluate((canvas) => canvas.clientWidth > 1000), true, "wide again after printing");
    }
    await close();
    const oom = await at(browser, cases.oom, "oom", "", options);
    await drawn(oom.page, "oom");
    await look(oom.page, "out of memory");
    await show(oom.page, "compare");
    await oom.page.locator(".diff-curves canvas").waitFor();
    await look(oom.page, "compare");
    await oom.close();
    const profiler = await open(browser, singleFile, options);
    await dropPaths(profiler.page, ["dist/samples/profiler"]);
    await ready(profiler.page);
    await profiler.page.locator('.lanes[data-ready="yes"]').waitFor();
    await look(profiler.page, "operators");
    await show(profiler.page, "ranks");
    await profiler.page.locator(".rank-track").first().waitFor();
    await look(profiler.page, "ranks");
    await profiler.close();
    const log = await open(browser, singleFile, options);
    await pick(log.page, ["dist/samples/plog-sample.log"]);
    await ready(log.page);
    await log.page.locator(".ge-map canvas").waitFor();
    await look(log.page, "static graphs");
    await log.close();
    assert.equal(looked, ALL.length + 5);
    assert.deepEqual(wrong, []);
  });

test("long names are whole on paper, and a table says which of its rows it holds", async () => {
  const { page, close } = await at(browser, sample, "timeline", "sel=range:100..4000");
  await drawn(page, "timeline");
  const cut = page.locator("[data-whole]").first();
  await cut.waitFor();
  const whole = await cut.getAttribute("data-whole");
  assert.ok(whole && (await cut.innerText()).includes("…"));
  await page.emulateMedia({ media: "print" });
  assert.equal(await cut.evaluate((element) => JSON.parse(getComputedStyle(element, "::after").content)), whole);
  assert.equal(await cut.evaluate((element) => getComputedStyle(element).fontSize), "0px");
  await page.emulateMedia({ media: "screen" });
  await show(page, "events", "sel=");
  await drawn(page, "events");
  await page.emulateMedia({ media: "print" });
  const rows = await page.locator(".virtual-row").count();
  assert.equal(await page.locator("main p.on-paper").innerText(), `Rows 1 to ${rows} of 4,638`);
  const [head, first] = await Promise.all([".virtual-head > div", ".virtual-row:first-child > div"].map((cells) => page.locator(cells).evaluateAll((all) => all.map((cell) => Math.round(cell.getBoundingClientRect().left)))));
  assert.deepEqual(first, head, "cells stand below the names of their columns");
  await close();
});

test("a report is not cut on paper, and its headings stand with what they head", async () => {
  for (const [file, locale, button] of [[sample, "en-US", "Report"], [cases.oom, "zh-CN", "报告"]]) {
    const opened = await at(browser, file ?? "", "overview", "", { locale: String(locale) });
    await drawn(opened.page, "overview");
    const saved = opened.page.waitForEvent("download");
    await opened.page.getByRole("button", { name: String(button), exact: true }).click();
    const path = join(folder, `paper-${locale}.html`);
    await (await saved).saveAs(path);
    await opened.close();
    const { page, close } = await read(browser, path);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.waitForTimeout(300);
    assert.deepEqual(await page.evaluate(faults, ".report-body > main"), []);
    const loose = await page.locator(".report-body :is(h2, h3, h4, thead)").evaluateAll((all) => all.filter((each) => each.getClientRects().length > 0 && ![each, each.parentElement].some((element) => element && getComputedStyle(element).breakAfter === "avoid")).map((each) => `${each.tagName} ${each.className} ${each.textContent?.slice(0, 40)}`));
    assert.deepEqual(loose, []);
    await close();
  }
});
