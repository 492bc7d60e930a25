// Out-of-memories: the verdict, and the fifty events before each, newest first.

import { colour } from "../charts/colour";
import { byteStep } from "../charts/scale";
import { Name, Size, Table } from "../components/basics";
import { CategoryTable } from "../components/category-bars";
import { Frames, frameText } from "../components/frames";
import { Says, Verdict } from "../components/health";
import { OomCards } from "../components/oom-cards";
import { axisBytes, bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import { apart, Chart, frame, ink, plain, tip } from "./chart";
import type { DeviceReport, SnapshotReport } from "./data";
import { Each } from "./parts";

type OomReport = DeviceReport["ooms"]["ooms"][number];

/** Allocations are red, frees green; what the allocator asks of the driver is grey. */
export function kindOf(action: string): "allocation" | "free" | "segment" | "other" {
  if (action === "alloc") return "allocation";
  if (action === "free_requested" || action === "free_completed" || action === "free") return "free";
  return action.startsWith("segment_") ? "segment" : "other";
}
/** What gives memory back hangs down. */
const hangs = (action: string) => kindOf(action) === "free" || action === "segment_free" || action === "segment_unmap";
const INKS = { allocation: "oom-allocation", free: "oom-free", segment: "series-reserved", other: "line-2" } as const;

/** Failures shown in full. */
const SHOWN = 10;

export function Ooms({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.ooms.ooms.length > 0)} device={(device) => device.drawing.device}>
      {({ ooms }) => (
        <>
          {ooms.ooms.length > SHOWN && <p class="notice">{t.report.firstOoms(SHOWN, ooms.ooms.length)}</p>}
          {ooms.ooms.slice(0, SHOWN).map((oom) => (
            <Oom key={oom.event} oom={oom} />
          ))}
        </>
      )}
    </Each>
  );
}

function Oom({ oom }: { oom: OomReport }) {
  const t = useTexts();
  return (
    <div class="report-oom">
      <Verdict grade="bad" title={textOf(t.oom.verdicts, oom.verdict)} first={t.oom.title(oom.event)} reasons={oom.evidence} />
      {oom.contributing.length > 0 && (
        <>
          <h3 class="report-part">{t.oom.contributing}</h3>
          <Says of={oom.contributing.map((each) => each.evidence)} />
        </>
      )}
      <OomCards oom={oom} />
      <Sequence oom={oom} />
      <details>
        <summary>{t.oom.live}</summary>
        <CategoryTable label={t.oom.live} rows={oom.by_category} />
      </details>
      {oom.repeated.map((row, i) => (
        <details key={i}>
          <summary>
            {t.report.repeated(row.count, bytes(row.bytes))} <span class="mono">{row.call_site ? frameText(row.call_site) : t.life.noStack}</span>
          </summary>
          <Frames of={row.stack} />
        </details>
      ))}
    </div>
  );
}

/** Newest first: the request that failed, then what went before it. Frees hang down. */
function Sequence({ oom }: { oom: OomReport }) {
  const t = useTexts();
  const rows = [{ event: oom.event, action: "oom", bytes: oom.requested, site: "" }, ...oom.before.map((row) => ({ event: row.event, action: row.action as string, bytes: row.bytes, site: row.call_site ? frameText(row.call_site) : "" }))];
  // The request that failed is often many times what went before it: its bar may then be cut off.
  const before = Math.max(0, ...oom.before.map((row) => row.bytes));
  const most = Math.max(1, before > 0 ? Math.min(oom.requested, before * 1.5) : oom.requested, before);
  const isCut = oom.requested > most;
  const kinds = [
    { name: t.report.trigger, ink: "chosen", of: (action: string) => action === "oom" },
    { name: t.report.allocations, ink: INKS.allocation, of: (action: string) => kindOf(action) === "allocation" },
    { name: t.report.frees, ink: INKS.free, of: (action: string) => kindOf(action) === "free" },
    { name: t.report.segmentEvents, ink: INKS.segment, of: (action: string) => kindOf(action) === "segment" },
    { name: t.report.otherEvents, ink: INKS.other, of: (action: string) => action !== "oom" && kindOf(action) === "other" },
  ].filter((kind) => rows.some((row) => kind.of(row.action)));
  const option = (width: () => number) => {
    const step = byteStep(most);
    return {
      ...frame({ zoom: true }),
      tooltip: {
        trigger: "axis" as const,
        axisPointer: { type: "shadow" },
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const row = rows[items[0]?.dataIndex ?? 0];
          return row ? `${plain(t.curves.atEvent(row.event))} <b>${plain(row.action)} ${bytes(row.bytes)}</b><br>${plain(row.site)}` : "";
        },
      },
      xAxis: { type: "category", data: rows.map((row) => count(row.event)), name: t.report.newestFirst, nameLocation: "middle", nameGap: 22, ...ink(), axisTick: { show: false } },
      yAxis: { type: "value", min: -Math.ceil(most / step) * step, max: Math.ceil(most / step) * step, interval: step * (most / step > 3 ? 2 : 1), ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(Math.abs(value), step) } },
      series: kinds.map((kind) => ({
        name: kind.name,
        type: "bar",
        stack: "all",
        barMaxWidth: 22,
        itemStyle: { color: colour(kind.ink) },
        data: rows.map((row) => (kind.of(row.action) ? (hangs(row.action) ? -row.bytes : Math.min(row.bytes, Math.ceil(most / step) * step)) : null)),
        ...(kind.name === t.report.trigger ? { label: { show: true, position: "top", formatter: `OOM ${bytes(oom.requested)}`, color: colour("chosen"), fontWeight: "bold", fontSize: 11 }, labelLayout: apart(width) } : {}),
      })),
    };
  };
  return (
    <>
      <h3 class="report-part">{t.oom.before}</h3>
      <Chart name="oom" label={t.oom.before} height={300} option={option} note={<>{t.report.sequenceMeans} {isCut && t.report.cutBar(bytes(oom.requested))}</>} />
      <details>
        <summary>{t.report.sequenceTable}</summary>
        <Table
          label={t.report.sequenceTable}
          head={[t.events.event, t.events.action, t.events.size, t.range.callSite]}
          text={[1, 3]}
          rows={rows.map((row) => [count(row.event), <span key="a" class={`oom-${row.action === "oom" ? "trigger" : kindOf(row.action)}`}>{row.action}</span>, <Size key="s" of={row.bytes} />, <Name key="f" text={row.site} most={80} />])}
        />
      </details>
    </>
  );
}
