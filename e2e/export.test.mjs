// What the page saves: files for other programs against the terminal's, byte for byte, and pictures of charts.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { program, sharedFolder } from "./browser.mjs";
import { browser } from "./suite.mjs";
import { at as atView, drawn, sample, show, terminal } from "./support.mjs";

const shared = sharedFolder();
const files = [sample, ...(shared === null ? [] : ["cuda_training.pickle", "npu_two_devices.pkl"].map((name) => join(shared, "data/snapshots", name)))];

/** What `hbmlens convert` writes to standard output. @param {string} file @param {string[]} args */
const converted = (file, ...args) => execFileSync(program, ["convert", file, ...args], { maxBuffer: 1 << 30 });

/**
 * What a click saves, and its name.
 * @param {import("playwright-core").Page} page
 * @param {import("playwright-core").Locator} button
 */
async function saved(page, button) {
  const waiting = page.waitForEvent("download");
  await button.click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** @param {import("playwright-core").Page} page @param {string} id */
const line = (page, id) => page.locator(`[data-export=${id}] button`);

for (const file of files) {
  const name = file.split("/").at(-1) ?? "";
  test(`${name}: what is saved is what the terminal writes`, async () => {
    const { page, complaints, close } = await atView(browser, file, "export");
    const [trace, pickle, folded] = [await saved(page, line(page, "trace")), await saved(page, line(page, "pickle")), await saved(page, line(page, "folded"))];
    assert.deepEqual([trace.name, pickle.name, folded.name], [`${name}.trace.json`, `${name}.selection.pickle`, `${name}.folded.txt`]);
    assert.ok(trace.bytes.equals(converted(file, "--trace", "-")), "trace");
    assert.ok(pickle.bytes.equals(converted(file, "--pickle", "-")), "pickle");
    assert.ok(folded.bytes.equals(execFileSync(program, ["folded", file], { maxBuffer: 1 << 30 })), "folded");
    const json = await saved(page, line(page, "json"));
    const figures = JSON.parse(json.bytes.toString("utf8"));
    const overview = terminal("overview", file);
    assert.deepEqual(figures.overview.devices, overview.devices);
    assert.deepEqual(figures.devices.map((/** @type {{ peak: { by_category: unknown } }} */ each) => each.peak.by_category), terminal("peak", file).devices.map((/** @type {{ by_category: unknown }} */ each) => each.by_category));
    assert.ok(!json.bytes.includes('"zh":'));

    // A range of the timeline is the terminal's range of events.
    await show(page, "export", "range=101..401");
    await page.getByRole("radio", { name: "101 to 399" }).click();
    const part = await saved(page, line(page, "pickle"));
    assert.ok(part.bytes.equals(converted(file, "--pickle", "-", "--range", "101..400")), "range");
    assert.ok(part.bytes.length < pickle.bytes.length);
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("with paths stripped nothing names a directory", async () => {
  const file = files[1] ?? sample;
  const { page, complaints, close } = await atView(browser, file, "export");
  const plain = (await saved(page, line(page, "trace"))).bytes.toString("utf8");
  const site = /"call_site":"([^"]*\/)[^"/]*"/.exec(plain)?.[1];
  assert.ok(site !== undefined && site.length > 3, "the file has directories");
  await page.getByLabel("Strip paths").check();
  for (const id of ["trace", "sqlite", "pickle", "folded", "json"]) {
    const { bytes } = await saved(page, line(page, id));
    assert.ok(bytes.length > 100 && !bytes.includes(site), id);
    if (id === "trace") assert.ok(bytes.equals(converted(file, "--trace", "-", "--strip-paths")));
    if (id === "pickle") assert.ok(bytes.equals(converted(file, "--pickle", "-", "--strip-paths")));
  }
  await show(page, "events");
  await drawn(page, "events");
  const csv = await saved(page, page.getByRole("button", { name: /CSV/ }));
  assert.ok(csv.bytes.length > 1000 && !csv.bytes.includes(site), "events");
  // What is shown stays as it was.
  await show(page, "export");
  await page.getByLabel("Strip paths").uncheck();
  assert.ok((await saved(page, line(page, "trace"))).bytes.toString("utf8") === plain);
  assert.deepEqual(complaints, []);
  await close();
});

/** Width and height of a PNG. @param {Buffer} png */
const sizeOf = (png) => [png.readUInt32BE(16), png.readUInt32BE(20)];

for (const theme of /** @type {const} */ (["light", "dark"])) {
  test(`charts are saved as pictures, ${theme}`, async () => {
    const { page, complaints, close } = await atView(browser, sample, "overview", "", { colorScheme: theme });
    // A page without a policy, to look at what was saved.
    const other = await page.context().newPage();
    await page.bringToFront();
    const ground = theme === "light" ? [255, 255, 255] : null;
    for (const [view, frame, vector] of /** @type {const} */ ([
      ["overview", ".chart-plot", /<path[^>]+d="M[^"]{200,}/],
      ["timeline", ".bands", /<image [^>]+href="data:image\/png/],
      ["moment", ".treemap", /<rect [^>]+fill="#/],
      ["flame", ".flame", /<text [^>]*>[^<]+<\/text>/],
      ["segments", ".picture-frame", /<rect [^>]+fill="#/],
    ])) {
      await show(page, view);
      await drawn(page, view);
      const chart = page.locator(frame).first();
      await chart.hover();
      const before = await chart.locator("canvas").first().evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
      const png = (await saved(page, chart.getByRole("button", { name: "Save picture: PNG" }))).bytes;
      assert.equal(png.toString("latin1", 1, 4), "PNG");
      const [width, height] = sizeOf(png);
      assert.ok((width ?? 0) > 300 && (height ?? 0) > 50, `${view} ${width}x${height}`);
      const svg = (await saved(page, chart.getByRole("button", { name: "Save picture: SVG" }))).bytes.toString("utf8");
      assert.match(svg, vector, view);
      // The scale stands beside the canvas on the page.
      if (view === "segments") for (const tick of await page.locator(".segment-tick:not(:empty)").allInnerTexts()) assert.ok(svg.includes(`>${tick}</text>`), `${tick} is not in the picture`);
      // It is well-formed, has nothing from elsewhere, and shows as a picture of its own.
      const shown = await other.evaluate(async (text) => {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        const elements = parsed.querySelectorAll("path, rect, text, image").length;
        return { broken: parsed.querySelector("parsererror") !== null, elements, width: Number(parsed.documentElement.getAttribute("width")) };
      }, svg);
      assert.equal(shown.broken, false, view);
      assert.ok(shown.elements > 3 && shown.width > 300, `${view} ${JSON.stringify(shown)}`);
      assert.ok(!/href="(?!data:)/.test(svg), view);
      // The chart on the page is as it was.
      await page.mouse.move(0, 0);
      await drawn(page, view);
      await page.waitForTimeout(100);
      if (view !== "overview") assert.equal(await chart.locator("canvas").first().evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()) === before, true, view);
      if (ground && view === "timeline") {
        const pixel = await other.evaluate(async (data) => {
          const image = new Image();
          image.src = `data:image/png;base64,${data}`;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.width;
          canvas.height = image.height;
          const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
          context.drawImage(image, 0, 0);
          return [...context.getImageData(1, 1, 1, 1).data];
        }, png.toString("base64"));
        assert.deepEqual(pixel, [...ground, 255], "the ground is the page's");
      }
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}
