// A side as it comes from the core (docs of its columns: src/analysis/compare/side.rs), and the tables that several
// sides share: what is the same in two files is told by content. The same rules as the terminal's.

import type { Device } from "../core/protocol";

export interface Content {
  texts: string[];
  /** File, line and function of each frame. */
  frames: number[];
  stacks: number[];
  ends: number[];
  /** Call site and module of each stack. */
  said: number[];
  /** Stack, freed, category, bytes, count and inferred bytes of each row. */
  rows: number[];
}

export interface Side {
  file: string;
  device: Device;
  event: number;
  time_us: number | null;
  figures: number[];
  end: number[];
  peak: number;
  peak_event: number;
  peak_time_us: number | null;
  end_time_us: number | null;
  /** Bytes and count of each category. */
  peak_categories: number[];
  content: Content;
  /** Address, size, stream and type of each segment. */
  segments: number[];
  curves: { axis: "event" | "time" | "step"; end: number; at: number; values: number[] } | null;
}

export const CATEGORIES = ["workspace", "gradient", "optimizer", "optimizer_temporary", "kv_cache", "parameter", "communication", "backward", "activation", "input", "other", "unknown"] as const;

export const FIGURES = ["requested", "lives", "allocated", "active", "pending", "reserved", "cached_free", "workspace", "segments", "largest_free_block"] as const;

/** 2^64 − 1 stands for "there is none". */
const isNone = (n: number | undefined): boolean => n === undefined || n >= 2 ** 63;

export interface Row {
  stack: number | null;
  freed: boolean;
  category: string;
  bytes: number;
  count: number;
  inferred: number;
}

export function rowsOf({ rows }: Content): Row[] {
  const found: Row[] = [];
  for (let i = 0; i + 5 < rows.length; i += 6)
    found.push({
      stack: isNone(rows[i]) ? null : (rows[i] ?? 0),
      freed: rows[i + 1] !== 0,
      category: CATEGORIES[rows[i + 2] ?? 11] ?? "unknown",
      bytes: rows[i + 3] ?? 0,
      count: rows[i + 4] ?? 0,
      inferred: rows[i + 5] ?? 0,
    });
  return found;
}

/** Other names of a side's files. */
export type Renames = ReadonlyMap<string, string>;

/** Where a side's own stacks stand in the shared tables. */
export interface Placed {
  frames: number[][];
  site: (number | null)[];
  module: (number | null)[];
}

export class Shared {
  texts: string[] = [];
  frames: [number, number, number][] = [];
  #texts = new Map<string, number>();
  #frames = new Map<string, number>();

  text(text: string): number {
    let id = this.#texts.get(text);
    if (id === undefined) {
      id = this.texts.push(text) - 1;
      this.#texts.set(text, id);
    }
    return id;
  }

  place(content: Content, renames: Renames, ignoreLines: boolean): Placed {
    const own: number[] = [];
    for (let i = 0; i + 2 < content.frames.length; i += 3) {
      const file = content.texts[content.frames[i] ?? 0] ?? "";
      const line = ignoreLines ? 0 : (content.frames[i + 1] ?? 0);
      const frame: [number, number, number] = [this.text(renames.get(file) ?? file), line, this.text(content.texts[content.frames[i + 2] ?? 0] ?? "")];
      const key = frame.join(" ");
      let id = this.#frames.get(key);
      if (id === undefined) {
        id = this.frames.push(frame) - 1;
        this.#frames.set(key, id);
      }
      own.push(id);
    }
    const placed: Placed = { frames: [], site: [], module: [] };
    content.ends.forEach((end, stack) => {
      placed.frames.push(content.stacks.slice(content.ends[stack - 1] ?? 0, end).map((frame) => own[frame] ?? 0));
      const [site, module] = [content.said[stack * 2], content.said[stack * 2 + 1]];
      placed.site.push(isNone(site) ? null : (own[site ?? 0] ?? null));
      const path = isNone(module) ? null : (content.texts[module ?? 0] ?? null);
      placed.module.push(path === null ? null : this.text(ignoreLines ? withoutLines(path) : path));
    });
    return placed;
  }

  /** "file:line function"; without the line where lines are ignored. */
  frameName(id: number, ignoreLines: boolean): string {
    const [file, line, name] = this.frames[id] ?? [0, 0, 0];
    return ignoreLines ? `${this.texts[file]} ${this.texts[name]}` : `${this.texts[file]}:${line} ${this.texts[name]}`;
  }
}

/** "model.py:212 > block.py:60" → "model.py > block.py". */
function withoutLines(path: string): string {
  return path
    .split(" > ")
    .map((part) => part.replace(/:\d*$/, ""))
    .join(" > ");
}

const parts = (path: string): string[] =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== "")
    .reverse();

/** For each file the only one of the others that shares the longest end of its path; none where two fit as well. */
function best(files: readonly string[], others: readonly string[]): ({ at: number; shared: number } | null)[] {
  const byName = new Map<string, number[]>();
  others.forEach((other, i) => {
    const name = parts(other)[0] ?? "";
    byName.set(name, [...(byName.get(name) ?? []), i]);
  });
  return files.map((file) => {
    const own = parts(file);
    let found: { at: number; shared: number } | null = null;
    let tie = false;
    for (const at of byName.get(own[0] ?? "") ?? []) {
      const other = parts(others[at] ?? "");
      let shared = 0;
      while (shared < own.length && own[shared] === other[shared]) shared++;
      if (shared > (found?.shared ?? 0)) {
        found = { at, shared };
        tie = false;
      } else if (shared === found?.shared) tie = true;
    }
    return tie ? null : found;
  });
}

/** Names for the files of two sides under which a file of one is that of the other: the end of the path that both share. */
export function align(a: Content, b: Content): [Renames, Renames] {
  const filesOf = (content: Content) => new Set(content.frames.flatMap((text, i) => (i % 3 === 0 ? [content.texts[text] ?? ""] : [])));
  const [left, right] = [filesOf(a), filesOf(b)];
  const [onlyA, onlyB] = [[...left].filter((file) => !right.has(file)), [...right].filter((file) => !left.has(file))];
  const [toB, toA] = [best(onlyA, onlyB), best(onlyB, onlyA)];
  const [ofA, ofB] = [new Map<string, string>(), new Map<string, string>()];
  toB.forEach((found, i) => {
    if (!found || toA[found.at]?.at !== i) return;
    const end = `…/${parts(onlyA[i] ?? "").slice(0, found.shared).reverse().join("/")}`;
    ofA.set(onlyA[i] ?? "", end);
    ofB.set(onlyB[found.at] ?? "", end);
  });
  return [ofA, ofB];
}

/** Renames the files of a side to those of the first one. */
export function toNamesOf(first: Content, content: Content): Renames {
  const [ofFirst, own] = align(first, content);
  const back = new Map([...ofFirst].map(([file, shared]) => [shared, file]));
  return new Map([...own].flatMap(([file, shared]) => (back.has(shared) ? [[file, back.get(shared) ?? ""] as const] : [])));
}
