// The whole trace as one small curve, with a brush that is the window of the big drawing above it.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { steady } from "../components/steady";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { colour } from "./echarts";
import { narrowest } from "./use-span";
import type { AxisKind } from "./use-span";
import { clampSpan, panSpan } from "./window";
import type { Span } from "./window";

const HEIGHT = 44;

interface Props {
  points: Float64Array | null;
  extent: Span | null;
  shown: Span | null;
  axis: AxisKind;
  left: number;
  label: string;
  onShow: (span: Span | null) => void;
}

export const Minimap = steady((props: Props) => {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useStore(themeVersion);
  const drag = useRef<{ x: number; span: Span; what: "move" | "from" | "to" | "new" } | null>(null);
  const { points, extent, shown, axis } = props;

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(64, element.clientWidth - props.left)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context || width === 0) return;
    canvas.current.width = width;
    canvas.current.height = HEIGHT;
    if (!points || !extent) return;
    let most = 1;
    for (let i = 1; i < points.length; i += 2) most = Math.max(most, points[i] ?? 0);
    const xOf = (position: number) => ((position - extent.from) / (extent.to - extent.from)) * width;
    context.fillStyle = colour("line-2");
    context.beginPath();
    context.moveTo(0, HEIGHT);
    let y = HEIGHT;
    for (let i = 0; i + 1 < points.length; i += 2) {
      const x = xOf(points[i] ?? 0);
      context.lineTo(x, y);
      y = HEIGHT - ((points[i + 1] ?? 0) / most) * (HEIGHT - 3);
      context.lineTo(x, y);
    }
    context.lineTo(width, HEIGHT);
    context.fill();
  }, [points, extent?.from, extent?.to, width, theme]);

  const positionAt = (x: number) => (extent ? extent.from + (x / Math.max(1, width)) * (extent.to - extent.from) : 0);
  const pixelOf = (position: number) => (extent ? ((position - extent.from) / (extent.to - extent.from)) * width : 0);
  const local = (event: PointerEvent) => event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0);
  const least = narrowest(axis);

  const onPointerDown = (event: PointerEvent) => {
    if (!extent || !shown) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    const x = local(event);
    const [from, to] = [pixelOf(shown.from), pixelOf(shown.to)];
    const whole = to - from > width - 4;
    const what = Math.abs(x - from) < 6 && !whole ? "from" : Math.abs(x - to) < 6 && !whole ? "to" : x > from && x < to && !whole ? "move" : "new";
    drag.current = { x, span: shown, what };
  };
  const onPointerMove = (event: PointerEvent) => {
    const held = drag.current;
    if (!held || !extent) return;
    const x = local(event);
    const { span } = held;
    const width_ = span.to - span.from;
    if (held.what === "move") props.onShow(panSpan(span, (positionAt(x) - positionAt(held.x)) / width_, extent, least));
    else if (held.what === "from") props.onShow(clampSpan({ from: Math.min(positionAt(x), span.to - least), to: span.to }, extent, least));
    else if (held.what === "to") props.onShow(clampSpan({ from: span.from, to: Math.max(positionAt(x), span.from + least) }, extent, least));
    else if (Math.abs(x - held.x) > 3) props.onShow(clampSpan({ from: positionAt(Math.min(x, held.x)), to: positionAt(Math.max(x, held.x)) }, extent, least));
  };

  const left = shown ? Math.max(0, pixelOf(shown.from)) : 0;
  const right = shown ? Math.min(width, pixelOf(shown.to)) : width;
  return (
    <div ref={frame} class="minimap" style={{ paddingLeft: `${props.left}px`, height: `${HEIGHT}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.label}
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
        onDblClick={() => props.onShow(null)}
      />
      <div class="minimap-window" style={{ left: `${props.left + left}px`, width: `${Math.max(2, right - left)}px` }} />
    </div>
  );
});
