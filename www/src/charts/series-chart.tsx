// Small charts of evidence: lines or bars over events or steps, in bytes or shares. A click on a point
// tells which one.

import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { Size } from "../components/basics";
import { LazyTable } from "../components/lazy-table";
import { Picture } from "../components/picture";
import { axisBytes, bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { colour, init } from "./echarts";
import { byteStep } from "./scale";
import { seriesRows } from "./series-rows";

export interface Series {
  name: string;
  points: readonly (readonly [number, number])[];
  kind: "line" | "step" | "bar";
  colour: string;
  unit: "bytes" | "share";
}

/** A line of the tip. As an element: markup would bring styles that the page's policy forbids. */
function tipLine(ink: string, name: string, value: string): HTMLElement {
  const line = document.createElement("div");
  const mark = document.createElement("span");
  mark.className = "category-mark";
  mark.style.background = ink;
  const bold = document.createElement("b");
  bold.textContent = value;
  line.append(mark, `${name} `, bold);
  return line;
}

/** Which line is which, and which of the axes is its own; on paper, too. */
function Legend({ series }: { series: readonly Series[] }) {
  const t = useTexts();
  if (series.length < 2) return null;
  const both = series.some(({ unit }) => unit === "share") && series.some(({ unit }) => unit === "bytes");
  return (
    <div class="legend">
      {series.map(({ name, colour: ink, unit }) => (
        <span key={name}>
          <span class="category-mark" style={{ background: ink }} />
          {name}
          {both && unit === "share" && <span class="faint"> ({t.curves.rightAxis})</span>}
        </span>
      ))}
    </div>
  );
}

export function SeriesChart(props: { label: string; xName: string; series: readonly Series[]; height?: number; onPick?: (x: number) => void }) {
  const element = useRef<HTMLDivElement>(null);
  const theme = useStore(themeVersion);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    if (!element.current) return;
    const chart = init(element.current, null, { renderer: "canvas" });
    const shares = props.series.some((series) => series.unit === "share");
    const most = props.series.reduce((all, series) => (series.unit === "share" ? all : series.points.reduce((high, point) => Math.max(high, point[1]), all)), 1);
    const step = byteStep(most);
    // There is no event or step between two.
    const whole = props.series.every((series) => series.points.every(([x]) => Number.isInteger(x)));
    const axis = { axisLabel: { color: colour("text-3"), fontSize: 11 }, splitLine: { lineStyle: { color: colour("line") } }, axisLine: { lineStyle: { color: colour("line-2") } } };
    chart.setOption({
      animation: false,
      grid: { left: 76, right: shares ? 52 : 16, top: 14, bottom: 40 },
      tooltip: {
        trigger: "axis",
        confine: true,
        backgroundColor: colour("bg"),
        borderColor: colour("line-2"),
        textStyle: { color: colour("text"), fontSize: 12 },
        valueFormatter: undefined,
        formatter: (items: { seriesIndex: number; value: [number, number] }[]) => {
          const head = document.createElement("div");
          head.textContent = `${latest.current.xName} ${items[0]?.value[0]?.toLocaleString("en") ?? ""}`;
          const lines = items.map((item) => {
            const series = latest.current.series[item.seriesIndex];
            return tipLine(series?.colour ?? "", series?.name ?? "", series?.unit === "share" ? percent(item.value[1]) : bytes(item.value[1]));
          });
          return [head, ...lines];
        },
      },
      xAxis: { type: "value", name: props.xName, nameLocation: "middle", nameGap: 24, nameTextStyle: { color: colour("text-3"), fontSize: 11 }, min: "dataMin", max: "dataMax", minInterval: whole ? 1 : 0, ...axis },
      yAxis: [
        { type: "value", min: 0, max: Math.max(1, Math.ceil(most / step)) * step, interval: step, ...axis, axisLabel: { ...axis.axisLabel, formatter: (value: number) => axisBytes(value, step) } },
        ...(shares ? [{ type: "value", min: 0, max: 1, ...axis, splitLine: { show: false }, axisLabel: { ...axis.axisLabel, formatter: (value: number) => percent(value, 0) } }] : []),
      ],
      series: props.series.map((series) => ({
        name: series.name,
        type: series.kind === "bar" ? "bar" : "line",
        step: series.kind === "step" ? "end" : false,
        yAxisIndex: series.unit === "share" ? 1 : 0,
        data: series.points,
        symbol: series.points.length > 60 ? "none" : "circle",
        symbolSize: 5,
        barMaxWidth: 24,
        lineStyle: { width: 1.5 },
        itemStyle: { color: series.colour },
      })),
    });
    chart.on("click", (event) => {
      const value = event.value as [number, number] | undefined;
      if (value) latest.current.onPick?.(value[0]);
    });
    const frame = element.current;
    // It is told once at first, too, where nothing changed and a second drawing would be for nothing.
    const watch = new ResizeObserver(() => {
      if (frame.clientWidth !== chart.getWidth() || frame.clientHeight !== chart.getHeight()) chart.resize();
    });
    watch.observe(frame);
    return () => {
      watch.disconnect();
      chart.dispose();
    };
  }, [props.series, theme]);
  return (
    <>
      <div class="picture-frame">
        <div ref={element} role="img" aria-label={props.label} style={{ height: `${props.height ?? 220}px` }} />
        <Picture name="chart" />
      </div>
      <Legend series={props.series} />
      <SeriesTable {...props} />
    </>
  );
}

/** At most so many rows. */
const ROWS = 40;

/** The same as a table, for those who cannot see the drawing. */
function SeriesTable({ label, xName, series }: { label: string; xName: string; series: readonly Series[] }) {
  const t = useTexts();
  const rows = useCallback(
    () => seriesRows(series, ROWS).map(([x, values]) => [count(x), ...values.map((value, i) => (value === null ? "–" : series[i]?.unit === "share" ? percent(value) : <Size key={i} of={value} />))]),
    [series],
  );
  return <LazyTable label={t.curves.asTable} name={`${label} – ${t.curves.asTable}`} head={[xName, ...series.map((each) => each.name)]} rows={rows} />;
}
