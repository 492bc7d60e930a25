// The canvas of the timeline: bands, the curves over them, lanes above, and everything a pointer does.
// Positions are in units of the axis; this file alone knows pixels.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { bytes } from "../format";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { colour } from "./echarts";
import { byteStep } from "./scale";
import type { Drawing } from "./use-drawing";
import { narrowest } from "./use-span";
import type { AxisKind } from "./use-span";
import { panSpan, zoomSpan } from "./window";
import type { Span } from "./window";

/** Space left of the bands for byte labels, and above for the lanes. */
export const MARGIN = { left: 72, top: 46 };
const LANE = 11;

export type Mode = "pan" | "zoom" | "select";

export interface BandCanvasProps {
  drawing: Drawing | null;
  axis: AxisKind;
  shown: Span | null;
  extent: Span | null;
  /** Bytes that the vertical axis shows; null fits. */
  range: readonly [number, number] | null;
  mode: Mode;
  height: number;
  label: string;
  /** Lines over the bands: points x, y, x, y … in bytes. */
  lines: readonly { points: Float64Array; colour: string }[];
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

export function BandCanvas(props: BandCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useStore(themeVersion);
  const drag = useRef<Drag | null>(null);
  const [box, setBox] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
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

  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, width, props);
  }, [props.drawing, props.shown?.from, props.shown?.to, props.range, props.lines, props.rulers, props.selected, props.steps, width, props.height, theme]);

  const { shown, extent } = props;
  const least = narrowest(props.axis);
  const perPixel = shown && width > 0 ? (shown.to - shown.from) / width : 0;
  const positionAt = (x: number) => (shown ? shown.from + x * perPixel : 0);
  const local = (event: PointerEvent | WheelEvent) => {
    const edge = canvas.current?.getBoundingClientRect();
    return { x: Math.min(Math.max(event.clientX - (edge?.left ?? 0) - MARGIN.left, 0), width - 1), y: event.clientY - (edge?.top ?? 0) - MARGIN.top };
  };
  const bytesAt = (y: number) => {
    const [low, high] = props.range ?? props.drawing?.reply.bytes ?? [0, 1];
    return Math.max(0, high - ((high - low) * y) / props.height);
  };

  const onWheel = (event: WheelEvent) => {
    if (!shown || !extent) return;
    event.preventDefault();
    const { x, y } = local(event);
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (event.altKey) {
      // Alt zooms the bytes around the pointer.
      const [low, high] = props.range ?? props.drawing?.reply.bytes ?? [0, 1];
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

  const total = props.height + MARGIN.top;
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
        onPointerLeave={() => drag.current === null && props.onHover(null, 0)}
        onDblClick={() => (props.onShow(null), props.onBytes(null))}
      />
      {box && (
        <div
          class="chart-brush"
          style={{ left: `${MARGIN.left + box.x0}px`, width: `${box.x1 - box.x0}px`, top: `${MARGIN.top + (drag.current?.mode === "zoom" ? Math.max(0, box.y0) : 0)}px`, height: `${drag.current?.mode === "zoom" ? box.y1 - box.y0 : props.height}px` }}
        />
      )}
      {props.children}
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, width: number, props: BandCanvasProps): void {
  const { drawing, shown, height } = props;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const full = { width: Math.round((width + MARGIN.left) * ratio), height: Math.round((height + MARGIN.top) * ratio) };
  if (canvas.width !== full.width || canvas.height !== full.height) Object.assign(canvas, full);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width + MARGIN.left, height + MARGIN.top);
  if (!drawing || !shown) return;
  const [low, high] = props.range ?? drawing.reply.bytes;
  const xOf = (position: number) => MARGIN.left + ((position - shown.from) / (shown.to - shown.from)) * width;
  const yOf = (value: number) => MARGIN.top + height - ((value - low) / Math.max(1, high - low)) * height;

  grid(context, width, height, low, high, yOf);
  context.save();
  context.beginPath();
  context.rect(MARGIN.left, MARGIN.top, width, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  // Until the drawing of this window is there, the last one stands in its place, stretched.
  const { from, to, bytes: drawn } = drawing.reply;
  context.drawImage(drawing.image, xOf(from), yOf(drawn[1]), xOf(to) - xOf(from), yOf(drawn[0]) - yOf(drawn[1]));
  for (const line of props.lines) {
    context.strokeStyle = line.colour;
    context.lineWidth = 1.25;
    context.beginPath();
    let y = 0;
    for (let i = 0; i + 1 < line.points.length; i += 2) {
      const x = xOf(line.points[i] ?? 0);
      if (i > 0) context.lineTo(x, y);
      y = yOf(line.points[i + 1] ?? 0);
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }
  if (props.selected) {
    context.fillStyle = colour("area");
    context.fillRect(xOf(props.selected.from), MARGIN.top, xOf(props.selected.to) - xOf(props.selected.from), height);
  }
  context.restore();
  lanes(context, width, drawing, xOf, props.steps ?? []);
  for (const ruler of props.rulers) {
    const x = xOf(ruler.at);
    if (x < MARGIN.left || x > MARGIN.left + width) continue;
    context.strokeStyle = colour("accent");
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, MARGIN.top - 4);
    context.lineTo(x, MARGIN.top + height);
    context.stroke();
    context.setLineDash([]);
    label(context, ruler.name, Math.min(x + 4, MARGIN.left + width - context.measureText(ruler.name).width - 6), MARGIN.top + 12, colour("accent"));
  }
}

function label(context: CanvasRenderingContext2D, text: string, x: number, y: number, ink: string): void {
  const { width } = context.measureText(text);
  context.fillStyle = colour("bg");
  context.globalAlpha = 0.85;
  context.fillRect(x - 3, y - 10, width + 6, 14);
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

function grid(context: CanvasRenderingContext2D, width: number, height: number, low: number, high: number, yOf: (value: number) => number): void {
  const step = byteStep(high - low);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.fillStyle = colour("text-3");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const y = Math.round(yOf(value)) + 0.5;
    context.beginPath();
    context.moveTo(MARGIN.left, y);
    context.lineTo(MARGIN.left + width, y);
    context.stroke();
    if (y > MARGIN.top + 6) context.fillText(bytes(value), MARGIN.left - 8, Math.min(y + 4, MARGIN.top + height - 2));
  }
  context.textAlign = "left";
  context.strokeRect(MARGIN.left + 0.5, MARGIN.top + 0.5, width - 1, height - 1);
}

/** Steps, annotations, and the single moments, each in a lane of its own. */
function lanes(context: CanvasRenderingContext2D, width: number, drawing: Drawing, xOf: (position: number) => number, steps: readonly { name: string; from: number; to: number }[]): void {
  const right = MARGIN.left + width;
  const { spans, marks, from, to } = drawing.reply;
  context.font = "10px system-ui, sans-serif";
  for (const [lane, kind] of (["step", "annotation"] as const).entries()) {
    const y = 1 + lane * (LANE + 3);
    let odd = false;
    const added = kind === "step" ? steps.map((each) => ({ ...each, kind })) : [];
    for (const each of [...spans, ...added]) {
      if (each.kind !== kind) continue;
      const x0 = Math.max(MARGIN.left, xOf(each.from));
      const x1 = Math.min(right, xOf(each.to));
      if (x1 <= x0) continue;
      odd = !odd;
      context.fillStyle = colour(odd ? "bg-3" : "line");
      context.fillRect(x0, y, Math.max(1, x1 - x0 - 1), LANE);
      if (x1 - x0 > 26) {
        context.save();
        context.beginPath();
        context.rect(x0, y, x1 - x0 - 2, LANE);
        context.clip();
        context.fillStyle = colour("text-2");
        context.fillText(each.name, x0 + 3, y + 9);
        context.restore();
      }
    }
  }
  const y = 1 + 2 * (LANE + 3);
  const step = (to - from) / Math.max(1, marks.length);
  const inks = [colour("bad"), colour("accent"), colour("good"), colour("watch")];
  for (const [column, flags] of marks.entries()) {
    if (flags === 0) continue;
    const x = xOf(from + column * step);
    if (x < MARGIN.left || x > right) continue;
    for (let bit = 0; bit < 4; bit++) {
      if ((flags & (1 << bit)) === 0) continue;
      context.fillStyle = inks[bit] ?? "";
      const tall = bit === 0 ? LANE + 3 : bit === 1 ? LANE : LANE / 2;
      context.fillRect(x, y + (bit === 3 ? LANE / 2 : 0), bit === 0 ? 2 : 1, tall);
    }
  }
}
