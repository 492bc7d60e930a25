// Names and small pieces that the parts of the static graphs share.

import { Name } from "../../components/basics";
import type { GeGraph } from "../../core/ge";
import type { Texts } from "../../i18n";
import { Store } from "../../state/store";

/** An output as the core's lists name it. */
export interface Named {
  name: string;
  offset: number;
  begin: number;
}

/** The output of a list that the map is to show; the map takes it from here. */
export const lookFor = new Store<Named | null>(null);

/** The name of an output, which shows it on the map. */
export function OutputName({ of, note = "", most = 44 }: { of: Named; note?: string; most?: number }) {
  const text = note === "" ? of.name : `${of.name} (${note})`;
  return (
    <button type="button" class="quiet small link" title={text} onClick={() => lookFor.set({ name: of.name, offset: of.offset, begin: of.begin })}>
      <Name text={text} most={most} />
    </button>
  );
}

/** Device memory, which goes without saying. */
const HBM = 2;

/** The graph as the log prints it, with compilation and kind of memory where they are not the usual ones. */
export function graphName(graph: GeGraph, t: Texts): string {
  const notes = [graph.round > 0 ? t.ge.round(graph.round + 1) : "", graph.memtype === HBM ? "" : t.ge.memtype(graph.memtype)].filter((note) => note !== "");
  return notes.length > 0 ? `${graph.key} (${notes.join(", ")})` : graph.key;
}
