// Asks for the comparison of two sides, each in the worker of its own file.

import { useEffect, useState } from "preact/hooks";
import { CoreError } from "../core/client";
import type { WireError } from "../core/protocol";
import type { Doc } from "../core/use-query";
import { revisionOf, sideOf } from "./sides";
import type { Axis, Choice } from "./sides";
import type { Comparison } from "./types";

/** The comparison of two sides; the one before stays until the next is there. */
export function useComparison(at: Doc, a: Choice, b: Choice, axis: Axis, ignoreLines: boolean) {
  const [found, setFound] = useState<Comparison | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [busy, setBusy] = useState(true);
  const asked = JSON.stringify([a, b, axis, ignoreLines, revisionOf(a.file), revisionOf(b.file)]);
  useEffect(() => {
    let wanted = true;
    setBusy(true);
    const compare = async () => {
      const [left, right] = await Promise.all([sideOf(a, axis), sideOf(b, axis)]);
      if (!wanted) return;
      const reply = await at.core.query(at.doc, { type: "compare", a: left, b: right, ignore_lines: ignoreLines }, "compare");
      if (!wanted) return;
      setFound(reply.comparison);
      setError(null);
      setBusy(false);
    };
    compare().catch((problem: unknown) => {
      if (!wanted) return;
      setBusy(false);
      setError(problem instanceof CoreError ? problem.wire : { kind: "request", message: String(problem), position: null, hint: null, estimate: null });
    });
    return () => {
      wanted = false;
    };
  }, [at.core, at.doc, asked]);
  return { found, error, busy };
}
