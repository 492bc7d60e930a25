// What every test file has for itself: a browser and a folder, there before its first test and gone after its last.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { launch } from "./browser.mjs";

/** @type {import("playwright-core").Browser} */
export let browser;
export const folder = mkdtempSync(join(tmpdir(), "hbmlens-e2e-"));
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});
