// The three memory curves of a device. ECharts draws what the core answers for the window: a few
// thousand points, whatever the file holds. Every zoom and pan asks again; until the answer is there
// the points at hand are drawn in the new window.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useCommands } from "../commands";
import { Choice, Section, Size } from "../components/basics";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, ReplyTo, Request } from "../core/protocol";
import { axisBytes, bytes, count, span as spanText } from "../format";
import { textOf, useTexts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import { colour, init } from "./echarts";
import type { EChartsType } from "./echarts";
import { byteStep } from "./scale";
import { panSpan, showsAll, zoomSpan } from "./window";
import type { Span } from "./window";

type AxisKind = "event" | "time";
type CurvesRequest = Extract<Request, { type: "curves" }>;
type MomentRequest = Extract<Request, { type: "moment" }>;
type PositionsRequest = Extract<Request, { type: "positions" }>;
type Curves = ReplyTo<CurvesRequest>;

/** The plot within the drawing, in pixels. */
const PLOT = { left: 84, right: 16, top: 14, bottom: 28 };

/** Where a device's events begin and end in the narrowest window worth drawing. */
const least = (axis: AxisKind) => (axis === "event" ? 4 : 1000);

export function deviceOf(device: string): Device {
  return device === "host" ? "host" : Number(device);
}

export function CurveChart(props: { at: Doc; device: string; hasTime: boolean }) {
  const t = useTexts();
  const here = useStore(place);
  const theme = useStore(themeVersion);
  const device = deviceOf(props.device);
  const [axis, setAxis] = useState<AxisKind>(props.hasTime ? "time" : "event");
  const [view, setView] = useState<Span | null>(null);
  const [width, setWidth] = useState(0);
  const [pointer, setPointer] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);

  // A window given as states (by the address, or kept from the other axis) waits for its positions.
  const [wanted, setWantedState] = useState(here.range);
  // What is wanted this very moment: an effect that was waiting for its turn may hold an older one.
  const wantedNow = useRef(wanted);
  const setWanted = (range: typeof wanted) => {
    wantedNow.current = range;
    setWantedState(range);
  };
  const positions = useQuery<PositionsRequest>(props.at, wanted ? { type: "positions", device, axis, states: [wanted[0], wanted[1]] } : null, "curves.positions");
  useEffect(() => {
    if (!wanted || wantedNow.current !== wanted || !positions.data || positions.answers?.axis !== axis) return;
    const [from, to] = positions.data.positions;
    if (from !== undefined && to !== undefined && to > from) setView({ from, to });
    setWanted(null);
  }, [positions.data, wanted, axis]);

  const request: CurvesRequest | null =
    width > 0 && !wanted ? { type: "curves", device, axis, from: view?.from ?? null, to: view?.to ?? null, width } : null;
  const answer = useQuery(props.at, request, "curves");
  const data = answer.answers?.axis === axis && String(answer.answers.device) === props.device ? answer.data : undefined;
  const extent: Span | null = data ? { from: data.extent[0], to: data.extent[1] } : null;
  const shown: Span | null = view ?? extent;

  const show = useCallback(
    (next: Span | null) => {
      // A window still on its way from the address or the other axis is out of date by now.
      setWanted(null);
      if (next === null || extent) setView(next && extent && !showsAll(next, extent) ? next : null);
    },
    [extent?.from, extent?.to],
  );

  const written = useRef<string | null>(null);
  // The address names the states that show, once they are known.
  useEffect(() => {
    if (!data || answer.busy || wanted) return;
    const range = view ? ([data.states[0], data.states[1]] as const) : null;
    written.current = String(range);
    go({ range });
  }, [data, view]);

  // Back, or another view, may have put another range there.
  useEffect(() => {
    // Not `here`: an effect before this one may have written a newer range since this was rendered.
    const now = place.value.range;
    if (written.current === null || written.current === String(now)) return;
    written.current = String(now);
    if (now) setWanted(now);
    else setView(null);
  }, [here.range]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const made = init(element, null, { renderer: "canvas" });
    chart.current = made;
    const watch = new ResizeObserver(() => {
      made.resize();
      setWidth(Math.max(0, Math.floor(element.clientWidth - PLOT.left - PLOT.right)));
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  // All of a trace stands on zero; a part of it fills the height, so that single events show.
  const heights = useMemo(() => data && rangeOf(data, hidden, view !== null), [data, hidden, view !== null]);
  useEffect(() => {
    if (chart.current && data && shown && heights) draw(chart.current, data, shown, axis, hidden, heights);
  }, [data, shown?.from, shown?.to, axis, theme, width, heights]);

  // --- pointer ---------------------------------------------------------------------------------
  const perPixel = shown && width > 0 ? (shown.to - shown.from) / width : 0;
  const positionAt = (x: number) => (shown ? shown.from + (x - PLOT.left) * perPixel : 0);
  const drag = useRef<{ x: number; view: Span; moved: boolean; brush: boolean } | null>(null);
  const localX = (event: PointerEvent | WheelEvent | MouseEvent) => event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0);
  const inPlot = (x: number) => Math.min(Math.max(x, PLOT.left), PLOT.left + width);

  const onWheel = (event: WheelEvent) => {
    if (!shown || !extent) return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (sideways !== 0) show(panSpan(shown, sideways / 800, extent, least(axis)));
    else show(zoomSpan(shown, Math.exp(event.deltaY / 400), (inPlot(localX(event)) - PLOT.left) / Math.max(1, width), extent, least(axis)));
  };
  // Preact adds wheel listeners as passive ones, which may not keep the page from scrolling.
  const wheel = useRef(onWheel);
  wheel.current = onWheel;
  useEffect(() => {
    const element = canvas.current;
    const listener = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, []);

  const onPointerDown = (event: PointerEvent) => {
    if (!shown || event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    drag.current = { x: localX(event), view: shown, moved: false, brush: event.shiftKey };
  };
  const onPointerMove = (event: PointerEvent) => {
    const x = inPlot(localX(event));
    setPointer(x);
    const held = drag.current;
    if (!held || !extent) return;
    if (Math.abs(x - held.x) > 3) held.moved = true;
    if (!held.moved) return;
    if (held.brush) setBrush({ from: Math.min(inPlot(held.x), x), to: Math.max(inPlot(held.x), x) });
    else show(panSpan(held.view, (held.x - x) / Math.max(1, width), extent, least(axis)));
  };
  const onPointerUp = () => {
    const held = drag.current;
    drag.current = null;
    if (!held || !extent) return;
    if (held.brush && brush && brush.to - brush.from > 3) {
      const from = positionAt(brush.from);
      const to = positionAt(brush.to);
      show(zoomSpan({ from, to }, 1, 0.5, extent, least(axis)));
    } else if (!held.moved && moment.data) go({ at: moment.data.state });
    setBrush(null);
  };

  const moment = useQuery<MomentRequest>(
    props.at,
    pointer !== null && shown && perPixel > 0 ? { type: "moment", device, axis, from: positionAt(pointer - 0.5), to: positionAt(pointer + 0.5) } : null,
    "curves.moment",
  );

  const key = (change: (now: Span, whole: Span) => Span) => () => shown && extent && show(change(shown, extent));
  const smallest = least(axis);
  useCommands([
    { id: "curve.in", name: t.commands.zoomIn, keys: ["w"], run: key((s, e) => zoomSpan(s, 0.6, 0.5, e, smallest)), scope: "view" },
    { id: "curve.out", name: t.commands.zoomOut, keys: ["s"], run: key((s, e) => zoomSpan(s, 1 / 0.6, 0.5, e, smallest)), scope: "view" },
    { id: "curve.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: key((s, e) => panSpan(s, -0.2, e, smallest)), scope: "view" },
    { id: "curve.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: key((s, e) => panSpan(s, 0.2, e, smallest)), scope: "view" },
    { id: "curve.all", name: t.commands.everything, keys: ["0", "home"], run: () => show(null), scope: "view" },
  ]);

  const tipLeft = pointer !== null && pointer > PLOT.left + width / 2;
  const pixelOf = (position: number) => (perPixel > 0 && shown ? PLOT.left + (position - shown.from) / perPixel : -1);
  const peakX = data ? pixelOf(data.peak_position) : -1;
  const atX = useAt(props.at, device, axis, here.at, pixelOf);
  const switchAxis = (next: AxisKind) => {
    if (next === axis) return;
    setWanted(view && data ? [data.states[0], Math.max(data.states[0] + 1, data.states[1] - 1)] : null);
    setView(null);
    setAxis(next);
  };

  return (
    <Section
      title={t.curves.title}
      aside={
        <div class="row">
          {view && (
            <button type="button" class="quiet" onClick={() => show(null)}>
              {t.curves.everything}
            </button>
          )}
          {props.hasTime && (
            <Choice
              label={t.curves.axis}
              value={axis}
              onChange={switchAxis}
              options={[
                ["time", t.curves.byTime],
                ["event", t.curves.byEvent],
              ]}
            />
          )}
        </div>
      }
    >
      {answer.error && <ErrorBox error={answer.error} title={t.app.failedView} />}
      <div class="chart" role="img" aria-label={data ? t.curves.describe(bytes(data.peak_bytes), bytes(lastOf(data))) : t.curves.title} data-points={data ? "ready" : ""}>
        <div class="legend">
          {(["requested", "active", "reserved"] as const).map((name) => (
            <button
              key={name}
              type="button"
              class={`legend-item ${hidden.has(name) ? "off" : ""}`}
              aria-pressed={!hidden.has(name)}
              onClick={() => setHidden((now) => new Set(now.has(name) ? [...now].filter((each) => each !== name) : [...now, name]))}
            >
              <span class={`swatch ${name}`} />
              {t.curves[name]}
            </button>
          ))}
          <span class="grow" />
          {data && <span class="figure">{t.curves.events(Math.max(0, data.states[0] - 1), Math.max(0, data.states[1] - 2))}</span>}
        </div>
        <div class="chart-plot">
          <div
            ref={canvas}
            class="chart-canvas"
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={onPointerUp}
            onPointerLeave={() => drag.current === null && setPointer(null)}
            onDblClick={() => show(null)}
          />
          {data && peakX >= PLOT.left && peakX <= PLOT.left + width && (
            <button type="button" class="peak-mark" style={{ left: `${peakX}px` }} title={bytes(data.peak_bytes)} onClick={() => go({ at: data.peak_state })}>
              {t.curves.peak} {bytes(data.peak_bytes)}
            </button>
          )}
          {atX >= PLOT.left && atX <= PLOT.left + width && <div class="at-mark" style={{ left: `${atX}px` }} />}
          {pointer !== null && !brush && <div class="chart-cross" style={{ left: `${pointer}px` }} />}
          {brush && <div class="chart-brush" style={{ left: `${brush.from}px`, width: `${brush.to - brush.from}px` }} />}
          {pointer !== null && moment.data && !brush && <Tip moment={moment.data} axis={axis} style={tipLeft ? { left: `${PLOT.left + 8}px` } : { right: "16px" }} />}
        </div>
      </div>
      {data && <CurveTable data={data} axis={axis} />}
    </Section>
  );
}

/** The pixel of the state chosen by a click, on whichever axis is shown. */
function useAt(doc: Doc, device: Device, axis: AxisKind, at: number | null, pixelOf: (position: number) => number): number {
  const found = useQuery<PositionsRequest>(doc, at === null ? null : { type: "positions", device, axis, states: [at] }, "curves.at");
  const position = at === null || found.answers?.axis !== axis ? undefined : found.data?.positions[0];
  return position === undefined ? -1 : pixelOf(position);
}

function Tip({ moment, axis, style }: { moment: ReplyTo<MomentRequest>; axis: AxisKind; style: Record<string, string> }) {
  const t = useTexts();
  return (
    <div class="chart-tip" style={style}>
      <b>{t.curves.atEvent(moment.event)}</b>
      {axis === "time" && <span class="faint"> {spanText(moment.position, 1000)}</span>}
      {moment.action !== null && (
        <div class="faint">
          {moment.action} {moment.size !== null && bytes(moment.size)}
        </div>
      )}
      {(["requested", "active", "reserved"] as const).map((name) => (
        <div key={name}>
          <span>
            <span class={`swatch ${name}`} />
            {t.curves[name]}
          </span>
          <span class="figure">{bytes(moment[name])}</span>
        </div>
      ))}
    </div>
  );
}

/** The same figures for those who cannot see the drawing: twenty columns of what is shown. */
function CurveTable({ data, axis }: { data: Curves; axis: AxisKind }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const rows = useMemo(() => (open ? sampled(data, 20) : []), [data, open]);
  return (
    <details onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t.curves.table}</summary>
      {open && (
        <div class="table-frame">
          <table aria-label={t.curves.table}>
            <thead>
              <tr>
                <th scope="col">{axis === "time" ? t.curves.byTime : t.curves.byEvent}</th>
                {data.lines.map((line) => (
                  <th key={line.kind} scope="col" class="number">
                    {textOf(t.curves, line.kind)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([x, values]) => (
                <tr key={x}>
                  <td>{axis === "time" ? spanText(x) : count(Math.round(x))}</td>
                  {values.map((value, i) => (
                    <td key={i} class="number">
                      <Size of={value} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** The greatest value of each curve in each of `columns` parts of the window. */
export function sampled(data: Pick<Curves, "from" | "to" | "lines">, columns: number): [number, number[]][] {
  const width = (data.to - data.from) / columns;
  return Array.from({ length: columns }, (_, column) => {
    const from = data.from + column * width;
    const values = data.lines.map(({ points }) => {
      let value = 0;
      let most = -1;
      for (let i = 0; i + 1 < points.length; i += 2) {
        const x = points[i] ?? 0;
        if (x >= from + width && column + 1 < columns) break;
        value = points[i + 1] ?? 0;
        if (x >= from) most = Math.max(most, value);
      }
      return most < 0 ? value : most;
    });
    return [from, values];
  });
}

function lastOf(data: Curves): number {
  const points = data.lines.find((line) => line.kind === "requested")?.points;
  return points?.[points.length - 1] ?? 0;
}

/** Least and greatest value of the curves that are shown; from zero up unless it is to fill the height. */
export function rangeOf(data: Pick<Curves, "lines">, hidden: ReadonlySet<string>, fill: boolean): { least: number; most: number } {
  let least = Infinity;
  let most = 0;
  for (const { kind, points } of data.lines) {
    if (hidden.has(kind)) continue;
    for (let i = 1; i < points.length; i += 2) {
      const value = points[i] ?? 0;
      if (value > most) most = value;
      if (value < least) least = value;
    }
  }
  return { least: fill && least < most ? least : 0, most };
}

function draw(chart: EChartsType, data: Curves, shown: Span, axis: AxisKind, hidden: ReadonlySet<string>, { least, most: peak }: { least: number; most: number }): void {
  const step = byteStep(Math.max(1, peak - least) * 1.06);
  const bottom = Math.max(0, Math.floor((least - (least > 0 ? step * 0.1 : 0)) / step) * step);
  const most = Math.max(bottom + step, Math.ceil((peak + (peak - least) * 0.06) / step) * step);
  const faint = { lineStyle: { color: colour("line") } };
  const label = { color: colour("text-3"), fontSize: 11 };
  chart.setOption(
    {
      animation: false,
      grid: { ...PLOT, containLabel: false, outerBoundsMode: "none" },
      xAxis: {
        type: "value",
        min: shown.from,
        max: shown.to,
        axisLine: { lineStyle: { color: colour("line-2") } },
        splitLine: { show: false },
        axisLabel: {
          ...label,
          showMinLabel: false,
          showMaxLabel: false,
          hideOverlap: true,
          formatter: (value: number) => (axis === "time" ? spanText(value, (shown.to - shown.from) / 20) : Number.isInteger(value) ? count(value) : ""),
        },
      },
      yAxis: { type: "value", axisLine: { show: false }, axisTick: { show: false }, min: bottom, max: most, interval: step, splitLine: faint, axisLabel: { ...label, formatter: (value: number) => axisBytes(value, step) } },
      series: data.lines.map((line) => ({
        id: line.kind,
        type: "line",
        step: "end",
        showSymbol: false,
        silent: true,
        dimensions: ["x", "y"],
        data: hidden.has(line.kind) ? [] : line.points,
        lineStyle: { width: line.kind === "requested" ? 1.6 : 1.2, color: colour(`series-${line.kind}`), type: line.kind === "reserved" ? "dashed" : "solid" },
        ...(line.kind === "requested" ? { areaStyle: { color: colour("area"), origin: "start" } } : {}),
        z: line.kind === "requested" ? 3 : 2,
      })),
    },
    { notMerge: false, lazyUpdate: false, silent: true },
  );
}
