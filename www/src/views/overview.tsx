// Overview: what the file holds, in words and figures, before any question is asked.

import type { ComponentChildren } from "preact";
import { CurveChart } from "../charts/curve-chart";
import { deviceOf } from "../device";
import { categoryColour } from "../charts/palette";
import { Card, Say, Section, Size, Table } from "../components/basics";
import { Checks } from "../components/checks";
import { ErrorBox, where } from "../components/problems";
import type { Overview as OverviewData, Stats } from "../core/protocol";
import { useQuery } from "../core/use-query";
import { bytes, count, exactBytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { go } from "../state/url";
import type { View, ViewProps } from "./registry";

function Notices({ summary }: ViewProps) {
  const t = useTexts();
  const { left_out: left, complete, devices } = summary;
  const notices = [
    complete ? "" : t.errors.damaged,
    left && left.events > 0 ? t.budget.leftOut(left.events) : "",
    left && left.after > 0 ? t.budget.leftOutAfter(left.after) : "",
    left?.native_frames ? t.budget.leftOutNative : "",
    devices.every((device) => device.events === 0) ? t.overview.noEvents : "",
  ];
  return (
    <>
      {notices
        .filter((text) => text !== "")
        .map((text) => (
          <p key={text} class="notice">
            {text}
          </p>
        ))}
    </>
  );
}

function AllocatorSettings({ summary }: ViewProps) {
  const t = useTexts();
  if (summary.allocator_settings.length === 0) return null;
  return (
    <Section title={t.overview.settings}>
      <Table
        label={t.overview.settings}
        head={[t.overview.setting, t.overview.value, t.overview.meaning]}
        text={[0, 1, 2]}
        rows={summary.allocator_settings.map(([name, value]) => [
          <code key="n">{name}</code>,
          <code key="v" class="wrap">
            {value}
          </code>,
          <span key="m" class="faint">
            {textOf(t.settings, name, "")}
          </span>,
        ])}
      />
    </Section>
  );
}

function Warnings({ summary }: ViewProps) {
  const t = useTexts();
  if (summary.warnings.length === 0) return null;
  return (
    <Section title={t.overview.warnings}>
      <ul class="checks">
        {summary.warnings.map((warning) => (
          <li key={warning.kind}>
            <span class="mark unknown" aria-hidden="true">
              !
            </span>
            <span>
              {warning.detail}
              {warning.count > 1 && ` (×${count(warning.count)})`}
            </span>
            {warning.position && (
              <span class="check-detail">
                {t.overview.atFirst} {where(warning.position, t)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Device = OverviewData["devices"][number];

function HealthLine({ overview }: { overview: OverviewData }) {
  const t = useTexts();
  const { grade, reasons } = overview.health;
  return (
    <div class={`health ${grade}`} role="status">
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

function Cards({ device, stats }: { device: Device; stats: Stats | undefined }) {
  const t = useTexts();
  return (
    <div class="cards">
      <Card label={t.overview.peak} note={device.events > 0 ? t.overview.peakAt(device.peak_event) : t.overview.atSnapshot}>
        <Size of={device.peak_requested} />
      </Card>
      <Card label={t.overview.reserved} note={`${t.overview.peakReserved} ${bytes(device.peak_reserved)}`}>
        <Size of={device.reserved} />
      </Card>
      <Card label={t.overview.allocated} note={`${t.overview.rounding} ${bytes(device.rounding)}`}>
        <Size of={device.allocated} />
      </Card>
      <Card label={t.overview.requested} note={`${t.overview.initial} ${bytes(device.initial_requested)}`}>
        <Size of={device.requested} />
      </Card>
      <Card label={t.overview.fragmentation} note={`${t.overview.largestFree} ${bytes(device.largest_free_block)}`}>
        {percent(device.fragmentation)}
      </Card>
      <Card label={t.overview.pending} note={`${t.overview.cached} ${bytes(device.cached_free)}`}>
        <Size of={device.pending_free} />
      </Card>
      {device.workspace > 0 && (
        <Card label={t.overview.workspace}>
          <Size of={device.workspace} />
        </Card>
      )}
      <Card label={t.overview.events} note={t.overview.livesNote(device.lives)}>
        {count(device.events)}
      </Card>
      <Card label={t.overview.segments} note={t.overview.blocksNote(device.blocks)}>
        {count(device.segments)}
      </Card>
      {stats && (
        <Card label={t.overview.pytorchStats} note={t.overview.pytorchNote(bytes(stats.internal), bytes(stats.external))}>
          <Size of={stats.total_allocated} />
        </Card>
      )}
    </div>
  );
}

/** What the memory is for, at the peak and at the end: two bars to the same scale. */
function Categories({ at, device }: ViewProps) {
  const t = useTexts();
  const { data } = useQuery(at, { type: "categories", device: deviceOf(device), states: [null, 0xffffffff] }, "overview.categories");
  if (!data) return <div class="categories-waiting" />;
  const [peak = [], end = []] = data.rows;
  const sum = (rows: typeof peak) => rows.reduce((all, row) => all + row.bytes, 0);
  const most = Math.max(sum(peak), sum(end), 1);
  const named = [...new Map([...peak, ...end].map((row) => [row.category, row])).keys()];
  const bars = [
    { name: t.overview.atPeak, rows: peak },
    { name: t.overview.atSnapshot, rows: end },
  ];
  return (
    <Section title={t.overview.categories}>
      {bars.map((bar) => (
        <div key={bar.name} class="category-line">
          <span>{bar.name}</span>
          <div class="category-bar" role="img" aria-label={bar.rows.map((row) => `${textOf(t.categories, row.category)} ${bytes(row.bytes)}`).join(", ")}>
            {bar.rows.map((row) => (
              <div
                key={row.category}
                style={{ width: `${(row.bytes / most) * 100}%`, background: categoryColour(row.category) }}
                title={`${textOf(t.categories, row.category)}: ${bytes(row.bytes)} (${exactBytes(row.bytes)})`}
              />
            ))}
          </div>
          <Size of={sum(bar.rows)} />
        </div>
      ))}
      <div class="legend">
        {named.map((category) => (
          <span key={category}>
            <span class="dot" style={{ background: categoryColour(category) }} />
            {textOf(t.categories, category)}
          </span>
        ))}
        <span class="grow" />
        <button type="button" class="quiet small" onClick={() => go({ view: "moment" })}>
          {t.overview.whoHolds}
        </button>
      </div>
    </Section>
  );
}

/** The figures of all devices in columns, for comparing. */
function Devices({ overview }: { overview: OverviewData }) {
  const t = useTexts();
  const { devices, total } = overview;
  const rows: [string, (device: Device) => ComponentChildren, ComponentChildren][] = [
    [t.overview.peak, (d) => <Size of={d.peak_requested} />, ""],
    [t.overview.requested, (d) => <Size of={d.requested} />, <Size of={total.requested} />],
    [t.overview.allocated, (d) => <Size of={d.allocated} />, <Size of={total.allocated} />],
    [t.overview.active, (d) => <Size of={d.active} />, <Size of={total.active} />],
    [t.overview.reserved, (d) => <Size of={d.reserved} />, <Size of={total.reserved} />],
    [t.overview.peakReserved, (d) => <Size of={d.peak_reserved} />, ""],
    [t.overview.rounding, (d) => <Size of={d.rounding} />, <Size of={total.rounding} />],
    [t.overview.pending, (d) => <Size of={d.pending_free} />, <Size of={total.pending_free} />],
    [t.overview.cached, (d) => <Size of={d.cached_free} />, <Size of={total.cached_free} />],
    [t.overview.workspace, (d) => <Size of={d.workspace} />, <Size of={total.workspace} />],
    [t.overview.fragmentation, (d) => percent(d.fragmentation), ""],
    [t.overview.segments, (d) => count(d.segments), count(total.segments)],
    [t.overview.events, (d) => count(d.events), count(total.events)],
    [t.overview.lives, (d) => count(d.lives), count(total.lives)],
  ];
  return (
    <Section title={t.overview.devices}>
      <Table
        label={t.overview.devices}
        head={[t.overview.figure, ...devices.map((each) => (each.device === "host" ? t.app.host : `${t.app.device} ${each.device}`)), t.overview.total]}
        rows={rows.map(([name, of, sum]) => [name, ...devices.map(of), sum])}
      />
    </Section>
  );
}

function Parts({ device }: { device: Device }) {
  const t = useTexts();
  const anomalies = Object.entries(device.anomalies);
  return (
    <>
      <Section title={t.overview.pools}>
        <Table
          label={t.overview.pools}
          head={[t.overview.pool, t.overview.stream, t.overview.type, t.overview.segments, t.overview.reserved, t.overview.allocated, t.overview.active, t.overview.largestFree]}
          text={[0, 2]}
          rows={device.by_pool.map((row) => [
            `(${row.pool[0]}, ${row.pool[1]})`,
            String(row.stream),
            row.segment_type,
            count(row.segments),
            <Size key="r" of={row.reserved} />,
            <Size key="a" of={row.allocated} />,
            <Size key="c" of={row.active} />,
            <Size key="l" of={row.largest_free_block} />,
          ])}
        />
      </Section>
      <div class="two">
        <Section title={t.overview.states}>
          <Table
            label={t.overview.states}
            head={[t.overview.state, t.overview.number, t.overview.size]}
            rows={device.by_state.map((row) => [row.state, count(row.count), <Size key="b" of={row.bytes} />])}
          />
        </Section>
        {device.events > 0 && (
          <Section title={t.overview.actions}>
            <Table
              label={t.overview.actions}
              head={[t.overview.events, t.overview.number]}
              rows={Object.entries(device.actions).map(([action, number]) => [action, count(number)])}
            />
          </Section>
        )}
        {anomalies.length > 0 && (
          <Section title={t.overview.anomalies}>
            <Table label={t.overview.anomalies} head={[t.overview.anomalies, t.overview.number]} rows={anomalies.map(([kind, number]) => [kind, count(number)])} />
          </Section>
        )}
      </div>
    </>
  );
}

function Overview(props: ViewProps) {
  const t = useTexts();
  const { summary, at, device } = props;
  const chosen = summary.devices.find((each) => String(each.device) === device);
  // The curve is asked for first: it is what one wants to see.
  const chart = chosen && chosen.events > 0 && <CurveChart key={device} at={at} device={device} hasTime={chosen.has_time} />;
  const answer = useQuery(at, { type: "overview", growth: false }, "overview");
  // Growth takes longer to tell: the health line learns of it when it is there.
  const weighed = useQuery(at, answer.data ? { type: "overview", growth: true } : null, "overview.growth");
  const stats = useQuery(at, { type: "stats" }, "overview.stats");
  const overview = weighed.data?.overview ?? answer.data?.overview;
  const shown = overview?.devices.find((each) => String(each.device) === device);
  return (
    <>
      <Notices {...props} />
      {answer.error && <ErrorBox error={answer.error} title={t.app.failedView} />}
      {overview && <HealthLine overview={overview} />}
      {shown && (
        <p class="summary">
          {[...(overview?.notes ?? []), ...shown.summary].map((message, i) => (
            <span key={i}>
              <Say message={message} />{" "}
            </span>
          ))}
        </p>
      )}
      {shown ? <Cards device={shown} stats={summary.devices.length === 1 ? stats.data?.stats : undefined} /> : <div class="cards waiting" />}
      {chart}
      {shown && shown.lives > 0 && <Categories key={`categories ${device}`} {...props} />}
      {overview && <Checks overview={overview} file={props.file} doc={summary.doc} />}
      {overview && overview.devices.length > 1 && <Devices overview={overview} />}
      {shown && <Parts device={shown} />}
      <AllocatorSettings {...props} />
      <Warnings {...props} />
    </>
  );
}

export const overview: View = {
  id: "overview",
  name: (t) => t.overview.name,
  fits: (summary) => summary.kind === "snapshot",
  Component: Overview,
};
