// At a moment: who holds the memory at the peak, or at any other event; as areas, and as a table that
// goes from category to call site.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { deviceOf } from "../charts/curve-chart";
import { init } from "../charts/echarts";
import { categoryColour } from "../charts/palette";
import { Name, Section, Size, Table } from "../components/basics";
import { CategoryTag } from "../components/life-detail";
import { MomentPicker } from "../components/moment-picker";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { CallSiteRow, DevicePeak, Request } from "../core/protocol";
import { bytes, count, middle, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { place } from "../state/url";
import type { View, ViewProps } from "./registry";

type CompositionRequest = Extract<Request, { type: "composition" }>;

function siteText(row: CallSiteRow, t: Texts): string {
  if (row.file == null) return row.function ?? t.life.noStack;
  const where = `${row.function ?? ""} ${row.file}${row.line === null ? "" : `:${row.line}`}`.trim();
  return row.freed_at ? `${t.life.freedAt} ${where}` : where;
}

function MomentView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const device = deviceOf(chosen);
  const { data, error } = useQuery<CompositionRequest>(at, { type: "composition", device, state: here.at }, "moment");
  const composition = data?.composition;
  const [open, setOpen] = useState<string | null>(null);
  return (
    <>
      <MomentPicker at={at} device={device} />
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {composition && (
        <>
          <p>
            <b>
              <Size of={composition.requested} />
            </b>{" "}
            {t.moment.inLives(composition.lives)} {t.moment.explained(percent(composition.explained.plain), percent(composition.explained.inferred))}
          </p>
          <Treemap composition={composition} />
          <div class="two">
            <Section title={t.moment.byCategory}>
              <CategoryTable composition={composition} open={open} onOpen={setOpen} />
            </Section>
            <Section title={t.moment.byModule}>
              {composition.by_module.length === 0 ? (
                <p class="faint">{t.moment.noModules}</p>
              ) : (
                <Table
                  label={t.moment.byModule}
                  head={[t.moment.module, t.moment.size, t.range.count, t.moment.recompute]}
                  rows={composition.by_module.slice(0, 60).map((row) => [
                    <span key="m" style={{ paddingLeft: `${(row.depth - 1) * 14}px` }} title={row.module}>
                      {middle(row.module.split(/ > |;|→/).at(-1) ?? row.module, 52)}
                    </span>,
                    <Size key="s" of={row.bytes} />,
                    count(row.count),
                    <Size key="r" of={row.recompute_bytes} />,
                  ])}
                />
              )}
              <p class="faint">{t.moment.recomputeMeans}</p>
            </Section>
          </div>
        </>
      )}
    </>
  );
}

function CategoryTable({ composition, open, onOpen }: { composition: DevicePeak; open: string | null; onOpen: (id: string | null) => void }) {
  const t = useTexts();
  const share = (value: number) => percent(composition.requested > 0 ? value / composition.requested : 0);
  return (
    <div class="table-frame">
      <table aria-label={t.moment.byCategory}>
        <thead>
          <tr>
            <th scope="col">{t.range.category}</th>
            <th scope="col" class="number">{t.moment.size}</th>
            <th scope="col" class="number">{t.moment.share}</th>
            <th scope="col" class="number">{t.range.count}</th>
            <th scope="col" class="number">{t.moment.inferred}</th>
          </tr>
        </thead>
        <tbody>
          {composition.by_category.map((row) => {
            const shown = open === row.category;
            const sites = shown ? composition.by_call_site.filter((site) => site.category === row.category || site.category === null) : [];
            return [
              <tr key={row.category}>
                <td>
                  <button type="button" class="quiet small" aria-expanded={shown} onClick={() => onOpen(shown ? null : row.category)}>
                    {shown ? "▾" : "▸"} <CategoryTag id={row.category} inferred={false} />
                  </button>
                </td>
                <td class="number"><Size of={row.bytes} /></td>
                <td class="number">{share(row.bytes)}</td>
                <td class="number">{count(row.count)}</td>
                <td class="number">{row.inferred_bytes > 0 ? <Size of={row.inferred_bytes} /> : "–"}</td>
              </tr>,
              ...sites.map((site, i) => (
                <tr key={`${row.category} ${i}`} class="inner">
                  <td class="mono">
                    <Name text={siteText(site, t)} most={64} />
                  </td>
                  <td class="number"><Size of={site.bytes} /></td>
                  <td class="number">{share(site.bytes)}</td>
                  <td class="number">{count(site.count)}</td>
                  <td class="number">{site.inferred_bytes > 0 ? <Size of={site.inferred_bytes} /> : "–"}</td>
                </tr>
              )),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Areas: categories, and in them their call sites. Inferred bytes are hatched. */
function Treemap({ composition }: { composition: DevicePeak }) {
  const t = useTexts();
  const theme = useStore(themeVersion);
  const element = useRef<HTMLDivElement>(null);
  const data = useMemo(
    () =>
      composition.by_category.map((row) => ({
        name: textOf(t.categories, row.category, row.category),
        value: row.bytes,
        itemStyle: { color: categoryColour(row.category) },
        children: composition.by_call_site
          .filter((site) => site.category === row.category)
          .map((site) => ({
            name: siteText(site, t),
            value: site.bytes,
            itemStyle: {
              color: categoryColour(row.category),
              ...(site.inferred_bytes > 0 ? { decal: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -Math.PI / 4, color: "rgba(255,255,255,0.45)" } } : {}),
            },
          })),
      })),
    [composition, t],
  );
  useEffect(() => {
    if (!element.current) return;
    const chart = init(element.current, null, { renderer: "canvas" });
    const style = getComputedStyle(document.documentElement);
    const ground = style.getPropertyValue("--bg").trim();
    const ink = style.getPropertyValue("--text").trim();
    chart.setOption({
      animation: false,
      aria: { enabled: true, decal: { show: false } },
      tooltip: { formatter: (item: { name: string; value: number }) => `${echartsEscape(item.name)}<br><b>${bytes(item.value)}</b>`, confine: true },
      series: [
        {
          type: "treemap",
          data,
          roam: false,
          nodeClick: "zoomToNode",
          breadcrumb: { show: true, height: 20, bottom: 0 },
          top: 0, left: 0, right: 0, bottom: 24,
          label: { formatter: (item: { name: string; value: number }) => `${middle(item.name, 48)}\n${bytes(item.value)}`, fontSize: 11 },
          upperLabel: { show: true, height: 20, color: ink },
          itemStyle: { borderColor: ground, borderWidth: 1, gapWidth: 1 },
          levels: [{ itemStyle: { gapWidth: 2, borderWidth: 0 } }, { itemStyle: { gapWidth: 1, borderWidth: 2 } }],
        },
      ],
    });
    const watch = new ResizeObserver(() => chart.resize());
    watch.observe(element.current);
    return () => {
      watch.disconnect();
      chart.dispose();
    };
  }, [data, theme]);
  return <div ref={element} class="treemap" role="img" aria-label={t.moment.treemap} />;
}

/** ECharts writes tooltips as HTML: names come from files and are text. */
function echartsEscape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export const moment: View = {
  id: "moment",
  name: (t) => t.moment.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: MomentView,
};
