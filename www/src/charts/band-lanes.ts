// The lanes above the bands: steps, annotations, and single moments; drawn, and asked what stands at a pixel.

import { middle } from "../format";
import { MARGIN } from "./band-margin";
import { colour } from "./echarts";
import { textWidths } from "./text-width";
import type { Drawing } from "./use-drawing";
import type { Span } from "./window";

const LANE = 11;
/** How wide an out-of-memory stands in its lane. */
const OOM = 3;
/** So many pixels and fewer hold no name. */
const LEAST_ROOM = 26;

/** A named stretch of the axis. */
export interface Named {
  name: string;
  from: number;
  to: number;
}

type Reply = Drawing["reply"];

const lanesOf = new WeakMap<Reply, readonly [Named[], Named[]]>();

/** The spans of a lane, by where they begin; what lies within another comes after it. */
function spansOf(reply: Reply, lane: number): readonly Named[] {
  let lanes = lanesOf.get(reply);
  if (!lanes) {
    lanesOf.set(reply, (lanes = [[], []]));
    const names = reply.span_names.split("\n");
    for (let i = 0; i < reply.span_lanes.length; i++) lanes[reply.span_lanes[i] ?? 0]?.push({ name: names[i] ?? "", from: reply.span_bounds[2 * i] ?? 0, to: reply.span_bounds[2 * i + 1] ?? 0 });
  }
  return lanes[lane] ?? [];
}

/** What shows in the lane of steps (0) or of annotations (1), by where it begins. */
function shownIn(reply: Reply, lane: number, { from, to }: Span, steps: readonly Named[]): Named[] {
  const shows = (each: Named) => each.to > from && each.from < to;
  const shown = spansOf(reply, lane).filter(shows);
  if (lane !== 0 || steps.length === 0) return shown;
  return [...shown, ...steps.filter(shows)].sort((a, b) => a.from - b.from || b.to - a.to);
}

const nameWidth = textWidths();

/** A name in a lane, `room` pixels wide. */
interface Label {
  name: string;
  x: number;
  room: number;
}

/** Runs `write` where it can reach no pixel beyond a part of a lane. */
function within(context: CanvasRenderingContext2D, x: number, y: number, width: number, write: () => void): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, LANE);
  context.clip();
  write();
  context.restore();
}

/** Draws the spans of a lane, and tells which have room for a name: each has it up to the next one. */
function drawSpans(context: CanvasRenderingContext2D, width: number, y: number, shown: readonly Named[], xOf: (position: number) => number): Label[] {
  const right = MARGIN.left + width;
  const grounds = [colour("bg-3"), colour("line")];
  const labels: Label[] = [];
  shown.forEach(({ name, from, to }, i) => {
    const x = Math.max(MARGIN.left, xOf(from));
    const end = Math.min(right, xOf(to));
    context.fillStyle = grounds[(i + 1) % 2] ?? "";
    context.fillRect(x, y, Math.max(1, end - x - 1), LANE);
    if (name === "" || end - x <= LEAST_ROOM) return;
    const room = Math.min(end, xOf(shown[i + 1]?.from ?? Infinity)) - x;
    if (room > LEAST_ROOM) labels.push({ name, x, room });
  });
  return labels;
}

/** Writes names over the spans of a lane. Those that fit need no clip of their own, which takes longer than the name. */
function drawNames(context: CanvasRenderingContext2D, width: number, y: number, labels: readonly Label[]): void {
  if (labels.length === 0) return;
  context.fillStyle = colour("text-2");
  const long: Label[] = [];
  within(context, MARGIN.left, y, width, () => {
    for (const label of labels) {
      if (nameWidth(context, label.name) > label.room - 6) long.push(label);
      else context.fillText(label.name, label.x + 3, y + 9);
    }
  });
  for (const { name, x, room } of long) within(context, x, y, room - 2, () => context.fillText(middle(name, Math.max(3, Math.floor((room - 6) / 5.8))), x + 3, y + 9));
}

/** Steps, annotations, and the single moments, each in a lane of its own. */
export function drawLanes(context: CanvasRenderingContext2D, width: number, drawing: Drawing, window: Span, xOf: (position: number) => number, steps: readonly Named[]): void {
  const right = MARGIN.left + width;
  const { marks, from, to } = drawing.reply;
  context.font = "10px system-ui, sans-serif";
  for (const lane of [0, 1]) {
    const y = 1 + lane * (LANE + 3);
    drawNames(context, width, y, drawSpans(context, width, y, shownIn(drawing.reply, lane, window, steps), xOf));
  }
  const y = 1 + 2 * (LANE + 3);
  const step = (to - from) / Math.max(1, marks.length);
  const inks = [colour("bad"), colour("accent"), colour("good"), colour("watch"), colour("text")];
  // An out-of-memory goes over all others, also those of the columns beside it: it is what one looks for, and a
  // trace often ends with one, where the snapshot was taken.
  for (const bits of [[1, 2, 3, 4], [0]])
    for (let column = 0; column < marks.length; column++) {
      const flags = marks[column] ?? 0;
      if (flags === 0) continue;
      const x = xOf(from + column * step);
      if (x < MARGIN.left || x > right) continue;
      for (const bit of bits) {
        if ((flags & (1 << bit)) === 0) continue;
        context.fillStyle = inks[bit] ?? "";
        // A match stands below the lane, at the edge of the bands.
        const top = bit === 4 ? MARGIN.top - 4 : y + (bit === 3 ? LANE / 2 : 0);
        const tall = bit === 0 ? LANE + 3 : bit === 1 ? LANE : bit === 4 ? 4 : LANE / 2;
        if (bit === 0) context.fillRect(Math.min(x, right - OOM), top, OOM, tall);
        else context.fillRect(x, top, 1, tall);
      }
    }
}

/** What stands in the lanes at a pixel right of the left margin and below the upper edge: spans, and bits of moments. */
export function lanesAt(reply: Reply, width: number, window: Span, steps: readonly Named[], x: number, y: number): { spans: Named[]; moments: number } {
  const perPixel = (window.to - window.from) / Math.max(1, width);
  const at = window.from + x * perPixel;
  const lane = Math.floor(y / (LANE + 3));
  // A span narrower than a pixel is drawn as one.
  if (lane < 2) return { spans: shownIn(reply, lane, window, steps).filter((each) => each.from <= at + perPixel / 2 && at - perPixel / 2 < each.to), moments: 0 };
  const column = Math.floor(((at - reply.from) / (reply.to - reply.from)) * reply.marks.length);
  let moments = 0;
  // A line is hard to hit: one beside it will do.
  for (let near = column - 1; near <= column + 1; near++) moments |= reply.marks[near] ?? 0;
  return { spans: [], moments };
}
