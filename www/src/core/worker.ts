// The worker: one wasm module with one session. It is made from a Blob as a classic script, because
// that is the only kind that a page opened from file:// may start.

import { initSync, Session } from "../../../pkg/hbmlens.js";
import { answerCompare } from "./compare";
import type { CompareRequest } from "./compare";
import { answerExport } from "./export";
import { answerGe } from "./ge";
import type { GeRequest } from "./ge";
import { OpsWorker } from "./ops";
import type { OpsRequest } from "./ops";
import { answerReport } from "./report";
import type { FromWorker, Reply, Request, Summary, ToWorker, WireError } from "./protocol";

// The page's own types have no worker scope; this is all that is used of it.
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
const scope = self as unknown as {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};

let session: Session | undefined;
let ops: OpsWorker | undefined;
let memory: WebAssembly.Memory | undefined;
/** The last panic's words: the trap that follows one carries none. */
let lastWords = "";

const consoleError = console.error.bind(console);
console.error = (...args: unknown[]) => {
  lastWords = args.map(String).join(" ");
  consoleError(...args);
};

scope.onmessage = ({ data }) => {
  if (data.kind === "start") {
    memory = initSync({ module: data.wasm as Uint8Array<ArrayBuffer> }).memory;
    session = new Session();
    ops = new OpsWorker(session);
    scope.postMessage({ kind: "ready" });
    return;
  }
  if (data.kind === "warm") {
    warmUp(data.blob);
    return;
  }
  try {
    if (session === undefined || ops === undefined) throw new Error("the worker was asked before it was started");
    if (data.kind === "open") {
      const { id, source, rest } = data;
      const all = [source, ...rest];
      const total = all.reduce((sum, each) => sum + each.blob.size, 0);
      const progress = teller(id, total);
      const paths = all.map((each) => each.path);
      const blobs = all.map((each) => each.blob);
      const summary = rest.length === 0 ? session.open(source.blob, source.path, data.options, progress) : session.open_logs(blobs, paths, data.options, progress);
      if (data.counters) addCounters(session, summary, data.counters);
      if (data.rules !== "") addRules(session, summary, data.rules);
      scope.postMessage({ kind: "opened", id, summary: finished(summary, session) });
    } else if (data.kind === "counters") {
      session.set_counters(data.doc, contentOf(data.counters));
      scope.postMessage({ kind: "done", id: data.id });
    } else if (data.kind === "rules") {
      session.set_rules(data.rules, engine);
      scope.postMessage({ kind: "done", id: data.id });
    } else {
      const begin = performance.now();
      const { request } = data;
      let reply: Reply;
      try {
        if (data.strip) session.strip_paths(data.doc, true);
        reply = finished(answer(session, ops, data.doc, request, data.recycle[0], teller(data.id, 0)), session);
      } finally {
        // After a trap there is no session to ask; the page has been told.
        if (data.strip) session.strip_paths(data.doc, false);
      }
      scope.postMessage({ kind: "reply", id: data.id, reply, took: performance.now() - begin }, buffersOf(reply));
    }
  } catch (thrown) {
    const id = data.id;
    if (isWireError(thrown)) scope.postMessage({ kind: "error", id, error: thrown });
    else scope.postMessage({ kind: "dead", id, error: trap(thrown) });
  }
};

/** Tells the page how far it has come, but not at every step. */
function teller(id: number, total: number): (read: number) => void {
  let told = 0;
  return (read) => {
    const now = performance.now();
    if (now - told < 40 && (read < total || total === 0)) return;
    told = now;
    scope.postMessage({ kind: "progress", id, progress: { read, total, memory: memoryBytes() } });
  };
}

function answer(of: Session, ops: OpsWorker, doc: number, request: Request, buffer: ArrayBuffer | undefined, progress: (written: number) => void): Reply {
  if (isOps(request)) return ops.answer(request);
  if (isGe(request)) return answerGe(of, doc, request);
  if (request.type === "report") return answerReport(of, doc, request, () => ops.run(), (value) => finished(value, of));
  if (request.type === "export") return answerExport(of, doc, request, progress);
  if (isCompare(request)) return answerCompare(of, doc, request);
  return of.query(doc, request, buffer);
}

function isCompare(request: Request): request is CompareRequest {
  return request.type.startsWith("compare");
}

function isGe(request: Request): request is GeRequest {
  return request.type.startsWith("ge_");
}

function isOps(request: Request): request is OpsRequest {
  return request.type.startsWith("ops_");
}

/**
 * The engine runs new code slowly and compiles it well only after a while; a call that lasts as long as
 * reading a whole file would stay in the slow code. Measured: a large file reads in two thirds of the time.
 */
function warmUp(blob: Blob): void {
  const small = new Session();
  try {
    const { doc, devices } = small.open(blob, "", { budget: null, native_frames: true, last: null, range: null }, () => undefined);
    for (const { device } of devices) small.query(doc, { type: "curves", device, axis: "event", from: null, to: null, width: 500 });
  } catch (thrown) {
    if (!isWireError(thrown)) throw thrown;
  } finally {
    small.free();
  }
}

function contentOf(blob: Blob): Uint8Array {
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
}

/** A side-car that cannot be read is a warning, not the end of the file it belongs to. */
function addCounters(to: Session, summary: Summary, counters: Blob): void {
  try {
    to.set_counters(summary.doc, contentOf(counters));
  } catch (thrown) {
    if (!isWireError(thrown)) throw thrown;
    summary.warnings.push({ kind: "counters", count: 1, detail: thrown.message, position: thrown.position });
  }
}

/** Neither are rules that an older version of this page took. */
function addRules(to: Session, summary: Summary, rules: string): void {
  try {
    to.set_rules(rules, engine);
  } catch (thrown) {
    if (!isWireError(thrown)) throw thrown;
    summary.warnings.push({ kind: "rules", count: 1, detail: thrown.message, position: thrown.position });
  }
}

/** The browser's own regular expressions; `(?i)` in front, as elsewhere, leaves the case out of it. */
function engine(pattern: string): RegExp {
  return pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "iu") : new RegExp(pattern, "u");
}

function memoryBytes(): number {
  return memory?.buffer.byteLength ?? 0;
}

function isWireError(thrown: unknown): thrown is WireError {
  return typeof thrown === "object" && thrown !== null && "kind" in thrown && "message" in thrown;
}

/** A trap ends the module; what it printed before says more than "unreachable". */
function trap(thrown: unknown): WireError {
  const outOfMemory = memoryBytes() > 3.5 * 2 ** 30 || /memory|allocation|capacity/i.test(lastWords + String(thrown));
  const message = lastWords === "" ? String(thrown) : (lastWords.split("\n")[0] ?? "");
  return { kind: outOfMemory ? "out_of_memory" : "trap", message, position: null, hint: null, estimate: null };
}

/**
 * What the page wants of a reply beyond what the core sends: integers above 2^53 (only hostile files have
 * them) as plain numbers instead of BigInt, and each message as a sentence in both languages, so that
 * switching the language asks nothing again.
 */
function finished<T>(value: T, from: Session): T {
  if (typeof value === "bigint") return Number(value) as T;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const object = value as Record<string, unknown>;
  if (typeof object["key"] === "string" && typeof object["params"] === "object" && object["params"] !== null) {
    object["en"] = from.say(object, "en");
    object["zh"] = from.say(object, "zh");
    return value;
  }
  for (const key in object) {
    const inner = object[key];
    if (typeof inner === "bigint" || (typeof inner === "object" && inner !== null)) object[key] = finished(inner, from);
  }
  return value;
}

/** The buffers of a reply's typed arrays, which move to the page instead of being copied. */
function buffersOf(reply: Reply): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const walk = (value: unknown, depth: number) => {
    if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
    else if (typeof value === "object" && value !== null && depth < 4)
      for (const inner of Object.values(value)) walk(inner, depth + 1);
  };
  walk(reply, 0);
  return [...found];
}
