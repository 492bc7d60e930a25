// Waiting a moment for an answer before showing that there is none yet: what the page does meanwhile takes
// from the core the time that the answer needs.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** So long, in milliseconds, what showed last stays as it is. */
export const PATIENCE = 24;

/** `value`; while `busy`, what it was before, until patience ends. */
export function usePatience<T>(value: T, busy: boolean): T {
  const kept = useRef(value);
  const ended = useRef(false);
  const [, render] = useState(0);
  useLayoutEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => {
      ended.current = true;
      render((n) => n + 1);
    }, PATIENCE);
    return () => clearTimeout(timer);
  }, [busy]);
  if (!busy) ended.current = false;
  if (!busy || ended.current) kept.current = value;
  return kept.current;
}
