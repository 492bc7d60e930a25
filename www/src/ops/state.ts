// What the parts of the operators' view share: the run, the window, the pointer, the selected interval.

import { useEffect, useState } from "preact/hooks";
import { useCommands } from "../commands";
import type { Doc } from "../core/use-query";
import { panSpan, showsAll, zoomSpan } from "../charts/window";
import type { Span } from "../charts/window";
import { NARROWEST } from "../charts/time-canvas";
import type { Mode } from "../charts/time-canvas";
import { useTexts } from "../i18n";
import { go, place } from "../state/url";
import { useStore } from "../state/store";

export interface RunState {
  at: Doc;
  head: OpsHead;
  extent: Span;
  shown: Span;
  show: (span: Span | null) => void;
  mode: Mode;
  setMode: (mode: Mode) => void;
  /** Where the pointer is, as a time. */
  cross: number | null;
  setCross: (at: number | null) => void;
  /** The moment kept by a click. */
  moment: number | null;
  interval: Span | null;
  select: (span: Span | null) => void;
  row: number | null;
  choose: (row: number | null) => void;
  block: boolean;
}

/** `row:12` in the address. */
function rowOf(sel: string | null): number | null {
  const match = /^row:(\d{1,10})$/.exec(sel ?? "");
  return match ? Number(match[1]) : null;
}

export function useRunState(at: Doc, head: OpsHead, block: boolean): RunState {
  const t = useTexts();
  const here = useStore(place);
  const extent: Span = { from: 0, to: Math.max(head.range[1], NARROWEST) };
  const [view, setView] = useState<Span | null>(here.range ? { from: here.range[0], to: here.range[1] } : null);
  const [mode, setMode] = useState<Mode>("pan");
  const [cross, setCross] = useState<number | null>(null);
  const [interval, select] = useState<Span | null>(null);
  const shown = view ?? extent;
  const show = (next: Span | null) => setView(next && !showsAll(next, extent) ? next : null);

  useEffect(() => {
    const timer = setTimeout(() => go({ range: view ? [Math.max(0, Math.floor(view.from)), Math.ceil(view.to)] : null }), 200);
    return () => clearTimeout(timer);
  }, [view]);
  // Back, or a link.
  useEffect(() => {
    const range = here.range;
    if (range === null) setView(null);
    else setView((now) => (now && Math.floor(now.from) === range[0] && Math.ceil(now.to) === range[1] ? now : { from: range[0], to: range[1] }));
  }, [here.range?.[0], here.range?.[1]]);

  const key = (change: (now: Span) => Span) => () => show(change(shown));
  useCommands([
    { id: "ops.in", name: t.commands.zoomIn, keys: ["w"], run: key((s) => zoomSpan(s, 0.6, 0.5, extent, NARROWEST)), scope: "view" },
    { id: "ops.out", name: t.commands.zoomOut, keys: ["s"], run: key((s) => zoomSpan(s, 1 / 0.6, 0.5, extent, NARROWEST)), scope: "view" },
    { id: "ops.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: key((s) => panSpan(s, -0.2, extent, NARROWEST)), scope: "view" },
    { id: "ops.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: key((s) => panSpan(s, 0.2, extent, NARROWEST)), scope: "view" },
    { id: "ops.all", name: t.commands.everything, keys: ["0", "home"], run: () => show(null), scope: "view" },
    { id: "ops.focus", name: t.commands.focus, keys: ["f"], run: () => interval && show(zoomSpan(interval, 1.1, 0.5, extent, NARROWEST)), scope: "view" },
    { id: "ops.search", name: t.commands.search, keys: ["/"], run: () => document.querySelector<HTMLInputElement>(".ops-search")?.focus(), scope: "view" },
  ]);

  return {
    at,
    head,
    extent,
    shown,
    show,
    mode,
    setMode,
    cross,
    setCross,
    moment: here.at,
    interval,
    select,
    row: rowOf(here.sel),
    choose: (row) => go({ sel: row === null ? null : `row:${row}` }),
    block,
  };
}
