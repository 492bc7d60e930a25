// Segments at the end of the trace, to scale, and how the reserve grew.

import { colour } from "../charts/colour";
import { byteStep } from "../charts/scale";
import { Size } from "../components/basics";
import { axisBytes, bytes, percent } from "../format";
import { useTexts } from "../i18n";
import { Chart, frame, ink, tip } from "./chart";
import type { DeviceReport, SegmentBar, SnapshotReport } from "./data";
import { Expansion } from "./expansion";
import { Each } from "./parts";

/** In use less than this share of it, a segment is marked. */
const LOW_USE = 0.5;
const STATES = ["allocated", "pending", "workspace", "free"] as const;
const STATE_INKS = { allocated: "series-requested", pending: "series-active", workspace: "state-workspace", free: "state-free" } as const;
const used = (bar: SegmentBar) => (bar.size > 0 ? (bar.size - bar.free) / bar.size : 1);
export const hex = (address: number) => `0x${address.toString(16)}`;

function SegmentLayout({ device }: { device: DeviceReport }) {
  const t = useTexts();
  const { segments, rest } = device.drawing;
  const states = STATES.filter((state) => segments.some((bar) => bar[state] > 0));
  const most = Math.max(1, ...segments.map((bar) => bar.size));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ left: 148, right: 84 }),
      tooltip: {
        trigger: "axis" as const,
        axisPointer: { type: "shadow" },
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const bar = segments[items[0]?.dataIndex ?? 0];
          return bar ? `${hex(bar.address)} <b>${bytes(bar.size)}</b>${states.map((state) => `<br>${t.report.states[state]} <b>${bytes(bar[state])}</b>`).join("")}<br>${t.report.inUse} <b>${percent(used(bar))}</b>` : "";
        },
      },
      xAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step * (most / step > 4 ? 2 : 1), ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      yAxis: { type: "category", inverse: true, data: segments.map((bar) => hex(bar.address)), ...ink(), axisLabel: { ...ink().axisLabel, fontFamily: "monospace" }, splitLine: { show: false } },
      series: states.map((state, i) => ({
        name: t.report.states[state],
        type: "bar",
        stack: "size",
        barMaxWidth: 16,
        data: segments.map((bar) => bar[state]),
        itemStyle: { color: colour(STATE_INKS[state]) },
        // The mark stands at the end of the bar, whichever state comes last.
        ...(i === states.length - 1
          ? { label: { show: true, position: "right", color: colour("bad"), fontSize: 11, formatter: (item: { dataIndex: number }) => (segments[item.dataIndex] && used(segments[item.dataIndex] as SegmentBar) < LOW_USE ? `◂ ${percent(used(segments[item.dataIndex] as SegmentBar), 0)}` : "") } }
          : {}),
      })),
    };
  };
  const low = segments.filter((bar) => used(bar) < LOW_USE).length;
  return (
    <>
      <h3 class="report-part">{t.report.layout}</h3>
      <p class="faint">
        {t.report.layoutMeans} {low > 0 && t.report.lowUse(low)} {rest.segments > 0 && t.report.restOfSegments(rest.segments, bytes(rest.size), bytes(rest.size - rest.free), bytes(rest.free))}
      </p>
      <Chart
        name="segments"
        label={t.report.layout}
        height={70 + 24 * segments.length + 20}
        option={option}
        table={{
          head: [t.segments.segment, t.segments.size, ...states.map((state) => t.report.states[state]), t.report.inUse, t.fragmentation.largest],
          rows: [
            ...segments.map((bar) => [<code key="a">{hex(bar.address)}</code>, <Size key="s" of={bar.size} />, ...states.map((state) => <Size key={state} of={bar[state]} />), percent(used(bar)), <Size key="l" of={bar.largest_free} />]),
            ...(rest.segments > 0 ? [[t.report.others(rest.segments), <Size key="s" of={rest.size} />, ...states.map((state) => <Size key={state} of={rest[state]} />), percent(used(rest)), <Size key="l" of={rest.largest_free} />]] : []),
          ],
        }}
      />
    </>
  );
}

export function Segments({ report }: { report: SnapshotReport }) {
  return (
    <Each of={report.devices.filter((device) => device.drawing.segments.length > 0)} device={(device) => device.drawing.device}>
      {(device) => (
        <>
          <SegmentLayout device={device} />
          <Expansion device={device} />
        </>
      )}
    </Each>
  );
}
