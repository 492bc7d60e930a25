// The three memory curves of a device. ECharts draws what the core answers for the window: a few
// thousand points, whatever the file holds. Every zoom and pan asks again; until the answer is there
// the points at hand are drawn in the new window.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useCommands } from "../commands";
import { AxisChoice, Section } from "../components/basics";
import { Picture } from "../components/picture";
import { ErrorBox } from "../components/problems";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, ReplyTo, Request } from "../core/protocol";
import { deviceOf } from "../device";
import { bytes, exactBytes, span as spanText } from "../format";
import { useTexts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import { drawCurves, lastOf, PLOT, rangeOf } from "./curve-draw";
import { CurveTable } from "./curve-table";
import { init } from "./echarts";
import type { EChartsType } from "./echarts";
import { narrowest, useAddress, useSpan } from "./use-span";
import type { AxisKind } from "./use-span";
import { panSpan, zoomSpan } from "./window";
import type { Span } from "./window";

type CurvesRequest = Extract<Request, { type: "curves" }>;
type MomentRequest = Extract<Request, { type: "moment" }>;
type PositionsRequest = Extract<Request, { type: "positions" }>;

export function CurveChart(props: { at: Doc; device: string; hasTime: boolean }) {
  const t = useTexts();
  const here = useStore(place);
  const theme = useStore(themeVersion);
  const device = deviceOf(props.device);
  const [axis, setAxis] = useState<AxisKind>(props.hasTime ? "time" : "event");
  const [width, setWidth] = useState(0);
  const [made, setMade] = useState(false);
  const [pointer, setPointer] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);

  const whole = useRef<Span | null>(null);
  const span = useSpan(props.at, device, axis, whole);
  const { view, show, waiting } = span;
  const request: CurvesRequest | null =
    width > 0 && !waiting ? { type: "curves", device, axis, from: view?.from ?? null, to: view?.to ?? null, width } : null;
  const answer = useQuery(props.at, request, "curves");
  const data = answer.answers?.axis === axis && String(answer.answers.device) === props.device ? answer.data : undefined;
  const extent: Span | null = data ? { from: data.extent[0], to: data.extent[1] } : null;
  whole.current = extent;
  useAddress(span, data && !answer.busy ? [data.states[0], data.states[1]] : null);
  const shown: Span | null = view ?? extent;

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      chart.current?.resize();
      setWidth(Math.max(0, Math.floor(element.clientWidth - PLOT.left - PLOT.right)));
    });
    watch.observe(element);
    // In a task of its own: setting a chart up and rendering the view around it are too much for one.
    const later = setTimeout(() => {
      chart.current = init(element, null, { renderer: "canvas" });
      setMade(true);
    });
    return () => {
      clearTimeout(later);
      watch.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, []);

  // All of a trace stands on zero; a part of it fills the height, so that single events show.
  const heights = useMemo(() => data && rangeOf(data, hidden, view !== null), [data, hidden, view !== null]);
  useLayoutEffect(() => {
    if (chart.current && data && shown && heights) drawCurves(chart.current, data, shown, axis, hidden, heights);
  }, [data, shown?.from, shown?.to, axis, theme, width, heights, made]);

  const least = narrowest(axis);

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
    if (sideways !== 0) show(panSpan(shown, sideways / 800, extent, least));
    else show(zoomSpan(shown, Math.exp(event.deltaY / 400), (inPlot(localX(event)) - PLOT.left) / Math.max(1, width), extent, least));
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
    else show(panSpan(held.view, (held.x - x) / Math.max(1, width), extent, least));
  };
  const onPointerUp = () => {
    const held = drag.current;
    drag.current = null;
    if (!held || !extent) return;
    if (held.brush && brush && brush.to - brush.from > 3) {
      const from = positionAt(brush.from);
      const to = positionAt(brush.to);
      show(zoomSpan({ from, to }, 1, 0.5, extent, least));
    } else if (!held.moved && moment.data) go({ at: moment.data.state });
    setBrush(null);
  };

  const moment = useQuery<MomentRequest>(
    props.at,
    pointer !== null && shown && perPixel > 0 ? { type: "moment", device, axis, from: positionAt(pointer - 0.5), to: positionAt(pointer + 0.5) } : null,
    "curves.moment",
  );

  const key = (change: (now: Span, whole: Span) => Span) => () => shown && extent && show(change(shown, extent));
  useCommands([
    { id: "curve.in", name: t.commands.zoomIn, keys: ["w"], run: key((s, e) => zoomSpan(s, 0.6, 0.5, e, least)), scope: "view" },
    { id: "curve.out", name: t.commands.zoomOut, keys: ["s"], run: key((s, e) => zoomSpan(s, 1 / 0.6, 0.5, e, least)), scope: "view" },
    { id: "curve.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: key((s, e) => panSpan(s, -0.2, e, least)), scope: "view" },
    { id: "curve.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: key((s, e) => panSpan(s, 0.2, e, least)), scope: "view" },
    { id: "curve.all", name: t.commands.everything, keys: ["0", "home"], run: () => show(null), scope: "view" },
  ]);

  const tipLeft = pointer !== null && pointer > PLOT.left + width / 2;
  const pixelOf = (position: number) => (perPixel > 0 && shown ? PLOT.left + (position - shown.from) / perPixel : -1);
  const peakX = data ? pixelOf(data.peak_position) : -1;
  const atX = useAt(props.at, device, axis, here.at, pixelOf);

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
          {props.hasTime && <AxisChoice value={axis} onChange={setAxis} />}
        </div>
      }
    >
      {answer.error && <ErrorBox error={answer.error} title={t.app.failedView} />}
      <div class="chart" data-points={data ? "ready" : ""}>
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
            role="img"
            aria-label={data ? t.curves.describe(bytes(data.peak_bytes), bytes(lastOf(data))) : t.curves.title}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={onPointerUp}
            onPointerLeave={() => drag.current === null && setPointer(null)}
            onDblClick={() => show(null)}
          />
          {data && <Picture name="curves" />}
          {data && peakX >= PLOT.left && peakX <= PLOT.left + width && (
            <PeakMark x={peakX} right={PLOT.left + width} exact={data.peak_bytes} onClick={() => go({ at: data.peak_state })} />
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

/** Centred over the peak, but for where it would reach over the sides of the plot. */
function PeakMark(props: { x: number; right: number; exact: number; onClick: () => void }) {
  const t = useTexts();
  const name = `${t.curves.peak} ${bytes(props.exact)}`;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const wide = button.current?.offsetWidth ?? 0;
    if (button.current) button.current.style.left = `${Math.max(PLOT.left, Math.min(props.x - wide / 2, props.right - wide))}px`;
  }, [props.x, props.right, name]);
  return (
    <button ref={button} type="button" class="peak-mark" title={exactBytes(props.exact)} onClick={props.onClick}>
      {name}
    </button>
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
