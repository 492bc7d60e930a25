// Timeline: every live allocation as a band, at any zoom, under the curves.

import { useMemo, useRef, useState } from "preact/hooks";
import { BandCanvas } from "../charts/band-canvas";
import type { Mode } from "../charts/band-canvas";
import { MARGIN } from "../charts/band-margin";
import { colour } from "../charts/echarts";
import { Minimap } from "../charts/minimap";
import { paletteFor, pixel } from "../charts/palette";
import { useDrawing } from "../charts/use-drawing";
import type { Painter, TimelineRequest } from "../charts/use-drawing";
import { usePatience } from "../charts/use-patience";
import { useRoom } from "../charts/use-room";
import { narrowest, useAddress, useSpan } from "../charts/use-span";
import type { AxisKind } from "../charts/use-span";
import { aroundLife, panSpan, zoomSpan } from "../charts/window";
import type { Span } from "../charts/window";
import { useCommands } from "../commands";
import { ErrorBox } from "../components/problems";
import { RangePanel } from "../components/range-summary";
import { BandTable } from "../components/band-table";
import { useHandler, useSame } from "../components/steady";
import { Legend, Tip } from "../components/timeline-parts";
import { Toolbar } from "../components/timeline-toolbar";
import type { ColourBy, Subject } from "../components/timeline-toolbar";
import { quietly, useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { deviceOf } from "../device";
import { bytes } from "../format";
import { useTexts } from "../i18n";
import { JoinBar, OperatorAt, useJoin, useSteps } from "../ops/join";
import { choose, selecting, useSelection } from "../state/selection";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type CurvesRequest = Extract<Request, { type: "curves" }>;
type HitRequest = Extract<Request, { type: "timeline_hit" }>;
type SearchRequest = Extract<Request, { type: "timeline_search" }>;
type PositionsRequest = Extract<Request, { type: "positions" }>;

const MAP_COLUMNS = 800;
/** What stands above and below the bands, in pixels. */
const AROUND = 400;

/** The inks of a drawing: reserved, active, requested, and what is chosen. */
const INKS = ["series-reserved", "series-active", "series-requested", "chosen"];

function TimelineView({ at, file, summary, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const selection = useSelection();
  const theme = useStore(themeVersion);
  const device = deviceOf(chosen);
  const about = summary.devices.find((each) => String(each.device) === chosen);
  const height = useRoom(AROUND, 300, 1600);
  const [axis, setAxis] = useState<AxisKind>(about?.has_time ? "time" : "event");
  const [subject, setSubject] = useState<Subject>("allocations");
  const [colourBy, setColourBy] = useState<ColourBy>("category");
  const [curves, setCurves] = useState(true);
  const [mode, setMode] = useState<Mode>("pan");
  const [width, setWidth] = useState(0);
  const [range, setRange] = useState<readonly [number, number] | null>(null);
  const [pointer, setPointer] = useState<{ x: number; y: number } | null>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const map = useQuery<CurvesRequest>(at, { type: "curves", device, axis, from: null, to: null, width: MAP_COLUMNS }, "timeline.map");
  const mapped = map.answers?.axis === axis ? map.data : undefined;
  const extent = useMemo((): Span | null => (mapped ? { from: mapped.extent[0], to: mapped.extent[1] } : null), [mapped]);
  const whole = useRef<Span | null>(null);
  whole.current = extent;
  const span = useSpan(at, device, axis, whole);
  const { view, waiting } = span;
  const show = useHandler(span.show);
  const shown = view ?? extent;
  const palette = useMemo(() => paletteFor(colourBy), [colourBy]);
  const inks = useMemo(() => INKS.map((name) => pixel(colour(name))), [theme]);

  const request: TimelineRequest | null =
    width > 0 && !waiting
      ? { type: "timeline", device, axis, from: view?.from ?? null, to: view?.to ?? null, width, height, subject, colour_by: colourBy, palette: palette.pixels, curves, inks, chosen: selection.life, bytes: range ? [range[0], range[1]] : null, search: subject === "segments" ? "" : selection.find }
      : null;
  const painter: Painter = useRef<Painter["current"]>(null);
  const { drawing: last, error, busy } = useDrawing(at, request, painter);
  const drawing = last && last.request.axis === axis && String(last.request.device) === chosen ? last : null;
  useAddress(span, drawing && !busy ? [drawing.reply.states[0], drawing.reply.states[1]] : null);
  const most = useMemo(() => drawing?.reply.column_bytes.reduce((most, value) => Math.max(most, value), 0) ?? 0, [drawing]);
  const legend = useSame(drawing?.reply.legend ?? []);
  const beside = usePatience(shown, busy && drawing !== null);

  const found = useQuery<SearchRequest>(at, selection.find !== "" ? { type: "timeline_search", device, text: selection.find } : null, "timeline.search");
  const hits = selection.find !== "" && found.answers?.text === selection.find ? found.data : undefined;
  const hit = useQuery<HitRequest>(at, pointer && drawing && !busy ? { type: "timeline_hit", device, x: Math.round(pointer.x), y: Math.round(pointer.y) } : null, "timeline.hit", drawing);

  const join = useJoin(at, device, file.key, axis === "time" && about?.has_time === true);
  const steps = useSteps(join);

  // Peak, moment and the selected range lie where their states begin on this axis.
  const wanted = [map.data?.peak_state ?? 0, here.at ?? 0, ...(selection.range ?? [])];
  const placed = useQuery<PositionsRequest>(at, map.data ? { type: "positions", device, axis, states: wanted } : null, "timeline.marks");
  const positions = placed.answers?.axis === axis && String(placed.answers.states) === String(wanted) ? placed.data?.positions : undefined;
  const rulers = useMemo(() => {
    const [peak, moment] = positions ?? [];
    return [
      ...(peak === undefined ? [] : [{ at: peak, name: `${t.timeline.peak} ${bytes(map.data?.peak_bytes ?? 0)}` }]),
      ...(moment === undefined || here.at === null ? [] : [{ at: moment, name: t.timeline.moment }]),
    ];
  }, [positions, map.data, here.at, t]);
  const [from, to] = positions?.slice(2) ?? [];
  const selected = useMemo(() => (from === undefined || to === undefined ? null : { from, to }), [from, to]);

  const least = narrowest(axis);
  const walk = useHandler((step: number) => {
    if (!hits || hits.lives.length === 0) return;
    const now = selection.life === null ? -1 : hits.lives.indexOf(selection.life);
    const next = now < 0 ? (step < 0 ? hits.lives.length - 1 : 0) : (now + step + hits.lives.length) % hits.lives.length;
    const birth = hits.births[next] ?? 0;
    const half = here.range ? Math.ceil((here.range[1] - here.range[0]) / 2) : 0;
    const outside = here.range !== null && (birth < here.range[0] || birth >= here.range[1]);
    go({ ...selecting({ life: hits.lives[next] ?? null }), at: birth, ...(outside ? { range: [Math.max(0, birth - half), birth + half] as const } : {}) });
  });
  const find = useHandler((text: string) => choose({ find: text }));
  const clearRange = useHandler(() => choose({ range: null }));
  const zoomToRange = useHandler(() => selection.range && go({ range: [selection.range[0], selection.range[1] + 1] }));
  const select = async (span: Span) => {
    const reply = await at.core.query(at.doc, { type: "curves", device, axis, from: span.from, to: span.to, width: 1 } satisfies CurvesRequest, "timeline.range");
    choose({ range: [reply.states[0], Math.max(reply.states[1] - 1, reply.states[0] + 1)] });
  };
  const focus = async () => {
    if (selection.range) return go({ range: [selection.range[0], selection.range[1] + 1] });
    if (selection.life === null) return;
    const { detail } = await at.core.query(at.doc, { type: "life", device, life: selection.life }, "timeline.focus");
    if (detail) go({ range: aroundLife(detail.birth, detail.death ?? about?.events ?? detail.birth) });
  };
  const pick = async (x: number, y: number) => {
    const reply = await at.core.query(at.doc, { type: "timeline_hit", device, x: Math.round(x), y: Math.max(0, Math.round(y)) } satisfies HitRequest, "timeline.pick");
    go({ at: reply.state, ...selecting({ life: reply.life?.life ?? null }) });
  };

  const key = (change: (now: Span, whole: Span) => Span) => () => shown && extent && show(change(shown, extent));
  useCommands([
    { id: "timeline.in", name: t.commands.zoomIn, keys: ["w"], run: key((s, e) => zoomSpan(s, 0.6, 0.5, e, least)), scope: "view" },
    { id: "timeline.out", name: t.commands.zoomOut, keys: ["s"], run: key((s, e) => zoomSpan(s, 1 / 0.6, 0.5, e, least)), scope: "view" },
    { id: "timeline.left", name: t.commands.panLeft, keys: ["a", "arrowleft"], run: key((s, e) => panSpan(s, -0.2, e, least)), scope: "view" },
    { id: "timeline.right", name: t.commands.panRight, keys: ["d", "arrowright"], run: key((s, e) => panSpan(s, 0.2, e, least)), scope: "view" },
    { id: "timeline.all", name: t.commands.everything, keys: ["0", "home"], run: () => (show(null), setRange(null)), scope: "view" },
    { id: "timeline.focus", name: t.commands.focus, keys: ["f"], run: () => quietly(focus()), scope: "view" },
    { id: "timeline.select", name: t.timeline.selectShown, keys: ["r"], run: () => shown && quietly(select(shown)), scope: "view" },
    { id: "timeline.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "timeline.next", name: t.timeline.next, keys: ["n"], run: () => walk(1), scope: "view" },
    { id: "timeline.previous", name: t.timeline.previous, keys: ["p"], run: () => walk(-1), scope: "view" },
    { id: "timeline.clear", name: t.commands.clear, keys: ["escape"], run: () => (go({ sel: null, at: null }), searchBox.current?.blur()), scope: "view" },
  ]);

  if (about && about.events === 0) return <p class="notice">{t.timeline.noEvents}</p>;
  return (
    <>
      <Toolbar
        subject={subject}
        onSubject={setSubject}
        colourBy={colourBy}
        onColourBy={setColourBy}
        curves={curves}
        onCurves={setCurves}
        mode={mode}
        onMode={setMode}
        axis={axis}
        onAxis={about?.has_time ? setAxis : null}
        searchBox={searchBox}
        find={selection.find}
        hits={hits}
        onFind={find}
        onWalk={walk}
      />
      {axis === "time" && <JoinBar join={join} />}
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {/* What was under the pointer lies in the way of a drag, and is not asked for during one. */}
      <div class="chart timeline" data-ready={drawing && !busy && !waiting ? "yes" : ""} onPointerDown={() => setPointer(null)}>
        <BandCanvas
          drawing={drawing}
          painter={painter}
          axis={axis}
          shown={shown}
          extent={extent}
          range={range}
          mode={mode}
          height={height}
          label={t.timeline.describe(t.timeline.subjects[subject], bytes(most))}
          rulers={rulers}
          selected={selected}
          steps={steps}
          onSize={setWidth}
          onShow={show}
          onBytes={setRange}
          onSelect={(span) => span && quietly(select(span))}
          onHover={(x, y) => setPointer(x === null || y < 0 || y >= height ? null : { x, y })}
          onPick={(x, y) => quietly(pick(x, y))}
        >
          {pointer && hit.data && (
            <Tip hit={hit.data} subject={subject} left={pointer.x < width / 2 ? MARGIN.left + pointer.x + 14 : null} right={pointer.x < width / 2 ? null : width - pointer.x + 14} top={MARGIN.top + Math.max(0, Math.min(pointer.y, height - 150))}>
              {axis === "time" && shown && width > 0 && <OperatorAt join={join} position={shown.from + (pointer.x / width) * (shown.to - shown.from)} />}
            </Tip>
          )}
        </BandCanvas>
        <Minimap points={map.data?.lines.find((line) => line.kind === "requested")?.points ?? null} extent={extent} shown={beside} axis={axis} left={MARGIN.left} label={t.timeline.minimap} onShow={show} />
        <Legend names={legend} css={palette.css} colourBy={colourBy} subject={subject} curves={curves} />
      </div>
      <p class="faint hint">
        {t.app.sentences([t.timeline.help, t.timeline.lanes])}
      </p>
      {selection.range && <RangePanel at={at} device={device} from={selection.range[0]} to={selection.range[1]} onClear={clearRange} onZoom={zoomToRange} />}
      {drawing && <BandTable at={at} device={device} reply={drawing.reply} axis={axis} categories={subject === "allocations"} />}
    </>
  );
}

export const timeline: View = {
  id: "timeline",
  name: (t) => t.timeline.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: TimelineView,
};
