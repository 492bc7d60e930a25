// How fast the page reads a trace, against JSON.parse of the same text in the same browser, and what memory it
// takes. `node e2e/bench-profile.mjs TRACE.json [COLUMNS_MB]`: the second is what the columns alone take, as
// examples/read_profile tells. A text beyond half a gigabyte has no JSON.parse to compare with.

import { statSync } from "node:fs";
import { launch, open, pick, rendererMemory, singleFile, workerSeconds } from "./browser.mjs";

const [path, columns = "0"] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: bench-profile.mjs trace_view.json [COLUMNS_MB]");
const size = statSync(path).size;
const most = 512 * 2 ** 20;

const browser = await launch();
const { page } = await open(browser, singleFile);
await page.waitForTimeout(2500);
const before = await rendererMemory(browser);
const idle = await workerSeconds(browser);
await page.evaluate(() => {
  const w = /** @type {any} */ (window);
  new MutationObserver(() => {
    w.begin ??= document.querySelector(".file.reading") ? performance.now() : undefined;
    w.full ??= [...document.querySelectorAll("[role=progressbar]")].some((bar) => bar.getAttribute("aria-valuenow") === "100") ? performance.now() : undefined;
    w.ready ??= document.querySelector(".file.ready") ? performance.now() : undefined;
    w.failed ??= document.querySelector(".file.failed, .file.asking") ? (document.querySelector("main")?.textContent ?? "failed") : undefined;
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
});
await pick(page, [path]);
await page.waitForFunction(() => /** @type {any} */ (window).ready || /** @type {any} */ (window).failed, null, { timeout: 1_800_000 });
const times = await page.evaluate(() => {
  const w = /** @type {any} */ (window);
  return { read: ((w.full ?? w.ready) - w.begin) / 1000, ready: (w.ready - w.begin) / 1000, failed: w.failed };
});
if (times.failed) throw new Error(String(times.failed));
const grown = ((await rendererMemory(browser)) - before) * 2 ** 20 / 1e6;
const busy = (await workerSeconds(browser)) - idle;
await page.close();
const rate = (/** @type {number} */ seconds) => `${seconds.toFixed(2)} s (${(size / 1e6 / seconds).toFixed(0)} MB/s)`;
console.log(`${path}: ${(size / 1e6).toFixed(0)} MB, read ${rate(times.read)}, ${busy.toFixed(2)} s of the worker's processor time until shown after ${times.ready.toFixed(2)} s; the renderer grew by ${grown.toFixed(0)} MB, the columns are ${columns} MB`);

if (size < most) {
  const other = await browser.newPage();
  await other.setContent('<input type="file">');
  await other.locator("input").setInputFiles(path);
  const unused = await workerSeconds(browser);
  const parsed = await other.evaluate(async () => {
    const file = /** @type {HTMLInputElement} */ (document.querySelector("input")).files?.[0];
    if (!file) throw new Error("no file");
    const source = "onmessage = async ({ data }) => { const begin = performance.now(); const text = await data.text(); const read = performance.now(); const value = JSON.parse(text); const done = performance.now(); postMessage({ read: read - begin, parse: done - read, count: (value.traceEvents ?? value).length }); };";
    const worker = new Worker(URL.createObjectURL(new Blob([source])));
    // Kept alive, or its time would be gone.
    Object.assign(window, { worker });
    return new Promise((done, fail) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = (event) => fail(new Error(event.message));
      worker.postMessage(file);
    });
  });
  const theirs = (await workerSeconds(browser)) - unused;
  console.log(`JSON.parse: ${rate(parsed.parse / 1000)} beside ${rate(parsed.read / 1000)} to get the text; ${parsed.count} events, ${theirs.toFixed(2)} s of processor time with the text; ours takes ${(busy / theirs).toFixed(2)} of it`);
} else console.log("JSON.parse cannot take a text of this length");
await browser.close();
