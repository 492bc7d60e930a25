// What each process took from the device: the total tree as bars of parts, and as a table.

import { useState } from "preact/hooks";
import { TURN } from "../../charts/palette";
import { Choice, Section, Size, Table } from "../../components/basics";
import type { GeDevice, GeDeviceNode, GeReport } from "../../core/ge";
import { bytes, count, exactBytes, percent } from "../../format";
import { textOf, useTexts } from "../../i18n";
import { Nothing } from "./missing";

type Figure = "sum" | "peak";

export function Device({ report }: { report: GeReport }) {
  const t = useTexts();
  const [figure, setFigure] = useState<Figure>("sum");
  const taking = report.processes.filter((process) => process.device.allocations > 0 || process.device.at_exit.length > 0);
  if (taking.length === 0) return <Nothing report={report} needed={["total"]} />;
  return (
    <>
      {taking.map((process) => (
        <Section
          key={process.pid}
          title={`${t.ge.device.title}: ${t.ge.processOf(process.pid, process.name)}`}
          aside={
            <Choice
              label={t.ge.device.figure}
              value={figure}
              onChange={setFigure}
              options={[
                ["sum", t.ge.device.sum],
                ["peak", t.ge.device.peak],
              ]}
            />
          }
        >
          {process.device.allocations > 0 ? <Tree device={process.device} figure={figure} /> : <Nothing report={report} needed={["total"]} />}
          {process.device.at_exit.length > 0 && <AtExit device={process.device} />}
        </Section>
      ))}
    </>
  );
}

interface Piece {
  name: string;
  node: GeDeviceNode;
  css: string;
}

/** A part keeps its colour in both figures: colours go by the name's place in the tree. */
function pieces(children: Readonly<Record<string, GeDeviceNode>>, from: number): Piece[] {
  return Object.entries(children).map(([name, node], n) => ({ name, node, css: name === "other" || name === "GE-other" ? "#8a8f98" : (TURN[(from + n) % TURN.length] ?? "") }));
}

function Bar({ label, parts, figure, whole }: { label: string; parts: readonly Piece[]; figure: Figure; whole: number }) {
  const t = useTexts();
  return (
    <div class="ge-bar-line">
      <span>{label}</span>
      <div class="ge-bar" role="img" aria-label={`${label}: ${parts.map((part) => `${part.name} ${bytes(part.node[figure])}`).join(", ")}`}>
        {parts
          .filter((part) => part.node[figure] > 0)
          .map((part) => (
            <div key={part.name} style={{ flexGrow: part.node[figure], background: part.css }} title={`${part.name} (${textOf(t.ge.device.names, part.name)}): ${bytes(part.node[figure])} = ${exactBytes(part.node[figure])}`} />
          ))}
      </div>
      <Size of={whole} />
    </div>
  );
}

function Tree({ device, figure }: { device: GeDevice; figure: Figure }) {
  const t = useTexts();
  const parts = pieces(device.children, 0);
  const inner = parts.flatMap((part) => (part.node.children ? [{ part, below: pieces(part.node.children, parts.length) }] : []));
  const whole = figure === "sum" ? device.total : device.peak;
  const row = (part: Piece | null, node: GeDeviceNode, name: string, depth: number) => [
    <span key="n" style={{ paddingLeft: `${depth * 18}px` }}>
      {part && <span class="category-mark" style={{ background: part.css }} />}
      {name} <span class="faint">{textOf(t.ge.device.names, name, "")}</span>
    </span>,
    <Size key="s" of={node.sum} />,
    device.total > 0 ? percent(node.sum / device.total) : "–",
    <Size key="p" of={node.peak} />,
    count(node.count),
  ];
  return (
    <>
      <Bar label={t.ge.device.total} parts={parts} figure={figure} whole={whole} />
      {inner.map(({ part, below }) => (
        <Bar key={part.name} label={part.name} parts={below} figure={figure} whole={part.node[figure]} />
      ))}
      <Table
        label={t.ge.device.title}
        head={[t.ge.device.part, t.ge.device.sum, t.ge.device.share, t.ge.device.peak, t.ge.device.count]}
        rows={[
          row(null, { sum: device.total, peak: device.peak, count: device.allocations }, t.ge.device.total, 0),
          ...parts.flatMap((part) => [row(part, part.node, part.name, 1), ...(inner.find((each) => each.part === part)?.below ?? []).map((below) => row(below, below.node, below.name, 2))]),
        ]}
      />
      <p class="faint hint">
        {t.ge.device.peaks} {device.unsized_frees > 0 && t.ge.device.unsized(device.unsized_frees)} {device.inside_pool.count > 0 && t.ge.device.inside(device.inside_pool.count, bytes(device.inside_pool.sum))}
      </p>
    </>
  );
}

function AtExit({ device }: { device: GeDevice }) {
  const t = useTexts();
  return (
    <>
      <h3>{t.ge.device.exit}</h3>
      <Table
        label={t.ge.device.exit}
        head={[t.ge.device.memory, t.ge.device.module, t.ge.device.device, t.ge.device.current, t.ge.device.most, t.ge.device.allocs, t.ge.device.frees, t.ge.device.cached]}
        text={[0, 1]}
        rows={device.at_exit.map((stat) => [stat.memory, stat.module ?? t.ge.device.cache, String(stat.device), <Size key="c" of={stat.current} />, <Size key="p" of={stat.peak} />, count(stat.alloc_count), count(stat.free_count), <Size key="k" of={stat.cached} />])}
      />
    </>
  );
}
