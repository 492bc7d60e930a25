// The stretch of offsets that the map of segments shows: all rows share one axis, from a segment's begin to
// where the largest one ends. Wheel and drag act on a canvas that also scrolls through its rows, so a wheel
// belongs to the rows where there are more than fit.

import { useEffect, useRef, useState } from "preact/hooks";
import { axisBytes } from "../format";
import { byteStep } from "./scale";
import { clampSpan, panSpan, showsAll, zoomSpan } from "./window";
import type { Span } from "./window";

/** The narrowest stretch: two of the smallest blocks. */
const LEAST = 1024;
/** Pixels after which a press is a drag. */
const SLOP = 4;

export interface Offsets {
  shown: Span;
  /** Null shows all of the largest segment. */
  show: (next: Span | null) => void;
  zoomed: boolean;
  zoom: (factor: number, anchor: number) => void;
  pan: (share: number) => void;
  /** Brings a block into sight, where not all is. */
  bring: (offset: number, size: number) => void;
}

/** `most` is the size of the largest segment; another device begins with all of it. */
export function useOffsets(most: number, device: string): Offsets {
  const [view, setView] = useState<Span | null>(null);
  useEffect(() => setView(null), [device]);
  const extent = { from: 0, to: Math.max(1, most) };
  const shown = view ? clampSpan(view, extent, LEAST) : extent;
  const show = (next: Span | null) => {
    const inside = next && clampSpan(next, extent, LEAST);
    setView(inside && !showsAll(inside, extent) ? inside : null);
  };
  return {
    shown,
    show,
    zoomed: view !== null,
    zoom: (factor, anchor) => show(zoomSpan(shown, factor, anchor, extent, LEAST)),
    pan: (share) => show(panSpan(shown, share, extent, LEAST)),
    // What was asked for since counts: all may be shown by now.
    bring: (offset, size) => setView((now) => now && clampSpan(bringing(now, offset, size), extent, LEAST)),
  };
}

/** The stretch around a block that shows it well, with what lies beside it. */
export const aroundBlock = (offset: number, size: number): Span => ({ from: offset - 2 * size, to: offset + 3 * size });

/** The stretch that has a block in it: the one shown where it is in sight, else moved to it. */
export function bringing(shown: Span, offset: number, size: number): Span {
  if (offset < shown.to && offset + size > shown.from) return shown;
  const width = shown.to - shown.from;
  const from = offset + size / 2 - width / 2;
  return { from, to: from + width };
}

export interface Tick {
  offset: number;
  name: string;
}

/** Offsets to write along the axis: exact ones, told with as many digits as keep them apart. */
export function offsetTicks({ from, to }: Span): Tick[] {
  const step = Math.max(1, byteStep(to - from));
  const ticks: Tick[] = [];
  for (let offset = Math.ceil(from / step) * step; offset <= to; offset += step) ticks.push({ offset, name: offset === 0 ? "0" : axisBytes(offset, step) });
  const apart = new Set(ticks.map(({ name }) => name)).size === ticks.length;
  return apart ? ticks : ticks.map(({ offset }) => ({ offset, name: `0x${offset.toString(16)}` }));
}

/** Whether a press became a drag, which is no click. */
export function useOffsetPointer(canvas: { current: HTMLCanvasElement | null }, offsets: Offsets, left: number, width: number, scrolls: boolean) {
  const latest = useRef({ offsets, left, width, scrolls });
  latest.current = { offsets, left, width, scrolls };
  const held = useRef<{ x: number; view: Span; moved: boolean } | null>(null);
  const dragged = useRef(false);
  useEffect(() => {
    const element = canvas.current;
    // Preact adds wheel listeners as passive ones, which may not keep the page from scrolling.
    const listener = (event: WheelEvent) => {
      const { offsets, left, width, scrolls } = latest.current;
      if (width <= 0) return;
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
      const zooms = event.ctrlKey || event.metaKey || !scrolls;
      if (sideways === 0 && !zooms) return;
      event.preventDefault();
      const x = event.clientX - (element?.getBoundingClientRect().left ?? 0) - left;
      if (sideways !== 0) offsets.pan(sideways / 800);
      else offsets.zoom(Math.exp(event.deltaY / 400), Math.min(1, Math.max(0, x / width)));
    };
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, []);
  return {
    onPointerDown: (event: PointerEvent) => {
      dragged.current = false;
      if (event.button === 0) held.current = { x: event.clientX, view: offsets.shown, moved: false };
    },
    /** True while the pointer drags. */
    moves: (event: PointerEvent): boolean => {
      const now = held.current;
      if (!now) return false;
      if (!now.moved && Math.abs(event.clientX - now.x) > SLOP) {
        now.moved = dragged.current = true;
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      }
      if (!now.moved || width <= 0) return false;
      const by = ((now.x - event.clientX) / width) * (now.view.to - now.view.from);
      offsets.show({ from: now.view.from + by, to: now.view.to + by });
      return true;
    },
    ends: () => void (held.current = null),
    /** The click that follows a drag picks nothing. */
    wasDrag: () => dragged.current,
  };
}
