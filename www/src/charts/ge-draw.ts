// Draws a graph's map: live bytes above, below them each output as a box from the step where its life
// begins to the one where it ends, at its offset. Only what the window holds is drawn.

import { C } from "../core/ge";
import type { LiveCurve } from "../core/ge";
import { axisBytes, bytes, count } from "../format";
import { colour } from "./echarts";
import { isHeld } from "./ge-layout";
import type { Layout } from "./ge-layout";
import { pixel } from "./palette";
import { byteStep } from "./scale";
import type { Span } from "./window";

export const LEFT = 84;
export const CURVE = 84;
export const GAP = 12;
export const BOTTOM = 22;

export interface Scene {
  layout: Layout;
  curve: LiveCurve;
  /** Lines across the curve: figures of the graph. */
  marks: readonly { name: string; bytes: number }[];
  peakName: string;
  stepName: string;
  x: Span;
  y: Span;
  overlaps: readonly (readonly [number, number, number, number])[];
  /** Rows that a search keeps; null keeps all. */
  found: ReadonlySet<number> | null;
  chosen: number | null;
}

/** Whether white or black reads better on a colour. */
function inkOn(css: string): string {
  const rgb = Number.parseInt(css.slice(1), 16);
  return 0.299 * (rgb >> 16) + 0.587 * ((rgb >> 8) & 255) + 0.114 * (rgb & 255) > 140 ? "#14171c" : "#ffffff";
}

let hatching: { made: string; pattern: CanvasPattern | null } | undefined;

/** Diagonal lines over what may not be shared. */
function hatch(context: CanvasRenderingContext2D): CanvasPattern | string {
  const ink = colour("bg");
  if (hatching?.made !== ink) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const inner = tile.getContext("2d");
    if (inner) {
      inner.strokeStyle = ink;
      inner.globalAlpha = 0.65;
      inner.lineWidth = 1.6;
      inner.beginPath();
      for (const by of [-8, 0, 8]) {
        inner.moveTo(by, 8);
        inner.lineTo(by + 8, 0);
      }
      inner.stroke();
    }
    hatching = { made: ink, pattern: context.createPattern(tile, "repeat") };
  }
  return hatching.pattern ?? "transparent";
}

export function draw(context: CanvasRenderingContext2D, width: number, height: number, scene: Scene): void {
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  const plot = { left: LEFT, top: CURVE + GAP, width: Math.max(1, width - LEFT - 8), height: Math.max(1, height - CURVE - GAP - BOTTOM) };
  const xOf = (step: number) => plot.left + ((step - scene.x.from) / (scene.x.to - scene.x.from)) * plot.width;
  drawCurve(context, scene, plot.left, plot.width, xOf);
  drawOutputs(context, scene, plot, xOf);
  drawAxes(context, scene, plot, xOf);
}

/** Pixels of a plot, laid over it at the end. */
class Narrow {
  readonly #image: ImageData;
  readonly #pixels: Uint32Array;
  readonly #ratio = Math.min(window.devicePixelRatio || 1, 2);
  readonly #inks: number[];
  #any = false;

  constructor(
    readonly plot: Plot,
    classes: readonly string[],
  ) {
    this.#image = new ImageData(Math.ceil(plot.width * this.#ratio), Math.ceil(plot.height * this.#ratio));
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#inks = classes.map(pixel);
  }

  add(left: number, top: number, wide: number, tall: number, class_: number, kept: boolean): void {
    const { width, height } = this.#image;
    const x0 = Math.max(0, Math.round((left - this.plot.left) * this.#ratio));
    const x1 = Math.min(width, Math.max(x0 + 1, Math.round((left - this.plot.left + wide) * this.#ratio)));
    const y0 = Math.max(0, Math.round((top - this.plot.top) * this.#ratio));
    const y1 = Math.min(height, Math.max(y0 + 1, Math.round((top - this.plot.top + tall) * this.#ratio)));
    const ink = this.#inks[class_] ?? 0;
    const set = kept ? ink : (ink & 0x00ffffff) | 0x24000000;
    for (let y = y0; y < y1; y++) for (let at = y * width + x0; at < y * width + x1; at++) if (kept || this.#pixels[at] === 0) this.#pixels[at] = set;
    this.#any = true;
  }

  show(context: CanvasRenderingContext2D): void {
    if (!this.#any) return;
    const layer = document.createElement("canvas");
    layer.width = this.#image.width;
    layer.height = this.#image.height;
    layer.getContext("2d")?.putImageData(this.#image, 0, 0);
    context.drawImage(layer, this.plot.left, this.plot.top, layer.width / this.#ratio, layer.height / this.#ratio);
  }
}

interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
}

function drawOutputs(context: CanvasRenderingContext2D, scene: Scene, plot: Plot, xOf: (step: number) => number): void {
  const { layout, x, y } = scene;
  const { outputs, box } = layout;
  const bottom = plot.top + plot.height;
  const yOf = (offset: number) => bottom - ((offset - y.from) / (y.to - y.from)) * plot.height;
  context.fillStyle = colour("bg-2");
  context.fillRect(plot.left, plot.top, plot.width, plot.height);
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  const inSight = (row: number) => (box[row * 4] ?? 0) < x.to && (box[row * 4 + 1] ?? 0) > x.from && (box[row * 4 + 2] ?? 0) < y.to && (box[row * 4 + 3] ?? 0) > y.from;
  const place = (row: number): [number, number, number, number] => {
    const left = xOf(box[row * 4] ?? 0);
    const top = yOf(box[row * 4 + 3] ?? 0);
    return [left, top, Math.max(0.75, xOf(box[row * 4 + 1] ?? 0) - left), Math.max(0.75, yOf(box[row * 4 + 2] ?? 0) - top)];
  };
  // What may not be shared keeps its place for the whole run.
  context.globalAlpha = 0.13;
  for (const row of layout.rows) {
    if (!isHeld(outputs, row) || (box[row * 4 + 2] ?? 0) >= y.to || (box[row * 4 + 3] ?? 0) <= y.from) continue;
    const [, top, , tall] = place(row);
    context.fillStyle = layout.classes[layout.colour[row] ?? 0]?.css ?? "";
    context.fillRect(plot.left, top, plot.width, tall);
  }
  // Boxes too narrow to have edges are set pixel by pixel: of tens of thousands that is much the faster way.
  const narrow = new Narrow(plot, layout.classes.map((each) => each.css));
  let class_ = -1;
  let faint = false;
  context.globalAlpha = 1;
  const labels: [number, number, number, number, number][] = [];
  const hatched: [number, number, number, number][] = [];
  for (const row of layout.rows) {
    if (!inSight(row)) continue;
    const [left, top, wide, tall] = place(row);
    const kept = scene.found === null || scene.found.has(row);
    if (wide < 2) {
      narrow.add(left, top, wide, tall, layout.colour[row] ?? 0, kept);
      continue;
    }
    if (class_ !== layout.colour[row]) {
      class_ = layout.colour[row] ?? 0;
      context.fillStyle = layout.classes[class_]?.css ?? "";
    }
    if (faint === kept) {
      faint = !kept;
      context.globalAlpha = faint ? 0.14 : 1;
    }
    // A hair's breadth between neighbours, where there is room for one.
    context.fillRect(left, top, wide >= 3 ? wide - 0.75 : wide, tall >= 3 ? tall - 0.75 : tall);
    if (kept && isHeld(outputs, row) && wide >= 4 && tall >= 4) hatched.push([left, top, wide, tall]);
    if (kept && wide > 64 && tall >= 13) labels.push([row, left, top, wide, tall]);
  }
  context.globalAlpha = 1;
  narrow.show(context);
  context.fillStyle = hatch(context);
  for (const [left, top, wide, tall] of hatched) context.fillRect(left, top, wide - 0.75, tall - 0.75);
  context.textBaseline = "middle";
  for (const [row, left, top, wide, tall] of labels.slice(0, 400)) {
    const from = Math.max(left, plot.left);
    const room = Math.floor((Math.min(left + wide, plot.left + plot.width) - from - 8) / 6.6);
    const name = outputs.text(row, C.name).split("/").pop() ?? "";
    if (room < 4) continue;
    context.fillStyle = inkOn(layout.classes[layout.colour[row] ?? 0]?.css ?? "#ffffff");
    context.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, from + 4, top + Math.min(tall, plot.height) / 2);
  }
  // Overlaps lie over everything.
  const bad = colour("bad");
  for (const [from, to, low, high] of scene.overlaps) {
    if (from >= x.to || to <= x.from || low >= y.to || high <= y.from) continue;
    const [left, top] = [xOf(from), yOf(high)];
    const [wide, tall] = [Math.max(4, xOf(to) - left), Math.max(4, yOf(low) - top)];
    context.fillStyle = bad;
    context.globalAlpha = 0.75;
    context.fillRect(left, top, wide, tall);
    context.globalAlpha = 1;
    context.strokeStyle = colour("bg");
    context.lineWidth = 3;
    context.strokeRect(left - 1, top - 1, wide + 2, tall + 2);
    context.strokeStyle = bad;
    context.lineWidth = 1.5;
    context.strokeRect(left - 1, top - 1, wide + 2, tall + 2);
  }
  const outline = (row: number | null, css: string, line: number) => {
    if (row === null || row >= outputs.count) return;
    const [left, top, wide, tall] = place(row);
    context.strokeStyle = css;
    context.lineWidth = line;
    context.strokeRect(left - 1, top - 1, wide + 2, tall + 2);
  };
  outline(scene.chosen, colour("bg"), 4);
  outline(scene.chosen, colour("accent"), 2);
  const peak = xOf(scene.curve.peakMoment + 0.5);
  context.strokeStyle = colour("text-2");
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  context.beginPath();
  context.moveTo(peak, plot.top);
  context.lineTo(peak, bottom);
  context.stroke();
  context.restore();
  context.setLineDash([]);
}

function drawCurve(context: CanvasRenderingContext2D, scene: Scene, left: number, width: number, xOf: (step: number) => number): void {
  const { curve, x, marks } = scene;
  const top = 14;
  const most = Math.max(1, curve.peak, ...marks.map((mark) => mark.bytes)) * 1.04;
  const yOf = (value: number) => CURVE - (value / most) * (CURVE - top);
  const step = byteStep(most) * 2;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let value = 0; value <= most; value += step) {
    context.fillStyle = colour("line");
    context.fillRect(left, yOf(value) - 0.5, width, 1);
    context.fillStyle = colour("text-3");
    context.fillText(axisBytes(value, step), left - 6, Math.max(6, yOf(value)));
  }
  context.textAlign = "left";
  context.save();
  context.beginPath();
  context.rect(left, 0, width, CURVE + 1);
  context.clip();
  // Steps outside the window are passed over but for the last one before it.
  const { moments, live } = curve;
  let at = 0;
  let high = moments.length;
  while (at < high) {
    const middle = (at + high) >> 1;
    if ((moments[middle] ?? 0) <= x.from) at = middle + 1;
    else high = middle;
  }
  let now = at > 0 ? (live[at - 1] ?? 0) : curve.fixed;
  const points: [number, number][] = [[left, yOf(now)]];
  // Of all steps in one pixel column the least, the greatest and the last show.
  while (at < moments.length && (moments[at] ?? 0) < x.to) {
    const px = xOf(moments[at] ?? 0);
    points.push([px, yOf(now)]);
    let [least, greatest] = [now, now];
    for (; at < moments.length && xOf(moments[at] ?? 0) < Math.floor(px) + 1; at++) {
      now = live[at] ?? 0;
      least = Math.min(least, now);
      greatest = Math.max(greatest, now);
    }
    points.push([px, yOf(least)]);
    points.push([px, yOf(greatest)]);
    points.push([px, yOf(now)]);
  }
  points.push([left + width, yOf(now)]);
  const trace = () => {
    context.beginPath();
    for (const [px, py] of points) context.lineTo(px, py);
  };
  trace();
  context.lineTo(left + width, CURVE);
  context.lineTo(left, CURVE);
  context.fillStyle = colour("area");
  context.fill();
  context.fillStyle = colour("line-2");
  context.globalAlpha = 0.5;
  context.fillRect(left, yOf(curve.fixed), width, CURVE - yOf(curve.fixed));
  context.globalAlpha = 1;
  context.strokeStyle = colour("accent");
  context.lineWidth = 1.25;
  trace();
  context.stroke();
  context.setLineDash([5, 3]);
  // Each writes its name in the first place where no other stands.
  const taken: Box[] = [];
  const named = (text: string, ink: string, places: (wide: number) => (readonly [x: number, y: number])[]) => {
    const wide = context.measureText(text).width + 6;
    const boxes = places(wide).map(([x, y]): Box => ({ x: Math.min(Math.max(x, left), left + width - wide), y: Math.min(Math.max(y, 0), CURVE - TAG), wide }));
    const box = boxes.find((each) => !taken.some((other) => covers(each, other))) ?? boxes[0];
    if (!box) return;
    taken.push(box);
    tag(context, text, box, ink);
  };
  for (const mark of marks) {
    const y = yOf(mark.bytes);
    context.strokeStyle = colour("series-active");
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
    named(`${mark.name} ${bytes(mark.bytes)}`, colour("text-2"), (wide) => {
      const ends = [left + width, ...taken.map((box) => box.x - 4)].map((end) => end - wide);
      return [...ends.map((x) => [x, y - TAG - 1] as const), ...ends.map((x) => [x, y + 1] as const)];
    });
  }
  context.setLineDash([]);
  const px = xOf(curve.peakMoment + 0.5);
  context.fillStyle = colour("accent");
  context.beginPath();
  context.arc(px, yOf(curve.peak), 3, 0, 7);
  context.fill();
  const py = yOf(curve.peak);
  named(`${scene.peakName} ${bytes(curve.peak)}`, colour("accent"), (wide) => {
    const sides = px > left + width * 0.5 ? [px - 5 - wide, px + 5] : [px + 5, px - 5 - wide];
    return [py + 9, py - TAG - 4, py + 9 + TAG, py + 9 + 2 * TAG].flatMap((y) => sides.map((x) => [x, y] as const));
  });
  context.restore();
}

/** Where a few words stand, with a little room around them. */
interface Box {
  x: number;
  y: number;
  wide: number;
}
const TAG = 14;

const covers = (a: Box, b: Box) => a.x < b.x + b.wide && b.x < a.x + a.wide && a.y < b.y + TAG && b.y < a.y + TAG;

/** A few words that stay readable over lines. */
function tag(context: CanvasRenderingContext2D, text: string, { x, y, wide }: Box, ink: string): void {
  context.globalAlpha = 0.82;
  context.fillStyle = colour("bg");
  context.fillRect(x, y, wide, TAG);
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.textAlign = "left";
  context.fillText(text, x + 3, y + TAG / 2);
}

function drawAxes(context: CanvasRenderingContext2D, scene: Scene, plot: Plot, xOf: (step: number) => number): void {
  const { layout, x, y } = scene;
  const bottom = plot.top + plot.height;
  const yOf = (offset: number) => bottom - ((offset - y.from) / (y.to - y.from)) * plot.height;
  context.textBaseline = "middle";
  const step = byteStep(y.to - y.from);
  context.textAlign = "right";
  for (const space of layout.spaces) {
    const [low, high] = [Math.max(space.from, y.from), Math.min(space.to, y.to)];
    const several = layout.spaces.length > 1;
    for (let offset = Math.ceil((low - space.base) / step) * step; offset + space.base <= high; offset += step) {
      const at = yOf(offset + space.base);
      context.fillStyle = colour("line-2");
      context.fillRect(plot.left - 4, at - 0.5, 4, 1);
      context.fillStyle = colour("text-3");
      if (at > plot.top + 4 && at < bottom + 2) context.fillText(axisBytes(offset, step), plot.left - 6, at);
    }
    if (several && high > low) {
      context.fillStyle = colour("line-2");
      context.fillRect(plot.left, yOf(high) - 1, plot.width, 1);
      context.textAlign = "left";
      context.fillStyle = colour("text-2");
      context.fillText(`memtype ${space.memType}`, plot.left + 6, yOf(high) - 8);
      context.textAlign = "right";
    }
  }
  context.textAlign = "center";
  const wanted = (x.to - x.from) / Math.max(2, plot.width / 90);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
  const every = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted) ?? 1);
  for (let at = Math.ceil(x.from / every) * every; at < x.to; at += every) {
    const px = xOf(at);
    context.fillStyle = colour("line-2");
    context.fillRect(px - 0.5, bottom, 1, 4);
    context.fillStyle = colour("text-3");
    if (px > plot.left + 12 && px < plot.left + plot.width - 24) context.fillText(count(at), px, bottom + 12);
  }
  context.textAlign = "left";
  context.fillText(scene.stepName, plot.left - 30, bottom + 12);
  context.strokeStyle = colour("line-2");
  context.lineWidth = 1;
  context.strokeRect(plot.left + 0.5, plot.top + 0.5, plot.width - 1, plot.height - 1);
}
