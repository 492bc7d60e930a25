// The arithmetic of a zoomable window over an axis. The pages that the terminal writes zoom alike, so it
// lies with their scripts.

import type { Span as SpanOfScript } from "../../../src/export/ops_page/span";

export { clampSpan, panSpan, showsAll, zoomSpan } from "../../../src/export/ops_page/span";
export type Span = SpanOfScript;

/** The states around a life: a little of what was before and after it. */
export function aroundLife(birth: number, death: number): readonly [number, number] {
  const margin = Math.max(1, Math.ceil((death - birth) / 8));
  return [Math.max(0, birth - margin), death + margin + 1];
}
