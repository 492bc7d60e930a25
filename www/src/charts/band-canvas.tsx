// The canvas of the timeline: bands and curves, lanes above, and everything a pointer does. Positions are
// in units of the axis; this file alone knows pixels.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Picture } from "../components/picture";
import { LaneTip } from "../components/lane-tip";
import { axisBytes, span as spanText } from "../format";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { drawBands, yAt } from "./band-draw";
import type { Scale } from "./band-draw";
import { lanesAt } from "./band-lanes";
import { MARGIN } from "./band-margin";
import type { Drawing, Painter } from "./use-drawing";
import { PATIENCE } from "./use-patience";
import { narrowest } from "./use-span";
import type { AxisKind } from "./use-span";
import { panSpan, zoomSpan } from "./window";
import type { Span } from "./window";

export type Mode = "pan" | "zoom" | "select";

export interface BandCanvasProps {
  drawing: Drawing | null;
  /** Set to what puts an answer on the canvas before `drawing` tells of it. */
  painter: Painter;
  axis: AxisKind;
  shown: Span | null;
  extent: Span | null;
  /** Bytes that the vertical axis shows; null fits. */
  range: readonly [number, number] | null;
  mode: Mode;
  height: number;
  label: string;
  /** Positions marked by a vertical line. */
  rulers: readonly { at: number; name: string }[];
  selected: Span | null;
  /** Steps that are not the file's own. */
  steps?: readonly { name: string; from: number; to: number }[];
  onSize: (width: number) => void;
  onShow: (span: Span | null) => void;
  onBytes: (range: readonly [number, number] | null) => void;
  onSelect: (span: Span | null) => void;
  onHover: (x: number | null, y: number) => void;
  onPick: (x: number, y: number) => void;
  children?: ComponentChildren;
}

interface Drag {
  x: number;
  y: number;
  view: Span;
  mode: Mode;
  moved: boolean;
}

/** What is left of a jump of the vertical axis after each frame. */
const EASE = 0.6;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function BandCanvas(props: BandCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useStore(themeVersion);
  const drag = useRef<Drag | null>(null);
  const [box, setBox] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  const [cross, setCross] = useState<{ x: number; y: number } | null>(null);
  const [inLanes, setInLanes] = useState<{ x: number; y: number } | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      const now = Math.max(64, Math.floor(element.clientWidth - MARGIN.left));
      setWidth(now);
      latest.current.onSize(now);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  // The vertical axis glides to where it belongs, so that panning over a peak does not make it jump.
  const scale = useRef<Scale | null>(null);
  const gliding = useRef(0);
  const told = useRef<Drawing | null>(null);
  const waiting = useRef(0);
  const paint = () => {
    cancelAnimationFrame(gliding.current);
    clearTimeout(waiting.current);
    waiting.current = 0;
    const now = latest.current;
    const aim = now.range ?? now.drawing?.reply.bytes;
    if (!canvas.current || width === 0 || !aim) return;
    const [low, high] = aim;
    const before = scale.current;
    const far = before && Math.max(Math.abs(before.low - low), Math.abs(before.high - high)) > (high - low) * 0.004;
    scale.current = before && far && !still() ? { low: low + (before.low - low) * EASE, high: high + (before.high - high) * EASE } : { low, high };
    drawBands(canvas.current, width, now, scale.current);
    const arrived = scale.current.low === low && scale.current.high === high;
    if (frame.current) frame.current.dataset["still"] = arrived && now.drawing !== null ? "yes" : "";
    if (now.drawing && told.current !== now.drawing) {
      told.current = now.drawing;
      // Only the last one is kept; whoever measures listens.
      performance.clearMeasures("redraw");
      performance.measure("redraw", { start: now.drawing.began });
    }
    if (!arrived) gliding.current = requestAnimationFrame(paint);
  };
  const paintSoon = () => {
    const { drawing, shown } = latest.current;
    // A request for everything names no bounds.
    const from = drawing?.request.from ?? drawing?.reply.from;
    const to = drawing?.request.to ?? drawing?.reply.to;
    if (!drawing || (from === shown?.from && to === shown?.to)) return paint();
    if (frame.current) frame.current.dataset["still"] = "";
    // Only then the last drawing stands in, stretched, for the next one.
    if (waiting.current === 0) waiting.current = window.setTimeout(paint, PATIENCE);
  };
  // The picture comes first, and what is rendered around it after it.
  props.painter.current = (drawing) => {
    latest.current = { ...latest.current, drawing };
    paintSoon();
  };
  useLayoutEffect(() => {
    if (told.current !== props.drawing) paintSoon();
  }, [props.drawing]);
  useLayoutEffect(paintSoon, [props.shown?.from, props.shown?.to, props.range, props.rulers, props.selected, props.steps, width, props.height, theme]);
  useEffect(() => () => (cancelAnimationFrame(gliding.current), clearTimeout(waiting.current)), []);

  const { shown, extent } = props;
  const least = narrowest(props.axis);
  const perPixel = shown && width > 0 ? (shown.to - shown.from) / width : 0;
  const positionAt = (x: number) => (shown ? shown.from + x * perPixel : 0);
  const local = (event: PointerEvent | WheelEvent) => {
    const edge = canvas.current?.getBoundingClientRect();
    return { x: Math.min(Math.max(event.clientX - (edge?.left ?? 0) - MARGIN.left, 0), width - 1), y: event.clientY - (edge?.top ?? 0) - MARGIN.top };
  };
  const bytesShown = (): readonly [number, number] => props.range ?? props.drawing?.reply.bytes ?? [0, 1];
  const bytesAt = (y: number) => {
    const [low, high] = bytesShown();
    return Math.max(0, high - ((high - low) * y) / props.height);
  };

  const onWheel = (event: WheelEvent) => {
    if (!shown || !extent) return;
    event.preventDefault();
    const { x, y } = local(event);
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (event.altKey) {
      // Alt zooms the bytes around the pointer.
      const [low, high] = bytesShown();
      const factor = Math.exp(event.deltaY / 400);
      const anchor = bytesAt(y);
      props.onBytes(factor > 1 && (high - low) * factor >= (props.drawing?.reply.bytes[1] ?? high) ? null : [Math.max(0, Math.round(anchor - (anchor - low) * factor)), Math.round(anchor + (high - anchor) * factor)]);
    } else if (sideways !== 0) props.onShow(panSpan(shown, sideways / 800, extent, least));
    else props.onShow(zoomSpan(shown, Math.exp(event.deltaY / 400), x / Math.max(1, width), extent, least));
  };
  // Preact adds wheel listeners as passive ones, which may not keep the page from scrolling.
  const wheel = useRef(onWheel);
  wheel.current = onWheel;
  useEffect(() => {
    const element = canvas.current;
    const listener = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, []);

  const onPointerDown = (event: PointerEvent) => {
    if (!shown || event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    const mode: Mode = event.shiftKey ? "zoom" : event.ctrlKey || event.metaKey ? "select" : props.mode;
    drag.current = { ...local(event), view: shown, mode, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, y } = local(event);
    const held = drag.current;
    setCross(y >= 0 && y < props.height ? { x, y } : null);
    setInLanes(y < 0 && !held ? { x, y: y + MARGIN.top } : null);
    if (!held) {
      props.onHover(x, y);
      return;
    }
    if (Math.abs(x - held.x) + Math.abs(y - held.y) > 4) held.moved = true;
    if (!held.moved || !extent) return;
    if (held.mode === "pan") props.onShow(panSpan(held.view, (held.x - x) / Math.max(1, width), extent, least));
    else setBox({ x0: Math.min(held.x, x), x1: Math.max(held.x, x), y0: Math.min(held.y, y), y1: Math.max(held.y, y) });
  };
  const onPointerUp = (event: PointerEvent) => {
    const held = drag.current;
    drag.current = null;
    if (held && extent && !held.moved) {
      const { x, y } = local(event);
      props.onPick(x, y);
    } else if (held && extent && box) {
      const span = { from: positionAt(box.x0), to: positionAt(box.x1) };
      if (held.mode === "select") props.onSelect(span);
      else {
        if (box.y1 - box.y0 > 8) props.onBytes([Math.round(bytesAt(box.y1)), Math.round(bytesAt(box.y0))]);
        if (box.x1 - box.x0 > 3) props.onShow(zoomSpan(span, 1, 0.5, extent, least));
      }
    }
    setBox(null);
  };

  const total = props.height + MARGIN.top + MARGIN.bottom;
  const isBox = drag.current?.mode === "zoom";
  const [low, high] = bytesShown();
  return (
    <div ref={frame} class="bands" style={{ height: `${total}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.label}
        class={`bands-canvas ${props.mode}`}
        style={{ width: `${width + MARGIN.left}px`, height: `${total}px` }}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => ((drag.current = null), setBox(null))}
        onPointerLeave={() => (setCross(null), setInLanes(null), drag.current === null && props.onHover(null, 0))}
        onDblClick={() => (props.onShow(null), props.onBytes(null))}
      />
      {props.drawing && <Picture name="timeline" />}
      {cross && !box && (
        <>
          <div class="chart-cross" style={{ left: `${MARGIN.left + cross.x}px`, top: `${MARGIN.top}px`, height: `${props.height}px`, bottom: "auto" }} />
          <div class="chart-level" style={{ left: `${MARGIN.left}px`, top: `${MARGIN.top + cross.y}px`, width: `${width}px` }} />
          <div class="chart-reading" style={{ top: `${MARGIN.top + yAt(bytesAt(cross.y), { low, high }, props.height) - 8}px`, width: `${MARGIN.left - 6}px` }}>
            {axisBytes(bytesAt(cross.y), (high - low) / 40)}
          </div>
          {props.axis === "time" && (
            <div class="chart-reading below" style={{ left: `${MARGIN.left + Math.min(Math.max(cross.x, 40), width - 40)}px`, top: `${MARGIN.top + props.height + 3}px` }}>
              {spanText(positionAt(cross.x), perPixel)}
            </div>
          )}
        </>
      )}
      {box && <div class="chart-brush" style={{ left: `${MARGIN.left + box.x0}px`, width: `${box.x1 - box.x0}px`, top: `${MARGIN.top + (isBox ? Math.max(0, box.y0) : 0)}px`, height: `${isBox ? box.y1 - box.y0 : props.height}px` }} />}
      {inLanes && !box && props.drawing && shown && <LaneTip {...lanesAt(props.drawing.reply, width, shown, props.steps ?? [], inLanes.x, inLanes.y)} axis={props.axis} x={inLanes.x} width={width} />}
      {props.children}
    </div>
  );
}
