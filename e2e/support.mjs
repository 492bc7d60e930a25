// What the tests of the views share: a file opened at a view, and the terminal's answer about it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { open, pick, program, singleFile } from "./browser.mjs";

export const sample = "dist/samples/snapshot.pickle";
/** Snapshots that scripts/make-samples.sh makes for the tests. */
export const cases = { oom: "dist/cases/oom.pickle", pools: "dist/cases/pools.pickle" };

/** The views of a snapshot, as the address calls them. */
export const VIEWS = ["overview", "timeline", "moment", "flame", "segments", "fragmentation", "growth", "oom", "events", "export", "query"];

/**
 * @param {string} command
 * @param {string} file
 */
export function terminal(command, file) {
  assert.ok(program, "the terminal program has to be built");
  const more = command === "overview" ? [] : ["--top", "0"];
  return JSON.parse(execFileSync(program, [command, file, "--json", ...more], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
}

export const exact = (/** @type {number} */ bytes) => `${bytes.toLocaleString("en-US")} B`;

/**
 * The page with a file opened, at a view.
 * @param {import("playwright-core").Browser} browser
 * @param {string} file
 * @param {string} view
 * @param {import("playwright-core").BrowserContextOptions} options
 */
export async function at(browser, file, view, more = "", options = {}) {
  const opened = await open(browser, singleFile, options);
  await pick(opened.page, [file]);
  await ready(opened.page);
  await show(opened.page, view, more);
  return opened;
}

/**
 * The file is read and named in the address, which is written a moment later.
 * @param {import("playwright-core").Page} page
 */
export async function ready(page, timeout = 60_000) {
  await page.locator(".file.ready").first().waitFor({ timeout });
  await page.waitForFunction(() => location.hash.includes("file="));
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} view
 */
export async function show(page, view, more = "") {
  // The page writes the last place of a burst, a moment later: it is not to be overtaken.
  await page.waitForTimeout(250);
  await page.evaluate(
    ([id, rest]) => {
      const params = new URLSearchParams(location.hash.slice(1));
      params.set("view", id ?? "");
      for (const [key, value] of new URLSearchParams(rest)) params.set(key, value);
      location.hash = params.toString();
    },
    [view, more],
  );
}

/** What of a view is there when it can be read. */
const DONE = {
  overview: '.chart[data-points="ready"]',
  timeline: '.timeline[data-ready="yes"] .bands[data-still="yes"]',
  moment: "nav.crumbs, .page p b .figure",
  flame: '.flame[data-ready="yes"]',
  segments: ".segment-map, main .notice",
  fragmentation: ".health",
  growth: ".health",
  oom: "main .section, main .notice",
  events: ".virtual-row, main .notice",
  ranks: "main table tbody tr",
  "snapshot-ranks": "main table tbody tr",
  operators: '.lanes[data-ready="yes"]',
  ge: ".ge-map canvas[data-window]",
  compare: ".compared:not(.stale) .flame canvas",
  export: "[data-export]",
  query: ".query-result .virtual-row",
};

/**
 * Waits until a view has drawn what it shows.
 * @param {import("playwright-core").Page} page
 * @param {string} view
 */
export async function drawn(page, view, timeout = 60_000) {
  await page.locator(DONE[/** @type {"overview"} */ (view)]).first().waitFor({ state: "attached", timeout });
  // Two frames: what was answered is painted.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/**
 * The address's parameters, once the page has written them.
 * @param {import("playwright-core").Page} page
 */
export const address = async (page) => {
  // The page writes the last place of a burst, a moment later.
  await page.waitForTimeout(400);
  return page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
};
