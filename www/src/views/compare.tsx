// Compare: any two moments of any two snapshots; in words, in curves, as a flame graph and as a table.

import { useState } from "preact/hooks";
import { Choice as Buttons, Section, Table } from "../components/basics";
import { Says } from "../components/health";
import { ErrorBox } from "../components/problems";
import { ReportButton } from "../components/report-button";
import { Diff, signed, Totals } from "../compare/diff";
import { DiffCurves } from "../compare/diff-curves";
import { DiffFlame } from "../compare/diff-flame";
import { Differences } from "../compare/differences";
import { diffInk } from "../compare/inks";
import { Picker, usual } from "../compare/picker";
import { formatChoices, parseChoices, snapshots } from "../compare/sides";
import type { Axis, Choice } from "../compare/sides";
import { Categories, Segments } from "../compare/tables";
import type { Comparison, CurvePair } from "../compare/types";
import { useComparison } from "../compare/use-comparison";
import { bytes, count } from "../format";
import { useTexts } from "../i18n";
import { files } from "../state/files";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

function momentLabel(side: Comparison["a"], t: ReturnType<typeof useTexts>): string {
  return `${side.file.split("/").pop() ?? side.file}, ${t.compare.event} ${count(side.event)}`;
}

function CompareView({ file, summary, at, device }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const all = snapshots(useStore(files));
  const there = new Set(all.map((each) => each.key));
  const given = parseChoices(here.sel);
  const [a, b] = given && given.every((each) => there.has(each.file)) ? given : usual(file, device, all);
  const [ignoreLines, setIgnoreLines] = useState(false);
  const [axis, setAxis] = useState<Axis>("event");
  const [curve, setCurve] = useState<CurvePair["curve"]>("requested");
  const { found, error, busy } = useComparison(at, a, b, axis, ignoreLines);
  const choose = (left: Choice, right: Choice) => go({ sel: formatChoices(left, right) });
  const pair = found?.curves?.curves.find((each) => each.curve === curve);
  return (
    <>
      <div class="compare-head">
        <div class="sides">
          <Picker label="A" value={a} all={all} onChange={(next) => choose(next, b)} />
          <Picker label="B" value={b} all={all} onChange={(next) => choose(a, next)} />
        </div>
        <button type="button" onClick={() => choose(b, a)}>
          {t.compare.swap}
        </button>
        <label class="row" title={t.compare.ignoreMeans}>
          <input type="checkbox" checked={ignoreLines} onChange={() => setIgnoreLines(!ignoreLines)} /> {t.compare.ignore}
        </label>
        {found && !busy && <ReportButton file={file} summary={summary} at={at} comparison={found} />}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {!found && !error && <p class="faint">{t.compare.working}</p>}
      {found && (
        <div class={busy ? "compared stale" : "compared"} aria-busy={busy}>
          <Says of={found.summary} />
          <div class="two">
            <Section title={t.compare.byCategory}>
              <Categories rows={found.by_category} />
            </Section>
            <Section title={t.compare.totals}>
              <Totals of={found.totals} />
            </Section>
          </div>
          <Section
            title={t.compare.curves}
            aside={
              <div class="row">
                <Buttons label={t.compare.curve} value={curve} onChange={setCurve} options={Object.entries(t.compare.curveNames) as [CurvePair["curve"], string][]} />
                <Buttons label={t.compare.axis} value={axis} onChange={setAxis} options={Object.entries(t.compare.axes) as [Axis, string][]} />
              </div>
            }
          >
            {found.curves && pair ? (
              <>
                <DiffCurves curves={found.curves} pair={pair} />
                <div class="legend">
                  <span>
                    <svg class="line-sample" viewBox="0 0 26 6" aria-hidden="true">
                      <path d="M0 3h26" stroke="var(--text)" stroke-width="1.6" stroke-dasharray="6 4" />
                    </svg>
                    A · {momentLabel(found.a, t)}
                  </span>
                  <span>
                    <svg class="line-sample" viewBox="0 0 26 6" aria-hidden="true">
                      <path d="M0 3h26" stroke="var(--series-requested)" stroke-width="1.6" />
                    </svg>
                    B · {momentLabel(found.b, t)}
                  </span>
                  <span>
                    <i class="dot" style={{ background: diffInk(1, 0.4) }} />
                    {t.compare.more}
                  </span>
                  <span>
                    <i class="dot" style={{ background: diffInk(-1, 0.4) }} />
                    {t.compare.less}
                  </span>
                </div>
              </>
            ) : (
              <p class="faint">{busy ? t.compare.working : t.compare.noCurves(t.compare.axes[axis])}</p>
            )}
          </Section>
          <Section title={t.compare.flame}>
            <DiffFlame paths={found.paths} />
          </Section>
          <Differences of={found} />
          <div class="two">
            <Section title={t.compare.stacks}>
              <Table
                label={t.compare.stacks}
                head={["", t.compare.count, t.compare.diff]}
                rows={(
                  [
                    ["common", found.stacks.common, found.stacks.common_diff_bytes],
                    ["grown", found.stacks.grown, found.stacks.grown_bytes],
                    ["shrunk", found.stacks.shrunk, -found.stacks.shrunk_bytes],
                    ["only_a", found.stacks.only_a, -found.stacks.only_a_bytes],
                    ["only_b", found.stacks.only_b, found.stacks.only_b_bytes],
                  ] as const
                ).map(([name, number, diff]) => [t.compare.stackNames[name], count(number), <Diff of={diff} />])}
              />
            </Section>
            <Section title={t.compare.segments}>
              <Segments of={found} />
            </Section>
          </div>
          {/* Two moments of one trace have one peak. */}
          {(a.file !== b.file || a.device !== b.device) && (
            <Section title={t.compare.peaks}>
              <p>{t.compare.peakWords(bytes(found.peaks.requested.a), count(found.peaks.a_event), bytes(found.peaks.requested.b), count(found.peaks.b_event), signed(found.peaks.requested.diff))}</p>
              <Categories rows={found.peaks.by_category} />
            </Section>
          )}
        </div>
      )}
    </>
  );
}

export const compare: View = {
  id: "compare",
  name: (t) => t.compare.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: CompareView,
};
