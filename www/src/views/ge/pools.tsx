// Memory pools of dynamic graphs: figures of each allocator and what is live in it.

import { useMemo, useState } from "preact/hooks";
import { SeriesChart } from "../../charts/series-chart";
import type { Series } from "../../charts/series-chart";
import { Section, Size, Table } from "../../components/basics";
import type { GePool, GeProcess, GeReport } from "../../core/ge";
import { colour } from "../../charts/echarts";
import { count, percent } from "../../format";
import { useTexts } from "../../i18n";
import { themeVersion } from "../../state/settings";
import { useStore } from "../../state/store";
import { Nothing } from "./missing";

export function Pools({ report }: { report: GeReport }) {
  const t = useTexts();
  const processes = report.processes.filter((process) => process.pools.length > 0);
  const [chosen, setChosen] = useState("");
  if (processes.length === 0) return <Nothing report={report} needed={["imas_mem_pool.csv"]} />;
  const all = processes.flatMap((process) => process.pools.map((pool) => ({ process, pool, key: `${process.pid} ${pool.allocator}` })));
  const shown = all.find((each) => each.key === chosen) ?? all[0];
  return (
    <>
      <Section title={t.ge.pools.title}>
        <Table
          label={t.ge.pools.title}
          head={[t.ge.pools.allocator, t.ge.process, t.ge.pools.total, t.ge.pools.after, t.ge.pools.rate, t.ge.pools.theory, t.ge.pools.reach, t.ge.pools.realTheory, t.ge.pools.uses, t.ge.pools.live, t.ge.pools.reported]}
          rows={all.map(({ process, pool, key }) => [
            <button key="n" type="button" class={`quiet small ${key === shown?.key ? "chosen-link" : ""}`} aria-pressed={key === shown?.key} onClick={() => setChosen(key)}>
              {pool.allocator}
            </button>,
            String(process.pid),
            <Size key="t" of={pool.total} />,
            <Size key="a" of={pool.after_reuse} />,
            percent(pool.reuse_rate, 2),
            <Size key="m" of={pool.theory_min} />,
            percent(pool.reach_theory_rate, 2),
            <Size key="r" of={pool.real_theory_min} />,
            count(pool.uses),
            count(pool.live_at_end),
            <Size key="g" of={pool.reported_total} />,
          ])}
        />
        <p class="faint hint">{t.ge.pools.layers}</p>
      </Section>
      {shown && <PoolCurve process={shown.process} pool={shown.pool} />}
    </>
  );
}

function PoolCurve({ pool }: { process: GeProcess; pool: GePool }) {
  const t = useTexts();
  const theme = useStore(themeVersion);
  const series = useMemo<Series[]>(
    () => [
      { name: t.ge.pools.heldLine, kind: "step", unit: "bytes", colour: colour("series-reserved"), points: pool.curve.map((step) => [step.moment, step.held] as const) },
      { name: t.ge.pools.liveLine, kind: "step", unit: "bytes", colour: colour("series-requested"), points: pool.curve.map((step) => [step.moment, step.live] as const) },
    ],
    [pool, t, theme],
  );
  const title = t.ge.pools.curve(pool.allocator);
  return (
    <Section title={title}>
      <div class="chart">
        <SeriesChart label={title} xName={t.ge.pools.moment} series={series} height={260} />
        <div class="legend">
          {series.map((each) => (
            <span key={each.name}>
              <span class="swatch" style={{ background: each.colour }} />
              {each.name}
            </span>
          ))}
        </div>
      </div>
      <details>
        <summary>{t.ge.pools.curveTable}</summary>
        <Table label={t.ge.pools.curveTable} head={[t.ge.pools.moment, t.ge.pools.liveLine, t.ge.pools.heldLine]} text={[]} rows={pool.curve.map((step) => [count(step.moment), <Size key="l" of={step.live} />, <Size key="h" of={step.held} />])} />
      </details>
    </Section>
  );
}
