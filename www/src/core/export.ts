// Files for other programs. The core hands them over in pieces, which leave the worker's memory as parts
// of a Blob: a trace of a million events is larger than the snapshot it comes from.

import type { Session } from "../../../pkg/hbmlens.js";
import type { Session as DatabaseSession } from "../../../pkg/database/hbmlens.js";

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
  /** Everything, from a worker whose module knows databases. `name` is a profiler run's. */
  | { type: "export"; format: "sqlite"; name: string };

export type ExportReply = { type: "export"; blob: Blob };

/** Pieces are made a Blob whenever so many have come: the browser may then put them elsewhere. */
const AT_ONCE = 32;

export function answerExport(session: Session, doc: number, request: ExportRequest, progress: (written: number) => void): ExportReply {
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
