// Two snapshots: what B holds more than A, and the curves one over the other.

import { colour } from "../charts/colour";
import { byteStep } from "../charts/scale";
import { Diff, Totals } from "../compare/diff";
import { Name, Size, Table } from "../components/basics";
import { Says } from "../components/health";
import { CategoryTag } from "../components/life-detail";
import { axisBytes, bytes, count, percent, span } from "../format";
import { textOf, useTexts } from "../i18n";
import { Chart, frame, ink, plain, spread, tip } from "./chart";
import type { ReportComparison, SnapshotReport } from "./data";
import { Each } from "./parts";

export function Comparisons({ report }: { report: SnapshotReport }) {
  return (
    <Each of={report.comparisons} device={(comparison) => comparison.a.device}>
      {(comparison) => <Comparison of={comparison} />}
    </Each>
  );
}

function Comparison({ of }: { of: ReportComparison }) {
  const t = useTexts();
  const name = (key: string | null) => (key === null ? t.life.noStack : key === "(rest)" ? t.report.rest : key);
  return (
    <>
      <p>
        <b>A</b> {of.a.file} · {t.curves.atEvent(of.a.event)}
        <br />
        <b>B</b> {of.b.file} · {t.curves.atEvent(of.b.event)}
      </p>
      <Says of={of.summary} />
      {of.curves && <Overlay of={of} />}
      <h3 class="report-part">{t.compare.totals}</h3>
      <Totals of={of.totals} />
      <h3 class="report-part">{t.compare.byCategory}</h3>
      <Table label={t.compare.byCategory} head={[t.range.category, "A", "B", t.compare.diff]} rows={of.by_category.map((row) => [<CategoryTag key="c" id={row.key ?? ""} inferred={false} />, <Size key="a" of={row.a_bytes} />, <Size key="b" of={row.b_bytes} />, <Diff key="d" of={row.diff_bytes} />])} />
      {of.by_call_site.length > 0 && (
        <details open>
          <summary>{t.report.diffBySite}</summary>
          <Table label={t.report.diffBySite} head={[t.range.callSite, "A", "B", t.compare.diff]} rows={of.by_call_site.map((row) => [<Name key="f" text={name(row.key)} most={80} />, <Size key="a" of={row.a_bytes} />, <Size key="b" of={row.b_bytes} />, <Diff key="d" of={row.diff_bytes} />])} />
        </details>
      )}
      <details>
        <summary>{t.compare.segments}</summary>
        <Table label={t.compare.segments} head={[t.report.what, t.compare.count, t.compare.diff]} rows={(["new", "gone", "grown", "shrunk", "moved"] as const).map((kind) => [t.compare.segmentKinds[kind], count(of.segments[kind].count), <Diff key="d" of={of.segments[kind].diff_bytes} />])} />
      </details>
    </>
  );
}

/** Reserved and requested of both traces over the share of their events: A dashed, B solid. */
function Overlay({ of }: { of: ReportComparison }) {
  const t = useTexts();
  const curves = of.curves;
  if (!curves) return null;
  const shown = curves.curves.filter((pair) => pair.curve !== "active");
  const lines = shown.flatMap((pair) => (["a", "b"] as const).map((side) => ({ pair, side, values: pair[`${side}_max`] })));
  const most = Math.max(1, ...lines.flatMap((line) => line.values.map((value) => value ?? 0)));
  const columns = shown[0]?.a_max.length ?? 0;
  const position = (i: number) => (curves.end * (i + 0.5)) / Math.max(1, columns);
  const at = (value: number) => (curves.axis === "event" ? percent(value / curves.end, 0) : curves.axis === "time" ? span(value * 1000) : count(value));
  const name = (line: (typeof lines)[number]) => `${line.side.toUpperCase()} ${textOf(t.curves, line.pair.curve)}`;
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ zoom: true }),
      tooltip: {
        trigger: "axis" as const,
        ...tip(),
        formatter: (items: { seriesIndex: number; value: [number, number | null] }[]) => `${at(items[0]?.value[0] ?? 0)}${items.map((item) => `<br>${plain(lines[item.seriesIndex] ? name(lines[item.seriesIndex] as (typeof lines)[number]) : "")} <b>${item.value[1] === null ? "–" : bytes(item.value[1])}</b>`).join("")}`,
      },
      xAxis: { type: "value", min: 0, max: curves.end, name: textOf(t.compare.axes, curves.axis), nameLocation: "middle", nameGap: 22, ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, formatter: at } },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: lines.map((line) => ({
        name: name(line),
        type: "line",
        symbol: "none",
        data: line.values.map((value, i) => [position(i), value]),
        lineStyle: { width: 1.5, type: line.side === "a" ? "dashed" : "solid", color: colour(`series-${line.pair.curve}`) },
        itemStyle: { color: colour(`series-${line.pair.curve}`) },
      })),
    };
  };
  return (
    <Chart
      name="comparison"
      label={t.compare.curves}
      height={320}
      option={option}
      note={t.report.overlayMeans(columns)}
      table={{
        head: [textOf(t.compare.axes, curves.axis), ...lines.map(name)],
        rows: spread(columns, 20).map((i) => [at(position(i)), ...lines.map((line, n) => <Size key={n} of={line.values[i] ?? null} />)]),
      }}
    />
  );
}
