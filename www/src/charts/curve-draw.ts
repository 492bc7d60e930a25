// How ECharts is told to draw the curves, and the same curves as rows of a table.

import type { ReplyTo, Request } from "../core/protocol";
import { axisBytes, count, span as spanText } from "../format";
import { colour } from "./echarts";
import type { EChartsType } from "./echarts";
import { byteStep } from "./scale";
import type { AxisKind } from "./use-span";
import type { Span } from "./window";

export type Curves = ReplyTo<Extract<Request, { type: "curves" }>>;

/** The plot within the drawing, in pixels. */
export const PLOT = { left: 84, right: 16, top: 14, bottom: 28 };

/** The greatest value of each curve in each of `columns` parts of the window. */
export function sampled(data: { from: number; to: number; lines: readonly { points: Float64Array }[] }, columns: number): [number, number[]][] {
  const width = (data.to - data.from) / columns;
  return Array.from({ length: columns }, (_, column) => {
    const from = data.from + column * width;
    const values = data.lines.map(({ points }) => {
      let value = 0;
      let most = -1;
      for (let i = 0; i + 1 < points.length; i += 2) {
        const x = points[i] ?? 0;
        if (x >= from + width && column + 1 < columns) break;
        value = points[i + 1] ?? 0;
        if (x >= from) most = Math.max(most, value);
      }
      return most < 0 ? value : most;
    });
    return [from, values];
  });
}

export function lastOf(data: Curves): number {
  const points = data.lines.find((line) => line.kind === "requested")?.points;
  return points?.[points.length - 1] ?? 0;
}

/** Least and greatest value of the curves that are shown; from zero up unless it is to fill the height. */
export function rangeOf(data: Pick<Curves, "lines">, hidden: ReadonlySet<string>, fill: boolean): { least: number; most: number } {
  let least = Infinity;
  let most = 0;
  for (const { kind, points } of data.lines) {
    if (hidden.has(kind)) continue;
    for (let i = 1; i < points.length; i += 2) {
      const value = points[i] ?? 0;
      if (value > most) most = value;
      if (value < least) least = value;
    }
  }
  return { least: fill && least < most ? least : 0, most };
}

export function drawCurves(chart: EChartsType, data: Curves, shown: Span, axis: AxisKind, hidden: ReadonlySet<string>, { least, most: peak }: { least: number; most: number }): void {
  const step = byteStep(Math.max(1, peak - least) * 1.06);
  const bottom = Math.max(0, Math.floor((least - (least > 0 ? step * 0.1 : 0)) / step) * step);
  const most = Math.max(bottom + step, Math.ceil((peak + (peak - least) * 0.06) / step) * step);
  const faint = { lineStyle: { color: colour("line") } };
  const label = { color: colour("text-3"), fontSize: 11 };
  chart.setOption(
    {
      animation: false,
      grid: { ...PLOT, containLabel: false, outerBoundsMode: "none" },
      xAxis: {
        type: "value",
        min: shown.from,
        max: shown.to,
        axisLine: { lineStyle: { color: colour("line-2") } },
        splitLine: { show: false },
        axisLabel: {
          ...label,
          showMinLabel: false,
          showMaxLabel: false,
          hideOverlap: true,
          formatter: (value: number) => (axis === "time" ? spanText(value, (shown.to - shown.from) / 20) : Number.isInteger(value) ? count(value) : ""),
        },
      },
      yAxis: { type: "value", axisLine: { show: false }, axisTick: { show: false }, min: bottom, max: most, interval: step, splitLine: faint, axisLabel: { ...label, formatter: (value: number) => axisBytes(value, step) } },
      series: data.lines.map((line) => ({
        id: line.kind,
        type: "line",
        step: "end",
        showSymbol: false,
        silent: true,
        dimensions: ["x", "y"],
        data: hidden.has(line.kind) ? [] : line.points,
        lineStyle: { width: line.kind === "requested" ? 1.6 : 1.2, color: colour(`series-${line.kind}`), type: line.kind === "reserved" ? "dashed" : "solid" },
        ...(line.kind === "requested" ? { areaStyle: { color: colour("area"), origin: "start" } } : {}),
        z: line.kind === "requested" ? 3 : 2,
      })),
    },
    { notMerge: false, lazyUpdate: false, silent: true },
  );
}
