// The sections of a GE log's report.

import { byteStep } from "../charts/scale";
import { colour } from "../charts/colour";
import { TURN } from "../charts/palette";
import { Name, Size, Table } from "../components/basics";
import type { GeDeviceNode, GeGraph, GeProcess } from "../core/ge";
import { axisBytes, bytes, count, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { Checks, MissingTable } from "../views/ge/missing";
import { graphName } from "../views/ge/names";
import { Chart, frame, ink, plain, spread, tip } from "./chart";
import type { GeLogReport } from "./data";

export function GeOverview({ report }: { report: GeLogReport }) {
  const t = useTexts();
  const { processes } = report.ge;
  const sum = (of: (process: GeProcess) => number) => processes.reduce((all, process) => all + of(process), 0);
  return (
    <>
      <Checks report={report.ge} />
      <p>{t.ge.summary(processes.length, sum((process) => process.graphs.length), sum((process) => process.pools.length))}</p>
      <p class="faint">{report.names.join(", ")}</p>
    </>
  );
}

function EachProcess({ report, of, children }: { report: GeLogReport; of: (process: GeProcess) => boolean; children: (process: GeProcess) => preact.ComponentChildren }) {
  const t = useTexts();
  return (
    <>
      {report.ge.processes.filter(of).map((process) => (
        <div key={process.pid} class="report-device">
          {report.ge.processes.length > 1 && <h3 class="report-device-name">{t.ge.processOf(process.pid, process.name)}</h3>}
          {children(process)}
        </div>
      ))}
    </>
  );
}

/** Graphs drawn; the table has all of them. */
const DRAWN = 20;

/** What reuse saved, and the least possible, graph by graph: the largest first. */
function GraphBars({ graphs }: { graphs: readonly GeGraph[] }) {
  const t = useTexts();
  const shown = [...graphs].sort((a, b) => b.memory_size - a.memory_size).slice(0, DRAWN);
  const kinds = [
    { name: t.ge.column.total, of: (graph: GeGraph) => graph.total, ink: "series-reserved" },
    { name: t.ge.column.memory, of: (graph: GeGraph) => graph.memory_size, ink: "series-requested" },
    { name: t.ge.column.theory, of: (graph: GeGraph) => graph.theory_min, ink: "good" },
  ];
  const most = Math.max(1, ...shown.flatMap((graph) => kinds.map((kind) => kind.of(graph))));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ left: 200 }),
      tooltip: {
        trigger: "axis" as const,
        axisPointer: { type: "shadow" },
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const graph = shown[items[0]?.dataIndex ?? 0];
          return graph ? `${plain(graphName(graph, t))}${kinds.map((kind) => `<br>${plain(kind.name)} <b>${bytes(kind.of(graph))}</b>`).join("")}<br>${plain(t.ge.column.rate)} <b>${percent(graph.reuse_rate)}</b>` : "";
        },
      },
      xAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      yAxis: { type: "category", inverse: true, data: shown.map((graph) => graphName(graph, t)), ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, width: 186, overflow: "truncate" } },
      series: kinds.map((kind) => ({ name: kind.name, type: "bar", barMaxWidth: 12, data: shown.map(kind.of), itemStyle: { color: colour(kind.ink) } })),
    };
  };
  return <Chart name="graphs" label={t.ge.table} height={90 + 46 * shown.length} option={option} note={graphs.length > DRAWN ? t.report.largestOf(DRAWN, graphs.length) : undefined} />;
}

export function Graphs({ report }: { report: GeLogReport }) {
  const t = useTexts();
  return (
    <EachProcess report={report} of={(process) => process.graphs.length > 0}>
      {(process) => (
        <>
          <GraphBars graphs={process.graphs} />
          <Table
            label={t.ge.table}
            head={[t.ge.column.graph, t.ge.column.total, t.ge.column.memory, t.ge.column.rate, t.ge.column.theory, t.ge.column.reach, t.ge.column.streams, t.ge.column.overlaps]}
            rows={process.graphs.map((graph) => [<Name key="n" text={graphName(graph, t)} most={60} />, <Size key="t" of={graph.total} />, <Size key="m" of={graph.memory_size} />, percent(graph.reuse_rate), <Size key="l" of={graph.theory_min} />, percent(graph.reach_theory_rate), count(graph.streams), count(graph.overlap_count)])}
          />
          <p class="faint">{t.report.totalsOf(textOfSource(process.graphs[0], t))}</p>
          {process.graphs
            .filter((graph) => graph.gap.costs.length > 0)
            .slice(0, DRAWN)
            .map((graph, i) => (
              <details key={i}>
                <summary>
                  {t.ge.gap.title}: <Name text={graphName(graph, t)} most={60} /> ({t.ge.gap.above(bytes(graph.gap.bytes)).replace(/[:：]$/, "")})
                </summary>
                <Table label={t.ge.gap.title} head={[t.report.what, t.moment.size]} rows={graph.gap.costs.map((cost) => [t.ge.gap.cause[cost.cause as keyof typeof t.ge.gap.cause] ?? cost.cause, <Size key="b" of={cost.bytes} />])} />
              </details>
            ))}
        </>
      )}
    </EachProcess>
  );
}

const textOfSource = (graph: GeGraph | undefined, t: Texts) => (graph ? t.ge.totals[graph.total_source] : "");

/** Live and held bytes of the largest pools. */
export function Pools({ report }: { report: GeLogReport }) {
  const t = useTexts();
  return (
    <EachProcess report={report} of={(process) => process.pools.length > 0}>
      {(process) => {
        const pools = [...process.pools].sort((a, b) => b.after_reuse - a.after_reuse);
        const drawn = pools.filter((pool) => pool.curve.length > 1).slice(0, 6);
        const most = Math.max(1, ...drawn.flatMap((pool) => pool.curve.map((step) => step.live)));
        const option = () => {
          const step = byteStep(most);
          return {
            ...frame({ zoom: true }),
            tooltip: { trigger: "axis" as const, ...tip(), formatter: (items: { seriesIndex: number; value: [number, number] }[]) => `${items[0]?.value[0] ?? ""}${items.map((item) => `<br>${plain(drawn[item.seriesIndex]?.allocator ?? "")} <b>${bytes(item.value[1])}</b>`).join("")}` },
            xAxis: { type: "value", min: "dataMin", max: "dataMax", name: t.report.poolStep, nameLocation: "middle", nameGap: 22, ...ink(), splitLine: { show: false } },
            yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
            series: drawn.map((pool, i) => ({ name: pool.allocator, type: "line", step: "end", symbol: "none", data: pool.curve.map((point) => [point.moment, point.live]), lineStyle: { width: 1.5, color: TURN[i] }, itemStyle: { color: TURN[i] } })),
          };
        };
        return (
          <>
            {drawn.length > 0 && (
              <Chart
                name="pools"
                label={t.ge.parts.pools}
                height={300}
                option={option}
                note={t.report.poolCurve(drawn.length, pools.length)}
                table={{ head: [t.report.poolStep, t.ge.map.live], rows: spread(drawn[0]?.curve.length ?? 0, 30).map((i) => [count(drawn[0]?.curve[i]?.moment ?? 0), <Size key="l" of={drawn[0]?.curve[i]?.live} />]) }}
              />
            )}
            <Table
              label={t.ge.parts.pools}
              head={[t.report.pool, t.ge.column.total, t.ge.column.memory, t.ge.column.rate, t.ge.column.theory]}
              rows={pools.map((pool) => [<Name key="n" text={pool.allocator} />, <Size key="t" of={pool.total} />, <Size key="m" of={pool.after_reuse} />, percent(pool.reuse_rate), <Size key="l" of={pool.theory_min} />])}
            />
          </>
        );
      }}
    </EachProcess>
  );
}

/** The tree of what was taken from the device, a line a node. */
function nodesOf(children: Readonly<Record<string, GeDeviceNode>>): { name: string; depth: number; node: GeDeviceNode }[] {
  const rows: { name: string; depth: number; node: GeDeviceNode }[] = [];
  for (const [name, node] of Object.entries(children)) {
    rows.push({ name, depth: 0, node });
    for (const [inner, each] of Object.entries(node.children ?? {})) rows.push({ name: inner, depth: 1, node: each });
  }
  return rows;
}

export function GeDeviceSection({ report }: { report: GeLogReport }) {
  const t = useTexts();
  return (
    <EachProcess report={report} of={(process) => process.device.allocations > 0}>
      {(process) => {
        const rows = nodesOf(process.device.children).filter((row) => row.node.count > 0);
        const top = rows.filter((row) => row.depth === 0);
        const most = Math.max(1, process.device.total);
        const option = () => {
          const step = byteStep(most);
          return {
            ...frame({ left: 120 }),
            tooltip: { trigger: "axis" as const, axisPointer: { type: "shadow" }, ...tip(), formatter: (items: { dataIndex: number }[]) => {
              const row = top[items[0]?.dataIndex ?? 0];
              return row ? `${plain(row.name)}<br>${plain(t.report.sum)} <b>${bytes(row.node.sum)}</b><br>${plain(t.report.atOnce)} <b>${bytes(row.node.peak)}</b>` : "";
            } },
            xAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
            yAxis: { type: "category", inverse: true, data: top.map((row) => row.name), ...ink(), splitLine: { show: false } },
            series: [
              { name: t.report.sum, type: "bar", barMaxWidth: 14, data: top.map((row) => row.node.sum), itemStyle: { color: colour("series-reserved") } },
              { name: t.report.atOnce, type: "bar", barMaxWidth: 14, data: top.map((row) => row.node.peak), itemStyle: { color: colour("series-requested") } },
            ],
          };
        };
        return (
          <>
            <Chart name="device" label={t.ge.parts.device} height={90 + 44 * top.length} option={option} />
            <Table
              label={t.ge.parts.device}
              head={[t.report.what, t.report.sum, t.report.atOnce, t.overview.number]}
              rows={[
                [<b key="n">{t.report.everything}</b>, <Size key="s" of={process.device.total} />, <Size key="p" of={process.device.peak} />, count(process.device.allocations)],
                ...rows.map((row) => [<span key="n" style={{ paddingLeft: `${16 + row.depth * 16}px` }}>{row.name}</span>, <Size key="s" of={row.node.sum} />, <Size key="p" of={row.node.peak} />, count(row.node.count)]),
              ]}
            />
          </>
        );
      }}
    </EachProcess>
  );
}

export function Overlaps({ report }: { report: GeLogReport }) {
  const t = useTexts();
  return (
    <EachProcess report={report} of={(process) => process.graphs.some((graph) => graph.overlap_count > 0)}>
      {(process) => (
        <Table
          label={t.report.sections.overlaps}
          head={[t.ge.column.graph, t.report.first, t.report.second, t.report.shared]}
          text={[0, 1, 2]}
          rows={process.graphs.flatMap((graph) => graph.overlaps.filter((each) => each.kind === "overlap").slice(0, 50).map((each) => [<Name key="g" text={graphName(graph, t)} most={40} />, <Name key="1" text={each.first.name} />, <Name key="2" text={each.second.name} />, <Size key="s" of={each.to - each.from} />]))}
        />
      )}
    </EachProcess>
  );
}

export function Missing({ report }: { report: GeLogReport }) {
  return <MissingTable rows={report.ge.missing} />;
}
