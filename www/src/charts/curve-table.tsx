// The curves for those who cannot see them: twenty columns of what is shown.

import { useMemo, useState } from "preact/hooks";
import { Size, TableFrame } from "../components/basics";
import { count, span as spanText } from "../format";
import { textOf, useTexts } from "../i18n";
import { sampled } from "./curve-draw";
import type { Curves } from "./curve-draw";
import type { AxisKind } from "./use-span";

export function CurveTable({ data, axis }: { data: Curves; axis: AxisKind }) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const rows = useMemo(() => (open ? sampled(data, 20) : []), [data, open]);
  return (
    <details onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t.curves.table}</summary>
      {open && (
        <TableFrame>
          <table aria-label={t.curves.table}>
            <thead>
              <tr>
                <th scope="col">{axis === "time" ? t.curves.byTime : t.curves.byEvent}</th>
                {data.lines.map((line) => (
                  <th key={line.kind} scope="col" class="number">
                    {textOf(t.curves, line.kind)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([x, values]) => (
                <tr key={x}>
                  <td>{axis === "time" ? spanText(x) : count(Math.round(x))}</td>
                  {values.map((value, i) => (
                    <td key={i} class="number">
                      <Size of={value} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </details>
  );
}
