// What the tests of GE logs share: the sample, the terminal program, reading tables.

import { spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { open, program, singleFile } from "./browser.mjs";

export const SAMPLE = "dist/samples/plog-sample.log";
export const sample = readFileSync(SAMPLE, "utf8");

export const needsProgram = { skip: program === "" && "the terminal program is not built" };

/** What `hbmlens ge` says as JSON. @param {string[]} args */
export function terminal(args) {
  const { status, stdout, stderr } = spawnSync(program, ["ge", ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(status === 0 || status === 2, stderr);
  return JSON.parse(stdout);
}

export const exact = (/** @type {number} */ n) => `${String(n).replace(/\B(?=(\d{3})+$)/g, ",")} B`;
export const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(2)} %`;

/**
 * The page with the sample log open.
 * @param {import("playwright-core").Browser} browser
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openSample(browser, options) {
  const opened = await open(browser, singleFile, options);
  await opened.page.getByRole("button", { name: /Try a GE log|打开 GE 日志示例/ }).click();
  await opened.page.locator(".ge-map canvas[data-window]").waitFor();
  return opened;
}

/** Goes to a part of the report. @param {import("playwright-core").Page} page @param {string} name */
export const part = (page, name) => page.getByRole("radio", { name, exact: true }).click();

/**
 * The exact figures of a row of a table: the text of a hover where there is one, else the text.
 * @param {import("playwright-core").Locator} row
 */
export const cells = (row) => row.locator("td, [role=cell]").evaluateAll((all) => all.map((cell) => (cell.querySelector(".figure[title]")?.getAttribute("title") ?? cell.textContent ?? "").trim()));
