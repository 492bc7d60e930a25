// Why a graph takes what it takes: what lies above the least possible and inside it, what is live at
// its peak, and which outputs overwrite each other.

import { useState } from "preact/hooks";
import { TURN } from "../../charts/palette";
import { Choice, Name, Section, Size, Table } from "../../components/basics";
import type { GeGraph, GeNode } from "../../core/ge";
import { bytes, count, percent } from "../../format";
import { textOf, useTexts } from "../../i18n";
import { OutputName } from "./names";

export function Evidence({ graph }: { graph: GeGraph }) {
  return (
    <>
      <div class="two">
        <Gap graph={graph} />
        <Peak graph={graph} />
      </div>
      <Overlaps graph={graph} />
    </>
  );
}

function Gap({ graph }: { graph: GeGraph }) {
  const t = useTexts();
  const { gap } = graph;
  const above = gap.costs.filter((cost) => !cost.in_theory_min);
  const within = gap.costs.filter((cost) => cost.in_theory_min);
  const list = (costs: typeof gap.costs, label: string) => (
    <Table
      label={label}
      head={[t.ge.gap.title, t.ge.peak.bytes, t.ge.gap.nodes]}
      text={[0, 2]}
      rows={costs.map((cost) => [textOf(t.ge.gap.cause, cost.cause), <Size key="b" of={cost.bytes} />, <Nodes key="n" nodes={cost.nodes} />])}
    />
  );
  return (
    <Section title={t.ge.gap.title}>
      <p>
        {gap.bytes > 0 ? t.ge.gap.above(bytes(gap.bytes)) : t.ge.gap.reached} <span class="faint">{gap.computed_theory_min > 0 && t.ge.gap.computed(bytes(gap.computed_theory_min))}</span>
      </p>
      {above.length > 0 && list(above, t.ge.gap.above(bytes(gap.bytes)))}
      {within.length > 0 && (
        <>
          <h3>{t.ge.gap.within}</h3>
          {list(within, t.ge.gap.within)}
        </>
      )}
    </Section>
  );
}

function Nodes({ nodes }: { nodes: readonly GeNode[] }) {
  return (
    <ul class="ge-nodes">
      {nodes.slice(0, 4).map((node, i) => (
        <li key={i}>
          <OutputName of={node} /> <Size of={node.bytes} />
        </li>
      ))}
    </ul>
  );
}

type By = "op" | "scope" | "node";

function Peak({ graph }: { graph: GeGraph }) {
  const t = useTexts();
  const [by, setBy] = useState<By>("op");
  const { peak } = graph;
  if (peak.count === 0) return null;
  const groups = by === "op" ? peak.by_op_type : peak.by_scope;
  const whole = Math.max(1, peak.bytes);
  return (
    <Section
      title={t.ge.peak.title}
      aside={<Choice label={t.ge.peak.by} value={by} onChange={setBy} options={Object.entries(t.ge.peak.bys) as [By, string][]} />}
    >
      <p data-peak-bytes={peak.bytes}>
        <Size of={peak.bytes} /> · {t.ge.peak.says(peak.moment, peak.count, bytes(peak.reusable), bytes(peak.fixed))}
      </p>
      {by !== "node" && (
        <div class="ge-bar" role="img" aria-label={groups.slice(0, 8).map((group) => `${group.key} ${bytes(group.bytes)}`).join(", ")}>
          {groups.slice(0, 40).map((group, n) => (
            <div key={group.key} style={{ flexGrow: group.bytes, background: n < TURN.length ? TURN[n] : "#8a8f98" }} title={`${group.key}: ${bytes(group.bytes)}`} />
          ))}
        </div>
      )}
      {by === "node" ? (
        <Table
          label={t.ge.peak.title}
          head={[t.ge.peak.bys.node, t.ge.peak.bytes, t.ge.peak.share, t.ge.overlaps.offset, t.ge.peak.life]}
          rows={peak.nodes.map((node) => [<OutputName key="n" of={node} />, <Size key="b" of={node.bytes} />, percent(node.bytes / whole), count(node.offset), `${count(node.begin)}–${node.end === null ? "∞" : count(node.end)}`])}
        />
      ) : (
        <Table
          label={t.ge.peak.title}
          head={[t.ge.peak.bys[by], t.ge.peak.bytes, t.ge.peak.share, t.ge.peak.pieces]}
          rows={groups.slice(0, 20).map((group, n) => [
            <span key="n">
              <span class="category-mark" style={{ background: n < TURN.length ? TURN[n] : "#8a8f98" }} />
              {group.key === "" ? t.ge.unlabelled : <Name text={group.key} most={44} />}
            </span>,
            <Size key="b" of={group.bytes} />,
            percent(group.bytes / whole),
            count(group.count),
          ])}
        />
      )}
    </Section>
  );
}

function Overlaps({ graph }: { graph: GeGraph }) {
  const t = useTexts();
  const real = graph.overlaps.filter((overlap) => overlap.kind === "overlap");
  return (
    <Section title={t.ge.overlaps.title}>
      {real.length === 0 ? (
        <p>{t.ge.overlaps.none}</p>
      ) : (
        <Table
          label={t.ge.overlaps.title}
          head={[t.ge.overlaps.first, t.ge.overlaps.second, t.ge.overlaps.shared, t.ge.overlaps.offset, t.ge.overlaps.steps, t.ge.overlaps.streams]}
          text={[0, 1]}
          rows={real.slice(0, 100).map((overlap) => [
            <OutputName key="1" of={overlap.first} note={overlap.first.op_type} most={56} />,
            <OutputName key="2" of={overlap.second} note={overlap.second.op_type} most={56} />,
            <Size key="b" of={overlap.to - overlap.from} />,
            count(overlap.from),
            `${count(overlap.since)}–${overlap.until === null ? "∞" : count(overlap.until)}`,
            overlap.cross_stream ? `${overlap.first.stream}, ${overlap.second.stream}` : String(overlap.first.stream),
          ])}
        />
      )}
      {graph.overlap_count > Math.min(100, real.length) && <p class="faint">{t.ge.overlaps.listed(Math.min(100, real.length), graph.overlap_count)}</p>}
      <p class="faint hint">
        {graph.boundary_count > 0 && t.ge.overlaps.boundaries(graph.boundary_count)} {t.ge.overlaps.onPurpose}
      </p>
    </Section>
  );
}
