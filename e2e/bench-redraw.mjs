// How long a redraw of the timeline takes at 1400 × 600 pixels, from the pan or zoom until it is drawn:
// random windows of all zoom levels. `node e2e/bench-redraw.mjs FILE…`; without a file, the generator of
// real-sized snapshots makes them where it is at hand. RUNS windows each (200), SUBJECT=pools for others.

import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, open, pick, sharedFolder, singleFile } from "./browser.mjs";
import { drawn, ready, show } from "./support.mjs";

const RUNS = Number(process.env.RUNS ?? 200);

/** Name, arguments of the generator, milliseconds that 95 of 100 redraws should keep. @type {[string, string[], number][]} */
const MADE = [
  ["1m", ["--events", "1000000"], 16],
  ["5m", ["--events", "5000000"], 25],
  ["22k-live", ["--events", "1000000", "--layers", "1000"], 60],
  ["125k-live", ["--events", "1000000", "--layers", "5500", "--limit-gib", "4096"], 120],
];

/**
 * What the page's main thread and its workers worked between input and drawing, each time, ascending.
 * @param {any[]} events
 */
function processorTimes(events) {
  const threads = new Set(events.filter((e) => e.name === "thread_name" && /CrRendererMain|DedicatedWorker/.test(e.args?.name ?? "")).map((e) => `${e.pid} ${e.tid}`));
  const tasks = events.filter((e) => e.ph === "X" && e.name.endsWith("RunTask") && threads.has(`${e.pid} ${e.tid}`) && e.tdur !== undefined);
  const marks = (/** @type {string} */ name) => events.filter((e) => e.cat?.includes("user_timing") && e.name === name).map((e) => e.ts).sort((a, b) => a - b);
  const ends = marks("drawn");
  return marks("input")
    .map((begin, i) => tasks.reduce((sum, task) => sum + Math.max(0, (Math.min(task.ts + task.dur, ends[i]) - Math.max(task.ts, begin)) * (task.dur > 0 ? task.tdur / task.dur : 0)), 0) / 1000)
    .sort((a, b) => a - b);
}

/** @param {string} file @param {number | null} limit */
async function measure(file, limit) {
  const browser = await launch();
  // The rail, margins and labels take what is beyond 1400 × 600.
  const { page } = await open(browser, singleFile, { viewport: { width: 1746, height: 1000 } });
  await page.waitForFunction(() => performance.getEntriesByName("warm").length > 0);
  await pick(page, [file]);
  await ready(page, 300_000);
  await show(page, "timeline");
  await drawn(page, "timeline", 300_000);
  if (process.env.SUBJECT) await page.locator(`[role=radio]`, { hasText: process.env.SUBJECT }).click();
  await page.getByRole("radio", { name: "Event", exact: true }).click().catch(() => undefined);
  await drawn(page, "timeline", 300_000);
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "__metadata"] });
  const found = await page.evaluate(async (runs) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".bands-canvas"));
    const box = canvas.getBoundingClientRect();
    /** @type {((entry: PerformanceEntry) => void) | undefined} */
    let told;
    new PerformanceObserver((list) => list.getEntriesByName("redraw").forEach((entry) => told?.(entry))).observe({ entryTypes: ["measure"] });
    let seed = 42;
    const random = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
    /** @param {WheelEventInit} init @param {number} x */
    const wheel = async (init, x) => {
      const done = new Promise((resolve) => (told = resolve));
      const begin = performance.now();
      performance.mark("input");
      canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: box.left + 72 + x, clientY: box.top + 200, ...init }));
      const entry = await Promise.race([done, new Promise((resolve) => setTimeout(() => resolve(null), 5000))]);
      performance.mark("drawn");
      told = undefined;
      // Rests as a hand does, so that what follows a window (the address, the table) is not part of the next.
      const took = entry === null ? null : { all: entry.startTime + entry.duration - begin, request: entry.duration };
      await new Promise((resolve) => setTimeout(resolve, 30));
      return took;
    };
    const times = [];
    let width = 1;
    for (let run = 0; run < runs / 2; run++) {
      const target = Math.exp(random() * Math.log(2e-5));
      const zoom = await wheel({ deltaY: 400 * Math.log(target / width) }, random() * 1400);
      width = target;
      const pan = await wheel({ deltaY: (random() - 0.5) * 1200, shiftKey: true }, 700);
      for (const time of [zoom, pan]) if (time) times.push(time);
    }
    return { times, size: [canvas.width - 72, canvas.height - 66] };
  }, RUNS);
  const busy = processorTimes(JSON.parse((await browser.stopTracing()).toString("utf8")).traceEvents);
  await browser.close();
  const of = (/** @type {"all" | "request"} */ key) => found.times.map((/** @type {any} */ time) => time[key]).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  const at = (/** @type {number[]} */ times, /** @type {number} */ share) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(1);
  const [all, request] = [of("all"), of("request")];
  // On a busy machine the clock tells more of the others than of the page.
  console.log(`${file}: processor time of page and worker p50 ${at(busy, 0.5)} ms, p95 ${at(busy, 0.95)} ms`);
  console.log(`${file} at ${found.size.join(" × ")}, ${all.length} redraws: input to drawn p50 ${at(all, 0.5)} ms, p95 ${at(all, 0.95)} ms; request to drawn p50 ${at(request, 0.5)} ms, p95 ${at(request, 0.95)} ms${limit === null ? "" : ` (wanted: ${limit} ms)`}`);
}

if (process.argv.length > 2) for (const file of process.argv.slice(2)) await measure(file, null);
else {
  const shared = sharedFolder();
  if (shared === null) console.log("redraws: name a file to measure");
  else
    for (const [name, options, limit] of MADE) {
      const path = join(tmpdir(), `hbmlens-redraw-${name}.pickle`);
      if (!existsSync(path)) execFileSync("python3", [join(shared, "tools/make_snapshot.py"), path, ...options], { stdio: "ignore" });
      await measure(path, limit);
      rmSync(path);
      rmSync(`${path}.truth.json`, { force: true });
    }
}
