// dist/site/ from a server: the sample, #url=, and the handshake with another page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { card, hosted, open } from "./browser.mjs";
import { base64, pickle, snapshot } from "./shapes.mjs";
import { browser, folder } from "./suite.mjs";

/** @type {Awaited<ReturnType<typeof hosted>>} */
let site;

before(async () => {
  cpSync("dist/site", folder, { recursive: true });
  writeFileSync(join(folder, "run.pickle"), pickle(snapshot({ blocks: 5 })));
  writeFileSync(join(folder, "opener.html"), "<!doctype html><title>opener</title>");
  site = await hosted(folder);
});
after(() => site.stop());

test("the sample opens at a click", async () => {
  const { page, requests, complaints, close } = await open(browser, site.url);
  await page.getByRole("button", { name: "Try a sample" }).click();
  await page.locator(".file.ready").waitFor();
  assert.ok((await card(page, "Events")).text !== "0");
  assert.ok(requests.every((url) => url.startsWith(site.url) || url.startsWith("data:") || url.startsWith("blob:")), requests.join(" "));
  assert.deepEqual(complaints, []);
  await close();
});

test("#url= opens a file of the same site and refuses another's", async () => {
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await page.goto(`${site.url}#url=run.pickle`);
  await page.locator(".file.ready").waitFor();
  assert.equal((await card(page, "Allocated")).text, "5.00 MiB");
  // The address opens the same again.
  await page.waitForFunction(() => location.hash.includes("file=run.pickle") && location.hash.includes("url=run.pickle"));
  await page.reload();
  await page.locator(".file.ready").waitFor();
  const other = await context.newPage();
  await other.goto(`${site.url}#url=https://example.com/run.pickle`);
  await other.getByText("must be of the same site").waitFor();
  await context.close();
});

test("a page of another origin hands a buffer over only after the user agrees", async () => {
  const context = await browser.newContext({ locale: "en-US" });
  const opener = await context.newPage();
  // The same server under its other name is another origin.
  await opener.goto(site.url.replace("127.0.0.1", "localhost") + "opener.html").catch(() => opener.goto(site.url + "opener.html"));
  const foreign = (await opener.evaluate(() => location.origin)) !== new URL(site.url).origin;
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    opener.evaluate(
      async ([url, data]) => {
        const other = window.open(url);
        if (!other) throw new Error("no window");
        /** @type {Promise<void>} */
        const pong = new Promise((done) => addEventListener("message", ({ data: words }) => words === "PONG" && done()));
        const timer = setInterval(() => other.postMessage("PING", "*"), 50);
        await pong;
        clearInterval(timer);
        const buffer = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
        other.postMessage({ hbmlens: { buffer, title: "from the notebook" } }, "*");
      },
      [site.url, base64(snapshot({ blocks: 6 }))],
    ),
  ]);
  if (foreign) {
    const ask = page.getByRole("dialog");
    await ask.getByText("from the notebook").waitFor();
    assert.equal(await page.locator(".file").count(), 0);
    await ask.getByRole("button", { name: "Open" }).click();
  }
  await page.locator(".file.ready").waitFor();
  assert.equal((await card(page, "Allocated")).text, "6.00 MiB");
  await context.close();
});
