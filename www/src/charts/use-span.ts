// The window of a device's axis that a drawing shows: zoomed and panned here, named in the address as
// states, so that other views and other axes show the same stretch.

import { useEffect, useState } from "preact/hooks";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, Request } from "../core/protocol";
import { go, place } from "../state/url";
import { useStore } from "../state/store";
import { showsAll } from "./window";
import type { Span } from "./window";

export type AxisKind = "event" | "time";
type PositionsRequest = Extract<Request, { type: "positions" }>;

/** The narrowest window worth drawing. */
export const narrowest = (axis: AxisKind) => (axis === "event" ? 4 : 1000);

export interface SpanState {
  /** Null shows everything. */
  view: Span | null;
  show: (next: Span | null) => void;
  /** True while the positions of the states in the address are being looked up. */
  waiting: boolean;
}

export function useSpan(at: Doc, device: Device, axis: AxisKind, extent: Span | null, states: readonly [number, number] | null): SpanState {
  const here = useStore(place);
  const [view, setView] = useState<Span | null>(null);
  const [wanted, setWanted] = useState(here.range);
  const found = useQuery<PositionsRequest>(at, wanted ? { type: "positions", device, axis, states: [wanted[0], wanted[1]] } : null, "span.positions");

  // Another axis or device, or Back: the stretch in the address is looked up anew.
  useEffect(() => {
    setView(null);
    setWanted(place.value.range);
  }, [axis, device, at.core, at.doc]);
  useEffect(() => {
    if (here.range === null) setView(null);
  }, [here.range === null]);

  useEffect(() => {
    if (!wanted || !found.data || found.answers?.axis !== axis) return;
    const [from, to] = found.data.positions;
    if (from !== undefined && to !== undefined && to > from) setView({ from, to });
    setWanted(null);
  }, [found.data, wanted, axis]);

  useEffect(() => {
    if (!states || wanted) return;
    const timer = setTimeout(() => go({ range: view ? [states[0], Math.max(states[1], states[0] + 1)] : null }), 200);
    return () => clearTimeout(timer);
  }, [states?.[0], states?.[1], view === null, wanted === null]);

  return {
    view,
    waiting: wanted !== null,
    show: (next) => setView(next && extent && !showsAll(next, extent) ? next : null),
  };
}
