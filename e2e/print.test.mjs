// On paper a heading stands on the sheet of what it heads. Columns break like sheets, and where a box came to
// stand in them can be asked: so the print style is laid out in columns of many heights.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { at, cases, drawn, sample } from "./support.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

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
