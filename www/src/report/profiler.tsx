// The sections of a profiler run's report.

import { byteStep } from "../charts/scale";
import { colour } from "../charts/colour";
import { TURN } from "../charts/palette";
import { Card, Name, Size, Table } from "../components/basics";
import { axisBytes, bytes, count, percent, span } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { Chart, frame, ink, plain, spread, tip, valueAt } from "./chart";
import type { ProfilerReport, RankFigures, RankLine } from "./data";
import { Reduced } from "./memory";

const rankName = (rank: RankFigures, t: Texts) => `${t.operators.rank(rank.role, rank.rank_label)}${rank.run > 0 ? ` #${rank.run + 1}` : ""}`;

export function ProfilerOverview({ report }: { report: ProfilerReport }) {
  const t = useTexts();
  const { ranks } = report.ops;
  return (
    <>
      {ranks.map((rank, i) => (
        <div key={i} class="report-device">
          <h3 class="report-device-name">{rankName(rank, t)} <span class="faint">{rank.folder}</span></h3>
          <div class="cards">
            <Card label={t.operators.peak}><Size of={rank.peak_bytes} /></Card>
            <Card label={t.operators.unreleased} note={t.operators.rows(rank.unreleased_count)}><Size of={rank.unreleased_bytes} /></Card>
            <Card label={t.operators.rowCount} note={rank.device}>{count(rank.rows_total)}</Card>
            {rank.unexplained && <Card label={t.operators.unexplained}><Size of={rank.unexplained.peak.bytes} /></Card>}
          </div>
          {rank.warnings.length > 0 && <Table label={t.overview.warnings} head={[t.overview.warnings, t.overview.number]} rows={rank.warnings.map((warning) => [warning.detail, count(warning.count)])} />}
        </div>
      ))}
    </>
  );
}

export function Ranks({ report }: { report: ProfilerReport }) {
  const t = useTexts();
  const { ranks, outliers } = report.ops;
  const most = Math.max(1, ...ranks.map((rank) => rank.peak_bytes));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame(),
      tooltip: { trigger: "axis" as const, ...tip(), formatter: (items: { dataIndex: number }[]) => {
        const rank = ranks[items[0]?.dataIndex ?? 0];
        return rank ? `${plain(rankName(rank, t))}<br>${plain(t.operators.peak)} <b>${bytes(rank.peak_bytes)}</b><br>${plain(t.operators.unreleased)} <b>${bytes(rank.unreleased_bytes)}</b>` : "";
      } },
      xAxis: { type: "category", data: ranks.map((rank) => rankName(rank, t)), ...ink() },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: [
        { name: t.operators.peak, type: "bar", barMaxWidth: 34, data: ranks.map((rank) => rank.peak_bytes), itemStyle: { color: colour("series-requested") } },
        { name: t.operators.unreleased, type: "bar", barMaxWidth: 34, data: ranks.map((rank) => rank.unreleased_bytes), itemStyle: { color: colour("series-active") } },
      ],
    };
  };
  return (
    <>
      <Chart name="ranks" label={t.report.sections.ranks} height={280} option={option} />
      <Table
        label={t.report.sections.ranks}
        head={[t.report.sections.ranks, t.operators.peak, t.operators.unreleased, t.operators.rowCount]}
        rows={ranks.map((rank) => [rankName(rank, t), <Size key="p" of={rank.peak_bytes} />, <Size key="u" of={rank.unreleased_bytes} />, count(rank.rows_total)])}
      />
      {outliers.map((outlier, i) => (
        <details key={i} open>
          <summary>{t.report.outlier(t.operators.rank(outlier.role, String(outlier.rank)), percent(outlier.deviation), bytes(outlier.median_bytes))}</summary>
          {outlier.because.length > 0 && <Table label={t.report.sections.ranks} head={[t.operators.operator, t.compare.diff]} rows={outlier.because.map((row) => [<Name key="n" text={row.name} most={80} />, <Size key="d" of={row.diff_bytes} />])} />}
        </details>
      ))}
    </>
  );
}

/** Lines over time, reduced. */
function Lines({ name, title, lines, label }: { name: string; title: string; lines: readonly RankLine[]; label: (line: RankLine) => string }) {
  const t = useTexts();
  const most = lines.reduce((all, line) => line.value.reduce((high, value) => Math.max(high, value), all), 1);
  const last = Math.max(1, ...lines.map((line) => line.at.at(-1) ?? 0));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ zoom: true }),
      tooltip: {
        trigger: "axis" as const,
        ...tip(),
        formatter: (items: { value: [number, number] }[]) => {
          const at = items[0]?.value[0] ?? 0;
          return `${span(at)}${lines.map((line) => `<br>${plain(label(line))} <b>${bytes(valueAt(line.at, line.value, at) ?? 0)}</b>`).join("")}`;
        },
      },
      xAxis: { type: "value", min: 0, max: last, name: t.report.time, nameLocation: "middle", nameGap: 22, ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, formatter: (value: number) => span(value) } },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: lines.map((line, i) => ({ name: label(line), type: "line", step: "end", symbol: "none", data: line.at.map((at, n) => [at, line.value[n] ?? 0]), lineStyle: { width: 1.5, color: TURN[i % TURN.length] }, itemStyle: { color: TURN[i % TURN.length] }, ...(line.what === "live" ? { areaStyle: { color: colour("area"), opacity: 1 } } : {}) })),
    };
  };
  const longest = lines.reduce<RankLine | undefined>((best, line) => (best && best.at.length >= line.at.length ? best : line), undefined);
  return (
    <Chart
      name={name}
      label={title}
      height={320}
      option={option}
      note={<Reduced lines={lines} t={t} />}
      table={{
        head: [t.report.time, ...lines.map(label)],
        rows: spread(longest?.at.length ?? 0, 40).map((i) => {
          const at = longest?.at[i] ?? 0;
          return [span(at), ...lines.map((line, n) => <Size key={n} of={valueAt(line.at, line.value, at)} />)];
        }),
      }}
    />
  );
}

/** One after the other, each under its rank's name. */
function EachRank({ report, children }: { report: ProfilerReport; children: (rank: RankFigures, lines: readonly RankLine[]) => preact.ComponentChildren }) {
  const t = useTexts();
  return (
    <>
      {report.ops.ranks.map((rank, i) => (
        <div key={i} class="report-device">
          {report.ops.ranks.length > 1 && <h3 class="report-device-name">{rankName(rank, t)}</h3>}
          {children(rank, report.drawings[i]?.series ?? [])}
        </div>
      ))}
    </>
  );
}

export function Curves({ report }: { report: ProfilerReport }) {
  const t = useTexts();
  return (
    <EachRank report={report}>
      {(_, lines) => {
        const rows = lines.filter((line) => line.group === "rows" && line.what !== "count");
        return rows.length > 0 && <Lines name="operators" title={t.operators.curves} lines={rows} label={(line) => (line.what === "live" ? t.operators.live : t.operators.allocated)} />;
      }}
    </EachRank>
  );
}

const optional = (peak: { bytes: number } | null) => <Size of={peak?.bytes ?? null} />;

export function Components({ report }: { report: ProfilerReport }) {
  const t = useTexts();
  return (
    <EachRank report={report}>
      {(rank, lines) => {
        const reserved = lines.filter((line) => (line.group === "component" || line.group === "unexplained") && line.what === "reserved");
        const gap = rank.unexplained;
        return (
          <>
            <p class="faint">{t.operators.componentsHelp}</p>
            {reserved.length > 0 && <Lines name="components" title={t.operators.components} lines={reserved} label={(line) => (line.group === "unexplained" ? t.operators.unexplained : `${line.name}${line.device ? ` (${line.device})` : ""}`)} />}
            {rank.components.length > 0 && (
              <Table
                label={t.operators.components}
                head={[t.operators.component, t.operators.samples, t.operators.peakAllocated, t.operators.peakReserved, t.operators.peakActive]}
                rows={rank.components.map((row) => [`${row.component}${row.device ? ` (${row.device})` : ""}`, count(row.samples), optional(row.peak_allocated), optional(row.peak_reserved), optional(row.peak_active)])}
              />
            )}
            {gap && (
              <details open>
                <summary>{t.operators.unexplained}: {bytes(gap.peak.bytes)}</summary>
                <Table
                  label={t.operators.unexplained}
                  head={[t.operators.part, t.operators.size]}
                  rows={[
                    [t.operators.app, <Size key="a" of={gap.app_bytes} />],
                    [t.operators.framework, <Size key="f" of={gap.framework_bytes} />],
                    [t.operators.workspace, <Size key="w" of={gap.workspace_bytes} />],
                    ...gap.modules.map((module) => [t.operators.module(module.module), <Size key="m" of={module.bytes} />]),
                    [t.operators.other, <Size key="o" of={gap.other_bytes} />],
                  ]}
                />
              </details>
            )}
          </>
        );
      }}
    </EachRank>
  );
}

/** Rows shown; the data holds a hundred. */
const SHOWN = 20;

export function Operators({ report }: { report: ProfilerReport }) {
  const t = useTexts();
  return (
    <EachRank report={report}>
      {(rank) => {
        const rows = [...rank.rows].sort((a, b) => b.size_kb - a.size_kb).slice(0, SHOWN);
        const stacks = [...new Map(rows.filter((row) => row.call_stack !== "").map((row) => [row.call_stack, row])).values()].slice(0, 10);
        return (
          <>
            <p class="faint">{t.report.largestRows(rows.length, rank.rows_total)}</p>
            <Table
              label={t.report.sections.operators}
              head={[t.operators.operator, t.operators.size, t.operators.duration, t.operators.frame]}
              text={[0, 3]}
              rows={rows.map((row) => [<Name key="n" text={row.name === "" ? t.operators.unnamed : row.name} most={50} />, <Size key="s" of={row.size_kb * 1024} />, Number(row.duration_ms) === 0 ? t.operators.never : span(Number(row.duration_ms) * 1e6), <Name key="f" text={row.call_stack_top} most={60} />])}
            />
            {stacks.map((row, i) => (
              <details key={i}>
                <summary>
                  {t.life.stack}: {row.name}
                </summary>
                <ol class="stack">
                  {row.call_stack.split(/;\r?\n/).map((line, n) => (
                    <li key={n}>{line}</li>
                  ))}
                </ol>
              </details>
            ))}
          </>
        );
      }}
    </EachRank>
  );
}
