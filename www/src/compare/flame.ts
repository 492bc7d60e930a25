// The flame graph of a difference: the stacks of both sides as one tree. Pure, so it is tested without a browser.
// A box is as wide as the larger of its sides, or as what differs, summed over its stacks; both add up, so the
// boxes above another never reach beyond it.

import { frameText } from "./rows";
import type { Paths, PathRow } from "./types";

export type Weigh = "larger" | "difference";

export interface FlameOptions {
  weigh: Weigh;
  innermost: boolean;
  hideNative: boolean;
  hideFramework: boolean;
}

/** What stands where a box is no frame. */
export type Special = "root" | "no_stack" | "freed_at" | "hidden";

export interface FlameNode {
  /** A frame's text, or null for a special box. */
  label: string | null;
  special: Special | null;
  parent: number;
  depth: number;
  weight: number;
  a: number;
  b: number;
  /** Left edge in units of weight. */
  start: number;
  children: number[];
}

// Frames that say nothing, as the core's own flame graph leaves them out.
const NOISE_FUNCTIONS = ["unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "PyEval_", "PyObject_", "PyFunction_"];
const NOISE_FILES = ["core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c", "Objects/methodobject.c", "pycore_ceval.h", "ceval.c", "cpython/abstract.h"];

/** For each frame of the table whether it shows. */
function shown(paths: Paths, options: FlameOptions): boolean[] {
  return paths.frames.map(([fileId, , nameId]) => {
    const file = (paths.texts[fileId] ?? "").replaceAll("\\", "/");
    const name = paths.texts[nameId] ?? "";
    const python = file.endsWith(".py") || (file.startsWith("<") && file.endsWith(">"));
    if (!python) {
      if (options.hideNative || name === "" || name === "??" || name === "_start" || name === "__libc_start_main") return false;
      return !NOISE_FUNCTIONS.some((part) => name.includes(part)) && !NOISE_FILES.some((part) => file.includes(part));
    }
    const library = /(^|\/)(site|dist)-packages\/|\/lib\/python\d|^<frozen/.test(file);
    return !(options.hideFramework && library);
  });
}

/** A path as it shows, root first, with what both sides hold there. */
interface Shown {
  path: (number | Special)[];
  a: number;
  b: number;
}

/**
 * Stacks that look the same are one, whatever their categories and hidden frames: what only moved between
 * them is no difference.
 */
function byPath(rows: readonly PathRow[], shows: readonly boolean[], innermost: boolean): Shown[] {
  const found = new Map<string, Shown>();
  for (const row of rows) {
    const frames = row.frames.filter((frame) => shows[frame]);
    if (!innermost) frames.reverse();
    const path: (number | Special)[] = row.frames.length === 0 ? ["no_stack"] : [...(row.freed_at ? (["freed_at"] as const) : []), ...(frames.length === 0 ? (["hidden"] as const) : frames)];
    const key = path.join(",");
    const own = found.get(key);
    if (own) {
      own.a += row.a_bytes;
      own.b += row.b_bytes;
    } else found.set(key, { path, a: row.a_bytes, b: row.b_bytes });
  }
  return [...found.values()];
}

export function build(paths: Paths, options: FlameOptions): FlameNode[] {
  const shows = shown(paths, options);
  const node = (label: string | null, special: Special | null, parent: number, depth: number): FlameNode => ({ label, special, parent, depth, weight: 0, a: 0, b: 0, start: 0, children: [] });
  const nodes = [node(null, "root", -1, 0)];
  // Numbers as keys: a graph may have hundreds of thousands of steps down a path.
  const index = new Map<number, number>();
  const specials: Special[] = ["root", "no_stack", "freed_at", "hidden"];
  const width = paths.frames.length + specials.length;
  const child = (parent: number, key: number | Special): number => {
    const id = parent * width + (typeof key === "number" ? key : paths.frames.length + specials.indexOf(key));
    let found = index.get(id);
    if (found === undefined) {
      found = nodes.length;
      const depth = (nodes[parent]?.depth ?? 0) + 1;
      nodes.push(typeof key === "number" ? node(frameText(paths, key), null, parent, depth) : node(null, key, parent, depth));
      nodes[parent]?.children.push(found);
      index.set(id, found);
    }
    return found;
  };
  for (const { path, a, b } of byPath(paths.stacks, shows, options.innermost)) {
    const weight = options.weigh === "larger" ? Math.max(a, b) : Math.abs(b - a);
    if (weight === 0) continue;
    let at = 0;
    const add = () => {
      const own = nodes[at];
      if (!own) return;
      own.weight += weight;
      own.a += a;
      own.b += b;
    };
    add();
    for (const key of path) {
      at = child(at, key);
      add();
    }
  }
  // Children come after their parents, so one walk lays all of them out.
  for (const own of nodes) {
    own.children.sort((x, y) => (nodes[y]?.weight ?? 0) - (nodes[x]?.weight ?? 0));
    let left = own.start;
    for (const id of own.children) {
      const inner = nodes[id];
      if (!inner) continue;
      inner.start = left;
      left += inner.weight;
    }
  }
  return nodes;
}

export interface FlameBox {
  node: number;
  row: number;
  x: number;
  width: number;
}

/** The boxes at least `least` of the width wide: those above the one zoomed on fill the width. */
export function layout(nodes: readonly FlameNode[], zoom: number, least: number): FlameBox[] {
  const root = nodes[zoom];
  if (!root) return [];
  const boxes: FlameBox[] = [];
  for (let at = root.parent; at >= 0; at = nodes[at]?.parent ?? -1) boxes.push({ node: at, row: nodes[at]?.depth ?? 0, x: 0, width: 1 });
  const whole = Math.max(1, root.weight);
  const todo = [zoom];
  while (todo.length > 0) {
    const id = todo.pop() as number;
    const own = nodes[id];
    if (!own) continue;
    const width = own.weight / whole;
    if (width < least && id !== zoom) continue;
    boxes.push({ node: id, row: own.depth, x: (own.start - root.start) / whole, width });
    todo.push(...own.children);
  }
  return boxes;
}
