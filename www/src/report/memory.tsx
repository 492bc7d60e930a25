// Memory over the events of a device: reserved over active over requested, what differs filled, key events marked.

import { useMemo } from "preact/hooks";
import { byteStep } from "../charts/scale";
import { colour } from "../charts/colour";
import { Size, Table } from "../components/basics";
import type { Overview } from "../core/protocol";
import { axisBytes, bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { apart, Chart, frame, ink, plain, spread, tip, valueAt } from "./chart";
import type { DeviceReport, Line, SnapshotReport } from "./data";
import { Each, since } from "./parts";

type DeviceOverview = Overview["devices"][number];

export interface KeyEvent {
  kind: "peak" | "peak_reserved" | "oom" | "burst";
  event: number;
  time_us: number | null;
  bytes: number;
}

const MOST_OF_A_KIND = 20;

/** What a reader looks for along the curves, in the order of the trace. */
export function keyEvents(device: DeviceReport, figures: DeviceOverview): KeyEvent[] {
  const { fragment, ooms, peak } = device;
  const reserved = device.drawing.curves.find((line) => line.name === "reserved");
  const events: KeyEvent[] = [
    { kind: "peak", event: peak.peak_event, time_us: peak.peak_time_us ?? null, bytes: peak.peak_requested },
    { kind: "peak_reserved", event: figures.peak_reserved_event, time_us: null, bytes: figures.peak_reserved },
    ...ooms.ooms.slice(0, MOST_OF_A_KIND).map((oom): KeyEvent => ({ kind: "oom", event: oom.event, time_us: oom.time_us ?? null, bytes: oom.requested })),
    ...fragment.bursts.slice(0, 5).map((burst): KeyEvent => ({ kind: "burst", event: burst.first_event, time_us: burst.time_us ?? null, bytes: burst.bytes })),
  ];
  for (const each of events) if (each.time_us === null && reserved && reserved.time_us.length > 0) each.time_us = valueAt(reserved.event, reserved.time_us, each.event);
  return events.sort((a, b) => a.event - b.event);
}

const MARKS: Readonly<Record<KeyEvent["kind"], { symbol: string; colour: string; size: number }>> = {
  peak: { symbol: "circle", colour: "accent", size: 10 },
  peak_reserved: { symbol: "circle", colour: "series-reserved", size: 8 },
  oom: { symbol: "triangle", colour: "bad", size: 12 },
  burst: { symbol: "diamond", colour: "series-active", size: 11 },
};

/** Where an event stands: on the curve that it is about. */
function heightOf(event: KeyEvent, lines: readonly Line[]): number {
  if (event.kind === "peak") return event.bytes;
  const reserved = lines.find((line) => line.name === "reserved");
  return event.kind === "peak_reserved" ? event.bytes : ((reserved && valueAt(reserved.event, reserved.value, event.event)) ?? 0);
}

export const pairs = (line: Line) => line.event.map((event, i): [number, number] => [event, line.value[i] ?? 0]);

function MemoryChart({ device, events }: { device: DeviceReport; events: readonly KeyEvent[] }) {
  const t = useTexts();
  const lines = device.drawing.curves;
  const start = lines[0]?.time_us[0] ?? null;
  const most = lines.reduce((all, line) => line.value.reduce((high, value) => Math.max(high, value), all), 1);
  const option = (width: () => number) => {
    const step = byteStep(most);
    const name = (line: Line) => textOf(t.curves, line.name);
    const tipOf = (items: { value: [number, number]; seriesIndex: number }[]) => {
      const at = items[0]?.value[0] ?? 0;
      const time = lines[0] && lines[0].time_us.length > 0 ? since(valueAt(lines[0].event, lines[0].time_us, at), start) : "";
      const marked = events.filter((event) => event.event === at).map((event) => `<br><b>${plain(t.report.keyEvents[event.kind])}</b> ${bytes(event.bytes)}`);
      return `${plain(t.curves.atEvent(at))} ${time}${lines.map((line) => `<br>${plain(name(line))} <b>${bytes(valueAt(line.event, line.value, at) ?? 0)}</b>`).join("")}${marked.join("")}`;
    };
    return {
      ...frame({ zoom: true }),
      tooltip: { trigger: "axis" as const, ...tip(), formatter: tipOf },
      xAxis: { type: "value", name: t.events.event, nameLocation: "middle", nameGap: 22, min: -1, max: "dataMax", minInterval: 1, ...ink(), splitLine: { show: false } },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: [
        ...lines.map((line, i) => ({
          name: name(line),
          type: "line",
          step: "end",
          data: pairs(line),
          symbol: "none",
          z: 2 + i,
          lineStyle: { width: 1.4, color: colour(`series-${line.name}`) },
          itemStyle: { color: colour(`series-${line.name}`) },
          // Opaque, each over the one before it: what still shows of one is what it holds beyond the next.
          areaStyle: { color: colour(`fill-${line.name}`), opacity: 1 },
        })),
        {
          name: t.report.keyEventsTitle,
          type: "scatter",
          z: 10,
          itemStyle: { color: colour("accent") },
          labelLayout: apart(width),
          data: events.map((event) => ({
            value: [event.event, heightOf(event, lines)],
            symbol: MARKS[event.kind].symbol,
            symbolSize: MARKS[event.kind].size,
            itemStyle: { color: colour(MARKS[event.kind].colour), borderColor: colour("bg"), borderWidth: 1.5 },
            label: { show: event.kind === "peak" || event.kind === "oom", position: "top", formatter: event.kind === "oom" ? "OOM" : `${t.report.keyEvents.peak} ${bytes(event.bytes)}`, color: colour("text"), fontSize: 11, backgroundColor: colour("bg"), padding: [1, 4], borderRadius: 3 },
          })),
        },
      ],
    };
  };
  const longest = lines[0];
  const rows = longest ? spread(longest.event.length, 40).map((i) => longest.event[i] ?? 0) : [];
  return (
    <Chart
      name="memory"
      label={t.curves.describe(bytes(device.peak.peak_requested), bytes(lines.find((line) => line.name === "requested")?.value.at(-1) ?? 0))}
      height={360}
      option={option}
      note={<Reduced lines={lines} t={t} />}
      table={{
        head: [t.events.event, ...lines.map((line) => textOf(t.curves, line.name))],
        rows: rows.map((event) => [count(event), ...lines.map((line) => <Size key={line.name} of={valueAt(line.event, line.value, event)} />)]),
      }}
    />
  );
}

/** How many points were left of how many. */
export function Reduced({ lines, t }: { lines: readonly { of: number; value: readonly number[] }[]; t: Texts }) {
  const longest = lines.reduce((most, line) => (line.of > most.of ? line : most), lines[0] ?? { of: 0, value: [] });
  return <>{longest.of > longest.value.length ? t.report.reduced(longest.value.length, longest.of) : t.report.whole(longest.of)}</>;
}

export function Memory({ report }: { report: SnapshotReport }) {
  const shown = report.devices.filter((device) => (figuresOf(report, device)?.events ?? 0) > 0);
  return (
    <Each of={shown} device={(device) => device.drawing.device}>
      {(device) => <DeviceMemory device={device} figures={figuresOf(report, device)} />}
    </Each>
  );
}

export const figuresOf = (report: SnapshotReport, device: DeviceReport) => report.overview.devices.find((each) => each.device === device.drawing.device);

function DeviceMemory({ device, figures }: { device: DeviceReport; figures: DeviceOverview | undefined }) {
  const t = useTexts();
  const events = useMemo(() => (figures ? keyEvents(device, figures) : []), [device, figures]);
  const start = device.drawing.curves[0]?.time_us[0];
  return (
    <>
      <p class="faint">{t.report.memoryMeans}</p>
      <MemoryChart device={device} events={events} />
      <details>
        <summary>{t.report.keyEventsTitle}</summary>
        <Table
          label={t.report.keyEventsTitle}
          head={[t.report.what, t.events.event, t.report.time, t.moment.size]}
          rows={events.map((event) => [t.report.keyEvents[event.kind], count(event.event), since(event.time_us, start), <Size key="b" of={event.bytes} />])}
        />
      </details>
    </>
  );
}
