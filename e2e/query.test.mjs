// The query view: SQL over the tables of a file, errors with their place, cancelling, exports; and databases as inputs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { card, dropPaths, hosted, open, pick, program, sharedFolder, singleFile } from "./browser.mjs";
import { browser, folder } from "./suite.mjs";
import { at, ready, sample, show, terminal } from "./support.mjs";

/** @param {import("playwright-core").Page} page */
const box = (page) => page.getByRole("textbox", { name: /Question in SQL|SQL 查询语句/ });

/**
 * Asks a question and returns the rows on the screen.
 * @param {import("playwright-core").Page} page
 * @param {string} sql
 */
async function ask(page, sql) {
  await box(page).fill(sql);
  await box(page).press("Control+Enter");
  await page.waitForFunction((asked) => /** @type {HTMLElement | null} */ (document.querySelector(".query-result"))?.dataset.sql === asked, sql);
  await page.getByRole("status").filter({ hasText: / rows? in |用时/ }).waitFor();
  return page.locator(".query .virtual-row").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

/** The terminal's answer. @param {string} file @param {string} sql */
const asked = (file, sql) => JSON.parse(execFileSync(program, ["sql", file, sql, "--json"], { encoding: "utf8" }));

/** The first cell of what SQLite itself answers, in Python's own module. @param {string} file @param {string} sql */
const python = (file, sql) => execFileSync("python3", ["-c", "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0], end='')", file, sql], { encoding: "utf8" });

/** @param {import("playwright-core").Page} page */
async function opened(page) {
  await page.getByRole("complementary", { name: /Tables|表/ }).locator("summary", { hasText: "device_overview" }).waitFor();
}

test("questions are answered as the terminal answers them", async () => {
  const { page, requests, complaints, close } = await at(browser, sample, "query");
  await opened(page);
  // The first example stands there already, answered.
  await page.getByRole("status").filter({ hasText: "1 row in" }).waitFor();
  const overview = terminal("overview", sample).devices[0];
  const cells = await page.locator(".query .virtual-row").first().locator("[role=cell]").allTextContents();
  assert.equal(cells[1], overview.reserved.toLocaleString("en-US"));
  assert.equal(cells[2], overview.allocated.toLocaleString("en-US"));

  const sql = "SELECT action, COUNT(*) AS n, SUM(size) AS bytes FROM traces GROUP BY action ORDER BY n DESC, action";
  const rows = await ask(page, sql);
  /** @type {(string | number)[][]} */
  const wanted = asked(sample, sql).rows;
  assert.deepEqual(rows, wanted.map((row) => row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en-US") : cell))));
  assert.ok(rows.length > 2);

  // Every example runs.
  const examples = page.getByLabel("Examples");
  const count = await examples.locator("option").count();
  assert.equal(count, 8);
  for (let i = 1; i < count; i++) {
    await examples.selectOption({ index: i });
    await ask(page, await box(page).inputValue());
    assert.equal(await page.getByRole("alert").count(), 0, await box(page).inputValue());
  }
  // The peak by category adds up to the peak.
  await examples.selectOption({ label: "Bytes by category at the peak" });
  const peak = await ask(page, await box(page).inputValue());
  assert.equal(
    peak.reduce((sum, row) => sum + Number(row[2]?.replaceAll(",", "")), 0),
    overview.peak_requested,
  );
  assert.deepEqual(complaints, []);
  assert.ok(requests.every((url) => /^(file|blob|data):/.test(url)), requests.join(" "));
  await close();
});

test("an error is shown with its place, and writing is refused", async () => {
  const { page, close } = await at(browser, sample, "query");
  await opened(page);
  await box(page).fill("SELECT *\nFORM blocks");
  await box(page).press("Control+Enter");
  await page.getByRole("alert").waitFor();
  const told = await page.getByRole("alert").innerText();
  assert.match(told, /near "FORM": syntax error/);
  assert.match(told, /Line 2, column 1/);
  assert.match(await page.getByRole("alert").locator("pre").innerText(), /^FORM blocks\n\^/);
  /** @type {[string, RegExp][]} */
  const refused = [
    ["DELETE FROM blocks", /Only reading is possible/],
    ["WITH a AS (SELECT 1) DELETE FROM blocks", /nothing in it that asks for rows/],
    ["DELETE FROM blocks RETURNING id", /Only reading is possible/],
    ["WITH a AS (SELECT 1) DELETE FROM blocks RETURNING id", /readonly database/],
    ["PRAGMA query_only = OFF", /Only reading is possible/],
    ["SELECT 1;\nDELETE FROM blocks", /a second one begins[^]*Line 2, column 1/],
    ["-- nothing", /nothing in it that asks for rows/],
    ["SELECT adress FROM blocks", /no such column: adress[^]*Line 1, column 8/],
  ];
  for (const [sql, why] of refused) {
    await box(page).fill(sql);
    await box(page).press("Control+Enter");
    await page.getByRole("alert").filter({ hasText: why }).waitFor();
    assert.equal(await page.locator(".query-result").count(), 0, "rows of another question");
  }
  assert.deepEqual(await ask(page, "SELECT COUNT(*) > 0 AS there FROM blocks"), [["1"]]);
  await close();
});

test("a long question is cancelled, and the next one answered", async () => {
  const { page, close } = await at(browser, sample, "query");
  await opened(page);
  await box(page).fill("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n");
  await box(page).press("Control+Enter");
  const cancel = page.getByRole("button", { name: "Cancel", exact: true });
  await cancel.click();
  await page.getByText("Cancelled.").waitFor({ timeout: 2000 });
  assert.deepEqual(await ask(page, "SELECT 1 + 1 AS two"), [["2"]]);
  // Two in a row, and one while its rows are being saved.
  await box(page).fill("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  await box(page).press("Control+Enter");
  await page.getByText(/The first 10,000 rows are shown/).waitFor();
  await page.getByRole("button", { name: "Save all rows as CSV" }).click();
  await cancel.click();
  await page.getByText("Cancelled.").waitFor({ timeout: 2000 });
  assert.deepEqual(await ask(page, "SELECT 2 + 1 AS three"), [["3"]]);
  await close();
});

test("ten thousand rows are shown and all are saved; the database is the terminal's", async () => {
  const { page, close } = await at(browser, sample, "query");
  await opened(page);
  await ask(page, "SELECT t.id, u.id AS other, 'a,b' AS text FROM traces t, (SELECT id FROM traces LIMIT 12) u LIMIT 12000");
  await page.getByText("The first 10,000 rows are shown; the CSV has all.").waitFor();
  const csv = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save all rows as CSV" }).click();
  const path = join(folder, "rows.csv");
  await (await csv).saveAs(path);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  assert.equal(lines.length, 12_001);
  assert.deepEqual(lines.slice(0, 2), ["id,other,text", '1,1,"a,b"']);

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SQLite" }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), "snapshot.db");
  const ours = join(folder, "page.db");
  await download.saveAs(ours);
  const theirs = join(folder, "terminal.db");
  execFileSync(program, ["convert", sample, "-o", theirs]);
  const everything = "SELECT (SELECT group_concat(sql) FROM sqlite_master) AS schema, (SELECT SUM(size) FROM lives) AS bytes, (SELECT COUNT(*) FROM traces) AS n";
  assert.deepEqual(asked(ours, everything).rows, asked(theirs, everything).rows);
  assert.deepEqual(asked(ours, "PRAGMA integrity_check").rows, [["ok"]]);
  // But for the file's name they are the same to the byte.
  const named = join(folder, "snapshot.pickle");
  copyFileSync(sample, named);
  execFileSync(resolve(program), ["convert", "snapshot.pickle", "-o", theirs], { cwd: folder });
  assert.ok(readFileSync(ours).equals(readFileSync(theirs)));
  assert.equal(python(ours, "PRAGMA integrity_check"), "ok");
  await close();
});

test("a database dropped on the page is its snapshot, and stands beside it as ref", async () => {
  const database = join(folder, "snapshot-copy.db");
  execFileSync(program, ["convert", sample, "-o", database]);
  const { page, complaints, close } = await open(browser, singleFile);
  await pick(page, [database, sample]);
  await ready(page);
  const overview = terminal("overview", sample).devices[0];
  assert.equal((await card(page, "Allocated")).exact?.replace(/\D/g, ""), String(overview.allocated));
  await show(page, "query");
  await opened(page);
  await page.getByLabel("Second file, as ref").selectOption({ index: 1 });
  await page.locator(".query-schema summary", { hasText: "ref.traces" }).waitFor();
  assert.deepEqual(await ask(page, "SELECT (SELECT COUNT(*) FROM traces) = (SELECT COUNT(*) FROM ref.traces) AS same"), [["1"]]);
  assert.deepEqual(complaints, []);
  await close();
});

test("a database in an archive, or of another name, opens all the same", async () => {
  const database = join(folder, "inner.db");
  execFileSync(program, ["convert", sample, "-o", database]);
  const named = (/** @type {string} */ name) => join(folder, name);
  copyFileSync(database, named("tables.bin"));
  writeFileSync(named("packed.gz"), gzipSync(readFileSync(database)));
  execFileSync("python3", ["-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED).write(sys.argv[2], 'inner.db')", named("packed.zip"), database]);
  const { allocated } = terminal("overview", sample).devices[0];
  for (const name of ["tables.bin", "packed.gz", "packed.zip"]) {
    const { page, complaints, close } = await open(browser, singleFile);
    await pick(page, [named(name)]);
    await ready(page);
    assert.equal((await card(page, "Allocated")).exact, `${allocated.toLocaleString("en-US")} B`, name);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("in a profiler's folder without operator_memory.csv the database is read", async (t) => {
  const shared = sharedFolder();
  if (shared === null) return t.skip("no real files here");
  const run = "host_1_20260101000000000_ascend_pt";
  const inside = join(folder, "job", run);
  mkdirSync(join(inside, "ASCEND_PROFILER_OUTPUT"), { recursive: true });
  writeFileSync(join(inside, "profiler_info_3.json"), "{}");
  copyFileSync(join(shared, "data/other/ascend_pytorch_profiler_0.db"), join(inside, "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_3.db"));
  const { page, complaints, close } = await open(browser, singleFile);
  await dropPaths(page, [join(folder, "job")]);
  await ready(page);
  const [rank] = JSON.parse(execFileSync(program, ["ops", inside, "--json"], { encoding: "utf8" })).ranks;
  await page.locator(`.figure[title="${rank.peak_bytes.toLocaleString("en-US")} B"]`).first().waitFor();
  await show(page, "query");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SQLite" }).click({ timeout: 30_000 });
  const download = await saved;
  assert.equal(download.suggestedFilename(), `${run}.db`);
  execFileSync(resolve(program), ["convert", join("job", run), "-o", "run.db"], { cwd: folder });
  assert.ok(readFileSync(await download.path()).equals(readFileSync(join(folder, "run.db"))));
  assert.deepEqual(complaints, []);
  await close();
});

test("a database of the Ascend profiler opens as its folder does", async (t) => {
  const shared = sharedFolder();
  if (shared === null) return t.skip("no real files here");
  const { page, complaints, close } = await open(browser, singleFile);
  await pick(page, [join(shared, "data/other/ascend_pytorch_profiler_0.db")]);
  await ready(page);
  const report = JSON.parse(execFileSync(program, ["ops", join(shared, "data/other/ascend_pytorch_profiler_0.db"), "--json"], { encoding: "utf8" }));
  const rank = report.ranks[0];
  await page.locator(`.figure[title="${rank.peak_bytes.toLocaleString("en-US")} B"]`).first().waitFor();
  await show(page, "query");
  await opened(page);
  assert.deepEqual(await ask(page, "SELECT COUNT(*) AS n FROM operator_memory"), [[String(report.ranks[0].rows_total)]]);
  assert.deepEqual(complaints, []);
  await close();
});

test("a click on a row shows it in full, and one on a column writes its name", async () => {
  const { page, close } = await at(browser, sample, "query");
  await opened(page);
  await ask(page, "SELECT frames_json, NULL AS absent, -9223372036854775807 AS far FROM call_stacks ORDER BY length(frames_json) DESC LIMIT 3");
  const [longest] = asked(sample, "SELECT frames_json FROM call_stacks ORDER BY length(frames_json) DESC LIMIT 1").rows;
  await page.locator(".query .virtual-row").first().click();
  const cells = await page.locator(".query-row dd").allTextContents();
  assert.deepEqual(cells, [longest[0], "NULL", "-9223372036854775807"]);
  await box(page).fill("SELECT ");
  await page.locator(".query-schema summary", { hasText: "top_allocations" }).click();
  await page.locator(".query-schema details[open]").getByTitle("Insert bytes").click();
  assert.equal(await box(page).inputValue(), "SELECT bytes");
  await close();
});

test("with paths stripped neither rows nor the database name a directory", async () => {
  const { page, close } = await at(browser, sample, "query");
  await opened(page);
  const sql = "SELECT filename FROM frames WHERE filename LIKE '%/%'";
  assert.ok((await ask(page, sql)).length > 0, "the file has directories");
  await page.getByLabel("Strip paths").check();
  await page.waitForTimeout(250);
  assert.deepEqual(await ask(page, sql), []);
  await page.getByLabel("Strip paths").uncheck();
  await close();
});

test("in Chinese, and from a server", async () => {
  const site = await hosted();
  const { page, complaints, close } = await open(browser, site.url, { locale: "zh-CN" });
  await pick(page, [sample]);
  await ready(page);
  await show(page, "query");
  await opened(page);
  assert.deepEqual(await ask(page, "SELECT title_zh FROM categories WHERE name = 'workspace'"), [[asked(sample, "SELECT title_zh FROM categories WHERE name = 'workspace'").rows[0][0]]]);
  await page.getByRole("button", { name: "运行" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
  site.stop();
});
