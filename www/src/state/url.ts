// What of the page's state lies in the address, so that a link shows the same thing again:
// #file=NAME&view=ID&device=0&range=FROM..TO&at=STATE&sel=TEXT&url=ADDRESS

import { Store } from "./store";

export interface Place {
  /** The name of the file shown. Two of one name are told apart by a number: "a.pickle~2". */
  file: string | null;
  view: string;
  /** A device index or "host". */
  device: string | null;
  /** Event states, the end excluded. */
  range: readonly [number, number] | null;
  /** The state looked at: 0 before the first event, k after event k-1. */
  at: number | null;
  /** What is selected, in the view's own words. */
  sel: string | null;
  /** Where a hosted page fetched a file from, so that the link opens it again. */
  url: string | null;
}

export const HOME: Place = { file: null, view: "overview", device: null, range: null, at: null, sel: null, url: null };

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function parsePlace(hash: string): Place {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const [from, to] = (given.get("range") ?? "").split("..").map(wholeNumber);
  return {
    file: given.get("file"),
    view: given.get("view") ?? HOME.view,
    device: given.get("device"),
    range: typeof from === "number" && typeof to === "number" && from < to ? [from, to] : null,
    at: wholeNumber(given.get("at")),
    sel: given.get("sel"),
    url: given.get("url"),
  };
}

export function formatPlace(place: Place): string {
  const out = new URLSearchParams();
  if (place.url !== null) out.set("url", place.url);
  if (place.file !== null) out.set("file", place.file);
  if (place.view !== HOME.view || place.file !== null) out.set("view", place.view);
  if (place.device !== null) out.set("device", place.device);
  if (place.range) out.set("range", `${place.range[0]}..${place.range[1]}`);
  if (place.at !== null) out.set("at", String(place.at));
  if (place.sel !== null) out.set("sel", place.sel);
  // ".." and "~" read better unescaped and are allowed there.
  return out.size === 0 ? "" : "#" + out.toString().replaceAll("%7E", "~");
}

export const place = new Store<Place>(parsePlace(location.hash));

/** The `#url=` of a hosted page, fetched once at start. */
export const urlAtStart = place.value.url;

let written: number | undefined;
let leaveEntry = false;

/** Moves to another place. Changing file or view is a step that Back undoes; a zoom is not. */
export function go(part: Partial<Place>): void {
  const now = place.value;
  const next = { ...now, ...part };
  if (formatPlace(now) === formatPlace(next)) return;
  leaveEntry ||= now.file !== null && (next.file !== now.file || next.view !== now.view);
  place.set(next);
  // Browsers allow few changes of the address per second: write the last of a burst.
  if (written === undefined)
    written = window.setTimeout(() => {
      written = undefined;
      const hash = formatPlace(place.value) || location.pathname.split("/").pop() || ".";
      try {
        if (leaveEntry) history.pushState(null, "", hash);
        else history.replaceState(null, "", hash);
      } catch {
        // An address that cannot be changed (an embedded document) costs only the link.
      }
      leaveEntry = false;
    }, 150);
}

addEventListener("popstate", () => place.set(parsePlace(location.hash)));
addEventListener("hashchange", () => place.set(parsePlace(location.hash)));
