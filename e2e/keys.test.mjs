// Every key that the help window tells of, pressed in every view: what it is said to do happens. A command that
// is not known here fails the test: whoever adds one says what is to be seen of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drop, dropPaths, open, singleFile } from "./browser.mjs";
import { openSample } from "./ge-log.mjs";
import { manyEvents } from "./shapes.mjs";
import { browser } from "./suite.mjs";
import { drawn, VIEWS } from "./support.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ page: Page, view: string, key: string, press: () => Promise<void> }} Pressed */
/** What is to be seen after a key: it makes ready, presses and looks. @typedef {(pressed: Pressed) => Promise<void>} Expectation */

/** As the help names keys, and as a keyboard does. @type {Record<string, string>} */
const KEYS = { Esc: "Escape", "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", Home: "Home", "⌫": "Backspace" };

const parse = (/** @type {string} */ hash) => Object.fromEntries(new URLSearchParams(hash.slice(1)));
const params = async (/** @type {Page} */ page) => parse(await page.evaluate(() => location.hash));

/**
 * Waits until the address's parameters fit.
 * @param {Page} page
 * @param {(given: Record<string, string>) => boolean} fits
 */
async function addressed(page, fits) {
  const end = Date.now() + 6000;
  for (;;) {
    const hash = await page.evaluate(() => location.hash);
    if (fits(parse(hash))) return;
    await page.waitForFunction((old) => location.hash !== old, hash, { timeout: Math.max(1, end - Date.now()) }).catch(() => assert.fail(`the address stays ${hash}`));
  }
}

/** The page writes the last place of a burst, a moment later: nothing is written any more. @param {Page} page */
async function settled(page) {
  await page.evaluate(() => Object.assign(window, { lastHash: location.hash, since: performance.now() }));
  await page.waitForFunction(() => {
    const seen = /** @type {any} */ (window);
    if (seen.lastHash !== location.hash) Object.assign(seen, { lastHash: location.hash, since: performance.now() });
    return performance.now() - seen.since > 200;
  });
}

/** Changes parameters of the address; an empty one is taken out. @param {Page} page @param {Record<string, string>} given */
async function set(page, given) {
  await settled(page);
  await page.evaluate(async (changes) => {
    const now = new URLSearchParams(location.hash.slice(1));
    for (const [key, value] of Object.entries(changes)) value === "" ? now.delete(key) : now.set(key, value);
    const before = location.hash;
    // The page hears of it a moment later, and a key pressed before would act on the old address.
    const heard = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = now.toString();
    if (location.hash !== before) await heard;
  }, given);
}

/** The keys go to the page, not to a field. @param {Page} page */
const leaveFields = (page) => page.evaluate(() => /** @type {HTMLElement | null} */ (document.activeElement)?.blur());

/** The window that the address tells. @param {Page} page @returns {Promise<number[]>} */
const window_ = async (page) => ((await params(page))["range"] ?? "").split("..").map(Number);

/** Where the axis of the view ends. */
let end = 0;

/** A window with room on both sides, and where everything ends. @param {Page} page @param {string} view */
async function narrow(page, view) {
  // Events lie evenly in the address, times need not.
  const events = page.getByRole("radio", { name: "Event", exact: true });
  if ((await events.count()) > 0 && !(await events.isChecked())) {
    await events.click();
    await drawn(page, view);
    await leaveFields(page);
  }
  const [now = 0, then = 0] = await window_(page);
  const room = (then - now) * 0.4;
  if (end > 0 && then - now > end / 8 && now > room && then < end - room) return [now, then, end];
  await page.keyboard.press("0");
  await addressed(page, ({ range }) => range === undefined);
  await page.keyboard.press("w");
  await addressed(page, ({ range }) => range !== undefined);
  const [first = 0, last = 0] = await window_(page);
  await page.keyboard.press("w");
  await addressed(page, ({ range }) => range !== undefined && range !== `${first}..${last}`);
  const [from = 0, to = 0] = await window_(page);
  end = first + last;
  return [from, to, end];
}

/** A key moves both edges of the window. @param {(from: number, to: number) => [number, number]} where @returns {Expectation} */
const moves = (where) => async ({ page, view, press }) => {
  const [from = 0, to = 0, all = 0] = await narrow(page, view);
  await press();
  const [left, right] = where(from, to);
  await addressed(page, ({ range }) => range?.split("..").every((edge, i) => Math.abs(Number(edge) - (i === 0 ? left : right)) <= all * 0.01 + 2) ?? false);
};

/** The window of the map of a graph: steps and bytes. @param {Page} page */
const area = async (page) => ((await page.locator(".ge-map canvas").getAttribute("data-window")) ?? "").split(" ").map(Number);

/** Presses a key that moves the map. @param {Page} page @param {string} key */
async function onMap(page, key) {
  const before = await page.locator(".ge-map canvas").getAttribute("data-window");
  await page.keyboard.press(key);
  await page.waitForFunction((old) => document.querySelector(".ge-map canvas")?.getAttribute("data-window") !== old, before, { timeout: 20_000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The offsets that the map of segments shows. @param {Page} page */
const offsets = async (page) => ((await page.locator(".segment-map canvas").getAttribute("data-window")) ?? "").split(" ").map(Number);

/** @param {Page} page @param {number[]} wanted */
const offsetsAre = (page, wanted) => page.waitForFunction((edges) => (document.querySelector(".segment-map canvas")?.getAttribute("data-window") ?? "").split(" ").every((text, i) => Math.abs(Number(text) - (edges[i] ?? 0)) < 2), wanted, { timeout: 20_000 }).catch(async () => assert.fail(`${await offsets(page)}, not ${wanted}`));

/** Presses a key that moves the offsets. @param {Page} page @param {string} key */
async function onOffsets(page, key) {
  const before = (await offsets(page)).join(" ");
  await page.keyboard.press(key);
  await page.waitForFunction((old) => document.querySelector(".segment-map canvas")?.getAttribute("data-window") !== old, before, { timeout: 20_000 });
}

/** @param {(from: number, to: number) => [number, number]} where @returns {Expectation} */
const movesOffsets = (where) => async ({ page, press }) => {
  await page.keyboard.press("0");
  for (let i = 0; i < 3; i++) await onOffsets(page, "w");
  const [from = 0, to = 0] = await offsets(page);
  await press();
  await offsetsAre(page, where(from, to));
};

/** All of the map. @param {Page} page */
async function wholeMap(page) {
  await onMap(page, "w");
  await onMap(page, "0");
  return area(page);
}

/** @param {(x0: number, x1: number, y0: number, y1: number) => [number, number, number, number]} where @returns {Expectation} */
const movesMap = (where) => async ({ page, press }) => {
  await wholeMap(page);
  for (const key of ["w", "w", "w"]) await onMap(page, key);
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = await area(page);
  await press();
  const wanted = where(x0, x1, y0, y1);
  const near = [x1 - x0, x1 - x0, y1 - y0, y1 - y0].map((size) => size * 0.02 + 0.02);
  await page.waitForFunction(([edges, off]) => (document.querySelector(".ge-map canvas")?.getAttribute("data-window") ?? "").split(" ").every((text, i) => Math.abs(Number(text) - (edges?.[i] ?? 0)) <= (off?.[i] ?? 0)), [wanted, near], { timeout: 20_000 }).catch(async () => assert.fail(`from ${[x0, x1, y0, y1]} to ${await area(page)}, not to ${wanted}`));
};

/** @type {Expectation} */
const searches = async ({ page, press }) => {
  await press();
  await page.waitForFunction(() => /** @type {HTMLInputElement | null} */ (document.activeElement)?.type === "search", null, { timeout: 20_000 });
  await leaveFields(page);
};

/** @type {Expectation} */
const clears = async ({ page, view, press }) => {
  if (view === "ge") {
    await page.keyboard.press("/");
    await page.keyboard.type("a");
    await page.locator(".ge-found").waitFor();
    await page.keyboard.press("Enter");
    const panel = page.locator(".ge-chart ~ section.panel");
    await panel.waitFor();
    await press();
    await panel.waitFor({ state: "detached" });
    assert.equal(await page.getByRole("searchbox").first().inputValue(), "");
    await leaveFields(page);
    return;
  }
  if (view === "compare") {
    // What is selected there is what is compared.
    const box = page.getByRole("searchbox", { name: "Function or file" });
    await box.fill("forward");
    await press();
    await page.waitForFunction(() => [...document.querySelectorAll("main input[type=search]")].every((each) => /** @type {HTMLInputElement} */ (each).value === ""), null, { timeout: 20_000 });
    return;
  }
  // An allocation is told beside every view of a snapshot, a row of a profiler's run beside its operators.
  const hasLives = (await page.locator(".view-link", { hasText: "Timeline" }).count()) > 0;
  await set(page, { sel: hasLives ? "life:60" : "row:3" });
  const panel = page.getByRole("complementary", hasLives ? { name: "Allocation" } : {}).filter({ hasNot: page.locator("nav") });
  const told = hasLives || view === "operators";
  if (told) await panel.waitFor();
  await press();
  await addressed(page, ({ sel }) => sel === undefined);
  if (told) await panel.waitFor({ state: "detached" });
};

/** Zoomed into a box, and out again: how many boxes there are is told with the drawing. @type {Expectation} */
const wholeFlame = async ({ page, view, press }) => {
  // What both files hold alike has boxes only then.
  if (view === "compare") await page.getByRole("radio", { name: "the larger side" }).click();
  const canvas = page.locator(".flame canvas");
  const label = () => canvas.getAttribute("aria-label");
  await canvas.scrollIntoViewIfNeeded();
  const whole = await label();
  // Of the boxes further in, the first below which something else is left over.
  for (let row = 2; row < 12 && (await label()) === whole; row++) {
    await canvas.click({ position: { x: 12, y: 18 * row + 9 } });
    await page.waitForFunction((old) => document.querySelector(".flame canvas")?.getAttribute("aria-label") !== old, whole, { timeout: 700 }).catch(() => undefined);
  }
  assert.notEqual(await label(), whole, "no box was zoomed to");
  await press();
  await page.waitForFunction((old) => document.querySelector(".flame canvas")?.getAttribute("aria-label") === old, whole, { timeout: 20_000 });
};

/** The moment moves by so many events. @param {number} by @returns {Expectation} */
const steps = (by) => async ({ page, press }) => {
  await set(page, { at: "700" });
  await page.waitForFunction(() => /\b699\b/.test(/** @type {HTMLInputElement | null} */ (document.querySelector("main input[type=number]"))?.value ?? ""), null, { timeout: 20_000 });
  await press();
  await addressed(page, ({ at }) => at === String(700 + by));
  await page.waitForFunction((event) => /** @type {HTMLInputElement | null} */ (document.querySelector("main input[type=number]"))?.value === event, String(699 + by), { timeout: 20_000 });
};

/** From one match to the one after or before. @param {boolean} forth @returns {Expectation} */
const walks = (forth) => async ({ page, press }) => {
  await set(page, { sel: "find:forward", range: "" });
  await page.getByRole("status").filter({ hasText: "in all" }).waitFor();
  const life = async () => Number(/life:(\d+)/.exec((await params(page))["sel"] ?? "")?.[1] ?? NaN);
  await press();
  await addressed(page, ({ sel }) => /life:\d/.test(sel ?? ""));
  const first = await life();
  await press();
  await addressed(page, ({ sel }) => /life:\d/.test(sel ?? "") && !sel?.includes(`life:${first},`));
  assert.ok(forth ? (await life()) > first : (await life()) < first);
  await page.getByRole("complementary", { name: "Allocation" }).waitFor();
  await set(page, { sel: "" });
};

/** To another file, and back by a click. @param {number} by @returns {Expectation} */
const changesFile = (by) => async ({ page, view, press }) => {
  const files = page.locator(".file");
  const i = await files.evaluateAll((all) => all.findIndex((each) => each.classList.contains("shown")));
  const count = await files.count();
  const shows = async (/** @type {number} */ n) => {
    await page.waitForFunction((at) => document.querySelectorAll(".file")[at]?.classList.contains("shown"), n, { timeout: 20_000 });
    await drawn(page, view);
  };
  await press();
  await shows((i + by + count) % count);
  await page.locator(".file-name").nth(i).click();
  await shows(i);
};

/** What a command does, by the name that the help has for it; `VIEW: NAME` where it is another thing in one view. @type {Record<string, Expectation>} */
const EXPECTED = {
  "Show this help": async ({ page, press }) => {
    await press();
    await page.getByRole("dialog").locator("table.keys").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  },
  "Clear the selection, close what is open": clears,
  "Zoom in": moves((from, to) => [from + (to - from) * 0.2, to - (to - from) * 0.2]),
  "Zoom out": moves((from, to) => [from - (to - from) / 3, to + (to - from) / 3]),
  "Pan left": moves((from, to) => [from - (to - from) * 0.2, to - (to - from) * 0.2]),
  "Pan right": moves((from, to) => [from + (to - from) * 0.2, to + (to - from) * 0.2]),
  "Show everything": async ({ page, view, press }) => {
    await narrow(page, view);
    await press();
    await addressed(page, ({ range }) => range === undefined);
  },
  "Next file": changesFile(1),
  "Previous file": changesFile(-1),
  "Search": searches,
  "timeline: Zoom to the selection": async ({ page, press }) => {
    await set(page, { sel: "range:40..90", range: "" });
    await page.getByRole("table", { name: "The range by category" }).waitFor();
    await press();
    await addressed(page, ({ range }) => range === "40..91");
    await set(page, { sel: "", range: "" });
  },
  "timeline: Select what is shown": async ({ page, view, press }) => {
    const [from = 0, to = 0] = await narrow(page, view);
    await press();
    await addressed(page, ({ sel }) => sel === `range:${from}..${to - 1}`);
    await page.getByRole("table", { name: "The range by category" }).waitFor();
    await set(page, { sel: "", range: "" });
  },
  "timeline: Next match": walks(true),
  "timeline: Previous match": walks(false),
  "moment: One level up": async ({ page, press }) => {
    const places = page.locator("nav.crumbs button");
    await page.locator("main table button[aria-expanded]").first().waitFor();
    const map = await page.locator(".treemap").first().boundingBox();
    assert.ok(map);
    await page.mouse.click(map.x + 30, map.y + 8);
    await places.nth(1).waitFor();
    await press();
    await places.nth(1).waitFor({ state: "detached" });
  },
  "flame: Show everything": wholeFlame,
  "compare: Show everything": wholeFlame,
  "segments: Zoom in": movesOffsets((from, to) => [from + (to - from) * 0.2, to - (to - from) * 0.2]),
  "segments: Zoom out": movesOffsets((from, to) => [from - (to - from) / 3, to + (to - from) / 3]),
  "segments: Pan left": movesOffsets((from, to) => [from - (to - from) * 0.2, to - (to - from) * 0.2]),
  "segments: Pan right": movesOffsets((from, to) => [from + (to - from) * 0.2, to + (to - from) * 0.2]),
  "segments: Show everything": async ({ page, press }) => {
    await page.keyboard.press("0");
    const whole = await offsets(page);
    await onOffsets(page, "w");
    await press();
    await offsetsAre(page, whole);
  },
  "segments: Zoom to the selection": async ({ page, press }) => {
    await page.keyboard.press("0");
    await page.waitForFunction(() => document.querySelector(".segment-map canvas")?.getAttribute("data-window")?.startsWith("0 "));
    const map = await page.locator(".segment-map canvas").boundingBox();
    assert.ok(map);
    const panel = page.getByRole("complementary", { name: "Allocation" });
    // Some of it is free.
    for (let x = map.width - 20; x > map.width / 2 && (await panel.count()) === 0; x -= 40) {
      await page.mouse.click(map.x + x, map.y + 11);
      await page.waitForTimeout(100);
    }
    await panel.waitFor();
    const [, all = 0] = await offsets(page);
    await press();
    await page.waitForFunction((most) => {
      const [from = 0, to = 0] = (document.querySelector(".segment-map canvas")?.getAttribute("data-window") ?? "").split(" ").map(Number);
      return to - from < most;
    }, all, { timeout: 20_000 });
    await page.keyboard.press("0");
    await set(page, { sel: "" });
  },
  "segments: One event back": steps(-1),
  "segments: One event on": steps(1),
  "segments: One event back ×100": steps(-100),
  "segments: One event on ×100": steps(100),
  "ge: Zoom to the selection": async ({ page, press }) => {
    const whole = await wholeMap(page);
    await page.getByRole("table", { name: "Outputs" }).locator("[role=row][aria-rowindex]").nth(1).click();
    await page.locator(".ge-chart ~ section.panel").waitFor();
    await leaveFields(page);
    await press();
    await page.waitForFunction((old) => document.querySelector(".ge-map canvas")?.getAttribute("data-window") !== old, whole.map((edge) => edge.toFixed(2)).join(" "), { timeout: 20_000 });
    // The life of what was chosen lies within the window.
    const facts = Object.fromEntries(await page.locator(".ge-chart ~ section.panel dl div").evaluateAll((rows) => rows.map((row) => [row.querySelector("dt")?.textContent, row.querySelector("dd")?.textContent])));
    const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = await area(page);
    const [begin, offset] = [Number(facts["life time begin"]), Number((facts["offset"] ?? "").replace(/ .*|,/g, ""))];
    assert.ok(x0 <= begin && begin < x1 && y0 <= offset && offset < y1, `${begin}, ${offset} in ${await area(page)}`);
    await page.keyboard.press("Escape");
  },
  "ge: Next match": async ({ page, press }) => {
    await page.keyboard.press("/");
    await page.keyboard.type("a");
    await page.locator(".ge-found").waitFor();
    await leaveFields(page);
    const panel = page.locator(".ge-chart ~ section.panel");
    await press();
    await panel.waitFor();
    const first = await panel.getAttribute("aria-label");
    await press();
    await page.waitForFunction((old) => document.querySelector(".ge-chart ~ section.panel")?.getAttribute("aria-label") !== old, first, { timeout: 20_000 });
    await page.keyboard.press("Escape");
  },
  "operators: Zoom to the selection": async ({ page, press }) => {
    await page.keyboard.press("0");
    await addressed(page, ({ range }) => range === undefined);
    await page.getByRole("radio", { name: "selects", exact: true }).click();
    const chart = await page.locator('.chart[data-ready="yes"] canvas').first().boundingBox();
    assert.ok(chart);
    // Names stand left of the axis.
    const x = (/** @type {number} */ share) => chart.x + 196 + (chart.width - 196) * share;
    await page.mouse.move(x(0.4), chart.y + 60);
    await page.mouse.down();
    await page.mouse.move(x(0.6), chart.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.getByText(/^Selected: /).waitFor();
    await leaveFields(page);
    await press();
    await addressed(page, ({ range }) => range !== undefined);
    // A tenth wider than what was selected, around its middle.
    const [from = 0, to = 0] = await window_(page);
    await page.keyboard.press("0");
    await addressed(page, ({ range }) => range === undefined);
    await page.keyboard.press("w");
    await addressed(page, ({ range }) => range !== undefined);
    const all = (await window_(page)).reduce((sum, edge) => sum + edge, 0);
    assert.ok(Math.abs(from / all - 0.39) < 0.01 && Math.abs(to / all - 0.61) < 0.01, `${from} to ${to} of ${all}`);
    await page.getByRole("radio", { name: "moves", exact: true }).click();
    await leaveFields(page);
  },
  "ge: Zoom in": movesMap((x0, x1, y0, y1) => [x0 + (x1 - x0) * 0.2, x1 - (x1 - x0) * 0.2, y0 + (y1 - y0) * 0.2, y1 - (y1 - y0) * 0.2]),
  "ge: Zoom out": movesMap((x0, x1, y0, y1) => [x0 - (x1 - x0) / 3, x1 + (x1 - x0) / 3, y0 - (y1 - y0) / 3, y1 + (y1 - y0) / 3]),
  "ge: Pan left": movesMap((x0, x1, y0, y1) => [x0 - (x1 - x0) * 0.2, x1 - (x1 - x0) * 0.2, y0, y1]),
  "ge: Pan right": movesMap((x0, x1, y0, y1) => [x0 + (x1 - x0) * 0.2, x1 + (x1 - x0) * 0.2, y0, y1]),
  "ge: Move up": movesMap((x0, x1, y0, y1) => [x0, x1, y0 + (y1 - y0) * 0.2, y1 + (y1 - y0) * 0.2]),
  "ge: Move down": movesMap((x0, x1, y0, y1) => [x0, x1, y0 - (y1 - y0) * 0.2, y1 - (y1 - y0) * 0.2]),
  "ge: Show everything": async ({ page, press }) => {
    const whole = (await wholeMap(page)).join(" ");
    await onMap(page, "w");
    await press();
    await page.waitForFunction((edges) => document.querySelector(".ge-map canvas")?.getAttribute("data-window")?.split(" ").map(Number).join(" ") === edges, whole, { timeout: 20_000 });
  },
};

/** The commands of a view, as the help has them. @param {Page} page */
async function told(page) {
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await help.locator("table.keys").first().waitFor();
  const rows = await help.locator("table.keys tr").evaluateAll((all) => all.map((row) => ({ name: row.querySelector("td:nth-child(2)")?.textContent ?? "", keys: [...row.querySelectorAll("kbd")].map((key) => key.textContent ?? "") })));
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  return rows;
}

/** Goes to a view by a click. @param {Page} page @param {string} name @returns the view's id */
async function visit(page, name) {
  // A file's first view is shown without standing in the address.
  await page.locator(".view-link", { hasText: name }).click();
  await settled(page);
  const { view = "" } = await params(page);
  await drawn(page, view);
  return view;
}

/** @param {Page} page @param {string} key @param {string} what @param {string} view @param {() => Promise<void>} act */
async function telling(page, view, key, what, act) {
  const began = Date.now();
  await leaveFields(page);
  try {
    await act();
  } catch (error) {
    throw new Error(`${view}: ${key} (${what}): ${error instanceof Error ? error.message : error}`, { cause: error });
  }
  if (process.env.VERBOSE) console.error(`${view}: ${key} ${what} ${Date.now() - began} ms`);
}

/**
 * Presses every key that the help tells of in every view that the file has; what leads to other views comes last.
 * @param {Page} page
 */
async function all(page) {
  const names = await page.locator(".view-link span").allInnerTexts();
  /** The keys from view to view that each view tells of. @type {Map<string, Map<string, string>>} */
  const ways = new Map();
  const seen = [];
  let pressed = 0;
  for (const name of names) {
    const view = await visit(page, name);
    seen.push(view);
    end = 0;
    await leaveFields(page);
    const rows = await told(page);
    assert.ok(rows.length > 4, `${rows.length} commands`);
    const to = new Map();
    ways.set(name, to);
    for (const row of rows) {
      assert.ok(row.keys.length > 0, `${view}: ${row.name} has no key`);
      const other = /^Go to (.+)$/.exec(row.name)?.[1];
      for (const shown of row.keys) {
        if (other !== undefined) {
          to.set(shown, other);
          continue;
        }
        const key = KEYS[shown] ?? shown.toLowerCase();
        const expected = EXPECTED[`${view}: ${row.name}`] ?? EXPECTED[row.name];
        await telling(page, view, shown, row.name, async () => {
          assert.ok(expected, "is not known to this test: say what is to be seen of it");
          await expected({ page, view, key, press: () => page.keyboard.press(key) });
        });
        pressed++;
      }
    }
    await set(page, { sel: "", at: "", range: "" });
  }
  // From every view to every other: there and back, so that each press is one that was to be tried.
  const go = async (/** @type {string} */ from, /** @type {string} */ to) => {
    const key = [...(ways.get(from) ?? [])].find(([, name]) => name === to)?.[0];
    if (key === undefined) return visit(page, to);
    await telling(page, from, key, `Go to ${to}`, async () => {
      await page.keyboard.press(key);
      await page.locator(".view-link[aria-current=page]").filter({ hasText: to }).waitFor({ timeout: 20_000 });
    });
    ways.get(from)?.delete(key);
  };
  for (const [i, name] of names.entries()) {
    await visit(page, name);
    await go(name, name);
    for (const other of names.slice(i + 1)) {
      if (![...(ways.get(name) ?? [])].some(([, to]) => to === other) && ![...(ways.get(other) ?? [])].some(([, to]) => to === name)) continue;
      await go(name, other);
      await go(other, name);
      pressed += 2;
    }
  }
  for (const [name, left] of ways) assert.deepEqual([...left], [], `${name} tells of ways that lead nowhere`);
  return { seen, pressed };
}

test("every key that the help tells of does what it says, in every view of a snapshot", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await drop(page, [1600, 2400].map((events) => ({ name: `run_of_${events}.json`, text: manyEvents(events) })));
  await page.locator(".file.ready").nth(1).waitFor();
  await page.waitForFunction(() => location.hash.includes("file="));
  const { seen, pressed } = await all(page);
  for (const view of [...VIEWS, "compare"]) assert.ok(seen.includes(view), view);
  assert.ok(pressed > 150, `${pressed} keys`);
  assert.deepEqual(complaints, []);
  await close();
});

test("every key does what it says in the views of a profiler's run", async () => {
  const { page, complaints, close } = await open(browser, singleFile);
  await dropPaths(page, ["dist/samples/profiler"]);
  await page.locator(".file.ready").nth(2).waitFor();
  await page.waitForFunction(() => location.hash.includes("file="));
  const { seen, pressed } = await all(page);
  assert.ok(seen.includes("operators") && seen.includes("ranks"), `${seen}`);
  assert.ok(pressed > 20, `${pressed} keys`);
  assert.deepEqual(complaints, []);
  await close();
});

test("every key does what it says in the views of a GE log", async () => {
  const { page, complaints, close } = await openSample(browser);
  await page.waitForFunction(() => location.hash.includes("file="));
  const { seen, pressed } = await all(page);
  assert.ok(seen.includes("ge"), `${seen}`);
  assert.ok(pressed > 15, `${pressed} keys`);
  assert.deepEqual(complaints, []);
  await close();
});
