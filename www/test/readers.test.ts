import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inChinese, sentences } from "../src/i18n/readers";

const literal = '"((?:[^"\\\\]|\\\\[\\s\\S])*)"';
/** What they call a thing that stands where something else was expected. */
const things = new RegExp(`(?:=>|return|format!\\(|\\{)\\s*${literal}(?:\\.to_owned\\(\\)|,)`, "g");

/** Where the readers say something: of an error, of a warning, and what they put into one. */
const places = [
  `Error::new\\(\\s*(?:ErrorKind::\\w+|damage),\\s*(?:format!\\(\\s*)?${literal}`,
  `warnings\\s*\\.add(?:_many)?\\([^|]*\\|\\|\\s*\\{?\\s*(?:format!\\(\\s*)?${literal}`,
  `\\b(?:damaged|unknown|unreadable|Kind::Other)\\(\\s*${literal}`,
  `malformed\\(\\s*window\\.position\\(\\),\\s*(?:&format!\\(\\s*)?${literal}`,
  `Malformed\\(\\s*(?:format!\\(\\s*)?${literal}`,
  `message(?: =|:) (?:format!\\(\\s*)?${literal}`,
].map((place) => new RegExp(place, "g"));

function saidByReaders(): Set<string> {
  const said = new Set<string>();
  for (const name of readdirSync("src/format", { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".rs"))) {
    const source = readFileSync(`src/format/${name}`, "utf8").split("#[cfg(test)]\nmod")[0] ?? "";
    const describing = source.slice(source.indexOf("fn describe("));
    for (const place of name.endsWith("render.rs") ? [...places, things] : places)
      for (const [, text = ""] of (place === things ? describing : source).matchAll(place)) said.add(text.replace(/\\\n\s*/g, "").replace(/\\"/g, '"').replace(/\{[^}]*\}/g, "{}"));
  }
  // A path and why it cannot be read: no word of its own.
  said.delete("{}: {}");
  return said;
}

test("every sentence of the readers has a Chinese one", () => {
  const said = saidByReaders();
  assert.ok(said.size > 70, "the readers were not searched");
  assert.deepEqual([...said].filter((each) => !(each in sentences)), []);
  assert.deepEqual(Object.keys(sentences).filter((each) => !said.has(each)), []);
});

test("what was found is put into the Chinese sentence", () => {
  assert.equal(inChinese("this looks like a PDF document, which is not read here"), "这看起来是PDF 文档，本工具不读取此类文件");
  assert.equal(inChinese("a list holds 3 where a dict was expected; skipped"), "列表中应为 a dict，实为 3，已跳过");
  assert.equal(inChinese("the file is readable, but holds a list that begins with a number, not a memory snapshot"), "文件可读，但内容是 以 数字 开头的列表，不是内存快照");
  assert.equal(
    inChinese("the pickle ends in the middle: the file was cut, or the job was stopped while it wrote; everything before it was used"),
    "pickle 在中途结束：文件被截断，或作业在写入时被终止；其之前的内容均已使用",
  );
  assert.equal(inChinese("of no reader"), "of no reader");
});
