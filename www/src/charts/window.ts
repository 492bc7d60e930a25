// The arithmetic of a zoomable window over an axis. The pages that the terminal writes zoom alike, so it
// lies with their scripts.

import type { Span as SpanOfScript } from "../../../src/export/ops_page/span";

export { clampSpan, panSpan, showsAll, zoomSpan } from "../../../src/export/ops_page/span";
export type Span = SpanOfScript;
