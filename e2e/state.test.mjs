// What the address holds: restored on reload, walked by Back and Forward, kept from file to file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drop, open, pick, singleFile } from "./browser.mjs";
import { base64, snapshot } from "./shapes.mjs";
import { browser } from "./suite.mjs";
import { address, at, drawn, ready, sample, show, terminal, VIEWS } from "./support.mjs";

test("a reload and the same file again bring back view, range, moment and selection", async () => {
  const { page, close } = await at(browser, sample, "timeline");
  await drawn(page, "timeline");
  await page.getByRole("radio", { name: "Event", exact: true }).click();
  await page.waitForTimeout(300);
  await drawn(page, "timeline");
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("w");
    await page.waitForTimeout(60);
  }
  await page.waitForFunction(() => location.hash.includes("range="));
  const box = await page.locator(".bands-canvas").boundingBox();
  assert.ok(box);
  await drawn(page, "timeline");
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height - 60);
  await page.waitForFunction(() => /sel=life.*/.test(location.hash) && location.hash.includes("at="));
  await page.waitForTimeout(600);
  const before_ = await address(page);
  await page.reload();
  await pick(page, [sample]);
  await ready(page);
  await drawn(page, "timeline");
  await page.getByRole("complementary", { name: "Allocation" }).getByText("Requested", { exact: true }).waitFor();
  await page.waitForTimeout(600);
  const after_ = await address(page);
  const states = (/** @type {string | undefined} */ range) => (range ?? "").split("..").map(Number);
  assert.deepEqual({ ...after_, range: null }, { ...before_, range: null });
  // The axis is time again, so that the window may end within an event.
  for (const [i, state] of states(after_.range).entries()) assert.ok(Math.abs(state - Number(states(before_.range)[i])) <= 2, `${before_.range} became ${after_.range}`);
  // Another file than the link's is shown from its beginning.
  await page.reload();
  await drop(page, [{ name: "other.pickle", base64: base64(snapshot()) }]);
  await ready(page);
  await page.waitForFunction(() => location.hash.includes("file=other.pickle"));
  assert.equal((await address(page)).range, undefined);
  await close();
});

test("Back and Forward walk through views with their ranges", async () => {
  const { page, close } = await at(browser, sample, "overview");
  await page.locator('.chart[data-points="ready"]').waitFor();
  await page.getByRole("button", { name: "Timeline", exact: false }).click();
  await drawn(page, "timeline");
  for (let i = 0; i < 3; i++) await page.keyboard.press("w");
  await page.waitForFunction(() => location.hash.includes("range="));
  const range = (await address(page)).range;
  await page.getByRole("button", { name: /^Events/ }).click();
  await page.locator(".virtual-row").first().waitFor();
  await page.waitForFunction(() => location.hash.includes("view=events"));
  await page.goBack();
  await drawn(page, "timeline");
  assert.equal((await address(page)).view, "timeline");
  assert.equal((await address(page)).range, range);
  await page.goBack();
  await page.locator(".health").waitFor();
  await page.goForward();
  await drawn(page, "timeline");
  await page.goForward();
  await page.locator(".virtual-row").first().waitFor();
  await close();
});

test("another file and another device keep the range and the moment", async () => {
  const { page, close } = await open(browser, singleFile);
  const two = snapshot({ device: 1, blocks: 12 });
  const one = snapshot({ blocks: 12 });
  two.device_traces[0] = one.device_traces[0] ?? [];
  two.segments.push(...one.segments.map((segment) => ({ ...segment, address: segment.address + 2 ** 40, blocks: segment.blocks.map((block) => ({ ...block, address: block.address + 2 ** 40 })) })));
  two.device_traces[0] = two.device_traces[0].map((/** @type {any} */ event) => ({ ...event, addr: event.addr + 2 ** 40 }));
  await drop(page, [
    { name: "a.pickle", base64: base64(two) },
    { name: "b.pickle", base64: base64(snapshot({ blocks: 14 })) },
  ]);
  await page.locator(".file.ready").nth(1).waitFor();
  await page.waitForFunction(() => location.hash.includes("file="));
  await page.getByRole("button", { name: "a.pickle", exact: true }).click();
  await show(page, "timeline", "range=3..9&at=5");
  await drawn(page, "timeline");
  await page.waitForTimeout(500);
  const kept = async () => {
    await drawn(page, "timeline");
    await page.waitForTimeout(500);
    const { range, at: moment } = await address(page);
    const [from, to] = (range ?? "").split("..").map(Number);
    assert.ok(Math.abs(Number(from) - 3) <= 1 && Math.abs(Number(to) - 9) <= 1, `the range is ${range}`);
    assert.equal(moment, "5");
  };
  await page.locator(".device-picker select").selectOption("0");
  await kept();
  await page.getByRole("button", { name: "b.pickle", exact: true }).click();
  await kept();
  await close();
});

test("every view keeps file, range, moment and all that is selected over a reload", async () => {
  const { page, complaints, close } = await at(browser, sample, "overview");
  const sel = "life:60,range:100..200,addr:7f1000000000,find:adam.py";
  const kept = { range: "1000..2000", at: "1500", sel, device: "0" };
  for (const view of VIEWS) {
    await show(page, view, new URLSearchParams(kept).toString());
    await drawn(page, view);
    const before_ = await address(page);
    await page.reload();
    await pick(page, [sample]);
    await ready(page);
    await drawn(page, view);
    const { range, ...after_ } = await address(page);
    assert.deepEqual(after_, { file: "snapshot.pickle", view, at: "1500", sel, device: "0" });
    // A window of time may end within an event.
    const states = (/** @type {string | undefined} */ text) => (text ?? "").split("..").map(Number);
    for (const [i, state] of states(range).entries()) assert.ok(Math.abs(state - Number(states(before_.range)[i])) <= 2, `${view}: ${before_.range} became ${range}`);
    await page.getByRole("complementary", { name: "Allocation" }).getByText("Requested", { exact: true }).waitFor();
  }
  // Back walks through the views that were looked at since the last load.
  for (const view of ["moment", "segments", "events"]) {
    await show(page, view);
    await drawn(page, view);
  }
  for (const view of ["segments", "moment"]) {
    await page.goBack();
    await drawn(page, view);
    assert.deepEqual({ ...(await address(page)), range: "" }, { file: "snapshot.pickle", view, at: "1500", sel, device: "0", range: "" });
  }
  await page.goForward();
  await drawn(page, "segments");
  assert.deepEqual(complaints, []);
  await close();
});

test("rules of one's own are judged, kept, and decide the categories", async () => {
  const { page, complaints, close } = await at(browser, sample, "moment");
  const table = page.getByRole("table", { name: "By category and call site" });
  await table.waitFor();
  const site = terminal("peak", sample).devices[0].by_call_site.find((/** @type {any} */ row) => row.file && row.category !== "kv_cache");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await help.locator("summary", { hasText: "Your own rules" }).click();
  const box = help.getByRole("textbox", { name: "Your own rules for categories" });
  await box.fill("# ours\nkv_cache file (");
  await help.getByRole("button", { name: "Use these rules" }).click();
  await help.getByText("Not understood: line 2.").waitFor();
  await box.fill(`kv_cache function ^${site.function.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  await help.getByRole("button", { name: "Use these rules" }).click();
  await help.getByText("In use.").waitFor();
  await page.keyboard.press("Escape");
  await table.getByText("KV cache").waitFor();
  // Kept for the next visit.
  await page.reload();
  await pick(page, [sample]);
  await ready(page);
  await table.getByText("KV cache").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("counters can be given after their file", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "run.pickle", base64: base64(snapshot()) }]);
  await page.locator(".checks .mark").first().waitFor();
  assert.ok((await page.locator(".checks .mark.unknown").count()) > 0);
  const counters = { memory_reserved: 20 * 2 ** 20, memory_allocated: 4 * 2 ** 20, max_memory_allocated: 7 * 2 ** 20 };
  const input = page.locator('.section input[type="file"]');
  await input.setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from("{ nonsense") });
  await page.getByText("The counters could not be read").waitFor();
  await input.setInputFiles({ name: "c.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(counters)) });
  await page.getByText("Counters taken.").waitFor();
  await page.locator(".checks .mark.pass").nth(4).waitFor();
  assert.equal(await page.locator(".checks .mark.fail").count(), 1);
  await close();
});
