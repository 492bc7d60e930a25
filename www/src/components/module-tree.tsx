// Modules as a tree: each with what it holds, those inside it included, and what recomputing would free.

import { useMemo, useState } from "preact/hooks";
import type { ModuleRow } from "../core/protocol";
import { count } from "../format";
import { useTexts } from "../i18n";
import { Name, Size, TableFrame } from "./basics";

/** So many rows stand open at first. */
const OPEN = 30;

export function ModuleTree({ rows }: { rows: readonly ModuleRow[] }) {
  const t = useTexts();
  // Opened or closed by hand; everything else follows its depth.
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const depth = useMemo(() => [3, 2, 1].find((most) => rows.filter((row) => row.depth <= most).length <= OPEN) ?? 1, [rows]);
  if (rows.length === 0) return <p class="faint">{t.moment.noModules}</p>;
  const isOpen = (row: ModuleRow) => turned.get(row.module) ?? row.depth < depth;
  const shown: { row: ModuleRow; parent: boolean }[] = [];
  let closed = Infinity;
  for (const [i, row] of rows.entries()) {
    if (row.depth > closed) continue;
    closed = Infinity;
    const parent = (rows[i + 1]?.depth ?? 0) > row.depth;
    shown.push({ row, parent });
    if (parent && !isOpen(row)) closed = row.depth;
  }
  return (
    <>
      <TableFrame tall>
        <table aria-label={t.moment.byModule}>
          <thead>
            <tr>
              <th scope="col">{t.moment.module}</th>
              {[t.moment.size, t.range.count, t.moment.recompute].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, 400).map(({ row, parent }) => {
              const name = row.module.split(" > ").at(-1) ?? row.module;
              return (
                <tr key={row.module}>
                  <td style={{ paddingLeft: `${12 + (row.depth - 1) * 14}px` }} title={row.module}>
                    {parent ? (
                      <button type="button" class="quiet small" aria-expanded={isOpen(row)} onClick={() => setTurned(new Map([...turned, [row.module, !isOpen(row)]]))}>
                        {isOpen(row) ? "▾" : "▸"} <Name text={name} most={44} />
                      </button>
                    ) : (
                      <span class="leaf">
                        <Name text={name} most={44} />
                      </span>
                    )}
                  </td>
                  <td class="number"><Size of={row.bytes} /></td>
                  <td class="number">{count(row.count)}</td>
                  <td class="number"><Size of={row.recompute_bytes} /></td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
      <p class="faint hint">{t.moment.recomputeMeans}</p>
    </>
  );
}
