// Two curves on one axis: A dashed, B solid, what differs shaded. Drawn on an own canvas, because the shade lies between
// two curves and changes its colour where they cross.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { colour } from "../charts/echarts";
import { roundStep } from "../charts/scale";
import { LazyTable } from "../components/lazy-table";
import { Picture } from "../components/picture";
import { useWidth } from "../components/use-width";
import { Size } from "../components/basics";
import { axisBytes, bytes, count, percent, span } from "../format";
import { useTexts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { signed } from "./diff";
import { diffInk } from "./inks";
import type { CompareCurves, CurvePair } from "./types";

const HEIGHT = 260;
const LEFT = 74;
const BOTTOM = 24;
const TOP = 10;
/** Rows of the table. */
const PARTS = 20;

function byteStep(most: number): number {
  let step = 1;
  while (most / step > 6) step *= 2;
  return step;
}

/** Where the axis is labelled, from 0 to 1: steps at whole numbers. */
function shares(curves: CompareCurves): number[] {
  if (curves.axis !== "step") return [0, 0.25, 0.5, 0.75, 1];
  const step = Math.max(1, roundStep(curves.end / 8));
  return Array.from({ length: Math.floor(curves.end / step) + 1 }, (_, i) => (i * step) / curves.end);
}

export function DiffCurves({ curves, pair }: { curves: CompareCurves; pair: CurvePair }) {
  const t = useTexts();
  const theme = useStore(themeVersion);
  const [frame, width] = useWidth(200);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [column, setColumn] = useState<number | null>(null);
  const columns = pair.a_max.length;
  const plot = width - LEFT - 8;
  const most = Math.max(1, ...[...pair.a_max, ...pair.b_max].map((value) => value ?? 0));
  const step = byteStep(most);
  const at = (share: number): string =>
    curves.axis === "event" ? percent(share, 0) : curves.axis === "time" ? span(share * curves.end * 1000) : count(Math.floor(share * curves.end + 1e-6));

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !canvas.current || width === 0) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(HEIGHT * ratio);
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, HEIGHT);
    const top = Math.ceil(most / step) * step;
    const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP);
    const x = (i: number) => LEFT + (i / Math.max(1, columns)) * plot;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colour("text-3");
    context.strokeStyle = colour("line");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let value = 0; value <= top; value += step) {
      context.beginPath();
      context.moveTo(LEFT, Math.round(y(value)) + 0.5);
      context.lineTo(width - 8, Math.round(y(value)) + 0.5);
      context.stroke();
      context.fillText(axisBytes(value, step), LEFT - 6, y(value));
    }
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const share of shares(curves)) context.fillText(at(share), Math.min(width - 24, Math.max(LEFT + 10, LEFT + share * plot)), HEIGHT - 8);
    // The shade column by column: above A in the colour of more, below it in that of less.
    for (let i = 0; i < columns; i++) {
      const [a, b] = [pair.a_max[i] ?? null, pair.b_max[i] ?? null];
      if (a === null || b === null || a === b) continue;
      context.fillStyle = diffInk(b - a, 0.32);
      context.fillRect(x(i), Math.min(y(a), y(b)), x(i + 1) - x(i) + 0.3, Math.abs(y(a) - y(b)));
    }
    const line = (values: (number | null)[], least: (number | null)[], ink: string, dashes: number[]) => {
      context.strokeStyle = ink;
      context.lineWidth = 1.6;
      context.setLineDash(dashes);
      context.beginPath();
      let pen = false;
      values.forEach((value, i) => {
        const low = least[i] ?? null;
        if (value === null || low === null) {
          pen = false;
          return;
        }
        const middleX = (x(i) + x(i + 1)) / 2;
        if (pen) context.lineTo(middleX, y(value));
        else context.moveTo(middleX, y(value));
        // A column in which the curve falls deep shows how deep.
        if (dashes.length === 0 && value - low > top * 0.004) {
          context.lineTo(middleX, y(low));
          context.lineTo(middleX, y(value));
        }
        pen = true;
      });
      context.stroke();
      context.setLineDash([]);
    };
    line(pair.b_max, pair.b_min, colour("series-requested"), []);
    line(pair.a_max, pair.a_min, colour("text"), [6, 4]);
    for (const [position, name] of [[curves.a_at, "A"], [curves.b_at, "B"]] as const) {
      const mark = Math.round(LEFT + Math.min(1, position / curves.end) * plot) + 0.5;
      context.strokeStyle = name === "A" ? colour("text") : colour("series-requested");
      context.lineWidth = 1;
      context.setLineDash(name === "A" ? [3, 3] : []);
      context.beginPath();
      context.moveTo(mark, TOP);
      context.lineTo(mark, HEIGHT - BOTTOM);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = context.strokeStyle;
      context.textAlign = mark > width - 40 ? "right" : "left";
      context.fillText(name, mark + (mark > width - 40 ? -4 : 4), name === "A" ? TOP + 10 : TOP + 22);
    }
  }, [curves, pair, width, theme, t]);

  // Parts of the axis, each by what the two reach at most in it.
  const rows = useCallback(
    () =>
      Array.from({ length: Math.min(PARTS, columns) }, (_, part) => {
        const [from, to] = [part, part + 1].map((each) => Math.floor((each * columns) / Math.min(PARTS, columns)));
        const most = (values: (number | null)[]) => values.slice(from, to).reduce<number | null>((high, value) => (value === null ? high : Math.max(high ?? value, value)), null);
        const [a, b] = [most(pair.a_max), most(pair.b_max)];
        return [at((from ?? 0) / columns), <Size key="a" of={a} />, <Size key="b" of={b} />, a === null || b === null ? "–" : signed(b - a)];
      }),
    [curves, pair, t],
  );
  const [a, b] = column === null ? [null, null] : [pair.a_max[column] ?? null, pair.b_max[column] ?? null];
  return (
    <>
      <div ref={frame} class="chart diff-curves">
        <canvas
          ref={canvas}
          role="img"
          aria-label={t.compare.curvesDescribe(t.compare.curveNames[pair.curve])}
          style={{ width: `${width}px`, height: `${HEIGHT}px` }}
          onPointerMove={(event) => {
            const edge = event.currentTarget.getBoundingClientRect();
            const share = (event.clientX - edge.left - LEFT) / Math.max(1, plot);
            setColumn(share < 0 || share >= 1 ? null : Math.floor(share * columns));
          }}
          onPointerLeave={() => setColumn(null)}
        />
        <Picture name="comparison" />
        {column !== null && (
          <div class="chart-tip" style={column > columns / 2 ? { left: `${LEFT + 8}px` } : { right: "16px" }}>
            <div>
              <span class="faint">{t.compare.axes[curves.axis]}</span>
              <span>{at((column + 0.5) / columns)}</span>
            </div>
            <div>
              <span>A</span>
              <b>{a === null ? "–" : bytes(a)}</b>
            </div>
            <div>
              <span>B</span>
              <b>{b === null ? "–" : bytes(b)}</b>
            </div>
            {a !== null && b !== null && (
              <div>
                <span>B − A</span>
                <b>{signed(b - a)}</b>
              </div>
            )}
          </div>
        )}
      </div>
      <LazyTable label={t.curves.table} name={`${t.compare.curveNames[pair.curve]} – ${t.curves.asTable}`} head={[t.compare.axes[curves.axis], "A", "B", "B − A"]} rows={rows} />
    </>
  );
}
