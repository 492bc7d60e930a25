// What the tests of reports share: writing one with the terminal, opening it from the disk, its charts and its data.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { program } from "./browser.mjs";
import { folder } from "./suite.mjs";

/** Writes a report with the terminal. @param {string} name @param {string[]} args */
export function write(name, args) {
  const path = join(folder, `${name}.html`);
  execFileSync(program, ["report", "-o", path, "--lang", "en", ...args]);
  return path;
}

/** @param {string} html */
export const dataIn = (html) => JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(html)?.[1] ?? "null");

/**
 * A report opened from the disk.
 * @param {import("playwright-core").Browser} browser
 * @param {string} path
 * @param {import("playwright-core").BrowserContextOptions} options
 */
export async function read(browser, path, options = {}) {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => (complaints.push(dialog.message()), void dialog.dismiss()));
  const url = pathToFileURL(resolve(path)).href;
  await page.goto(url);
  await page.locator("#overview h2").waitFor();
  return {
    page,
    data: dataIn(readFileSync(path, "utf8")).report,
    /** Nothing was asked for and nothing went wrong. */
    quiet: () => {
      assert.deepEqual(requests.filter((each) => each !== url && !each.startsWith("data:")), []);
      assert.deepEqual(complaints, []);
    },
    close: () => context.close(),
  };
}

/**
 * A chart once it is drawn, with the points of each of its series.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function chart(page, name) {
  const element = page.locator(`[data-chart="${name}"]`).first();
  await element.scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => document.querySelector(`[data-chart="${id}"]`)?.hasAttribute("data-points"), name);
  return { element, points: ((await element.getAttribute("data-points")) ?? "").split(" ").map(Number) };
}
