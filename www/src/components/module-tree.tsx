// Modules as a tree: each with what it holds, those inside it included, and what recomputing would free.

import { useMemo, useState } from "preact/hooks";
import type { ModuleColumns } from "../core/protocol";
import { count } from "../format";
import { useTexts } from "../i18n";
import { modulesDownTo, shownModules } from "../modules";
import { Name, Size, TableFrame } from "./basics";

/** So many rows stand open at first. */
const OPEN = 30;
/** So many rows are made at once; a deep model has tens of thousands. */
const PAGE = 50;

export function ModuleTree({ modules }: { modules: ModuleColumns }) {
  const t = useTexts();
  // Opened or closed by hand; everything else follows its depth.
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [most, setMost] = useState(PAGE);
  const depth = useMemo(() => [3, 2, 1].find((most) => modulesDownTo(modules, most) <= OPEN) ?? 1, [modules]);
  const { shown, count: all } = useMemo(() => shownModules(modules, (path, at) => turned.get(path) ?? at < depth, most), [modules, turned, depth, most]);
  if (all === 0) return <p class="faint">{t.moment.noModules}</p>;
  const closed = new Set(shown.filter((row, i) => row.isParent && (shown[i + 1]?.depth ?? 0) <= row.depth).map((row) => row.index));
  return (
    <>
      <TableFrame tall>
        <table class="wrapping" aria-label={t.moment.byModule}>
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
            {shown.map(({ index, name, path, depth, isParent }) => (
              <tr key={path}>
                <td style={{ paddingLeft: `${12 + (depth - 1) * 14}px` }} title={path}>
                  {isParent ? (
                    <button type="button" class="quiet small" aria-expanded={!closed.has(index)} onClick={() => setTurned(new Map([...turned, [path, closed.has(index)]]))}>
                      {closed.has(index) ? "▸" : "▾"} <Name text={name} most={44} />
                    </button>
                  ) : (
                    <span class="leaf">
                      <Name text={name} most={44} />
                    </span>
                  )}
                </td>
                <td class="number"><Size of={modules.bytes[index]} /></td>
                <td class="number">{count(modules.count[index] ?? 0)}</td>
                <td class="number"><Size of={modules.recompute_bytes[index]} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {all > shown.length && (
        <button type="button" class="small" onClick={() => setMost(most + PAGE)}>
          {t.moment.moreModules(Math.min(PAGE, all - shown.length), all - shown.length)}
        </button>
      )}
      <p class="faint hint">{t.moment.recomputeMeans}</p>
    </>
  );
}
