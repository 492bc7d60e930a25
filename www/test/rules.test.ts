import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ruleText } from "../src/i18n/rules";

const FOLDER = "src/analysis/attribution";
/** Where the core names what gave a category. */
const places = [/\bname: "(\w+)"/g, /=> "(\w+)"\.to_owned\(\)/g, /\.lifetime\("(\w+)"/g, /\("(\w+)", "evidence\./g, /"(\w+)",\s*"evidence\./g];

test("every rule that gives a category is told in words in both languages", () => {
  const found = new Set<string>();
  for (const name of readdirSync(FOLDER).filter((each) => each.endsWith(".rs"))) {
    const source = readFileSync(`${FOLDER}/${name}`, "utf8").split("#[cfg(test)]\nmod")[0] ?? "";
    // Fields and categories have names, too.
    if (name === "user_rules.rs" || name === "category.rs") continue;
    for (const place of places) for (const [, id = ""] of source.matchAll(place)) found.add(id);
  }
  assert.ok(found.size > 25, "the rules were not searched");
  for (const id of ["optimizer_code", "no_frames", "accumulate_grad", "autograd_engine", "ends_within_step", "freed_same_site"]) assert.ok(found.has(id), id);
  for (const id of found) for (const language of ["en", "zh"] as const) assert.ok(ruleText(id, language), `${id} in ${language}`);
  for (const id of found) assert.match(ruleText(id, "zh") ?? "", /[\u4e00-\u9fff]/, id);
});
