// Timeline: every live allocation as a band, at any zoom, under the curves.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BandCanvas, MARGIN } from "../charts/band-canvas";
import type { Mode } from "../charts/band-canvas";
import { deviceOf } from "../charts/curve-chart";
import { colour } from "../charts/echarts";
import { Minimap } from "../charts/minimap";
import { paletteFor } from "../charts/palette";
import { useDrawing } from "../charts/use-drawing";
import type { Timeline, TimelineRequest } from "../charts/use-drawing";
import { narrowest, useSpan } from "../charts/use-span";
import type { AxisKind } from "../charts/use-span";
import { panSpan, zoomSpan } from "../charts/window";
import type { Span } from "../charts/window";
import { useCommands } from "../commands";
import { Choice, Size } from "../components/basics";
import { LifeLineText, LifePanel } from "../components/life-detail";
import { ErrorBox } from "../components/problems";
import { RangePanel } from "../components/range-summary";
import { useQuery } from "../core/use-query";
import type { ReplyTo, Request } from "../core/protocol";
import { bytes, count, span as spanText } from "../format";
import { JoinBar, OperatorAt, useJoin, useSteps } from "../ops/join";
import { textOf, useTexts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type CurvesRequest = Extract<Request, { type: "curves" }>;
type HitRequest = Extract<Request, { type: "timeline_hit" }>;
type SearchRequest = Extract<Request, { type: "timeline_search" }>;
type PositionsRequest = Extract<Request, { type: "positions" }>;
type Subject = TimelineRequest["subject"];
type ColourBy = TimelineRequest["colour_by"];

const HEIGHT = 460;
const MAP_COLUMNS = 800;

/** `life:12` in the address. */
export function selectedLife(sel: string | null): number | null {
  const match = /^life:(\d{1,10})$/.exec(sel ?? "");
  return match ? Number(match[1]) : null;
}

function TimelineView({ at, file, summary, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const theme = useStore(themeVersion);
  const device = deviceOf(chosen);
  const about = summary.devices.find((each) => String(each.device) === chosen);
  const [axis, setAxis] = useState<AxisKind>(about?.has_time ? "time" : "event");
  const [subject, setSubject] = useState<Subject>("allocations");
  const [colourBy, setColourBy] = useState<ColourBy>("category");
  const [mode, setMode] = useState<Mode>("pan");
  const [width, setWidth] = useState(0);
  const [range, setRange] = useState<readonly [number, number] | null>(null);
  const [typed, setTyped] = useState("");
  const [pointer, setPointer] = useState<{ x: number; y: number } | null>(null);
  const [selected, setSelected] = useState<{ span: Span; states: readonly [number, number] } | null>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const map = useQuery<CurvesRequest>(at, { type: "curves", device, axis, from: null, to: null, width: MAP_COLUMNS }, "timeline.map");
  const extent: Span | null = map.data && map.answers?.axis === axis ? { from: map.data.extent[0], to: map.data.extent[1] } : null;
  const [states, setStates] = useState<readonly [number, number] | null>(null);
  const { view, show, waiting } = useSpan(at, device, axis, extent, states);
  const shown = view ?? extent;
  const { css, pixels } = useMemo(() => paletteFor(colourBy), [colourBy]);

  const request: TimelineRequest | null =
    width > 0 && !waiting
      ? { type: "timeline", device, axis, from: view?.from ?? null, to: view?.to ?? null, width, height: HEIGHT, subject, colour_by: colourBy, palette: pixels, bytes: range ? [range[0], range[1]] : null, search: subject === "allocations" ? typed : "" }
      : null;
  const { drawing, error, busy } = useDrawing(at, request);
  useEffect(() => {
    if (drawing && drawing.request.axis === axis) setStates([drawing.reply.states[0], drawing.reply.states[1]]);
  }, [drawing]);

  const curves = useQuery<CurvesRequest>(at, width > 0 && !waiting ? { type: "curves", device, axis, from: view?.from ?? null, to: view?.to ?? null, width } : null, "timeline.curves");
  const lines = useMemo(
    () =>
      (curves.answers?.axis === axis ? (curves.data?.lines ?? []) : [])
        .filter((line) => line.kind !== "requested")
        .map((line) => ({ points: line.points, colour: colour(`series-${line.kind}`) })),
    [curves.data, theme, axis],
  );

  const found = useQuery<SearchRequest>(at, typed !== "" ? { type: "timeline_search", device, text: typed } : null, "timeline.search");
  const hits = typed !== "" && found.answers?.text === typed ? found.data : undefined;
  const hit = useQuery<HitRequest>(at, pointer && drawing && !busy ? { type: "timeline_hit", device, x: Math.round(pointer.x), y: Math.round(pointer.y) } : null, "timeline.hit");

  const join = useJoin(at, device, file.key, axis === "time" && about?.has_time === true);
  const steps = useSteps(join);

  const life = selectedLife(here.sel);
  const marks = useQuery<PositionsRequest>(at, map.data ? { type: "positions", device, axis, states: here.at === null ? [map.data.peak_state] : [map.data.peak_state, here.at] } : null, "timeline.marks");
  const rulers = useMemo(() => {
    const [peak, moment] = marks.answers?.axis === axis ? (marks.data?.positions ?? []) : [];
    return [
      ...(peak === undefined ? [] : [{ at: peak, name: `${t.timeline.peak} ${bytes(map.data?.peak_bytes ?? 0)}` }]),
      ...(moment === undefined ? [] : [{ at: moment, name: t.timeline.moment }]),
    ];
  }, [marks.data, map.data, axis, t]);

  const least = narrowest(axis);
  const zoomToLife = async (birth: number, death: number | null) => {
    const end = death ?? about?.events ?? birth + 1;
    const { positions } = await at.core.query(at.doc, { type: "positions", device, axis, states: [birth, end] } satisfies PositionsRequest, "timeline.life");
    const [from, to] = positions;
    if (from === undefined || to === undefined || !extent) return;
    show(zoomSpan({ from, to: Math.max(to, from + least) }, 1.25, 0.5, extent, least));
  };
  const walk = (step: number) => {
    if (!hits || hits.lives.length === 0) return;
    const now = life === null ? -1 : hits.lives.indexOf(life);
    const next = (now + step + hits.lives.length) % hits.lives.length;
    const id = hits.lives[now < 0 && step < 0 ? hits.lives.length - 1 : next];
    const birth = hits.births[hits.lives.indexOf(id ?? -1)];
    if (id !== undefined && birth !== undefined) go({ sel: `life:${id}`, at: birth });
  };
  const select = async (span: Span | null) => {
    if (!span) return setSelected(null);
    const reply = await at.core.query(at.doc, { type: "curves", device, axis, from: span.from, to: span.to, width: 1 } satisfies CurvesRequest, "timeline.range");
    setSelected({ span, states: [reply.states[0], reply.states[1] - 1] });
  };

  const key = (change: (now: Span, whole: Span) => Span) => () => shown && extent && show(change(shown, extent));
  useCommands([
    { id: "timeline.in", name: t.commands.zoomIn, keys: ["w"], run: key((s, e) => zoomSpan(s, 0.6, 0.5, e, least)), scope: "view" },
    { id: "timeline.out", name: t.commands.zoomOut, keys: ["s"], run: key((s, e) => zoomSpan(s, 1 / 0.6, 0.5, e, least)), scope: "view" },
    { id: "timeline.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: key((s, e) => panSpan(s, -0.2, e, least)), scope: "view" },
    { id: "timeline.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: key((s, e) => panSpan(s, 0.2, e, least)), scope: "view" },
    { id: "timeline.all", name: t.commands.everything, keys: ["0", "home"], run: () => (show(null), setRange(null)), scope: "view" },
    { id: "timeline.focus", name: t.commands.focus, keys: ["f"], run: () => void focus(), scope: "view" },
    { id: "timeline.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "timeline.next", name: t.timeline.next, keys: ["n"], run: () => walk(1), scope: "view" },
    { id: "timeline.previous", name: t.timeline.previous, keys: ["p"], run: () => walk(-1), scope: "view" },
    { id: "timeline.clear", name: t.commands.clear, keys: ["escape"], run: () => (setSelected(null), setTyped(""), go({ sel: null, at: null }), searchBox.current?.blur()), scope: "view" },
  ]);
  const focus = async () => {
    if (selected && extent) return show(zoomSpan(selected.span, 1, 0.5, extent, least));
    if (life === null) return;
    const { detail } = await at.core.query(at.doc, { type: "life", device, life }, "timeline.focus");
    if (detail) await zoomToLife(detail.birth, detail.death);
  };

  const pick = async (x: number, y: number) => {
    const reply = await at.core.query(at.doc, { type: "timeline_hit", device, x: Math.round(x), y: Math.max(0, Math.round(y)) } satisfies HitRequest, "timeline.pick");
    go({ at: reply.state, sel: reply.life ? `life:${reply.life.life}` : null });
  };

  if (about && about.events === 0) return <p class="notice">{t.timeline.noEvents}</p>;
  const legend = drawing?.reply.legend ?? [];
  return (
    <>
      <div class="row toolbar">
        <Choice label={t.timeline.subject} value={subject} onChange={setSubject} options={Object.entries(t.timeline.subjects) as [Subject, string][]} />
        {subject === "allocations" && (
          <label class="row">
            <span class="faint">{t.timeline.colourBy}</span>
            <select value={colourBy} onChange={(event) => setColourBy(event.currentTarget.value as ColourBy)}>
              {Object.entries(t.timeline.colours).map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <Choice label={t.timeline.mode} value={mode} onChange={setMode} options={Object.entries(t.timeline.modes) as [Mode, string][]} />
        {about?.has_time && (
          <Choice
            label={t.curves.axis}
            value={axis}
            onChange={setAxis}
            options={[
              ["time", t.curves.byTime],
              ["event", t.curves.byEvent],
            ]}
          />
        )}
        <span class="grow" />
        <input ref={searchBox} type="search" class="search" placeholder={t.timeline.search} aria-label={t.timeline.search} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && walk(event.shiftKey ? -1 : 1)} />
        {hits && (
          <span class="row" role="status">
            {hits.count === 0 ? t.timeline.nothingFound : t.timeline.found(hits.count, bytes(hits.bytes))}
            <button type="button" class="small" aria-label={t.timeline.previous} title={t.timeline.previous} disabled={hits.count === 0} onClick={() => walk(-1)}>
              ‹
            </button>
            <button type="button" class="small" aria-label={t.timeline.next} title={t.timeline.next} disabled={hits.count === 0} onClick={() => walk(1)}>
              ›
            </button>
          </span>
        )}
      </div>
      {axis === "time" && <JoinBar join={join} />}
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      <div class={life === null ? "with-panel" : "with-panel open"}>
        <div>
          <div class="chart timeline" data-ready={drawing && !busy ? "yes" : ""}>
            <BandCanvas
              drawing={drawing && drawing.request.axis === axis ? drawing : null}
              axis={axis}
              shown={shown}
              extent={extent}
              range={range}
              mode={mode}
              height={HEIGHT}
              label={t.timeline.describe(t.timeline.subjects[subject], bytes(Math.max(0, ...(drawing?.reply.column_bytes ?? []))))}
              lines={lines}
              rulers={rulers}
              selected={selected?.span ?? null}
              steps={steps}
              onSize={setWidth}
              onShow={show}
              onBytes={setRange}
              onSelect={(span) => void select(span)}
              onHover={(x, y) => setPointer(x === null || y < 0 || y >= HEIGHT ? null : { x, y })}
              onPick={(x, y) => void pick(x, y)}
            >
              {pointer && hit.data && <Tip hit={hit.data} left={pointer.x < width / 2 ? MARGIN.left + pointer.x + 14 : null} right={pointer.x < width / 2 ? null : width - pointer.x + 14} top={MARGIN.top + Math.max(0, Math.min(pointer.y, HEIGHT - 110))}>
                  {axis === "time" && shown && width > 0 && <OperatorAt join={join} position={shown.from + (pointer.x / width) * (shown.to - shown.from)} />}
                </Tip>}
            </BandCanvas>
            <div class="axis-ends" style={{ paddingLeft: `${MARGIN.left}px` }}>
              <span>{shown && (axis === "time" ? spanText(shown.from) : count(Math.round(shown.from)))}</span>
              <span>{shown && (axis === "time" ? spanText(shown.to) : count(Math.round(shown.to)))}</span>
            </div>
            <Minimap points={map.data?.lines.find((line) => line.kind === "requested")?.points ?? null} extent={extent} shown={shown} axis={axis} left={MARGIN.left} label={t.timeline.minimap} onShow={show} />
            <Legend names={legend} css={css} colourBy={colourBy} subject={subject} />
          </div>
          <p class="faint hint" title={t.timeline.lanes}>
            {t.timeline.help} {t.timeline.lanes}
          </p>
          {selected && <RangePanel at={at} device={device} from={selected.states[0]} to={selected.states[1]} onClear={() => setSelected(null)} onZoom={() => extent && show(zoomSpan(selected.span, 1, 0.5, extent, least))} />}
          {drawing && <BandTable reply={drawing.reply} axis={axis} />}
        </div>
        {life !== null && <LifePanel at={at} device={device} life={life} onClose={() => go({ sel: null })} onLife={(id) => go({ sel: `life:${id}` })} onShow={(detail) => void zoomToLife(detail.birth, detail.death)} />}
      </div>
    </>
  );
}

function Tip({ hit, left, right, top, children }: { hit: ReplyTo<HitRequest>; left: number | null; right: number | null; top: number; children?: ComponentChildren }) {
  const t = useTexts();
  return (
    <div class="chart-tip wide" style={{ top: `${top}px`, ...(left === null ? { right: `${right}px` } : { left: `${left}px` }) }}>
      <div class="faint">{t.curves.atEvent(hit.event)}</div>
      {hit.life && <LifeLineText line={hit.life} />}
      {hit.life && hit.lives_in_pixel > 1 && <div class="faint">{t.timeline.sharing(hit.lives_in_pixel - 1)}</div>}
      {hit.band !== null && (
        <div>
          <span class="mono">{hit.band}</span> <Size of={hit.band_bytes} />
        </div>
      )}
      {!hit.life && hit.band === null && <div class="faint">{t.timeline.nothingHere}</div>}
      {children}
    </div>
  );
}

function Legend({ names, css, colourBy, subject }: { names: readonly string[]; css: readonly string[]; colourBy: ColourBy; subject: Subject }) {
  const t = useTexts();
  const most = 14;
  return (
    <div class="legend">
      {names.slice(0, most).map((name, i) => (
        <span key={name}>
          <span class="category-mark" style={{ background: css[i % css.length] }} />
          {subject === "allocations" && colourBy === "category" ? textOf(t.categories, name, name) : name === "" ? t.life.noStack : name}
        </span>
      ))}
      {names.length > most && <span class="faint">{t.timeline.othersInLegend(names.length - most)}</span>}
    </div>
  );
}

/** The same for those who cannot see the drawing: the bytes of twenty columns. */
function BandTable({ reply, axis }: { reply: Timeline; axis: AxisKind }) {
  const t = useTexts();
  const rows = 20;
  const step = (reply.to - reply.from) / rows;
  const most = Array.from({ length: rows }, (_, row) => {
    const part = reply.column_bytes.subarray(Math.floor((row * reply.column_bytes.length) / rows), Math.max(1, Math.floor(((row + 1) * reply.column_bytes.length) / rows)));
    return Math.max(0, ...part);
  });
  return (
    <details>
      <summary>{t.timeline.table}</summary>
      <div class="table-frame">
        <table aria-label={t.timeline.table}>
          <thead>
            <tr>
              <th scope="col">{t.timeline.column}</th>
              <th scope="col" class="number">
                {t.timeline.bytesThere}
              </th>
            </tr>
          </thead>
          <tbody>
            {most.map((value, row) => (
              <tr key={row}>
                <td>{axis === "time" ? spanText(reply.from + row * step) : count(Math.round(reply.from + row * step))}</td>
                <td class="number">
                  <Size of={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export const timeline: View = {
  id: "timeline",
  name: (t) => t.timeline.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: TimelineView,
};
