// Where the workers' sources and the wasm bytes come from. In the single file all lie in the page as
// inert <script> blocks, the wasm gzipped in base64; on a hosted site they are files beside it.

/** Replaced by the build: true in dist/hbmlens.html. */
declare const SINGLE_FILE: boolean;

async function gunzip(packed: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function block(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function fetched(name: string): Promise<Blob> {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response.blob();
}

let worker: Promise<string> | undefined;
let wasm: Promise<Uint8Array> | undefined;

/** An address of the worker's script. */
export function workerUrl(): Promise<string> {
  worker ??= (async () => {
    const source = SINGLE_FILE ? new Blob([block("worker")]) : await fetched("worker.js");
    return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  })();
  return worker;
}

/** The wasm module's bytes; a worker is handed a copy. */
export function wasmBytes(): Promise<Uint8Array> {
  wasm ??= (async () => gunzip(SINGLE_FILE ? new Blob([bytesOfBase64(block("wasm").trim())]) : await fetched("wasm.gz")))();
  return wasm;
}

let report: Promise<string> | undefined;

/** The page of a report, with a place for its data. */
export function reportTemplate(): Promise<string> {
  report ??= (async () => new TextDecoder().decode(await gunzip(SINGLE_FILE ? new Blob([bytesOfBase64(block("report").trim())]) : await fetched("report.gz"))))();
  return report;
}

const unpacked = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** What few pages come to need, and what therefore lies packed until it is first wanted. */
function later(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = unpacked.get(name);
  if (known) return known;
  const bytes = (async () => gunzip(SINGLE_FILE ? new Blob([bytesOfBase64(block(name).trim())]) : await fetched(`${name}.gz`)))();
  unpacked.set(name, bytes);
  // A server that did not answer may the next time.
  bytes.catch(() => unpacked.delete(name));
  return bytes;
}

const urls = new Map<string, string>();

async function laterUrl(name: string): Promise<string> {
  const source = await later(name);
  const url = urls.get(name) ?? URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  urls.set(name, url);
  return url;
}

/** The worker and its module that also read and make databases. */
export const databaseWorkerUrl = () => laterUrl("database-worker");
export const databaseWasmBytes = () => later("database-wasm");

/** The worker with SQLite, and its module. */
export const sqlWorkerUrl = () => laterUrl("sql-worker");
export const sqlBytes = () => later("sql-wasm");

const samples = new Map<string, Promise<File | null>>();

/** A bundled sample, or null where this page has none of that name. */
export function sampleFile(name: string): Promise<File | null> {
  let sample = samples.get(name);
  if (!sample) samples.set(name, (sample = unpackSample(name)));
  return sample;
}

async function unpackSample(name: string): Promise<File | null> {
  try {
    const text = SINGLE_FILE ? block(`sample:${name}`).trim() : null;
    if (text === "") return null;
    const bytes = await gunzip(text === null ? await fetched(`samples/${name}.gz`) : new Blob([bytesOfBase64(text)]));
    return new File([bytes as Uint8Array<ArrayBuffer>], name);
  } catch {
    return null;
  }
}
