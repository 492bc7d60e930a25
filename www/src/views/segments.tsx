// Segments: all memory of a device at a moment, to scale; stepped through event by event.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CATEGORY_COLOURS } from "../charts/palette";
import { inksOf, SegmentCanvas, useColours } from "../charts/segment-canvas";
import type { SegmentColour } from "../charts/segment-canvas";
import { useRoom } from "../charts/use-room";
import { useCommands } from "../commands";
import { Choice, Size, Table } from "../components/basics";
import { MomentPicker } from "../components/moment-picker";
import { ErrorBox } from "../components/problems";
import { AddressHistory, Changes } from "../components/segment-changes";
import type { Stepped } from "../components/segment-changes";
import { useQuery } from "../core/use-query";
import type { Request } from "../core/protocol";
import { deviceOf } from "../device";
import { bytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { changesBetween } from "../segments-diff";
import type { Segments } from "../segments-diff";
import { choose, selecting, useSelection } from "../state/selection";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type SegmentsRequest = Extract<Request, { type: "segments" }>;
type FindRequest = Extract<Request, { type: "find_address" }>;
type CurvesRequest = Extract<Request, { type: "curves" }>;
type Sort = "group" | "address" | "size" | "free";

const NO_LIFE = 0xffffffff;
const ROW = 22;

function SegmentsView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const selection = useSelection();
  const device = deviceOf(chosen);
  const room = useRoom(420, 220, 1400);
  const [colourBy, setColourBy] = useState<SegmentColour>("category");
  const [sort, setSort] = useState<Sort>("group");
  const [typed, setTyped] = useState(selection.address ?? "");
  const [hover, setHover] = useState<{ block: number; x: number; y: number } | null>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (selection.address !== null && selection.address !== hexOf(typed)) setTyped(`0x${selection.address}`);
  }, [selection.address]);

  const whole = useQuery<CurvesRequest>(at, { type: "curves", device, axis: "event", from: null, to: null, width: 1 }, "segments.whole");
  const last = (whole.data?.states[1] ?? 1) - 1;
  const state = whole.data ? Math.min(here.at ?? whole.data.peak_state, last) : null;
  const { data, answers, error } = useQuery<SegmentsRequest>(at, state === null ? null : { type: "segments", device, state }, "segments");
  const address = hexOf(typed);
  const found = useQuery<FindRequest>(at, address !== null && state !== null ? { type: "find_address", device, state, text: address } : null, "segments.find");
  const known = address !== null && found.answers?.text === address ? found.data : undefined;
  const mark = known?.block ?? null;

  const stepped = useSteps(data, String(answers?.device));
  const changed = useMemo(() => new Set(stepped?.changes.flatMap((change) => (change.block === null ? [] : [change.block])) ?? []), [stepped]);
  const order = useMemo(() => orderOf(data, sort), [data, sort]);

  const step = (by: number) => state !== null && go({ at: Math.max(0, Math.min(last, state + by)) });
  useCommands([
    { id: "segments.back", name: t.segments.stepBack, keys: ["arrowleft"], run: () => step(-1), scope: "view" },
    { id: "segments.forth", name: t.segments.stepOn, keys: ["arrowright"], run: () => step(1), scope: "view" },
    { id: "segments.back100", name: `${t.segments.stepBack} ×100`, keys: ["a"], run: () => step(-100), scope: "view" },
    { id: "segments.forth100", name: `${t.segments.stepOn} ×100`, keys: ["d"], run: () => step(100), scope: "view" },
    { id: "segments.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "segments.clear", name: t.commands.clear, keys: ["escape"], run: () => (setTyped(""), go({ sel: null }), searchBox.current?.blur()), scope: "view" },
  ]);

  const uses = useColours();
  const legend = useMemo((): [string, string][] => {
    if (colourBy === "use") return [1, 2, 3, 0].map((use) => [textOf(t.segments.uses, String(use)), uses[use] ?? ""]);
    const free: [string, string][] = [2, 0].map((use) => [textOf(t.segments.uses, String(use)), uses[use] ?? ""]);
    if (colourBy === "category") return [...Object.entries(CATEGORY_COLOURS).map(([id, css]): [string, string] => [textOf(t.categories, id), css]), ...free];
    return [...(data ? inksOf(data, colourBy) : []), ...free];
  }, [colourBy, data, t]);
  return (
    <>
      <MomentPicker at={at} device={device} />
      <div class="row toolbar">
        <Choice label={t.segments.colourBy} value={colourBy} onChange={setColourBy} options={Object.entries(t.segments.colours) as [SegmentColour, string][]} />
        <Choice label={t.segments.sort} value={sort} onChange={setSort} options={Object.entries(t.segments.sorts) as [Sort, string][]} />
        <span class="grow" />
        <input
          ref={searchBox}
          type="search"
          class="search"
          placeholder={t.segments.find}
          aria-label={t.segments.find}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            choose({ address: hexOf(event.currentTarget.value) });
          }}
        />
        {known && known.block === null && <span role="status">{t.segments.notFound}</span>}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {data && data.segments.length === 0 && <p class="notice">{t.segments.none}</p>}
      {data && (
        <p>
          {t.segments.summary(data.segments.length, data.live_blocks)} · {t.curves.reserved} <Size of={data.reserved} /> · {t.segments.allocated} <Size of={data.allocated} /> · {t.segments.free} <Size of={data.cached_free} />
          {data.live_blocks > 0 && <span class="faint"> · {t.segments.exact(percent(data.exact_blocks / data.live_blocks))}</span>}
        </p>
      )}
      {data && data.segments.length > 0 && (
        <>
          <div class="chart">
            <SegmentCanvas
              data={data}
              order={order}
              colourBy={colourBy}
              changed={changed}
              height={Math.min(room, Math.max(80, order.length * ROW))}
              label={t.segments.describe(data.segments.length)}
              life={selection.life}
              mark={mark}
              onHover={(block, x, y) => setHover(block === null ? null : { block, x, y })}
              onPick={(block) => {
                const id = block === null ? NO_LIFE : (data.life[block] ?? NO_LIFE);
                go(selecting({ life: id === NO_LIFE ? null : id }));
              }}
            />
            {hover && hover.block < data.size.length && <BlockTip data={data} {...hover} />}
            <div class="legend">
              {legend.map(([name, css]) => (
                <span key={name}>
                  <span class="category-mark" style={{ background: css }} />
                  {name}
                </span>
              ))}
            </div>
          </div>
          <p class="faint hint">{t.segments.help}</p>
        </>
      )}
      {known && <AddressHistory lines={known.history} address={`0x${address}`} />}
      {stepped && <Changes at={at} device={device} stepped={stepped} />}
      {data && data.segments.length > 0 && (
        <details>
          <summary>{t.segments.table}</summary>
          <Table
            label={t.segments.table}
            head={[t.segments.segment, t.segments.size, t.segments.allocated, t.segments.free, t.segments.type, t.segments.pool, t.segments.stream]}
            text={[0, 4, 5]}
            rows={order.slice(0, 200).map((index) => {
              const segment = data.segments[index];
              return segment
                ? [<code key="a">{segment.address}</code>, <Size key="s" of={segment.size} />, <Size key="l" of={segment.allocated} />, <Size key="f" of={segment.size - segment.active} />, `${textOf(t.segmentTypes, segment.segment_type)}${segment.is_expandable ? ` · ${t.segments.expandable}` : ""}`, `(${segment.pool.join(", ")})`, String(segment.stream)]
                : [];
            })}
          />
        </details>
      )}
    </>
  );
}

/** A whole or half-typed address as plain hexadecimal; null for what is none. */
function hexOf(text: string): string | null {
  const match = /^\s*(?:b')?(?:0x)?([0-9a-f]{1,16})(?:_\d+'?)?\s*$/i.exec(text);
  return match?.[1]?.toLowerCase() ?? null;
}

/** What the last move from one moment to another changed. */
function useSteps(data: Segments | undefined, device: string): Stepped | null {
  const before = useRef<{ data: Segments; device: string } | null>(null);
  const [stepped, setStepped] = useState<Stepped | null>(null);
  useEffect(() => {
    if (!data) return;
    const old = before.current;
    before.current = { data, device };
    if (!old || old.device !== device) setStepped(null);
    else if (old.data.state !== data.state) setStepped({ from: old.data.state, to: data.state, changes: changesBetween(old.data, data) });
  }, [data]);
  return stepped;
}

function orderOf(data: Segments | undefined, sort: Sort): number[] {
  const all = Array.from(data?.segments.keys() ?? []);
  const of = (index: number) => data?.segments[index];
  const free = (index: number) => (of(index)?.size ?? 0) - (of(index)?.active ?? 0);
  if (sort === "size") all.sort((a, b) => (of(b)?.size ?? 0) - (of(a)?.size ?? 0));
  if (sort === "free") all.sort((a, b) => free(b) - free(a));
  if (sort === "group") {
    // Groups are few, so only their names are compared by the rules of a language, which takes long.
    const keys = all.map((index) => `${of(index)?.pool.join(" ")} ${of(index)?.stream} ${of(index)?.segment_type}`);
    const ranks = new Map([...new Set(keys)].sort((a, b) => a.localeCompare(b)).map((key, rank) => [key, rank]));
    const rank = keys.map((key) => ranks.get(key) ?? 0);
    all.sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0) || a - b);
  }
  return all;
}

function BlockTip({ data, block, x, y }: { data: Segments; block: number; x: number; y: number }) {
  const t = useTexts();
  const use = data.usage[block] ?? 0;
  return (
    <div class="chart-tip" style={{ top: `${y + 14}px`, left: `${Math.max(0, x - 80)}px` }}>
      <div>
        <b>{bytes(data.size[block] ?? 0)}</b>
        <span>{textOf(t.segments.uses, String(use))}</span>
      </div>
      {use !== 0 && (
        <div class="faint">
          {t.life.size} {bytes(data.requested[block] ?? 0)} · {t.segments.uses[4]} {bytes((data.size[block] ?? 0) - (data.requested[block] ?? 0))}
        </div>
      )}
      {use !== 0 && (data.category[block] ?? 255) !== 255 && <div class="faint">{textOf(t.categories, Object.keys(CATEGORY_COLOURS)[data.category[block] ?? 255] ?? "")}</div>}
    </div>
  );
}

export const segments: View = {
  id: "segments",
  name: (t) => t.segments.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: SegmentsView,
};
