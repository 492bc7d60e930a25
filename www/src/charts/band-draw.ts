// What stands on the canvas of the timeline: the core's picture, scales, lanes and marks.

import { axisBytes, count, span as spanText } from "../format";
import { drawLanes } from "./band-lanes";
import { MARGIN } from "./band-margin";
import { colour } from "./echarts";
import { byteStep, placeLabels, roundStep } from "./scale";
import type { Drawing } from "./use-drawing";
import type { AxisKind } from "./use-span";
import type { Span } from "./window";

/** So many pixels and more lie between two labels of the horizontal scale. */
const APART = 110;

/** Bytes at the bottom and the top edge. */
export interface Scale {
  low: number;
  high: number;
}

export interface Bands {
  drawing: Drawing | null;
  axis: AxisKind;
  shown: Span | null;
  height: number;
  rulers: readonly { at: number; name: string }[];
  selected: Span | null;
  /** Steps that are not the file's own. */
  steps?: readonly { name: string; from: number; to: number }[];
}

/** Pixels below the top edge of the bands. */
export function yAt(value: number, { low, high }: Scale, height: number): number {
  return height - ((value - low) / Math.max(1, high - low)) * height;
}

export function drawBands(canvas: HTMLCanvasElement, width: number, bands: Bands, scale: Scale): void {
  const { drawing, shown, height } = bands;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const full = { width: Math.round((width + MARGIN.left) * ratio), height: Math.round((height + MARGIN.top + MARGIN.bottom) * ratio) };
  if (canvas.width !== full.width || canvas.height !== full.height) Object.assign(canvas, full);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width + MARGIN.left, height + MARGIN.top + MARGIN.bottom);
  if (!drawing || !shown) return;
  const xOf = (position: number) => MARGIN.left + ((position - shown.from) / (shown.to - shown.from)) * width;
  const yOf = (value: number) => MARGIN.top + yAt(value, scale, height);

  context.font = "11px system-ui, sans-serif";
  byteGrid(context, width, height, scale, yOf);
  context.save();
  context.beginPath();
  context.rect(MARGIN.left, MARGIN.top, width, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  // Until the drawing of this window is there, the last one stands in its place, stretched.
  const { from, to, bytes: drawn } = drawing.reply;
  context.drawImage(drawing.image, xOf(from), yOf(drawn[1]), xOf(to) - xOf(from), yOf(drawn[0]) - yOf(drawn[1]));
  if (bands.selected) {
    context.fillStyle = colour("area");
    context.strokeStyle = colour("accent");
    const [x0, x1] = [xOf(bands.selected.from), xOf(bands.selected.to)];
    context.fillRect(x0, MARGIN.top, x1 - x0, height);
    context.strokeRect(x0, MARGIN.top - 1, x1 - x0, height + 2);
  }
  context.restore();
  context.strokeStyle = colour("line-2");
  context.strokeRect(MARGIN.left + 0.5, MARGIN.top + 0.5, width - 1, height - 1);
  scaleBelow(context, width, MARGIN.top + height, bands.axis, shown, xOf);
  drawLanes(context, width, drawing, shown, xOf, bands.steps ?? []);
  context.font = "11px system-ui, sans-serif";
  const rulers = bands.rulers.map(({ at, name }) => ({ name, x: xOf(at), width: context.measureText(name).width })).filter(({ x }) => x >= MARGIN.left && x <= MARGIN.left + width);
  context.strokeStyle = colour("accent");
  context.setLineDash([4, 3]);
  for (const { x } of rulers) {
    context.beginPath();
    context.moveTo(x, MARGIN.top - 4);
    context.lineTo(x, MARGIN.top + height);
    context.stroke();
  }
  context.setLineDash([]);
  placeLabels(rulers, MARGIN.left + 4, MARGIN.left + width - 6).forEach(({ x, row }, i) => label(context, rulers[i]?.name ?? "", x, MARGIN.top + 13 + row * 16, colour("accent")));
}

function label(context: CanvasRenderingContext2D, text: string, x: number, y: number, ink: string): void {
  const { width } = context.measureText(text);
  context.fillStyle = colour("bg");
  context.globalAlpha = 0.85;
  context.fillRect(x - 3, y - 10, width + 6, 14);
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

function byteGrid(context: CanvasRenderingContext2D, width: number, height: number, { low, high }: Scale, yOf: (value: number) => number): void {
  const step = byteStep(high - low);
  context.textAlign = "right";
  context.fillStyle = colour("text-3");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const y = Math.round(yOf(value)) + 0.5;
    context.beginPath();
    context.moveTo(MARGIN.left, y);
    context.lineTo(MARGIN.left + width, y);
    context.stroke();
    if (y > MARGIN.top + 6) context.fillText(axisBytes(value, step), MARGIN.left - 8, Math.min(y + 4, MARGIN.top + height - 2));
  }
  context.textAlign = "left";
}

/** The horizontal scale: events or time, at round positions. */
function scaleBelow(context: CanvasRenderingContext2D, width: number, y: number, axis: AxisKind, shown: Span, xOf: (position: number) => number): void {
  const room = Math.max(2, Math.floor(width / APART));
  const step = axis === "event" ? Math.max(1, roundStep((shown.to - shown.from) / room)) : roundStep((shown.to - shown.from) / room);
  context.textAlign = "center";
  context.fillStyle = colour("text-3");
  context.strokeStyle = colour("line-2");
  context.beginPath();
  for (let position = Math.ceil(shown.from / step) * step; position <= shown.to; position += step) {
    const x = Math.round(xOf(position)) + 0.5;
    context.moveTo(x, y);
    context.lineTo(x, y + 4);
    const text = axis === "event" ? count(Math.round(position)) : spanText(position, step);
    // Only those near an edge can reach over it, and measuring takes as long as writing.
    const half = Math.min(x - MARGIN.left, MARGIN.left + width - x) < APART ? context.measureText(text).width / 2 : 0;
    context.fillText(text, Math.min(Math.max(x, MARGIN.left + half), MARGIN.left + width - half), y + 15);
  }
  context.stroke();
  context.textAlign = "left";
}
