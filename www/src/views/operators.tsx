// Operators: which operator allocated what, of one rank of a profiler run.

import { useState } from "preact/hooks";
import { Choice, Section } from "../components/basics";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { useTexts } from "../i18n";
import { baseDate } from "../ops/clock";
import { ComponentCurves, ModuleCurves, RowCurves } from "../ops/curves";
import { Cards, Notices, rankName, Tables } from "../ops/figures";
import { Lanes } from "../ops/lanes";
import { Rows } from "../ops/rows";
import { StaticGraphs } from "../ops/static-graphs";
import { useRunState } from "../ops/state";
import type { View, ViewProps } from "./registry";

type HeadRequest = Extract<Request, { type: "ops_head" }>;
type LifeEnd = OpsHead["life_end"];

function OperatorsView(props: ViewProps) {
  const t = useTexts();
  const [end, setEnd] = useState<LifeEnd>("release");
  const { data, error } = useQuery<HeadRequest>(props.at, { type: "ops_head", block_release: end === "block_release" }, "ops.head");
  if (error) return <ErrorBox error={error} title={t.app.failedView} />;
  if (!data) return null;
  return <Run key={props.file.key} {...props} head={data.head} end={end} onEnd={setEnd} />;
}

function Run({ at, file, head, end, onEnd }: ViewProps & { head: OpsHead; end: LifeEnd; onEnd: (end: LifeEnd) => void }) {
  const t = useTexts();
  const run = useRunState(at, head, end === "block_release");
  const parts = file.status.is === "ready" ? file.status.parts : [];
  const hasRows = head.report.rows_total > 0;
  const hasComponents = head.series.some((each) => each.group === "component");
  const hasModules = head.report.modules.some((each) => (each.peak?.bytes ?? 0) !== 0) && head.series.some((each) => each.group === "module");
  return (
    <>
      <div class="row toolbar">
        <b>{rankName(t, head.report)}</b>
        {head.base_ns !== "0" && <span class="faint">{t.operators.start(baseDate(head.base_ns))}</span>}
        <span class="grow" />
        {hasRows && (
          <>
            <span class="faint">{t.operators.lifeEnd}</span>
            <Choice label={t.operators.lifeEnd} value={end} onChange={onEnd} options={Object.entries(t.operators.lifeEnds) as [LifeEnd, string][]} />
          </>
        )}
      </div>
      <Notices head={head} parts={parts} />
      {(hasRows || hasComponents) && <Cards head={head} />}
      {hasRows && (
        <>
          <Section title={t.operators.curves}>
            <RowCurves run={run} />
          </Section>
          <Section title={t.operators.lanes}>
            <Lanes run={run} />
          </Section>
        </>
      )}
      {hasComponents && (
        <Section title={t.operators.components}>
          <ComponentCurves run={run} />
        </Section>
      )}
      {hasModules && (
        <Section title={t.operators.moduleCurves}>
          <ModuleCurves run={run} />
        </Section>
      )}
      <StaticGraphs graphs={head.report.static_graphs} />
      {hasRows && (
        <Section title={t.operators.table}>
          <Rows run={run} />
        </Section>
      )}
      <Section title="">
        <Tables head={head} />
      </Section>
    </>
  );
}

export const operators: View = {
  id: "operators",
  name: (t) => t.operators.name,
  fits: (summary) => summary.kind === "profiler",
  Component: OperatorsView,
};
