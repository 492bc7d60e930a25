// The timeline for those who cannot see it: what stands highest in each of twenty parts of the window, and what
// it is made of.

import { useEffect, useMemo, useState } from "preact/hooks";
import { CATEGORY_COLOURS } from "../charts/palette";
import type { Timeline } from "../charts/use-drawing";
import type { AxisKind } from "../charts/use-span";
import type { Device, Request } from "../core/protocol";
import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import { count, span as spanText } from "../format";
import { textOf, useTexts } from "../i18n";
import { Size, Table } from "./basics";
import { steady } from "./steady";

type CategoriesRequest = Extract<Request, { type: "categories" }>;

const PARTS = 20;
/** Milliseconds without another drawing after which the categories are asked for: they may not hold a drawing up. */
const REST = 200;

interface Props {
  at: Doc;
  device: Device;
  reply: Timeline;
  axis: AxisKind;
  /** The bands are allocations, whose categories are known. */
  categories: boolean;
}

export const BandTable = steady((props: Props) => {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t.timeline.table}</summary>
      {open && <Parts {...props} />}
    </details>
  );
});

function Parts({ at, device, reply, axis, categories }: Props) {
  const t = useTexts();
  const parts = useMemo(() => highest(reply, PARTS), [reply]);
  const [asked, setAsked] = useState<number[] | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(categories ? parts.map(({ event }) => event + 1) : null), REST);
    return () => clearTimeout(timer);
  }, [parts, categories]);
  const { data, answers } = useQuery<CategoriesRequest>(at, asked === null ? null : { type: "categories", device, states: asked }, "timeline.table");
  // Of a window that is gone nothing is told.
  const known = categories && answers?.states.join() === parts.map(({ event }) => event + 1).join() ? data?.rows : undefined;
  const shown = Object.keys(CATEGORY_COLOURS).filter((id) => known?.some((row) => row.some((each) => each.category === id && each.bytes > 0)));
  return (
    <Table
      label={t.timeline.table}
      head={[t.timeline.column, t.events.event, t.timeline.bytesThere, ...shown.map((id) => textOf(t.categories, id))]}
      rows={parts.map(({ from, event, value }, part) => [
        axis === "time" ? spanText(from) : count(Math.round(from)),
        event < 0 ? "–" : count(event),
        <Size key="b" of={value} />,
        ...shown.map((id) => <Size key={id} of={known?.[part]?.find((each) => each.category === id)?.bytes ?? 0} />),
      ])}
    />
  );
}

function highest(reply: Timeline, rows: number): { from: number; event: number; value: number }[] {
  const width = reply.column_bytes.length;
  return Array.from({ length: rows }, (_, row) => {
    const begin = Math.floor((row * width) / rows);
    let best = begin;
    for (let column = begin; column < Math.max(begin + 1, Math.floor(((row + 1) * width) / rows)); column++) if ((reply.column_bytes[column] ?? 0) > (reply.column_bytes[best] ?? 0)) best = column;
    return { from: reply.from + ((reply.to - reply.from) * row) / rows, event: (reply.columns[best] ?? 0) - 1, value: reply.column_bytes[best] ?? 0 };
  });
}
