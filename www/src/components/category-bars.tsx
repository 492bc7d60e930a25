// What memory is for: categories as bars to one scale, and as a table.

import { categoryColour } from "../charts/palette";
import { bytes, count, exactBytes } from "../format";
import { textOf, useTexts } from "../i18n";
import { Size, Table } from "./basics";
import { CategoryTag } from "./life-detail";

export interface CategoryBar {
  name: string;
  /** Categories and their bytes. */
  rows: readonly (readonly [string, number])[];
}

export function CategoryBars({ bars }: { bars: readonly CategoryBar[] }) {
  const t = useTexts();
  const sum = ({ rows }: CategoryBar) => rows.reduce((all, [, size]) => all + size, 0);
  const most = Math.max(1, ...bars.map(sum));
  return (
    <>
      {bars.map((bar) => (
        <div key={bar.name} class="category-line">
          <span>{bar.name}</span>
          <div class="category-bar" {...(bar.rows.length > 0 ? { role: "img", "aria-label": bar.rows.map(([id, size]) => `${textOf(t.categories, id)} ${bytes(size)}`).join(", ") } : {})}>
            {bar.rows.map(([id, size]) => (
              <div key={id} style={{ width: `${(size / most) * 100}%`, background: categoryColour(id) }} title={`${textOf(t.categories, id)}: ${bytes(size)} (${exactBytes(size)})`} />
            ))}
          </div>
          <Size of={sum(bar)} />
        </div>
      ))}
    </>
  );
}

export function CategoryTable({ label, rows }: { label: string; rows: readonly { category: string; bytes: number; count: number }[] }) {
  const t = useTexts();
  return <Table label={label} head={[t.range.category, t.moment.size, t.range.count]} rows={rows.map((row) => [<CategoryTag key="c" id={row.category} inferred={false} />, <Size key="s" of={row.bytes} />, count(row.count)])} />;
}
