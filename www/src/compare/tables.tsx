// Tables of a comparison: categories, segments.

import { Size, Table } from "../components/basics";
import { CategoryTag } from "../components/life-detail";
import { count } from "../format";
import { useTexts } from "../i18n";
import { Diff } from "./diff";
import type { Comparison, DiffRow, SegmentKind } from "./types";

/** Two bars of each category, one above the other, and what differs. */
export function Categories({ rows }: { rows: readonly DiffRow[] }) {
  const t = useTexts();
  const most = Math.max(1, ...rows.map((row) => Math.max(row.a_bytes, row.b_bytes)));
  return (
    <Table
      label={t.compare.byCategory}
      text={[0, 1]}
      head={[t.compare.category, "", "A", "B", t.compare.diff]}
      rows={rows.map((row) => [
        <CategoryTag id={row.key ?? "unknown"} inferred={row.a_inferred_bytes > 0 || row.b_inferred_bytes > 0} />,
        <div class="pair-bars" aria-hidden="true">
          <span class="a" style={{ width: `${(row.a_bytes / most) * 100}%` }} />
          <span class="b" style={{ width: `${(row.b_bytes / most) * 100}%` }} />
        </div>,
        <Size of={row.a_bytes} />,
        <Size of={row.b_bytes} />,
        <Diff of={row.diff_bytes} />,
      ])}
    />
  );
}

const KINDS: readonly SegmentKind[] = ["new", "gone", "grown", "shrunk", "moved"];

export function Segments({ of }: { of: Comparison }) {
  const t = useTexts();
  const hex = (address: number | null) => (address === null ? "–" : `0x${address.toString(16)}`);
  const changed = KINDS.flatMap((kind) => of.segments[kind].rows.map((row) => ({ kind, row })));
  return (
    <>
      <Table
        label={t.compare.segments}
        head={["", t.compare.count, t.compare.diff]}
        rows={[
          ...KINDS.map((kind) => [t.compare.segmentKinds[kind], count(of.segments[kind].count), <Diff of={of.segments[kind].diff_bytes} />]),
          [t.compare.segmentKinds.same, count(of.segments.same), <Diff of={0} />],
        ]}
      />
      {changed.length > 0 && (
        <details>
          <summary>{t.compare.segmentList}</summary>
          <Table
            label={t.compare.segmentList}
            text={[0, 1, 2]}
            head={["", `${t.compare.address} A`, `${t.compare.address} B`, "A", "B", t.compare.diff]}
            rows={changed.map(({ kind, row }) => [
              t.compare.segmentKinds[kind],
              <span class="mono">{hex(row.a_address)}</span>,
              <span class="mono">{hex(row.b_address)}</span>,
              <Size of={row.a_bytes} />,
              <Size of={row.b_bytes} />,
              <Diff of={row.b_bytes - row.a_bytes} />,
            ])}
          />
        </details>
      )}
    </>
  );
}
