// How long it takes from giving a file to the page until its first curve is drawn, and what it takes of
// memory. `node e2e/bench.mjs FILE…`; without a file, a snapshot of a million events is made where the
// generator is at hand.

import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, open, pick, rendererMemory, sharedFolder, singleFile } from "./browser.mjs";

function inputs() {
  if (process.argv.length > 2) return process.argv.slice(2);
  const shared = sharedFolder();
  const path = join(tmpdir(), "hbmlens-1m.pickle");
  if (!existsSync(path)) {
    if (shared === null) {
      console.log("the page: name a file to measure (make bench FILES=…)");
      return [];
    }
    execFileSync("python3", [join(shared, "tools/make_snapshot.py"), path, "--events", "1000000"], { stdio: "inherit" });
  }
  return [path];
}

/** Seconds that CPython's pickle.load takes, as users call it and with its collector off; null without Python.
 * @param {string} file */
function pickleLoad(file) {
  const seconds = (/** @type {string} */ before) => {
    const load = `import gc, os, pickle, sys, time\n${before}\nt = time.perf_counter()\nvalue = pickle.load(open(sys.argv[1], "rb"))\nprint(time.perf_counter() - t, flush=True)\nos._exit(0)`;
    return Number(execFileSync("python3", ["-c", load, file], { encoding: "utf8" }));
  };
  try {
    return [seconds(""), seconds("gc.disable()")];
  } catch {
    return null;
  }
}

for (const file of inputs()) {
  const size = statSync(file).size / 2 ** 20;
  let fastest = Infinity;
  for (let run = 1; run <= 3; run++) {
    const browser = await launch();
    const { page } = await open(browser, singleFile);
    // As a user does: the page has been open for a moment.
    await page.waitForTimeout(1500);
    await page.evaluate(() => {
      const w = /** @type {any} */ (window);
      w.longest = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) w.longest = Math.max(w.longest, entry.duration);
      }).observe({ entryTypes: ["longtask"] });
      new MutationObserver(() => {
        w.begin ??= document.querySelector(".file") ? performance.now() : undefined;
        w.read ??= document.querySelector(".file.ready") ? performance.now() : undefined;
        if (document.querySelector('.chart[data-points="ready"]')) requestAnimationFrame(() => (w.curve ??= performance.now()));
        w.overview ??= document.querySelector(".health") ? performance.now() : undefined;
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await pick(page, [file]);
    await page.waitForFunction(() => /** @type {any} */ (window).curve && /** @type {any} */ (window).overview, null, { timeout: 300_000 });
    const times = await page.evaluate(() => {
      const w = /** @type {any} */ (window);
      return { read: w.read - w.begin, curve: w.curve - w.begin, overview: w.overview - w.begin, longest: w.longest };
    });
    fastest = Math.min(fastest, times.read / 1000);
    const memory = await rendererMemory(browser);
    const s = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(2)} s`;
    console.log(`${file} (${size.toFixed(0)} MiB), run ${run}: read ${s(times.read)}, curve ${s(times.curve)}, overview ${s(times.overview)}, longest task ${times.longest.toFixed(0)} ms, renderer ${memory.toFixed(0)} MiB`);
    await browser.close();
  }
  const peers = file.endsWith(".json") ? null : pickleLoad(file);
  if (peers) {
    const [load = NaN, without = NaN] = peers;
    const times = (/** @type {number} */ peer) => `${(peer / fastest).toFixed(1)} times as long`;
    console.log(`reading took ${fastest.toFixed(2)} s at best; pickle.load takes ${load.toFixed(2)} s, ${times(load)}, and ${without.toFixed(2)} s without its collector, ${times(without)}`);
  }
}
