// Who holds the memory: call sites by what they hold at the peak.

import { useState } from "preact/hooks";
import { colour } from "../charts/colour";
import { categoryColour } from "../charts/palette";
import { byteStep } from "../charts/scale";
import { Name, Size, Table } from "../components/basics";
import { Frames, frameText } from "../components/frames";
import { CategoryTag } from "../components/life-detail";
import { axisBytes, bytes, count, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { Chart, frame, ink, plain, tip } from "./chart";
import type { DeviceReport, SnapshotReport } from "./data";
import { Each, Fold } from "./parts";

/** Call sites by what they hold at the peak; a click on a bar opens its stack. */
export function Attribution({ report }: { report: SnapshotReport }) {
  return (
    <Each of={report.devices.filter((device) => device.peak.requested > 0)} device={(device) => device.drawing.device}>
      {(device) => <Sites device={device} />}
    </Each>
  );
}

function Sites({ device }: { device: DeviceReport }) {
  const t = useTexts();
  const [opened, setOpened] = useState<{ place: number; times: number }>({ place: -1, times: 0 });
  const { sites } = device.drawing;
  const shown = sites.reduce((sum, site) => sum + site.bytes, 0);
  const name = (site: (typeof sites)[number]) => (site.site ? `${site.freed_at ? `${t.life.freedAt} ` : ""}${frameText({ ...site.site, file: site.site.file.split(/[\\/]/).at(-1) ?? "" })}` : t.life.noStack);
  const most = Math.max(1, ...sites.map((site) => site.bytes));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ legend: false, left: 270, right: 90 }),
      tooltip: {
        trigger: "axis" as const,
        axisPointer: { type: "shadow" },
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const site = sites[items[0]?.dataIndex ?? 0];
          return site ? `<b>${bytes(site.bytes)}</b> ${plain(textOf(t.categories, site.category))}<br>${plain(site.site ? frameText(site.site) : t.life.noStack)}<br>${plain(t.flame.lives(site.count))}` : "";
        },
      },
      xAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step * (most / step > 4 ? 2 : 1), ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      yAxis: { type: "category", inverse: true, data: sites.map(name), ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, width: 250, overflow: "truncate" } },
      series: [
        {
          name: t.moment.size,
          type: "bar",
          barMaxWidth: 18,
          cursor: "pointer",
          data: sites.map((site) => ({ value: site.bytes, itemStyle: { color: categoryColour(site.category) } })),
          label: { show: true, position: "right", color: colour("text-2"), fontSize: 11, formatter: (item: { value: number }) => bytes(item.value) },
        },
      ],
    };
  };
  return (
    <>
      <p class="faint">{t.report.sitesMean(sites.length, percent(shown / Math.max(1, device.peak.requested)))}</p>
      <Chart name="sites" label={t.report.sections.attribution} height={44 + 30 * sites.length} option={option} onPick={(place) => setOpened((now) => ({ place, times: now.times + 1 }))} />
      {sites.map((site, i) => (
        <Fold
          key={i}
          open={opened.place === i ? opened.times : 0}
          title={
            <>
              <Size of={site.bytes} /> <CategoryTag id={site.category} inferred={site.inferred_bytes > 0} /> <span class="mono"><Name text={name(site)} most={70} /></span>
            </>
          }
        >
          <p class="faint">{t.report.stackOf(bytes(site.stack_bytes), site.stacks)}</p>
          <Frames of={site.stack} />
        </Fold>
      ))}
      {device.peak.by_call_site.length > sites.length && (
        <details>
          <summary>{t.report.moreSites}</summary>
          <Table
            label={t.report.moreSites}
            head={[t.range.callSite, t.range.category, t.moment.size, t.range.count]}
            text={[0, 1]}
            rows={device.peak.by_call_site.map((row) => [<Name key="f" text={row.file == null ? t.life.noStack : row.file === "(rest)" ? t.report.rest : frameText({ file: row.file, line: row.line ?? 0, function: row.function ?? "" })} most={80} />, row.category ? <CategoryTag key="c" id={row.category} inferred={row.inferred_bytes > 0} /> : "", <Size key="s" of={row.bytes} />, count(row.count)])}
          />
        </details>
      )}
    </>
  );
}
