// Segments: all memory of a device at a moment, to scale; stepped through event by event.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CATEGORY_COLOURS } from "../charts/palette";
import { inksOf, SegmentCanvas, useColours } from "../charts/segment-canvas";
import type { SegmentColour } from "../charts/segment-canvas";
import { aroundBlock, useOffsets } from "../charts/use-offsets";
import { useRoom } from "../charts/use-room";
import { useCommands } from "../commands";
import { Choice, Size } from "../components/basics";
import { frameText } from "../components/frames";
import { MomentPicker } from "../components/moment-picker";
import { PointerTip } from "../components/pointer-tip";
import { ErrorBox } from "../components/problems";
import { AddressHistory, Changes } from "../components/segment-changes";
import type { Stepped } from "../components/segment-changes";
import { SegmentTables } from "../components/segment-tables";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, Request } from "../core/protocol";
import { deviceOf } from "../device";
import { bytes, exactBytes, percent } from "../format";
import { textOf, useTexts } from "../i18n";
import { blockAddress, segmentOf } from "../segment-columns";
import type { Segments } from "../segment-columns";
import { comparing } from "../segments-diff";
import { choose, selecting, useSelection } from "../state/selection";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import { typedAddress } from "../typed";
import type { View, ViewProps } from "./registry";

type SegmentsRequest = Extract<Request, { type: "segments" }>;
type FindRequest = Extract<Request, { type: "find_address" }>;
type SegmentSort = SegmentsRequest["sort"];
type LifeRequest = Extract<Request, { type: "life" }>;
type CurvesRequest = Extract<Request, { type: "curves" }>;

const NO_LIFE = 0xffffffff;
const NONE = new Uint32Array();
const ROW = 22;

function SegmentsView({ at, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const selection = useSelection();
  const device = deviceOf(chosen);
  const room = useRoom(420, 220, 1400);
  const [colourBy, setColourBy] = useState<SegmentColour>("category");
  const [sort, setSort] = useState<SegmentSort>("group");
  const [typed, setTyped] = useState(selection.address ?? "");
  const [hover, setHover] = useState<{ block: number; x: number; y: number } | null>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (selection.address !== null && selection.address !== (typedAddress(typed) ?? null)) setTyped(`0x${selection.address}`);
  }, [selection.address]);

  const whole = useQuery<CurvesRequest>(at, { type: "curves", device, axis: "event", from: null, to: null, width: 1 }, "segments.whole");
  const last = (whole.data?.states[1] ?? 1) - 1;
  const state = whole.data ? Math.min(here.at ?? whole.data.peak_state, last) : null;
  const { data, answers, error } = useQuery<SegmentsRequest>(at, state === null ? null : { type: "segments", device, state, sort }, "segments");
  const address = typedAddress(typed) ?? null;
  const isBad = typedAddress(typed) === undefined;
  const found = useQuery<FindRequest>(at, address !== null && state !== null ? { type: "find_address", device, state, text: address } : null, "segments.find");
  const known = address !== null && found.answers?.text === address ? found.data : undefined;
  const mark = known?.block ?? null;

  const stepped = useSteps(data, String(answers?.device));
  const changed = useMemo(() => new Set(stepped?.changes.blocks), [stepped]);
  const order = data?.order ?? NONE;
  const most = useMemo(() => data?.segment_size.reduce((size, each) => Math.max(size, each), 1) ?? 1, [data]);
  const offsets = useOffsets(most, String(answers?.device));
  const pick = (block: number | null) => {
    const id = block === null ? NO_LIFE : (data?.life[block] ?? NO_LIFE);
    go(selecting({ life: id === NO_LIFE ? null : id }));
  };

  const step = (by: number) => state !== null && go({ at: Math.max(0, Math.min(last, state + by)) });
  const focus = () => {
    const block = mark ?? (selection.life === null || !data ? -1 : data.life.indexOf(selection.life));
    if (data && block >= 0) offsets.show(aroundBlock(data.offset[block] ?? 0, data.size[block] ?? 0));
  };
  useCommands([
    { id: "segments.in", name: t.commands.zoomIn, keys: ["w"], run: () => offsets.zoom(0.6, 0.5), scope: "view" },
    { id: "segments.out", name: t.commands.zoomOut, keys: ["s"], run: () => offsets.zoom(1 / 0.6, 0.5), scope: "view" },
    { id: "segments.left", name: t.commands.panLeft, keys: ["a"], run: () => offsets.pan(-0.2), scope: "view" },
    { id: "segments.right", name: t.commands.panRight, keys: ["d"], run: () => offsets.pan(0.2), scope: "view" },
    { id: "segments.all", name: t.commands.everything, keys: ["0", "home"], run: () => offsets.show(null), scope: "view" },
    { id: "segments.focus", name: t.commands.focus, keys: ["f"], run: focus, scope: "view" },
    { id: "segments.back", name: t.segments.stepBack, keys: ["arrowleft"], run: () => step(-1), scope: "view" },
    { id: "segments.forth", name: t.segments.stepOn, keys: ["arrowright"], run: () => step(1), scope: "view" },
    { id: "segments.back100", name: `${t.segments.stepBack} ×100`, keys: [","], run: () => step(-100), scope: "view" },
    { id: "segments.forth100", name: `${t.segments.stepOn} ×100`, keys: ["."], run: () => step(100), scope: "view" },
    { id: "segments.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "segments.clear", name: t.commands.clear, keys: ["escape"], run: () => (setTyped(""), go({ sel: null }), searchBox.current?.blur()), scope: "view" },
  ]);

  const theme = useStore(themeVersion);
  const uses = useColours();
  const legend = useMemo((): [string, string][] => {
    if (colourBy === "use") return [1, 2, 3, 0].map((use) => [textOf(t.segments.uses, String(use)), uses[use] ?? ""]);
    const free: [string, string][] = [2, 0].map((use) => [textOf(t.segments.uses, String(use)), uses[use] ?? ""]);
    if (colourBy === "category") return [...Object.entries(CATEGORY_COLOURS).map(([id, css]): [string, string] => [textOf(t.categories, id), css]), ...free];
    return [...(data ? inksOf(data, colourBy) : []), ...free];
  }, [colourBy, data, t, theme]);
  return (
    <>
      <MomentPicker at={at} device={device} />
      <div class="row toolbar">
        <Choice label={t.segments.colourBy} value={colourBy} onChange={setColourBy} options={Object.entries(t.segments.colours) as [SegmentColour, string][]} />
        <Choice label={t.segments.sort} value={sort} onChange={setSort} options={Object.entries(t.segments.sorts) as [SegmentSort, string][]} />
        <span class="grow" />
        <input
          ref={searchBox}
          type="search"
          class="search"
          placeholder={t.segments.find}
          aria-label={t.segments.find}
          {...(isBad ? { "aria-invalid": true, "aria-describedby": "address-expected" } : {})}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            choose({ address: typedAddress(event.currentTarget.value) ?? null });
          }}
        />
        {isBad && (
          <span id="address-expected" class="expected" aria-live="polite">
            {t.typed.address}
          </span>
        )}
        {known && known.block === null && <span role="status">{t.segments.notFound}</span>}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {data && order.length === 0 && <p class="notice">{t.segments.none}</p>}
      {data && (
        <p>
          {t.segments.summary(order.length, data.live_blocks)} · {t.curves.reserved} <Size of={data.reserved} /> · {t.segments.allocated} <Size of={data.allocated} /> · {t.segments.free} <Size of={data.cached_free} />
          {partsBeside(data).map(([use, size]) => (
            <span key={use}>
              {" "}
              · {textOf(t.segments.uses, use)} <Size of={size} />
            </span>
          ))}
          {data.exact_blocks < data.live_blocks && <span class="faint"> · {t.segments.exact(percent(data.exact_blocks / data.live_blocks))}</span>}
        </p>
      )}
      {data && order.length > 0 && (
        <>
          <div class="chart">
            <SegmentCanvas
              data={data}
              order={order}
              colourBy={colourBy}
              changed={changed}
              height={Math.min(room, Math.max(80, order.length * ROW))}
              label={t.segments.describe(order.length)}
              life={selection.life}
              mark={mark}
              offsets={offsets}
              onHover={(block, x, y) => setHover(block === null ? null : { block, x, y })}
              onPick={pick}
            />
            {hover && hover.block < data.size.length && <BlockTip at={at} device={device} data={data} {...hover} />}
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
      {data && order.length > 0 && <SegmentTables at={at} device={device} data={data} mark={mark} life={selection.life} onPick={pick} />}
    </>
  );
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
    if (!old || old.device !== device || old.data.state === data.state) return;
    const steps = comparing(old.data, data);
    let timer: ReturnType<typeof setTimeout>;
    const go = () => {
      const step = steps.next();
      if (step.done === true) setStepped({ from: old.data.state, to: data.state, changes: step.value });
      else timer = setTimeout(go);
    };
    go();
    return () => clearTimeout(timer);
  }, [data]);
  return stepped;
}

/** What is neither allocated nor free of the reserved memory: all four add up to it. */
function partsBeside({ reserved, allocated, active, cached_free }: Segments): [use: string, size: number][] {
  const parts: [string, number][] = [
    ["2", active - allocated],
    ["3", reserved - active - cached_free],
  ];
  return parts.filter(([, size]) => size > 0);
}

function BlockTip({ at, device, data, block, x, y }: { at: Doc; device: Device; data: Segments; block: number; x: number; y: number }) {
  const t = useTexts();
  const use = data.usage[block] ?? 0;
  const id = data.life[block] ?? NO_LIFE;
  const asked = useQuery<LifeRequest>(at, id === NO_LIFE ? null : { type: "life", device, life: id }, "segments.tip");
  const life = id !== NO_LIFE && asked.answers?.life === id ? asked.data?.detail : undefined;
  const site = life?.stack.find((frame) => frame.is_call_site) ?? life?.stack[0];
  return (
    <PointerTip x={x} y={y}>
      <div>
        <b>{bytes(data.size[block] ?? 0)}</b>
        <span class="faint">{exactBytes(data.size[block] ?? 0)}</span>
        <span>{textOf(t.segments.uses, String(use))}</span>
      </div>
      <div class="mono">{blockAddress(data, segmentOf(data, block), block)}</div>
      {use !== 0 && (
        <div class="faint">
          {t.life.size} {bytes(data.requested[block] ?? 0)} ({exactBytes(data.requested[block] ?? 0)}) · {t.segments.uses[4]} {bytes((data.size[block] ?? 0) - (data.requested[block] ?? 0))}
        </div>
      )}
      {use !== 0 && (data.category[block] ?? 255) !== 255 && <div class="faint">{textOf(t.categories, Object.keys(CATEGORY_COLOURS)[data.category[block] ?? 255] ?? "")}</div>}
      {life && <div class="mono wrap">{site ? `${life.stack_is_of_free ? `${t.life.freedAt} ` : ""}${frameText(site)}` : t.life.noStack}</div>}
    </PointerTip>
  );
}

export const segments: View = {
  id: "segments",
  name: (t) => t.segments.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: SegmentsView,
};
