// The outputs of a graph as a table: what stands behind the map, for the keyboard and a screen reader.

import { useMemo, useState } from "preact/hooks";
import { Size } from "../../components/basics";
import { VirtualTable } from "../../components/virtual-table";
import { C, HAS_LIFE } from "../../core/ge";
import type { Outputs } from "../../core/ge";
import { count } from "../../format";
import { useTexts } from "../../i18n";
import { marksOf } from "./fields";

const SORTS: Readonly<Record<string, number>> = { offset: C.offset, size: C.size, bytes: C.bytes, begin: C.begin, end: C.end, stream: C.stream };

export function OutputTable(props: { outputs: Outputs; rows: Int32Array; found: ReadonlySet<number> | null; partners: ReadonlyMap<number, readonly string[]>; chosen: number | null; onChoose: (row: number) => void }) {
  const t = useTexts();
  const { outputs, found } = props;
  const [sort, setSort] = useState({ by: "begin", descending: false });
  const rows = useMemo(() => {
    const kept = found ? props.rows.filter((row) => found.has(row)) : props.rows.slice();
    const turn = sort.descending ? -1 : 1;
    const column = SORTS[sort.by];
    if (column !== undefined) return kept.sort((a, b) => (outputs.at(a, column) - outputs.at(b, column)) * turn || a - b);
    const text = sort.by === "op_type" ? C.opType : C.name;
    return kept.sort((a, b) => {
      const [x, y] = [outputs.text(a, text), outputs.text(b, text)];
      return (x < y ? -1 : x > y ? 1 : a - b) * turn;
    });
  }, [outputs, props.rows, found, sort]);
  const place = useMemo(() => new Map(Array.from(rows, (row, index) => [row, index])), [rows]);
  const f = t.ge.field;
  const columns = [
    { id: "name", name: f.name, width: "minmax(210px, 2fr)" },
    { id: "op_type", name: f.op_type, width: "minmax(104px, 1fr)" },
    { id: "offset", name: f.offset, width: "minmax(84px, 116px)", number: true },
    { id: "size", name: f.size, width: "minmax(72px, 96px)", number: true },
    { id: "bytes", name: f.real_size, width: "minmax(72px, 96px)", number: true },
    { id: "begin", name: f.begin, width: "minmax(92px, 104px)", number: true },
    { id: "end", name: f.end, width: "minmax(76px, 116px)", number: true },
    { id: "stream", name: f.stream, width: "minmax(44px, 76px)", number: true },
    { id: "marks", name: f.marks, width: "minmax(70px, 1fr)" },
  ];
  return (
    <details class="ge-outputs" open>
      <summary>
        {t.ge.map.table}: {t.ge.map.outputs(rows.length, props.rows.length)}
      </summary>
      <VirtualTable
        label={t.ge.map.table}
        columns={columns}
        total={rows.length}
        least="940px"
        height={Math.min(312, Math.max(1, rows.length) * 26)}
        sort={sort}
        onSort={(by) => by !== "marks" && setSort((now) => ({ by, descending: now.by === by && !now.descending }))}
        chosen={props.chosen === null ? null : (place.get(props.chosen) ?? null)}
        onChoose={(index) => props.onChoose(rows[index] ?? 0)}
        onVisible={() => undefined}
        cells={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const overlaps = props.partners.has(row);
          const life = outputs.has(row, HAS_LIFE);
          return [
            <span key="n" title={outputs.label(row)}>
              {outputs.label(row)}
            </span>,
            outputs.text(row, C.opType),
            count(outputs.at(row, C.offset)),
            <Size key="s" of={outputs.at(row, C.size)} />,
            <Size key="b" of={outputs.at(row, C.bytes)} />,
            life ? outputs.moment(row, C.begin, C.beginText) : "–",
            life ? outputs.moment(row, C.end, C.endText) : "–",
            Number.isNaN(outputs.at(row, C.otherStream)) ? String(outputs.at(row, C.stream)) : `${outputs.at(row, C.stream)}--${outputs.at(row, C.otherStream)}`,
            <span key="m" class={overlaps ? "bad-figure" : "faint"}>
              {marksOf(outputs, row, overlaps, t).join(", ")}
            </span>,
          ];
        }}
      />
    </details>
  );
}
