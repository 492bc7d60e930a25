// The map of a graph as an element: zoomed and panned in both directions, hovered, clicked.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Picture } from "../components/picture";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { BOTTOM, CURVE, GAP, LEFT, draw } from "./ge-draw";
import type { Scene } from "./ge-draw";
import { hit } from "./ge-layout";
import { clampSpan, panSpan, zoomSpan } from "./window";
import type { Span } from "./window";

export interface Area {
  x: Span;
  y: Span;
}

/** The narrowest window: two steps, one unit of memory. */
const LEAST_X = 2;
const LEAST_Y = 512;
const HEIGHT = 560;

export function zoomArea(area: Area, whole: Area, factor: number, anchor: { x: number; y: number }, onlyX = false): Area {
  return { x: zoomSpan(area.x, factor, anchor.x, whole.x, LEAST_X), y: onlyX ? area.y : zoomSpan(area.y, factor, anchor.y, whole.y, LEAST_Y) };
}

export function panArea(area: Area, whole: Area, x: number, y: number): Area {
  return { x: panSpan(area.x, x, whole.x, LEAST_X), y: panSpan(area.y, y, whole.y, LEAST_Y) };
}

/** A window around a box, with some room. */
export function around(box: readonly [number, number, number, number], whole: Area): Area {
  const room = (from: number, to: number, least: number): Span => ({ from: from - Math.max(least, (to - from) * 0.6), to: to + Math.max(least, (to - from) * 0.6) });
  return { x: clampSpan(room(box[0], box[1], 4), whole.x, LEAST_X), y: clampSpan(room(box[2], box[3], 2048), whole.y, LEAST_Y) };
}

type Rect = { x0: number; y0: number; x1: number; y1: number };

export function GeMap(props: {
  scene: Omit<Scene, "x" | "y">;
  area: Area;
  label: string;
  onArea: (area: Area | null) => void;
  onHover: (row: number | null, x: number, y: number, step: number | null) => void;
  onPick: (row: number | null) => void;
}) {
  const { scene, area } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  const [rect, setRect] = useState<Rect | null>(null);
  const theme = useStore(themeVersion);
  const drag = useRef<{ x: number; y: number; area: Area; moved: boolean } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const whole: Area = { x: scene.layout.x, y: scene.layout.y };
  const plotWidth = Math.max(1, width - LEFT - 8);
  const plotHeight = HEIGHT - CURVE - GAP - BOTTOM;

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!canvas.current || !context || width === 0) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(HEIGHT * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, width, HEIGHT, { ...scene, x: area.x, y: area.y });
  }, [scene, area, width, theme]);

  // Preact listens passively; the wheel must not scroll the page while it zooms.
  useEffect(() => {
    const element = canvas.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const now = latest.current;
      const edge = element?.getBoundingClientRect();
      if (!edge) return;
      const x = (event.clientX - edge.left - LEFT) / Math.max(1, edge.width - LEFT - 8);
      const y = 1 - (event.clientY - edge.top - CURVE - GAP) / (HEIGHT - CURVE - GAP - BOTTOM);
      const by = event.deltaY || event.deltaX;
      const bounds: Area = { x: now.scene.layout.x, y: now.scene.layout.y };
      const anchor = { x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) };
      now.onArea(zoomArea(now.area, bounds, Math.exp(Math.max(-1, Math.min(1, by / 300))), anchor, event.shiftKey || y > 1));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const placeOf = (event: MouseEvent) => {
    const edge = canvas.current?.getBoundingClientRect();
    return { x: event.clientX - (edge?.left ?? 0), y: event.clientY - (edge?.top ?? 0) };
  };
  const stepAt = (x: number) => area.x.from + ((x - LEFT) / plotWidth) * (area.x.to - area.x.from);
  const offsetAt = (y: number) => area.y.from + (1 - (y - CURVE - GAP) / plotHeight) * (area.y.to - area.y.from);
  const rowAt = (x: number, y: number) => (x < LEFT || x > LEFT + plotWidth || y < CURVE + GAP || y > CURVE + GAP + plotHeight ? null : hit(scene.layout, stepAt(x), offsetAt(y)));

  // An element over the drawing, so that a hover draws nothing anew.
  const outlineOf = (row: number) => {
    const [from, to, low, high] = Array.from({ length: 4 }, (_, i) => scene.layout.box[row * 4 + i] ?? 0) as [number, number, number, number];
    const x = (step: number) => LEFT + Math.min(1, Math.max(0, (step - area.x.from) / (area.x.to - area.x.from))) * plotWidth;
    const y = (offset: number) => CURVE + GAP + (1 - Math.min(1, Math.max(0, (offset - area.y.from) / (area.y.to - area.y.from)))) * plotHeight;
    return { left: `${x(from) - 1}px`, top: `${y(high) - 1}px`, width: `${Math.max(2, x(to) - x(from) + 2)}px`, height: `${Math.max(2, y(low) - y(high) + 2)}px` };
  };

  return (
    <div ref={frame} class="ge-map">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={props.label}
        data-window={width > 0 ? [area.x.from, area.x.to, area.y.from, area.y.to].map((n) => n.toFixed(2)).join(" ") : undefined}
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const at = placeOf(event);
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { ...at, area, moved: false };
          if (event.shiftKey) setRect({ x0: at.x, y0: at.y, x1: at.x, y1: at.y });
        }}
        onPointerMove={(event) => {
          const at = placeOf(event);
          const began = drag.current;
          if (began && (began.moved || Math.abs(at.x - began.x) + Math.abs(at.y - began.y) > 4)) {
            began.moved = true;
            if (rect) setRect({ ...rect, x1: at.x, y1: at.y });
            else props.onArea(panArea(began.area, whole, -(at.x - began.x) / plotWidth, (at.y - began.y) / plotHeight));
            return;
          }
          const row = rowAt(at.x, at.y);
          setHovered(row);
          props.onHover(row, at.x, at.y, at.x >= LEFT && at.x <= LEFT + plotWidth ? Math.floor(stepAt(at.x)) : null);
        }}
        onPointerUp={(event) => {
          const began = drag.current;
          drag.current = null;
          if (rect) {
            const [left, right] = [Math.min(rect.x0, rect.x1), Math.max(rect.x0, rect.x1)];
            const [top, bottom] = [Math.min(rect.y0, rect.y1), Math.max(rect.y0, rect.y1)];
            setRect(null);
            if (right - left > 4) {
              // A drag along the curve chooses steps alone.
              const y = top > CURVE ? { from: offsetAt(bottom), to: offsetAt(top) } : area.y;
              props.onArea({ x: clampSpan({ from: stepAt(left), to: stepAt(right) }, whole.x, LEAST_X), y: clampSpan(y, whole.y, LEAST_Y) });
              return;
            }
          }
          if (began && !began.moved) {
            const at = placeOf(event);
            props.onPick(rowAt(at.x, at.y));
          }
        }}
        onPointerCancel={() => ((drag.current = null), setRect(null))}
        onPointerLeave={() => {
          setHovered(null);
          props.onHover(null, 0, 0, null);
        }}
        onDblClick={() => props.onArea(null)}
      />
      <Picture name="graph" />
      {hovered !== null && <div class="ge-hovered" style={outlineOf(hovered)} />}
      {rect && (
        <div
          class="ge-rect"
          style={{ left: `${Math.min(rect.x0, rect.x1)}px`, top: `${Math.min(rect.y0, rect.y1)}px`, width: `${Math.abs(rect.x1 - rect.x0)}px`, height: `${Math.abs(rect.y1 - rect.y0)}px` }}
        />
      )}
    </div>
  );
}
