// A chart of a report: drawn when it comes into view or before printing, with zoom and the same figures as a table.
// SVG, so that paper shows it sharp.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import type { EChartsType } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { Table } from "../components/basics";
import { colour } from "../charts/colour";
import { useTexts } from "../i18n";
import { themeVersion, useSettings } from "../state/settings";

use([BarChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent, LabelLayout, SVGRenderer]);

export interface Series {
  name: string;
  data: readonly unknown[];
  [more: string]: unknown;
}
export interface Option {
  series: readonly Series[];
  [more: string]: unknown;
}

/** Draws every chart anew, at a width of its own where paper asks for it. */
export function drawAll(width?: number): void {
  for (const draw of drawings) draw(width);
}
const drawings = new Set<(width?: number) => void>();

/** Names come from files and tips are markup. */
export const plain = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export const ink = () => ({
  axisLabel: { color: colour("text-3"), fontSize: 11 },
  splitLine: { lineStyle: { color: colour("line") } },
  axisLine: { lineStyle: { color: colour("line-2") } },
  nameTextStyle: { color: colour("text-3"), fontSize: 11 },
});

/** Between a chart's edges and its plot, in pixels. */
const SIDES = { left: 76, right: 20 };

/** For labels at points: of those that would cover one another the longer shows, and none reaches over the plot's sides. */
export const apart = (width: () => number) => (params: { labelRect: { x: number; width: number } }) => {
  const { x, width: wide } = params.labelRect;
  return { hideOverlap: true, dx: Math.max(SIDES.left - x, 0) || Math.min(width() - SIDES.right - x - wide, 0) };
};

/** The parts that all charts share. */
export const frame = (more: { zoom?: boolean; legend?: boolean; left?: number; right?: number } = {}) => ({
  animation: false,
  grid: { left: more.left ?? SIDES.left, right: more.right ?? SIDES.right, top: more.legend === false ? 14 : 40, bottom: more.zoom ? 74 : 44 },
  ...(more.legend === false ? {} : { legend: { top: 4, left: 8, itemWidth: 14, itemHeight: 8, textStyle: { color: colour("text-2"), fontSize: 12 } } }),
  ...(more.zoom
    ? {
        dataZoom: [
          { type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, moveOnMouseWheel: false },
          { type: "slider", filterMode: "none", height: 18, bottom: 8, borderColor: colour("line"), fillerColor: colour("area"), textStyle: { color: colour("text-3"), fontSize: 10 }, dataBackground: { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } }, brushSelect: false },
        ],
      }
    : {}),
});

export const tip = () => ({ confine: true, backgroundColor: colour("bg"), borderColor: colour("line-2"), textStyle: { color: colour("text"), fontSize: 12 } });

export interface TableOf {
  head: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  text?: readonly number[];
}

export function Chart(props: { name: string; label: string; height: number; option: (width: () => number) => Option; onPick?: (place: number) => void; table?: TableOf; note?: ComponentChildren }) {
  const t = useTexts();
  const { language } = useSettings();
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const at = element.current;
    if (!at) return;
    let chart: EChartsType | undefined;
    const draw = (width?: number) => {
      chart?.dispose();
      const { option, height, onPick } = latest.current;
      chart = init(at, null, { renderer: "svg", height, ...(width === undefined ? {} : { width }) });
      const made = option(() => chart?.getWidth() ?? 0);
      chart.setOption(made);
      chart.getZr().flush();
      if (onPick) chart.on("click", (event) => latest.current.onPick?.(event.dataIndex));
      at.dataset["points"] = made.series.map((series) => series.data.length).join(" ");
    };
    drawings.add(draw);
    // The first drawing waits until it can be seen; later ones follow the theme.
    const seen = new IntersectionObserver(
      (entries) => {
        if (!chart && entries.some((entry) => entry.isIntersecting)) draw();
      },
      { rootMargin: "200px" },
    );
    seen.observe(at);
    const watch = new ResizeObserver(() => chart?.resize({ width: at.clientWidth }));
    watch.observe(at);
    const stop = themeVersion.subscribe(() => chart && draw());
    return () => {
      drawings.delete(draw);
      seen.disconnect();
      watch.disconnect();
      stop();
      chart?.dispose();
    };
  }, [language]);
  return (
    <figure class="report-figure">
      <div class="chart" style={{ minHeight: `${props.height + 10}px` }}>
        <div ref={element} class="report-chart" data-chart={props.name} role="img" aria-label={props.label} style={{ height: `${props.height}px` }} />
      </div>
      {props.note !== undefined && <figcaption class="faint">{props.note}</figcaption>}
      {props.table && (
        <details class="chart-table">
          <summary>{t.curves.asTable}</summary>
          <Table label={`${props.label} – ${t.curves.asTable}`} {...props.table} />
        </details>
      )}
    </figure>
  );
}

/** The value in force at a place of a series; null before its first point. */
export function valueAt(x: readonly number[], value: readonly number[], at: number): number | null {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return value[low - 1] ?? null;
}

/** At most `most` places of a list, evenly, first and last among them. */
export function spread(length: number, most: number): number[] {
  if (length <= most) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (length - 1)) / (most - 1)));
}
