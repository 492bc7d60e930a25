// Pictures of each view, in both themes and languages. Fonts differ from machine to machine, so pixels are
// not compared one by one: the ink in each cell of a grid has to stand where it stood (pictures.json;
// UPDATE=1 writes it anew), canvases have to hold the colours of their data, nothing may stick out, and a
// Chinese page may hold no English words of the page's own.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { open, pick, singleFile } from "./browser.mjs";
import { browser } from "./suite.mjs";
import { drawn, ready, sample, show, VIEWS } from "./support.mjs";

const BASELINE = "e2e/pictures.json";
const GRID = { columns: 24, rows: 16 };
/** How alike two pictures have to be: the correlation of their ink. */
const ALIKE = 0.8;

/** @type {Record<string, string>} */
const known = existsSync(BASELINE) ? JSON.parse(readFileSync(BASELINE, "utf8")) : {};
/** @type {Record<string, string>} */
const now = {};
after(() => {
  if (process.env.UPDATE) writeFileSync(BASELINE, `${JSON.stringify(now, null, 1)}\n`);
});

/**
 * The ink in each cell: how far its pixels are from the ground, as two hexadecimal digits.
 * @param {import("playwright-core").Page} page
 */
async function ink(page) {
  const shot = (await page.screenshot({ animations: "disabled" })).toString("base64");
  return page.evaluate(
    async ([png, columns, rows]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      // The ground is the pixel in the lower right corner of the view.
      const ground = (image.width * (image.height - 4) - 20) * 4;
      const cells = Array.from({ length: Number(columns) * Number(rows) }, () => [0, 0]);
      for (let y = 0; y < image.height; y += 2)
        for (let x = 0; x < image.width; x += 2) {
          const at = (y * image.width + x) * 4;
          const cell = cells[Math.floor((y * Number(rows)) / image.height) * Number(columns) + Math.floor((x * Number(columns)) / image.width)];
          if (!cell) continue;
          for (let c = 0; c < 3; c++) cell[0] = (cell[0] ?? 0) + Math.abs((data[at + c] ?? 0) - (data[ground + c] ?? 0));
          cell[1] = (cell[1] ?? 0) + 3;
        }
      const light = ((data[ground] ?? 0) + (data[ground + 1] ?? 0) + (data[ground + 2] ?? 0)) / 3;
      return { light, cells: cells.map(([sum = 0, count = 1]) => Math.min(255, Math.round((sum / count) * 2)).toString(16).padStart(2, "0")).join("") };
    },
    [shot, String(GRID.columns), String(GRID.rows)],
  );
}

/** @param {string} a @param {string} b */
function correlation(a, b) {
  const values = (/** @type {string} */ text) => (text.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
  const [x, y] = [values(a), values(b)];
  const mean = (/** @type {number[]} */ all) => all.reduce((sum, value) => sum + value, 0) / all.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [i, value] of x.entries()) {
    const [dx, dy] = [value - mx, (y[i] ?? 0) - my];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : xx === yy ? 1 : 0;
}

/** Words that stand for themselves in every language: names, units, keys, field names. */
const NAMES = /\b(HBM Lens|English|Perfetto|PyTorch|torch_npu|torch|CSV|JSON|GE|OOM|KV|C\+\+|Shift|Ctrl|Alt|Esc|Enter|Home|requested|active|reserved|allocated|KiB|MiB|GiB|TiB|min|empty_cache|forward|ProfilerStep|file|function|AdamW?|small|large)\b/g;

/**
 * Text of the page's own with English words in it. Text of files, figures and code is not the page's.
 * @param {import("playwright-core").Page} page
 */
const mixed = (page) =>
  page.evaluate((names) => {
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      if (!element || element.closest("script, style, .mono, code, .figure, .stack, kbd, pre, textarea, .page-title, .file-name, option[value*='_'], .choice") || element.checkVisibility?.() === false) continue;
      // Identifiers stay as they are: what has signs or figures in it is one, and so may a word alone be.
      const rest = (node.textContent ?? "").replaceAll(/[\w./:()+-]*[_./:()\d][\w./:()+-]*/g, " ").replaceAll(new RegExp(names, "g"), " ");
      if (/\b[A-Z][a-z]{2,}\b|\b[a-z]{2,} [a-z]{2,}\b/.test(rest)) found.push((node.textContent ?? "").trim().slice(0, 80));
    }
    return found;
  }, NAMES.source);

/**
 * What sticks out of the view sideways, and canvases that are empty.
 * @param {import("playwright-core").Page} page
 */
const faults = (page) =>
  page.evaluate(() => {
    const found = [];
    const main = document.querySelector("main");
    if (main && main.scrollWidth > main.clientWidth) found.push(`the view is ${main.scrollWidth} wide in ${main.clientWidth}`);
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
    for (const canvas of document.querySelectorAll("main canvas")) {
      if (!(canvas instanceof HTMLCanvasElement) || canvas.width * canvas.height === 0) continue;
      const context = canvas.getContext("2d");
      if (!context) continue;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4 * 37) colours.add(`${data[at]} ${data[at + 1]} ${data[at + 2]} ${data[at + 3]}`);
      if (colours.size < 3) found.push(`${canvas.className || canvas.getAttribute("aria-label") || "a chart"} holds ${colours.size} colours`);
    }
    return found;
  });

for (const [locale, name] of [["en-US", "en"], ["zh-CN", "zh"]])
  for (const scheme of /** @type {const} */ (["light", "dark"]))
    test(`every view looks as it did (${name}, ${scheme})`, async () => {
      const { page, complaints, close } = await open(browser, singleFile, { locale, colorScheme: scheme, viewport: { width: 1280, height: 900 } });
      await pick(page, [sample]);
      await ready(page);
      /** @type {string[]} */
      const wrong = [];
      for (const view of VIEWS) {
        await show(page, view);
        await drawn(page, view);
        await page.waitForTimeout(250);
        const { light, cells } = await ink(page);
        const key = `${view} ${name} ${scheme}`;
        now[key] = cells;
        if (scheme === "light" ? light < 200 : light > 70) wrong.push(`${key}: the ground is ${light.toFixed(0)} bright`);
        const alike = known[key] === undefined ? 0 : correlation(cells, known[key]);
        if (!process.env.UPDATE && alike < ALIKE) wrong.push(`${key}: alike only by ${alike.toFixed(2)}`);
        for (const fault of await faults(page)) wrong.push(`${key}: ${fault}`);
        if (name === "zh") for (const text of await mixed(page)) wrong.push(`${key}: “${text}”`);
      }
      // Narrow, nothing sticks out either.
      for (const [width, height] of scheme === "light" ? [[1024, 768], [420, 900]] : []) {
        await page.setViewportSize({ width: Number(width), height: Number(height) });
        for (const view of VIEWS) {
          await show(page, view);
          await drawn(page, view);
          await page.waitForTimeout(150);
          for (const fault of await faults(page)) wrong.push(`${view} ${name} at ${width}: ${fault}`);
        }
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(complaints, []);
      await close();
    });
