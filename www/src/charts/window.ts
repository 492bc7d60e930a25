// The arithmetic of a zoomable window over an axis. Pure, so it is tested without a browser.

export interface Span {
  from: number;
  to: number;
}

/** Keeps a window within the axis: moved rather than cut, never wider than the axis, never narrower than `least`. */
export function clampSpan(span: Span, extent: Span, least: number): Span {
  const whole = Math.max(extent.to - extent.from, least);
  const width = Math.min(Math.max(span.to - span.from, least), whole);
  const centre = (span.from + span.to) / 2;
  const from = Math.min(Math.max(centre - width / 2, extent.from), extent.from + whole - width);
  return { from, to: from + width };
}

/** Zooms by `factor` (below 1 zooms in), keeping the position at `anchor` (0 left, 1 right) in its place. */
export function zoomSpan(span: Span, factor: number, anchor: number, extent: Span, least: number): Span {
  const whole = Math.max(extent.to - extent.from, least);
  const width = Math.min(Math.max((span.to - span.from) * factor, least), whole);
  const fixed = span.from + (span.to - span.from) * anchor;
  const from = fixed - width * anchor;
  return clampSpan({ from, to: from + width }, extent, least);
}

/** Moves by a share of the window's width. */
export function panSpan(span: Span, share: number, extent: Span, least: number): Span {
  const by = (span.to - span.from) * share;
  return clampSpan({ from: span.from + by, to: span.to + by }, extent, least);
}

/** True when the window shows the whole axis. */
export function showsAll(span: Span, extent: Span): boolean {
  const slack = (extent.to - extent.from) * 1e-9;
  return span.from <= extent.from + slack && span.to >= extent.to - slack;
}
