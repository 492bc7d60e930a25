// The lanes above the bands: steps, annotations, and single moments; drawn, and asked what stands at a pixel.

import { middle } from "../format";
import { MARGIN } from "./band-margin";
import { colour } from "./echarts";
import type { Drawing } from "./use-drawing";
import type { Span } from "./window";

const LANE = 11;
/** How wide an out-of-memory stands in its lane. */
const OOM = 3;

/** A named stretch of the axis. */
export interface Named {
  name: string;
  from: number;
  to: number;
}

/** The spans of a lane that show, by where they begin; what lies within another comes after it. */
function spansOf({ span_lanes: lanes, span_bounds: bounds, span_names: names }: Drawing["reply"], lane: number, { from, to }: Span): Named[] {
  const lines = names.split("\n");
  const found: Named[] = [];
  for (let i = 0; i < lanes.length; i++) {
    const [begin, end] = [bounds[2 * i] ?? 0, bounds[2 * i + 1] ?? 0];
    if (lanes[i] === lane && end > from && begin < to) found.push({ name: lines[i] ?? "", from: begin, to: end });
  }
  return found;
}

/** What shows in the lane of steps (0) or of annotations (1), by where it begins. */
function shownIn(reply: Drawing["reply"], lane: number, window: Span, steps: readonly Named[]): Named[] {
  const shown = spansOf(reply, lane, window);
  if (lane !== 0 || steps.length === 0) return shown;
  return [...shown, ...steps.filter((each) => each.to > window.from && each.from < window.to)].sort((a, b) => a.from - b.from || b.to - a.to);
}

/** Steps, annotations, and the single moments, each in a lane of its own. */
export function drawLanes(context: CanvasRenderingContext2D, width: number, drawing: Drawing, window: Span, xOf: (position: number) => number, steps: readonly Named[]): void {
  const right = MARGIN.left + width;
  const { marks, from, to } = drawing.reply;
  const grounds = [colour("bg-3"), colour("line")];
  const ink = colour("text-2");
  context.font = "10px system-ui, sans-serif";
  for (const lane of [0, 1]) {
    const y = 1 + lane * (LANE + 3);
    const shown = shownIn(drawing.reply, lane, window, steps);
    for (const [i, each] of shown.entries()) {
      const x0 = Math.max(MARGIN.left, xOf(each.from));
      const x1 = Math.min(right, xOf(each.to));
      context.fillStyle = grounds[(i + 1) % 2] ?? "";
      context.fillRect(x0, y, Math.max(1, x1 - x0 - 1), LANE);
      if (each.name === "" || x1 - x0 <= 26) continue;
      // A name has the room up to the next one.
      const room = Math.min(x1, xOf(shown[i + 1]?.from ?? Infinity)) - x0;
      if (room > 26) {
        context.save();
        context.beginPath();
        context.rect(x0, y, room - 2, LANE);
        context.clip();
        context.fillStyle = ink;
        const fits = context.measureText(each.name).width <= room - 6;
        context.fillText(fits ? each.name : middle(each.name, Math.max(3, Math.floor((room - 6) / 5.8))), x0 + 3, y + 9);
        context.restore();
      }
    }
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
export function lanesAt(reply: Drawing["reply"], width: number, window: Span, steps: readonly Named[], x: number, y: number): { spans: Named[]; moments: number } {
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
