// Files for other programs. The core hands them over in pieces, which leave the worker's memory as parts
// of a Blob: a trace of a million events is larger than the snapshot it comes from.

import type { Reply as CoreReply, Request as CoreRequest, Session } from "../../../pkg/hbmlens.js";
import type { Session as DatabaseSession } from "../../../pkg/database/hbmlens.js";
import { deviceOf } from "../device";
import { moduleRows } from "../modules";

export type ExportFormat = "folded" | "trace" | "pickle";

export type ExportRequest =
  | {
      type: "export";
      format: ExportFormat;
      /** A device, or "" for all. */
      device: string;
      /** Numbers of the first event and of the one after the last; null for all. */
      events: readonly [number, number] | null;
    }
  /** What the page shows of these devices, in figures. `strip`: the file's name goes without its directories. */
  | { type: "export"; format: "json"; devices: readonly string[]; strip: boolean }
  /** Everything, from a worker whose module knows databases. `name` is a profiler run's. */
  | { type: "export"; format: "sqlite"; name: string };

export type ExportReply = { type: "export"; blob: Blob };

/** Pieces are made a Blob whenever so many have come: the browser may then put them elsewhere. */
const AT_ONCE = 32;

export function answerExport(session: Session, doc: number, request: ExportRequest, progress: (written: number) => void): ExportReply {
  if (request.format === "json") return { type: "export", blob: new Blob([figures(session, doc, request)]) };
  const parts: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  const gather = () => {
    parts.push(new Blob(pieces));
    pieces = [];
  };
  let written = 0;
  const take = (piece: Uint8Array) => {
    progress((written += piece.length));
    pieces.push(piece as Uint8Array<ArrayBuffer>);
    if (pieces.length >= AT_ONCE) gather();
  };
  // The first page of a database is known last.
  if (request.format === "sqlite") parts.unshift(new Blob([(session as DatabaseSession).database(doc, request.name, take) as Uint8Array<ArrayBuffer>]));
  else session.export(doc, request.format, request.device, request.events?.[0], request.events?.[1], take);
  gather();
  return { type: "export", blob: new Blob(parts) };
}

type ReplyTo<T extends CoreRequest["type"]> = Extract<CoreReply, { type: T }>;

/** The figures of a snapshot, device by device. A deep model's are megabytes, which would hold the page up. */
function figures(session: Session, doc: number, request: Extract<ExportRequest, { format: "json" }>): string {
  const ask = <T extends CoreRequest["type"]>(asked: Extract<CoreRequest, { type: T }>) => session.query(doc, asked) as ReplyTo<T>;
  const { overview } = ask<"overview">({ type: "overview", growth: true });
  if (request.strip) overview.file.name = overview.file.name.split(/[/\\]/).at(-1) ?? "";
  const devices = request.devices.map((name) => {
    const device = deviceOf(name);
    const { composition, modules } = ask<"composition">({ type: "composition", device, state: null });
    const peak = { ...composition, by_module: moduleRows(modules) };
    const { fragment } = ask<"fragment">({ type: "fragment", device, state: null });
    const { growth } = ask<"growth">({ type: "growth", device, limit: null });
    return { device, peak, fragment, leak: growth, oom: ask<"ooms">({ type: "ooms", device, limit: null }).ooms };
  });
  return JSON.stringify({ overview, devices }, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
}
