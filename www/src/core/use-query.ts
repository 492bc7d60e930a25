// A hook that asks the core. While an answer is under way the one before stays, marked stale; an
// answer to an older question is dropped, never shown over a newer one.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Core } from "./client";
import { CoreError, Superseded } from "./client";
import type { ReplyTo, Request, WireError } from "./protocol";

export interface Answer<R extends Request> {
  /** The newest answer there is, which may belong to an earlier request. */
  data: ReplyTo<R> | undefined;
  /** The request that `data` answers. */
  answers: R | undefined;
  error: WireError | undefined;
  /** An answer to the present request is under way. */
  busy: boolean;
}

/** Where to ask: the worker and the document within its session. */
export interface Doc {
  core: Core;
  doc: number;
  /** Moves when answers change though the file does not: other rules, counters given later. */
  revision: number;
}

/**
 * The answer to `request`, asked again whenever the request's content changes; `null` asks nothing.
 * `slot` names the caller ("timeline", "overview.curve"): of its unsent requests only the newest is kept.
 * A new value of `again` asks the same once more.
 */
export function useQuery<R extends Request>(at: Doc | null, request: R | null, slot: string, again: unknown = 0): Answer<R> {
  const [answer, setAnswer] = useState<Answer<R>>({ data: undefined, answers: undefined, error: undefined, busy: request !== null });
  const newest = useRef(0);
  const asked = request === null ? "" : JSON.stringify(request);
  const core = at?.core;
  const doc = at?.doc ?? 0;

  // An answer about another file is no stand-in.
  useEffect(() => setAnswer((now) => (now.data === undefined ? now : { data: undefined, answers: undefined, error: undefined, busy: true })), [core, doc]);

  useEffect(() => {
    const mine = ++newest.current;
    if (!core || request === null) {
      setAnswer((now) => ({ ...now, busy: false }));
      return;
    }
    setAnswer((now) => (now.busy ? now : { ...now, busy: true }));
    core.query(doc, request, slot).then(
      (data) => {
        if (newest.current === mine) setAnswer({ data, answers: request, error: undefined, busy: false });
      },
      (error: unknown) => {
        if (newest.current !== mine || error instanceof Superseded) return;
        const wire = error instanceof CoreError ? error.wire : { kind: "trap", message: String(error), position: null, hint: null, estimate: null };
        if (wire.kind !== "cancelled") setAnswer((now) => ({ ...now, error: wire, busy: false }));
      },
    );
    return () => {
      // A component that went away takes no answer.
      if (newest.current === mine) newest.current++;
    };
  }, [core, doc, at?.revision, asked, slot, again]);

  return answer;
}

/** What a key or a click begins: given up without a word where the next one comes before it was answered. */
export function quietly(work: Promise<void>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof Superseded)) throw error;
  });
}
