// The views of a snapshot in a real browser: what is read off the screen against the terminal's JSON.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, pick, sharedFolder, singleFile } from "./browser.mjs";

const program = ["release", "quick", "debug"].map((profile) => join("target", profile, "hbmlens")).find((path) => existsSync(path));
const sample = "dist/samples/snapshot.pickle";
const shared = sharedFolder();
const files = [sample, ...(shared === null ? [] : ["cuda_training.pickle", "npu_expandable.pkl"].map((name) => join(shared, "data/snapshots", name)))];

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/**
 * @param {string} command
 * @param {string} file
 */
function terminal(command, file) {
  assert.ok(program, "the terminal program has to be built");
  return JSON.parse(execFileSync(program, [command, file, "--json", ...(command === "overview" ? [] : ["--top", "0"])], { encoding: "utf8", maxBuffer: 1 << 28 }).split("\n")[0] ?? "");
}

const exact = (/** @type {number} */ bytes) => `${bytes.toLocaleString("en-US")} B`;

/**
 * The page with a file opened, at a view.
 * @param {string} file
 * @param {string} view
 */
async function at(file, view, more = "") {
  const opened = await open(browser, singleFile);
  await pick(opened.page, [file]);
  await ready(opened.page);
  await show(opened.page, view, more);
  return opened;
}

/**
 * The file is read and named in the address, which is written a moment later.
 * @param {import("playwright-core").Page} page
 */
async function ready(page) {
  await page.locator(".file.ready").waitFor({ timeout: 60_000 });
  await page.waitForFunction(() => location.hash.includes("file="));
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} view
 */
async function show(page, view, more = "") {
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

for (const file of files) {
  test(`${file.split("/").at(-1)}: the composition of the peak is the terminal's`, async () => {
    const { page, complaints, close } = await at(file, "moment");
    const device = terminal("peak", file).devices[0];
    await page.getByRole("table", { name: "By category and call site" }).waitFor();
    for (const row of device.by_category) {
      const cells = page.getByRole("table", { name: "By category and call site" }).locator("tbody tr").filter({ has: page.locator(`[title="${exact(row.bytes)}"]`) });
      assert.ok((await cells.count()) >= 1, `${row.category}: ${row.bytes}`);
    }
    assert.equal(await page.locator("main p b .figure").first().getAttribute("title"), exact(device.peak_requested));
    assert.deepEqual(complaints, []);
    await close();
  });

  test(`${file.split("/").at(-1)}: events are filtered to the terminal's counts`, async () => {
    const { page, close } = await at(file, "events");
    const device = terminal("overview", file).devices[0];
    await page.getByRole("table", { name: "Events" }).waitFor();
    for (const action of ["alloc", "free_completed"]) {
      if (!device.actions[action]) continue;
      await page.locator("label", { hasText: "Action" }).locator("select").selectOption(action);
      await page.getByRole("status").filter({ hasText: `${device.actions[action].toLocaleString("en-US")} of` }).waitFor();
    }
    await page.locator(".virtual-row").first().click();
    await page.getByRole("region", { name: "Call stack" }).waitFor();
    await close();
  });

  test(`${file.split("/").at(-1)}: the last moment of the segment map is the snapshot`, async () => {
    const { page, close } = await at(file, "segments");
    const device = terminal("overview", file).devices[0];
    await page.getByRole("button", { name: "End" }).click();
    await page.locator(`main p .figure[title="${exact(device.reserved)}"]`).waitFor();
    await page.locator(`main p .figure[title="${exact(device.allocated)}"]`).waitFor();
    // One step back and forth leads to the same figures.
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.locator(`main p .figure[title="${exact(device.reserved)}"]`).waitFor();
    await close();
  });
}

test("the timeline zooms to a single event, names what is under the pointer and pins it", async () => {
  const { page, requests, complaints, close } = await at(sample, "timeline");
  await page.locator('.timeline[data-ready="yes"]').waitFor();
  const box = await page.locator(".bands-canvas").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height - 20);
  await page.locator(".chart-tip .category").waitFor();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height - 20);
  const panel = page.getByRole("complementary", { name: "Allocation" });
  await panel.waitFor();
  await page.waitForFunction(() => location.hash.includes("sel=life"));
  await panel.getByText("Requested", { exact: true }).waitFor();
  // The deepest zoom: a handful of events, one after the other.
  await page.getByRole("radio", { name: "Event", exact: true }).click();
  await page.locator('.timeline[data-ready="yes"]').waitFor();
  for (let i = 0; i < 40; i++) await page.keyboard.press("w");
  await page.waitForFunction(() => {
    const range = new URLSearchParams(location.hash.slice(1)).get("range")?.split("..").map(Number);
    return range && Number(range[1]) - Number(range[0]) <= 8;
  });
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("range="));
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
  await close();
});

test("a search in the timeline counts, sums and walks", async () => {
  const { page, close } = await at(sample, "timeline");
  await page.locator('.timeline[data-ready="yes"]').waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("adam");
  const status = page.getByRole("status").filter({ hasText: "in all" });
  await status.waitFor();
  const shown = Number(/([\d,]+) allocation/.exec(await status.innerText())?.[1]?.replaceAll(",", ""));
  assert.ok(shown > 0);
  await page.getByRole("button", { name: "Next match" }).click();
  await page.waitForFunction(() => location.hash.includes("sel=life"));
  await page.getByRole("searchbox").fill("no such frame anywhere");
  await page.getByRole("status").filter({ hasText: "nothing found" }).waitFor();
  await close();
});

test("the flame graph weighs the peak, and zooms", async () => {
  const { page, complaints, close } = await at(sample, "flame");
  const device = terminal("peak", sample).devices[0];
  await page.locator("summary", { hasText: "widest boxes" }).click();
  const table = page.getByRole("table", { name: "The widest boxes as a table" });
  await table.waitFor();
  const first = await table.locator("tbody tr").first().innerText();
  assert.match(first, /Everything/);
  assert.match(first, /100\.00 %/);
  const gib = (device.peak_requested / 2 ** 20).toFixed(2);
  assert.ok(first.includes(gib) || first.includes((device.peak_requested / 2 ** 30).toFixed(2)), `${first} for ${device.peak_requested}`);
  const canvas = page.locator(".flame canvas");
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 40, box.y + 30);
  await page.waitForFunction(() => document.querySelectorAll("table[aria-label] tbody tr").length > 0);
  await page.keyboard.press("Escape");
  assert.deepEqual(complaints, []);
  await close();
});

test("growth, fragmentation and out-of-memory say it in words", async () => {
  const { page, complaints, close } = await at(sample, "growth");
  const device = terminal("leak", sample).devices[0];
  const risk = { low: "Low risk", medium: "Medium risk", high: "High risk" }[/** @type {"low"} */ (device.risk)];
  await page.locator(".health").filter({ hasText: risk }).waitFor();
  for (const grower of device.growth) await page.locator(`[title="${exact(grower.bytes_per_step)}"]`).first().waitFor();
  await show(page, "fragmentation");
  const fragment = terminal("fragment", sample).devices[0];
  await page.getByRole("button", { name: "End" }).click();
  await page.locator(`.card .figure[title="${exact(fragment.releasable)}"]`).first().waitFor();
  await page.locator(".health").waitFor();
  await show(page, "oom");
  await page.getByText("No allocation failed in this trace.").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("every view speaks Chinese, and the dark theme", async () => {
  const { page, complaints, close } = await open(browser, singleFile, { locale: "zh-CN", colorScheme: "dark" });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: /打开文件/ }).click();
  await (await chooser).setFiles([sample]);
  await ready(page);
  for (const [view, text] of [
    ["timeline", "色带表示"],
    ["moment", "按类别与调用位置"],
    ["flame", "最外层调用"],
    ["segments", "查找地址"],
    ["fragmentation", "最大空闲块"],
    ["growth", "风险"],
    ["oom", "没有失败的分配"],
    ["events", "调用栈文字"],
  ]) {
    await show(page, String(view));
    const found = page.getByText(String(text)).or(page.getByPlaceholder(String(text))).or(page.getByRole("radiogroup", { name: String(text) })).first();
    await found.waitFor({ state: "attached", timeout: 15_000 });
  }
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  assert.deepEqual(complaints, []);
  await close();
});
