// How the reserve grew: every time memory was taken from the device or given back.

import { colour } from "../charts/colour";
import { byteStep } from "../charts/scale";
import { Size } from "../components/basics";
import { frameText, Site } from "../components/frames";
import { axisBytes, bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import { Chart, frame, ink, plain, spread, tip } from "./chart";
import type { DeviceReport } from "./data";
import { pairs, Reduced } from "./memory";

/** Segment events by size, and how many segments there were after each. */
export function Expansion({ device }: { device: DeviceReport }) {
  const t = useTexts();
  const { expansions, expansion_count: all } = device.fragment;
  const counts = device.drawing.segment_counts;
  if (expansions.length === 0) return null;
  const groups = (["large", "small", "unknown"] as const).map((type) => ({ type, rows: expansions.filter((row) => row.segment_type === type) })).filter((group) => group.rows.length > 0);
  const inks = { large: "series-requested", small: "series-active", unknown: "series-reserved" } as const;
  const most = Math.max(1, ...expansions.map((row) => row.bytes));
  const grows = (action: string) => action === "segment_alloc" || action === "segment_map";
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ zoom: true, right: 56 }),
      tooltip: {
        trigger: "item" as const,
        ...tip(),
        formatter: (item: { seriesIndex: number; dataIndex: number }) => {
          const row = groups[item.seriesIndex]?.rows[item.dataIndex];
          if (!row) return `${plain(t.curves.atEvent(counts.event[item.dataIndex] ?? 0))} <b>${count(counts.value[item.dataIndex] ?? 0)}</b>`;
          return `${plain(t.curves.atEvent(row.event))} ${plain(row.action)} <b>${bytes(row.bytes)}</b><br>${plain(row.call_site ? frameText(row.call_site) : "")}`;
        },
      },
      xAxis: { type: "value", name: t.events.event, nameLocation: "middle", nameGap: 22, min: "dataMin", max: "dataMax", minInterval: 1, ...ink(), splitLine: { show: false } },
      yAxis: [
        { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
        { type: "value", min: 0, minInterval: 1, name: t.report.runningCount, nameTextStyle: { ...ink().nameTextStyle, align: "right" }, ...{ axisLabel: ink().axisLabel, axisLine: ink().axisLine, splitLine: { show: false } } },
      ],
      series: [
        ...groups.map((group) => ({
          name: textOf(t.segmentTypes, group.type),
          type: "scatter",
          itemStyle: { color: colour(inks[group.type]) },
          // Hollow: given back.
          data: group.rows.map((row) => ({ value: [row.event, row.bytes], symbolSize: 8, itemStyle: grows(row.action) ? { color: colour(inks[group.type]), opacity: 0.8 } : { color: "transparent", borderColor: colour(inks[group.type]), borderWidth: 1.5 } })),
        })),
        { name: t.report.runningCount, type: "line", step: "end", yAxisIndex: 1, symbol: "none", data: pairs(counts), lineStyle: { width: 1.5, color: colour("text-3") }, itemStyle: { color: colour("text-3") } },
      ],
    };
  };
  return (
    <>
      <h3 class="report-part">{t.report.expansion}</h3>
      <p class="faint">{t.report.expansionMeans}</p>
      <Chart
        name="expansion"
        label={t.report.expansion}
        height={320}
        option={option}
        note={<>{all > expansions.length && t.report.largestOf(expansions.length, all)} <Reduced lines={[counts]} t={t} /></>}
        table={{
          head: [t.events.event, t.events.action, t.segments.size, t.segments.type, t.fragmentation.segments, t.curves.reserved, t.range.callSite],
          text: [1, 3, 6],
          rows: spread(expansions.length, 40).flatMap((i) => {
            const row = expansions[i];
            return row ? [[count(row.event), row.action, <Size key="s" of={row.bytes} />, textOf(t.segmentTypes, row.segment_type), count(row.segments), <Size key="r" of={row.reserved} />, <Site key="f" frame={row.call_site} />]] : [];
          }),
        }}
      />
    </>
  );
}
