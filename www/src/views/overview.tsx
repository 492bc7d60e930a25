// Overview: what the file holds, in words and figures, before any question is asked.

import { CurveChart } from "../charts/curve-chart";
import { deviceOf } from "../device";
import { categoryColour } from "../charts/palette";
import { Section, Size, Table } from "../components/basics";
import { CategoryBars } from "../components/category-bars";
import { Checks } from "../components/checks";
import { DeviceCards, DeviceTable } from "../components/device-figures";
import type { DeviceOverview } from "../components/device-figures";
import { SettingsTable } from "../components/file-facts";
import { HealthLine, Sentences } from "../components/health";
import { ErrorBox, where } from "../components/problems";
import { useQuery } from "../core/use-query";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { inChinese } from "../i18n/readers";
import { useSettings } from "../state/settings";
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
      <SettingsTable settings={summary.allocator_settings} />
    </Section>
  );
}

function Warnings({ summary }: ViewProps) {
  const t = useTexts();
  const chinese = useSettings().language === "zh";
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
              {chinese ? inChinese(warning.detail) : warning.detail}
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

/** What the memory is for, at the peak and at the end: two bars to the same scale. */
function Categories({ at, device }: ViewProps) {
  const t = useTexts();
  const { data } = useQuery(at, { type: "categories", device: deviceOf(device), states: [null, 0xffffffff] }, "overview.categories");
  if (!data) return <div class="categories-waiting" />;
  const [peak = [], end = []] = data.rows;
  const named = [...new Map([...peak, ...end].map((row) => [row.category, row])).keys()];
  const bar = (name: string, rows: typeof peak) => ({ name, rows: rows.map((row) => [row.category, row.bytes] as const) });
  return (
    <Section title={t.overview.categories}>
      <CategoryBars bars={[bar(t.overview.atPeak, peak), bar(t.overview.atSnapshot, end)]} />
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

function Parts({ device }: { device: DeviceOverview }) {
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
      {overview && <HealthLine overview={overview} live />}
      {shown && <Sentences of={[...(overview?.notes ?? []), ...shown.summary]} />}
      {shown ? <DeviceCards device={shown} stats={summary.devices.length === 1 ? stats.data?.stats : undefined} /> : !overview && <div class="cards waiting" />}
      {chart}
      {shown && shown.lives > 0 && <Categories key={`categories ${device}`} {...props} />}
      {overview && <Checks overview={overview} file={props.file} doc={summary.doc} />}
      {overview && overview.devices.length > 1 && (
        <Section title={t.overview.devices}>
          <DeviceTable overview={overview} />
        </Section>
      )}
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
