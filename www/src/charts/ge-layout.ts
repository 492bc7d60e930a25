// Where the outputs of a graph lie on its map: rectangles in steps and bytes, kinds of memory one above
// the other. Pure, so it is tested without a browser.

import { C, IS_REF, NEVER, REUSABLE } from "../core/ge";
import type { GeOverlap, Outputs } from "../core/ge";
import { TURN } from "./palette";
import type { Span } from "./window";

export type ColourBy = "op" | "stream" | "memory";

export interface Layout {
  outputs: Outputs;
  /** Rows that show, those of one colour together. */
  rows: Int32Array;
  /** By row of the outputs: left, right (the life's last step included), bottom, top. */
  box: Float64Array;
  /** By row: class of colour. */
  colour: Uint8Array;
  classes: readonly { name: string; css: string; bytes: number }[];
  /** What is written beside the vertical axis, where kinds of memory lie one above the other. */
  spaces: readonly { memType: number; from: number; to: number; base: number }[];
  x: Span;
  y: Span;
}

const OTHERS = "#8a8f98";

/** Memory types that have outputs, smallest first. */
export function memTypesOf(outputs: Outputs): number[] {
  const found = new Set<number>();
  for (let row = 0; row < outputs.count; row++) found.add(outputs.at(row, C.memType));
  return [...found].sort((a, b) => a - b);
}

const keyOf = (outputs: Outputs, row: number, by: ColourBy): string =>
  by === "op" ? outputs.text(row, C.opType) : String(outputs.at(row, by === "stream" ? C.stream : C.memType));

/** `memType` null shows all kinds of memory. `others` names the class of everything beyond the palette. */
export function layOut(outputs: Outputs, memType: number | null, by: ColourBy, others: string): Layout {
  const shown: number[] = [];
  for (let row = 0; row < outputs.count; row++) if ((memType === null || outputs.at(row, C.memType) === memType) && outputs.at(row, C.bytes) > 0) shown.push(row);
  const box = new Float64Array(outputs.count * 4);
  const right = outputs.last + 1;
  const spaces: { memType: number; from: number; to: number; base: number }[] = [];
  let floor = 0;
  for (const kind of memType === null ? memTypesOf(outputs) : [memType]) {
    const own = shown.filter((row) => outputs.at(row, C.memType) === kind);
    if (own.length === 0) continue;
    let low = Infinity;
    let high = 0;
    for (const row of own) {
      low = Math.min(low, outputs.at(row, C.offset));
      high = Math.max(high, outputs.at(row, C.offset) + outputs.at(row, C.bytes));
    }
    // Offsets of one kind of memory begin where they begin; a second kind has its own place above.
    const base = memType === null ? floor - low : 0;
    for (const row of own) {
      const from = outputs.at(row, C.offset) + base;
      const begin = Math.min(outputs.at(row, C.begin), right);
      box.set([begin, outputs.at(row, C.end) >= NEVER ? right : Math.max(begin, outputs.at(row, C.end)) + 1, from, from + outputs.at(row, C.bytes)], row * 4);
    }
    spaces.push({ memType: kind, from: low + base, to: high + base, base });
    floor = high + base + Math.max(512, (high - low) * 0.03);
  }
  // Classes of colour: the ones that hold most have a colour of their own.
  const sums = new Map<string, number>();
  for (const row of shown) sums.set(keyOf(outputs, row, by), (sums.get(keyOf(outputs, row, by)) ?? 0) + (outputs.has(row, IS_REF) ? 0 : outputs.aligned(row)));
  const ranked = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const own = ranked.slice(0, ranked.length <= TURN.length ? TURN.length : TURN.length - 1);
  const numbers = new Map(own.map(([key], n) => [key, n]));
  const rest = ranked.slice(own.length);
  const classes = own.map(([name, bytes], n) => ({ name, bytes, css: TURN[n] ?? OTHERS }));
  if (rest.length > 0) classes.push({ name: others, bytes: rest.reduce((sum, [, bytes]) => sum + bytes, 0), css: OTHERS });
  const colour = new Uint8Array(outputs.count);
  for (const row of shown) colour[row] = numbers.get(keyOf(outputs, row, by)) ?? own.length;
  // Large and long ones first, so that small ones lie on top; of one colour together, which draws faster.
  const areas = new Float64Array(outputs.count);
  for (const row of shown) areas[row] = ((box[row * 4 + 1] ?? 0) - (box[row * 4] ?? 0)) * ((box[row * 4 + 3] ?? 0) - (box[row * 4 + 2] ?? 0));
  shown.sort((a, b) => (colour[a] ?? 0) - (colour[b] ?? 0) || (areas[b] ?? 0) - (areas[a] ?? 0));
  const first = spaces[0];
  const last = spaces.at(-1);
  return { outputs, rows: Int32Array.from(shown), box, colour, classes, spaces, x: { from: 0, to: Math.max(right, 1) }, y: { from: first ? Math.min(first.from, 0) : 0, to: last ? last.to : 1 } };
}

/** The smallest output at a place, which is the one on top. */
export function hit(layout: Layout, x: number, y: number): number | null {
  let best: number | null = null;
  let least = Infinity;
  for (const row of layout.rows) {
    const [from, to, low, high] = [layout.box[row * 4] ?? 0, layout.box[row * 4 + 1] ?? 0, layout.box[row * 4 + 2] ?? 0, layout.box[row * 4 + 3] ?? 0];
    if (x < from || x >= to || y < low || y >= high) continue;
    const area = (to - from) * (high - low);
    if (area < least) [best, least] = [row, area];
  }
  return best;
}

/** Takes its place for the whole run, whatever its printed life. */
export const isHeld = (outputs: Outputs, row: number): boolean => !outputs.has(row, REUSABLE) && !outputs.has(row, IS_REF);

/** The shared area of two outputs on the map. */
export function overlapBox(layout: Layout, overlap: GeOverlap, memType: number): readonly [number, number, number, number] | null {
  const space = layout.spaces.find((each) => each.memType === memType);
  if (!space) return null;
  return [overlap.since, overlap.until === null ? layout.x.to : overlap.until + 1, overlap.from + space.base, overlap.to + space.base];
}
