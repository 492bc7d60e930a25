// What of the static graphs the address keeps: the part of the report, the graph, the output.
// sel=graphs:PROCESS.GRAPH:ROW

import { useStore } from "../../state/store";
import { go, place } from "../../state/url";

export const PARTS = ["graphs", "pools", "device", "variables", "compare", "files"] as const;
export type Part = (typeof PARTS)[number];

export interface GePlace {
  part: Part;
  /** Places of the process and of the graph in the report. */
  graph: readonly [number, number] | null;
  /** The output chosen: its row. */
  row: number | null;
}

export function parse(sel: string | null): GePlace {
  const [part, graph, row] = (sel ?? "").split(":");
  const numbers = /^(\d{1,6})\.(\d{1,6})$/.exec(graph ?? "");
  return {
    part: PARTS.find((each) => each === part) ?? "graphs",
    graph: numbers ? [Number(numbers[1]), Number(numbers[2])] : null,
    row: /^\d{1,9}$/.test(row ?? "") ? Number(row) : null,
  };
}

export function useGePlace(): GePlace {
  return parse(useStore(place).sel);
}

export function goGe(change: Partial<GePlace>): void {
  const next = { ...parse(place.value.sel), ...change };
  const graph = next.graph ? next.graph.join(".") : "";
  go({ sel: [next.part, graph, next.row ?? ""].join(":").replace(/:+$/, "") });
}
