// The page in a real Chromium: from file:// as one file, and from a server.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../scripts/serve.mjs";

function browserPath() {
  if (process.env.CHROME_BIN) return process.env.CHROME_BIN;
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next name.
    }
  }
  throw new Error("no Chromium found: run scripts/setup-browser.sh or set CHROME_BIN");
}

/** The installed browser; nothing is ever downloaded. */
export function launch() {
  return chromium.launch({
    executablePath: browserPath(),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
  });
}

export const singleFile = pathToFileURL(resolve("dist/hbmlens.html")).href;

/** The newest build of the terminal program; empty where there is none. */
export const program =
  ["release", "quick", "debug"]
    .map((profile) => join("target", profile, "hbmlens"))
    .filter((path) => existsSync(path))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? "";

/** dist/site/ on a free port; `stop` ends it. */
export async function hosted(folder = "dist/site") {
  const server = await serve(folder, 0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}/`, stop: () => server.close() };
}

/**
 * A page that remembers what it tried to load and what it complained about.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions} options
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  await page.getByRole("button", { name: /Choose files|选择文件/ }).waitFor();
  return { page, requests, complaints, close: () => context.close() };
}

/**
 * Gives files to the page as a drop does.
 * @param {import("playwright-core").Page} page
 * @param {{ name: string, text?: string, base64?: string }[]} files
 */
export function drop(page, files) {
  return page.evaluate((given) => {
    const data = new DataTransfer();
    for (const { name, text, base64 } of given) {
      const bytes = base64 === undefined ? new TextEncoder().encode(text ?? "") : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], name));
    }
    const target = document.querySelector("main") ?? document.body;
    for (const type of ["dragenter", "dragover", "drop"]) target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  }, files);
}

/**
 * Drops files and folders of the disk as the mouse does.
 * @param {import("playwright-core").Page} page
 * @param {string[]} paths
 */
export async function dropPaths(page, paths) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
  for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) await session.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
}

/**
 * Picks files of the disk with the page's own picker.
 * @param {import("playwright-core").Page} page
 * @param {string[]} paths
 */
export async function pick(page, paths) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: /Open files|打开文件/ }).click();
  await (await chooser).setFiles(paths);
}

/** The folder of real files, or null where there is none. */
export function sharedFolder() {
  const folder = process.env.HBMLENS_SHARED ?? "../shared";
  return existsSync(`${folder}/data/snapshots`) ? folder : null;
}

/**
 * The value of a card by its label.
 * @param {import("playwright-core").Page} page
 * @param {string} label
 */
export async function card(page, label) {
  const found = page.locator(".card").filter({ has: page.locator(".card-label", { hasText: new RegExp(`^${label}$`) }) });
  const value = found.locator(".card-value");
  await value.waitFor();
  return { text: (await value.innerText()).trim(), exact: (await value.locator("[title]").count()) > 0 ? await value.locator("[title]").first().getAttribute("title") : null };
}

/**
 * The longest task of the page's main thread while `during` runs, in milliseconds of processor time: on a
 * machine busy with other things the clock on the wall says nothing about the page.
 * @param {import("playwright-core").Browser} browser
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<void>} during
 */
export async function longestTask(browser, page, during) {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await during();
  /** @type {{ traceEvents: { name: string, ph: string, pid: number, tid: number, tdur?: number, args?: any }[] }} */
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8"));
  const main = new Set(traceEvents.filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain").map((e) => `${e.pid} ${e.tid}`));
  const tasks = traceEvents.filter((e) => e.ph === "X" && e.name.endsWith("RunTask") && main.has(`${e.pid} ${e.tid}`) && e.tdur !== undefined);
  if (tasks.length === 0) throw new Error("the trace holds no task of the main thread");
  if (process.env.VERBOSE) console.error(traceEvents.filter((e) => main.has(`${e.pid} ${e.tid}`) && Number(e.tdur) > 40_000));
  return Math.max(...tasks.map((e) => Number(e.tdur) / 1000));
}

/** Peak resident memory of the renderer processes, in MiB. @param {import("playwright-core").Browser} browser */
export async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    try {
      return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

/**
 * Processor seconds of the workers of all pages: on a machine busy with other things the clock on the wall says
 * nothing about the page. A worker that has ended no longer counts.
 * @param {import("playwright-core").Browser} browser
 */
export async function workerSeconds(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  let ticks = 0;
  for (const { id } of processInfo.filter(({ type }) => type === "renderer"))
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      const stat = readFileSync(`/proc/${id}/task/${thread}/stat`, "utf8");
      if (!stat.includes("(DedicatedWorker")) continue;
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    }
  return ticks / 100;
}
