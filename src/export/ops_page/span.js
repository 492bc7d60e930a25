// The arithmetic of a zoomable window over an axis. Pure, so it is tested without a browser.

/** @typedef {{ from: number, to: number }} Span */

/**
 * Keeps a window within the axis: moved rather than cut, never wider than the axis, never narrower than `least`.
 * @param {Span} span @param {Span} extent @param {number} least @returns {Span}
 */
export function clampSpan(span, extent, least) {
  const whole = Math.max(extent.to - extent.from, least);
  const width = Math.min(Math.max(span.to - span.from, least), whole);
  const centre = (span.from + span.to) / 2;
  const from = Math.min(Math.max(centre - width / 2, extent.from), extent.from + whole - width);
  return { from, to: from + width };
}

/**
 * Zooms by `factor` (below 1 zooms in), keeping the position at `anchor` (0 left, 1 right) in its place.
 * @param {Span} span @param {number} factor @param {number} anchor @param {Span} extent @param {number} least @returns {Span}
 */
export function zoomSpan(span, factor, anchor, extent, least) {
  const whole = Math.max(extent.to - extent.from, least);
  const width = Math.min(Math.max((span.to - span.from) * factor, least), whole);
  const fixed = span.from + (span.to - span.from) * anchor;
  const from = fixed - width * anchor;
  return clampSpan({ from, to: from + width }, extent, least);
}

/**
 * Moves by a share of the window's width.
 * @param {Span} span @param {number} share @param {Span} extent @param {number} least @returns {Span}
 */
export function panSpan(span, share, extent, least) {
  const by = (span.to - span.from) * share;
  return clampSpan({ from: span.from + by, to: span.to + by }, extent, least);
}

/** True when the window shows the whole axis. @param {Span} span @param {Span} extent */
export function showsAll(span, extent) {
  const slack = (extent.to - extent.from) * 1e-9;
  return span.from <= extent.from + slack && span.to >= extent.to - slack;
}

/** A step of binary units for an axis from 0 to `most`, giving about five lines. @param {number} most */
export function byteStep(most) {
  let step = 1;
  while (most / step > 6) step *= 2;
  // Between two powers of two, 1.5 times the lower one is as easy to read.
  return most / (step * 0.75) <= 6 && step >= 1024 ? step * 0.75 : step;
}

/** A round step of nanoseconds that divides a stretch into about `parts`. @param {number} length @param {number} parts */
export function timeStep(length, parts) {
  const rough = Math.max(1, length / parts);
  const unit = 10 ** Math.floor(Math.log10(rough));
  return unit * (rough / unit > 5 ? 10 : rough / unit > 2 ? 5 : rough / unit > 1 ? 2 : 1);
}

/** Space between a line and its label, and between one label and the next. */
const BESIDE = 5;
const APART = 8;

/**
 * Places of the labels of vertical lines, none over another: right of its line, else left of it, else a row
 * lower. A place that hides another line is taken only where no row has a better one.
 * @param {readonly { x: number, width: number }[]} marks @param {number} left @param {number} right
 * @returns {{ x: number, row: number }[]} The left end of each text.
 */
export function placeLabels(marks, left, right) {
  /** @type {{ x: number, row: number }[]} */
  const places = marks.map(() => ({ x: left, row: 0 }));
  /** @type {{ row: number, from: number, to: number }[]} */
  const taken = [];
  const order = marks.map((_, i) => i).sort((a, b) => (marks[a]?.x ?? 0) - (marks[b]?.x ?? 0));
  for (const i of order) {
    const { x = 0, width = 0 } = marks[i] ?? {};
    const last = Math.max(left, right - width);
    const sides = [x + BESIDE, x - BESIDE - width].filter((from) => from >= left && from <= last);
    if (sides.length === 0) sides.push(Math.min(Math.max(left, x + BESIDE), last));
    const free = marks.flatMap((_, row) => sides.map((from) => ({ x: from, row }))).filter((place) => taken.every((other) => other.row !== place.row || place.x >= other.to + APART || place.x + width <= other.from - APART));
    const hides = (/** @type {{ x: number }} */ place) => marks.some((other, j) => j !== i && other.x > place.x - 3 && other.x < place.x + width + 3);
    const place = free.find((each) => !hides(each)) ?? free[0];
    if (!place) continue;
    places[i] = place;
    taken.push({ row: place.row, from: place.x, to: place.x + width });
  }
  return places;
}
