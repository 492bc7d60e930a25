// What the views draw and tell, beside a program of another language that reads the same file.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { sharedFolder } from "./browser.mjs";
import { at } from "./support.mjs";

const shared = sharedFolder();
/** Real files, where they are at hand. @param {string[]} names */
export const real = (...names) => (shared === null ? [] : names.map((name) => join(shared, "data/snapshots", name)));

/**
 * What a generator of real-sized traces makes, where it is at hand.
 * @param {string} folder
 * @param {string} name
 * @param {string[]} options
 */
export function made(folder, name, ...options) {
  if (shared === null) return [];
  const file = join(folder, name);
  execFileSync("python3", [join(shared, "tools/make_snapshot.py"), file, ...options], { stdio: "ignore" });
  return [file];
}

export const nameOf = (/** @type {string} */ file) => file.split("/").at(-1);
export const number = (/** @type {string | null | undefined} */ text) => Number((text ?? "").replace(/[^\d-]/g, ""));

/**
 * The answers of the other program.
 * @param {string} file
 * @param {Record<string, unknown>[]} questions
 * @returns {any[]}
 */
export function worked(file, questions) {
  return JSON.parse(execFileSync("python3", ["tests/reference/views.py", file], { input: JSON.stringify(questions), encoding: "utf8", maxBuffer: 1 << 29 }));
}

/** Remembers the newest answer of each kind that the core gives, and the boxes and words that each canvas was last drawn with. */
function remember() {
  const page = /** @type {any} */ (window);
  page.answers = {};
  page.Worker = class extends Worker {
    /** @param {string | URL} url */
    constructor(url) {
      super(url);
      const asked = new Map();
      const send = this.postMessage.bind(this);
      this.postMessage = (/** @type {any} */ message, /** @type {any} */ ...rest) => {
        if (message.kind === "query") asked.set(message.id, message.request);
        send(message, ...rest);
      };
      this.addEventListener("message", ({ data }) => {
        const request = asked.get(data.id);
        if (request) page.answers[request.type] = { request, data };
      });
    }
  };
  const { clearRect, fillRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) {
    Object.assign(this.canvas, { boxes: [], words: [] });
    clearRect.apply(this, given);
  };
  CanvasRenderingContext2D.prototype.fillRect = function (...given) {
    (/** @type {any} */ (this.canvas).boxes ??= []).push(given);
    fillRect.apply(this, given);
  };
  CanvasRenderingContext2D.prototype.fillText = function (...given) {
    (/** @type {any} */ (this.canvas).words ??= []).push(given);
    fillText.apply(this, given);
  };
}

/**
 * The page with a file opened at a view, that remembers.
 * @param {import("playwright-core").Browser} browser
 * @param {string} file
 * @param {string} view
 */
export function opened(browser, file, view, more = "", options = {}) {
  const watched = {
    newContext: async (/** @type {any} */ given) => {
      const context = await browser.newContext(given);
      await context.addInitScript(remember);
      return context;
    },
  };
  return at(/** @type {any} */ (watched), file, view, more, options);
}
