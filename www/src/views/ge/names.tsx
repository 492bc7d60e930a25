// Names and small pieces that the parts of the static graphs share.

import type { GeGraph } from "../../core/ge";
import type { Texts } from "../../i18n";

/** Device memory, which goes without saying. */
const HBM = 2;

/** The graph as the log prints it, with compilation and kind of memory where they are not the usual ones. */
export function graphName(graph: GeGraph, t: Texts): string {
  const notes = [graph.round > 0 ? t.ge.round(graph.round + 1) : "", graph.memtype === HBM ? "" : t.ge.memtype(graph.memtype)].filter((note) => note !== "");
  return notes.length > 0 ? `${graph.key} (${notes.join(", ")})` : graph.key;
}

/** Saves bytes under a name. */
export function download(name: string, data: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
