// The sections of a snapshot's report but for curves and comparison.

import { useState } from "preact/hooks";
import { categoryColour } from "../charts/palette";
import { byteStep } from "../charts/scale";
import { colour } from "../charts/colour";
import { Card, Name, Say, Size, Table } from "../components/basics";
import { CategoryTag } from "../components/life-detail";
import type { Overview as OverviewData } from "../core/protocol";
import { axisBytes, bytes, count, exactBytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { Chart, frame, ink, plain, spread, tip } from "./chart";
import type { DeviceReport, SegmentBar, SnapshotReport } from "./data";
import { Reduced, figuresOf, pairs } from "./memory";
import { deviceName, Each, Fold, Frames, Sentences, frameText } from "./parts";

type DeviceOverview = OverviewData["devices"][number];
const MARKS: Readonly<Record<string, string>> = { pass: "✓", fail: "✕", unknown: "?" };

export function Health({ overview }: { overview: OverviewData }) {
  const t = useTexts();
  const { grade, reasons } = overview.health;
  return (
    <div class={`health ${grade}`}>
      <b>{textOf(t.overview.health, grade)}</b>
      <span>
        {reasons.map((reason, i) => (
          <span key={i}>
            {i > 0 && " · "}
            <Say message={reason} />
          </span>
        ))}
      </span>
    </div>
  );
}

function Figures({ device }: { device: DeviceOverview }) {
  const t = useTexts();
  return (
    <div class="cards">
      <Card label={t.overview.peak} note={device.events > 0 ? t.overview.peakAt(device.peak_event) : t.overview.atSnapshot}><Size of={device.peak_requested} /></Card>
      <Card label={t.overview.reserved} note={`${t.overview.peakReserved} ${bytes(device.peak_reserved)}`}><Size of={device.reserved} /></Card>
      <Card label={t.overview.allocated} note={`${t.overview.rounding} ${bytes(device.rounding)}`}><Size of={device.allocated} /></Card>
      <Card label={t.overview.requested} note={`${t.overview.initial} ${bytes(device.initial_requested)}`}><Size of={device.requested} /></Card>
      <Card label={t.overview.fragmentation} note={`${t.overview.largestFree} ${bytes(device.largest_free_block)}`}>{percent(device.fragmentation)}</Card>
      <Card label={t.overview.pending} note={`${t.overview.cached} ${bytes(device.cached_free)}`}><Size of={device.pending_free} /></Card>
      {device.workspace > 0 && <Card label={t.overview.workspace}><Size of={device.workspace} /></Card>}
      <Card label={t.overview.events} note={t.overview.livesNote(device.lives)}>{count(device.events)}</Card>
      <Card label={t.overview.segments} note={t.overview.blocksNote(device.blocks)}>{count(device.segments)}</Card>
    </div>
  );
}

export function Overview({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  const { overview, settings } = report;
  const empty = overview.devices.length === 0;
  return (
    <>
      <Health overview={overview} />
      {!overview.file.complete && <p class="notice">{t.errors.damaged}</p>}
      {overview.devices.every((device) => device.events === 0) && !empty && <p class="notice">{t.overview.noEvents}</p>}
      {empty && <p class="notice">{t.report.empty}</p>}
      {overview.notes.length > 0 && <Sentences of={overview.notes} />}
      <Each of={overview.devices} device={(device) => device.device}>
        {(device) => (
          <>
            <p class="summary">
              {device.summary.map((message, i) => (
                <span key={i}>
                  <Say message={message} />{" "}
                </span>
              ))}
            </p>
            <Figures device={device} />
          </>
        )}
      </Each>
      {!empty && (
        <details>
          <summary>{t.overview.checks}</summary>
          <ul class="checks">
            {overview.checks.map((check) => (
              <li key={check.name}>
                <span class={`mark ${check.status}`} role="img" aria-label={textOf(t.overview.status, check.status)}>
                  {MARKS[check.status]}
                </span>
                <span>{textOf(t.overview.check, check.name)}</span>
                <span class="check-detail">
                  <Say message={check.detail} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {settings.length > 0 && (
        <details>
          <summary>{t.overview.settings}</summary>
          <Table label={t.overview.settings} head={[t.overview.setting, t.overview.value]} text={[0, 1]} rows={settings.map(([name, value]) => [<code key="n">{name}</code>, <code key="v" class="wrap">{value}</code>])} />
        </details>
      )}
      {overview.warnings.length > 0 && (
        <details open>
          <summary>{t.overview.warnings}</summary>
          <Table label={t.overview.warnings} head={[t.report.what, t.overview.number]} rows={overview.warnings.map((warning) => [warning.detail, count(warning.count)])} />
        </details>
      )}
    </>
  );
}

/** Devices side by side, the rate of fragmentation on an axis of its own. */
export function Devices({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  const { devices } = report.overview;
  const names = devices.map((device) => deviceName(device.device, t));
  const kinds = [
    { key: "reserved", ink: "series-reserved" },
    { key: "active", ink: "series-active" },
    { key: "peak_requested", ink: "series-requested" },
  ] as const;
  const title = { reserved: t.overview.reserved, active: t.overview.active, peak_requested: t.overview.peak };
  const most = Math.max(1, ...devices.flatMap((device) => kinds.map(({ key }) => device[key])));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame({ right: 56 }),
      tooltip: {
        trigger: "axis" as const,
        ...tip(),
        formatter: (items: { dataIndex: number }[]) => {
          const device = devices[items[0]?.dataIndex ?? 0];
          return device ? `${plain(deviceName(device.device, t))}${kinds.map(({ key }) => `<br>${title[key]} <b>${bytes(device[key])}</b>`).join("")}<br>${t.overview.fragmentation} <b>${percent(device.fragmentation)}</b>` : "";
        },
      },
      xAxis: { type: "category", data: names, ...ink() },
      yAxis: [
        { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
        { type: "value", min: 0, max: 1, ...ink(), splitLine: { show: false }, axisLabel: { ...ink().axisLabel, formatter: (value: number) => percent(value, 0) } },
      ],
      series: [
        ...kinds.map(({ key, ink: name }) => ({ name: title[key], type: "bar", barMaxWidth: 34, data: devices.map((device) => device[key]), itemStyle: { color: colour(name) } })),
        { name: t.overview.fragmentation, type: "line", yAxisIndex: 1, symbolSize: 9, data: devices.map((device) => device.fragmentation), lineStyle: { color: colour("bad"), width: 1.5, type: "dashed" }, itemStyle: { color: colour("bad") } },
      ],
    };
  };
  const rows: readonly [string, (device: DeviceOverview) => preact.ComponentChildren][] = [
    [t.overview.peak, (d) => <Size of={d.peak_requested} />],
    [t.overview.requested, (d) => <Size of={d.requested} />],
    [t.overview.allocated, (d) => <Size of={d.allocated} />],
    [t.overview.active, (d) => <Size of={d.active} />],
    [t.overview.reserved, (d) => <Size of={d.reserved} />],
    [t.overview.cached, (d) => <Size of={d.cached_free} />],
    [t.overview.fragmentation, (d) => percent(d.fragmentation)],
    [t.overview.segments, (d) => count(d.segments)],
    [t.overview.events, (d) => count(d.events)],
  ];
  return (
    <>
      <Chart name="devices" label={t.overview.devices} height={300} option={option} />
      <Table label={t.overview.devices} head={[t.overview.figure, ...names]} rows={rows.map(([name, of]) => [name, ...devices.map(of)])} />
    </>
  );
}

/** In use less than this share of it, a segment is marked. */
const LOW_USE = 0.5;
const STATES = ["allocated", "pending", "workspace", "free"] as const;
const STATE_INKS = { allocated: "series-requested", pending: "series-active", workspace: "state-workspace", free: "state-free" } as const;
const used = (bar: SegmentBar) => (bar.size > 0 ? (bar.size - bar.free) / bar.size : 1);
const hex = (address: number) => `0x${address.toString(16)}`;

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

/** Segment events by size, and how many segments there were after each. */
function Expansion({ device }: { device: DeviceReport }) {
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
            return row ? [[count(row.event), row.action, <Size key="s" of={row.bytes} />, textOf(t.segmentTypes, row.segment_type), count(row.segments), <Size key="r" of={row.reserved} />, <Name key="f" text={row.call_site ? frameText(row.call_site) : t.life.noStack} most={60} />]] : [];
          }),
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

export function Fragmentation({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.fragment.fragmentation >= 0.05)} device={(device) => device.drawing.device}>
      {({ fragment }) => (
        <>
          <div class={`health ${fragment.grade}`}>
            <b>{percent(fragment.fragmentation)}</b>
            <div>
              {fragment.summary.map((message, i) => (
                <div key={i}>
                  <Say message={message} />
                </div>
              ))}
            </div>
          </div>
          <div class="cards">
            <Card label={t.fragmentation.releasable}><Size of={fragment.releasable} /></Card>
            <Card label={t.overview.pending} note={percent(fragment.pending_share)}><Size of={fragment.pending} /></Card>
            <Card label={t.fragmentation.largest}><Size of={fragment.largest_free_block} /></Card>
            <Card label={t.fragmentation.reuse}>{fragment.reuse_rate == null ? "–" : percent(fragment.reuse_rate)}</Card>
            <Card label={t.fragmentation.lowerBound}><Size of={fragment.lower_bound} /></Card>
          </div>
          {fragment.pinned.length > 0 && (
            <details>
              <summary>{t.fragmentation.pinned}</summary>
              <Table
                label={t.fragmentation.pinned}
                head={[t.segments.block, t.segments.size, t.fragmentation.gain, t.fragmentation.heldBy, t.range.callSite]}
                text={[0, 4]}
                rows={fragment.pinned.slice(0, 20).map((row) => [<code key="a">{hex(row.block)}</code>, <Size key="s" of={row.segment_size} />, <Size key="g" of={row.gain} />, <Size key="b" of={row.block_size} />, <Name key="f" text={row.call_site ? frameText(row.call_site) : t.life.noStack} most={70} />])}
              />
            </details>
          )}
          <details>
            <summary>{t.fragmentation.freeBySize}</summary>
            <Table label={t.fragmentation.freeBySize} head={[t.fragmentation.upTo, t.range.count, t.segments.size]} rows={fragment.free_by_size.map((row) => [`≤ ${bytes(row.up_to)}`, count(row.count), <Size key="s" of={row.bytes} />])} />
          </details>
        </>
      )}
    </Each>
  );
}

function CategoryBars({ device }: { device: DeviceReport }) {
  const t = useTexts();
  const bars = [
    { name: t.overview.atPeak, rows: device.peak.by_category.map((row) => [row.category as string, row.bytes] as const) },
    { name: t.overview.atSnapshot, rows: device.drawing.end.map(([category, size]) => [category, size] as const) },
  ];
  const sum = (rows: readonly (readonly [string, number])[]) => rows.reduce((all, [, size]) => all + size, 0);
  const most = Math.max(1, ...bars.map((bar) => sum(bar.rows)));
  return (
    <>
      {bars.map((bar) => (
        <div key={bar.name} class="category-line">
          <span>{bar.name}</span>
          <div class="category-bar" {...(bar.rows.length > 0 ? { role: "img", "aria-label": bar.rows.map(([id, size]) => `${textOf(t.categories, id)} ${bytes(size)}`).join(", ") } : {})}>
            {bar.rows.map(([id, size]) => (
              <div key={id} style={{ width: `${(size / most) * 100}%`, background: categoryColour(id) }} title={`${textOf(t.categories, id)}: ${bytes(size)} (${exactBytes(size)})`} />
            ))}
          </div>
          <Size of={sum(bar.rows)} />
        </div>
      ))}
    </>
  );
}

export function Peak({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.peak.requested > 0)} device={(device) => device.drawing.device}>
      {(device) => {
        const { peak } = device;
        return (
          <>
            <p>
              <b><Size of={peak.peak_requested} /></b> {t.report.held((figuresOf(report, device)?.events ?? 0) > 0 ? t.overview.peakAt(peak.peak_event) : t.overview.atSnapshot, peak.lives)} <span class="faint">{t.moment.explained(percent(peak.explained.plain), percent(peak.explained.inferred))}</span>
            </p>
            <CategoryBars device={device} />
            <Table
              label={t.moment.byCategory}
              head={[t.range.category, t.moment.size, t.moment.share, t.range.count, t.moment.inferred]}
              rows={peak.by_category.map((row) => [<CategoryTag key="c" id={row.category} inferred={false} />, <Size key="b" of={row.bytes} />, percent(row.bytes / peak.requested), count(row.count), row.inferred_bytes > 0 ? <Size key="i" of={row.inferred_bytes} /> : "–"])}
            />
            {peak.by_module.length > 0 && (
              <details>
                <summary>{t.moment.byModule}</summary>
                <Table
                  label={t.moment.byModule}
                  head={[t.moment.module, t.moment.size, t.range.count, t.moment.recompute]}
                  rows={peak.by_module.slice(0, 60).map((row) => [<span key="m" style={{ paddingLeft: `${row.depth * 14}px` }}><Name text={row.module ?? ""} most={70} /></span>, <Size key="b" of={row.bytes} />, count(row.count), <Size key="r" of={row.recompute_bytes} />])}
                />
              </details>
            )}
          </>
        );
      }}
    </Each>
  );
}

const INKS = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

export function Growth({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.growth.risk !== "low")} device={(device) => device.drawing.device}>
      {({ growth }) => (
        <>
          <div class={`health ${growth.risk === "high" ? "bad" : "watch"}`}>
            <b>{textOf(t.growth.risks, growth.risk)}</b>
            <div>
              {growth.reasons.map((message, i) => (
                <div key={i}>
                  <Say message={message} />
                </div>
              ))}
            </div>
          </div>
          {growth.growth.length > 0 && <GrowthChart growth={growth.growth.slice(0, INKS.length)} />}
          {growth.growth.map(
            (row, i) =>
              row.stack && (
                <details key={i}>
                  <summary>
                    {t.life.stack}: {row.call_site.function}
                  </summary>
                  <Frames of={row.stack} />
                </details>
              ),
          )}
          {growth.long_lived.by_call_site.length > 0 && (
            <details>
              <summary>{t.growth.longLived}</summary>
              <Table label={t.growth.longLived} head={[t.range.callSite, t.segments.size, t.range.count]} rows={growth.long_lived.by_call_site.map((row) => [<Name key="f" text={row.file == null ? t.life.noStack : `${row.function ?? ""} ${row.file}:${row.line ?? 0}`} most={70} />, <Size key="s" of={row.bytes} />, count(row.count)])} />
            </details>
          )}
        </>
      )}
    </Each>
  );
}

function GrowthChart({ growth }: { growth: DeviceReport["growth"]["growth"] }) {
  const t = useTexts();
  const most = Math.max(1, ...growth.flatMap((row) => row.bytes_by_step));
  const option = () => {
    const step = byteStep(most);
    return {
      ...frame(),
      tooltip: { trigger: "axis" as const, ...tip(), formatter: (items: { value: [number, number]; seriesIndex: number }[]) => `${t.growth.step} ${items[0]?.value[0] ?? ""}${items.map((item) => `<br>${plain(growth[item.seriesIndex]?.call_site.function ?? "")} <b>${bytes(item.value[1])}</b>`).join("")}` },
      xAxis: { type: "value", name: t.growth.step, nameLocation: "middle", nameGap: 22, min: 0, max: "dataMax", minInterval: 1, ...ink(), splitLine: { show: false } },
      yAxis: { type: "value", min: 0, max: Math.ceil(most / step) * step, interval: step, ...ink(), axisLabel: { ...ink().axisLabel, formatter: (value: number) => axisBytes(value, step) } },
      series: growth.map((row, i) => ({ name: `${row.call_site.function} :${row.call_site.line}`, type: "line", symbolSize: 5, data: row.bytes_by_step.map((value, at) => [at, value]), lineStyle: { color: INKS[i] }, itemStyle: { color: INKS[i] } })),
    };
  };
  return (
    <Chart
      name="growth"
      label={t.growth.bySite}
      height={260}
      option={option}
      table={{
        head: [t.range.callSite, t.growth.perStep, t.growth.first, t.growth.last, t.growth.rising, t.growth.full],
        rows: growth.map((row) => [<Name key="f" text={frameText(row.call_site)} most={60} />, <Size key="b" of={row.bytes_per_step} />, <Size key="1" of={row.first} />, <Size key="l" of={row.last} />, percent(row.rising_share, 0), row.projected_oom_step == null ? "–" : count(row.projected_oom_step)]),
      }}
    />
  );
}

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
            rows={device.peak.by_call_site.map((row) => [<Name key="f" text={row.file == null ? t.life.noStack : row.file === "(rest)" ? t.report.rest : `${row.function ?? ""} ${row.file}:${row.line ?? 0}`} most={80} />, row.category ? <CategoryTag key="c" id={row.category} inferred={row.inferred_bytes > 0} /> : "", <Size key="s" of={row.bytes} />, count(row.count)])}
          />
        </details>
      )}
    </>
  );
}

export function Advice({ report }: { report: SnapshotReport }) {
  const t = useTexts();
  return (
    <Each of={report.devices.filter((device) => device.fragment.advice.length > 0 || device.ooms.ooms.some((oom) => oom.advice.length > 0))} device={(device) => device.drawing.device}>
      {(device) => {
        const ofOoms = device.ooms.ooms.flatMap((oom) => oom.advice);
        // The same advice for many failures is said once.
        const once = [...new Map([...ofOoms, ...device.fragment.advice].map((message) => [message.en, message])).values()];
        return (
          <>
            <p class="faint">{t.report.adviceMeans}</p>
            <Sentences of={once} />
          </>
        );
      }}
    </Each>
  );
}
