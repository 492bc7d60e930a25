// The map of segments as tables, for those who cannot see it: every segment in the order of the map, and of
// the one chosen in it every block. Only rows in sight exist, and only of their blocks the call site is asked.

import { useEffect, useRef, useState } from "preact/hooks";
import { CATEGORY_COLOURS } from "../charts/palette";
import type { Device, LifeLine, Request } from "../core/protocol";
import type { Doc } from "../core/use-query";
import { count } from "../format";
import { textOf, useTexts } from "../i18n";
import { blockAddress, segmentAt, segmentOf } from "../segment-columns";
import type { Segments } from "../segment-columns";
import { Name, Size } from "./basics";
import { CategoryTag } from "./life-detail";
import { useWidth } from "./use-width";
import { lettersLeft, ROW_HEIGHT, VirtualTable } from "./virtual-table";
import type { Column } from "./virtual-table";

type LifeRequest = Extract<Request, { type: "life" }>;

const NO_LIFE = 0xffffffff;
const CATEGORIES = Object.keys(CATEGORY_COLOURS);
/** So many rows stand in each table at once. */
const [SEGMENTS, BLOCKS] = [8, 12];
/** Milliseconds without scrolling after which the blocks in sight are asked about. */
const REST = 60;

interface Props {
  at: Doc;
  device: Device;
  data: Segments;
  /** The block found by its address. */
  mark: number | null;
  life: number | null;
  onPick: (block: number) => void;
}

export function SegmentTables(props: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t.segments.table}</summary>
      {open && <Tables {...props} />}
    </details>
  );
}

function Tables({ at, device, data, mark, life, onPick }: Props) {
  const t = useTexts();
  const [address, setAddress] = useState<string | null>(null);
  const place = life === null ? -1 : data.life.indexOf(life);
  // What is found or chosen elsewhere leads the tables; what is chosen in the table of segments holds until then.
  const lead = (block: number | null) => {
    if (block !== null && block >= 0) setAddress(segmentAt(data, segmentOf(data, block))?.address ?? null);
  };
  useEffect(() => lead(place), [life, device]);
  useEffect(() => lead(mark), [mark, device]);
  const known = address === null ? -1 : data.address.indexOf(BigInt(address));
  const index = known >= 0 ? known : (data.order[0] ?? 0);
  const segment = segmentAt(data, index);
  const kind = (of: NonNullable<typeof segment>) => `${textOf(t.segmentTypes, of.segment_type)}${of.is_expandable ? ` · ${t.segments.expandable}` : ""}`;
  const columns: Column[] = [
    { id: "segment", name: t.segments.segment, width: "132px" },
    { id: "size", name: t.segments.size, width: "92px", number: true },
    { id: "allocated", name: t.segments.allocated, width: "minmax(92px, 132px)", number: true },
    { id: "free", name: t.segments.free, width: "92px", number: true },
    { id: "blocks", name: t.overview.blocks, width: "72px", number: true },
    { id: "pool", name: t.segments.pool, width: "72px" },
    { id: "stream", name: t.segments.stream, width: "minmax(56px, 104px)", number: true },
    { id: "type", name: t.segments.type, width: "minmax(160px, 1fr)" },
  ];
  const total = data.order.length;
  return (
    <>
      <VirtualTable
        label={t.segments.table}
        columns={columns}
        total={total}
        height={Math.min(SEGMENTS, total) * ROW_HEIGHT}
        cells={(row) => {
          const which = data.order[row] ?? 0;
          const of = segmentAt(data, which);
          return of && [<code key="a">{of.address}</code>, <Size key="s" of={of.size} />, <Size key="l" of={of.allocated} />, <Size key="f" of={of.free} />, count((data.first_block[which + 1] ?? 0) - (data.first_block[which] ?? 0)), `(${of.pool.join(", ")})`, String(of.stream), kind(of)];
        }}
        onVisible={() => undefined}
        chosen={data.order.indexOf(index)}
        onChoose={(row) => setAddress(segmentAt(data, data.order[row])?.address ?? null)}
      />
      {segment && (
        <>
          <h2 class="table-title">{t.segments.blocksOf(segment.address)}</h2>
          <Blocks key={`${device} ${segment.address}`} at={at} device={device} data={data} segment={index} label={t.segments.blocksOf(segment.address)} mark={mark} place={place} onPick={onPick} />
        </>
      )}
    </>
  );
}

/** The blocks of one segment, free ones among them, in order of address. */
function Blocks(props: { at: Doc; device: Device; data: Segments; segment: number; label: string; mark: number | null; place: number; onPick: (block: number) => void }) {
  const t = useTexts();
  const { data, segment } = props;
  const begin = data.first_block[segment] ?? 0;
  const total = (data.first_block[segment + 1] ?? begin) - begin;
  const height = Math.min(BLOCKS, total) * ROW_HEIGHT;
  const [seen, setSeen] = useState<readonly [number, number]>([0, 0]);
  const lines = useLines(props.at, props.device, data.life.subarray(begin + seen[0], begin + Math.min(total, seen[0] + seen[1])));
  const [row, setRow] = useState<number | null>(null);
  const lead = (block: number | null) => {
    if (block !== null && block >= begin && block < begin + total) setRow(block - begin);
  };
  useEffect(() => lead(props.place), [props.place]);
  useEffect(() => lead(props.mark), [props.mark]);
  const [frame, width] = useWidth();
  const columns: Column[] = [
    { id: "address", name: t.segments.block, width: "132px" },
    { id: "size", name: t.segments.size, width: "92px", number: true },
    { id: "requested", name: t.life.size, width: "92px", number: true },
    { id: "use", name: t.segments.use, width: "88px" },
    { id: "category", name: t.segments.category, width: "148px" },
    { id: "site", name: t.range.callSite, width: "minmax(180px, 1fr)" },
  ];
  const letters = lettersLeft(columns, width);
  return (
    <>
      <div ref={frame} />
      <VirtualTable
        label={props.label}
        columns={columns}
        total={total}
        height={height}
        cells={(at) => {
          const block = begin + at;
          const use = data.usage[block] ?? 0;
          const id = data.life[block] ?? NO_LIFE;
          const line = lines.get(id);
          const category = CATEGORIES[data.category[block] ?? 255];
          return [
            <code key="a">{blockAddress(data, segment, block)}</code>,
            <Size key="s" of={data.size[block] ?? 0} />,
            use === 0 ? "–" : <Size key="r" of={data.requested[block] ?? 0} />,
            textOf(t.segments.uses, String(use)),
            use === 0 || category === undefined ? "–" : <CategoryTag key="c" id={category} inferred={line?.inferred === true} />,
            use === 0 || id === NO_LIFE ? "–" : !line ? "…" : <CallSite key="l" line={line} most={letters} />,
          ];
        }}
        onVisible={(first, rows) => setSeen([first, rows])}
        chosen={row}
        onChoose={(at) => {
          setRow(at);
          // A free block is no allocation that could be chosen everywhere: the keys pass over it.
          if (data.life[begin + at] !== NO_LIFE) props.onPick(begin + at);
        }}
      />
    </>
  );
}

function CallSite({ line, most }: { line: LifeLine; most: number }) {
  const t = useTexts();
  if (line.call_site === "") return <span class="faint">{t.life.noStack}</span>;
  return (
    <span class="mono" title={line.call_site}>
      {line.stack_is_of_free && <span class="faint">{t.life.freedAt} </span>}
      <Name text={line.call_site} most={line.stack_is_of_free ? most - t.life.freedAt.length * 2 : most} />
    </span>
  );
}

/** What the core tells of lives, each asked once, and only when the table has come to rest. */
function useLines(at: Doc, device: Device, lives: Uint32Array): ReadonlyMap<number, LifeLine> {
  const [lines, setLines] = useState<ReadonlyMap<number, LifeLine>>(new Map());
  const asked = useRef(new Set<number>());
  useEffect(() => {
    asked.current = new Set();
    setLines(new Map());
  }, [at.core, at.doc, at.revision, device]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const missing = [...new Set(lives)].filter((life) => life !== NO_LIFE && !asked.current.has(life));
      if (missing.length === 0) return;
      const mine = asked.current;
      for (const life of missing) mine.add(life);
      const ask = (life: number) =>
        at.core.query<LifeRequest>(at.doc, { type: "life", device, life }, `segments.block.${life}`).then(
          ({ detail }) => detail,
          () => (mine.delete(life), null),
        );
      // Told together, so that they are drawn once.
      void Promise.all(missing.map(ask)).then((found) => {
        if (asked.current === mine) setLines((now) => new Map([...now, ...found.flatMap((detail) => (detail ? [[detail.life, detail] as const] : []))]));
      });
    }, REST);
    return () => clearTimeout(timer);
  }, [lives.join(), at.core, at.doc, at.revision, device]);
  return lines;
}
