// The map of a graph: found, hovered, zoomed, coloured; in Chinese and in the dark; and what a log lacks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drop, open, singleFile } from "./browser.mjs";
import { SAMPLE, needsProgram, openSample, part, sample, terminal } from "./ge-log.mjs";
import { browser } from "./suite.mjs";

test("an output is found by its node, hovered with every field, and zoomed to", needsProgram, async () => {
  const graph = terminal(["report", "--json", SAMPLE]).processes[0].graphs.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.memory_size > a.memory_size ? b : a));
  const node = graph.peak.nodes.find((/** @type {any} */ each) => each.end !== null && each.end < 4294967294) ?? graph.peak.nodes[0];
  const name = node.name.replace(/:(output|workspace|outputdesc)_\d+$/, "");
  const { page, close } = await openSample(browser);
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  await page.locator(".ge-found").waitFor();
  const line = sample.split("\n").find((each) => each.includes(`[IMAS]Set ${graph.key} name[${name}]`) && each.includes(`offset to [${node.offset}]`));
  await page.keyboard.press("Enter");
  const panel = page.getByRole("region", { name: new RegExp(`^${name.replace(/[/.*+?^${}()|[\]\\]/g, "\\$&")}:`) });
  await panel.waitFor();
  // To the very output of the list.
  const rows = page.getByRole("table", { name: "Outputs" }).locator("[role=row][aria-rowindex]").filter({ hasText: node.name });
  await rows.first().click();
  await page.locator("h1").click();
  await page.keyboard.press("f");
  const facts = Object.fromEntries(await panel.locator("dl div").evaluateAll((all) => all.map((each) => [each.querySelector("dt")?.textContent, each.querySelector("dd")?.textContent])));
  assert.equal(facts["name"], name);
  if (line) {
    const field = (/** @type {string} */ key) => new RegExp(` ${key}\\[([^\\]]*)\\]`).exec(line)?.[1] ?? "";
    assert.equal(facts["optype"], field("optype"));
    assert.equal(facts["memtype"], field("memtype"));
    assert.equal(facts["batch"] ?? "", field("batch"));
    assert.equal(facts["isref"], field("isref"));
    assert.equal(facts["block_type"] ?? "", field("block_type"));
    assert.equal(facts["streamid"], field("streamid"));
    assert.equal(facts["life time begin"], field("life time begin"));
    assert.equal(facts["life time end"]?.split(" (")[0], field("life time end"));
    assert.equal(facts["child[level:reuse:continuous:zero copy:same stream]"], field("child"));
    for (const key of ["size", "realsize", "noalignsize"]) assert.equal(facts[key]?.split(" (")[0]?.replaceAll(",", ""), field(key));
  }
  // The output fills the middle of the map now.
  await page.locator(".ge-map canvas").scrollIntoViewIfNeeded();
  const canvas = await page.locator(".ge-map canvas").boundingBox();
  assert.ok(canvas);
  await page.mouse.move(canvas.x + 84 + (canvas.width - 92) / 2, canvas.y + 96 + (canvas.height - 118) / 2);
  const tip = page.locator(".ge-tip");
  await tip.waitFor();
  const tipText = await tip.innerText();
  for (const key of ["optype", "offset", "streamid", "memtype", "size", "realsize", "life time begin", "life time end"]) assert.ok(tipText.includes(key), tipText);
  assert.ok(tipText.includes(name), tipText);
  await page.keyboard.press("0");
  await page.keyboard.press("Escape");
  assert.equal(await panel.count(), 0);
  await page.waitForFunction(() => location.hash.includes("sel=graphs"));
  await close();
});

test("the map zooms and pans by key, wheel and drag, and colours three ways", async () => {
  const { page, complaints, close } = await openSample(browser);
  const canvas = page.locator(".ge-map canvas");
  await canvas.scrollIntoViewIfNeeded();
  const picture = () => canvas.evaluate((element) => /** @type {HTMLCanvasElement} */ (element).toDataURL());
  // The window shown, and what is drawn in it.
  let window_ = await canvas.getAttribute("data-window");
  let drawn = await picture();
  const differs = async (/** @type {string} */ what) => {
    const now = await picture();
    assert.notEqual(now, drawn, `${what} drew nothing else`);
    drawn = now;
  };
  const changes = async (/** @type {() => Promise<unknown>} */ act, /** @type {string} */ what) => {
    await act();
    await page.waitForFunction((old) => document.querySelector(".ge-map canvas")?.getAttribute("data-window") !== old, window_).catch(() => assert.fail(`${what} moved nothing`));
    window_ = await canvas.getAttribute("data-window");
    await differs(what);
  };
  await changes(() => page.keyboard.press("w"), "W");
  await changes(() => page.keyboard.press("w"), "W again");
  await changes(() => page.keyboard.press("d"), "D");
  await changes(() => page.keyboard.press("ArrowUp"), "up");
  await changes(() => page.keyboard.press("s"), "S");
  await changes(() => page.keyboard.press("0"), "0");
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await changes(() => page.mouse.wheel(0, -300), "the wheel");
  await changes(async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 80, box.y + box.height / 2 + 40, { steps: 4 });
    await page.mouse.up();
  }, "a drag");
  await changes(() => page.getByRole("button", { name: "Everything" }).click(), "everything");
  for (const [name, legend] of [
    ["Stream", "0"],
    ["Memory type", "HBM"],
  ]) {
    await page.getByRole("radio", { name }).click();
    await page.locator(".ge-chart .legend").getByText(legend ?? "", { exact: true }).waitFor();
    await differs(name ?? "");
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a log without the lines says which and how to record them", async () => {
  const { page, close } = await open(browser, singleFile);
  await drop(page, [{ name: "plog-9.log", text: "[INFO] GE(9,train):2026-03-04-10:00:00.000.001 [f.cc:1]9 F:nothing about memory\n" }]);
  for (const words of ["Nothing to check", "[IMAS]Set", "AfterAssignMemory", "imas_mem_pool.csv", "ASCEND_GLOBAL_LOG_LEVEL=1"]) await page.getByText(words).first().waitFor();
  await part(page, "Device memory");
  await page.getByText("The log does not hold the lines that this needs").waitFor();
  await page.getByText("MallocMemory, func=").first().waitFor();
  await close();
});

test("the view speaks Chinese and draws in the dark", async () => {
  const { page, complaints, close } = await openSample(browser, { locale: "zh-CN", colorScheme: "dark" });
  await page.getByText("互相踩踏的输出").waitFor();
  for (const name of ["内存池", "设备内存", "变量与地址", "日志对比", "报告文件", "图"]) await part(page, name);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  const words = await page.locator("main").innerText();
  assert.doesNotMatch(words, /undefined|NaN|\[object/);
  assert.deepEqual(complaints, []);
  await close();
});
