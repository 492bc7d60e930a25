// Curves of a run: the live rows with who they are at any moment, and what each component holds.

import { useCallback, useMemo, useState } from "preact/hooks";
import { drawCurves } from "../../../src/export/ops_page/draw";
import { sampled } from "../charts/curve-draw";
import { Minimap } from "../charts/minimap";
import { TimeCanvas } from "../charts/time-canvas";
import { Choice, Name, Size } from "../components/basics";
import { LazyTable } from "../components/lazy-table";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { bytes } from "../format";
import { useTexts } from "../i18n";
import { go } from "../state/url";
import { clock, drawn } from "./clock";
import type { RunState } from "./state";

type CurvesRequest = Extract<Request, { type: "ops_curves" }>;
type MomentRequest = Extract<Request, { type: "ops_moment" }>;

/** Pixels left of the plots; the lanes' names stand there. */
export const LEFT = 196;
const MAP_COLUMNS = 800;
/** Rows of the curves as a table. */
const PARTS = 20;
/** Told apart also without red and green; PyTorch's own pool has the accent. */
const COMPONENT_COLOURS: Readonly<Record<string, string>> = { PTA: "accent", GE: "#009e73", "PTA+GE": "#7a6ff0", APP: "text-3", WORKSPACE: "#cc79a7" };
const OTHERS = ["#e69f00", "#56b4e9", "#8c6d46", "#b8ad1f", "#b35c8b"];

interface Shown {
  index: number;
  name: string;
  colour: string;
  fill?: boolean;
  dashed?: boolean;
}

function Curves(props: { run: RunState; id: string; title: string; lines: readonly Shown[]; height: number; marks: readonly { at: number; name: string }[]; hide?: string | undefined }) {
  const t = useTexts();
  const { run, lines } = props;
  const [width, setWidth] = useState(0);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(props.hide ? [props.hide] : []));
  const [pointer, setPointer] = useState<number | null>(null);
  const { from, to } = run.shown;
  const { data, error, busy } = useQuery<CurvesRequest>(run.at, width > 0 ? { type: "ops_curves", from, to, width, block_release: run.block } : null, `ops.curves.${props.id}`);
  const moment = useQuery<MomentRequest>(run.at, pointer !== null ? { type: "ops_moment", at: Math.round(pointer), block_release: run.block } : null, `ops.moment.${props.id}`);
  const drawnLines = useMemo(
    () => lines.filter((line) => !hidden.has(line.name)).map((line) => ({ ...line, points: data?.curves[line.index] ?? new Float64Array() })),
    [lines, hidden, data],
  );
  const positionAt = (x: number) => from + (x / Math.max(1, width)) * (to - from);
  const rows = useCallback(
    () => (data ? sampled({ from, to, lines: lines.map((line) => ({ points: data.curves[line.index] ?? new Float64Array() })) }, PARTS).map(([at, values]) => [clock(at, (to - from) / 1000), ...values.map((value, i) => <Size key={i} of={value} />)]) : []),
    [data, lines, from, to],
  );
  const half = pointer !== null && pointer > (from + to) / 2;
  return (
    <div class="chart" data-ready={data && !busy ? "yes" : ""}>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      <div class="legend">
        {lines.map((line) => (
          <button key={line.name} type="button" class={`legend-item ${hidden.has(line.name) ? "off" : ""}`} aria-pressed={!hidden.has(line.name)} onClick={() => setHidden((now) => new Set(now.has(line.name) ? [...now].filter((each) => each !== line.name) : [...now, line.name]))}>
            <span class="swatch" style={{ background: line.colour.startsWith("#") ? line.colour : `var(--${line.colour})` }} />
            {line.name}
          </button>
        ))}
      </div>
      <TimeCanvas
        left={LEFT}
        height={props.height}
        label={props.title}
        shown={run.shown}
        extent={run.extent}
        mode={run.mode}
        draw={(canvas, width) => drawCurves(canvas, { left: LEFT, width, height: props.height, shown: run.shown, lines: drawnLines, steps: run.head.steps, selected: run.interval, marks: props.marks }, drawn)}
        of={[drawnLines, run.interval, props.marks]}
        onWidth={setWidth}
        onShow={run.show}
        onSelect={run.select}
        onHover={(point) => {
          const at = point === null ? null : positionAt(point.x);
          setPointer(at);
          run.setCross(at);
        }}
        onPick={(x) => go({ at: Math.max(0, Math.round(positionAt(x))) })}
        cross={run.cross}
      >
        {pointer !== null && moment.data && (
          <div class="chart-tip wide" style={half ? { left: `${LEFT + 8}px` } : { right: "12px" }}>
            <b>{clock(moment.data.moment.at, (to - from) / 1000)}</b>
            {lines.map((line) => {
              const value = moment.data?.moment.values[line.index];
              return (
                value !== null &&
                value !== undefined && (
                  <div key={line.name} class="tip-line">
                    <span>
                      <span class="swatch" style={{ background: line.colour.startsWith("#") ? line.colour : `var(--${line.colour})` }} />
                      {line.name}
                    </span>
                    <span class="figure">{bytes(value)}</span>
                  </div>
                )
              );
            })}
            {props.id === "rows" && (
              <>
                <div class="faint">{t.operators.active(moment.data.moment.rows)}</div>
                {moment.data.moment.top.map((line) => (
                  <div key={line.row} class="tip-line">
                    <Name text={line.name || t.operators.unnamed} most={40} />
                    <span class="figure">{bytes(line.size)}</span>
                  </div>
                ))}
              </>
            )}
          </div>
        )}
      </TimeCanvas>
      <LazyTable label={t.curves.table} name={`${props.title} – ${t.curves.asTable}`} head={[t.curves.byTime, ...lines.map((line) => line.name)]} rows={rows} />
    </div>
  );
}

/** Curve 1: the rows. */
export function RowCurves({ run }: { run: RunState }) {
  const t = useTexts();
  const { head } = run;
  const find = (what: string) => head.series.findIndex((each) => each.group === "rows" && each.what === what);
  const lines = useMemo(() => {
    const all: Shown[] = [
      { index: find("live"), name: t.operators.live, colour: "accent", fill: true },
      { index: find("allocated"), name: t.operators.allocated, colour: "series-active", dashed: true },
    ];
    return all.filter((line) => line.index >= 0);
  }, [head, t]);
  const marks = useMemo(
    () => [
      ...(head.peak_at === null ? [] : [{ at: head.peak_at, name: `${t.operators.peakMark} ${bytes(head.report.peak_bytes)}` }]),
      ...(run.moment === null ? [] : [{ at: run.moment, name: clock(run.moment) }]),
    ],
    [head, run.moment, t],
  );
  // A process that held much before the profiler began would press the rows' own curve flat.
  const dwarfs = (head.peak_allocated ?? 0) > 8 * head.report.peak_bytes;
  const map = useQuery<CurvesRequest>(run.at, { type: "ops_curves", from: run.extent.from, to: run.extent.to, width: MAP_COLUMNS, block_release: run.block }, "ops.map");
  // The last value holds to the end.
  const whole = useMemo(() => {
    const points = map.data?.curves[find("live")];
    return points ? Float64Array.of(...points, run.extent.to, points.at(-1) ?? 0) : null;
  }, [map.data]);
  return (
    <>
      <div class="row toolbar">
        <span class="faint">{t.operators.mode}</span>
        <Choice label={t.operators.mode} value={run.mode} onChange={run.setMode} options={Object.entries(t.operators.modes) as [typeof run.mode, string][]} />
        <span class="faint hint">{t.operators.momentHelp}</span>
      </div>
      <Curves run={run} id="rows" title={t.operators.describe(bytes(head.report.peak_bytes))} lines={lines} height={250} marks={marks} hide={dwarfs ? t.operators.allocated : undefined} />
      <Minimap points={whole} extent={run.extent} shown={run.shown} axis="time" left={LEFT} label={t.operators.minimap} onShow={run.show} />
      {run.moment !== null && <Kept run={run} moment={run.moment} />}
    </>
  );
}

/** Who is live at the moment that was clicked. */
function Kept({ run, moment }: { run: RunState; moment: number }) {
  const t = useTexts();
  const { data } = useQuery<MomentRequest>(run.at, { type: "ops_moment", at: moment, block_release: run.block }, "ops.kept");
  if (!data) return null;
  return (
    <div class="kept">
      <div class="row">
        <b>{t.operators.atMoment(clock(moment))}</b>
        <Size of={data.moment.bytes} />
        <span class="faint">{t.operators.active(data.moment.rows)}</span>
        <button type="button" class="small" onClick={() => go({ at: null })}>
          {t.operators.clearInterval}
        </button>
      </div>
      <div class="table-frame">
        <table aria-label={t.operators.top}>
          <thead>
            <tr>
              <th scope="col">{t.operators.top}</th>
              <th scope="col" class="number">
                {t.operators.size}
              </th>
              <th scope="col">{t.operators.frame}</th>
            </tr>
          </thead>
          <tbody>
            {data.moment.top.map((line) => (
              <tr key={line.row}>
                <td>
                  <button type="button" class="quiet small" onClick={() => run.choose(line.row)}>
                    <Name text={line.name || t.operators.unnamed} />
                  </button>
                </td>
                <td class="number">
                  <Size of={line.size} />
                </td>
                <td class="mono">
                  <Name text={line.stack_top} most={80} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

type What = "reserved" | "allocated" | "active";

/** What each component holds, and what no pool explains. */
export function ComponentCurves({ run }: { run: RunState }) {
  const t = useTexts();
  const [what, setWhat] = useState<What>("reserved");
  const { series } = run.head;
  const lines = useMemo(() => {
    const found = series.flatMap((each, index) => (each.group === "component" && each.what === what ? [{ each, index }] : []));
    const several = new Set(found.map(({ each }) => each.device)).size > 1;
    const out: Shown[] = found.map(({ each, index }, i) => ({ index, name: several ? `${each.name} ${each.device}` : each.name, colour: COMPONENT_COLOURS[each.name] ?? OTHERS[i % OTHERS.length] ?? "text-2", dashed: each.name === "APP" }));
    const rest = series.findIndex((each) => each.group === "unexplained");
    if (rest >= 0 && what === "reserved") out.push({ index: rest, name: t.operators.unexplained, colour: "#d55e00", fill: true });
    return out;
  }, [series, what, t]);
  const marks = useMemo(() => [], []);
  return (
    <>
      <div class="row toolbar">
        <Choice label={t.operators.what} value={what} onChange={setWhat} options={Object.entries(t.operators.whats) as [What, string][]} />
        <span class="faint hint">{t.operators.componentsHelp}</span>
      </div>
      <Curves run={run} id="components" title={t.operators.components} lines={lines} height={210} marks={marks} />
    </>
  );
}

/** The modules with the highest peaks; the rest is in the table. */
const MOST_MODULES = 8;

/** What the runtime's modules reserve. */
export function ModuleCurves({ run }: { run: RunState }) {
  const t = useTexts();
  const { series, report } = run.head;
  const lines = useMemo(() => {
    const peak = (each: OpsSeriesName) => report.modules.find((module) => module.module === each.name && module.device === each.device)?.peak?.bytes ?? 0;
    const found = series.flatMap((each, index) => (each.group === "module" && peak(each) !== 0 ? [{ each, index }] : []));
    const several = new Set(found.map(({ each }) => each.device)).size > 1;
    const colours = ["accent", ...OTHERS, "#009e73", "#cc79a7"];
    return found
      .sort((a, b) => peak(b.each) - peak(a.each))
      .slice(0, MOST_MODULES)
      .map(({ each, index }, i): Shown => ({ index, name: several ? `${each.name} ${each.device}` : each.name, colour: colours[i % colours.length] ?? "text-2" }));
  }, [series, report, t]);
  const marks = useMemo(() => [], []);
  return <Curves run={run} id="modules" title={t.operators.moduleCurves} lines={lines} height={190} marks={marks} />;
}
