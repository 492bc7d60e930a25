// Fragmentation: where reserved memory lies idle and what would give it back, in words first.

import { useCallback, useMemo } from "preact/hooks";
import { deviceOf } from "../device";
import { SeriesChart } from "../charts/series-chart";
import type { Series } from "../charts/series-chart";
import { Card, Later, Section, Size, Table } from "../components/basics";
import { Site } from "../components/frames";
import { Says, Verdict } from "../components/health";
import { LazyTable } from "../components/lazy-table";
import { CategoryTag } from "../components/life-detail";
import { MomentPicker } from "../components/moment-picker";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { bytes, count, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { useStore } from "../state/store";
import { selecting } from "../state/selection";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type FragmentRequest = Extract<Request, { type: "fragment" }>;

const hex = (address: number) => `0x${address.toString(16)}`;

/** An address that leads to its place in the map of segments, at the moment that is looked at. */
function Place({ address }: { address: number }) {
  const t = useTexts();
  return (
    <button type="button" class="quiet small" title={t.oom.toSegments} onClick={() => go({ view: "segments", ...selecting({ address: address.toString(16), life: null }) })}>
      <code>{hex(address)}</code>
    </button>
  );
}

function FragmentationView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const device = deviceOf(chosen);
  const { data, error } = useQuery<FragmentRequest>(at, { type: "fragment", device, state: here.at }, "fragment");
  const found = data?.fragment;
  const series = useMemo<Series[]>(
    () =>
      found
        ? [
            { name: t.curves.reserved, kind: "step", unit: "bytes", colour: "#6a7280", points: found.over_time.map((point) => [point.event, point.reserved]) },
            { name: t.oom.allocated, kind: "step", unit: "bytes", colour: "#0072b2", points: found.over_time.map((point) => [point.event, point.allocated]) },
            { name: t.fragmentation.rate, kind: "line", unit: "share", colour: "#d55e00", points: found.over_time.map((point) => [point.event, point.fragmentation]) },
          ]
        : [],
    [found, t],
  );
  const expansions = useCallback(
    () => (found?.expansions ?? []).map((row) => [count(row.event), row.action, <Size key="s" of={row.bytes} />, textOf(t.segmentTypes, row.segment_type), count(row.segments), <Size key="r" of={row.reserved} />, <Site key="f" frame={row.call_site} most={40} />]),
    [found, t],
  );
  return (
    <>
      <MomentPicker at={at} device={device} standard="end" />
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {found && (
        <>
          <Verdict grade={found.grade} title={percent(found.fragmentation)} reasons={found.summary} />
          {found.advice.length > 0 && (
            <Section title={t.oom.advice}>
              <Says of={found.advice} />
            </Section>
          )}
          <div class="cards">
            <Card label={t.curves.reserved}><Size of={found.reserved} /></Card>
            <Card label={t.oom.allocated}><Size of={found.allocated} /></Card>
            <Card label={t.oom.pending} note={percent(found.pending_share)}><Size of={found.pending} /></Card>
            <Card label={t.oom.cached}><Size of={found.cached_free} /></Card>
            <Card label={t.fragmentation.releasable} note={t.fragmentation.releasableMeans}><Size of={found.releasable} /></Card>
            <Card label={t.fragmentation.largest} note={found.requests ? t.fragmentation.typical(bytes(found.requests.median), bytes(found.requests.p95)) : undefined}><Size of={found.largest_free_block} /></Card>
            <Card label={t.fragmentation.reuse}>{found.reuse_rate == null ? "–" : percent(found.reuse_rate)}</Card>
            <Card label={t.fragmentation.lowerBound}><Size of={found.lower_bound} /></Card>
          </div>
          {found.over_time.length > 1 && (
            <Section title={t.fragmentation.overTime}>
              <div class="chart">
                <Later room={220}>
                  <SeriesChart label={t.fragmentation.overTime} xName={t.events.event} series={series} onPick={(event) => go({ at: event + 1 })} />
                </Later>
              </div>
            </Section>
          )}
          <Later>
          <Section title={t.fragmentation.pinned}>
            {found.pinned.length === 0 ? (
              <p class="faint">{t.fragmentation.noPinned}</p>
            ) : (
              <Table
                label={t.fragmentation.pinned}
                head={[t.segments.block, t.segments.size, t.fragmentation.gain, t.fragmentation.heldBy, t.range.category, t.range.callSite]}
                text={[0, 4, 5]}
                rows={found.pinned.map((row) => [<Place key="s" address={row.block} />, <Size key="z" of={row.segment_size} />, <Size key="g" of={row.gain} />, <Size key="b" of={row.block_size} />, row.category ? <CategoryTag key="c" id={row.category} inferred={false} /> : "", <Site key="f" frame={row.call_site} />])}
              />
            )}
          </Section>
          <div class="two">
            <Section title={t.fragmentation.worst}>
              <Table
                label={t.fragmentation.worst}
                head={[t.segments.segment, t.segments.size, t.segments.free, t.fragmentation.rate, t.fragmentation.largest]}
                rows={found.segments.map((row) => [
                  <Place key="a" address={row.address} />,
                  <Size key="s" of={row.size} />,
                  <Size key="f" of={row.free} />,
                  percent(row.fragmentation),
                  <Size key="l" of={row.largest_free} />,
                ])}
              />
            </Section>
            <Section title={t.fragmentation.freeBySize}>
              <Table label={t.fragmentation.freeBySize} head={[t.fragmentation.upTo, t.range.count, t.segments.size]} rows={found.free_by_size.map((row) => [`≤ ${bytes(row.up_to)}`, count(row.count), <Size key="s" of={row.bytes} />])} />
              {found.bursts.length > 0 && (
                <>
                  <h3>{t.fragmentation.bursts}</h3>
                  <Table label={t.fragmentation.bursts} head={[t.events.event, t.range.count, t.segments.size, t.range.callSite]} text={[0, 3]} rows={found.bursts.map((row) => [`${count(row.first_event)}–${count(row.last_event)}`, count(row.count), <Size key="s" of={row.bytes} />, <Site key="f" frame={row.call_site} most={40} />])} />
                </>
              )}
            </Section>
          </div>
          <LazyTable
            label={t.fragmentation.expansions(found.expansion_count)}
            head={[t.events.event, t.events.action, t.segments.size, t.segments.type, t.fragmentation.segments, t.curves.reserved, t.range.callSite]}
            text={[1, 3, 6]}
            rows={expansions}
          />
          </Later>
        </>
      )}
    </>
  );
}

export const fragmentation: View = {
  id: "fragmentation",
  name: (t) => t.fragmentation.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: FragmentationView,
};
