// Static graphs of a run: what their operators hold from node to node, and which are the largest.

import { useMemo, useState } from "preact/hooks";
import { colour } from "../charts/colour";
import { SeriesChart } from "../charts/series-chart";
import { Section, Size, Table } from "../components/basics";
import { bytes, count } from "../format";
import { useTexts } from "../i18n";

export function StaticGraphs({ graphs }: { graphs: readonly OpsStaticGraph[] }) {
  const t = useTexts();
  const [chosen, choose] = useState(0);
  const graph = graphs[chosen] ?? graphs[0];
  const name = (each: OpsStaticGraph) => t.operators.graphName(each.model, each.graph, each.device);
  const series = useMemo(() => {
    if (!graph) return [];
    // The last value holds for a node, or its step would have no width.
    const last = graph.curve.at(-1);
    const points = last ? [...graph.curve, [last[0] + 1, last[1]] as const] : [];
    return [{ name: t.operators.held, points, kind: "step" as const, colour: colour("accent"), unit: "bytes" as const }];
  }, [graph, t]);
  if (!graph) return null;
  return (
    <Section title={t.operators.staticGraphs}>
      <Table
        label={t.operators.staticGraphs}
        head={[t.operators.graph, t.operators.operatorCount, t.operators.fileTotal, t.operators.operatorBytes, t.operators.graphPeak, t.operators.atNode, t.operators.unreleased]}
        rows={graphs.map((each) => [name(each), count(each.operators), <Size of={each.total_bytes} />, <Size of={each.operator_bytes} />, <Size of={each.peak_bytes} />, each.peak_node === null ? "–" : count(each.peak_node), <Size of={each.never_released_bytes} />])}
      />
      <p class="faint">{t.operators.staticHelp}</p>
      {graphs.length > 1 && (
        <div class="row toolbar">
          <label class="field">
            <span class="faint">{t.operators.graph}</span>
            <select value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
              {graphs.map((each, i) => (
                <option key={i} value={i}>
                  {name(each)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <SeriesChart label={t.operators.describeGraph(name(graph), bytes(graph.peak_bytes), count(graph.peak_node ?? 0))} xName={t.operators.node} series={series} height={220} />
      <Table
        label={t.operators.staticOps}
        head={[t.operators.operator, t.operators.nodes, t.operators.size]}
        text={[0]}
        rows={graph.largest.map((each) => [<span class="wrap">{each.operator}</span>, `${count(each.node_start)} – ${each.node_end === null ? t.operators.never : count(each.node_end)}`, <Size of={each.bytes} />])}
      />
    </Section>
  );
}
