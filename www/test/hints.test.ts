import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { hints } from "../src/i18n/hints";

/** The text of a Rust literal, its continued lines joined. */
const literal = (text: string) => text.replace(/\\\n\s*/g, "").replace(/\\"/g, '"');

test("every hint of the readers has a Chinese sentence", () => {
  const names = readdirSync("src/format", { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".rs"));
  const sources = names.map((name) => readFileSync(`src/format/${name}`, "utf8"));
  const constants = new Map(sources.flatMap((source) => [...source.matchAll(/const (\w+): &str =\s*"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, id, text]) => [id, text])));
  const found = sources.flatMap((source) =>
    [...source.matchAll(/\.hint\(\s*(?:"((?:[^"\\]|\\[\s\S])*)"|(?:\w+::)*(\w+))/g)]
      .map(([, text, id]) => text ?? constants.get(id))
      .filter((text) => text !== undefined)
      .map(literal),
  );
  assert.ok(found.length > 10, "the readers were not searched");
  assert.deepEqual(found.filter((each) => !(each in hints)), []);
  assert.deepEqual(Object.keys(hints).filter((each) => !found.includes(each)), []);
});
