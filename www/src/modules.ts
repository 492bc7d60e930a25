// Modules as the core sends them: columns in the order of their tree. Pure, so it is tested without a browser.

import type { ModuleColumns, ModuleRow } from "./core/protocol";

export interface ShownModule {
  index: number;
  name: string;
  /** From the root down to it. */
  path: string;
  depth: number;
  isParent: boolean;
}

/** Stands in a path between a module and what is inside it. */
const INSIDE = " > ";

/** The first `most` modules in sight, what lies in a closed one left out; and how many there are in all. */
export function shownModules(columns: ModuleColumns, isOpen: (path: string, depth: number) => boolean, most: number): { shown: ShownModule[]; count: number } {
  const shown: ShownModule[] = [];
  const paths: string[] = [""];
  let [count, closed] = [0, Infinity];
  for (let index = 0; index < columns.depth.length; index++) {
    const depth = columns.depth[index] ?? 1;
    if (depth > closed) continue;
    closed = Infinity;
    const name = columns.names[columns.name[index] ?? 0] ?? "";
    const path = depth > 1 ? `${paths[depth - 1] ?? ""}${INSIDE}${name}` : name;
    paths[depth] = path;
    const isParent = (columns.depth[index + 1] ?? 0) > depth;
    if (isParent && !isOpen(path, depth)) closed = depth;
    if (count++ < most) shown.push({ index, name, path, depth, isParent });
  }
  return { shown, count };
}

/** How many are no deeper than `depth`. */
export function modulesDownTo(columns: ModuleColumns, depth: number): number {
  return columns.depth.reduce((all, each) => all + (each <= depth ? 1 : 0), 0);
}

/** As rows, for what is written to files. */
export function moduleRows(columns: ModuleColumns): ModuleRow[] {
  const { shown } = shownModules(columns, () => true, Infinity);
  return shown.map(({ index, path, depth }) => ({ module: path, depth, bytes: columns.bytes[index] ?? 0, count: columns.count[index] ?? 0, recompute_bytes: columns.recompute_bytes[index] ?? 0 }));
}
