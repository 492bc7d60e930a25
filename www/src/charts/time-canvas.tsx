// A canvas over a stretch of time. It knows its width and what the pointer does; drawing is given.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { listen } from "../../../src/export/ops_page/surface";
import type { Mode } from "../../../src/export/ops_page/surface";
import { Picture } from "../components/picture";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import type { Span } from "./window";

export type { Mode };

export interface TimeCanvasProps {
  /** Pixels left of the plot, for names or figures. */
  left: number;
  height: number;
  label: string;
  shown: Span | null;
  extent: Span | null;
  mode: Mode;
  draw: (canvas: HTMLCanvasElement, width: number) => void;
  /** Draws again when one of these changes. */
  of: readonly unknown[];
  onWidth: (width: number) => void;
  onShow: (span: Span | null) => void;
  onSelect: (span: Span | null) => void;
  onHover: (point: { x: number; y: number } | null) => void;
  onPick: (x: number, y: number) => void;
  /** Where the pointer of any canvas of the same time stands, as a position. */
  cross: number | null;
  children?: ComponentChildren;
}

/** The narrowest window worth drawing, in nanoseconds. */
export const NARROWEST = 1000;

export function TimeCanvas(props: TimeCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [box, setBox] = useState<{ from: number; to: number } | null>(null);
  const theme = useStore(themeVersion);
  const latest = useRef({ ...props, width });
  latest.current = { ...props, width };

  useLayoutEffect(() => {
    const [element, drawing] = [frame.current, canvas.current];
    if (!element || !drawing) return;
    const watch = new ResizeObserver(() => {
      const now = Math.max(64, Math.floor(element.clientWidth - latest.current.left));
      setWidth(now);
      latest.current.onWidth(now);
    });
    watch.observe(element);
    const stop = listen(drawing, () => ({ ...latest.current, least: NARROWEST, onBox: setBox }));
    return () => {
      stop();
      watch.disconnect();
    };
  }, []);

  useEffect(() => {
    if (canvas.current && width > 0) props.draw(canvas.current, width);
  }, [width, theme, props.height, props.shown?.from, props.shown?.to, ...props.of]);

  const { shown, left } = props;
  const x = shown && props.cross !== null ? left + ((props.cross - shown.from) / (shown.to - shown.from)) * width : -1;
  return (
    <div ref={frame} class="bands" style={{ height: `${props.height}px` }}>
      <canvas ref={canvas} role="img" aria-label={props.label} class={`bands-canvas ${props.mode}`} style={{ width: `${width + left}px`, height: `${props.height}px` }} />
      {x >= left && x <= left + width && <div class="chart-cross" style={{ left: `${x}px` }} />}
      {box && <div class="chart-brush" style={{ left: `${left + box.from}px`, width: `${box.to - box.from}px` }} />}
      <Picture name="operators" />
      {props.children}
    </div>
  );
}
