// What is selected, the same in every view: an allocation, a range, a text to look for, an address. It
// stands in the address as `life:12,range:5..90,find:adam.py,addr:7f00`.

import { useMemo } from "preact/hooks";
import { useStore } from "./store";
import { go, place } from "./url";
import type { Place } from "./url";

export interface Selection {
  /** The number of an allocation. */
  life: number | null;
  /** States: what happened from after the first to the second. */
  range: readonly [number, number] | null;
  /** Text of a stack, or an address, that is lit up. */
  find: string;
  /** An address in hexadecimal, marked in the map of segments. */
  address: string | null;
}

export const NOTHING: Selection = { life: null, range: null, find: "", address: null };

export function parseSelection(text: string | null): Selection {
  const found = { ...NOTHING };
  for (const part of (text ?? "").split(",")) {
    const [, name, value = ""] = /^(\w+):(.*)$/s.exec(part) ?? [];
    const states = /^(\d{1,10})\.\.(\d{1,10})$/.exec(value);
    if (name === "life" && /^\d{1,10}$/.test(value)) found.life = Number(value);
    else if (name === "range" && states && Number(states[1]) < Number(states[2])) found.range = [Number(states[1]), Number(states[2])];
    else if (name === "addr" && /^[0-9a-f]{1,16}$/.test(value)) found.address = value;
    else if (name === "find") {
      try {
        found.find = decodeURIComponent(value);
      } catch {
        // An address that somebody cut in the middle.
      }
    }
  }
  return found;
}

export function formatSelection({ life, range, find, address }: Selection): string | null {
  const parts = [
    life === null ? "" : `life:${life}`,
    range === null ? "" : `range:${range[0]}..${range[1]}`,
    address === null ? "" : `addr:${address}`,
    find === "" ? "" : `find:${encodeURIComponent(find)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(",");
}

/** The selection with a part of it changed, for `go`. */
export function selecting(part: Partial<Selection>): Pick<Place, "sel"> {
  return { sel: formatSelection({ ...parseSelection(place.value.sel), ...part }) };
}

export function choose(part: Partial<Selection>): void {
  go(selecting(part));
}

/** A state stands after the event before it: between states 5 and 12 happen the events 5 to 11. */
export function eventsBetween([from, to]: readonly [number, number]): readonly [number, number] {
  return [from, Math.max(from, to - 1)];
}

/** The first and last of the states that a view shows, whose range leaves its end out. */
export function statesShown([from, end]: readonly [number, number]): readonly [number, number] {
  return [from, Math.max(from + 1, end - 1)];
}

export function useSelection(): Selection {
  const { sel } = useStore(place);
  return useMemo(() => parseSelection(sel), [sel]);
}
