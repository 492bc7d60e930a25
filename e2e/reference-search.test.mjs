// What a search in the timeline finds, against an independent program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, number, opened, real, worked } from "./reference.mjs";
import { browser } from "./suite.mjs";
import { address, drawn, sample, show } from "./support.mjs";

for (const [file, texts] of /** @type {[string, string[]][]} */ ([[sample, ["adam", "BACKWARD"]], ...real("cuda_training.pickle").map((each) => [each, ["model.py:382", "AccumulateGrad", "softmax"]]), ...real("npu_empty_cache.pkl").map((each) => [each, ["conv.py", "resnet.py:150"]])]))
  test(`${nameOf(file)}: a search finds, counts, sums and walks through what an independent program finds`, async () => {
    const [lives, ...wanted] = worked(file, [{ ask: "events", keep: "e['action'] == 'alloc'" }, ...texts.map((text) => ({ ask: "search", text }))]);
    assert.ok(wanted.every(({ count }) => count > 3));
    const { page, complaints, close } = await opened(browser, file, "timeline");
    await drawn(page, "timeline");
    const status = page.getByRole("status").filter({ hasText: /in all|nothing found/ });
    const walked = async (/** @type {string} */ name) => {
      const before_ = (await address(page)).sel;
      await page.getByRole("button", { name }).click();
      await page.waitForFunction((old) => new URLSearchParams(location.hash.slice(1)).get("sel") !== old, before_);
      return Number((await address(page)).at);
    };
    for (const [i, text] of texts.entries()) {
      await page.getByRole("searchbox").fill(text);
      await page.waitForFunction((typed) => /** @type {any} */ (window).answers.timeline_search?.request.text === typed, text);
      await status.filter({ hasText: `${wanted[i].count.toLocaleString("en-US")} allocation` }).waitFor();
      assert.equal(number(await status.locator(".figure").getAttribute("title")), wanted[i].bytes);
      const { births } = wanted[i];
      for (const step of [0, 1, 2]) assert.equal(await walked("Next match"), births[step], text);
      assert.equal(await walked("Previous match"), births[1]);
      assert.equal(await walked("Previous match"), births[0]);
      assert.equal(await walked("Previous match"), births.at(-1), "round the corner");
      assert.equal(await walked("Next match"), births[0]);
      await show(page, "timeline", "sel=&at=&range=");
    }
    // An address finds what lived there: the one whose turn came most often.
    const turns = new Map();
    for (const [, , at] of lives) turns.set(at, (turns.get(at) ?? 0) + 1);
    const [busy] = [...turns].sort((a, b) => b[1] - a[1])[0] ?? [];
    const [there] = worked(file, [{ ask: "address", address: Number(busy) }]);
    for (const typed of [busy, `b'${busy.slice(2)}_1'`]) {
      await page.getByRole("searchbox").fill(typed);
      await status.filter({ hasText: `${there.count.toLocaleString("en-US")} allocation` }).waitFor();
      assert.equal(number(await status.locator(".figure").getAttribute("title")), there.bytes);
    }
    assert.deepEqual(complaints, []);
    await close();
  });
