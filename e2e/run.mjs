// The end-to-end tests, by Node's own test runner, one file after the other: they share two cores.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const named = process.argv.slice(2);
const files = readdirSync("e2e")
  .filter((name) => name.endsWith(".test.mjs") && (named.length === 0 || named.some((part) => name.includes(part))))
  .map((name) => join("e2e", name));
const { status } = spawnSync(process.execPath, ["--test", "--test-concurrency=1", "--test-timeout=300000", ...files], { stdio: "inherit" });
process.exit(status ?? 1);
