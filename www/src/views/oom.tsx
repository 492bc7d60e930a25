// Out of memory: why each failed allocation failed, in words first, with the figures it rests on.

import { useState } from "preact/hooks";
import { deviceOf } from "../device";
import { Name, Say, Section, Size, Table } from "../components/basics";
import { CategoryTable } from "../components/category-bars";
import { siteText } from "../components/composition-table";
import { Site } from "../components/frames";
import { Says } from "../components/health";
import { CategoryMark, CategoryTag } from "../components/life-detail";
import { OomCards } from "../components/oom-cards";
import { gibibytes, Gibibytes } from "../components/field";
import { ErrorBox } from "../components/problems";
import { FindButton } from "../components/site";
import { useQuery } from "../core/use-query";
import type { OomReport, Request } from "../core/protocol";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { go } from "../state/url";
import type { View, ViewProps } from "./registry";

/** Failures shown before one asks for all: a run that goes on after each may have hundreds. */
const SHOWN = 5;
/** Call sites told of each. */
const SITES = 10;

type OomsRequest = Extract<Request, { type: "ooms" }>;

function OomView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const device = deviceOf(chosen);
  const [gib, setGib] = useState("");
  const [all, setAll] = useState(false);
  const limit = gibibytes(gib) ?? null;
  const { data, error } = useQuery<OomsRequest>(at, { type: "ooms", device, limit }, "ooms");
  const ooms = data?.ooms.ooms ?? [];
  return (
    <>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {data && ooms.length === 0 && <p class="notice">{t.oom.none}</p>}
      {ooms.length > 0 && (
        <Gibibytes label={t.oom.limit} text={gib} onText={setGib} />
      )}
      {ooms.length > SHOWN && (
        <p class="row">
          <span role="status">{all ? t.oom.inAll(ooms.length) : t.report.firstOoms(SHOWN, ooms.length)}</span>
          <button type="button" class="quiet small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t.range.fewer : t.range.all(ooms.length)}
          </button>
        </p>
      )}
      {ooms.slice(0, all ? undefined : SHOWN).map((oom) => (
        <Report key={oom.event} oom={oom} />
      ))}
    </>
  );
}

function Report({ oom }: { oom: OomReport }) {
  const t = useTexts();
  return (
    <Section
      title={t.oom.heading(t.oom.title(oom.event), textOf(t.oom.verdicts, oom.verdict, oom.verdict))}
      aside={
        <div class="row">
          <button type="button" onClick={() => go({ view: "moment", at: oom.event })}>
            {t.oom.toMoment}
          </button>
          <button type="button" onClick={() => go({ view: "timeline", at: oom.event, range: [Math.max(0, oom.event - 400), oom.event + 40] })}>
            {t.oom.toTimeline}
          </button>
          <button type="button" onClick={() => go({ view: "segments", at: oom.event })}>
            {t.oom.toSegments}
          </button>
        </div>
      }
    >
      <Says of={oom.evidence} />
      {oom.contributing.length > 0 && (
        <>
          <h3>{t.oom.contributing}</h3>
          <ul class="says">
            {oom.contributing.map((each) => (
              <li key={each.verdict}>
                <b>{t.oom.heading(textOf(t.oom.verdicts, each.verdict, each.verdict), "")}</b>
                <Say message={each.evidence} />
              </li>
            ))}
          </ul>
        </>
      )}
      {oom.advice.length > 0 && (
        <>
          <h3>{t.oom.advice}</h3>
          <Says of={oom.advice} />
        </>
      )}
      <OomCards oom={oom} />
      <div class="two">
        <Section title={t.oom.live}>
          <CategoryTable label={t.oom.live} rows={oom.by_category} />
        </Section>
        <Section title={t.oom.liveSites}>
          <Table
            label={t.oom.liveSites}
            head={[t.range.callSite, t.moment.size, t.range.count]}
            rows={oom.by_call_site.slice(0, SITES).map((row) => [row.file === "(rest)" ? t.report.rest : <span key="n" class="mono">{row.category && <CategoryMark id={row.category} />}<Name text={siteText(row, t)} most={56} /></span>, <Size key="s" of={row.bytes} />, count(row.count)])}
          />
        </Section>
        {oom.repeated.length > 0 && (
          <Section title={t.oom.repeated}>
            <Table
              label={t.oom.repeated}
              head={[t.range.callSite, t.oom.times, t.moment.size, t.app.more]}
              rows={oom.repeated.map((row) => [<Site key="c" frame={row.call_site} />, count(row.count), <Size key="s" of={row.bytes} />, <FindButton key="t" frame={row.call_site} />])}
            />
          </Section>
        )}
      </div>
      <details>
        <summary>{t.oom.before}</summary>
        <Table
          label={t.oom.before}
          head={[t.events.event, t.events.action, t.events.size, t.range.category, t.range.callSite]}
          text={[1, 3, 4]}
          rows={oom.before.map((row) => [count(row.event), row.action, <Size key="s" of={row.bytes} />, row.category ? <CategoryTag key="c" id={row.category} inferred={false} /> : "", row.call_site ? <Site key="f" frame={row.call_site} /> : ""])}
        />
      </details>
    </Section>
  );
}

export const oom: View = {
  id: "oom",
  name: (t) => t.oom.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.some((device) => device.events > 0),
  Component: OomView,
};
