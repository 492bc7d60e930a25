// The window of a device's axis that a drawing shows: zoomed and panned here, named in the address as
// states, so that other views and other axes show the same stretch.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, Request } from "../core/protocol";
import { go, place } from "../state/url";
import { useStore } from "../state/store";
import { clampSpan, showsAll } from "./window";
import type { Span } from "./window";

export type AxisKind = "event" | "time";
type PositionsRequest = Extract<Request, { type: "positions" }>;
type States = readonly [number, number];

/** The narrowest window worth drawing: one event, or a microsecond. */
export const narrowest = (axis: AxisKind) => (axis === "event" ? 1 : 1000);

const EVERYTHING = "everything";
/** Lies where the last state does, whichever that is. */
const LAST = 2 ** 32 - 1;

export interface SpanState {
  /** Null shows everything. */
  view: Span | null;
  show: (next: Span | null) => void;
  /** True while the positions of the states in the address are being looked up. */
  waiting: boolean;
  /** Tells that the address names this range now. */
  wrote: (range: States | null) => void;
}

/** `extent` holds the whole axis where it is known. */
export function useSpan(at: Doc, device: Device, axis: AxisKind, extent: { current: Span | null }): SpanState {
  const here = useStore(place);
  const [view, setView] = useState<Span | null>(null);
  const [wanted, setWantedState] = useState(here.range);
  // What is wanted this very moment: an effect that was waiting for its turn may hold an older one.
  const wantedNow = useRef(wanted);
  const setWanted = (range: States | null) => {
    wantedNow.current = range;
    setWantedState(range);
  };
  // The last state of the range is where the window ends, or going there and back would widen it.
  const asked = wanted && [wanted[0], Math.max(wanted[0] + 1, wanted[1] - 1), LAST];
  const found = useQuery<PositionsRequest>(at, asked ? { type: "positions", device, axis, states: asked } : null, "span.positions");

  // What was asked to be shown and is not in the address yet: everything, or a window of this axis.
  const axisKey = `${axis} ${device} ${at.doc}`;
  const unwritten = useRef<string | null>(null);

  // Another axis, device or file: the stretch in the address is looked up anew, unless something else was asked
  // for meanwhile.
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (unwritten.current !== axisKey) {
      setView(null);
      setWanted(unwritten.current === EVERYTHING ? null : place.value.range);
    }
  }, [axis, device, at.core, at.doc]);

  // Back, or another view, may have put another range there.
  const written = useRef(String(here.range));
  useEffect(() => {
    // Not `here`: an effect before this one may have written a newer range since this was rendered.
    const now = place.value.range;
    if (written.current === String(now)) return;
    written.current = String(now);
    unwritten.current = null;
    if (now) setWanted(now);
    else {
      setWanted(null);
      setView(null);
    }
  }, [String(here.range)]);

  useEffect(() => {
    const answer = found.answers;
    if (!wanted || !asked || wantedNow.current !== wanted || !found.data || answer?.axis !== axis || String(answer.states) !== String(asked)) return;
    const [from, to, last] = found.data.positions;
    const whole = { from: found.data.extent[0], to: found.data.extent[1] };
    if (from !== undefined && to !== undefined) {
      const next = clampSpan({ from, to: Math.max(to, from) }, whole, narrowest(axis));
      // An address may name states that this file does not have.
      const isBeyond = from === last && wanted[1] - wanted[0] > 1;
      setView(isBeyond || showsAll(next, whole) ? null : next);
    }
    setWanted(null);
  }, [found.data, wanted, axis]);

  return {
    view,
    waiting: wanted !== null,
    show: (next) => {
      // A window still on its way from the address or the other axis is out of date by now.
      setWanted(null);
      const whole = extent.current;
      if (next !== null && !whole) return;
      const window = next && whole && !showsAll(next, whole) ? next : null;
      if (window) unwritten.current = axisKey;
      else if (view || wanted || place.value.range) unwritten.current = EVERYTHING;
      setView(window);
    },
    wrote: (range) => {
      written.current = String(range);
      unwritten.current = null;
    },
  };
}

/**
 * The address follows the window once it has come to rest. `states` are those that show in it (the end excluded),
 * null while the answer is under way.
 */
export function useAddress({ view, waiting, wrote }: SpanState, states: States | null): void {
  // Before the next frame, which need not come for this.
  useLayoutEffect(() => {
    if (!states || waiting) return;
    const timer = setTimeout(() => {
      const range: States | null = view ? [states[0], Math.max(states[1], states[0] + 1)] : null;
      wrote(range);
      go({ range });
    }, 200);
    return () => clearTimeout(timer);
  }, [states?.[0], states?.[1], view === null, waiting]);
}
