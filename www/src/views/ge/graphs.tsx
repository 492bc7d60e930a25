// The table of graphs, and under it all about the one that is chosen.

import { useEffect, useMemo, useState } from "preact/hooks";
import { Card, Section, Size } from "../../components/basics";
import { VirtualTable } from "../../components/virtual-table";
import type { GeGraph, GeReport } from "../../core/ge";
import type { Doc } from "../../core/use-query";
import { bytes, count, percent } from "../../format";
import { textOf, useTexts } from "../../i18n";
import { Evidence } from "./evidence";
import { GraphMap } from "./graph-map";
import { Nothing } from "./missing";
import { graphName } from "./names";
import { goGe, useGePlace } from "./place";

interface Row {
  /** Places of process and graph in the report. */
  at: readonly [number, number];
  pid: number;
  graph: GeGraph;
}

type Sort = "log" | "pid" | "graph" | "memory_size" | "total" | "reuse_rate" | "theory_min" | "reach_theory_rate" | "gap" | "streams" | "operators" | "overlap_count";

const valueOf = (row: Row, by: Sort): number | string => {
  if (by === "log") return row.at[0] * 1e6 + row.at[1];
  if (by === "pid") return row.pid;
  if (by === "graph") return row.graph.key;
  return by === "gap" ? row.graph.gap.bytes : row.graph[by];
};

export function Graphs({ at, report }: { at: Doc; report: GeReport }) {
  const t = useTexts();
  const here = useGePlace();
  const narrow = useNarrow(1200);
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState<{ by: Sort; descending: boolean }>({ by: "log", descending: false });
  const all = useMemo(() => report.processes.flatMap((process, p) => process.graphs.map((graph, g): Row => ({ at: [p, g], pid: process.pid, graph }))), [report]);
  const rows = useMemo(() => {
    const needle = filter.trim().toLowerCase();
    const kept = all.filter((row) => needle === "" || row.graph.key.toLowerCase().includes(needle));
    return kept.sort((a, b) => {
      const [x, y] = [valueOf(a, sort.by), valueOf(b, sort.by)];
      return (x < y ? -1 : x > y ? 1 : 0) * (sort.descending ? -1 : 1);
    });
  }, [all, filter, sort]);
  if (all.length === 0) return <Nothing report={report} needed={["imas_mem_graph.csv"]} />;
  const same = (row: Row) => row.at[0] === here.graph?.[0] && row.at[1] === here.graph[1];
  // The largest is the one to look at first.
  const chosen = all.find(same) ?? all.reduce((best, row) => (row.graph.memory_size > best.graph.memory_size ? row : best));
  const columns = [
    { id: "graph", name: t.ge.column.graph, width: "minmax(128px, 1fr)" },
    { id: "pid", name: t.ge.process, width: "minmax(48px, 72px)", number: true },
    { id: "memory_size", name: t.ge.column.memory, width: "minmax(72px, 100px)", number: true },
    { id: "total", name: t.ge.column.total, width: "minmax(72px, 110px)", number: true },
    { id: "reuse_rate", name: t.ge.column.rate, width: "minmax(60px, 76px)", number: true },
    { id: "theory_min", name: t.ge.column.theory, width: "minmax(72px, 110px)", number: true },
    { id: "reach_theory_rate", name: t.ge.column.reach, width: "minmax(60px, 76px)", number: true },
    { id: "gap", name: t.ge.column.gap, width: "minmax(72px, 100px)", number: true },
    // A narrow window has these in the figures below.
    ...(narrow
      ? []
      : [
          { id: "streams", name: t.ge.column.streams, width: "minmax(48px, 76px)", number: true },
          { id: "operators", name: t.ge.column.operators, width: "minmax(48px, 72px)", number: true },
        ]),
    { id: "overlap_count", name: t.ge.column.overlaps, width: "minmax(58px, 84px)", number: true },
  ];
  const process = report.processes[chosen.at[0]];
  return (
    <>
      <div class="row toolbar">
        <input type="search" class="search" placeholder={t.ge.filter} aria-label={t.ge.filter} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </div>
      <VirtualTable
        label={t.ge.table}
        columns={columns}
        total={rows.length}
        list={filter}
        height={Math.min(234, Math.max(1, rows.length) * 26)}
        sort={sort}
        onSort={(by) => setSort((now) => ({ by: by as Sort, descending: now.by === by ? !now.descending : by !== "graph" && by !== "pid" }))}
        chosen={rows.includes(chosen) ? rows.indexOf(chosen) : null}
        onChoose={(index) => {
          const row = rows[index];
          if (row) goGe({ graph: row.at, row: null });
        }}
        onVisible={() => undefined}
        cells={(index) => {
          const row = rows[index];
          if (!row) return null;
          const { graph } = row;
          const name = graphName(graph, t);
          return [
            <span key="n" title={name}>
              {name}
            </span>,
            String(row.pid),
            <Size key="m" of={graph.memory_size} />,
            <Size key="t" of={graph.total} />,
            percent(graph.reuse_rate, 2),
            <Size key="h" of={graph.theory_min} />,
            percent(graph.reach_theory_rate, 2),
            <Size key="g" of={graph.gap.bytes} />,
            ...(narrow ? [] : [count(graph.streams), count(graph.operators)]),
            graph.overlap_count > 0 ? (
              <b key="o" class="bad-figure">
                {count(graph.overlap_count)}
              </b>
            ) : (
              "0"
            ),
          ];
        }}
      />
      <Section title={`${graphName(chosen.graph, t)} · ${t.ge.processOf(chosen.pid, process?.name ?? null)}`}>
        <Figures graph={chosen.graph} />
      </Section>
      {process && <GraphMap key={chosen.at.join(".")} at={at} graph={chosen.graph} siblings={process.graphs.filter((each) => each.key === chosen.graph.key && each.round === chosen.graph.round)} process={chosen.at[0]} />}
      <Evidence graph={chosen.graph} />
    </>
  );
}

/** Whether the window is narrower than that many pixels. */
function useNarrow(pixels: number): boolean {
  const query = useMemo(() => matchMedia(`(max-width: ${pixels}px)`), [pixels]);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const listen = () => setNarrow(query.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, [query]);
  return narrow;
}

function Figures({ graph }: { graph: GeGraph }) {
  const t = useTexts();
  const f = t.ge.figures;
  const size = (label: string, of: number | null, note?: string) => (
    <Card key={label} label={label} note={note ?? ""}>
      <Size of={of} />
    </Card>
  );
  const said = (label: string, text: string | null) => (
    <Card key={label} label={label}>
      <span class={text ? "said" : "faint said"}>{text || t.ge.unlabelled}</span>
    </Card>
  );
  return (
    <div class="cards ge-cards">
      {size(f.memory_size, graph.memory_size, textOf(t.ge.sources, graph.memory_size_source))}
      {size(f.total, graph.total, textOf(t.ge.totals, graph.total_source))}
      {size(f.total_size, graph.total_size, t.ge.aligned512)}
      <Card label={f.reuse_rate} note={t.ge.saved(bytes(Math.max(0, graph.total - graph.memory_size)))}>
        {percent(graph.reuse_rate, 2)}
      </Card>
      {size(f.theory_min, graph.theory_min, textOf(t.ge.sources, graph.theory_min_source))}
      <Card label={f.reach}>{percent(graph.reach_theory_rate, 2)}</Card>
      {size(f.gap, graph.gap.bytes)}
      {size(f.no_reuse, graph.no_reuse)}
      {size(f.atomic, graph.atomic)}
      {size(f.continuous, graph.continuous)}
      {size(f.zero_copy, graph.zero_copy)}
      <Card label={f.streams}>{count(graph.streams)}</Card>
      {said(f.topo_mode, graph.topo_mode)}
      {said(f.mop, graph.mop)}
      {said(f.io_reuse, graph.io_reuse)}
      {said(f.alloc_mode, graph.alloc_mode)}
      {said(f.smp, graph.smp)}
      <Card label={f.operators}>{count(graph.operators)}</Card>
    </div>
  );
}
