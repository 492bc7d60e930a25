import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import initSqlJs from "sql.js/dist/sql-wasm-browser.js";
import { onlyReads, placeOf, secondOf } from "../src/sql/text";
import { PROFILER, SNAPSHOT } from "../src/sql/examples";

const wasm = readFileSync("node_modules/sql.js/dist/sql-wasm-browser.wasm");
const sql = await initSqlJs({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer });
const database = new sql.Database(new Uint8Array(0));
database.run("CREATE TABLE blocks (id INTEGER PRIMARY KEY, size INTEGER, state TEXT)");

function problemOf(text: string): string | null {
  try {
    database.prepare(text).free();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** The place of the error, as the text from there on. */
function from(text: string): string | null {
  const message = problemOf(text);
  assert.notEqual(message, null, text);
  const at = placeOf(text, message ?? "", problemOf);
  return at === null ? null : text.slice(at);
}

test("the place of an error is the word that SQLite stumbles over", () => {
  assert.equal(from("SELECT * FORM blocks"), "FORM blocks");
  // Of several alike the one that cannot stand there.
  assert.equal(from("SELECT size, size FROM blocks WHERE size size"), "size");
  assert.equal(from("SELECT ')' , (size)) FROM blocks"), ") FROM blocks");
  assert.equal(from("SELECT\n  adress\nFROM blocks"), "adress\nFROM blocks");
  assert.equal(from("SELECT b.adress FROM blocks b"), "b.adress FROM blocks b");
  assert.equal(from("SELECT 1 FROM block"), "block");
  assert.equal(from("SELECT nope(1)"), "nope(1)");
  assert.equal(from("SELECT 'nope', -- nope\n nope FROM blocks"), "nope FROM blocks");
  assert.equal(from("SELECT abs(1, 2, 3)"), "abs(1, 2, 3)");
  assert.equal(from("SELECT 1 FROM blocks WHERE sum(size) > 1"), "sum(size) > 1");
  assert.equal(from("SELECT 1 FROM blocks a, blocks b WHERE size > 1"), "size > 1");
  assert.equal(from("SELECT 'open FROM blocks"), "'open FROM blocks");
  assert.equal(from("SELECT * FROM"), "");
});

test("a question may only read", () => {
  for (const sql of ["SELECT 1", "  -- why\n/* x */ with a as (select 1) select * from a", "VALUES (1)", "explain query plan select 1", "PRAGMA table_info(blocks)", "pragma main.table_info('x');", "PRAGMA page_count ; "]) assert.ok(onlyReads(sql), sql);
  for (const sql of ["PRAGMA query_only = OFF", "pragma query_only(0)", "PRAGMA/**/query_only=0", "PRAGMA main . query_only=0", "ATTACH 'x' AS y", "DELETE FROM blocks", "/*", "SELECTION", "VACUUM INTO 'x'", ""]) assert.ok(!onlyReads(sql), sql);
});

test("a second statement is found behind the first, a comment is none", () => {
  assert.equal(secondOf("SELECT 1; SELECT 2", 9), 10);
  assert.equal(secondOf("SELECT 1; -- SELECT 2\n ; /* x */", 9), null);
  assert.equal(secondOf("SELECT 1", 8), null);
  assert.equal(secondOf("SELECT 1; /* a */ b", 9), 18);
});

test("examples are one statement each", () => {
  for (const [, text] of [...SNAPSHOT, ...PROFILER]) assert.equal(text.split(";").length, 2, text);
});
