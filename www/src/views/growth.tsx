// Growth: does memory rise from step to step, and which line keeps it; in words first.

import { useMemo, useState } from "preact/hooks";
import { deviceOf } from "../device";
import { SeriesChart } from "../charts/series-chart";
import type { Series } from "../charts/series-chart";
import { Section, Size, Table } from "../components/basics";
import { Site } from "../components/frames";
import { GROWER_INKS, growerFigures, growerHead, growerName, GrowerStacks } from "../components/growers";
import { Verdict } from "../components/health";
import { CategoryTag } from "../components/life-detail";
import { gibibytes, Gibibytes } from "../components/field";
import { ErrorBox } from "../components/problems";
import { FindButton } from "../components/site";
import { useQuery } from "../core/use-query";
import type { CallSiteRow, FrameText, Request } from "../core/protocol";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { go } from "../state/url";
import type { View, ViewProps } from "./registry";

type GrowthRequest = Extract<Request, { type: "growth" }>;

const frameOf = (row: CallSiteRow): FrameText | null => (row.file == null ? null : { file: row.file, line: row.line ?? 0, function: row.function ?? "" });

function GrowthView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const device = deviceOf(chosen);
  const [gib, setGib] = useState("");
  const limit = gibibytes(gib) ?? null;
  const { data, error } = useQuery<GrowthRequest>(at, { type: "growth", device, limit }, "growth");
  const found = data?.growth;
  const series = useMemo<Series[]>(
    () => (found?.growth ?? []).slice(0, GROWER_INKS.length).map((grower, i) => ({ name: growerName(grower), kind: "line", unit: "bytes", colour: GROWER_INKS[i] ?? "", points: grower.bytes_by_step.map((value, step) => [step, value] as const) })),
    [found],
  );
  const grade = found?.risk === "high" ? "bad" : found?.risk === "medium" ? "watch" : "good";
  return (
    <>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {found && (
        <>
          <Verdict grade={grade} title={textOf(t.growth.risks, found.risk)} reasons={found.reasons} />
          <p>
            {found.steps.source == null ? t.growth.noSteps : t.growth.steps(found.steps.boundaries.length, textOf(t.growth.sources, found.steps.source))}
          </p>
          {found.growth.length > 0 && (
            <>
              <Gibibytes label={t.oom.limit} text={gib} onText={setGib} />
              <Section title={t.growth.bySite}>
                <div class="chart">
                  <SeriesChart label={t.growth.bySite} xName={t.growth.step} series={series} onPick={(step) => go({ view: "moment", at: found.steps.boundaries[step] ?? null })} />
                </div>
                <Table
                  label={t.growth.bySite}
                  head={[t.range.callSite, t.range.category, ...growerHead(t), t.app.more]}
                  text={[0, 1]}
                  rows={found.growth.map((row) => [<Site key="f" frame={row.call_site} />, <CategoryTag key="c" id={row.category} inferred={false} />, ...growerFigures(row), <FindButton key="t" frame={row.call_site} />])}
                />
                <GrowerStacks of={found.growth} />
              </Section>
            </>
          )}
          <div class="two">
            <Section title={t.growth.longLived}>
              <p class="faint">{t.growth.longLivedMeans(found.long_lived.count)}</p>
              {found.long_lived.by_call_site.length > 0 && (
                <Table label={t.growth.longLived} head={[t.range.callSite, t.segments.size, t.range.count, t.app.more]} rows={found.long_lived.by_call_site.map((row) => [<Site key="f" frame={frameOf(row)} most={48} />, <Size key="s" of={row.bytes} />, count(row.count), <FindButton key="t" frame={frameOf(row)} />])} />
              )}
            </Section>
            <Section title={t.growth.reserve}>
              <p class="faint">{found.rising_reserve.rising ? t.growth.reserveRises : t.growth.reserveFlat}</p>
              {found.rising_reserve.by_call_site.length > 0 && (
                <Table label={t.growth.reserve} head={[t.range.callSite, t.segments.size, t.range.count]} rows={found.rising_reserve.by_call_site.map((row) => [<Site key="f" frame={row.call_site} most={48} />, <Size key="s" of={row.bytes} />, count(row.count)])} />
              )}
            </Section>
          </div>
        </>
      )}
    </>
  );
}

export const growth: View = {
  id: "growth",
  name: (t) => t.growth.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.some((device) => device.events > 0),
  Component: GrowthView,
};
