// Overview: what the file holds, in words and figures, before any question is asked.

import { CurveChart } from "../charts/curve-chart";
import { Card, Section, Size, Table } from "../components/basics";
import { where } from "../components/problems";
import { bytes, count } from "../format";
import { textOf, useTexts } from "../i18n";
import type { View, ViewProps } from "./registry";
import { useQuery } from "../core/use-query";

function Notices({ summary }: ViewProps) {
  const t = useTexts();
  const { left_out: left, complete, devices } = summary;
  const notices = [
    complete ? "" : t.errors.damaged,
    left && left.events > 0 ? t.budget.leftOut(left.events) : "",
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

function Overview(props: ViewProps) {
  const t = useTexts();
  const { summary, at, device } = props;
  const chosen = summary.devices.find((each) => String(each.device) === device);
  const stats = useQuery(at, { type: "stats" }, "overview.stats");
  return (
    <>
      <Notices {...props} />
      <div class="cards">
        <Card label={t.overview.reserved}>{stats.data && <Size of={stats.data.stats.total_reserved} />}</Card>
        <Card label={t.overview.requested}>{stats.data && <Size of={stats.data.stats.total_allocated} />}</Card>
        <Card label={t.overview.segments}>{count(chosen?.segments ?? 0)}</Card>
        <Card label={t.overview.events}>{count(chosen?.events ?? 0)}</Card>
        <Card label={t.overview.size}>{bytes(props.file.source.blob.size)}</Card>
      </div>
      {chosen && chosen.events > 0 && <CurveChart key={device} at={at} device={device} hasTime={chosen.has_time} />}
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
