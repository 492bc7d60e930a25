// The unit tests: bundled by esbuild (they are TypeScript), run by Node's own test runner.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const out = mkdtempSync(join("node_modules", ".unit-"));
const entries = readdirSync("www/test").filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: entries.map((name) => join("www/test", name)),
  outdir: out,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  define: { SINGLE_FILE: "true" },
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--test", ...entries.map((name) => join(out, name.replace(/ts$/, "mjs")))], { stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
process.exit(status ?? 1);
