// Groupings of a comparison's stacks, and the filters of the table. Pure, so they are tested without a browser.

import type { DiffRow, Paths, PathRow, Presence } from "./types";

export type GroupBy = "category" | "call_site" | "module" | "file" | "stack";

export interface TableRow extends Pick<DiffRow, "a_bytes" | "b_bytes" | "diff_bytes" | "a_count" | "b_count"> {
  /** Null: it has no name (no stack, no module). */
  key: string | null;
  presence: Presence;
  category: string | null;
  freedAt: boolean;
  /** The stack's frames, innermost first; only of stacks. */
  frames: string[];
}

export function frameText(paths: Paths, frame: number): string {
  const [file, line, name] = paths.frames[frame] ?? [0, 0, 0];
  const place = paths.texts[file] ?? "";
  const called = paths.texts[name] ?? "";
  if (place === "" || place === "??") return called;
  return line > 0 ? `${place}:${line} ${called}` : `${place} ${called}`;
}

/** The group of a stack: a text that tells it from others, and what it is called. */
function keyOf(paths: Paths, row: PathRow, by: GroupBy): string {
  const freed = row.freed_at ? "f" : "";
  switch (by) {
    case "category":
      return row.category;
    case "call_site":
      return `${row.site ?? ""}${freed}`;
    case "module":
      return String(row.module ?? "");
    case "file":
      return row.site === null ? "" : String(paths.frames[row.site]?.[0] ?? "");
    case "stack":
      return row.frames.join(",") + freed;
  }
}

function nameOf(paths: Paths, row: PathRow, by: GroupBy): string | null {
  switch (by) {
    case "category":
      return row.category;
    case "call_site":
      return row.site === null ? null : frameText(paths, row.site);
    case "module":
      return row.module === null ? null : (paths.texts[row.module] ?? null);
    case "file":
      return row.site === null ? null : (paths.texts[paths.frames[row.site]?.[0] ?? -1] ?? null);
    case "stack":
      return row.frames.length === 0 ? null : row.site === null ? frameText(paths, row.frames[0] ?? 0) : frameText(paths, row.site);
  }
}

/** Rows by group, the largest difference first. */
export function group(paths: Paths, by: GroupBy): TableRow[] {
  const groups = new Map<string, TableRow & { largest: number }>();
  for (const row of paths.stacks) {
    const key = keyOf(paths, row, by);
    let own = groups.get(key);
    if (!own) {
      own = {
        key: nameOf(paths, row, by),
        a_bytes: 0,
        b_bytes: 0,
        diff_bytes: 0,
        a_count: 0,
        b_count: 0,
        presence: "both",
        category: null,
        freedAt: row.freed_at && (by === "call_site" || by === "stack"),
        frames: by === "stack" ? row.frames.map((frame) => frameText(paths, frame)) : [],
        largest: -1,
      };
      groups.set(key, own);
    }
    own.a_bytes += row.a_bytes;
    own.b_bytes += row.b_bytes;
    own.a_count += row.a_count;
    own.b_count += row.b_count;
    const size = Math.max(row.a_bytes, row.b_bytes);
    if (size > own.largest) {
      own.largest = size;
      own.category = row.category;
    }
  }
  const rows = Array.from(groups.values(), ({ largest: _, ...row }) => row);
  for (const row of rows) {
    row.diff_bytes = row.b_bytes - row.a_bytes;
    row.presence = row.b_count === 0 ? "only_a" : row.a_count === 0 ? "only_b" : "both";
  }
  return rows.sort((x, y) => Math.abs(y.diff_bytes) - Math.abs(x.diff_bytes) || Math.max(y.a_bytes, y.b_bytes) - Math.max(x.a_bytes, x.b_bytes));
}

/** Which rows the table shows. */
export type Show = "changed" | "all" | "grown" | "shrunk" | "only_a" | "only_b" | "common_grown";

export function keep(row: TableRow, show: Show, text: string): boolean {
  const shown = {
    changed: row.diff_bytes !== 0,
    all: true,
    grown: row.diff_bytes > 0,
    shrunk: row.diff_bytes < 0,
    only_a: row.presence === "only_a",
    only_b: row.presence === "only_b",
    common_grown: row.presence === "both" && row.diff_bytes > 0,
  }[show];
  if (!shown || text === "") return shown;
  const needle = text.toLowerCase();
  return [row.key ?? "", row.category ?? "", ...row.frames].some((each) => each.toLowerCase().includes(needle));
}
