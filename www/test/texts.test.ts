import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";

/** Every text by its path. */
function flat(value: unknown, path = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, path === "" ? key : `${path}.${key}`));
}

test("both languages have every text, none empty", () => {
  const [a, b] = [new Map(flat(en)), new Map(flat(zh))];
  assert.deepEqual([...a.keys()].sort(), [...b.keys()].sort());
  for (const [path, text] of [...a, ...b]) assert.ok(typeof text === "function" || (typeof text === "string" && text !== ""), path);
});

test("the Chinese texts are Chinese", () => {
  const same = flat(zh).filter(([, text]) => typeof text === "string" && text.length > 30 && !/[\u4e00-\u9fff]/.test(text));
  assert.deepEqual(same, []);
});
