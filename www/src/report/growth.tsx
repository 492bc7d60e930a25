// Whether memory rises from step to step, and which line keeps it.

import { byteStep } from "../charts/scale";
import { Name, Size, Table } from "../components/basics";
import { GROWER_INKS, growerFigures, growerHead, growerName, GrowerStacks } from "../components/growers";
import type { Grower } from "../components/growers";
import { Verdict } from "../components/health";
import { frameText, Site } from "../components/frames";
import { axisBytes, bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import { Chart, frame, ink, plain, tip } from "./chart";
import type { SnapshotReport } from "./data";
import { Each } from "./parts";

export function Growth({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.growth.risk !== "low")} device={(device) => device.drawing.device}>
      {({ growth }) => (
        <>
          <Verdict grade={growth.risk === "high" ? "bad" : "watch"} title={textOf(t.growth.risks, growth.risk)} reasons={growth.reasons} />
          {growth.growth.length > 0 && <GrowthChart growth={growth.growth.slice(0, GROWER_INKS.length)} />}
          <GrowerStacks of={growth.growth} />
          {growth.long_lived.by_call_site.length > 0 && (
            <details>
              <summary>{t.growth.longLived}</summary>
              <Table label={t.growth.longLived} head={[t.range.callSite, t.segments.size, t.range.count]} rows={growth.long_lived.by_call_site.map((row) => [<Name key="f" text={row.file == null ? t.life.noStack : frameText({ file: row.file, line: row.line ?? 0, function: row.function ?? "" })} most={70} />, <Size key="s" of={row.bytes} />, count(row.count)])} />
            </details>
          )}
        </>
      )}
    </Each>
  );
}

function GrowthChart({ growth }: { growth: readonly Grower[] }) {
  const t = useTexts();
  const most = Math.max(1, ...growth.flatMap((row) => row.bytes_by_step));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame(),
      tooltip: { trigger: "axis" as const, ...tip(), formatter: (items: { value: [number, number]; seriesIndex: number }[]) => `${t.growth.step} ${items[0]?.value[0] ?? ""}${items.map((item) => `<br>${plain(growth[item.seriesIndex]?.call_site.function ?? "")} <b>${bytes(item.value[1])}</b>`).join("")}` },
      xAxis: { type: "value", name: t.growth.step, nameLocation: "middle", nameGap: 22, min: 0, max: "dataMax", minInterval: 1, ...ink(), splitLine: { show: false } },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: growth.map((row, i) => ({ name: growerName(row), type: "line", symbolSize: 5, data: row.bytes_by_step.map((value, at) => [at, value]), lineStyle: { color: GROWER_INKS[i] }, itemStyle: { color: GROWER_INKS[i] } })),
    };
  };
  return (
    <Chart
      name="growth"
      label={t.growth.bySite}
      height={260}
      option={option}
      table={{
        head: [t.range.callSite, ...growerHead(t)],
        rows: growth.map((row) => [<Site key="f" frame={row.call_site} />, ...growerFigures(row)]),
      }}
    />
  );
}
