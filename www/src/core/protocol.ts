// What the page and a worker say to each other. The requests and replies themselves are generated from
// the Rust types (pkg/hbmlens.d.ts), so there is one definition of each.

import type { OpenOptions, Reply as CoreReply, Request as CoreRequest, Summary, WireError } from "../../../pkg/hbmlens.js";
import type { CompareReply, CompareRequest } from "./compare";
import type { ExportReply, ExportRequest } from "./export";
import type { GeReply, GeRequest } from "./ge";
import type { OpsReply, OpsRequest } from "./ops";
import type { ReportReply, ReportRequest } from "./report";

export type * from "../../../pkg/hbmlens.js";

/** What a worker answers: the core's questions, and those about profiler folders, GE logs, comparisons, reports and exports that it shapes itself. */
export type Request = CoreRequest | OpsRequest | GeRequest | CompareRequest | ReportRequest | ExportRequest;
export type Reply = CoreReply | OpsReply | GeReply | CompareReply | ReportReply | ExportReply;

/** The reply that belongs to a request: both carry the same `type`. */
export type ReplyTo<R extends Request> = Extract<Reply, { type: R["type"] }>;

/** A file handed to a worker. `path` holds the folders it came with, if any. */
export interface Source {
  name: string;
  path: string;
  blob: Blob;
}

/** How far reading or writing has come; what is being written has no `total`. `memory` is the wasm memory in use. */
export interface Progress {
  /** Bytes. */
  read: number;
  total: number;
  memory: number;
}

export type ToWorker =
  | { kind: "start"; wasm: Uint8Array }
  /** Read a small file and forget it, so that the engine has compiled the hot code before it counts. */
  | { kind: "warm"; blob: Blob }
  /** `rest`: further files of the same log. */
  | { kind: "open"; id: number; source: Source; rest: readonly Source[]; counters: Blob | null; rules: string; options: OpenOptions }
  /** Counters of the process, given after its file. */
  | { kind: "counters"; id: number; doc: number; counters: Blob }
  /** The user's own rules of categories. */
  | { kind: "rules"; id: number; rules: string }
  /** `strip`: the answer names no directories and no users. */
  | { kind: "query"; id: number; doc: number; request: Request; recycle: ArrayBuffer[]; strip: boolean };

export type FromWorker =
  | { kind: "ready" }
  | { kind: "progress"; id: number; progress: Progress }
  | { kind: "opened"; id: number; summary: Summary }
  | { kind: "reply"; id: number; reply: Reply; took: number }
  | { kind: "done"; id: number }
  | { kind: "error"; id: number; error: WireError }
  /** The wasm module trapped: nothing more can be asked of this worker. */
  | { kind: "dead"; id: number; error: WireError };
