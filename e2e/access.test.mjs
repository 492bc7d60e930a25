// For everyone: axe finds nothing in any view, every key of the help does something, and paper shows a
// readable report.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { open, pick, singleFile } from "./browser.mjs";
import { browser } from "./suite.mjs";
import { at, cases, drawn, ready, sample, show, VIEWS } from "./support.mjs";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** @param {import("playwright-core").Page} page @param {string} where */
async function violations(page, where) {
  // The page's policy lets no foreign script in: it is evaluated, not added.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.target.join(" ")} ${node.any?.[0]?.message ?? ""}`).join(" | ")}`);
  });
  return found.map((/** @type {string} */ each) => `${where}: ${each}`);
}

for (const [language, scheme] of /** @type {const} */ ([["en-US", "light"], ["zh-CN", "dark"]])) {
  test(`axe finds no violation in any view (${language}, ${scheme})`, async () => {
    const { page, close } = await open(browser, singleFile, { locale: language, colorScheme: scheme });
    const found = await violations(page, "empty page");
    await pick(page, [sample]);
    await ready(page);
    for (const view of VIEWS) {
      await show(page, view, view === "timeline" ? "sel=life:60" : "");
      await drawn(page, view);
      // What is folded is looked at, too.
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("main details")) /** @type {HTMLDetailsElement} */ (details).open = true;
      });
      if (view === "moment") await page.locator("main table button[aria-expanded]").first().click();
      await page.waitForTimeout(150);
      found.push(...(await violations(page, view)));
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    found.push(...(await violations(page, "help")));
    await close();
    const { page: other, close: end } = await at(browser, cases.oom, "oom", "", { locale: language, colorScheme: scheme });
    await drawn(other, "oom");
    found.push(...(await violations(other, "out of memory")));
    await end();
    assert.deepEqual(found, []);
  });
}

test("the help lists the keys of each view, and each key is of one command there", async () => {
  const { page, close } = await at(browser, sample, "overview");
  for (const view of VIEWS) {
    await show(page, view);
    await drawn(page, view);
    await page.keyboard.press("?");
    const help = page.getByRole("dialog");
    await help.getByText("Go to Timeline").waitFor();
    for (const table of await help.locator("table.keys").all()) {
      const keys = await table.locator("kbd").allInnerTexts();
      assert.equal(new Set(keys).size, keys.length, `${view}: ${keys.join(" ")}`);
      assert.ok((await table.locator("tr td:nth-child(2)").allInnerTexts()).every((text) => text.trim() !== ""));
    }
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  }
  // Everything is reached by Tab: the focus goes round and is seen.
  await show(page, "timeline");
  await drawn(page, "timeline");
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent?.trim().slice(0, 24) || document.activeElement?.tagName));
  }
  for (const name of ["Move", "Stack text or address", "Allocations"]) assert.ok(seen.has(name), `${name} among ${[...seen].join(", ")}`);
  await close();
});

test("paper shows the figures without the machinery around them, light even from a dark screen", async () => {
  const { page, close } = await at(browser, sample, "moment", "", { colorScheme: "dark" });
  await drawn(page, "moment");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  for (const gone of [".rail", ".top", ".toolbar"]) assert.equal(await page.locator(gone).first().isVisible(), false, gone);
  assert.ok(await page.getByRole("table", { name: "By category and call site" }).isVisible());
  assert.match(await page.locator(".on-paper").innerText(), /^event [\d,]+ of [\d,]+ · Peak$/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "light");
  // Nothing is cut off: the page is as high as what it holds.
  assert.ok(await page.evaluate(() => (document.querySelector("main")?.scrollHeight ?? 0) <= (document.querySelector("main")?.clientHeight ?? 0) + 1));
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
  // A drawing and its figures: no buttons, no table that was not opened, and no paper for rows that are not drawn.
  for (const view of ["overview", "segments", "flame"]) {
    await page.emulateMedia({ media: "screen" });
    await show(page, view);
    await drawn(page, view);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.ok(await page.locator("details.chart-table").first().count(), view);
    assert.equal(await page.locator("details.chart-table").first().isVisible(), false, view);
    assert.equal(await page.locator(".page-head button:visible").count(), 0, view);
    const sheets = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
    assert.ok(sheets >= 1 && sheets <= (view === "overview" ? 3 : 1), `${view}: ${sheets} sheets`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("details[open]").count(), 0, view);
  }
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  await close();
});
