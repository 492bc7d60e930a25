// Segments to scale: one row each, its blocks as boxes, the requested part of a block darker than its
// rounding. Only the rows in sight are drawn, so a thousand segments cost what the screen holds; of a row, only
// the offsets that are zoomed to.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Picture } from "../components/picture";
import type { SegmentKind } from "../core/protocol";
import { bytes } from "../format";
import { useTexts } from "../i18n";
import { segmentAt, segmentOf } from "../segment-columns";
import type { Segments } from "../segment-columns";
import { themeVersion } from "../state/settings";
import { useStore } from "../state/store";
import { colour } from "./echarts";
import { CATEGORY_COLOURS, TURN } from "./palette";
import { offsetTicks, useOffsetPointer } from "./use-offsets";
import type { Offsets } from "./use-offsets";

export type { Segments };
export type SegmentColour = "category" | "use" | "stream" | "pool";

const ROW = 22;
const BAR = 14;
/** What a row is called; where it is short, its address and size alone. */
const SIZE = 10;
/** The width of a letter. */
const LETTER = 6.7;
/** What is free to the right of the rows. */
const BESIDE = 16;
const CATEGORY = Object.values(CATEGORY_COLOURS);

/** Colours of uses: free, allocated, pending, workspace. */
export function useColours(): readonly string[] {
  return [colour("bg-3"), "#0072b2", colour("text"), "#8c6d46"];
}

/** A colour for each stream or pool, in order of appearance. */
export function inksOf(data: Segments, by: SegmentColour): ReadonlyMap<string, string> {
  const inks = new Map<string, string>();
  for (const kind of data.kinds) {
    const name = by === "stream" ? String(kind.stream) : `(${kind.pool.join(", ")})`;
    if (!inks.has(name)) inks.set(name, TURN[inks.size % TURN.length] ?? "");
  }
  return inks;
}

const nameOf = (kind: SegmentKind) => `${kind.segment_type} (${kind.pool.join(",")}) ${kind.stream}`;

export function SegmentCanvas(props: {
  data: Segments;
  /** Segment indices in the order shown. */
  order: Uint32Array;
  colourBy: SegmentColour;
  /** Blocks that the last step changed. */
  changed: ReadonlySet<number>;
  height: number;
  label: string;
  life: number | null;
  mark: number | null;
  offsets: Offsets;
  /** The pointer's place is that in the window. */
  onHover: (block: number | null, x: number, y: number) => void;
  onPick: (block: number | null) => void;
}) {
  const { data, order, offsets } = props;
  const { from, to } = offsets.shown;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [top, setTop] = useState(0);
  const theme = useStore(themeVersion);
  const short = width < 720;
  // As wide as the longest name: addresses rise, so the last is the longest.
  const letters = useMemo(() => {
    const last = segmentAt(data, data.address.length - 1);
    return (last?.address.length ?? 0) + 1 + SIZE + (short ? 0 : data.kinds.reduce((most, kind) => Math.max(most, nameOf(kind).length + 1), 0));
  }, [data, short]);
  const label = Math.ceil(letters * LETTER) + 16;
  const room = Math.max(0, width - label - BESIDE);
  const scale = room / (to - from);
  const pointer = useOffsetPointer(canvas, offsets, label, room, order.length * ROW > props.height);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(element.clientWidth));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  // A marked block (found by address, or the life selected) is brought into sight.
  const wanted = props.mark ?? (props.life === null ? null : data.life.indexOf(props.life));
  useEffect(() => {
    if (wanted === null || wanted < 0 || !scroller.current) return;
    const row = order.indexOf(segmentOf(data, wanted));
    if (row >= 0 && (row * ROW < scroller.current.scrollTop || (row + 1) * ROW > scroller.current.scrollTop + props.height)) scroller.current.scrollTop = Math.max(0, row * ROW - props.height / 2);
    offsets.bring(data.offset[wanted] ?? 0, data.size[wanted] ?? 0);
  }, [wanted, data]);

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || width === 0) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    element.width = Math.round(width * ratio);
    element.height = Math.round(props.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, props.height);
    context.font = "11px ui-monospace, Consolas, monospace";
    const uses = useColours();
    const inks = inksOf(data, props.colourBy);
    const bySegment = props.colourBy === "stream" || props.colourBy === "pool";
    const ink = colour("text-2");
    const line = colour("line-2");
    const accent = colour("accent");
    // Few of many blocks: not each of a hundred thousand is asked whether it is one.
    const chosen = props.life === null ? -1 : data.life.indexOf(props.life);
    // Where something lies on the axis, cut a little outside of what is seen: lengths of a billion pixels are no good.
    const xOf = (offset: number) => Math.max(label - 8, Math.min(label + (offset - from) * scale, label + room + 8));
    const marks = new Set([...props.changed, ...(props.mark === null ? [] : [props.mark]), ...(chosen < 0 ? [] : [chosen])]);
    for (let row = Math.floor(top / ROW); row < order.length && row * ROW < top + props.height; row++) {
      const index = order[row] ?? 0;
      const segment = segmentAt(data, index);
      if (!segment) continue;
      const [firstBlock, endBlock] = [data.first_block[index] ?? 0, data.first_block[index + 1] ?? 0];
      const y = row * ROW - top + (ROW - BAR) / 2;
      context.fillStyle = ink;
      const name = `${segment.address} ${bytes(segment.size).padStart(SIZE)}`;
      context.fillText(short ? name : `${name} ${nameOf(segment)}`, 6, y + 11);
      if (segment.size <= from) continue;
      context.save();
      context.beginPath();
      context.rect(label - 2, y - 4, room + 4, BAR + 8);
      context.clip();
      context.fillStyle = uses[0] ?? "";
      const [begin, end] = [xOf(0), xOf(segment.size)];
      context.fillRect(begin, y, Math.max(1, end - begin), BAR);
      const own = inks.get(props.colourBy === "stream" ? String(segment.stream) : `(${segment.pool.join(", ")})`) ?? "";
      let drawnTo = -1;
      for (let block = blockAtOffset(data, index, from); block < endBlock; block++) {
        const use = data.usage[block] ?? 0;
        const offset = data.offset[block] ?? 0;
        if (offset > to) break;
        if (use === 0) continue;
        const x0 = xOf(offset);
        const x1 = xOf(offset + (data.size[block] ?? 0));
        // What would fall on a pixel already drawn is left out, with all that follow there: of a hundred thousand
        // thin blocks no more are looked at than there are pixels.
        if (x1 - x0 < 0.5 && x1 < drawnTo) {
          block = Math.max(block, blockAtOffset(data, index, from + (drawnTo - label) / scale) - 1);
          continue;
        }
        drawnTo = Math.floor(x1) + 1;
        const ground = bySegment ? own : props.colourBy === "category" && use !== 3 ? (CATEGORY[data.category[block] ?? 255] ?? uses[use]) : uses[use];
        const requested = xOf(offset + (data.requested[block] ?? 0)) - x0;
        const wide = Math.max(0.75, x1 - x0);
        context.globalAlpha = 0.45;
        context.fillStyle = ground ?? "";
        context.fillRect(x0, y, wide, BAR);
        context.globalAlpha = 1;
        context.fillRect(x0, y, Math.max(0.75, Math.min(wide, requested) - (wide > 4 ? 0.75 : 0)), BAR);
        if (use === 2) {
          context.fillStyle = uses[2] ?? "";
          context.fillRect(x0, y + BAR - 4, wide, 4);
        }
      }
      context.strokeStyle = line;
      context.strokeRect(begin + 0.5, y + 0.5, Math.max(1, end - begin), BAR - 1);
      // Marks go over everything, also where a neighbour has the pixel.
      for (const block of marks) {
        if (block < firstBlock || block >= endBlock) continue;
        const isChosen = block === props.mark || block === chosen;
        const x0 = xOf(data.offset[block] ?? 0);
        context.strokeStyle = isChosen ? accent : ink;
        context.setLineDash(isChosen ? [] : [3, 2]);
        context.lineWidth = 2;
        context.strokeRect(x0 - 1, y - 2, Math.max(0.75, xOf((data.offset[block] ?? 0) + (data.size[block] ?? 0)) - x0) + 2, BAR + 4);
      }
      context.setLineDash([]);
      context.lineWidth = 1;
      context.restore();
    }
  }, [data, order, props.colourBy, props.changed, width, top, theme, props.life, props.mark, props.height, from, to, label]);

  const blockAt = (event: PointerEvent | MouseEvent): number | null => {
    const edge = canvas.current?.getBoundingClientRect();
    if (!edge || scale === 0) return null;
    const row = Math.floor((event.clientY - edge.top + top) / ROW);
    const index = order[row];
    const x = event.clientX - edge.left - label;
    const offset = from + x / scale;
    if (index === undefined || x < 0 || x > room || offset >= (data.segment_size[index] ?? 0)) return null;
    return blockAtOffset(data, index, offset);
  };

  return (
    <div class="picture-frame" onDblClick={() => offsets.show(null)}>
      <OffsetScale offsets={offsets} left={label} width={room} />
      <div ref={scroller} class="segment-map" style={{ height: `${props.height}px` }} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div style={{ height: `${Math.max(props.height, order.length * ROW)}px` }}>
          <canvas
            ref={canvas}
            role="img"
            aria-label={props.label}
            style={{ width: `${width}px`, height: `${props.height}px` }}
            data-window={`${from} ${to}`}
            onPointerDown={pointer.onPointerDown}
            onPointerMove={(event) => props.onHover(pointer.moves(event) ? null : blockAt(event), event.clientX, event.clientY)}
            onPointerUp={pointer.ends}
            onPointerCancel={pointer.ends}
            onPointerLeave={() => props.onHover(null, 0, 0)}
            onClick={(event) => !pointer.wasDrag() && props.onPick(blockAt(event))}
          />
        </div>
      </div>
      <Picture name="segments" />
    </div>
  );
}

/** The block of a segment that holds an offset. */
function blockAtOffset(data: Segments, segment: number, offset: number): number {
  let low = data.first_block[segment] ?? 0;
  let high = data.first_block[segment + 1] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((data.offset[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/** The offsets within the segments, above their rows. */
function OffsetScale({ offsets, left, width }: { offsets: Offsets; left: number; width: number }) {
  const t = useTexts();
  const { from, to } = offsets.shown;
  const xOf = (offset: number) => left + ((offset - from) / (to - from)) * width;
  return (
    <div class="segment-scale">
      {offsets.zoomed ? (
        <button type="button" class="small" onClick={() => offsets.show(null)}>
          {t.commands.everything}
        </button>
      ) : (
        <span class="faint">{t.segments.offset}</span>
      )}
      {offsetTicks(offsets.shown).map(({ offset, name }) => (
        <span key={offset} class="segment-tick" style={{ left: `${xOf(offset)}px` }}>
          {xOf(offset) + name.length * LETTER < left + width + BESIDE && name}
        </span>
      ))}
    </div>
  );
}
