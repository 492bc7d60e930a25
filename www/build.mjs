// Builds the page in its two forms from one source:
//   dist/hbmlens.html   one file: style, script, worker and wasm inside; opened by double-click
//   dist/site/          the same split into files, for a web server
// Both load the same way: a classic script, a worker from a Blob, wasm handed to it as bytes.
//
// With --report only the page of reports is built, which needs no wasm and which the terminal program carries.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const DIST = process.env.DIST ?? "dist";
const SAMPLES = "dist/samples";

/** Has the JavaScript side of the module that knows databases in place of the other's: each is made for its own module. */
const knowsDatabases = {
  name: "knows-databases",
  setup(build) {
    build.onResolve({ filter: /\/pkg\/hbmlens\.js$/ }, () => ({ path: resolve("pkg/database/hbmlens.js") }));
  },
};

/** One classic script of an entry point. */
async function bundle(entry, singleFile, plugins = []) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: process.env.PROFILE !== "quick",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    define: { SINGLE_FILE: String(singleFile), "import.meta.url": '""', "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    plugins,
  });
  return result.outputFiles[0].text;
}

/** Style sheets as one; by default all of the page's. */
async function styles(paths) {
  const folder = "www/src/theme";
  const all = async () => (await readdir(folder)).filter((name) => name.endsWith(".css")).sort().map((name) => join(folder, name));
  const source = (await Promise.all((paths ?? (await all())).map((path) => readFile(path, "utf8")))).join("\n");
  const { code } = await (await import("esbuild")).transform(source, { loader: "css", minify: true });
  return code;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = (rules) => `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}">`;
/** An inert block of data: the browser neither parses nor runs it. */
const block = (id, text) => `<script type="text/plain" id="${id}">${text}</script>`;
/** Text within a <script> element ends at "</script", wherever that stands. */
const inScript = (text) => text.replaceAll(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");

const REPORT = "src/export/report/template/report.html";

/** A page of www/, with the head that all of them have. */
async function template(name) {
  const [page, head] = await Promise.all([readFile(`www/${name}`, "utf8"), readFile("www/head.html", "utf8")]);
  return page.replace("    <!--head-->\n", () => head);
}

/** The page of a report with a place for its data. It may connect nowhere; charts set styles on their elements. */
async function report() {
  const [css, code, page] = await Promise.all([
    styles(["www/src/theme/colours.css", "www/src/theme/page.css", "www/src/report/report.css"]),
    bundle("www/src/report/main.tsx", true),
    template("report.html"),
  ]);
  const script = inScript(code);
  const rules = ["default-src 'none'", "connect-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(css)}`, "style-src-attr 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'"];
  return fillIn(page, { csp: policy(rules), style: `<style>${css}</style>`, script: `<script>${script}</script>` });
}

function fillIn(template, parts) {
  let html = template;
  for (const [name, text] of Object.entries(parts)) html = html.replace(`<!--${name}-->`, () => text);
  return html;
}

const reportPage = await report();
await mkdir("src/export/report/template", { recursive: true });
if (!existsSync(REPORT) || (await readFile(REPORT, "utf8")) !== reportPage) await writeFile(REPORT, reportPage);
if (process.argv.includes("--report")) {
  console.log(`${REPORT}: ${(reportPage.length / 1024).toFixed(0)} KiB`);
  process.exit(0);
}
const packedReport = gzipSync(reportPage, { level: 9 });

const [page, css, wasm, worker, ...others] = await Promise.all([
  template("index.html"),
  styles(),
  readFile("pkg/hbmlens_bg.wasm"),
  bundle("www/src/core/worker.ts", true),
  readFile("pkg/database/hbmlens_bg.wasm"),
  bundle("www/src/core/worker.ts", true, [knowsDatabases]),
  readFile("node_modules/sql.js/dist/sql-wasm-browser.wasm"),
  bundle("www/src/sql/worker.ts", true),
]);
const packed = gzipSync(wasm, { level: 9 });
// What few pages come to need, unpacked when it is first wanted: the module that knows databases, and SQLite for the query view.
const packedOthers = ["database-wasm", "database-worker", "sql-wasm", "sql-worker"].map((name, i) => [name, gzipSync(others[i], { level: 9 })]);
/** A sample of one file as it is; a folder as one text of JSON, path by path. */
async function sampleBytes(entry) {
  const path = join(SAMPLES, entry.name);
  if (!entry.isDirectory()) return readFile(path);
  const inner = (await readdir(path, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const texts = await Promise.all(inner.map(async (each) => [relative(path, join(each.parentPath, each.name)), await readFile(join(each.parentPath, each.name), "utf8")]));
  return Buffer.from(JSON.stringify(Object.fromEntries(texts.sort())));
}
const samples = existsSync(SAMPLES) ? (await readdir(SAMPLES, { withFileTypes: true })).filter(({ name }) => !name.endsWith(".json")) : [];
const sampleData = await Promise.all(samples.map(async (entry) => [entry.name, gzipSync(await sampleBytes(entry), { level: 9 })]));

const fill = (parts) => fillIn(page, parts);

async function singleFile() {
  const script = inScript(await bundle("www/src/main.tsx", true));
  const rules = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(css)}`,
    "worker-src blob:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const html = fill({
    csp: policy(rules),
    style: `<style>${css}</style>`,
    blocks: [
      block("worker", inScript(worker)),
      block("wasm", packed.toString("base64")),
      block("report", packedReport.toString("base64")),
      ...packedOthers.map(([id, bytes]) => block(id, bytes.toString("base64"))),
      ...sampleData.map(([name, bytes]) => block(`sample:${name}`, bytes.toString("base64"))),
    ].join("\n"),
    script: `<script>${script}</script>`,
  });
  await writeFile(join(DIST, "hbmlens.html"), html);
  return html;
}

async function site() {
  const folder = join(DIST, "site");
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "samples"), { recursive: true });
  const script = await bundle("www/src/main.tsx", false);
  const rules = [
    "default-src 'none'",
    "connect-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "worker-src blob:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const html = fill({ csp: policy(rules), style: '<link rel="stylesheet" href="style.css">', blocks: "", script: '<script src="script.js"></script>' });
  await Promise.all([
    writeFile(join(folder, "index.html"), html),
    writeFile(join(folder, "style.css"), css),
    writeFile(join(folder, "script.js"), script),
    writeFile(join(folder, "worker.js"), worker),
    writeFile(join(folder, "wasm.gz"), packed),
    writeFile(join(folder, "report.gz"), packedReport),
    ...packedOthers.map(([id, bytes]) => writeFile(join(folder, `${id}.gz`), bytes)),
    ...sampleData.map(([name, bytes]) => writeFile(join(folder, "samples", `${name}.gz`), bytes)),
  ]);
}

await mkdir(DIST, { recursive: true });
const [html] = await Promise.all([singleFile(), site()]);
const kib = (n) => `${(n / 1024).toFixed(0)} KiB`;
const parts = [["wasm", packed], ...packedOthers, ["the page of reports", packedReport]].map(([name, bytes]) => `${name} ${kib(bytes.length)}`);
console.log(`dist/hbmlens.html: ${kib(gzipSync(html).length)} gzipped; of it ${parts.join(", ")}`);
