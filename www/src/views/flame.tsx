// Flame graph of live memory: at a moment, or summed over the range that the timeline shows.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { deviceOf } from "../device";
import { colour } from "../charts/echarts";
import { useCommands } from "../commands";
import { Size, TableFrame } from "../components/basics";
import { frameText } from "../components/frames";
import { MomentPicker } from "../components/moment-picker";
import { Picture } from "../components/picture";
import { PointerTip } from "../components/pointer-tip";
import { ErrorBox } from "../components/problems";
import { FlameOrder } from "../components/flame-order";
import { useWidth } from "../components/use-width";
import { useQuery } from "../core/use-query";
import type { FlameOf, ReplyTo, Request, StackFrame } from "../core/protocol";
import { choose, eventsBetween, statesShown, useSelection } from "../state/selection";
import { bytes, exactBytes, middle, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import type { View, ViewProps } from "./registry";

type FlameRequest = Extract<Request, { type: "flame" }>;
type LifeRequest = Extract<Request, { type: "life" }>;
type Flame = ReplyTo<FlameRequest>;
type Kind = "moment" | "range" | "range_time";

const ROW = 18;
const MOST_ROWS = 120;

/** What a box is called that stands for no frame. */
function nameOf(key: number | undefined, t: Texts): string | undefined {
  switch (key) {
    case 0xffffffff:
      return t.flame.everything;
    case 0xfffffffe:
      return t.flame.noStack;
    case 0xfffffffd:
      return t.flame.freedAt;
    case 0xfffffffc:
      return t.flame.hidden;
    default:
      return undefined;
  }
}

const labelOf = (flame: Flame, i: number, t: Texts): string => nameOf(flame.keys[i], t) ?? flame.labels[flame.label_of[i] ?? 0] ?? "";

/** The keys of the boxes of a tree that were ever drawn: of those above the one zoomed to, only frames are named. */
function useKeys(flame: Flame | null | undefined): ReadonlyMap<number, number> {
  const known = useRef(new Map<number, number>());
  return useMemo(() => {
    // A tree is first drawn whole.
    if (flame?.zoom === 0) known.current = new Map();
    for (const [i, node] of flame?.nodes.entries() ?? []) known.current.set(node, flame?.keys[i] ?? 0);
    return known.current;
  }, [flame]);
}

/** A calm colour that stays with a frame: by its file, so that a library is one tint. */
function tint(label: string, dark: boolean): string {
  const file = label.slice(label.lastIndexOf(" ") + 1).replace(/:\d+$/, "");
  let hash = 7;
  for (let i = 0; i < file.length; i++) hash = (hash * 31 + file.charCodeAt(i)) >>> 0;
  return `hsl(${20 + (hash % 200)} ${dark ? 34 : 52}% ${dark ? 32 + (hash % 7) : 76 + (hash % 8)}%)`;
}

function FlameView({ at, summary, device: chosen }: ViewProps) {
  const t = useTexts();
  const here = useStore(place);
  const theme = useStore(themeVersion);
  const device = deviceOf(chosen);
  const about = summary.devices.find((each) => String(each.device) === chosen);
  const [kind, setKind] = useState<Kind>("moment");
  const [innermost, setInnermost] = useState(false);
  const [hideNative, setHideNative] = useState(true);
  const [hideFramework, setHideFramework] = useState(false);
  const [zoom, setZoom] = useState(0);
  const selection = useSelection();
  const typed = selection.find;
  const [pointer, setPointer] = useState<{ x: number; y: number; box: number } | null>(null);
  const [frame, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);

  const peak = useQuery<Extract<Request, { type: "curves" }>>(at, { type: "curves", device, axis: "event", from: null, to: null, width: 1 }, "flame.peak");
  const last = (peak.data?.states[1] ?? 1) - 1;
  // The range that was selected, else the one that the timeline shows, else all.
  const range = selection.range ?? (here.range && statesShown(here.range));
  const of: FlameOf | null = !peak.data
    ? null
    : kind === "moment"
      ? { of: "moment", state: Math.min(here.at ?? peak.data.peak_state, last) }
      : { of: "range", from: range?.[0] ?? 0, to: Math.min(range?.[1] ?? last, last), by_time: kind === "range_time" };
  const request: FlameRequest | null =
    of && width > 0 ? { type: "flame", device, of, options: { innermost_first: innermost, hide_native: hideNative, hide_framework: hideFramework }, zoom, min_width: 1 / width, search: typed } : null;
  const { data, error } = useQuery<FlameRequest>(at, request, "flame");
  const chosen_ = useQuery<LifeRequest>(at, selection.life === null ? null : { type: "life", device, life: selection.life }, "flame.life");
  const life = selection.life === null ? null : (chosen_.data?.detail ?? null);
  const ofChosen = useMemo(() => (data && life ? boxesOf(data, life.stack, innermost) : NO_BOXES), [data, life, innermost]);
  const asked = JSON.stringify([of, innermost, hideNative, hideFramework, chosen]);
  // Another tree has other node numbers.
  useEffect(() => setZoom(0), [asked]);

  const keys = useKeys(data);
  const above = data ? data.parents.length - 1 : 0;
  const rows = useMemo(() => Math.min(MOST_ROWS, above + 1 + (data ? data.depth.reduce((most, depth) => Math.max(most, depth), 0) : 0)), [data]);
  useLayoutEffect(() => {
    if (canvas.current && data && width > 0) draw(canvas.current, data, width, rows, above, keys, typed !== "", ofChosen, t);
  }, [data, width, rows, theme, t, ofChosen]);

  const boxAt = (event: PointerEvent | MouseEvent): number | "above" | null => {
    const edge = canvas.current?.getBoundingClientRect();
    if (!edge || !data) return null;
    const x = (event.clientX - edge.left) / Math.max(1, width);
    const row = Math.floor((event.clientY - edge.top) / ROW);
    if (row < above) return "above";
    for (let i = 0; i < data.nodes.length; i++) {
      const left = data.x[i] ?? 0;
      if (data.depth[i] === row - above && left <= x && x < left + (data.width[i] ?? 0)) return i;
    }
    return null;
  };
  const onClick = (event: MouseEvent) => {
    const box = boxAt(event);
    if (!data || box === null) return;
    if (box === "above") {
      const row = Math.floor((event.clientY - (canvas.current?.getBoundingClientRect().top ?? 0)) / ROW);
      setZoom(data.parents[row] ?? 0);
    } else setZoom(data.nodes[box] ?? 0);
  };
  const onPointerMove = (event: PointerEvent) => {
    const box = boxAt(event);
    setPointer(typeof box === "number" ? { x: event.clientX, y: event.clientY, box } : null);
  };

  useCommands([
    { id: "flame.all", name: t.commands.everything, keys: ["0", "home"], run: () => (setZoom(0), choose({ find: "" })), scope: "view" },
    { id: "flame.search", name: t.commands.search, keys: ["/"], run: () => searchBox.current?.focus(), scope: "view" },
    { id: "flame.clear", name: t.commands.clear, keys: ["escape"], run: () => (setZoom(0), go({ sel: null }), searchBox.current?.blur()), scope: "view" },
  ]);

  const weight = (value: number) => Math.round(value / (data?.of_a_byte ?? 1));
  return (
    <>
      {kind === "moment" && <MomentPicker at={at} device={device} />}
      <div class="row toolbar">
        <label class="row">
          <span class="faint">{t.flame.of}</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <option value="moment">{t.flame.moment}</option>
            <option value="range">{t.flame.range}</option>
            {about?.has_time && <option value="range_time">{t.flame.rangeTime}</option>}
          </select>
        </label>
        <FlameOrder {...{ innermost, setInnermost, hideNative, setHideNative, hideFramework, setHideFramework }} />
        <span class="grow" />
        <input ref={searchBox} type="search" class="search" placeholder={t.flame.search} aria-label={t.flame.search} value={typed} onInput={(event) => choose({ find: event.currentTarget.value })} />
        {typed !== "" && data && <span role="status">{t.flame.found(percent(data.total > 0 ? data.found_weight / data.total : 0))}</span>}
      </div>
      {error && <ErrorBox error={error} title={t.app.failedView} />}
      {kind !== "moment" && of?.of === "range" && <p class="faint">{t.flame.average(...eventsBetween([of.from, of.to]))}</p>}
      <div ref={frame} class="flame" data-ready={data ? "yes" : ""}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={t.flame.describe(data?.nodes.length ?? 0)}
          style={{ width: `${width}px`, height: `${Math.max(1, rows) * ROW}px` }}
          onClick={onClick}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setPointer(null)}
        />
        {data && <Picture name="flame" />}
        {pointer && data && (
          <PointerTip x={pointer.x} y={pointer.y}>
            <div class="mono wrap">{labelOf(data, pointer.box, t)}</div>
            <div>
              <b>{bytes(weight(data.weight[pointer.box] ?? 0))}</b>
              <span class="faint">{exactBytes(weight(data.weight[pointer.box] ?? 0))}</span>
              <span>{percent(data.total > 0 ? (data.weight[pointer.box] ?? 0) / data.total : 0, 2)}</span>
              <span class="faint">{t.flame.lives(data.count[pointer.box] ?? 0)}</span>
            </div>
          </PointerTip>
        )}
      </div>
      <p class="faint hint">{t.flame.help}</p>
      {data && <Widest flame={data} weight={weight} onZoom={setZoom} />}
    </>
  );
}

const NO_BOXES: ReadonlySet<number> = new Set();

/** The boxes on the way to a stack. Frames that are hidden have none, so the way may skip some. */
export function boxesOf(flame: Pick<Flame, "depth" | "x" | "width" | "label_of" | "labels">, stack: readonly StackFrame[], innermostFirst: boolean): ReadonlySet<number> {
  const labels = stack.map(frameText);
  if (!innermostFirst) labels.reverse();
  const found = new Set<number>();
  let [from, to, depth, next] = [0, 1, 0, 0];
  for (;;) {
    depth++;
    let best = -1;
    let bestAt = Infinity;
    for (let i = 0; i < flame.depth.length; i++) {
      const x = flame.x[i] ?? 0;
      if (flame.depth[i] !== depth || x < from - 1e-9 || x >= to - 1e-9) continue;
      const at = labels.indexOf(flame.labels[flame.label_of[i] ?? 0] ?? "", next);
      if (at >= 0 && at < bestAt) [best, bestAt] = [i, at];
    }
    if (best < 0) return found;
    found.add(best);
    next = bestAt + 1;
    from = flame.x[best] ?? 0;
    to = from + (flame.width[best] ?? 0);
  }
}

function draw(canvas: HTMLCanvasElement, flame: Flame, width: number, rows: number, above: number, keys: ReadonlyMap<number, number>, searching: boolean, chosen: ReadonlySet<number>, t: Texts): void {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(Math.max(1, rows) * ROW * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, rows * ROW);
  context.font = "11px ui-monospace, Consolas, monospace";
  const dark = document.documentElement.dataset["theme"] === "dark";
  const ink = dark ? "#f2f4f8" : "#14181f";
  const [hit, miss, mark] = [colour("found"), colour("bg-3"), colour("chosen")];
  // A colour for each frame, worked out once.
  const tints: string[] = [];
  const box = (x: number, row: number, wide: number, fill: string, text: string) => {
    context.fillStyle = fill;
    context.fillRect(x, row * ROW, Math.max(0.6, wide - (wide > 2 ? 1 : 0)), ROW - 1);
    if (wide > 34) {
      context.fillStyle = ink;
      context.fillText(middle(text, Math.max(3, Math.floor((wide - 8) / 6.7))), x + 4, row * ROW + 12.5);
    }
  };
  for (let row = 0; row < above; row++) box(0, row, width, colour("bg-3"), row === 0 ? t.flame.everything : (nameOf(keys.get(flame.parents[row] ?? 0), t) ?? flame.path[row - 1] ?? ""));
  for (let i = 0; i < flame.nodes.length; i++) {
    const row = above + (flame.depth[i] ?? 0);
    if (row >= rows) continue;
    const [x, wide] = [(flame.x[i] ?? 0) * width, (flame.width[i] ?? 0) * width];
    const which = flame.label_of[i] ?? 0;
    let own = tints[which];
    if (own === undefined) tints[which] = own = tint(labelOf(flame, i, t), dark);
    box(x, row, wide, searching ? (flame.found[i] ? hit : miss) : own, wide > 34 ? labelOf(flame, i, t) : "");
    if (chosen.has(i)) {
      context.strokeStyle = mark;
      context.lineWidth = 2;
      context.strokeRect(x + 1, row * ROW + 1, Math.max(1, wide - 3), ROW - 3);
    }
  }
}

function Widest({ flame, weight, onZoom }: { flame: Flame; weight: (value: number) => number; onZoom: (node: number) => void }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const widest = useMemo(() => (open ? Array.from(flame.nodes.keys()).sort((a, b) => (flame.weight[b] ?? 0) - (flame.weight[a] ?? 0)).slice(0, 60) : []), [flame, open]);
  return (
    <details class="chart-table" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t.flame.table}</summary>
      <TableFrame>
        <table aria-label={t.flame.table}>
          <thead>
            <tr>
              <th scope="col">{t.flame.box}</th>
              <th scope="col" class="number">{t.flame.level}</th>
              <th scope="col" class="number">{t.flame.of}</th>
              <th scope="col" class="number">{t.flame.share}</th>
            </tr>
          </thead>
          <tbody>
            {widest.map((i) => (
              <tr key={i}>
                <td class="mono wrap">
                  <button type="button" class="quiet small as-text" onClick={() => onZoom(flame.nodes[i] ?? 0)}>
                    {labelOf(flame, i, t)}
                  </button>
                </td>
                <td class="number">{flame.depth[i]}</td>
                <td class="number">
                  <Size of={weight(flame.weight[i] ?? 0)} />
                </td>
                <td class="number">{percent(flame.total > 0 ? (flame.weight[i] ?? 0) / flame.total : 0, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </details>
  );
}

export const flame: View = {
  id: "flame",
  name: (t) => t.flame.name,
  fits: (summary) => summary.kind === "snapshot" && summary.devices.length > 0,
  Component: FlameView,
};
