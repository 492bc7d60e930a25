// Areas in two levels: groups with their parts inside. A click goes into what was clicked. The inferred
// share of each area is hatched.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Picture } from "../components/picture";
import { PointerTip } from "../components/pointer-tip";
import { bytes, middle, percent } from "../format";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { colour } from "./echarts";
import { squarify } from "./treemap-layout";
import type { Box } from "./treemap-layout";

export interface Area {
  key: string;
  name: string;
  bytes: number;
  inferred: number;
  ink: string;
  /** Part of what is chosen. */
  chosen?: boolean;
  parts?: readonly Area[];
}

interface Drawn extends Box {
  area: Area;
  /** The group it lies in; null for a group itself. */
  group: Area | null;
}

const HEAD = 18;

export function Treemap(props: { areas: readonly Area[]; label: string; height: number; inferredText: (share: string) => string; onOpen: (group: string, part: string | null) => void }) {
  const theme = useStore(themeVersion);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [hover, setHover] = useState<{ box: Drawn; x: number; y: number } | null>(null);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const boxes = useMemo(() => layOut(props.areas, width, props.height), [props.areas, width, props.height]);
  const drawn = useRef(theme);
  useLayoutEffect(() => {
    const paint = () => canvas.current && width > 0 && draw(canvas.current, width, props.height, boxes);
    // In a task of its own, since the tables beside it are made in this one; at once where only the theme
    // changed, as it does before printing.
    if (drawn.current !== theme) paint();
    drawn.current = theme;
    const frame = requestAnimationFrame(paint);
    return () => cancelAnimationFrame(frame);
  }, [boxes, theme]);

  const under = (event: PointerEvent | MouseEvent): Drawn | null => {
    const edge = canvas.current?.getBoundingClientRect();
    const x = event.clientX - (edge?.left ?? 0);
    const y = event.clientY - (edge?.top ?? 0);
    // Parts come after their group and lie over it.
    return boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) ?? null;
  };
  return (
    <div ref={frame} class="treemap" style={{ height: `${props.height}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.label}
        style={{ width: `${width}px`, height: `${props.height}px` }}
        onPointerMove={(event) => {
          const box = under(event);
          setHover(box && { box, x: event.clientX, y: event.clientY });
        }}
        onPointerLeave={() => setHover(null)}
        onClick={(event) => {
          const box = under(event);
          if (box) props.onOpen((box.group ?? box.area).key, box.group && box.area.key);
        }}
      />
      <Picture name="areas" />
      {hover && (
        <PointerTip x={hover.x} y={hover.y}>
          {hover.box.group && <div class="faint">{hover.box.group.name}</div>}
          <div class="mono wrap">{hover.box.area.name}</div>
          <div>
            <b>{bytes(hover.box.area.bytes)}</b>
            {hover.box.area.inferred > 0 && <span class="faint">{props.inferredText(percent(hover.box.area.inferred / hover.box.area.bytes))}</span>}
          </div>
        </PointerTip>
      )}
    </div>
  );
}

function layOut(areas: readonly Area[], width: number, height: number): Drawn[] {
  const drawn: Drawn[] = [];
  const groups = squarify(
    areas.map((area) => area.bytes),
    { x: 0, y: 0, width, height },
  );
  for (const [i, area] of areas.entries()) {
    const box = groups[i];
    if (!box) continue;
    drawn.push({ ...box, area, group: null });
    const parts = area.parts ?? [];
    if (parts.length === 0 || box.width < 8 || box.height < HEAD + 8) continue;
    const inner = squarify(
      parts.map((part) => part.bytes),
      { x: box.x + 1, y: box.y + HEAD, width: box.width - 3, height: box.height - HEAD - 2 },
    );
    for (const [j, part] of parts.entries()) {
      const place = inner[j];
      if (place && place.width >= 1 && place.height >= 1) drawn.push({ ...place, area: part, group: area });
    }
  }
  return drawn;
}

function draw(canvas: HTMLCanvasElement, width: number, height: number, boxes: readonly Drawn[]): void {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  context.clearRect(0, 0, width, height);
  for (const box of boxes) {
    const { x, y, area } = box;
    const [wide, high] = [Math.max(0.5, box.width - 1), Math.max(0.5, box.height - 1)];
    const isGroup = box.group === null;
    const inside = isGroup && (area.parts?.length ?? 0) > 0;
    context.globalAlpha = inside ? 0.35 : 0.92;
    context.fillStyle = area.ink;
    context.fillRect(x, y, wide, high);
    context.globalAlpha = 1;
    if (!inside && area.inferred > 0) hatch(context, x, y, wide, high, area.inferred / Math.max(1, area.bytes));
    if (area.chosen) {
      context.strokeStyle = colour("chosen");
      context.lineWidth = 3;
      context.strokeRect(x + 1.5, y + 1.5, Math.max(0, wide - 3), Math.max(0, high - 3));
    }
    if (wide < 42 || high < 14) continue;
    context.save();
    context.beginPath();
    context.rect(x, y, wide, high);
    context.clip();
    const text = `${middle(area.name, Math.floor((wide - 8) / 6.2))}`;
    if (inside) {
      context.fillStyle = colour("text");
      context.font = "600 11px system-ui, sans-serif";
      context.fillText(`${text}  ${bytes(area.bytes)}`, x + 5, y + 13);
    } else {
      context.font = "11px system-ui, sans-serif";
      // A plate under the words: they stay readable on every ink and on the hatching.
      const lines = high >= 32 ? [text, bytes(area.bytes)] : [text];
      const widest = Math.max(...lines.map((line) => context.measureText(line).width));
      context.fillStyle = colour("bg");
      context.globalAlpha = 0.78;
      context.fillRect(x + 2, y + 2, Math.min(wide - 4, widest + 6), lines.length * 14 + 2);
      context.globalAlpha = 1;
      context.fillStyle = colour("text");
      for (const [i, line] of lines.entries()) context.fillText(line, x + 5, y + 13 + i * 14);
    }
    context.restore();
  }
}

/** Slanted lines over the right `share` of a box. */
function hatch(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, share: number): void {
  const from = x + width * (1 - Math.min(1, share));
  context.save();
  context.beginPath();
  context.rect(from, y, x + width - from, height);
  context.clip();
  context.strokeStyle = colour("bg");
  context.globalAlpha = 0.6;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = from - height; at < x + width; at += 7) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}
