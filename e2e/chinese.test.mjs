// A page in Chinese is Chinese: in every view, what is not is a name (of the field, of a program, of a file), a unit, a key
// of the keyboard, or a word of the file itself.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, pick, sharedFolder, singleFile } from "./browser.mjs";
import { cases, drawn, ready, sample, show, VIEWS } from "./support.mjs";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const NAMES = new Set(
  `HBM Lens English PyTorch CUDA torch torch_npu npu NPU GPU GE CANN HCCL Profiler ProfilerStep Perfetto SQLite SQL CSV JSON HTML PNG SVG OOM KV Python workspace rank
  requested reserved allocated active inactive segment large small alloc free_requested free_completed segment_alloc segment_free segment_map segment_unmap oom snapshot workspace_snapshot user_defined annotate other
  active_allocated active_pending_free active_awaiting_free
  B KiB MiB GiB TiB ns ms Shift Ctrl Alt Esc Enter Tab Home End forward backward pickle plog imas info gzip zip trace_plot memory_viz speedscope inferno pandas sqlite3 printf address
  const Tensor remember norm softmax function memory trace`.split(/\s+/),
);

/** Figures that the field calls by English names, and what each is called beside it. */
const FIGURES = { reserved: "已预留", active: "活跃", allocated: "已分配", requested: "申请量" };

/** What the page says itself; in its legends classes stand, too, some of which are the file's. @param {import("playwright-core").Page} page */
const words = (page, legends = "") =>
  page.evaluate((legends) => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    // Frames, code, file names and what the file calls things are not the page's own words.
    const quoted = "code, pre, kbd, noscript, script, style, textarea, .mono, .stack, .file, .page-title, .leaf, .query-result, .schema, [aria-label='按模块'] td, [aria-label='按调用位置'] td" + legends;
    /** @type {[string, string][]} */
    const said = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement?.closest(quoted)) said.push([node.parentElement?.tagName ?? "", node.textContent ?? ""]);
    for (const element of document.querySelectorAll("[title], [aria-label], [placeholder]")) {
      const given = [element.getAttribute("aria-label"), element.getAttribute("placeholder"), element.closest(quoted) || element.closest("td") || element.matches("h1, span") ? null : element.getAttribute("title")];
      for (const text of given) if (text) said.push([element.tagName, text]);
    }
    return said;
  }, legends);

test("no view mixes English into its Chinese", async () => {
  const { page, complaints, close } = await open(browser, singleFile, { locale: "zh-CN" });
  /** @type {Set<string>} */
  const mixed = new Set();
  const look = async (/** @type {string} */ where, /** @type {string} */ file) => {
    await page.waitForTimeout(300);
    for (const [element, text] of await words(page))
      for (const [, figure = ""] of text.matchAll(/(?<![\w.])(reserved|active|allocated|requested)(?![\w.])/g))
        if (!text.includes(`${figure}（${FIGURES[/** @type {"active"} */ (figure)]}）`)) mixed.add(`${where}: <${element.toLowerCase()}> ${figure} alone in "${text.trim().slice(0, 80)}"`);
    for (const [element, text] of await words(page, ", .legend")) {
      // Paths, calls and identifiers with a dot, a slash, an underscore or a bracket are quoted, whoever says them.
      const own = text.replaceAll(file, "").replace(/0x[0-9a-f]+/g, " ").replace(/[\w.*/:=|()^$#&-]*[./:=_|*#][\w.*/:=|()^$#&-]*|\w+\(\)/g, " ");
      const strange = [...own.matchAll(/[A-Za-z][A-Za-z0-9_]+/g)].map(([word]) => word).filter((word) => !NAMES.has(word));
      if (strange.length > 0) mixed.add(`${where}: <${element.toLowerCase()}> ${strange.join(" ")} in "${text.trim().slice(0, 80)}"`);
    }
  };
  await look("empty page", "-");
  for (const file of [sample, cases.oom, ...(sharedFolder() === null ? [] : [`${sharedFolder()}/data/snapshots/npu_empty_cache.pkl`])]) {
    const name = file.split("/").at(-1) ?? "";
    await pick(page, [file]);
    const button = page.getByRole("button", { name, exact: true });
    await button.waitFor();
    await button.click();
    await page.waitForFunction((given) => location.hash.includes(`file=${given}`), name);
    await ready(page);
    // What does not depend on the file is looked at once.
    for (const view of VIEWS.filter((each) => file === sample || !["export", "query"].includes(each))) {
      const more = { timeline: "sel=life:60,range:100..200,find:conv", segments: "at=40&sel=life:60", moment: "sel=&at=" }[view] ?? "";
      await show(page, view, more);
      await drawn(page, view);
      if (view === "segments") await page.keyboard.press("ArrowRight");
      await look(`${name} ${view}`, name);
    }
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await look("help", "-");
  assert.deepEqual([...mixed], []);
  assert.deepEqual(complaints, []);
  await close();
});
