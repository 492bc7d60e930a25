// The page from file://, with inputs made here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { card, drop, open, singleFile } from "./browser.mjs";
import { base64, pickle, snapshot } from "./shapes.mjs";
import { browser } from "./suite.mjs";

test("the single file is small and may connect to nothing", () => {
  const html = readFileSync("dist/hbmlens.html");
  assert.ok(gzipSync(html).length <= 3 * 2 ** 20, "the page is over 3 MB gzipped");
  assert.ok(readFileSync("dist/site/wasm.gz").length <= 600 * 1024, "the wasm is over 600 KB gzipped");
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html.toString("utf8"))?.[1] ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /connect-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
});

test("the first paint comes within a second, with all that the empty page tells", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  // The best of three: the machine that runs the tests may be busy.
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    await page.reload();
    await page.getByText("Nothing leaves this machine").waitFor();
    best = Math.min(best, await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity));
  }
  assert.ok(best < 1000, `first paint after ${best} ms`);
  for (const words of ["Nothing leaves this machine", "Choose a folder", "Try a sample", "Profiler folder", "GE log"]) await page.getByText(words).first().waitFor();
  await page.getByRole("radio", { name: "PyTorch (CUDA)" }).click();
  await page.getByText("torch.cuda.memory._record_memory_history").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a dropped snapshot shows its figures, and nothing is sent", async () => {
  const { page, requests, complaints, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot({ settings: { max_split_size: -1 } })) }]);
  assert.equal((await card(page, "Peak requested")).exact, "7,340,032 B");
  assert.equal((await card(page, "Reserved")).exact, "20,971,520 B");
  assert.equal((await card(page, "Allocated")).text, "4.00 MiB");
  assert.equal((await card(page, "Events")).text, "8");
  await page.getByText("at event 5", { exact: true }).waitFor();
  await page.getByText("Blocks larger than this are never split").waitFor();
  await page.locator('.chart[data-points="ready"]').waitFor();
  assert.ok(requests.every((url) => url === singleFile || url.startsWith("data:") || url.startsWith("blob:")), requests.join(" "));
  assert.deepEqual(complaints, []);
  await close();
});

test("the browser itself refuses a connection", async () => {
  const { page, close } = await open(browser, singleFile);
  const refused = await page.evaluate(() => fetch("https://example.com/").then(() => "sent", () => "refused"));
  assert.equal(refused, "refused");
  await close();
});

test("zooming asks for more detail and the address keeps the range", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot({ blocks: 16 })) }]);
  await page.locator('.chart[data-points="ready"]').waitFor();
  await page.getByText("events 0 to 19").waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press("w");
  await page.waitForFunction(() => location.hash.includes("range="));
  assert.ok(!(await page.getByText("events 0 to 19").isVisible()));
  await page.getByRole("radio", { name: "Event" }).click();
  await page.keyboard.press("0");
  await page.getByText("events 0 to 19").waitFor();
  const canvas = await page.locator(".chart-canvas").boundingBox();
  assert.ok(canvas);
  await page.mouse.move(canvas.x + canvas.width * 0.99 - 16, canvas.y + 100);
  await page.locator(".chart-tip").getByText("16.00 MiB").first().waitFor();
  await close();
});

test("two files at once: each has its line, both can be shown", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [
    { name: "rank0.pickle", base64: base64(snapshot({ blocks: 2 })) },
    { name: "rank1.pickle", base64: base64(snapshot({ blocks: 3 })) },
  ]);
  await page.locator(".file.ready").nth(1).waitFor();
  for (const [name, size] of [["rank1.pickle", "3.00 MiB"], ["rank0.pickle", "2.00 MiB"]]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.waitForFunction((text) => [...document.querySelectorAll(".card")].some((each) => each.textContent?.startsWith("Allocated" + text)), size);
  }
  await close();
});

test("a side-car of counters goes with its snapshot and decides the checks", async () => {
  const { page, close } = await open(browser, singleFile);
  const counters = { memory_reserved: 20 * 2 ** 20, memory_allocated: 4 * 2 ** 20, max_memory_allocated: 7 * 2 ** 20 };
  await drop(page, [
    { name: "run.pickle.counters.json", text: JSON.stringify(counters) },
    { name: "run.pickle", base64: base64(snapshot()) },
  ]);
  await page.locator(".checks .mark.pass").nth(4).waitFor();
  assert.equal(await page.locator(".file").count(), 1);
  // The snapshot holds 4 of the 7 MiB that the process had at its peak.
  assert.equal(await page.locator(".checks .mark.fail").count(), 1);
  await close();
});

test("curves can be hidden, and a zoomed window fills the height", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot()) }]);
  await page.locator('.chart[data-points="ready"]').waitFor();
  const reserved = page.getByRole("button", { name: "Reserved", exact: true });
  assert.equal(await reserved.getAttribute("aria-pressed"), "true");
  await reserved.click();
  assert.equal(await reserved.getAttribute("aria-pressed"), "false");
  await page.getByText("The curve as a table").click();
  await page.getByRole("table", { name: "The curve as a table" }).getByText("7.00 MiB").first().waitFor();
  await close();
});

test("a file that is none of ours says what it looks like and what is accepted", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "notes.txt", text: "just a few words\nof text\n" }]);
  const alert = page.getByRole("alert");
  await alert.getByText("This file could not be opened").waitFor();
  await page.locator(".file.failed").waitFor();
  await page.getByText("Memory snapshot", { exact: true }).waitFor();
  await drop(page, [{ name: "empty.pickle", text: "" }]);
  await page.locator(".file.failed").nth(1).waitFor();
  await page.getByRole("button", { name: "empty.pickle", exact: true }).click();
  await alert.getByText("the file is empty").waitFor();
  await close();
});

test("a cut file shows what could be read and says so", async () => {
  const { page, close } = await open(browser, singleFile);
  const whole = pickle(snapshot({ blocks: 12 }));
  await drop(page, [{ name: "cut.pickle", base64: whole.subarray(0, whole.length - 200).toString("base64") }]);
  await page.locator(".file.ready, .file.failed").waitFor();
  if ((await page.locator(".file.ready").count()) > 0) await page.getByText("cut or damaged").first().waitFor();
  else await page.getByRole("alert").waitFor();
  await close();
});

test("a snapshot of nothing, and one without events, show what there is", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  const block = { address: 4096, size: 2097152, requested_size: 2000000, state: "active_allocated", frames: [] };
  const segment = { device: 0, address: 4096, total_size: 2097152, allocated_size: 2097152, active_size: 2097152, stream: 0, segment_type: "large", blocks: [block], frames: [] };
  await drop(page, [{ name: "nothing.json", text: JSON.stringify({ segments: [], device_traces: [] }) }]);
  await page.locator(".health").getByText("no segments and no events").waitFor();
  assert.equal(await page.locator(".cards.waiting").count(), 0);
  await drop(page, [{ name: "still.json", text: JSON.stringify({ segments: [segment], device_traces: [[]] }) }]);
  await page.locator(".file-name", { hasText: "still.json" }).click();
  for (const [view, shown] of [["segments", "1 segment"], ["moment", "1.91 MiB"], ["timeline", "no timeline"]]) {
    await page.locator(".view-link", { hasText: { segments: "Segments", moment: "At a moment", timeline: "Timeline" }[view ?? ""] ?? "" }).click();
    await page.locator("main").getByText(String(shown)).first().waitFor();
    // There is one moment: nothing to choose.
    assert.equal(await page.locator("main input[type=number]").count(), 0, view);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("hostile names are text", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  const hostile = '<img src=x onerror="alert(1)">';
  await drop(page, [{ name: `${hostile}.pickle`, base64: base64(snapshot({ frame: hostile, settings: { [hostile]: hostile } })) }]);
  await page.locator(".file.ready").waitFor();
  await page.getByRole("heading", { level: 1 }).filter({ hasText: "onerror" }).waitFor();
  await page.locator("code").filter({ hasText: "onerror" }).first().waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("Chinese, chosen from the browser and by the switch", async () => {
  const { page, close } = await open(browser, singleFile, { locale: "zh-CN" });
  await page.getByText("数据不会离开本机").waitFor();
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot()) }]);
  await page.getByRole("button", { name: "总览" }).waitFor();
  assert.equal((await card(page, "申请量峰值")).text, "7.00 MiB");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
  await page.getByRole("radio", { name: "English" }).click();
  await page.getByRole("button", { name: "Overview" }).waitFor();
  await close();
});

test("light, dark and the system's choice", async () => {
  const { page, close } = await open(browser, singleFile, { colorScheme: "dark" });
  const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  assert.equal(await theme(), "dark");
  await page.getByRole("radio", { name: "Light" }).click();
  assert.equal(await theme(), "light");
  await page.getByRole("radio", { name: "System" }).click();
  assert.equal(await theme(), "dark");
  await close();
});

test("keys: help, files, and everything reachable", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot()) }]);
  await page.locator('.chart[data-points="ready"]').waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await help.getByText("Zoom in", { exact: true }).waitFor();
  await help.getByText("Go to Overview").waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await close();
});
