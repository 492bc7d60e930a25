// Real files, where they are at hand: the page's figures against those of independent programs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { card, open, pick, sharedFolder, singleFile } from "./browser.mjs";
import { browser } from "./suite.mjs";

const shared = sharedFolder();
const skip = shared === null ? "no real files here" : false;

const group = (/** @type {number} */ n) => n.toLocaleString("en-US");

test("npu_expandable.pkl: reserved, requested and peak", { skip }, async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await pick(page, [join(String(shared), "data/snapshots/npu_expandable.pkl")]);
  await page.locator(".file.ready").waitFor();
  assert.equal((await card(page, "Reserved")).exact, "643,825,664 B");
  assert.equal((await card(page, "Requested")).exact, "408,384,288 B");
  assert.equal((await card(page, "Peak requested")).exact, "597,327,488 B");
  await page.getByText("at event 7,430", { exact: true }).waitFor();
  await page.getByRole("button", { name: "peak 569.66 MiB" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("every real snapshot shows the figures of an independent program", { skip }, async () => {
  const lines = readFileSync(join(String(shared), "data/expected/overview.jsonl"), "utf8").trim().split("\n");
  let checked = 0;
  for (const line of lines) {
    const expected = JSON.parse(line);
    const name = expected.file?.name ?? expected.file ?? expected.name;
    const path = join(String(shared), "data/snapshots", String(name));
    if (!existsSync(path)) continue;
    const { page, close } = await open(browser, singleFile);
    await pick(page, [path]);
    await page.locator(".file.ready").waitFor({ timeout: 60_000 });
    for (const device of expected.devices) {
      // A list without segments or events is no device of the page.
      if (device.reserved === undefined) continue;
      if (expected.devices.length > 1) await page.locator(".device-picker select").selectOption(String(device.device));
      await page.waitForFunction(
        (want) => [...document.querySelectorAll(".card")].some((each) => /^Reserved/.test(each.textContent ?? "") && each.querySelector("[title]")?.getAttribute("title") === want),
        `${group(device.reserved)} B`,
      );
      if (device.requested !== undefined) assert.equal((await card(page, "Requested")).exact, `${group(device.requested)} B`, `${name} ${device.device}`);
      if (device.peak_requested !== undefined)
        assert.equal((await card(page, "Peak requested")).exact, `${group(device.peak_requested)} B`, `${name} ${device.device}`);
      checked++;
    }
    await close();
  }
  assert.ok(checked >= 10, `${checked} devices`);
});
