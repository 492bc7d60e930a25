// Curves and lanes of a rank on a canvas. Colours are the page's CSS variables, texts come formatted.

import { byteStep, placeLabels, timeStep } from "./span.js";
import { TRACKS } from "./run.js";

/** @typedef {import("./span.js").Span} Span */

/** The height of a lane: its tracks and the space to the next. */
export const LANE = 28;
const TRACK = 6;
const STEPS = 16;
const AXIS = 20;

/**
 * @typedef {object} Line
 * @property {Float64Array} points
 * @property {string} colour A CSS variable's name or a colour.
 * @property {boolean} [fill]
 * @property {boolean} [dashed]
 */

/**
 * @typedef {object} Format
 * @property {(n: number, step: number) => string} bytes
 * @property {(nanos: number, resolution: number) => string} time
 */

/** A colour of the page. @param {string} name */
export function ink(name) {
  return name.startsWith("#") ? name : getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/**
 * Makes a canvas as sharp as the screen and empties it.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 */
export function prepared(canvas, width, height) {
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
  const full = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
  if (canvas.width !== full.width || canvas.height !== full.height) Object.assign(canvas, full);
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  return context;
}

/**
 * Curves over a byte axis, the run's steps above them.
 * @param {HTMLCanvasElement} canvas
 * @param {{ left: number, width: number, height: number, shown: Span, lines: readonly Line[], steps: readonly (readonly [number, number, number])[], selected: Span | null, marks: readonly { at: number, name: string }[] }} what
 * @param {Format} format
 */
export function drawCurves(canvas, what, format) {
  const { left, width, height, shown, lines } = what;
  const context = prepared(canvas, left + width, height);
  if (!context) return;
  const [top, bottom] = [STEPS + 4, height - AXIS];
  let most = 1;
  let least = 0;
  for (const { points } of lines)
    for (let i = 0; i + 1 < points.length; i += 2) {
      // The first point may lie before the window: it is what is in force where the window begins.
      if ((points[i] ?? 0) > shown.to) break;
      most = Math.max(most, points[i + 1] ?? 0);
      least = Math.min(least, points[i + 1] ?? 0);
    }
  const step = byteStep((most - least) * 1.06);
  most = Math.ceil((most * 1.04) / step) * step;
  least = Math.floor(least / step) * step;
  const xOf = (/** @type {number} */ t) => left + ((t - shown.from) / (shown.to - shown.from)) * width;
  const yOf = (/** @type {number} */ value) => bottom - ((value - least) / (most - least)) * (bottom - top);

  context.textAlign = "right";
  context.strokeStyle = ink("line");
  context.fillStyle = ink("text-3");
  for (let value = least; value <= most; value += step) {
    const y = Math.round(yOf(value)) + 0.5;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
    if (y > top + 4) context.fillText(format.bytes(value, step), left - 8, y + 4);
  }
  timeAxis(context, left, width, bottom, shown, format);
  steps(context, left, width, what.steps, xOf);

  context.save();
  context.beginPath();
  context.rect(left, top, width, bottom - top);
  context.clip();
  if (what.selected) {
    context.fillStyle = ink("area");
    context.fillRect(xOf(what.selected.from), top, xOf(what.selected.to) - xOf(what.selected.from), bottom - top);
  }
  for (const line of lines) {
    const { points } = line;
    if (points.length < 2) continue;
    const start = xOf(points[0] ?? 0);
    context.beginPath();
    context.moveTo(start, yOf(points[1] ?? 0));
    let y = yOf(points[1] ?? 0);
    let end = start;
    for (let i = 2; i + 1 < points.length; i += 2) {
      end = xOf(points[i] ?? 0);
      context.lineTo(end, y);
      y = yOf(points[i + 1] ?? 0);
      context.lineTo(end, y);
    }
    // The last value holds on.
    end = Math.max(end, left + width);
    context.lineTo(end, y);
    context.strokeStyle = ink(line.colour);
    context.lineWidth = line.fill ? 1.6 : 1.2;
    context.setLineDash(line.dashed ? [5, 3] : []);
    context.stroke();
    context.setLineDash([]);
    if (line.fill) {
      context.lineTo(end, yOf(0));
      context.lineTo(start, yOf(0));
      context.fillStyle = ink("area");
      context.fill();
    }
  }
  context.restore();
  const marks = what.marks.map(({ at, name }) => ({ name, x: xOf(at), width: context.measureText(name).width })).filter(({ x }) => x >= left && x <= left + width);
  context.strokeStyle = ink("accent");
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  for (const { x } of marks) {
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.setLineDash([]);
  context.textAlign = "left";
  placeLabels(marks, left + 4, left + width - 6).forEach((place, i) => {
    const y = top + 2 + place.row * 17;
    context.fillStyle = ink("bg");
    context.fillRect(place.x - 3, y, (marks[i]?.width ?? 0) + 6, 15);
    context.fillStyle = ink("accent");
    context.fillText(marks[i]?.name ?? "", place.x, y + 11);
  });
}

/** @param {CanvasRenderingContext2D} context @param {number} left @param {number} width @param {number} y @param {Span} shown @param {Format} format */
function timeAxis(context, left, width, y, shown, format) {
  const length = shown.to - shown.from;
  const step = timeStep(length, Math.max(2, width / 130));
  context.strokeStyle = ink("line-2");
  context.beginPath();
  context.moveTo(left, y + 0.5);
  context.lineTo(left + width, y + 0.5);
  context.stroke();
  context.fillStyle = ink("text-3");
  context.textAlign = "center";
  for (let t = Math.ceil(shown.from / step) * step; t <= shown.to; t += step) {
    const x = left + ((t - shown.from) / length) * width;
    const text = format.time(t, step);
    const half = context.measureText(text).width / 2;
    if (x - half < left - 8 || x + half > left + width) continue;
    context.fillRect(Math.round(x), y, 1, 4);
    context.fillText(text, x, y + 15);
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} left @param {number} width @param {readonly (readonly [number, number, number])[]} all @param {(t: number) => number} xOf */
function steps(context, left, width, all, xOf) {
  context.textAlign = "left";
  all.forEach(([number, from, to], i) => {
    const x0 = Math.max(left, xOf(from));
    const x1 = Math.min(left + width, xOf(to));
    if (x1 <= x0) return;
    context.fillStyle = ink(i % 2 === 0 ? "bg-3" : "line");
    context.fillRect(x0, 1, Math.max(1, x1 - x0 - 1), STEPS - 3);
    const text = `ProfilerStep#${number}`;
    const short = `#${number}`;
    const name = context.measureText(text).width + 8 < x1 - x0 ? text : context.measureText(short).width + 8 < x1 - x0 ? short : "";
    context.fillStyle = ink("text-2");
    if (name !== "") context.fillText(name, x0 + 4, STEPS - 5);
  });
}

/**
 * Lanes: one an operator name, rows that are live together below one another.
 * @param {HTMLCanvasElement} canvas
 * @param {{ left: number, width: number, height: number, top: number, shown: Span, lanes: OpsLanes, selected: Span | null, chosen: number | null, hover: number | null, note: (lane: { bytes: number, rows: number }) => string, unnamed: string }} what
 */
export function drawLanes(canvas, what) {
  const { left, width, height, shown, lanes } = what;
  const context = prepared(canvas, left + width, height);
  if (!context) return;
  const yOf = (/** @type {number} */ lane) => lane * LANE - what.top;
  const xOf = (/** @type {number} */ t) => left + ((t - shown.from) / (shown.to - shown.from)) * width;
  // Until the answer for this window is there, the last one stands in its place, stretched.
  const column = (/** @type {number} */ c) => xOf(lanes.from + (c / lanes.width) * (lanes.to - lanes.from));
  if (what.selected) {
    context.fillStyle = ink("area");
    context.fillRect(xOf(what.selected.from), 0, xOf(what.selected.to) - xOf(what.selected.from), height);
  }
  const [plain, never, several, line] = [ink("accent"), ink("series-active"), ink("text"), ink("line")];
  const { runs } = lanes;
  context.save();
  context.beginPath();
  context.rect(left, 0, width, height);
  context.clip();
  for (let i = 0; i + 7 < runs.length; i += 8) {
    const y = yOf(runs[i] ?? 0) + 2 + (runs[i + 1] ?? 0) * TRACK;
    const x0 = column(runs[i + 2] ?? 0);
    const x1 = Math.max(x0 + 1, column((runs[i + 3] ?? 0) + 1));
    const many = (runs[i + 4] ?? 0) > 1;
    const isLast = runs[i + 1] === TRACKS - 1;
    const isNever = (runs[i + 6] ?? 0) === 1;
    context.fillStyle = isNever ? never : plain;
    context.globalAlpha = many ? (isLast ? 0.95 : 0.75) : 0.55;
    // Between rows that are wide enough a line shows where one ends.
    context.fillRect(x0, y, x1 - x0 > 3 ? x1 - x0 - 0.75 : x1 - x0, TRACK - 1);
    context.globalAlpha = 1;
    if (isNever && x1 >= left + width - 1) {
      // Open to the right: it was never released.
      context.beginPath();
      context.moveTo(left + width - 6, y - 0.5);
      context.lineTo(left + width, y + TRACK / 2 - 0.5);
      context.lineTo(left + width - 6, y + TRACK - 0.5);
      context.fill();
    }
    if (runs[i + 5] === what.chosen) {
      context.strokeStyle = several;
      context.lineWidth = 1.5;
      context.strokeRect(x0 - 0.5, y - 1, Math.max(3, x1 - x0), TRACK + 1);
    }
  }
  context.restore();
  lanes.lanes.forEach((lane, i) => {
    const y = yOf(lanes.first + i);
    context.fillStyle = line;
    context.fillRect(0, y + LANE - 1, left + width, 1);
    if (what.hover === lanes.first + i) {
      context.fillStyle = ink("bg-2");
      context.fillRect(0, y, left - 8, LANE - 1);
    }
    context.textAlign = "left";
    context.fillStyle = ink("text");
    context.fillText(fitted(context, lane.name === "" ? what.unnamed : lane.name, left - 18), 8, y + 12);
    context.fillStyle = ink("text-3");
    context.fillText(fitted(context, what.note(lane), left - 18), 8, y + 24);
  });
}

/** A text cut in its middle so that it fits. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let most = text.length - 1;
  const cut = () => `${text.slice(0, Math.ceil(most * 0.4))}…${text.slice(text.length - Math.floor(most * 0.6))}`;
  while (most > 4 && context.measureText(cut()).width > width) most--;
  return cut();
}

/** Which lane and track lie at a height. @param {number} y @param {number} top */
export function laneAt(y, top) {
  const at = y + top;
  const track = Math.floor(((at % LANE) - 2) / TRACK);
  return { lane: Math.floor(at / LANE), track: track >= 0 && track < TRACKS ? track : null };
}

